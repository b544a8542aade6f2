# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry's profiles, compared with what OpenTelemetry's own classes parse, and with the pprof of the sample."""

import json
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from packages import environment

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "samples/cpu/endpoints.otlp.gz"
UNITS = {"cpu": 1e9, "samples": 1}


@pytest.fixture(scope="module")
def classes():
    """The Python that has OpenTelemetry's classes."""
    found = environment("otlp")
    if not found:
        pytest.skip("opentelemetry-proto cannot be installed here")
    return found / "python"


def exported(program, path, metric):
    got = defaultdict(float)
    for record in program("export", path, "--metric", metric).json()["records"]:
        got[tuple(function for function, _, _ in reversed(record["stack"]))] += record["self"]
    return {key: value for key, value in got.items() if value}


def run(python, script, *arguments):
    return subprocess.run([python, ROOT / "tests/support" / script, *arguments], check=True, capture_output=True,
                          timeout=60).stdout


@pytest.mark.parametrize("metric", UNITS)
def test_stacks_are_those_of_the_classes(metric, program, classes):
    truth = json.loads(run(classes, "otlp_truth.py", SAMPLE))
    want = {tuple(stack): value / UNITS[metric] for stack, value in truth[metric]}
    assert exported(program, SAMPLE, metric) == pytest.approx(want, rel=1e-9)


@pytest.mark.parametrize("name,metric", [("clock", "itimer"), ("alloc", "object_sampler")])
def test_what_async_profiler_writes_is_what_the_classes_parse(name, metric, program, classes):
    """Its own output (async-profiler 4.5, event=itimer,threads and event=alloc), which has frames without a file."""
    path = ROOT / f"tests/conformance/async/{name}.otlp.gz"
    truth = json.loads(run(classes, "otlp_truth.py", path))
    assert list(truth) == [metric]
    assert exported(program, path, metric) == {tuple(stack): value for stack, value in truth[metric]}


@pytest.mark.parametrize("metric", UNITS)
def test_stacks_are_those_of_the_pprof_that_it_was_made_of(metric, program):
    pprof = ROOT / "samples/cpu/endpoints.cpu.pb.gz"
    assert exported(program, SAMPLE, metric) == pytest.approx(exported(program, pprof, metric), rel=1e-9)


def test_the_sample_is_what_the_classes_write(classes, tmp_path):
    again = tmp_path / "again.gz"
    run(classes, "pprof_to_otlp.py", ROOT / "samples/cpu/endpoints.cpu.pb.gz", again)
    assert json.loads(run(classes, "otlp_truth.py", again)) == json.loads(run(classes, "otlp_truth.py", SAMPLE))


@pytest.mark.parametrize("packing", [["gzip", "-dc"], ["sh", "-c", 'gzip -dc "$0" | zstd -qc']], ids=["plain", "zstd"])
def test_plain_and_packed_files_are_the_same(packing, program, tmp_path):
    other = tmp_path / "other.otlp"
    other.write_bytes(subprocess.run([*packing, SAMPLE], check=True, capture_output=True, timeout=60).stdout)
    assert exported(program, other, "cpu") == exported(program, SAMPLE, "cpu")


def test_labels_are_levels(program):
    document = json.dumps(program("tree", SAMPLE, "--json", "--tag-root", "service.name,endpoint").json())
    assert "service.name: endpoints" in document
    assert "endpoint: " in document
