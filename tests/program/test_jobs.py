# SPDX-License-Identifier: Apache-2.0
"""Several inputs are read at once, and one by several threads: nothing that is written depends on how many."""

import itertools
import os
import resource
import shutil
import subprocess
import threading

import pytest

JOBS = ["1", "2", "3", "8", "100"]


@pytest.fixture
def captures(samples, tmp_path):
    """Captures of one program and others, large and small, one that is cut."""
    return [samples / name for name in (
        "daily-sales.bin", "json_dict-py3.12-memray1.20.0-default+cut-half.bin",
        "json_dict-py3.13-memray1.18.0-default.bin", "threads_named-py3.13-memray1.20.0-default.bin",
        "leaky-py3.12-memray1.19.3-aggregate.bin", "unicode_names-py3.12-memray1.20.0-default.bin")]


def answer(program, *words):
    done = program(*words)
    return done.status, done.bytes, done.err


@pytest.mark.sweep
@pytest.mark.parametrize("command", [
    ("merge", "-o", "-"), ("digest", "-o", "-"), ("card", "-o", "-"), ("stats", "--json"), ("table",), ("tree",),
    ("summary",), ("explain",), ("export", "--view", "leaks"), ("merge", "-o", "-", "--redact", "names"),
], ids=" ".join)
def test_the_same_bytes_and_messages_whatever_is_read_at_once(program, captures, tmp_path, command):
    (tmp_path / "key").write_bytes(b"sixteen bytes or more")
    key = ["--redact-key", tmp_path / "key"] if "--redact" in command else []
    alone = answer(program, *command, *key, *captures, "--jobs", "1")
    assert alone[0] == 0 and alone[1]
    for jobs in JOBS[1:]:
        assert answer(program, *command, *key, *captures, "-j", jobs) == alone
    assert answer(program, *command, *key, *captures) == alone


def assert_the_same_by(program, path, numbers):
    """A digest has all that is read of a capture."""
    alone = answer(program, "digest", path, "-o", "-", "--jobs", "1")
    for number in numbers:
        assert answer(program, "digest", path, "-o", "-", "--jobs", number) == alone, (path, number)


def test_the_same_bytes_by_any_number_of_threads(program, samples):
    for path in sorted(samples.glob("*.bin")):
        assert_the_same_by(program, path, ["2", "3", "8"])


@pytest.mark.sweep
def test_every_capture_is_the_same_by_more_threads_than_one(program, shared):
    numbers = itertools.cycle(["3", "2"])
    for path in sorted((shared / "memray").glob("*.bin")):
        assert_the_same_by(program, path, [next(numbers)])


@pytest.mark.parametrize("command", [
    ("card", "-o", "-"), ("stats", "--json"), ("explain", "--json"), ("table", "--leaks"), ("tree", "--json"),
    ("export", "--view", "temporal-leaks"),
], ids=" ".join)
def test_what_is_made_of_one_capture_is_the_same_by_any_number_of_threads(program, samples, command):
    for name in ("daily-sales.bin", "json_dict-py3.12-memray1.20.0-default+cut-half.bin"):
        alone = answer(program, *command, samples / name, "--jobs", "1")
        assert alone[1]
        for number in ("2", "3", "8"):
            assert answer(program, *command, samples / name, "-j", number) == alone


def test_threads_that_cannot_be_started_are_not_missed(program, samples, root, tmp_path):
    """What they would have done is done by those that there are."""
    library = tmp_path / "few_threads.so"
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, "-fPIC", "-shared", "-o", library, root / "tests/support/preload/few_threads.c"],
                   check=True)
    if program("--version", env={**os.environ, "LD_PRELOAD": str(library)}).status:
        pytest.skip("a sanitizer's threads cannot be replaced")
    capture = samples / "daily-sales.bin"
    words = ("digest", capture, "-o", "-", "--jobs")
    expected = answer(program, *words, "1")
    for most in range(3):
        few = {**os.environ, "LD_PRELOAD": str(library), "FEW_THREADS": str(most)}
        done = program(*words, "3", env=few)
        assert (done.status, done.bytes, done.err) == expected, most


