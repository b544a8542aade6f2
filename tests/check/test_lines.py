# SPDX-License-Identifier: Apache-2.0
"""The line that an alarm names is the one that grew, not the one that has most, and not one that only moved."""

import json
import re
import xml.etree.ElementTree as ET

import pytest
from captures import MIB, Allocation, arenas, write

FILE = "/ci/app/load.py"
MAIN = ("main", "/ci/app/main.py", 3)


def run(path, lines, function="load", stack=(MAIN,), besides=()):
    """LINES: {line of FUNCTION: MiB that it holds}."""
    return write(path, [Allocation([*stack, (function, FILE, line)], int(size * MIB)) for line, size in lines.items()] +
                 [Allocation([MAIN, ("save", "/ci/app/save.py", 7)], 9 * MIB), *besides])


@pytest.fixture
def line_of(check, tmp_path):
    def named(before, after, *words):
        old, new = run(tmp_path / "old.bin", before), run(tmp_path / "new.bin", after)
        first = check(new, *words, baseline=[old]).document["reasons"][0]["because"][0]
        assert first["function"] == "load"
        return first["line"]
    return named


SHIFTED = 40


@pytest.mark.parametrize("words", [(), ("--functions",), ("--metric", "allocated"), ("--max-peak", "1MiB")])
@pytest.mark.parametrize("shift", [0, 1, SHIFTED])
def test_the_small_line_that_grew_is_named(line_of, words, shift):
    """Of two lines the smaller one grew, and all of it may have moved down by as much as the two are apart."""
    assert line_of({20: 10, 21: 1}, {20 + shift: 10, 21 + shift: 4}, *words) == 21 + shift
    assert line_of({20: 1, 21: 10}, {20 + shift: 4, 21 + shift: 10}, *words) == 20 + shift


@pytest.mark.parametrize("before, after, line", [
    ({20: 5}, {90: 8}, 90),                                  # one line, elsewhere
    ({20: 5, 21: 6}, {20: 5, 25: 3, 26: 6}, 25),             # a new one between two
    ({20: 5, 21: 6}, {22: 3, 23: 5, 24: 6}, 22),             # a new one before two
    ({20: 5, 21: 6}, {30: 5, 31: 6, 32: 3}, 32),             # a new one after two, and all of it shifted
    ({20: 5, 21: 6}, {20: 5, 21: 5, 22: 6}, 21),             # a new one that has as much as another
    ({20: 5, 22: 1, 24: 2}, {20: 5, 23: 6}, 23),             # one went away, another one grew
    ({20: 5, 21: 6}, {20: 5.001, 24: 7, 25: 6.001}, 24),     # amounts that differ a little from run to run
    ({20: 5, 24: 6}, {30: 2.5, 31: 2.5, 34: 9}, 34),         # one split in two, another one grew
    ({20: 1, 21: 2, 22: 3}, {20: 2, 21: 4.5, 22: 3.5}, 21),  # all grew: the one that grew most
    ({20: 1, 21: 9}, {21: 9, 29: 4}, 29),                    # one ends where another one was
])
def test_lines_that_moved_are_found_again(check, tmp_path, before, after, line):
    old, new = run(tmp_path / "old.bin", before), run(tmp_path / "new.bin", after)
    assert check(new, baseline=[old]).finding("regression-peak")["because"][0]["line"] == line


def test_many_lines_are_compared_and_too_many_keep_the_largest(line_of):
    before = {100 + 2 * n: 0.25 + n % 7 / 16 for n in range(200)}
    after = {line + (1 if line > 300 else 0): size for line, size in before.items()} | {222: 9}
    assert line_of(before, after) == 222
    before = {100 + 2 * n: 0.25 for n in range(1000)} | {90: 30}
    after = {line + (1 if line > 300 else 0): size for line, size in before.items()} | {222: 9}
    assert line_of(before, after) == 90


def test_of_several_baselines_the_usual_one_counts(check, tmp_path):
    old = [run(tmp_path / f"{n}.bin", lines) for n, lines in
           enumerate(({20: 10, 21: 1}, {20: 10, 21: 1}, {20: 4, 21: 1}))]
    new = run(tmp_path / "new.bin", {20: 10, 21: 4})
    assert check(new, baseline=old).finding("regression-peak")["because"][0]["line"] == 21
    history = check(new, *[word for path in old[:2] for word in ("--history", path)])
    assert history.finding("regression-peak")["because"][0]["line"] == 21


def test_growth_in_every_run_has_the_line_that_grew(check, tmp_path):
    old = [run(tmp_path / f"{n}.bin", {20: 30, 21: 1 + n}) for n in range(6)]
    verdict = check(run(tmp_path / "new.bin", {20: 30, 21: 9}), "--grows-in-every", "6", "--metric", "allocated",
                    baseline=old)
    assert [row["line"] for row in verdict.document["reasons"] if row["rule"] == "grew-allocated"] == [21]


def test_arenas_of_pymalloc_do_not_make_a_line(check, tmp_path):
    """Where the allocator happened to need an arena says nothing about a line."""
    old = run(tmp_path / "old.bin", {20: 10, 21: 1})
    new = run(tmp_path / "new.bin", {20: 10, 21: 4}, besides=[arenas([MAIN, ("load", FILE, 20)], 7)])
    assert check(new, baseline=[old]).finding("regression-peak")["because"][0]["line"] == 21


def test_a_common_ancestor_has_the_line_that_grew(check, tmp_path):
    """`load` holds 10 MiB on line 20 and calls others on line 21, which have less, and grew by more."""
    def job(path, here, below):
        return write(path, [Allocation([MAIN, ("load", FILE, 20)], int(10 * here * MIB)),
                            Allocation([MAIN, ("save", "/ci/app/save.py", 7)], 9 * MIB),
                            *[Allocation([MAIN, ("load", FILE, 21), (name, f"/ci/app/{name}.py", 5)],
                                         int(3 * below * MIB)) for name in ("parse", "clean", "sign")]])
    old, new = job(tmp_path / "old.bin", 1, 1), job(tmp_path / "new.bin", 1.17, 1.21)
    cause = check(new, baseline=[old]).finding("regression-peak")["cause"]
    assert (cause["function"], cause["line"]) == ("load", 21)


def test_every_report_points_at_the_line_that_grew(program, tmp_path):
    old, new = run(tmp_path / "old.bin", {20: 10, 21: 1}), run(tmp_path / "new.bin", {60: 10, 61: 4})
    names = ("github", "codequality", "sarif", "markdown", "junit")
    answer = program("check", new, "--baseline", old, "--root", "/ci/app", *[
        word for name in names for word in ("--report", f"{name}={tmp_path / name}")])
    text = {name: (tmp_path / name).read_text() for name in names}
    assert "load  load.py:61" in answer.out
    assert re.findall(r"^::error file=load\.py,line=(\d+)", text["github"], re.MULTILINE) == ["61"]
    assert [issue["location"]["lines"]["begin"] for issue in json.loads(text["codequality"])] == [61]
    results = json.loads(text["sarif"])["runs"][0]["results"]
    assert [each["locations"][0]["physicalLocation"]["region"]["startLine"] for each in results] == [61]
    assert "load.py:61" in text["markdown"]
    assert any("load.py:61" in (failure.get("message") or "") + (failure.text or "")
               for failure in ET.fromstring(text["junit"]).iter("failure"))
    assert not any(re.search(r"load\.py(:|#L|,line=)60", each) for each in (answer.out, *text.values()))
