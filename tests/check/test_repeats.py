# SPDX-License-Identifier: Apache-2.0
"""A few real repeats of an unchanged program with threads, under memray; hundreds of them: tests/bench/verdict.py."""

import itertools
import subprocess
from pathlib import Path

import pytest
from packages import environment

PROGRAM = Path(__file__).resolve().parents[1] / "bench/verdict_program.py"


@pytest.fixture(scope="module")
def captures(tmp_path_factory):
    tools = environment("profilers")
    if not tools:
        pytest.skip("memray cannot be had here")
    folder = tmp_path_factory.mktemp("repeats")

    def make(name, *plant):
        path = folder / f"{name}.bin"
        subprocess.run([tools / "python", PROGRAM, "threads4", "memory", path, *plant], check=True,
                       stdin=subprocess.DEVNULL, capture_output=True)
        return path

    return {"unchanged": [make(f"run-{number}") for number in range(4)], "grown": make("grown", "load", "200000")}


def test_an_unchanged_program_raises_no_alarm(captures, check):
    for base, new in itertools.permutations(captures["unchanged"], 2):
        verdict = check(new, baseline=[base])
        assert (verdict.status, verdict.broken) == (0, []), verdict.document["reasons"]
    first, *others = captures["unchanged"]
    assert check(first, baseline=others).status == 0


def test_a_growth_of_1_percent_in_one_function_is_found(captures, check):
    for baselines in (captures["unchanged"][:1], captures["unchanged"]):
        verdict = check(captures["grown"], baseline=baselines)
        assert verdict.status == 1
        assert {reason["function"] for reason in verdict.document["reasons"]} == {"load"}
