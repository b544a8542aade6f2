# SPDX-License-Identifier: Apache-2.0
"""Operators and kernels of PyTorch's traces.

Calls, own and total time of each operator are those of key_averages() of the same profile: of recordings from an H200
(h200/, PyTorch 2.11), and of one made now where PyTorch is installed.
Work of devices, in traces that are made up here as kineto writes them, against a second computation of what each
operator caused. TensorBoard's plugin (torch-tb-profiler 0.4.3) had the same figures for such a trace, on one thread.
"""

import gzip
import importlib.util
import json
import random
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

NEAR = 1e-9
PROGRAM = """
import json, sys, torch
from torch.profiler import ProfilerActivity, profile, record_function
torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(32, 64), torch.randint(0, 10, (32,))
def step():
    with record_function("forward pass"):
        loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
step()
with profile(activities=[ProfilerActivity.CPU]) as recorded:
    for _ in range(4):
        step()
recorded.export_chrome_trace(sys.argv[1])
print(json.dumps([[e.key, e.count, e.self_cpu_time_total, e.cpu_time_total] for e in recorded.key_averages()]))
"""


def events_of(path):
    return json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]


def doubled(events):
    """{name: calls directly inside one of their own name}: key_averages() takes such a pair for one call."""
    found, open_calls = defaultdict(int), defaultdict(list)
    calls = (event for event in events if event["ph"] == "X" and event.get("cat") == "cpu_op")
    for event in sorted(calls, key=lambda each: (each["ts"], -each["dur"])):
        outer = open_calls[event["tid"]]
        while outer and outer[-1]["ts"] + outer[-1]["dur"] <= event["ts"]:
            outer.pop()
        found[event["name"]] += bool(outer) and outer[-1]["name"] == event["name"]
        outer.append(event)
    return found


def rows(program, path, metric):
    table = program("table", path, "--json", "--metric", metric, "--group", "function", "--limit", "0").json()
    found = defaultdict(lambda: [0, 0, 0])
    for row in table["rows"]:
        sums = found[row["function"]]
        for i, field in enumerate(("self_count", "self", "total")):
            sums[i] += row[field] or 0
    return found, table["total"]


def test_operators_are_those_of_key_averages(program, tmp_path):
    if not importlib.util.find_spec("torch"):
        pytest.skip("PyTorch is not installed")
    path = tmp_path / "trace.json"
    done = subprocess.run([sys.executable, "-c", PROGRAM, path], check=True, stdout=subprocess.PIPE)
    averages = json.loads(done.stdout)
    found, _ = rows(program, path, "cpu")
    assert len(averages) > 20
    for name, calls, own_us, total_us in averages:
        assert found[name] == pytest.approx([calls, own_us / 1e6, total_us / 1e6], abs=1e-8), name


# Where an annotation was on the device, from its first kernel to its last: key_averages() adds it to the annotation.
SPANS = {"forward pass", "backward pass", "load batch", "Optimizer.step#AdamW.step", "ProfilerStep*", "one step"}
# What the profiler itself cost has no thread in a trace. Here it counts for the calls around it; in key_averages() it
# does not, and has work of devices. Where functions of Python are recorded, the one that ends an annotation begins
# before its end.
COST = "Activity Buffer Request"
ASIDE = {"ProfilerStep*", "one step", COST}
H200 = Path(__file__).parent / "h200"
RECORDED = ["steps", "graph", "launch", "stack", "compiled", "nccl"]


