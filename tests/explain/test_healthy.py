# SPDX-License-Identifier: Apache-2.0
"""Healthy programs, recorded afresh: nothing is said of them that their code does not do.

    python3 tests/support/packages.py pytest pytest tests/explain/test_healthy.py -s      prints what each one gets
"""

import subprocess
from pathlib import Path

import pytest
from healthy_programs import PROGRAMS
from packages import environment

HERE = Path(__file__).resolve().parent

# What says only who has most, or what happened; and shapes that the code has: tables of dicts, blocks of a StringIO.
# How long a heap is near its peak is a matter of the clock, so that a busy machine decides which run has a short spike.
FACTS = {"peak-holder", "not-freed", "temporary", "time", "calls", "few-samples", "imports", "peak-moment", "doubling",
         "short-spike"}
KNOWN = {"write_csv": {"equal-blocks"}, "find_a_way": {"equal-blocks"}, "count_words": {"equal-blocks"}}


@pytest.fixture(scope="module")
def python():
    programs = environment("profilers")
    return programs / "python" if programs else pytest.skip("memray cannot be installed")


@pytest.mark.parametrize(("recorder", "threads"), [("memray", 1), ("memray", 4), ("cProfile", 1)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_wrong_is_said(program, python, tmp_path, name, recorder, threads):
    path = tmp_path / "recorded"
    options = ["run", "-q", "-o", path] if recorder == "memray" else ["-o", path]
    subprocess.run([python, "-m", recorder, *options, HERE / "healthy_programs.py", name, str(threads)], check=True,
                   capture_output=True, timeout=120)
    for finding in program("explain", "--json", "-q", path).json()["findings"]:
        print(f"{name}, {recorder}, {threads}: [{finding['rule']}] {finding['text']}")
        assert finding["rule"] in FACTS | KNOWN.get(name, set()), finding["text"]
