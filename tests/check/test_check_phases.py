# SPDX-License-Identifier: Apache-2.0
"""`check` by phase: limits of a phase, and each phase against that of the baselines."""

import html
import json

import pytest
from made_run import MIB, START, phased_run


@pytest.fixture
def run(tmp_path):
    """`run([("load", 10), ("fit", 20)])` is a run with such phases, of so many MiB."""
    made = []

    def make(levels, **how):
        made.append(phased_run(tmp_path / f"run-{len(made)}", levels, sampled=True, start=START + 60 * len(made),
                               **how))
        return made[-1]

    return make


@pytest.mark.parametrize(("budget", "answer", "limit"), [
    ("phase:fit:heap=25MiB", "kept", 25 * MIB), ("phase:fit:heap=19MiB", "broken", 19 * MIB),
    ("phase:load:heap=10MiB", "kept", 10 * MIB), ("phase:fit:rss=120MiB", "kept", 120 * MIB),
    ("phase:fit:rss=119MiB", "broken", 119 * MIB), ("phase:fit:cpu=4s", "broken", 4), ("phase:fit:cpu=6s", "kept", 6),
])
def test_a_phase_has_a_limit(check, run, budget, answer, limit):
    verdict = check(run([("load", 10), ("fit", 20)]), "--budget", budget)
    found = verdict.finding("max-" + budget.split("=")[0])
    assert (found["answer"], found["limit"], found["function"]) == (answer, limit, None)
    assert verdict.status == (answer == "broken")


def test_the_sentence_names_the_phase(check, run):
    verdict = check(run([("load", 10), ("fit", 20)]), "--budget", "phase:fit:heap=19MiB")
    assert verdict.finding("max-phase:fit:heap")["sentence"] == "Peak heap of phase fit: 20.0 MiB; the limit is 19MiB"


def test_a_phase_that_comes_again_counts_with_its_highest(check, run):
    made = run([("epoch", 10), ("epoch", 30), ("epoch", 20)])
    assert check(made, "--budget", "phase:epoch:heap=1GiB").finding("max-phase:epoch:heap")["after"] == 30 * MIB


def test_what_is_before_the_first_mark_has_an_empty_name(check, run):
    made = run([("x", 30), ("y", 20)], marks=[(10, "y")])
    found = check(made, "--budget", "phase::heap=1GiB").finding("max-phase::heap")
    assert found["after"] == 30 * MIB
    assert found["sentence"].startswith("Peak heap before the first mark: 30.0 MiB")


def test_the_file_has_limits_of_phases_too(check, run, tmp_path):
    config = tmp_path / "check.json"
    config.write_text(json.dumps({"max": {"phase:fit:heap": "19MiB"}, "phases": True}))
    made = run([("load", 10), ("fit", 20)])
    verdict = check(made, "--config", config, baseline=[run([("load", 10), ("fit", 20)])])
    assert verdict.broken == ["max-phase:fit:heap"]
    assert verdict.finding("regression-phase:load:heap")["answer"] == "kept"


def test_a_phase_that_grew_is_a_regression_though_the_whole_did_not(check, run):
    """The peak of both runs is that of another phase."""
    old, new = run([("load", 10), ("fit", 80)]), run([("load", 30), ("fit", 80)])
    verdict = check(new, "--phases", "--metric", "peak", baseline=[old])
    assert verdict.broken == ["regression-phase:load:heap"]
    found = verdict.finding("regression-phase:load:heap")
    assert (found["before"], found["after"]) == (10 * MIB, 30 * MIB)
    assert verdict.finding("regression-phase:fit:heap")["answer"] == "kept"
    assert verdict.finding("regression-peak")["answer"] == "kept"
    assert not [name for name in check(new, "--metric", "peak", baseline=[old]).rules("kept") if "phase" in name]


def test_phases_of_one_run_only_are_said_and_not_compared(check, run):
    old, new = run([("load", 10), ("save", 20)]), run([("load", 10), ("fit", 80)])
    verdict = check(new, "--phases", "--metric", "leaked", baseline=[old])
    assert verdict.document["notes"] == ["a baseline has no phase 'fit': it is not compared",
                                         "the input has no phase 'save': it is not compared"]
    assert [rule for rule in verdict.rules("kept") if "phase" in rule] == ["regression-phase:load:heap",
                                                                         "regression-phase:load:retained"]


def test_runs_without_marks_have_no_phases(check, samples, run):
    capture = samples / "daily-sales.bin"
    verdict = check(capture, "--phases", baseline=[capture])
    assert verdict.status == 0 and verdict.document["notes"] == ["the input has no marks: no phase is compared"]
    notes = check(run([("load", 10)]), "--phases", "--metric", "leaked", baseline=[capture]).document["notes"]
    assert notes == ["the baseline ran a different program: daily_sales.py, not x",
                     "a baseline has no phase 'load': it is not compared"]


