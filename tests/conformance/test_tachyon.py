# SPDX-License-Identifier: Apache-2.0
"""Tachyon's recordings, compared with the profile that they were written from: no recording of CPython's is at hand."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "samples/cpu/etl.pyspy.speedscope.json"
SAMPLE = ROOT / "samples/cpu/etl.tachyon"
FORMS = {"packed": [], "plain": ["--plain"], "big-endian": ["--big-endian"], "old": ["--old", "--plain"]}


def written(path, *options):
    writer = ROOT / "tests/support/speedscope_to_tachyon.py"
    subprocess.run([sys.executable, writer, SOURCE, path, *options], check=True)
    return path


def stacks(program, path, metric, *options):
    records = program("export", path, "--metric", metric, *options).json()["records"]
    return {tuple(map(tuple, record["stack"])): (round(record["self"] * 1e6), record["samples"]) for record in records}


def test_the_sample_is_what_the_writer_writes(tmp_path):
    assert written(tmp_path / "etl").read_bytes()[:28] == SAMPLE.read_bytes()[:28]


@pytest.mark.parametrize("form", FORMS)
def test_stacks_are_those_of_the_source(form, program, tmp_path):
    metric = "time" if form == "old" else "wall"
    source = stacks(program, SOURCE, program("info", SOURCE, "--json").json()["metrics"][0]["name"])
    want = {stack: (self_us, round(self_us / 4000)) for stack, (self_us, _) in source.items()}
    assert stacks(program, written(tmp_path / "etl", *FORMS[form]), metric) == want


def test_states_are_metrics(program):
    on_cpu, every = (sum(count for _, count in stacks(program, SAMPLE, metric).values())
                     for metric in ("on_cpu", "wall"))
    assert 0 < on_cpu < every
    assert stacks(program, SAMPLE, "on_cpu") == stacks(program, SAMPLE, "has_gil")


def test_a_window_has_its_samples(program):
    parts = [program("table", SAMPLE, "--json", "--window", window).json()["total"]
             for window in ("0:0.2", "0.2:5", "0:5")]
    assert parts == pytest.approx([0.2, 0.512, 0.712])


@pytest.mark.parametrize("form", FORMS)
def test_a_cut_recording_keeps_what_is_before_the_cut(form, program, tmp_path):
    path = written(tmp_path / "etl", *FORMS[form])
    data = path.read_bytes()
    seen = 0
    for length in range(0, len(data), 37):
        answer = program("info", "-", "--json", input=data[:length])
        assert answer.status in (0, 3)
        if answer.status == 0:
            seen += 1
            assert answer.json()["complete"] is False
    assert seen
