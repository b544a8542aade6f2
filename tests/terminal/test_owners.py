# SPDX-License-Identifier: Apache-2.0
"""Whose code the functions of real profiles are, in every language that there is a sample of."""
import pytest

MINE, LIBRARY, STDLIB, NATIVE, KERNEL, NONE = "my code", "library", "stdlib", "native", "kernel", "not code"

CASES = {
    "cpu/wordcount.cpuprofile": {"makeText": MINE, "Hash": STDLIB, "Module._compile": STDLIB,
                                 "(garbage collector)": NONE},
    "cpu/wordcount.heapprofile": {"main": MINE, "Module._load": STDLIB, "(root)": NONE},
    "cpu/goindex.heap.pb.gz": {"main.build": MINE, "runtime/pprof.Do": STDLIB},
    "cpu/endpoints.cpu.pb.gz": {"main.parse": MINE, "time.Now": STDLIB, "runtime.main": STDLIB},
    "cpu/multi.perf.txt": {"main": MINE, "Poly<12>::area": MINE, "_int_malloc": STDLIB, "handle_mm_fault": KERNEL,
                           "[unknown]": NATIVE},
    "cpu/hashtab.perf.folded": {"put": MINE, "__strcmp_avx2": STDLIB, "handle_mm_fault": KERNEL},
    "cpu/hashtab.heaptrack.zst": {"put": MINE, "__GI___strdup": STDLIB},
    "cpu/hashtab.massif.out": {"put": MINE, "strdup": STDLIB},
    "cpu/hashtab.je.heap": {"__GI___strdup": STDLIB, "hashtab+0x1246": MINE},
    "cpu/hashtab.gperf.cpu": {"__strcmp_avx2": STDLIB, "hashtab+0x121c": MINE},
    "cpu/tree.dhat.json.gz": {"make": MINE, "main": MINE},
    "cpu/etl.pyspy.folded": {"make_csv": MINE, "DictReader.__next__": STDLIB},
    "cpu/etl.full.austin.txt": {"make_csv": MINE, "DictReader.__next__": STDLIB},
    "cpu/mini-py27.pstats": {"main": MINE, "_parse_sub": STDLIB, "<sorted>": NATIVE},
    "cpu/train.torch.trace.json.gz": {"step": MINE, "backward": LIBRARY, "aten::mm": NATIVE},
    "cpu/train.torch2.trace.json.gz": {
        "forward": MINE, "aten::mm": LIBRARY, "AddmmBackward0": LIBRARY, "Optimizer.step#SGD.step": LIBRARY,
        "autograd::engine::evaluate_function: AddmmBackward0": LIBRARY, "detach": LIBRARY},
    "cpu/train.torch.pickle": {"train_step": MINE, "_call_impl": LIBRARY},
    "timeline/metaflow-ok.profile_card_data.json": {
        "invoke": LIBRARY, "Console": LIBRARY, "run_step": LIBRARY, "len": STDLIB, "loads": STDLIB},
    "daily-sales.bin": {"lag_matrix": MINE},
}


@pytest.mark.parametrize("sample", CASES)
def test_owners_of_real_profiles(sample, program, samples):
    document = program("table", "--json", "--limit", "0", samples / sample).json()
    owners = {}
    for row in document["rows"]:
        owners.setdefault(row["function"], row["owner"])
    assert {name: owners.get(name) for name in CASES[sample]} == CASES[sample]


def test_labels_are_nobodys(program, samples):
    document = program("tree", "--json", "--tag-root", "endpoint", samples / "cpu/endpoints.cpu.pb.gz").json()
    labels = [row for row in document["rows"] if row["function"].startswith("endpoint")]
    assert labels and {row["owner"] for row in labels} == {NONE}


def test_only_my_code_of_a_go_program(program, samples):
    document = program("tree", "--json", "--hide", "libraries", samples / "cpu/endpoints.cpu.pb.gz").json()
    names = [row["function"] for row in document["rows"] if row["function"]]
    assert names and all(name.startswith("main.") for name in names)
