# SPDX-License-Identifier: Apache-2.0
"""What traces of PyTorch show of GPUs, against a second computation; the finding that one waits for its program, and
that one had no memory."""

import json
import pickle
import random
import re

import pytest
import torch_snapshot


def event(category, name, start, duration, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": args.pop("pid", 7), "tid": args.pop("tid", 7),
            "ts": start, "dur": duration, "args": args}


def work(category, name, start, duration, launched, number, device=0):
    """A launch by the program, and what it launched, as kineto writes both."""
    yield event("cuda_runtime", "cudaLaunchKernel", launched, 3, correlation=number)
    yield event(category, name, start, duration, correlation=number, device=device, stream=7, pid=device, tid=7)


def trace(path, events):
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": list(events)}))
    return path


def notes(program, path):
    return dict(re.findall(r"(GPU \d+) was (busy for .*)", program("info", path).out))


def figures(note):
    names = ["busy for", "kernels", "copies", "communication", "idle", "of which"]
    return [float(re.search(rf"{name}\s+([\d.]*\d)", note)[1]) if name in note else None for name in names]


def findings(program, path):
    return {one["rule"]: one for one in program("explain", "--json", "-q", path).json()["findings"]}


def covered(spans, first, last):
    """Each microsecond of the span that is in one of them."""
    return {us for start, end in spans for us in range(max(first, start), min(last, end))}


def second_opinion(works, first, last):
    """The figures of a note, microsecond by microsecond."""
    busy = covered([(start, start + length) for _, start, length, _ in works], first, last)
    kinds = [covered([(start, start + length) for kind, start, length, _ in works if kind == wanted], first, last)
             for wanted in range(3)]
    idle = set(range(first, last)) - busy
    starved = [us for us in idle if all(launched > us for _, start, _, launched in works if start > us)]
    return [100 * len(part) / (last - first) for part in (busy, *kinds, idle, starved)]


CATEGORIES = [("kernel", "void at::native::add"), ("gpu_memcpy", "Memcpy HtoD"), ("kernel", "ncclDevKernel_AllReduce")]


@pytest.mark.parametrize("seed", range(4))
def test_figures_are_those_of_a_second_computation(program, tmp_path, seed):
    rng = random.Random(seed)
    events, devices, number = [], {0: [], 1: []}, 0
    for device, works in devices.items():
        at = 100
        for _ in range(60):
            at += rng.choice((0, 2, 9, 40))
            kind, length = rng.randrange(3), rng.randint(1, 30)
            number += 1
            launched = max(0, at - rng.choice((1, 1, 5, 60)))
            works.append((kind, at, length, launched))
            events += work(*CATEGORIES[kind], at, length, launched, number, device)
            at += rng.choice((length, length, length // 2))
    steps = [(50, 700), (700, 1900)] if seed % 2 else []
    events += [event("user_annotation", f"ProfilerStep#{i}", start, end - start)
               for i, (start, end) in enumerate(steps)]
    rng.shuffle(events)
    told = notes(program, trace(tmp_path / "t.json", events))
    for device, works in devices.items():
        first = steps[0][0] if steps else min(start for _, start, _, _ in works)
        last = steps[-1][1] if steps else max(start + length for _, start, length, _ in works)
        assert figures(told[f"GPU {device}"]) == pytest.approx(second_opinion(works, first, last), abs=0.051)


def steady(launch_late, share):
    """Kernels that fill all but a share of the time; they are launched long before or just when they begin."""
    for i in range(50):
        start = 1000 + 100 * i
        launched = start - 1 if launch_late else 100 + i
        yield from work("kernel", "k", start, 100 - share, launched, i + 1)


def test_a_gpu_that_waits_for_its_launches_is_a_finding(program, tmp_path):
    found = findings(program, trace(tmp_path / "t.json", steady(True, 60)))
    assert "GPU 0 waits" in json.dumps(found["gpu-waits"])


@pytest.mark.parametrize("late, share", [(True, 10), (False, 60)])
def test_a_busy_gpu_and_one_with_work_in_its_queue_are_none(program, tmp_path, late, share):
    assert "gpu-waits" not in findings(program, trace(tmp_path / "t.json", steady(late, share)))


def test_without_launches_nothing_is_claimed(program, tmp_path):
    kernels = [one for one in steady(True, 60) if one["cat"] == "kernel"]
    path = trace(tmp_path / "t.json", kernels)
    assert figures(notes(program, path)["GPU 0"])[-1] is None
    assert "gpu-waits" not in findings(program, path)


def test_a_digest_and_a_run_folder_keep_the_finding(program, tmp_path):
    path = trace(tmp_path / "t.json", steady(True, 60))
    assert program("digest", path, "-o", tmp_path / "t.prz").status == 0
    assert "gpu-waits" in findings(program, tmp_path / "t.prz")
    (tmp_path / "run").mkdir()
    path.rename(tmp_path / "run/trace.json")
    (tmp_path / "run/notes.md").write_text("a run\n")
    (tmp_path / "run/stacks.txt").write_text("main;work 5\n")
    assert "gpu-waits" in findings(program, tmp_path / "run")


# ---- memory ----------------------------------------------------------------------------------------------------------

PLACE = [("work.py", 7, "work")]
MIB = 1 << 20


def snapshot(path, *last):
    """A device of 200 MiB: every second one of ten blocks of 20 MiB is free, then LAST is asked for, each."""
    allocator = torch_snapshot.Allocator(0, 200 * MIB)
    blocks = [allocator.alloc(19 * MIB, PLACE) for _ in range(10)]
    kept = []
    for block in blocks[1::2]:
        allocator.free(block)
    for size in last:
        try:
            kept.append(allocator.alloc(size * MIB, PLACE))
        except torch_snapshot.OutOfMemory:
            pass
    path.write_bytes(pickle.dumps(torch_snapshot.snapshot_of([allocator])))
    return path


def test_a_device_without_memory_is_a_finding_and_only_what_is_proven_is_said(program, tmp_path):
    too_large = findings(program, snapshot(tmp_path / "large.pickle", 900))["device-memory"]
    assert "exceeds both together" in json.dumps(too_large) and "fragmentation" not in json.dumps(too_large)
    assert "device-memory" not in findings(program, snapshot(tmp_path / "fits.pickle", 10))
    twice = findings(program, snapshot(tmp_path / "twice.pickle", 150, 900, 160))["device-memory"]
    assert "exceeds both" not in json.dumps(twice) and "3 times" in json.dumps(twice)


def test_free_parts_that_are_enough_together_are_fragmentation(program, samples):
    found = findings(program, samples / "cpu/train.torch.pickle")["device-memory"]
    assert "fragmentation" in json.dumps(found)


def test_without_a_gpu_nothing_is_judged(program, samples):
    for name, outcome in (("daily-sales.bin", "not judged"), ("cpu/train.torch.trace.json.gz", "not judged")):
        rules = program("explain", "--json", "-q", samples / name).json()["rules"]
        assert {rule["rule"]: rule["outcome"] for rule in rules}["device-memory"] == outcome
