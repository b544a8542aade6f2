# SPDX-License-Identifier: Apache-2.0
"""`grew`: what has more in each run than in the one before, and by how much at least."""

import json

import pytest
from made_capture import capture

MIB = 1 << 20


@pytest.fixture
def runs(tmp_path):
    """Captures of runs; each is a dict of what functions hold at the end."""

    def write(*held):
        paths = [tmp_path / f"{number}.bin" for number in range(len(held))]
        for path, functions in zip(paths, held):
            path.write_bytes(capture([(name.encode(), b"job.py", size) for name, size in functions.items()]))
        return paths

    return write


def rows(program, *words):
    return {row["function"]: row for row in program("grew", *words, "--json").json()["rows"]}


def test_only_what_grew_in_each_step_is_shown(program, runs):
    made = runs({"load": MIB, "cache": 5 * MIB, "work": 9 * MIB, "old": 2 * MIB},
                {"load": 3 * MIB, "cache": 5 * MIB, "work": 8 * MIB, "new": MIB},
                {"load": 4 * MIB, "cache": 9 * MIB, "work": 30 * MIB, "new": 2 * MIB})
    found = rows(program, *made)
    assert list(found) == ["load", "new"]
    assert found["load"]["values"] == [MIB, 3 * MIB, 4 * MIB]
    assert (found["load"]["least"], found["load"]["change"]) == (MIB, 3 * MIB)
    assert found["new"]["values"] == [0, MIB, 2 * MIB]


def test_the_order_is_that_of_the_inputs(program, runs):
    first, second = runs({"load": MIB}, {"load": 3 * MIB})
    assert rows(program, first, second) and not rows(program, second, first)


@pytest.mark.parametrize(("least", "found"), [("1", True), ("9.9", True), ("10", False), ("50", False)])
def test_a_step_has_to_exceed_the_least(program, runs, least, found):
    made = runs({"load": 100 * MIB}, {"load": 110 * MIB}, {"load": 150 * MIB})
    assert bool(rows(program, *made, "--least", least)) == found


def test_by_default_one_percent_is_nothing(program, runs):
    assert not rows(program, *runs({"load": 1000 * MIB}, {"load": 1010 * MIB}))


def test_rows_are_in_the_order_of_the_least_growth(program, runs):
    made = runs({"a": MIB, "b": MIB, "c": MIB}, {"a": 2 * MIB, "b": 9 * MIB, "c": 4 * MIB},
                {"a": 90 * MIB, "b": 11 * MIB, "c": 7 * MIB})
    assert list(rows(program, *made)) == ["c", "b", "a"]


def test_windows_are_the_parts_of_the_run(program, samples):
    """The same values as `diff` of these parts."""
    sample = samples / "daily-sales.bin"
    document = program("grew", sample, "--windows", "2", "--json").json()
    ends = [run["name"].split(" to ")[1].removesuffix(" s") for run in document["runs"]]
    assert abs(float(ends[0]) - float(ends[1]) / 2) < 0.1
    base, new = (program("table", sample, "--window", window, "--json", "--limit", "1").json()["total"]
                 for window in (f"0:{float(ends[0]) - 0.05}", f"{float(ends[0]) + 0.05}:"))
    assert [run["total"] for run in document["runs"]] == [base, new]


@pytest.mark.parametrize("words", [("--windows", "1"), ("--windows", "65"), ("--least", "x"), (),
                                   ("--windows", "2", "b.bin")])
def test_wrong_usage_is_refused(program, samples, words):
    answer = program("grew", samples / "daily-sales.bin", *words)
    assert (answer.status, answer.out) == (2, "")


def test_every_form_has_the_same_figures(program, runs):
    made = runs({"f|`<b>": MIB}, {"f|`<b>": 3 * MIB}, {"f|`<b>": 4 * MIB})
    assert json.loads(program("grew", *made, "--json").out)["rows"][0]["least"] == MIB
    assert "+1.00 MiB" in program("grew", *made).out
    markdown = program("grew", *made, "--format", "markdown").out
    assert "+1.00 MiB" in markdown and "<b>" not in markdown
    assert len({line.count("|") for line in markdown.splitlines() if "MiB | +" in line or "least" in line}) == 1
