# SPDX-License-Identifier: Apache-2.0
"""`check --finding NAME` fails when that rule of `explain` finds something, in every report with its sentence."""

import html
import json
import urllib.parse

import pytest
from captures import MIB, Allocation, write


def sentences(program, capture, rule):
    found = program("explain", capture, "--json", "-q").json()["findings"]
    return [finding["text"] for finding in found if finding["rule"] == rule]


def test_a_rule_that_finds_something_is_broken(check, program, samples):
    capture = samples / "daily-sales.bin"
    verdict = check(capture, "--finding", "short-spike", "--finding", "churn", "--finding", "idle")
    assert (verdict.status, verdict.broken, verdict.untold) == (1, ["finding-short-spike"], ["finding-idle"])
    found = verdict.finding("finding-short-spike")
    assert [found["sentence"]] == sentences(program, capture, "short-spike")
    assert (found["function"], found["line"], found["after"], found["limit"]) == ("lag_matrix", 33, 1, 0)
    assert found["file"].endswith("/features.py") and found["because"] == []
    assert verdict.finding("finding-churn")["sentence"] == "churn: nothing found"
    assert "was not recorded" in verdict.finding("finding-idle")["doubt"]


def test_a_rule_that_finds_nothing_is_kept(check, samples):
    assert check(samples / "daily-sales.bin", "--finding", "steady-growth").status == 0


def test_a_finding_that_another_rule_replaces_is_found_all_the_same(check, samples):
    """A short spike speaks of the holder of the peak, so that `explain` has one sentence for both."""
    verdict = check(samples / "daily-sales.bin", "--finding", "peak-holder")
    assert verdict.broken == ["finding-peak-holder"]


@pytest.mark.parametrize("name", ["nope", "short_spike", "", "Short-Spike"])
def test_an_unknown_name_is_refused_with_the_list(program, samples, name):
    answer = program("check", samples / "daily-sales.bin", "--finding", name)
    assert (answer.status, answer.out) == (2, "")
    assert f"there is no finding '{name}'; there is memory-limit, " in answer.err
    assert "steady-growth" in answer.err


def test_the_file_has_findings_too(check, samples, tmp_path):
    config = tmp_path / "check.json"
    config.write_text(json.dumps({"findings": ["short-spike", "churn"]}))
    verdict = check(samples / "daily-sales.bin", "--config", config)
    assert (verdict.status, verdict.broken) == (1, ["finding-short-spike"])
    verdict = check(samples / "daily-sales.bin", "--config", config, "--finding", "short-spike")
    assert verdict.broken == ["finding-short-spike"], "asked for twice, it is one rule"


@pytest.mark.parametrize(("findings", "word"), [(["nope"], "nope"), ("short-spike", "list"), ([1], "names")])
def test_a_wrong_file_is_refused(program, samples, tmp_path, findings, word):
    config = tmp_path / "check.json"
    config.write_text(json.dumps({"findings": findings}))
    answer = program("check", samples / "daily-sales.bin", "--config", config)
    assert answer.status == 2 and "check.json: " in answer.err and word in answer.err


def test_every_report_has_the_sentence(reports, program, samples):
    capture = samples / "daily-sales.bin"
    sentence, = sentences(program, capture, "short-spike")
    made = reports(capture, "--finding", "short-spike", "--finding", "peak-holder")
    assert f"FAIL  {sentence}\n" in made["text"]
    assert made["json"].count(json.dumps(sentence)) == 1
    assert sentence in html.unescape(made["junit"])
    assert sentence in urllib.parse.unquote(made["github"])
    assert html.unescape(made["markdown"]).startswith(f"### {sentence}\n")
    assert sentence in [issue["description"] for issue in json.loads(made["codequality"])]
    assert "profrender_rules_broken 2\n" in made["openmetrics"] and "finding-" not in made["openmetrics"]


def test_a_hostile_name_is_harmless_in_every_report(reports, tmp_path):
    name = "f|`<b>\x1b[31m&amp;%0A::error::"
    capture = write(tmp_path / "run.bin", [Allocation([(name, "/ci/x.py", 1)], 64 * MIB)])
    made = reports(capture, "--finding", "peak-holder")
    assert all("\x1b" not in text for text in made.values())
    assert "<b>" not in made["junit"] and "<b>" not in made["markdown"]
    assert not [line for line in made["github"].splitlines()[1:] if line.startswith("::error")]


@pytest.mark.parametrize("own", [True, False])
def test_that_no_function_stands_out_is_not_a_finding(check, program, tmp_path, own):
    """Whether some function calls all the others or not; with one that has most of it, there is a finding."""
    def capture(name, first):
        top = [("work", "/ci/app/work.py", 9)] if own else []
        return write(tmp_path / name, [Allocation(top + [(f"read_{i}", f"/ci/app/f{i}.py", 5)],
                                                  4 * MIB if i else first) for i in range(30)])
    flat, steep = capture("flat.bin", 4 * MIB), capture("steep.bin", 400 * MIB)
    verdict = check(flat, "--finding", "peak-holder")
    found = verdict.finding("finding-peak-holder")
    assert (verdict.status, found["answer"], found["function"], found["after"]) == (0, "kept", None, 0)
    assert found["sentence"] == "peak-holder: nothing found: " + sentences(program, flat, "peak-holder")[0]
    assert "o single function stands out" in found["sentence"]
    verdict = check(steep, "--finding", "peak-holder")
    assert verdict.status == 1 and verdict.finding("finding-peak-holder")["function"] == "read_0"


def test_a_flat_profile_of_time_is_kept(check, tmp_path):
    flat, steep = tmp_path / "flat.txt", tmp_path / "steep.txt"
    flat.write_text("".join(f"main;f{i} 100\n" for i in range(40)))
    steep.write_text("".join(f"main;f{i} {100 if i else 9000}\n" for i in range(40)))
    assert check(flat, "--finding", "time").status == 0
    assert check(steep, "--finding", "time").broken == ["finding-time"]