def test_a_figure_of_a_phase_is_a_metric(check, run):
    old, new = run([("load", 10), ("fit", 20)]), run([("load", 10), ("fit", 60)])
    verdict = check(new, "--metric", "phase:fit:heap", "--metric", "phase:load:heap", baseline=[old])
    assert (verdict.broken, verdict.rules("kept")) == (["regression-phase:fit:heap"], ["regression-phase:load:heap"])
    verdict = check(new, "--metric", "phase:fit:rss", baseline=[old])
    assert verdict.untold == ["regression-phase:fit:rss"], "what a process has differs from run to run"
    assert check(new, "--metric", "phase:fit:rss", "--tolerance", "5", baseline=[old]).status == 1


def test_a_phase_can_grow_in_every_run(check, run):
    made = [run([("load", 100), ("fit", 20 + number)]) for number in range(4)]
    verdict = check(made[3], "--metric", "phase:fit:heap", "--grows-in-every", "3", baseline=made[:3])
    assert verdict.finding("grew-phase:fit:heap")["grew"] == {"runs": 3, "least": MIB}


def test_a_history_has_phases_and_leaves_out_a_damaged_run(check, run, tmp_path):
    made = [run([("load", 10), ("fit", 20)]) for _ in range(4)]
    capture = made[1] / "memray.bin"
    capture.write_bytes(capture.read_bytes()[:-20])
    new = run([("load", 10), ("fit", 40)])
    words = [word for path in made for word in ("--history", path)]
    verdict = check(new, *words, "--phases", "--metric", "leaked")
    assert verdict.broken == ["regression-phase:fit:heap"] and len(verdict.document["baselines"]) == 3
    assert any("incomplete" in note for note in verdict.document["notes"])


@pytest.mark.parametrize(("words", "status", "why"), [
    (["--budget", "phase:fit:size=1MiB"], 2, "not 'phase:fit:size"),
    (["--budget", "phase:fit=1MiB"], 2, "not 'phase:fit"),
    (["--budget", "phase:=1MiB"], 2, "--budget takes"), (["--budget", "phase:fit:heap="], 2, "--budget takes"),
    (["--budget", "phase:fit:heap=much"], 2, "is not"),
    (["--budget", "phase:nope:heap=1MiB"], 3, "there is no 'phase:nope"),
    (["--budget", "phase:fit:read=1MiB"], 3, "there is no 'phase:fit:read'"),
    (["--metric", "phase:fit:size", "--baseline", "SELF"], 3, "is not a figure of a phase"),
    (["--metric", "phase:nope:heap", "--baseline", "SELF"], 3, "there is no 'phase:nope:heap'"),
])
def test_what_is_not_there_is_refused(program, run, words, status, why):
    made = run([("load", 10), ("fit", 20)])
    answer = program("check", made, *[made if word == "SELF" else word for word in words])
    assert (answer.status, answer.out) == (status, "") and why in answer.err


@pytest.mark.parametrize("name", ["a:b", "a=b", "fit:heap", "</b>|`\x1b[31m\u202e%0A::error::", "x" * 300])
def test_any_name_can_be_limited_and_is_harmless(check, reports, run, name):
    made = run([(name, 10), ("other", 80)])
    verdict = check(made, "--budget", f"phase:{name}:heap=9MiB")
    assert len(verdict.broken) == 1 and verdict.document["reasons"][0]["after"] == 10 * MIB
    texts = reports(made, "--budget", f"phase:{name}:heap=9MiB")
    for text in texts.values():
        assert "\x1b" not in text and "\u202e" not in text
    assert "</b>" not in texts["junit"] and "</b>" not in texts["markdown"]
    assert not [line for line in texts["github"].splitlines()[1:] if line.startswith("::error")]


def test_every_report_has_the_phase(reports, run):
    texts = reports(run([("load", 10), ("fit", 20)]), "--budget", "phase:fit:heap=19MiB")
    sentence = "Peak heap of phase fit: 20.0 MiB; the limit is 19MiB"
    assert f"FAIL  {sentence}\n" in texts["text"]
    assert sentence in html.unescape(texts["junit"]) and 'name="max-phase:fit:heap"' in texts["junit"]
    assert sentence in texts["github"].replace("%3A", ":")
    assert "### Peak heap of phase fit: 20.0 MiB, the limit is 19MiB" in html.unescape(texts["markdown"])
    assert sentence in [issue["description"] for issue in json.loads(texts["codequality"])]
    assert 'profrender_limit_bytes{rule="max-phase:fit:heap"} 19922944' in texts["openmetrics"]
