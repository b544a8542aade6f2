# SPDX-License-Identifier: Apache-2.0
"""The folder of a run: who may read it, what may be replaced in it, and that we never write through a link."""

import json
import os
import shlex
import stat
import subprocess
import sys

import pytest

RECORDED = ["timeline.jsonl", "run.json", "stderr.log", "memray.bin", "cpu.speedscope.json", "cpu.mojo",
            "cpu.perf.txt", "cpu.perf.data"]


def record(program, folder, *words, options=(), **how):
    return program("record", "-q", "--stderr", "always", "-o", folder, *options, "--", *words, **how)


def in_shell(program, folder, command, redirection, cwd):
    """As a user types it: the shell opens the file before the recorder begins."""
    line = f"{shlex.quote(str(program.path))} record -q -o {folder} -- {command} {redirection}"
    return subprocess.run(["bash", "-c", line], cwd=cwd, capture_output=True, text=True)


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


def lines_of(path):
    return path.read_text().splitlines()


# ---- existing contents ----------------------------------------------------------------------------------------------


def test_a_log_that_the_shell_opened_in_the_folder_is_kept_whole(program, tmp_path):
    (tmp_path / "run").mkdir()
    done = in_shell(program, "run", "bash -c 'for i in $(seq 20000); do echo line $i >&2; done'", "2> run/stderr.log",
                    tmp_path)
    assert done.returncode == 0
    assert lines_of(tmp_path / "run/stderr.log") == [f"line {i}" for i in range(1, 20001)]
    assert json.loads(lines_of(tmp_path / "run/timeline.jsonl")[-1])["stderr_tail"].endswith("line 20000\n")


def test_it_is_kept_next_to_an_earlier_run_too(program, tmp_path):
    record(program, tmp_path / "run", "sh", "-c", "echo old >&2")
    done = in_shell(program, "run", "sh -c 'echo new >&2; exit 3'", "2> run/stderr.log", tmp_path)
    assert done.returncode == 3
    assert lines_of(tmp_path / "run/stderr.log") == ["new"]


def test_a_folder_that_is_being_recorded_into_is_refused_and_its_run_stays_whole(program, tmp_path):
    waiting = [program.path, "record", "-q", "-o", tmp_path / "run", "--", "sh", "-c", "echo; read line; exit 5"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        first.stdout.readline()
        second = record(program, tmp_path / "run", "sh", "-c", "exit 6")
        first.communicate("go\n", timeout=60)
    assert (first.returncode, second.status) == (5, 6)
    assert "another recorder is writing to it" in second.err
    assert json.loads(lines_of(tmp_path / "run/timeline.jsonl")[-1])["exit"] == 5
    third = record(program, tmp_path / "run", "sh", "-c", "exit 7")
    assert third.status == 7 and not third.err
    assert json.loads(lines_of(tmp_path / "run/timeline.jsonl")[-1])["exit"] == 7


@pytest.mark.parametrize("name", ["run.json", "timeline.jsonl", "memray.bin"])
def test_a_folder_is_refused_where_output_goes_to_a_file_that_we_would_write(program, tmp_path, name):
    (tmp_path / "run").mkdir()
    done = in_shell(program, "run", "sh -c 'echo out; exit 4'", f"> run/{name}", tmp_path)
    assert done.returncode == 4
    assert f"its {name} is open" in done.stderr
    assert (tmp_path / "run" / name).read_text() == "out\n"
    assert [path.name for path in (tmp_path / "run").iterdir()] == [name]


@pytest.mark.parametrize("name", RECORDED)
def test_a_file_that_no_recorder_made_is_never_touched(program, tmp_path, name):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("precious")
    done = record(program, tmp_path / "mine", "sh", "-c", "exit 5")
    assert done.status == 5
    assert f"its {name} was not made by the recorder" in done.err
    assert [path.name for path in (tmp_path / "mine").iterdir()] == [name]
    assert (tmp_path / "mine" / name).read_text() == "precious"


def test_a_capture_that_was_added_to_a_run_is_not_of_that_run(program, tmp_path):
    record(program, tmp_path / "run", "true")
    before = (tmp_path / "run/timeline.jsonl").read_bytes()
    (tmp_path / "run/memray.bin").write_text("precious")
    done = record(program, tmp_path / "run", "true")
    assert "its memray.bin was not made by the recorder" in done.err
    assert (tmp_path / "run/memray.bin").read_text() == "precious"
    assert (tmp_path / "run/timeline.jsonl").read_bytes() == before


def test_an_earlier_run_is_replaced_and_nothing_else(program, tmp_path):
    record(program, tmp_path / "run", "sh", "-c", "echo old >&2")
    (tmp_path / "run/notes.md").write_text("kept")
    (tmp_path / "run/data.txt").write_text("kept")
    assert record(program, tmp_path / "run", "true").err == ""
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["data.txt", "notes.md", "run.json",
                                                                          "timeline.jsonl"]
    assert json.loads((tmp_path / "run/run.json").read_text())["name"] == "true"


@pytest.mark.parametrize("command", ["no-such-command", "/dev/null", "/"])
def test_an_earlier_run_stays_when_the_command_does_not_start(program, tmp_path, command):
    record(program, tmp_path / "run", "sh", "-c", "echo old >&2")
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    done = record(program, tmp_path / "run", command)
    assert done.status in (126, 127)
    assert "is unchanged" in done.err
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


def test_a_command_that_does_not_start_leaves_a_run_where_there_was_none(program, tmp_path):
    record(program, tmp_path / "run", "no-such-command")
    assert json.loads(lines_of(tmp_path / "run/timeline.jsonl")[-1])["start_error"]


def test_what_a_killed_recorder_has_set_aside_comes_back(program, tmp_path):
    record(program, tmp_path / "run", "sh", "-c", "echo old >&2")
    before = (tmp_path / "run/timeline.jsonl").read_bytes()
    for path in list((tmp_path / "run").iterdir()):
        path.rename(path.with_name(".earlier-" + path.name))
    record(program, tmp_path / "run", "no-such-command")
    assert (tmp_path / "run/timeline.jsonl").read_bytes() == before


# ---- links ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RECORDED)
def test_a_folder_with_a_link_under_a_name_of_ours_is_refused(program, tmp_path, name):
    (tmp_path / "victim").write_text("keep")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / name).symlink_to("../victim")
    done = record(program, tmp_path / "run", "sh", "-c", "echo hi >&2")
    assert f"its {name} is a link" in done.err
    assert (tmp_path / "victim").read_text() == "keep"
    assert (tmp_path / "run" / name).is_symlink()


