# SPDX-License-Identifier: Apache-2.0
"""Are our hybrid stacks the same as memray's own, including names, files and lines?

Records a program over libraries with debug information of each kind, by the memray of the Python in $MEMRAY_PYTHON, or
by the pinned one; where it cannot be had this is skipped.

What may differ, see capture/memray/hybrid_stacks.h and capture/memray/native_places.h: a function without a name is
"module+0xoffset" here and "<unknown>" there, one without a line has the path of its file here; where Python frames
found no loop of the interpreter memray shows the Python stack with the frames above the tracker, and we the one without
them, with the native frames of extensions below.
"""
import json
import os
import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import libraries
import pytest
from packages import environment

HERE = Path(__file__).resolve().parent
# Run by the Python that has memray: (stack, thread, hybrid stack, bytes) of each record, as JSON.
THEIR_READER = """
import json, sys
from memray import FileReader
reader = FileReader(sys.argv[1])
records = reader.get_leaked_allocation_records(merge_threads=False)
json.dump([[r.stack_trace(), r.tid, list(r.hybrid_stack_trace()), r.size] for r in records], sys.stdout)
"""


@pytest.fixture(scope="module")
def python():
    """A Python that has memray."""
    if "MEMRAY_PYTHON" in os.environ:
        return os.environ["MEMRAY_PYTHON"]
    programs = environment("profilers") or pytest.skip("memray could not be installed")
    return programs / "python"


def record(python, folder, options):
    capture = folder / "capture.bin"
    work = [HERE / "code/work.py", folder]
    command = [python, "-m", "memray", "run", "--native", *options, "-q", "-f", "-o", capture, *work]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return capture


def as_theirs(frame):
    function, file, line = frame
    if line == 0 and re.search(r"\+0x[0-9a-f]+$", function):
        return "<unknown>", "<unknown>", 0
    return function, "<unknown>" if line == 0 and re.search(r"\.so\b|/bin/", file) else file, line


def our_stacks(program, capture):
    """{(stack, thread): {hybrid stack: bytes}}"""
    stacks = defaultdict(Counter)
    for record in program("export", capture, "--view", "leaks", "--threads", "split", "-q").json()["records"]:
        hybrid = tuple(map(as_theirs, record["hybrid_stack"]))
        stacks[tuple(map(tuple, record["stack"])), record["tid"]][hybrid] += record["size"]
    return stacks


def their_stacks(python, capture):
    stacks = defaultdict(Counter)
    told = subprocess.run([python, "-c", THEIR_READER, capture], check=True, capture_output=True).stdout
    for stack, tid, hybrid, size in json.loads(told):
        stacks[tuple(map(tuple, stack)), tid][tuple(map(tuple, hybrid))] += size
    return stacks


def is_shortened(stack, ours, theirs):
    """Python frames found no loops: what differs is the Python stack alone, and below it native frames of ours."""
    return (sum(ours.values()) == sum(theirs.values()) and all(hybrid[:len(stack)] == stack for hybrid in theirs)
            and all(hybrid[len(hybrid) - len(stack):] == stack for hybrid in ours))


def compare(ours, theirs):
    """(how many stacks are the same, how many shortened, [stacks that differ])"""
    same = shortened = 0
    wrong = []
    for key in {**ours, **theirs}:
        mine, peer = ours[key] - theirs[key], theirs[key] - ours[key]
        same += len(theirs[key]) - len(peer)
        if (mine or peer) and is_shortened(key[0], mine, peer):
            shortened += len(peer)
        elif mine or peer:
            wrong += [f"ours:   {hybrid}" for hybrid in mine] + [f"memray: {hybrid}" for hybrid in peer]
    return same, shortened, wrong


@pytest.mark.parametrize("options", [[], ["--aggregate"], ["--trace-python-allocators"]], ids=" ".join)
def test_hybrid_stacks_are_those_of_memray(options, python, program, tmp_path):
    libraries.build(tmp_path)
    path = record(python, tmp_path, options)
    same, shortened, wrong = compare(our_stacks(program, path), their_stacks(python, path))
    assert not wrong, "\n".join([f"{same} are the same, {shortened} shortened", *wrong[:4]])
    assert same
