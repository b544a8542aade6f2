# SPDX-License-Identifier: Apache-2.0
"""Firefox's profiles, compared with a plain reading of their tables: the samples and the CPU time of each stack."""

import gzip
import json
from collections import defaultdict
from pathlib import Path

import pytest

SAMPLES = sorted((Path(__file__).resolve().parent.parent.parent / "samples/cpu").glob("*.samply.json.gz"))


def name_of(profile, thread, frame):
    frames, funcs = thread["frameTable"], thread["funcTable"]
    func = frames["func"][frame]
    name = thread["stringArray"][funcs["name"][func]]
    resource = funcs["resource"][func]
    if not name.startswith("0x") or resource < 0:
        return name
    library = profile["libs"][thread["resourceTable"]["lib"][resource]]
    return f"{library['path'].rsplit('/', 1)[-1]}+{frames['address'][frame]:#x}"


def stack_of(profile, thread, stack):
    names = []
    while stack is not None:
        names.append(name_of(profile, thread, thread["stackTable"]["frame"][stack]))
        stack = thread["stackTable"]["prefix"][stack]
    return tuple(names)


def rows_of(profile):
    """For each sample: thread, stack, its column."""
    for thread in profile["threads"]:
        samples = thread["samples"]
        for i, stack in enumerate(samples["stack"]):
            if stack is not None:
                yield thread, stack_of(profile, thread, stack), i


def exported(program, path, metric):
    got = defaultdict(float)
    for record in program("export", path, "--metric", metric, "--threads", "split").json()["records"]:
        got[record["thread"], tuple(function for function, _, _ in record["stack"])] += record["self"]
    return {key: value for key, value in got.items() if value}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("metric", ["samples", "cpu", "time"])
def test_stacks_are_those_of_the_tables(path, metric, program):
    profile = json.loads(gzip.decompress(path.read_bytes()))
    want = defaultdict(float)
    for thread, stack, i in rows_of(profile):
        samples = thread["samples"]
        deltas = samples["timeDeltas"]
        value = {"samples": samples["weight"][i],
                 "cpu": samples["threadCPUDelta"][i] / 1e6,
                 "time": (deltas[i + 1] if i + 1 < len(deltas) else profile["meta"]["interval"]) / 1e3}[metric]
        want[thread["name"], stack] += value
    want = {key: value for key, value in want.items() if value}
    assert exported(program, path, metric) == pytest.approx(want, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_processes_and_threads_are_those_of_the_profile(path, program):
    profile = json.loads(gzip.decompress(path.read_bytes()))
    threads = program("info", path, "--json").json()["threads"]
    assert [(each["tid"], each["name"]) for each in threads] == \
        [(int(each["tid"].split(".")[0]), each["name"]) for each in profile["threads"]]
