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
