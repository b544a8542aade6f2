# SPDX-License-Identifier: Apache-2.0
"""What is kept of a command, under which names, where the folder is, and what is left out."""

import os
import resource
import subprocess
import sys
from pathlib import Path
from shlex import quote

import pytest
from recording import LIMIT_S, PROGRAM, Run, command_line, record

# ---- folders ---------------------------------------------------------------------------------------------------------


def test_a_folder_is_used_again_what_was_recorded_is_replaced_and_notes_stay(folder):
    record(folder, "sh", "-c", "echo one >&2")
    (folder / "notes.md").write_text("kept")
    run = record(folder, "true")
    assert not run.text("stderr.log")
    assert run.text("notes.md") == "kept"


def test_folders_on_the_way_are_made(folder):
    assert record(folder / "a" / "b", "true").end


def test_without_a_name_the_folder_has_time_and_command_in_it(tmp_path):
    done = subprocess.run([PROGRAM, "record", "true"], cwd=tmp_path, capture_output=True, text=True)
    made = [path.name for path in tmp_path.iterdir() if path.name.startswith("run-")]
    assert len(made) == 1, done.stderr
    assert made[0].endswith("-true")
    assert made[0] in done.stderr


def test_a_folder_that_cannot_be_made_costs_the_record_only():
    run = record(Path("/proc/no-such-folder"), "sh", "-c", "exit 6")
    assert run.status == 6
    assert not run.start
    assert b"cannot record into" in run.err


def test_a_current_folder_that_is_gone(folder):
    gone = ('import os, sys, tempfile\nd = tempfile.mkdtemp(); os.chdir(d); os.rmdir(d)\n'
            'os.execv(sys.argv[1], sys.argv[1:])')
    line = command_line(folder, "sh", "-c", "exit 8")
    done = subprocess.run([sys.executable, "-c", gone, *line], capture_output=True, timeout=LIMIT_S)
    assert done.returncode == 8, done.stderr
    assert Run(folder).start["cwd"] is None


@pytest.fixture
def small_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("no rights to mount a small disk")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_on_a_full_disk_the_command_ends_as_it_would_and_the_run_can_be_read(small_disk):
    full = f"while [ $(stat -f -c %f {quote(str(small_disk))}) -gt 0 ]; do sleep 0.05; done; sleep 0.5; exit 9"
    run = record(small_disk / "run", "sh", "-c", full, options=["--interval", "0.01"])
    assert run.status == 9
    assert run.start
    assert 5 < len(run.samples) < (16 << 10) / 80  # the least that one takes
    assert b"No space left" in run.err


# ---- words and streams -----------------------------------------------------------------------------------------------


@pytest.fixture
def secret(folder):
    return record(folder, "sh", "-c", "echo 'password: hunter2' >&2", "--token", "hunter2", "a b", "", b"\xff\xfe")


def test_secrets_are_nowhere_in_the_run_and_pass_through_untouched(secret):
    kept = "".join(secret.text(name) for name in ("timeline.jsonl", "run.json", "stderr.log"))
    assert "hunter2" not in kept
    assert kept.count("[redacted]") >= 4, kept
    assert secret.err == b"password: hunter2\n"


def test_words_stay_words(secret):
    assert secret.start["argv"][3:] == ["--token", "[redacted]", "a b", "", "\ufffd\ufffd"]


def test_a_huge_command_line_is_cut_in_the_record_only(folder):
    run = record(folder, "true", *["x" * 1000] * 1500)
    assert run.status == 0, run.err
    assert len(run.text("timeline.jsonl")) < 100000
    assert run.start["argv"][-1].endswith("more")


def test_of_much_stderr_the_end_is_kept_from_the_beginning_of_a_line(folder):
    loud = "import os\nfor i in range(3000): os.write(2, b'%06d ' % i + b'x' * 93 + b'\\n')"
    run = record(folder, sys.executable, "-c", loud)
    log = run.text("stderr.log")
    assert len(run.err) == 303000
    assert 60000 < len(log) <= 65536
    assert log[6] == " "
    end = run.err.decode().endswith(log)
    assert end


def test_what_is_left_of_a_cut_value_is_not_kept(folder):
    """Of one line, longer than what is kept, the beginning is gone: with it the name that says what the value is."""
    write = """import sys; sys.stderr.write("password=" + "y" * 200000 + "s3cret,n=2")"""
    run = record(folder, sys.executable, "-c", write, options=("--stderr", "always"))
    log = run.text("stderr.log")
    assert log == "n=2"


