# SPDX-License-Identifier: Apache-2.0
"""`grew`: what has more in each run than in the one before, and by how much at least."""

import json

import pytest
from made_capture import capture
from made_run import phased_run

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


@pytest.fixture
def phases(tmp_path):
    """`phases([("load", 10), ("epoch", 12)])` is a run whose heap is at so many MiB in each phase, ten seconds each."""
    return lambda levels, marks=None: phased_run(tmp_path / "run", levels, marks)


def test_phases_are_steps(program, phases):
    run = phases([("load", 10), ("fit", 20), ("save", 25)])
    document = program("grew", run, "--phases", "--json").json()
    assert [part["name"].split(" (")[0] for part in document["runs"]] == ["load", "fit", "save"]
    row, = document["rows"]
    assert (row["function"], row["least"], row["values"]) == ("hold", 5 * MIB, [10 * MIB, 20 * MIB, 25 * MIB])
    for part, name in zip(document["runs"], ("load", "fit", "save")):
        shown = program("table", "--json", "--metric", "peak", "--window", f"phase:{name}", run).json()
        assert shown["total"] == part["total"]
    text = program("grew", run, "--phases").out
    assert "what grew in each of 2 steps" in text and "10.0 MiB  load (0 s to 10" in text


def test_a_phase_that_comes_again_is_compared_with_itself(program, phases):
    """What is between its times does not count."""
    run = phases([("epoch", 10), ("validate", 80), ("epoch", 20), ("validate", 90), ("epoch", 30), ("validate", 70)])
    assert not rows(program, run, "--phases")
    assert rows(program, run, "--phase", "epoch")["hold"]["values"] == [10 * MIB, 20 * MIB, 30 * MIB]
    assert not rows(program, run, "--phase", "validate")


def test_a_phase_without_an_allocation_is_a_step_and_one_outside_the_capture_is_not(program, phases):
    run = phases([("a", 10), ("b", 20)], [(0, "a"), (10, "b"), (400, "late")])
    assert [part["name"].split(" (")[0] for part in program("grew", run, "--phases", "--json").json()["runs"]] == [
        "a", "b"]


@pytest.mark.parametrize(("marks", "words", "why"), [
    ([], ["--phases"], "the run made no marks"),
    ([(0, "a")], ["--phases"], "two phases or more are needed, and allocations were recorded in 1"),
    ([(0, "a"), (10, "b")], ["--phase", "c"], "two phases or more are needed, and allocations were recorded in 0"),
    ([(at / 10, "a") for at in range(100)], ["--phases"], "there are more than 64 phases to compare"),
])
def test_too_few_or_too_many_phases_are_refused(program, phases, marks, words, why):
    run = phases([("", 10), ("", 20)], marks or [(0, "")])
    if not marks:
        timeline = run / "timeline.jsonl"
        lines = timeline.read_text().splitlines(keepends=True)
        timeline.write_text("".join(line for line in lines if '"mark"' not in line))
    answer = program("grew", run, *words)
    assert (answer.status, answer.out) == (3, "") and why in answer.err


@pytest.mark.parametrize("words", [["--phases", "--windows", "2"], ["--phases", "--phase", "a"], ["--phases", "x.bin"],
                                   ["--phase", "a", "x.bin"]])
def test_phases_are_of_one_input(program, phases, words):
    assert program("grew", phases([("a", 1), ("b", 2)]), *words).status == 2


@pytest.mark.parametrize("name", ["</script>|`\x1b[31m", "\u202egpj.exe", "a" * 4000, "e\u0301" * 60 + "\u0301" * 900],
                         ids=["markup", "bidi", "long", "combining"])
def test_a_hostile_name_of_a_phase_is_harmless(program, phases, name):
    run = phases([(name, 10), (name, 20)])
    for words in ([], ["--markdown"], ["--json"]):
        words = [word.replace("--markdown", "--format=markdown") for word in words]
        answer = program("grew", run, "--phases", *words)
        assert answer.status == 0 and "\x1b" not in answer.out and "\u202e" not in answer.out
        assert max(len(line) for line in answer.out.splitlines()) < 400
