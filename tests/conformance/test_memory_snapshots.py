# SPDX-License-Identifier: Apache-2.0
"""Snapshots of memory, compared with the tools that write them.

Those of tracemalloc with its own statistics; those of PyTorch with a replay of the trace written here, with the
allocator that made them, and with torch.cuda._memory_viz where PyTorch is installed.
"""

import copy
import gzip
import importlib.util
import json
import pickle
import random
import re
import subprocess
import sys
import tracemalloc
from collections import defaultdict
from pathlib import Path

import pytest
import torch_snapshot

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
UNITS = {"B": 1, "bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

# Runs with N frames a stack and dumps twice: nothing that the tests import is in it.
PROGRAM = """
import sys, tracemalloc
tracemalloc.start(int(sys.argv[1]))
def leak(k):
    return [bytes(1000 + i) for i in range(k)]
def table(k):
    return {i: str(i) * 10 for i in range(k)}
kept = [leak(60), table(90)]
tracemalloc.take_snapshot().dump(sys.argv[2])
kept.append(leak(500))
tracemalloc.take_snapshot().dump(sys.argv[3])
"""


# ---- tracemalloc -----------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module", params=[1, 7])
def dumped(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tracemalloc")
    (folder / "work.py").write_text(PROGRAM)
    paths = [folder / "before.snapshot", folder / "after.snapshot"]
    subprocess.run([sys.executable, folder / "work.py", str(request.param), *paths], check=True)
    return request.param, paths


def by_place(snapshot):
    """(file, line) of the innermost frame: bytes and blocks, as tracemalloc adds them up."""
    return {(each.traceback[0].filename, each.traceback[0].lineno): [each.size, each.count]
            for each in snapshot.statistics("lineno")}


def rows_by_place(program, path):
    rows = program("table", path, "--json", "--group", "location", "--limit", "0").json()["rows"]
    return {(row["file"], row["line"]): [row["self"], row["self_count"]] for row in rows if row["self_count"]}


def test_places_are_those_of_tracemallocs_statistics(dumped, program):
    _, paths = dumped
    for path in paths:
        assert rows_by_place(program, path) == by_place(tracemalloc.Snapshot.load(str(path)))


def test_stacks_are_those_of_tracemallocs_statistics(dumped, program):
    _, paths = dumped
    want = defaultdict(int)
    for each in tracemalloc.Snapshot.load(str(paths[1])).statistics("traceback"):
        want[tuple((frame.filename, frame.lineno) for frame in each.traceback)] += each.size
    records = program("export", paths[1]).json()["records"]
    assert {tuple((file, line) for _, file, line in reversed(record["stack"])): record["self"]
            for record in records} == dict(want)


def test_a_difference_of_two_is_that_of_tracemalloc(dumped, program):
    _, paths = dumped
    before, after = (tracemalloc.Snapshot.load(str(path)) for path in paths)
    want = sum(each.size_diff for each in after.compare_to(before, "lineno"))
    grown = next(each for each in after.compare_to(before, "lineno")
                 if each.traceback[0].filename.endswith("work.py") and each.size_diff > 400_000)
    document = program("diff", *paths, "--json").json()
    assert document["change"] == want
    row = next(row for row in document["rows"] if row["function"] == f"work.py:{grown.traceback[0].lineno}")
    assert row["change"] == grown.size_diff


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_gives_the_same_snapshot(protocol, dumped, program):
    _, paths = dumped
    want = program("table", paths[0], "--json").bytes
    data = pickle.dumps(tracemalloc.Snapshot.load(str(paths[0])), protocol)
    same = program("table", "-", "--json", input=data).bytes == want
    assert same


def test_older_traces_are_read(program):
    stack = (("a.py", 3), ("b.py", 9))
    for traces in ([(100, stack)], [(0, 100, stack)], [(0, 100, stack, 2)]):
        data = pickle.dumps(tracemalloc.Snapshot(tuple(traces), 2), 4)
        (row,) = [row for row in program("table", "-", "--json", "--group", "location", input=data).json()["rows"]
                  if row["self"]]
        assert (row["function"], row["file"], row["line"], row["self"]) == ("a.py:3", "a.py", 3, 100)


def test_a_domain_is_a_thread_of_its_own(program):
    traces = ((0, 1, (("a.py", 1),), 1), (389047, 2, (("a.py", 1),), 1))
    data = pickle.dumps(tracemalloc.Snapshot(traces, 1))
    threads = program("info", "-", "--json", input=data).json()["threads"]
    assert [thread["name"] for thread in threads] == [None, "domain 389047"] or \
           [thread["name"] for thread in threads] == ["", "domain 389047"]


def test_a_snapshot_of_nothing_is_complete(program):
    answer = program("info", "-", "--json", input=pickle.dumps(tracemalloc.Snapshot((), 1)))
    assert answer.status == 0 and answer.json()["complete"]


@pytest.mark.parametrize("data", [b"\x80\x04cos\nsystem\n\x8c\x0btracemalloc\x8c\x08Snapshot(\x8c\x02idtR.",
                                  pickle.dumps({"tracemalloc": 1, "Snapshot": 2})])
def test_a_pickle_that_only_looks_like_one_is_not_complete(data, program):
    answer = program("info", "-", "--json", input=data)
    assert answer.status == 0 and not answer.json()["complete"]


def test_a_cut_snapshot_has_what_came_before_the_cut(dumped, program):
    _, paths = dumped
    data = paths[1].read_bytes()
    totals = []
    for part in (0.3, 0.5, 0.7, 0.9, 0.99):
        answer = program("info", "-", "--json", input=data[:int(len(data) * part)])
        document = answer.json()
        assert not document["complete"]
        totals.append(document["metrics"][0]["total"])
    assert totals == sorted(totals) and totals[0] > 0


# ---- PyTorch ---------------------------------------------------------------------------------------------------------

def sizes_in(text):
    return [float(number) * UNITS[unit] for number, unit in re.findall(r"([\d.]+) (B|KiB|MiB|GiB)\b", text)]


def python_leaf(frames):
    return next(((frame["name"], frame["filename"], frame["line"]) for frame in frames
                 if frame["filename"].endswith(".py")), None)


def replay(snapshot):
    """The peak, what is alive at the end, and all allocations, by innermost function of Python: a plain replay."""
    entries = sorted((entry for trace in snapshot["device_traces"] for entry in trace), key=lambda e: e["time_us"])
    alive, peak, at_peak, allocated = {}, 0, {}, defaultdict(int)
    seen, known = set(), set()
    for entry in entries:  # what was there before
        if entry["action"] == "alloc":
            seen.add(entry["addr"])
        elif entry["action"] == "free_completed":
            if entry["addr"] not in seen:
                alive[entry["addr"]] = (entry["size"], ("(allocated before the trace)", None, None))
            seen.discard(entry["addr"])
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            if block["state"] != "inactive" and block["address"] not in seen:
                alive[block["address"]] = (block["requested_size"], python_leaf(block["frames"]))
    for entry in [None, *entries]:
        if entry and entry["action"] == "alloc":
            place = python_leaf(entry.get("frames", []))
            alive[entry["addr"]] = (entry["size"], place)
            allocated[place] += entry["size"]
        elif entry and entry["action"] == "free_completed":
            del alive[entry["addr"]]
        total = sum(size for size, _ in alive.values())
        if total >= peak:
            peak, at_peak = total, dict(alive)
    return {"peak": places(at_peak), "leaked": places(alive), "allocated": dict(allocated)}


def places(alive):
    sums = defaultdict(int)
    for size, place in alive.values():
        sums[place] += size
    return dict(sums)


def rows(program, data, *options):
    answer = program("table", "-", "--json", "--limit", "0", *options, input=data)
    assert answer.status == 0, answer
    return {(row["function"], row["file"], row["line"]): row["self"] for row in answer.json()["rows"] if row["self"]}


def assert_like_replay(program, snapshot):
    data = pickle.dumps(snapshot)
    want = replay(snapshot)
    for metric, options in {"peak": [], "leaked": ["--leaks"], "allocated": ["--allocated"]}.items():
        assert rows(program, data, *options) == {place: size for place, size in want[metric].items() if size}, metric
    return data


@pytest.fixture(scope="module")
def two_devices():
    return torch_snapshot.sample()


def test_peak_leaks_and_allocations_are_those_of_a_replay(two_devices, program):
    assert_like_replay(program, two_devices[0])


@pytest.mark.parametrize("seed", range(4))
def test_runs_of_other_shapes_are_those_of_a_replay(seed, program):
    allocator = torch_snapshot.Allocator(0, 400 << 20)
    dice = random.Random(seed)
    blocks = []
    for step in range(300):
        if blocks and dice.random() < 0.45:
            allocator.free(blocks.pop(dice.randrange(len(blocks))))
            continue
        try:
            blocks.append(allocator.alloc(dice.choice([100, 5000, 2 << 20, 30 << 20]),
                                          [("/a.py", dice.randrange(1, 9), f"f{dice.randrange(5)}")]))
        except torch_snapshot.OutOfMemory:
            pass
    data = assert_like_replay(program, torch_snapshot.snapshot_of([allocator]))
    document = program("info", "-", "--json", input=data).json()
    assert document["metrics"][0]["total"] == allocator.peak


def test_memory_counts_until_its_free_has_completed(program):
    allocator = torch_snapshot.Allocator(0, 1 << 30)
    first = allocator.alloc(1000, [("/a.py", 1, "first")])
    allocator.free(first, pending=True)
    second = allocator.alloc(3000, [("/a.py", 2, "second")])
    allocator.complete(first)
    allocator.free(second)
    data = assert_like_replay(program, torch_snapshot.snapshot_of([allocator]))
    assert program("info", "-", "--json", input=data).json()["metrics"][0]["total"] == 4000


@pytest.mark.parametrize("kept", [1, 20, 60])
def test_a_ring_that_was_full_is_replayed_and_said(kept, program):
    allocator = torch_snapshot.Allocator(0, 2 << 30, max_entries=kept)
    torch_snapshot.train(allocator, steps=3)
    data = assert_like_replay(program, torch_snapshot.snapshot_of([allocator]))
    notes = program("info", "-", "--json", input=data).json()["notes"]
    assert any("ring of max_entries was full" in note or "it has no trace" in note for note in notes)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_gives_the_same(protocol, two_devices, program):
    want = rows(program, pickle.dumps(two_devices[0]))
    assert rows(program, pickle.dumps(two_devices[0], protocol)) == want


def test_the_same_as_json_gives_the_same_card(two_devices, program):
    pickled, written = pickle.dumps(two_devices[0]), json.dumps(two_devices[0]).encode()
    for command in (["table", "-", "--json", "--leaks"], ["export", "-", "--view", "temporal-peak"], ["stats", "-"]):
        same = program(*command, input=pickled).bytes == program(*command, input=written).bytes
        assert same, command


def test_the_figures_of_an_error_of_memory_are_those_of_the_allocator(two_devices, program):
    snapshot, (_, second) = two_devices
    notes = program("info", "-", "--json", input=pickle.dumps(snapshot)).json()["notes"]
    (note,) = [note for note in notes if note.startswith("out of memory")]
    (oom,) = second.ooms
    assert "device 1" in note
    want = [oom["asked"], oom["reserved"], oom["free"], oom["largest"]]
    assert all(abs(got - size) < 1 << 16 for got, size in zip(sizes_in(note)[:4], want)), note


def test_each_device_has_its_own_peak(two_devices, program):
    snapshot, allocators = two_devices
    notes = program("info", "-", "--json", input=pickle.dumps(snapshot)).json()["notes"]
    for allocator in allocators:
        (note,) = [note for note in notes if note.startswith(f"device {allocator.device} had at most")]
        assert abs(sizes_in(note)[0] - allocator.peak) < 1 << 20


def test_the_card_has_what_was_reserved_instead_of_a_process(two_devices, program, tmp_path):
    snapshot, page = tmp_path / "s.pickle", tmp_path / "s.html"
    snapshot.write_bytes(pickle.dumps(two_devices[0]))
    assert program("card", snapshot, "-o", page).status == 0
    assert "Peak reserved" in page.read_text() and "Peak RSS" not in page.read_text()


def test_free_blocks_and_segments_are_those_of_the_allocator(two_devices, program):
    snapshot, allocators = two_devices
    notes = program("info", "-", "--json", input=pickle.dumps(snapshot)).json()["notes"]
    for allocator in allocators:
        (note,) = [note for note in notes if note.startswith(f"device {allocator.device} at the end")]
        reserved, allocated, free, largest, lost = sizes_in(note)
        assert abs(reserved - allocator.reserved()) < 1 << 20
        assert abs(allocated - allocator.requested) < 1 << 20
        assert abs(free - sum(allocator.free_blocks())) < 1 << 20
        assert abs(largest - max(allocator.free_blocks())) < 1 << 20
        assert abs(reserved - allocated - free - lost) < 1 << 20


def test_reserved_memory_is_followed_through_the_trace(two_devices, program):
    snapshot, allocators = two_devices
    series = program("export", "-", "--view", "series", input=pickle.dumps(snapshot)).json()["series"]
    reserved = next(each for each in series if each["name"] == "reserved")
    values = [value for _, value in reserved["points"]]
    assert values[-1] == sum(allocator.reserved() for allocator in allocators)
    heap = next(each for each in series if each["name"] == "heap")
    assert all(allocated <= value for (_, allocated), value in zip(heap["points"], values))


def test_stacks_of_cpp_are_on_the_card_and_left_out_of_tables(two_devices, program):
    data = pickle.dumps(two_devices[0])
    assert not any("c10::" in function for function, _, _ in rows(program, data))
    collapsed = program("export", "-", "--format", "collapsed", input=data).out
    assert "at::_ops::empty_memory_format::call" in collapsed and "CachingAllocator" not in collapsed


def test_a_window_shows_its_own_peak(two_devices, program):
    data = pickle.dumps(two_devices[0])
    first = program("table", "-", "--json", "--window", "0:0.05", input=data).json()["total"]
    assert 0 < first < program("table", "-", "--json", input=data).json()["total"]


def test_a_trace_without_times_or_completed_frees_has_a_peak_all_the_same(program):
    allocator = torch_snapshot.Allocator(0, 2 << 30)
    torch_snapshot.train(allocator, steps=2)
    snapshot = torch_snapshot.snapshot_of([allocator])
    want = replay(snapshot)["leaked"]
    snapshot["device_traces"] = [[{key: value for key, value in entry.items() if key != "time_us"}
                                  for entry in trace if entry["action"] != "free_completed"]
                                 for trace in snapshot["device_traces"]]
    data = pickle.dumps(snapshot)
    assert rows(program, data, "--leaks") == want
    assert any("no times" in note for note in program("info", "-", "--json", input=data).json()["notes"])


def test_blocks_of_old_snapshots_have_their_history(program):
    frames = [{"filename": "old.py", "line": 4, "name": "make"}]
    segments = [{"address": 4096, "total_size": 2 << 20, "device": 0, "stream": 0, "blocks": [
        {"size": 1024, "state": "active_allocated", "history": [{"addr": 4096, "real_size": 1000, "frames": frames}]},
        {"size": (2 << 20) - 1024, "state": "inactive"}]}]
    for snapshot in (segments, {"segments": segments, "device_traces": []}):
        for segment in segments:
            segment["segment_type"] = "small"
        assert rows(program, pickle.dumps(snapshot)) == {("make", "old.py", 4): 1000}


@pytest.mark.parametrize("form", ["pickle", "json"])
def test_a_cut_snapshot_has_what_came_before(form, two_devices, program):
    data = pickle.dumps(two_devices[0]) if form == "pickle" else json.dumps(two_devices[0]).encode()
    counts = []
    for part in range(1, 20):
        answer = program("info", "-", "--json", input=data[:len(data) * part // 20])
        if answer.status == 3:  # nothing in it yet that shows what it is
            continue
        document = answer.json()
        assert not document["complete"] and document["problem"]["text"]
        counts.append(document["records"]["allocations"])
    assert counts == sorted(counts) and counts[-1] > 50


def test_entries_that_make_no_sense_are_counted(program):
    allocator = torch_snapshot.Allocator(0, 2 << 30)
    torch_snapshot.train(allocator, steps=1)
    snapshot = torch_snapshot.snapshot_of([allocator])
    snapshot["device_traces"][0][3]["action"] = "surprise"
    del snapshot["device_traces"][0][4]["size"]
    document = program("info", "-", "--json", input=pickle.dumps(snapshot)).json()
    assert document["damage"][0]["kind"] == "records_left_out" and document["damage"][0]["count"] == 2
    assert not document["complete"]


# ---- one from a GPU --------------------------------------------------------------------------------------------------

H200 = Path(__file__).parent / "h200/oom.pickle.gz"


@pytest.fixture(scope="module")
def h200():
    return pickle.loads(gzip.decompress(H200.read_bytes()))


def test_sums_of_a_real_snapshot_are_those_of_the_allocator(program):
    stats = json.loads(gzip.decompress((H200.parent / "memory.json.gz").read_bytes()))["stats"]
    metrics = {each["name"]: each for each in program("info", H200, "--json").json()["metrics"]}
    assert metrics["peak"]["total"] == stats["requested_bytes.all.peak"]
    assert metrics["leaked"]["total"] == stats["requested_bytes.all.current"]
    assert metrics["allocated"]["total"] == stats["requested_bytes.all.allocated"]
    assert metrics["allocated"]["total_count"] == stats["allocation.all.allocated"]
    assert metrics["leaked"]["total_count"] == stats["allocation.all.current"]


def test_annotations_of_a_real_snapshot_are_phases(program, h200):
    want, depth = [], 0
    for each in h200["external_annotations"]:
        if each["stage"] == "START" and not depth:
            want.append([each["name"], each["time_us"] // 1000])
        depth += 1 if each["stage"] == "START" else -1
    first = min(each["time_us"] for each in h200["device_traces"][0]) // 1000
    phases = [[each["name"], first + round(each["from_seconds"] * 1000)]
              for each in program("info", H200, "--json").json()["phases"]]
    assert [each for each in phases if each[0] and not each[0].startswith("(")] == want
    assert phases[-1][0] == "(between annotations)"


def test_without_functions_of_python_those_of_cpp_are_shown(program, h200):
    """What the autograd engine's own thread allocates: PyTorch's own functions, without the allocator's."""
    silent = sum(each["size"] for each in h200["device_traces"][0] if each["action"] == "alloc" and
                 not any(frame["filename"].endswith(".py") for frame in each["frames"]))
    table = program("table", H200, "--json", "--metric", "allocated", "--limit", "0").json()
    names = {row["function"] for row in table["rows"]}
    assert silent > 1 << 20
    assert "at::cuda::setWorkspaceForHandle(cublasContext*, c10::cuda::CUDAStream)" in names
    assert not [name for name in names if "CachingAllocator" in name or "unwind" in name or "unavailable" in name]
    tree = program("tree", H200, "--json", "--metric", "allocated", "--hide", "none").out
    assert "torch::autograd::Engine::evaluate_function" in tree


def test_a_device_without_memory_is_the_first_finding(program, h200, tmp_path):
    oom = next(each for each in h200["device_traces"][0] if each["action"] == "oom")
    for path in (H200, tmp_path / "oom.prz"):
        if path != H200:
            program("digest", H200, "-o", path)
        first = program("explain", path, "--json").json()["findings"][0]
        assert first["rule"] == "device-memory"
        assert f"{oom['size'] / 2**30:.0f} GiB" in json.dumps(first)
        assert "exceeds both together" in json.dumps(first)


@pytest.mark.parametrize(("spare", "limited"), [(1 << 30, True), ((64 << 20) - 1, False), (-1, False)])
def test_a_device_with_room_is_not_what_stopped_the_program(program, h200, tmp_path, spare, limited):
    """torch.cuda.set_per_process_memory_fraction(), or a limit like it: of 140 GiB, 131 GiB may be free."""
    changed, path = copy.deepcopy(h200), tmp_path / "limit.pickle"
    for each in changed["device_traces"][0]:
        if each["action"] == "oom":
            each["device_free"] = each["size"] + spare
    path.write_bytes(pickle.dumps(changed))
    first = program("explain", path, "--json").json()["findings"][0]
    assert first["rule"] == "device-memory"
    assert ("The device had room for it, so a limit of the process stopped it" in first["text"]) == limited


def memory_viz():
    """torch/cuda/_memory_viz.py of an installed PyTorch, alone; None without one."""
    found = importlib.util.find_spec("torch")
    path = Path(found.origin).parent / "cuda/_memory_viz.py" if found and found.origin else None
    if not path or not path.is_file():
        return None
    spec = importlib.util.spec_from_file_location("_memory_viz", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
def test_sums_are_those_of_memory_viz(two_devices, program):
    viz, snapshot = memory_viz(), two_devices[0]
    collapsed = viz.memory(snapshot, format_flamegraph=lambda lines: lines)
    want = defaultdict(int)
    for line in collapsed.splitlines():
        stack, size = line.rsplit(" ", 1)
        if ";active" in stack and "<gaps>" not in stack:
            want[stack.split(";")[-1]] += int(size)
    data = pickle.dumps(snapshot)
    document = program("export", "-", "--view", "leaks", input=data).json()
    assert sum(record["size"] for record in document["records"]) == sum(want.values())
    summary = viz.segsum(snapshot)
    notes = program("info", "-", "--json", input=data).json()["notes"]
    reserved = sum(sizes_in(note)[0] for note in notes if " at the end" in note)
    total = re.search(r"total_reserved: ([\d.]+)(\w+)", summary)
    assert abs(reserved - float(total[1]) * UNITS[total[2]]) < 1 << 20


def test_blocks_of_a_device_are_not_of_malloc(program, samples):
    """PyTorch's allocator made them, which is none of memray's; their history is theirs all the same."""
    path = samples / "cpu/train.torch.pickle"
    stats = program("stats", path, "--json").json()
    assert stats["allocator_type_distribution"] == {} and stats["total_num_allocations"] == 100
    assert "Allocators" not in program("stats", path).out
    assert "MALLOC" not in program("card", path, "-o", "-").out.partition("id=\"pr-payload\"")[0]
    export = program("export", path, "--view", "temporal-leaks", "--format", "json").json()
    assert {record["allocator"] for record in export["records"]} == {""}