# Not of nccl: there key_averages() says that waiting for an event caused work of devices, as two numberings collide.
@pytest.mark.parametrize("name", RECORDED[:-1])
def test_a_real_gpu_trace_has_the_figures_of_key_averages(program, name):
    path = H200 / f"{name}.trace.json.gz"
    averages = json.loads(gzip.decompress((H200 / f"{name}.averages.json.gz").read_bytes()))
    (cpu, cpu_total), (gpu, gpu_total) = rows(program, path, "cpu"), rows(program, path, "gpu")
    events = events_of(path)
    twice, costs = doubled(events), {0.0}
    for us in [event["dur"] for event in events if event["name"] == COST]:
        costs |= {cost + us for cost in costs}
    no_work = [each[4] for each in averages if each[0] == COST]
    compared = 0
    for key, calls, own_us, total_us, own_gpu_us, total_gpu_us, kind in averages:
        if kind.endswith("CPU") and key not in ASIDE:
            assert cpu[key][0] - twice[key] == calls, key
            assert cpu[key][2] == pytest.approx(total_us / 1e6, abs=1e-8), key
            assert min(abs(cpu[key][1] - (own_us + cost) / 1e6) for cost in costs) < 1e-8, key
            if total_gpu_us:
                assert min(abs(gpu[key][2] - (total_gpu_us - more) / 1e6) for more in (0, *no_work)) < 1e-8, key
        elif kind.endswith("CUDA") and key not in SPANS and own_gpu_us:
            assert gpu[key] == pytest.approx([calls, own_gpu_us / 1e6, own_gpu_us / 1e6], abs=1e-8), key
        compared += 1
    kernels = sum(each[4] for each in averages if each[6].endswith("CUDA") and each[0] not in SPANS)
    assert gpu_total == pytest.approx(kernels / 1e6, abs=1e-8)
    assert compared > 10 and 0 < gpu_total < cpu_total


@pytest.mark.parametrize("name", RECORDED)
def test_what_a_gpu_did_is_no_time_of_the_program(program, name):
    path = H200 / f"{name}.trace.json.gz"
    events = events_of(path)
    of_program = {"cpu_op", "user_annotation", "cuda_runtime", "cuda_driver", "python_function"}
    found, _ = rows(program, path, "cpu")
    assert sum(calls for calls, _, _ in found.values()) == sum(each.get("cat") in of_program for each in events)


@pytest.mark.parametrize("name", RECORDED)
def test_windows_have_the_work_that_ran_in_them(program, name):
    path = H200 / f"{name}.trace.json.gz"
    events = [event for event in events_of(path)
              if event["ph"] == "X" and event.get("cat") not in ("Trace", "overhead", "gpu_user_annotation")]
    first = min(event["ts"] for event in events)
    work = [(event["ts"] - first, event["ts"] - first + event["dur"]) for event in events
            if event["cat"] in ("kernel", "gpu_memcpy", "gpu_memset")]
    last = max(to for _, to in work)
    edges = [0, last * 0.21, last * 0.5, last * 0.77, last * 1.01]
    for start, end in zip(edges, edges[1:]):
        table = program("table", path, "--json", "--metric", "gpu", "--window", f"{start / 1e6}:{end / 1e6}")
        want = sum(max(0, min(end, to) - max(start, at)) for at, to in work)
        assert table.json()["total"] == pytest.approx(want / 1e6, abs=len(work) * 1e-9), (start, end)


@pytest.mark.parametrize("name", ["nccl", "compiled"])
def test_what_pytorch_itself_does_is_not_the_users_code(program, name):
    rows = program("table", H200 / f"{name}.trace.json.gz", "--json", "--limit", "0").json()["rows"]
    assert [row["function"] for row in rows if row["owner"] == "my code"] == ["one step"]


def test_what_the_profiler_itself_cost_is_said(program):
    path = H200 / "launch.trace.json.gz"
    cost = sum(event["dur"] for event in events_of(path) if event["name"] == COST) / 1000
    shown = f"{cost:.3f}" if cost < 100 else f"{cost:.0f}"
    assert f"the profiler itself worked for {shown} ms" in program("info", path).out


@pytest.mark.parametrize("name", RECORDED)
def test_calls_of_the_driver_and_of_its_runtime_are_not_the_users_code(program, name):
    trace = H200 / f"{name}.trace.json.gz"
    calls = {event["name"] for event in events_of(trace) if event.get("cat") in ("cuda_runtime", "cuda_driver")}
    rows = [row for row in program("table", trace, "--json").json()["rows"] if row["function"] in calls]
    assert len(rows) > 1 and "my code" not in {row["owner"] for row in rows}, rows


def test_a_trace_of_xla_keeps_the_gpu_apart_from_the_program(program):
    path = H200 / "jax.trace.json.gz"
    events = [each for each in json.loads(gzip.decompress(path.read_bytes()))["traceEvents"] if each.get("ph") == "X"]
    kernels = [each for each in events if each["pid"] == 1]
    gpu, gpu_total = rows(program, path, "gpu")
    cpu, _ = rows(program, path, "cpu")
    assert len(kernels) == 5 and gpu_total == pytest.approx(sum(each["dur"] for each in kernels) / 1e6, abs=1e-8)
    assert gpu["PjitFunction(dot)"][2] == gpu_total
    assert sum(calls for calls, _, _ in cpu.values()) == len(events) - len(kernels)
    assert "start_trace" in cpu and not [name for name in cpu if name.startswith("$profiler")]