def test_links_that_the_command_puts_there_are_not_followed(program, tmp_path):
    (tmp_path / "victim").write_text("keep")
    script = "for name in $NAMES; do rm -f run/$name; ln -s ../victim run/$name; done; echo boo >&2; exit 6"
    done = record(program, "run", "sh", "-c", script, cwd=tmp_path,
                  env={**os.environ, "NAMES": "run.json stderr.log timeline.jsonl"})
    assert done.status == 6
    assert (tmp_path / "victim").read_text() == "keep"
    assert not (tmp_path / "run/run.json").is_symlink()
    assert (tmp_path / "run/stderr.log").read_text() == "boo\n"


def test_a_folder_that_the_command_replaces_by_a_link_is_not_followed(program, tmp_path):
    (tmp_path / "victim").mkdir()
    for name in "run.json", "stderr.log":
        (tmp_path / "victim" / name).write_text("keep")
    done = record(program, "run", "sh", "-c", "mv run moved; ln -s victim run; echo boo >&2", cwd=tmp_path)
    assert done.status == 0
    assert {path.name: path.read_text() for path in (tmp_path / "victim").iterdir()} == \
        {"run.json": "keep", "stderr.log": "keep"}
    assert (tmp_path / "moved/stderr.log").read_text() == "boo\n"


def test_a_link_is_not_followed_by_what_is_left_of_a_killed_recorder(program, tmp_path):
    (tmp_path / "victim").write_text("keep")
    script = "kill -9 $PPID; rm -f run/stderr.log; ln -s ../victim run/stderr.log; echo boo >&2; sleep 0.2"
    record(program, "run", "sh", "-c", script, cwd=tmp_path)
    log = tmp_path / "run/stderr.log"
    subprocess.run([sys.executable, "-c", "import os, sys, time\n"
                    "end = time.monotonic() + 20\n"
                    "while os.path.islink(sys.argv[1]) and time.monotonic() < end: time.sleep(0.02)", log], check=True)
    assert (tmp_path / "victim").read_text() == "keep"
    assert log.read_text() == "boo\n"


PROFILER = """#!/bin/sh
while [ $# -gt 1 ]; do case $1 in --output|-o) out=$2;; esac; shift; done
sleep 0.2
echo '{}' > "$out"
"""


@pytest.mark.parametrize("tool, file", [("py-spy", "cpu.speedscope.json"), ("austin", "cpu.mojo")])
def test_a_profiler_does_not_follow_a_link_of_the_command(program, tmp_path, tool, file):
    (tmp_path / "victim").write_text("keep")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / tool).write_text(PROFILER)
    (tmp_path / "bin" / tool).chmod(0o755)
    script = f"rm -f run/{file}; ln -s ../victim run/{file}; sleep 1"
    record(program, "run", "sh", "-c", script, cwd=tmp_path, options=["--cpu", tool],
           env={**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"})
    assert (tmp_path / "victim").read_text() == "keep"


# ---- permissions ----------------------------------------------------------------------------------------------------


def test_a_run_is_for_its_owner_alone(program, tmp_path):
    record(program, tmp_path / "run", "sh", "-c", "echo x >&2", umask=0o022)
    assert rights(tmp_path / "run") == 0o700
    assert {rights(path) for path in (tmp_path / "run").iterdir()} == {0o600}
    program("record", "-q", "true", cwd=tmp_path, umask=0)
    assert [rights(path) for path in tmp_path.glob("run-*")] == [0o700]


def test_unless_it_is_shared(program, tmp_path):
    record(program, tmp_path / "run", "sh", "-c", "echo x >&2", options=["--shared"], umask=0o027)
    assert rights(tmp_path / "run") == 0o750
    assert {rights(path) for path in (tmp_path / "run").iterdir()} == {0o640}


def test_a_folder_that_was_there_keeps_its_rights_and_the_files_are_still_private(program, tmp_path):
    (tmp_path / "run").mkdir(mode=0o755)
    record(program, tmp_path / "run", "true", umask=0o022)
    assert rights(tmp_path / "run") == 0o755
    assert {rights(path) for path in (tmp_path / "run").iterdir()} == {0o600}
