# SPDX-License-Identifier: Apache-2.0
"""An output is complete or absent, never replaces an input, and nothing of an unfinished one stays."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

RUN = '{"schema": "profrender/run/1"}'


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "run.json").write_text(RUN)
    (folder / "a.folded").write_text("main;f 1\n")
    return folder


def makers(source):
    return [["card", "-q", source], ["digest", "-q", source], ["export", "-q", source], ["info", source],
            ["table", source]]


def test_a_link_to_nothing_is_refused(program, samples, tmp_path):
    (tmp_path / "d.html").symlink_to("nowhere.html")
    (tmp_path / "loop").symlink_to("loop")
    for words in makers(samples / "daily-sales.bin"):
        for name in ("d.html", "loop"):
            done = program(*words, "-o", tmp_path / name)
            assert done.status == 4
            assert (tmp_path / name).is_symlink() and not (tmp_path / "nowhere.html").exists()
    assert "it is a link to a file that does not exist" in program("info", samples / "daily-sales.bin", "-o",
                                                                   tmp_path / "d.html").err


@pytest.mark.parametrize("spelling", ["run/a.folded", "run/../run/a.folded", "hard", "link", "run//run.json",
                                      "run/hard.html"])
def test_a_file_of_the_run_is_not_written_over(program, run, tmp_path, spelling):
    os.link(run / "a.folded", tmp_path / "hard")
    os.link(run / "a.folded", run / "hard.html")
    (tmp_path / "link").symlink_to("run/a.folded")
    for words in makers(run):
        done = program(*words, "-o", f"{tmp_path}/{spelling}")
        assert done.status == 2
        assert "is a file of the input" in done.err
    done = program("check", run, "--max-peak", "1", "--report", f"json={tmp_path}/{spelling}")
    assert done.status == 2
    assert (run / "a.folded").read_text() == "main;f 1\n" and (run / "run.json").read_text() == RUN


def test_pages_in_the_folder_of_a_run_are_made_again(program, run):
    for _ in range(2):
        assert program("card", run, "-o", run / "card.html").status == 0


def test_standard_input_is_not_written_over(program, run):
    with open(run / "a.folded") as file:
        assert program("info", "-", "-o", run / "a.folded", stdin=file).status == 2


def test_a_missing_folder_is_named(program, samples, tmp_path):
    done = program("info", samples / "daily-sales.bin", "-o", tmp_path / "here/no/such/x")
    assert done.status == 4
    assert done.err == (f"profrender: cannot write {tmp_path}/here/no/such/x: "
                        f"the folder {tmp_path}/here does not exist\n")


def test_an_output_replaces_a_file_and_keeps_its_rights_and_links(program, samples, tmp_path):
    target = tmp_path / "t.html"
    target.write_text("old")
    target.chmod(0o640)
    (tmp_path / "l.html").symlink_to("t.html")
    assert program("card", samples / "daily-sales.bin", "-o", tmp_path / "l.html").status == 0
    assert (tmp_path / "l.html").is_symlink() and target.stat().st_mode & 0o777 == 0o640
    assert target.read_text().endswith("</html>\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.html", "t.html"]


# The folder is looked through for what was left in it, and then asked for a nameless file.
@pytest.mark.parametrize("fault", ["openat:error=EOPNOTSUPP:when=1..2", "linkat:error=EPERM:when=1",
                                   "linkat:error=EXDEV:when=1"])
@pytest.mark.parametrize("exists", [False, True])
def test_without_nameless_files_an_output_is_whole_as_well(program, samples, tmp_path, fault, exists):
    """Some file systems have none, and in some containers they cannot be given a name."""
    strace = shutil.which("strace")
    if not strace:
        pytest.skip("there is no strace")
    folder = tmp_path / "out"
    folder.mkdir()
    if exists:
        (folder / "t.html").write_text("old")
    call, _, _ = fault.partition(":")
    only = ["-P", folder] if call == "openat" else []
    done = subprocess.run([strace, "-f", "-qq", "-o", tmp_path / "calls", *only, "-e", f"trace={call}", "-e",
                           f"inject={fault}", program.path, "card", "-q", samples / "daily-sales.bin", "-o",
                           folder / "t.html"], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    failed = [line for line in (tmp_path / "calls").read_text().splitlines() if "INJECTED" in line]
    assert any("O_TMPFILE" in line or call == "linkat" for line in failed)
    assert [path.name for path in folder.iterdir()] == ["t.html"]
    assert (folder / "t.html").read_text().endswith("</html>\n")
    assert (folder / "t.html").stat().st_mode & 0o777 == 0o644


def is_writing(process, folder):
    """Whether the process has an unfinished file open in the folder, with a name or without one."""
    try:
        for number in os.listdir(f"/proc/{process.pid}/fd"):
            target = os.readlink(f"/proc/{process.pid}/fd/{number}")
            if target.startswith(f"{folder}/"):
                return True
    except OSError:
        pass
    return False


@pytest.mark.parametrize("exists", [False, True])
def test_a_kill_while_it_writes_leaves_nothing(program, samples, tmp_path, exists):
    """What replaces a file has a name for the moment between two system calls: then it is complete."""
    target, caught, named = tmp_path / "c.html", 0, 0
    for _ in range(200):
        if exists:
            target.write_text("old")
        process = subprocess.Popen([program.path, "card", "-q", samples / "daily-sales.bin", "-o", target])
        while process.poll() is None:
            if is_writing(process, tmp_path):
                process.send_signal(signal.SIGKILL)
                break
        caught += process.wait() == -signal.SIGKILL
        for left in tmp_path.glob(".*"):
            assert exists and left.read_text().endswith("</html>\n"), left
            left.unlink()
            named += 1
        text = target.read_text() if target.exists() else ""
        assert text in ("", "old") or text.endswith("</html>\n")
        target.unlink(missing_ok=True)
        if caught == 20:
            break
    assert caught and named <= 2


def test_what_a_kill_left_is_removed_and_nothing_else(program, samples, tmp_path):
    old = time.time() - 3600
    names = [".profrender-aB3xYz", ".profrender-locked", ".profrender-young1", ".profrender-toolong1", ".profrender-",
             ".profrender-a.b.cd", "profrender-aB3xYz"]
    for name in names:
        (tmp_path / name).write_text("x")
        os.utime(tmp_path / name, (old, old) if "young" not in name else None)
    (tmp_path / ".profrender-linked").symlink_to("names")
    os.link(tmp_path / "profrender-aB3xYz", tmp_path / ".profrender-hardly")
    with open(tmp_path / ".profrender-locked") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert program("info", samples / "daily-sales.bin", "-o", tmp_path / "x").status == 0
    left = {path.name for path in tmp_path.iterdir()} - {"x"}
    assert left == {*names, ".profrender-linked", ".profrender-hardly"} - {".profrender-aB3xYz"}


def test_a_page_that_cannot_be_smaller_says_so(program, samples, tmp_path):
    done = program("card", samples / "daily-sales.bin", "-o", tmp_path / "c.html", "--max-size", "10kB")
    assert done.status == 0
    assert re.search(r"the page is \S+ KiB: it cannot be smaller", done.err)
    assert "cannot be smaller" not in program("card", samples / "daily-sales.bin", "-o", tmp_path / "c.html").err


@pytest.mark.parametrize("command", [["export"], ["card", "-o", "-"], ["table", "--json"]])
def test_a_pipe_that_does_not_block_gets_all_of_it(program, samples, command):
    """Some programs hand their own pipe down; node and some runners of pipelines have made it non-blocking."""
    name, *options = command
    whole = subprocess.run([program.path, name, samples / "daily-sales.bin", *options], capture_output=True, check=True)
    read_end, write_end = os.pipe()
    fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(write_end, False)
    with subprocess.Popen([program.path, name, samples / "daily-sales.bin", *options], stdout=write_end,
                          stderr=subprocess.PIPE) as running, open(read_end, "rb") as pipe:
        os.close(write_end)
        time.sleep(0.3)  # the pipe is full long before
        assert pipe.read() == whole.stdout
        assert running.stderr.read() == b""
    assert running.returncode == 0