def test_a_dash_is_a_command_like_others(folder, program):
    assert program("record", "-q", "-o", folder, "-", "cat", input=b"through").status == 127


def test_stdin_is_that_of_the_command(folder, program):
    done = program("record", "-q", "-o", folder, "sh", "-c", "cat; exit 3", input=b"through")
    assert (done.status, done.out) == (3, "through")


# ---- names -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def clean():
    """The environment without a scheduler's names."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("AIRFLOW_", "GITHUB_", "CI_", "SLURM_"))}


def test_names_come_from_options_then_from_the_scheduler(clean, folder):
    airflow = {**clean, "AIRFLOW_CTX_DAG_ID": "sales", "AIRFLOW_CTX_DAG_RUN_ID": "manual__1",
               "AIRFLOW_CTX_TASK_ID": "load", "AIRFLOW_CTX_TRY_NUMBER": "2"}
    about = record(folder, "true", env=airflow, options=["--task", "mine", "--name", "Nightly"]).about
    wanted = {"name": "Nightly", "flow": "sales", "run": "manual__1", "task": "mine", "attempt": 2}
    assert {name: about.get(name) for name in wanted} == wanted


def test_a_run_on_its_own_is_called_by_its_command(clean, folder):
    about = record(folder, "true", env=clean).about
    assert set(about) == {"schema", "name", "recorder", "start_ms", "end_ms", "files"}
    assert about["name"] == "true"


# ---- limits ----------------------------------------------------------------------------------------------------------


def test_the_limit_of_the_address_space_is_kept_and_said_of_a_failure(folder):
    """A MemoryError far below the machine's memory is a riddle without it."""
    limit = 3 << 30
    set_limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))  # noqa: E731
    if subprocess.run([PROGRAM, "--version"], capture_output=True, preexec_fn=set_limit).returncode:
        pytest.skip("this program needs more addresses: a sanitizer's does")
    command = [PROGRAM, "record", "-q", "-o", folder, "--", sys.executable, "-c", f"bytearray({limit})"]
    done = subprocess.run(command, capture_output=True, timeout=LIMIT_S, preexec_fn=set_limit)
    assert done.returncode == 1, done.stderr
    assert Run(folder).start["limits"]["address_space_max"] == limit
    said = subprocess.run([PROGRAM, "info", folder], capture_output=True, text=True, check=True).stdout
    assert "Each process could map at most 3.00 GiB (ulimit -v)." in said


def test_without_a_limit_of_the_address_space_nothing_is_said_of_one(folder):
    run = record(folder, "false")
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        pytest.skip("this machine has one")
    assert run.start["limits"]["address_space_max"] is None
    assert "could map" not in subprocess.run([PROGRAM, "info", folder], capture_output=True, text=True).stdout


# What is resident is split at thorough samples only, which are the rarer the more they cost: the process waits for two
# that began when its memory was there.
SPLIT_OF_ITSELF = """
import mmap, sys, time
x = bytearray(64 << 20)
y = mmap.mmap(-1, 32 << 20)
y[:] = bytes(32 << 20)
names = ("RssAnon:", "RssFile:", "RssShmem:")
with open("/proc/self/status") as status:
    print(*(int(line.split()[1]) for line in status if line.startswith(names)), file=sys.stderr)
with open(sys.argv[1]) as timeline:
    timeline.seek(0, 2)
    after, end = "", time.monotonic() + 60
    while after.count("rss_shmem_mb") < 2 and time.monotonic() < end:
        time.sleep(0.05)
        after += timeline.read()
"""


def test_resident_memory_is_split_into_its_own_files_and_shared(folder):
    """As the kernel tells the process itself."""
    timeline = folder / "timeline.jsonl"
    run = record(folder, sys.executable, "-c", SPLIT_OF_ITSELF, timeline, options=("--interval", "0.1"))
    split = [sample for sample in run.samples if "rss_anon_mb" in sample]
    assert split
    own, files, shared = (int(kib) / 1024 for kib in run.text("stderr.log").split())
    assert shared > 0
    assert abs(run.highest("rss_shmem_mb") - shared) < 1
    assert run.highest("rss_anon_mb") > own - 1  # the bytes that were copied were there too, for a moment
    assert run.highest("rss_file_mb") > files - 1
    # Nothing changed any more at one of the last two.
    apart = [abs(sample["rss_anon_mb"] + sample["rss_file_mb"] + sample["rss_shmem_mb"] - sample["rss_mb"])
             for sample in split[-2:]]
    assert min(apart) < 1
