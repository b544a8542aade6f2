# SPDX-License-Identifier: Apache-2.0
"""Files that the program writes: their names and permissions, complete or absent; pipes and closed descriptors."""
import json
import os
import resource
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
DEMO = SAMPLES / "daily-sales.bin"
SMALL = SAMPLES / "leaky-py3.12-memray1.19.3-aggregate.bin"
CUT = SAMPLES / "json_dict-py3.12-memray1.20.0-nocompress+cut-most.bin"
LIMIT_S = 120


def listing(folder):
    return sorted(path.name for path in folder.iterdir())


# ---- names and rights ------------------------------------------------------------------------------------------------


@pytest.mark.sweep
@pytest.mark.parametrize("name, page", [
    ("run.bin", "run.html"),
    ("run.bin.zst", "run.html"),
    ("job.memray", "job.memray.html"),
    ("a.bin.123", "a.bin.123.html"),
    (".bin", ".bin.html"),
])
def test_a_card_is_called_after_its_capture(name, page, program, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_bytes(SMALL.read_bytes())
    done = program("card", f"in/{name}", cwd=tmp_path)
    assert (done.status, done.out, done.err) == (0, "", "")
    assert listing(tmp_path) == sorted(["in", page])


def test_a_card_of_standard_input_goes_to_a_pipe(program, tmp_path):
    done = program("card", "-", input=SMALL.read_bytes(), cwd=tmp_path)
    assert done.status == 0
    assert done.out.startswith("<!doctype html>")


@pytest.fixture
def want(program):
    """What `export` of SMALL writes to standard output."""
    return program("export", SMALL).bytes


def test_a_new_file_has_the_rights_of_the_umask_and_what_standard_output_gets(want, program, tmp_path):
    target = tmp_path / "out.json"
    program("export", SMALL, "-o", target, preexec_fn=lambda: os.umask(0o027))
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert target.read_bytes() == want


@pytest.fixture
def old(tmp_path):
    """An existing file with its own permissions."""
    (tmp_path / "place").mkdir()
    target = tmp_path / "place/out.json"
    target.write_bytes(b"old")
    target.chmod(0o604)
    return target


def test_through_a_link_the_target_is_replaced_with_its_rights(old, want, program):
    link = old.with_name("link")
    link.symlink_to("out.json")
    program("export", SMALL, "-o", link)
    assert old.read_bytes() == want
    assert stat.S_IMODE(old.stat().st_mode) == 0o604
    assert link.is_symlink()


def test_on_a_full_disk_the_old_file_stays_and_nothing_else(old, program):
    done = program("export", DEMO, "-o", old,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
    assert done.status == 4
    assert done.err.count("\n") == 1
    assert old.read_bytes() == b"old"
    assert listing(old.parent) == ["out.json"]


def test_an_input_that_is_not_there_leaves_the_old_file(old, program):
    assert program("card", old.with_name("nothing.bin"), "-o", old).status == 3
    assert old.read_bytes() == b"old"


def test_an_output_that_is_the_input_by_another_name_is_refused(program, tmp_path):
    (tmp_path / "same").write_bytes(SMALL.read_bytes())
    os.link(tmp_path / "same", tmp_path / "same2")
    assert program("card", tmp_path / "same", "-o", tmp_path / "same2").status == 2


# ---- interruption ----------------------------------------------------------------------------------------------------


def default_signals():
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "interrupted"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def allocated(program):
    return program("export", DEMO, "--view", "allocated").bytes


@pytest.mark.parametrize("attempt", range(24))
def test_an_interrupted_command_leaves_no_half_of_a_file(attempt, allocated, place, program):
    """Whenever the signal comes, the file is complete or absent."""
    target = place / "out.json"
    command = [program.path, "export", DEMO, "--view", "allocated", "-o", target]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=default_signals)
    deadline = time.monotonic() + 10
    while not listing(place) and process.poll() is None and time.monotonic() < deadline:
        pass
    time.sleep(attempt % 6 * 0.002)
    process.send_signal(signal.SIGINT if attempt % 2 else signal.SIGTERM)
    process.communicate(timeout=LIMIT_S)
    assert listing(place) in ([], ["out.json"]), f"status {process.returncode}"
    whole = not target.exists() or target.read_bytes() == allocated
    assert whole, f"status {process.returncode}"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_in_the_middle_ends_the_program_as_a_signal(number, place, program):
    process = subprocess.Popen([program.path, "export", "-", "-o", place / "out.json"], stdin=subprocess.PIPE,
                               preexec_fn=default_signals)
    process.stdin.write(DEMO.read_bytes()[:-1])
    process.stdin.flush()
    process.send_signal(number)
    ended = process.wait(LIMIT_S)
    process.stdin.close()
    assert ended == -number
    assert not listing(place)


# ---- pipes and descriptors -------------------------------------------------------------------------------------------


def shell(script, name="sh"):
    done = subprocess.run([name, "-c", script], capture_output=True, timeout=LIMIT_S)
    return done.returncode, done.stdout, done.stderr


def test_a_reader_that_has_seen_enough_is_no_error(program):
    script = f"set -o pipefail; '{program.path}' export '{DEMO}' --view allocated | head -c 100 >/dev/null"
    assert shell(script, "bash") == (0, b"", b"")


def test_a_closed_standard_output_is_an_error(program):
    status, _, said = shell(f"'{program.path}' stats '{DEMO}' >&-")
    assert status == 4
    assert b"cannot write" in said


def test_with_all_descriptors_closed_no_message_lands_in_the_page(program, tmp_path):
    page = tmp_path / "closed.html"
    status, _, _ = shell(f"'{program.path}' card '{CUT}' -o '{page}' <&- >&- 2>&-")
    assert status == 0
    same = page.read_bytes() == program("card", CUT, "-o", "-").bytes
    assert same


@pytest.mark.parametrize("packing", ["raw", "gzip"])
def test_a_pipe_gives_the_same_bytes(packing, program):
    data = DEMO.read_bytes()
    if packing == "gzip":
        data = subprocess.run(["gzip", "-c", DEMO], capture_output=True, check=True).stdout
    same = program("export", "-", input=data).bytes == program("export", DEMO).bytes
    assert same


def test_what_follows_the_end_mark_is_read_from_a_pipe_and_part_of_the_size(program, tmp_path):
    padded = next(SAMPLES.glob("*nocompress.bin")).read_bytes() + bytes(1 << 20)  # more than a pipe holds
    path = tmp_path / "padded.bin"
    path.write_bytes(padded)
    status, out, said = shell(f"set -o pipefail; cat '{path}' | '{program.path}' info --json -", "bash")
    assert status == 0, said
    assert json.loads(out)["size_bytes"] == len(padded)
