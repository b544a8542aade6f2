# SPDX-License-Identifier: Apache-2.0
"""What `info` shows of each thread: the parts of what the whole profile has."""

from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
CAPTURES = sorted(path for path in (SAMPLES / "cpu").iterdir() if path.name != "expected.json")


@pytest.mark.parametrize("path", [*CAPTURES, SAMPLES / "daily-sales.bin"], ids=lambda path: path.name)
def test_metrics_of_threads_add_up(path, program):
    document = program("info", path, "--json").json()
    for metric in document["metrics"]:
        parts = [thread["totals"][metric["name"]] for thread in document["threads"]]
        assert sum(parts) == pytest.approx(metric["total"], rel=1e-9, abs=1e-6), metric["name"]


def test_threads_have_their_states(program):
    text = program("info", SAMPLES / "cpu/shelf.tachyon").out
    assert "19597                 Time 692 ms, With the GIL 452 ms, Waiting for the GIL 128 ms," in text
    assert "19626                 Time 472 ms, With the GIL 238 ms, Waiting for the GIL 122 ms," in text
