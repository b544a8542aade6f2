# SPDX-License-Identifier: Apache-2.0
"""A run's files are regular files of its folder, and all of them: nothing is followed, nothing is cut off silently."""

import json
import os
import tarfile

import pytest

SECRET = "TOPSECRET-KEY-MATERIAL"
TRACEBACK = 'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\nValueError: boom\n'


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "run.json").write_text('{"schema": "profrender/run/1", "name": "nightly"}')
    (folder / "a.folded").write_text("main;work 5\n")
    return folder


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret"
    path.write_text(SECRET + "\n")
    return path


def notes(program, path):
    return json.loads(program("info", "--json", path).out)["notes"]


@pytest.mark.parametrize("name", ["notes.md", "b.folded", "stderr.log", "note.md", "x.stderr"])
@pytest.mark.parametrize("way", ["absolute", "relative", "through a folder"])
def test_a_link_in_a_run_is_left_out_with_a_word(program, run, secret, tmp_path, name, way):
    if name.endswith(".folded"):
        secret.write_text(f"{SECRET} 1\n")
    (run / "way").symlink_to("..")
    target = {"absolute": secret, "relative": "../secret", "through a folder": "way/secret"}[way]
    (run / name).symlink_to(target)
    for words in (["card", run, "-o", tmp_path / "c.html"], ["info", run], ["digest", run, "-o", tmp_path / "d.prz"]):
        done = program(*words)
        assert done.status == 0
        assert SECRET not in done.out + done.err
    assert SECRET not in (tmp_path / "c.html").read_text()
    card = program("info", tmp_path / "d.prz")
    assert SECRET not in card.out
    assert any(f"the file {name} is left out: it is reached by a link" in note for note in notes(program, run))
    assert f"{name} is left out" in (tmp_path / "c.html").read_text().replace("\u00a0", " ")


@pytest.mark.parametrize("name", ["stderr.log", "notes.md"])
def test_the_texts_of_a_run_are_no_stacks_whatever_number_ends_their_lines(program, tmp_path, name):
    run = tmp_path / "run"
    program("record", "-q", "-o", run, "--", "sh", "-c", "exit 3", cwd=tmp_path)
    (run / name).write_text("parts done 11\nall done 12\n")
    known = program("info", "--json", run).json()
    assert known["metrics"] == [], "a profile of what is no profile"
    page = program("card", run, "-o", "-").out
    assert "all done 12" in page, page[page.index("<header"):page.index("<footer")]


def test_a_link_to_a_file_of_the_run_is_left_out_too(program, run):
    (run / "b.folded").symlink_to("a.folded")
    assert any("b.folded is left out" in note for note in notes(program, run))


def test_a_linked_ending_does_not_count_as_the_ending_of_the_run(program, run, tmp_path):
    (tmp_path / "log").write_text(TRACEBACK)
    (run / "stderr.log").symlink_to(tmp_path / "log")
    assert program("check", run, "--require-success").status == 3


def test_pipes_and_devices_are_left_out_and_not_opened(program, run):
    os.mkfifo(run / "notes.md")
    os.mkfifo(run / "z.folded")
    (run / "zero.folded").symlink_to("/dev/zero")
    done = program("info", run, timeout=20)
    assert done.status == 0
    assert any("notes.md is left out: it is not a regular file" in note for note in notes(program, run))


def test_the_folder_itself_may_be_reached_by_a_link(program, run, tmp_path):
    (tmp_path / "latest").symlink_to("run")
    assert program("info", tmp_path / "latest").out == program("info",
                   run).out.replace(str(run), str(tmp_path / "latest"))


def fill(folder, count):
    for i in range(count):
        (folder / f"b{i:05}.folded").write_text(f"main;f{i} 1\n")


def archive(folder, path):
    with tarfile.open(path, "w") as tar:
        for file in sorted(folder.iterdir()):
            tar.add(file, f"run/{file.name}")
    return path


def test_more_files_than_are_read_are_an_error_in_a_folder_and_in_an_archive(program, run, tmp_path):
    (run / "stderr.log").write_text(TRACEBACK)
    (run / "a.folded").unlink()
    fill(run, 4095 - 1)
    tar = archive(run, tmp_path / "run.tar")
    for path in (run, tar):  # 4,096
        assert program("check", path, "--require-success").status == 1
    fill(run, 4095)
    tar = archive(run, tmp_path / "run.tar")
    for path in (run, tar):
        done = program("check", path, "--require-success")
        assert (done.status, done.out) == (3, "")
        assert "more than 4096 files" in done.err


def test_files_that_are_not_read_anyway_do_not_count(program, run, tmp_path):
    for i in range(4200):
        (run / f"page{i}.html").write_text("x")
    for path in (run, archive(run, tmp_path / "run.tar")):
        assert program("info", path).status == 0


def test_a_link_in_an_archive_is_left_out_with_a_word(program, run, tmp_path):
    path = tmp_path / "run.tar"
    os.link(run / "a.folded", run / "b.folded")  # tar keeps the second name as a link
    (run / "notes.md").symlink_to("/etc/passwd")
    archive(run, path)
    found = "\n".join(notes(program, path))
    assert "b.folded is left out" in found
    assert "notes.md is left out" in found


