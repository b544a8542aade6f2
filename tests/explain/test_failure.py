# SPDX-License-Identifier: Apache-2.0
"""How a run failed comes before what else was found, in the words of `check`."""

import subprocess

PROGRAM = "import sys; print('reading', file=sys.stderr); sys.exit('no rows in orders.csv')"


def test_exit_status_and_last_line(program, tmp_path):
    run = tmp_path / "run"
    done = program("record", "-q", "-o", run, "--stderr", "always", "--", "python3", "-c", PROGRAM)
    assert done.status == 1
    lines = program("explain", run).out.splitlines()
    at = lines.index("Failed: exit status 1.")
    assert lines[at + 1] == "Last line on stderr: no rows in orders.csv"
    assert lines[at + 2] == "" and not any(line.startswith("1. ") for line in lines[:at])
    found = program("explain", run, "--json").json()
    assert (found["failure"], found["last_line"]) == ("exit status 1", "no rows in orders.csv")


def test_a_signal_says_what_is_known_of_it(program, tmp_path):
    run = tmp_path / "run"
    subprocess.run([program.path, "record", "-q", "-o", run, "--", "sh", "-c", "kill -9 $$"], check=False)
    text = " ".join(program("explain", run).out.split())
    assert "Failed: ended by SIGKILL. It is not known who sent SIGKILL" in text \
        or "Failed: ended by SIGKILL. Nothing recorded who sent SIGKILL" in text


def test_an_exception_as_check_has_it(program, samples):
    words = program("explain", samples / "nightly", "--json").json()["failure"]
    assert words.startswith("exit status 1, RuntimeError: ")
    assert f"Failed: {words}." in " ".join(program("explain", samples / "nightly").out.split())
    assert f"success: {words}" in " ".join(program("check", samples / "nightly", "--require-success").out.split())


def test_a_run_that_did_not_fail(program, samples):
    assert "Failed:" not in program("explain", samples / "daily-sales.bin").out
    found = program("explain", samples / "daily-sales.bin", "--json").json()
    assert found["failure"] is None and found["last_line"] is None
