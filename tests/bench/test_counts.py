# SPDX-License-Identifier: Apache-2.0
"""No change makes the program or its page do over 2 % more for the same input, unless it says so in counts.txt."""

import shutil

import counts
import pytest

MADE_BY = {"program": "one compiler", "page": "node v20"}
COSTS = {"memray": {"instructions": 300.0, "unit": "event"}, "page decode": {"instructions": 900.0, "unit": "node"}}


def judged(now, made_by=MADE_BY):
    return counts.judge({name: {"instructions": cost, "unit": "event"} for name, cost in now.items()}, made_by,
                        counts.table(COSTS, MADE_BY))


def test_up_to_two_percent_more_is_no_growth():
    assert judged({"memray": 305.9, "page decode": 900.0}) == ([], False)


def test_more_is_a_growth_of_the_case_named():
    lines, failed = judged({"memray": 306.1, "page decode": 900.0})
    assert failed and lines == ["memray: 300.000 became 306.100 (+2.0 %); if that is meant, "
                                "`make bench-counts COUNTS=--record` in the same commit"]


def test_less_is_mentioned():
    lines, failed = judged({"memray": 200.0, "page decode": 900.0})
    assert not failed and "(-33.3 %)" in lines[0]


def test_a_case_that_is_not_in_the_file_is_to_be_recorded():
    assert judged({"memray": 300.0, "card": 5.0})[1]


def test_what_another_compiler_made_is_not_compared():
    lines, failed = judged({"memray": 900.0, "page decode": 900.0}, {**MADE_BY, "program": "another"})
    assert not failed
    assert lines == ["nothing to compare for the program: another; expected is that of one compiler"]
    assert judged({"memray": 900.0, "page decode": 950.0}, {**MADE_BY, "program": "another"})[1]


def test_no_case_costs_more_than_counts_txt_expects():
    if not shutil.which("valgrind") or not shutil.which("readelf"):
        pytest.skip("needs valgrind and readelf")
    lines, failed = counts.judge(counts.measure(), counts.environment(), counts.EXPECTED.read_text())
    assert not failed, "\n".join(lines)
    if any(line.startswith("nothing to compare for the program") for line in lines):
        pytest.skip("\n".join(lines))
