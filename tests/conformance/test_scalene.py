# SPDX-License-Identifier: Apache-2.0
"""Scalene's stacks: what each function took with all it called is what the shares of its stacks add up to."""

import gzip
import json
from collections import defaultdict
from pathlib import Path

import pytest

SAMPLE = Path(__file__).resolve().parent.parent.parent / "samples/cpu/tiny.scalene.json.gz"


def function_of(frame):
    return frame.rstrip(";").rsplit(":", 1)[0].rsplit(" ", 1)[1]


def test_totals_are_those_of_the_stacks(program):
    document = json.loads(gzip.decompress(SAMPLE.read_bytes()))
    want, got = defaultdict(float), defaultdict(float)
    for stack, figures in document["stacks"]:
        for function in {function_of(frame) for frame in stack}:
            want[function] += figures["cpu_samples"] * document["elapsed_time_sec"]
    for record in program("export", SAMPLE, "--metric", "cpu").json()["records"]:
        for function in {name for name, _, _ in record["stack"]}:
            got[function] += record["self"]
    assert len(want) > 3
    assert got == pytest.approx(want, rel=0.01, abs=0.002 * document["elapsed_time_sec"])


def test_lines_have_their_own_figures(program):
    document = json.loads(gzip.decompress(SAMPLE.read_bytes()))
    shares = ("n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent")
    want, got = defaultdict(float), defaultdict(float)
    for name, file in document["files"].items():
        for line in file["lines"]:
            want[name, line["lineno"]] += sum(line[share] for share in shares) * document["elapsed_time_sec"] / 100
    for record in program("export", SAMPLE, "--metric", "cpu").json()["records"]:
        _, name, line = record["stack"][0]
        got[name, line] += record["self"]
    assert got == pytest.approx({key: value for key, value in want.items() if value}, rel=1e-6)
