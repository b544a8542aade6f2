# SPDX-License-Identifier: Apache-2.0
"""Whose code the functions of real profiles are, in every language that there is a sample of."""
import json

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


def owners_of(document):
    return {(row["function"], row["file"]): row["owner"] for row in document["rows"]}


def test_bare_names_of_files_are_a_library_s_only_for_its_functions(program, samples, tmp_path):
    """Files of a Metaflow card have no folders, and people call theirs as Click and Rich do."""
    mine = {"<module> (flow.py:1)": "flow.py", "start (flow.py:9)": "flow.py", "heavy (utils.py:3)": "utils.py",
            "fit (core.py:8)": "core.py", "join (table.py:2)": "table.py", "pack (_wire.py:4)": "_wire.py"}
    card = json.loads((samples / "timeline/metaflow-ok.profile_card_data.json").read_text(encoding="utf-8"))
    tree = {"name": "root", "value": 9, "children": []}
    card["data"]["call_tree"], inner = tree, tree
    for name in ["run_step (task.py:570)", *mine]:
        inner["children"].append({"name": name, "value": 9, "children": []})
        inner = inner["children"][0]
    made = tmp_path / "made.profile_card_data.json"
    made.write_text(json.dumps(card), encoding="utf-8")
    owners = owners_of(program("table", "--json", "--limit", "0", made).json())
    assert owners.pop(("run_step", "task.py")) == LIBRARY
    assert owners == {(name.split(" ")[0], file): MINE for name, file in mine.items()}


def test_a_metaflow_card_has_no_library_s_function_as_my_code(program, samples):
    found = program("table", "--json", "--limit", "0", samples / "timeline/metaflow-ok.profile_card_data.json").json()
    assert [place for place, owner in owners_of(found).items() if owner == MINE] == [("<module>", "flow.py")]


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