def test_an_archive_goes_on_after_a_header_without_a_name(program, run, tmp_path):
    (run / "stderr.log").write_text(TRACEBACK)
    data = bytearray(archive(run, tmp_path / "run.tar").read_bytes())
    at = data.index(b"run/run.json")
    data[at:at + 12] = bytes(12)
    (tmp_path / "run.tar").write_bytes(data)
    done = program("info", tmp_path / "run.tar", "--strict")
    assert done.status == 3  # damaged, and not the end of the archive


def test_what_this_process_lacks_is_not_blamed_on_a_file(program, run):
    import resource

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5))

    done = program("info", run, preexec_fn=few)
    assert done.status in (0, 3)
    assert "left out" not in done.out


def header(name, size_field, kind=b"0"):
    """A block of ustar whose field for the size is given."""
    block = bytearray(512)
    block[:len(name)] = name
    block[100:108], block[124:136], block[148:156] = b"0000644\0", size_field, b" " * 8
    block[156:157], block[257:265] = kind, b"ustar\0" + b"00"
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def blocks(content):
    return content + bytes(-len(content) % 512)


LARGE = 9 << 30  # no octal number of eleven digits


@pytest.mark.parametrize("extension, field, why", [
    (b"size=%d\n" % LARGE, b"%011o\0" % 0, "ends in the middle"),
    (b"", b"\x80" + LARGE.to_bytes(11, "big"), "ends in the middle"),
    (b"size=1234567890x\n", b"%011o\0" % 3, "damaged"), (b"", b"\xff" * 12, "damaged"),
    (b"size=99999999999999999999\n", b"%011o\0" % 3, "damaged"),
])
def test_files_of_8_gib_and_more_have_their_size_elsewhere(program, tmp_path, extension, field, why):
    """The size of a large file is in its pax header, or a number in bytes; the archive is cut in it."""
    pax = b""
    if extension:
        record = b"%d %s" % (len(extension) + 3, extension)
        pax = header(b"pax", b"%011o\0" % len(record), b"x") + blocks(record)
    small = b'{"schema":"profrender/run/1","name":"large"}'
    path = tmp_path / "run.tar"
    path.write_bytes(header(b"run.json", b"%011o\0" % len(small)) + blocks(small) + pax + header(b"core", field) +
                     b"not 9 GiB")
    answer = program("info", path)
    assert why in answer.out + answer.err


def test_the_size_of_a_pax_header_counts_instead_of_that_of_the_file(program, tmp_path):
    small = b'{"schema":"profrender/run/1","name":"sized by pax"}'
    record = b"11 size=%02d\n" % len(small)
    path = tmp_path / "run.tar"
    path.write_bytes(header(b"pax", b"%011o\0" % len(record), b"x") + blocks(record) +
                     header(b"run.json", b"%011o\0" % 0) + blocks(small) +
                     header(b"stderr.log", b"%011o\0" % 3) + blocks(b"x\ny") + bytes(1024))
    answer = program("info", path)
    assert answer.status == 0 and f"{len(small) + 3} bytes" in answer.out and "Complete              yes" in answer.out


def test_notes_are_closed_and_show_their_first_words(program, run):
    (run / "notes.md").write_text("# Third night\n\nThe *feature* table moved.\n")
    page = program("card", run, "-o", "-").out
    section = page[page.index("<section class='panel notes'"):]
    section = section[:section.index("</section>")]
    assert "<details><summary><h2 id='h-notes'>Notes</h2> <span class='teaser'>Third night: The feature" in section
    assert "<div class='md'>\n<h3>Third night</h3>\n<p>The <em>feature</em> table moved.</p>\n" in section


@pytest.mark.parametrize("has_rss", [False, True])
def test_what_else_runs_in_the_cgroup_is_not_the_peak_of_a_short_run(program, tmp_path, has_rss):
    """A run of a millisecond ends before its memory is sampled; that of its cgroup, which has no limit, is."""
    sample = {"ts": 0.001, "nproc": 0, "cg_mem_mb": 2000, **({"rss_mb": 0.5} if has_rss else {})}
    lines = [{"type": "start", "version": 1, "t": 1795249143.5, "argv": ["true"], "pid": 1, "interval": 1, "ncpu": 2},
             {**sample, "ts": 0}, sample,
             {"type": "end", "t": 1795249143.502, "wall": 0.002, "exit": 0, "signal": None, "core": False,
              "rusage": {"utime": 0.001, "stime": 0, "maxrss_kb": 1112, "majflt": 0, "inblock": 0, "oublock": 0}}]
    (tmp_path / "timeline.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    page = program("card", tmp_path, "-o", "-").out
    figures = page[:page.index("<h2 id='h-time'")] if "<h2 id='h-time'" in page else page
    assert ("Peak memory" if has_rss else "Largest process") in figures and "1.09" in figures
    assert "1.95" not in figures