# ---- devices ---------------------------------------------------------------------------------------------------------

OPERATORS = ["aten::linear", "aten::addmm", "aten::copy_", "aten::relu", "autograd::engine", "forward pass"]
KERNELS = [("kernel", "void gemm<128>(float*)"), ("kernel", "vectorized_add"), ("gpu_memcpy", "Memcpy HtoD"),
           ("kernel", "ncclDevKernel_AllReduce_Sum"), ("gpu_memset", "Memset (Device)")]


class Made:
    """A trace of nested operators that launch work on two devices, and what each of them then caused."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.events, self.number, self.device_free = [], 0, [0, 0]
        self.caused, self.worked = defaultdict(lambda: [0, 0]), defaultdict(lambda: [0, 0])
        for thread in (7, 8):
            now = 0
            for step in range(3):
                end = self.operator(now + 1, f"ProfilerStep#{step}", [], 0, thread)
                now = end
        self.orphan()
        self.rng.shuffle(self.events)

    def event(self, category, name, start, end, thread, process=3, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": process, "tid": thread, "ts": start,
                            "dur": end - start, "args": args})

    def operator(self, start, name, above, depth, thread):
        above = [*above, name]
        now = start + 2
        for _ in range(self.rng.randrange(1, 5)):
            if depth < 4 and self.rng.random() < 0.6:
                now = self.operator(now, self.rng.choice([one for one in OPERATORS if one not in above]), above,
                                    depth + 1, thread) + 1
            else:
                now = self.launch(now, above, thread) + 1
        self.event("user_annotation" if depth == 0 else "cpu_op", name, start, now + 1, thread, **{"External id": 1})
        return now + 1

    def launch(self, start, above, thread):
        self.number += 1
        category, name = self.rng.choice(KERNELS)
        call = "cudaMemcpyAsync" if category == "gpu_memcpy" else "cudaLaunchKernel"
        self.event("cuda_runtime", call, start, start + 4, thread, correlation=self.number)
        device, length = self.rng.randrange(2), self.rng.randrange(1, 60)
        begin = max(start + 5, self.device_free[device])
        self.device_free[device] = begin + length
        self.event(category, name, begin, begin + length, 7, process=device, device=device, stream=7,
                   correlation=self.number)
        for one in {*above, call}:
            self.caused[one][1] += length
        self.caused[name][0] += 1
        self.caused[name][1] += length
        self.worked[name][0] += 1
        self.worked[name][1] += length
        return start + 4

    def orphan(self):
        """Work whose launch was not recorded."""
        self.event("kernel", "late", 5000, 5007, 7, process=0, device=0, stream=7, correlation=99999)
        self.caused["late"] = [1, 7]
        self.caused["(launch not recorded)"] = [0, 7]
        self.worked["late"] = [1, 7]

    def write(self, path):
        path.write_bytes(gzip.compress(json.dumps({"schemaVersion": 1, "traceEvents": self.events}).encode(), mtime=0))
        return path


@pytest.mark.parametrize("seed", range(6))
def test_each_operator_has_the_time_of_devices_that_it_caused(program, tmp_path, seed):
    made = Made(seed)
    found, total = rows(program, made.write(tmp_path / "made.pt.trace.json.gz"), "gpu")
    assert total == pytest.approx(sum(us for _, us in made.worked.values()) / 1e6, abs=NEAR)
    for name, (works, us) in made.caused.items():
        own = made.worked[name][1] if name in made.worked else 0
        assert found.pop(name) == pytest.approx([works, own / 1e6, us / 1e6], abs=NEAR), name
    assert not found


@pytest.mark.parametrize("seed", range(2))
def test_a_digest_has_the_same(program, tmp_path, seed):
    path = Made(seed).write(tmp_path / "made.json.gz")
    program("digest", path, "-o", tmp_path / "made.prz")
    assert rows(program, path, "gpu") == rows(program, tmp_path / "made.prz", "gpu")


def test_a_trace_without_devices_has_no_such_metric(program, samples):
    info = program("info", samples / "cpu/train.torch.trace.json.gz", "--json").json()
    assert [metric["name"] for metric in info["metrics"]] == ["cpu"]
