# SPDX-License-Identifier: Apache-2.0
"""One thing has one name for scripts, wherever it is asked for."""

import json

import pytest

SAMPLE = "daily-sales.bin"


@pytest.mark.parametrize("how", [["--view", "leaked"], ["--metric", "leaked"],
                         ["--view", "leaks"], ["--metric", "leaks"]])
def test_leaks_are_exported_by_either_name(program, samples, how):
    document = json.loads(program("export", samples / SAMPLE, *how).out)
    assert document["view"] == "leaks"


@pytest.mark.parametrize("view", ["leaked", "leaks", "peak", "temporary", "allocated", "cpu", "series"])
def test_no_view_is_null(program, samples, view):
    names = SAMPLE, "cpu/etl.pyspy.folded", "cpu/fanout.yappi.pstats", "temporaries-py3.12-memray1.20.0-buffered.bin"
    for name in names:
        answer = program("export", samples / name, "--view", view)
        if answer.status == 0 and view != "series":
            assert isinstance(json.loads(answer.out)["view"], str), (name, view)


@pytest.mark.parametrize("option", ["--leaks", "--temporary", "--allocated", "--json"])
def test_every_report_counts_what_it_shows(program, samples, tmp_path, option):
    """What a report does not show need not be counted. A digest has counted all."""
    capture, digest = samples / SAMPLE, tmp_path / "all.prz"
    assert program("digest", capture, "-o", digest).status == 0
    for command in ("summary", "table", "tree"):
        told, known = (json.loads(program(command, "--json", option, path).out) for path in (capture, digest))
        assert told["total"] == known["total"] > 0 and told["total_count"] == known["total_count"], command
        assert told["rows"] == known["rows"], command
    twice = json.loads(program("table", "--json", option, capture, digest).out)
    assert (twice["total"], twice["total_count"]) == (2 * told["total"], 2 * told["total_count"])


@pytest.mark.parametrize("view", ["leaks", "temporary", "allocated"])
def test_an_export_counts_what_it_shows(program, samples, tmp_path, view):
    capture, digest = samples / SAMPLE, tmp_path / "all.prz"
    assert program("digest", capture, "-o", digest).status == 0
    told, known = (json.loads(program("export", path, "--view", view).out) for path in (capture, digest))
    assert told["total_size"] > 0 and told == known
