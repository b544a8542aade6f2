#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are our hybrid stacks those of memray's own reader, names, files and lines included?

    python3 tests/native/compare_with_memray.py build/profrender [CAPTURE...]

Records a program over libraries with debug information of each kind, unless captures are given, which have to be
readable for the memray at hand: that of the Python in $MEMRAY_PYTHON, or the pinned one; where it cannot be had this
is skipped.

What may differ, see capture/memray/hybrid_stacks.h and capture/memray/native_places.h: a function without a name is "module+0xoffset" here
and "<unknown>" there, one without a line has the path of its file here; where Python frames found no loop of the
interpreter memray shows the Python stack with the frames above the tracker, and we the one without them, with the
native frames of extensions below.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
from libraries import build  # noqa: E402
from packages import environment  # noqa: E402
from tally import Tally  # noqa: E402

OPTIONS = [[], ["--aggregate"], ["--trace-python-allocators"]]
# Run by the Python that has memray: (stack, thread, hybrid stack, bytes) of each record, as JSON.
THEIR_READER = """
import json, sys
from memray import FileReader
reader = FileReader(sys.argv[1])
records = reader.get_leaked_allocation_records(merge_threads=False)
json.dump([[r.stack_trace(), r.tid, list(r.hybrid_stack_trace()), r.size] for r in records], sys.stdout)
"""


def python_with_memray():
    if "MEMRAY_PYTHON" in os.environ:
        return os.environ["MEMRAY_PYTHON"]
    programs = environment("profilers")
    return programs and programs / "python"


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
    command = [program, "export", capture, "--view", "leaks", "--threads", "split", "-q"]
    stacks = defaultdict(Counter)
    for record in json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["records"]:
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


def main():
    program, captures = Path(sys.argv[1]).resolve(), sys.argv[2:]
    tally = Tally()
    python = python_with_memray()
    with tempfile.TemporaryDirectory(prefix="profrender-native-") as name:
        folder = Path(name)
        tally.none("the libraries are built", build(folder))
        todo = [(capture, []) for capture in captures] or [(None, options) for options in OPTIONS]
        for capture, options in todo if python else []:
            path = capture or record(python, folder, options)
            same, shortened, wrong = compare(our_stacks(program, path), their_stacks(python, path))
            title = f"{' '.join([Path(path).name, *options])}: {same} hybrid stacks are memray's"
            tally.check(title + (f", {shortened} shortened" if shortened else ""), same and not wrong, *wrong[:4])
    if not python:
        tally.skip("hybrid stacks beside memray's own", "memray could not be installed")
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
