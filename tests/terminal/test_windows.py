# SPDX-License-Identifier: Apache-2.0
"""Reports on part of a run: which parts can be selected, and that the report names the part."""

import json

import pytest


@pytest.fixture
def capture(samples):
    return samples / "daily-sales.bin"


def heading(answer):
    assert answer.status == 0, answer.err
    return answer.out.splitlines()[0]


def test_the_heading_of_a_table_names_its_window(program, capture):
    assert " at the peak of 0 s to 1." in heading(program("table", capture, "--window", "0:1"))
    leaks = heading(program("table", capture, "--window", "0:1", "--leaks"))
    assert " allocated in 0 s to 1." in leaks and " and not freed by its end" in leaks


def test_the_heading_of_a_time_profile_names_its_window(program, samples):
    whole = heading(program("table", samples / "cpu/etl.pyspy.speedscope.json"))
    part = heading(program("table", samples / "cpu/etl.pyspy.speedscope.json", "--window", "0:0.5"))
    assert " to " not in whole and "0 s to 500 ms" in part


def test_the_whole_run_has_no_window_in_its_heading(program, capture):
    assert " at the peak, " in heading(program("table", capture))


def test_json_has_the_window(program, capture):
    assert "window" not in json.loads(program("table", capture, "--json").out)
    start, end = json.loads(program("table", capture, "--json", "--window", "0:1").out)["window"]
    assert 1000 <= end - start < 1200


@pytest.mark.parametrize("open_end, closed", [("2:", "2:999"), (":2", "0:2"), ("b5:", "b5:b320"), (":b5", "b0:b5")])
def test_an_end_may_be_left_out(program, capture, open_end, closed):
    answer = program("table", capture, "--window", open_end)
    assert answer.status == 0 and answer.out == program("table", capture, "--window", closed).out


def test_bins_past_the_end_are_said(program, capture):
    answer = program("table", capture, "--window", "b3:b900")
    assert answer.status == 0 and "b0 to b320" in answer.err
    assert program("table", capture, "--window", "b3:b320").err == ""


@pytest.mark.parametrize("window, reason", [
    ("5:2", "5:2 ends before it starts"), ("b5:b2", "b5:b2 ends before it starts"), ("-1:2", "before the run"),
    (":", "takes FROM:TO"), ("1", "takes FROM:TO"), ("1:b2", "takes FROM:TO"), ("a:b", "takes FROM:TO"),
    ("nan:1", "takes FROM:TO"), ("1:2:3", "takes FROM:TO"), ("", "takes FROM:TO")])
def test_a_wrong_window_is_refused_with_its_reason(program, capture, window, reason):
    for command in ["table"], ["export"], ["diff", capture]:
        answer = program(*command, capture, "--window", window)
        assert answer.status == 2 and reason in answer.err, answer


def test_a_window_after_the_end_tells_how_long_the_run_is(program, capture):
    seconds, bins = (program("table", capture, "--window", window) for window in ("100:200", "b900:"))
    assert (seconds.status, bins.status) == (3, 3)
    assert "the run lasts 9.31 s" in seconds.err and "b0 to b320" in bins.err


@pytest.mark.parametrize("metric", ["temporary", "allocated"])
def test_what_has_no_window_is_not_said_to_be_absent(program, capture, metric):
    answer = program("table", capture, "--window", "0:1", "--metric", metric)
    assert answer.status == 2 and "only peak and leaked" in answer.err and f"'{metric}'" in answer.err
