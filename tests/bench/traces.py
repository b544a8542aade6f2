#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast a large JSON trace is read, compared with `jq length` and speedscope's importer on the same file.

    python3 tests/bench/traces.py                 two traces of 1 GB
    python3 tests/bench/traces.py --size 20M      whether it works

One trace repeats some thousand stacks, as programs do; in the other nearly every call has a stack of its own, which is
as bad as it gets. Prints ratios only, of the time on the processor and of peak memory, and the peak memory of
`profrender table` itself, which must stay below 1 GB. What a contestant cannot read is reported: speedscope's importer
takes a file as one string, and node has no strings of 1 GB.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "build" / "bench"
PROGRAM = ROOT / "build" / "profrender"
UNITS = {"K": 10**3, "M": 10**6, "G": 10**9}
MOST_BYTES = 10**9

IMPORT = """
import { readFileSync } from 'node:fs';
import { importText } from './tests/support/speedscope.mjs';
const [profile] = await importText('trace.json', readFileSync(process.argv[1], 'utf8'));
if (!(profile.getTotalWeight() > 0)) process.exit(1);
"""


def write_trace(path, size, repeats):
    """Calls of viztracer's form: complete events, nested, on four threads, of some hundred functions in many files."""
    chance = random.Random(1)
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"traceEvents":[\n')
        written, now = 17, 1000.0
        while written < size:
            tid, depth = 100 + chance.randrange(4), 1 + chance.randrange(12)
            lines, function = [], 1
            for level in range(depth):
                callee = 2 * function + chance.randrange(2) if repeats else chance.randrange(300)
                function = callee % 300  # two callees each: some thousand stacks
                place = f"work_{function} (/srv/app/module_{function % 40}.py:{function})"
                lines.append(f'{{"name":"{place}","ph":"X","cat":"FEE","ts":{now + level:.3f},'
                             f'"dur":{2 * depth - 2 * level:.3f},"pid":7,"tid":{tid}}},\n')
            now += 2 * depth + 1
            text = "".join(lines)
            written += len(text)
            out.write(text)
        out.write(f'{{"name":"end (/srv/app/main.py:1)","ph":"X","ts":{now:.3f},"dur":1.0,"pid":7,"tid":100}}\n]}}\n')


def measure(command):
    """(seconds on the processor, peak bytes) of a command, or None after printing the reason."""
    if not shutil.which(command[0]):
        print(f"  {command[0]} is not installed")
        return None
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        child = subprocess.Popen(command, cwd=ROOT, stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        print(f"  {Path(str(command[0])).name} cannot read it: exit status {child.returncode}")
        return None
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def compare(name, path):
    """Prints how the contestants read the trace. Returns whether profrender stays within its memory."""
    print(f"a trace of {path.stat().st_size / 1e6:,.0f} MB, {name}")
    ours = measure([PROGRAM, "table", path, "--json"])
    if not ours:
        return False
    print(f"  profrender table: peak memory {ours[1] / 1e6:,.0f} MB (goal: under {MOST_BYTES / 1e6:,.0f})")
    others = {"jq length": ["jq", "length", path],
              "speedscope's importer": ["node", "--input-type=module", "-e", IMPORT, path]}
    for other, command in others.items():
        theirs = measure(command)
        if theirs:
            print(f"  {other} : profrender table, time {theirs[0] / ours[0]:.1f}, memory {theirs[1] / ours[1]:.1f}")
    return ours[1] <= MOST_BYTES


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="1G", help="of a trace: 20M, 1G (default)")
    size_text = parser.parse_args().size
    size = int(size_text[:-1]) * UNITS[size_text[-1]]
    FOLDER.mkdir(parents=True, exist_ok=True)
    held = True
    for name, repeats in (("some thousand stacks", True), ("a stack for each call", False)):
        path = FOLDER / f"trace-{size_text}-{'repeated' if repeats else 'own'}.json"
        if not path.exists():
            write_trace(path, size, repeats)
        held &= compare(name, path)
    sys.exit(not held)


if __name__ == "__main__":
    main()