def test_the_first_input_that_cannot_be_read_is_the_one_that_is_named(program, captures, tmp_path):
    (tmp_path / "empty.bin").touch()
    files = [captures[0], tmp_path / "missing.bin", tmp_path / "empty.bin", *captures[1:]]
    for jobs in JOBS:
        done = program("merge", *files, "-o", tmp_path / "sum.prz", "--jobs", jobs)
        assert done.status == 3 and "missing.bin" in done.err and "empty.bin" not in done.err
        assert not (tmp_path / "sum.prz").exists()
        done = program("merge", "--skip-unreadable", *files, "-o", "-", "--jobs", jobs)
        assert done.status == 0
        assert done.err.index("missing.bin") < done.err.index("empty.bin") < done.err.index("cut-half")
        assert "the sum covers 6 of 8 inputs" in done.err


def test_a_pipe_is_read_when_its_turn_comes(program, captures, tmp_path):
    """Whoever writes to it may wait for what is before it; and after an error nothing waits for the pipe."""
    os.mkfifo(tmp_path / "pipe")
    expected = program("merge", captures[0], captures[2], "-o", "-", "--jobs", "1").bytes

    def write():
        with open(captures[2], "rb") as source, open(tmp_path / "pipe", "wb") as pipe:
            shutil.copyfileobj(source, pipe)

    for jobs in JOBS:
        writer = threading.Thread(target=write)
        writer.start()
        assert program("merge", captures[0], tmp_path / "pipe", "-o", "-", "--jobs", jobs).bytes == expected
        writer.join()
        assert program("merge", tmp_path / "missing.bin", tmp_path / "pipe", "-o", "-", "--jobs", jobs,
                       timeout=60).status == 3


@pytest.mark.parametrize("command", [
    ("diff",), ("diff", "--json"), ("diff", "--format", "html", "-o", "-"), ("diff", "--window", "0:1"),
    ("grew",), ("grew", "--json"), ("grew", "--by", "path"),
], ids=" ".join)
def test_what_is_compared_is_the_same_whatever_is_read_at_once(program, captures, command):
    for files in (captures[1:3], captures[3:0:-2], [captures[0], captures[0]], captures[:1] + captures[2:]):
        files = files[:2] if command[0] == "diff" else files
        alone = answer(program, *command, *files, "--jobs", "1")
        assert alone[1] or alone[2]
        for jobs in ("2", "4"):
            assert answer(program, *command, *files, "-j", jobs) == alone
        assert answer(program, *command, *files) == alone


@pytest.mark.parametrize("command", ["diff", "grew"])
def test_what_is_compared_is_named_in_its_order_if_it_cannot_be_read(program, captures, tmp_path, command):
    """The last input is read first, as its names are the ones that are shown."""
    (tmp_path / "empty.bin").touch()
    for jobs in JOBS:
        done = program(command, tmp_path / "missing.bin", tmp_path / "empty.bin", "--jobs", jobs)
        assert done.status == 3 and "empty.bin" in done.err and "missing.bin" not in done.err
        done = program(command, tmp_path / "missing.bin", captures[1], "--jobs", jobs)
        assert done.status == 3 and done.err.index("cut-half") < done.err.index("missing.bin")


def test_growth_over_many_inputs(program, captures, tmp_path):
    """Their names had room for 64, and were written behind it."""
    places = []
    for i in range(4000):
        places.append(f"{i}.folded")
        (tmp_path / places[-1]).write_text(f"main (m.py:1);grows (m.py:2) {100 + i * 10}\n")
    done = program("grew", *places, "--json", cwd=tmp_path)
    assert done.status == 0, done.err
    assert all(f'"{name}"' in done.out for name in places)


def test_many_inputs(program, captures, tmp_path):
    files = []
    for i in range(40):
        files.append(tmp_path / f"{i}.bin")
        shutil.copy(captures[2 + i % 4], files[-1])
    alone = answer(program, "merge", *files, "-o", "-", "-j", "1")
    assert alone[0] == 0
    for jobs in JOBS[1:]:
        assert answer(program, "merge", *files, "-o", "-", "-j", jobs) == alone


