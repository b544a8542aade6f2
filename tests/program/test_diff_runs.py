# SPDX-License-Identifier: Apache-2.0
"""`diff` of runs as such: wall time, CPU time and memory, also where nothing recorded stacks."""

import html
import json
import re
import shutil

import pytest


@pytest.fixture(scope="module")
def runs(program, tmp_path_factory):
    """Two that `record` made, the second of which does more of everything."""
    made = []
    for name, pause, mib in (("before", 0.1, 20), ("after", 0.6, 60)):
        run = tmp_path_factory.mktemp("runs") / name
        work = f"sleep {pause}; head -c {mib * 1000 * 1000} /dev/zero | sort >/dev/null"
        assert program("record", "-o", run, "--", "sh", "-c", work).status == 0
        made.append(run)
    return made


def test_runs_without_stacks_are_compared(program, runs):
    found = program("diff", *runs, "--json").json()
    figures = {figure["name"]: figure for figure in found["figures"]}
    assert list(figures) == ["duration", "cpu_time", "rss"] and not found["rows"] and found["metric"] is None
    for name, figure in figures.items():
        assert figure["change"] == pytest.approx(figure["after"] - figure["before"]) and figure["change"] > 0, name


def test_figures_are_what_the_recorder_measured(program, runs):
    figures = {figure["name"]: figure for figure in program("diff", *runs, "--json").json()["figures"]}
    for run, side in zip(runs, ("before", "after")):
        samples = [json.loads(line) for line in (run / "timeline.jsonl").read_text().splitlines()]
        end = samples[-1]
        used = end["rusage"]
        assert figures["duration"][side] == pytest.approx(end["wall"])
        assert figures["cpu_time"][side] == pytest.approx(used["utime"] + used["stime"])
        # The kernel's figure is of the largest process alone; a sample has all processes of its moment.
        highest = max(round(sample.get("rss_mb", 0) * 2**20) for sample in samples)
        assert figures["rss"][side] == max(used["maxrss_kb"] * 1024, highest)


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_people_are_told_what_was_not_compared(program, runs, form):
    told = program("diff", *runs, "--format", form).out
    assert re.search(r"Wall time.*\+.*\n.*CPU time.*\+.*\n.*Peak RSS.*\+", told)
    assert told.rstrip().endswith("Neither has stacks, so no functions are compared.")


def test_one_of_them_has_stacks(program, runs, samples):
    nightly = samples / "nightly"
    assert "The one after has no stacks, so no" in program("diff", nightly, runs[0]).out
    assert "The one before has no stacks, so no" in program("diff", runs[0], nightly).out


def test_a_metric_that_was_asked_for_is_not_given_up(program, runs):
    refused = program("diff", *runs, "--metric", "peak")
    assert refused.status == 3 and "before has no stacks" in refused.err


def test_a_lane_of_each_is_all_that_is_known(program, samples, tmp_path):
    """No figure of both: then there is nothing to show."""
    first, second = tmp_path / "a.stderr.txt", tmp_path / "b.stderr.txt"
    for path in (first, second):
        path.write_text("Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nValueError: x\n")
    refused = program("diff", first, second)
    assert refused.status == 3 and "has no stacks" in refused.err


def test_the_card_begins_with_the_figure_that_changed_most(program, runs, tmp_path):
    page = tmp_path / "card.html"
    assert program("diff", *runs, "-o", page).status == 0
    shown = html.unescape(page.read_text())
    told = re.search(r"<p class='verdict'>.*?</p>", shown)[0]
    figures = {figure["name"]: figure for figure in program("diff", *runs, "--json").json()["figures"]}
    most = max(figures, key=lambda name: 1 - figures[name]["before"] / figures[name]["after"])
    assert {"duration": "Wall time", "cpu_time": "CPU time", "rss": "Peak RSS"}[most] in told
    assert "What differs between the runs" in shown and "RSS before" in shown and "id='difference'" not in shown


def test_the_figures_are_beside_those_of_stacks(program, samples, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(samples / "nightly", other)
    told = program("diff", samples / "nightly", other).out
    assert re.search(r"Wall time +2\.83 s +2\.83 s +0 s\n", told) and "Peak RSS" in told


def test_parts_of_a_run_have_no_figures_of_all_of_it(program, samples, tmp_path):
    """Both sides of such a card had the wall time, CPU time and RSS of the whole run; how long a part is was chosen."""
    parts = (samples / "nightly", "--base-window", "0:1", "--window", "1:2")
    assert program("diff", *parts, "--json").json()["figures"] == []
    page = tmp_path / "card.html"
    program("diff", *parts, "-o", page)
    text = page.read_text()
    assert not any(word in text for word in ("Wall time", "Peak RSS", "<dt>Duration", "<th scope='row'>Started"))


def nightly_with(samples, place, factor):
    """The sample whose processes had FACTOR times the memory, without the capture of its heap."""
    shutil.copytree(samples / "nightly", place)
    (place / "memray.bin").unlink()
    lines = [json.loads(line) for line in (place / "timeline.jsonl").read_text().splitlines()]
    for line in lines:
        if "rss_mb" in line:
            line["rss_mb"] *= factor
    (place / "timeline.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return place


def test_more_memory_is_told_where_the_time_is_the_same(program, samples, tmp_path):
    before, after = nightly_with(samples, tmp_path / "before", 1), nightly_with(samples, tmp_path / "after", 2)
    page = program("diff", before, after, "-o", "-", "--format", "html").out
    told = re.sub("<.*?>", "", re.search(r"<p class='verdict'>.*?</p>", page)[0])
    assert re.fullmatch("\u00b1Time is the same .*[.] \u25b2 Peak RSS rose 100 % .65.* \u2192 130.*[.]", told), told
    same = program("diff", before, before, "-o", "-", "--format", "html").out
    assert "Peak RSS rose" not in same and "Time is the same" in same


def test_a_profile_and_a_timeline_of_one_run_are_of_one_process(program, samples, tmp_path):
    run = nightly_with(samples, tmp_path / "run", 1)
    assert "<dt>Processes</dt>" not in program("card", run, "-o", "-").out