@pytest.fixture
def run_folder(captures, samples, tmp_path):
    """A run of several processes, with what else may lie in its folder: a link, a pipe, a folder, a page, nothing."""
    folder = tmp_path / "run"
    shutil.copytree(samples / "nightly", folder)
    for i, path in enumerate(captures):
        shutil.copy(path, folder / f"worker-{i}.bin")
    (folder / "empty.bin").touch()
    (folder / "unknown.dat").write_bytes(b"\x01\x02 nobody knows" * 9)
    (folder / "link.bin").symlink_to(captures[0])
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    return folder


@pytest.mark.parametrize("command", [
    ("card", "-o", "-"), ("stats", "--json"), ("explain", "--json"), ("digest", "-o", "-"),
], ids=" ".join)
def test_a_run_is_the_same_however_many_of_its_files_are_read_at_once(program, run_folder, command):
    alone = answer(program, *command, run_folder, "--jobs", "1")
    assert alone[1]
    for jobs in JOBS[1:]:
        assert answer(program, *command, run_folder, "-j", jobs) == alone
    assert answer(program, *command, run_folder) == alone


@pytest.mark.sweep
def test_files_of_a_run_share_what_may_be_unpacked_in_their_order(program, run_folder):
    """The file that goes over the limit is the same one, and so are the bytes that the message counts."""
    for i in range(8):
        path = run_folder / f"zeros-{i}.folded"
        path.write_text("main;work 1\n" * 300_000)
        subprocess.run(["zstd", "-q", "-19", "--rm", path], check=True)
    named = set()
    for limit in ("1MB", "5MB", "9MB", "20MB", "40MB"):
        alone = answer(program, "stats", run_folder, "--max-unpacked", limit, "--jobs", "1")
        named.add(alone[2])
        for jobs in ("2", "8"):
            assert answer(program, "stats", run_folder, "--max-unpacked", limit, "-j", jobs) == alone
    assert len(named) > 3


@pytest.mark.sweep
def test_a_run_is_read_with_few_files_open(program, run_folder):
    """Several files at once need more than one after the other has; then they are read in their turn."""
    for most in range(4, 12):
        alone, many = (program("stats", "--json", run_folder, "-j", jobs, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (most, most))) for jobs in ("1", "8"))
        assert (many.status, many.bytes, many.err) == (alone.status, alone.bytes, alone.err), most


@pytest.fixture
def nightly(captures, tmp_path):
    """A folder of baselines with what is left out of such: a README, a capture cut short, a run that is there twice."""
    folder = tmp_path / "nightly"
    folder.mkdir()
    for i, path in enumerate([captures[2], captures[5], captures[3], captures[2], captures[1], captures[0]]):
        shutil.copy(path, folder / f"{i}.bin")
    (folder / "README.md").write_text("# Nightly runs\n")
    return folder


@pytest.mark.parametrize("kind", ["--baseline", "--history"])
def test_a_check_says_the_same_whatever_is_read_at_once(program, captures, nightly, kind):
    for more in (["--allow-incomplete"], [], ["--functions", "--json", "--allow-incomplete"]):
        for inputs in ([captures[2]], [captures[2], captures[3]]):
            alone = answer(program, "check", *inputs, kind, nightly, *more, "-j", "1")
            assert alone[1] or alone[2]
            for jobs in ("2", "8"):
                assert answer(program, "check", *inputs, kind, nightly, *more, "-j", jobs) == alone


def test_the_first_baseline_that_cannot_be_read_is_the_one_that_is_named(program, captures, nightly, tmp_path):
    (tmp_path / "empty.bin").touch()
    named = ["--baseline", nightly / "0.bin", "--baseline", tmp_path / "empty.bin", "--baseline", nightly / "README.md"]
    for jobs in JOBS:
        done = program("check", captures[2], *named, "--jobs", jobs)
        assert done.status == 3 and "empty.bin" in done.err and "README" not in done.err
        done = program("check", tmp_path / "empty.bin", *named, "--jobs", jobs)
        assert done.status == 3 and done.err.count("empty.bin") == 1 and "README" not in done.err
