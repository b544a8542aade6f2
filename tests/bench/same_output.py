#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether two builds of the program write the same bytes, for a change that is only about speed.

    python3 tests/bench/same_output.py build/before build/profrender samples ../shared/captures

Runs each command below over each file of the folders, with both programs, and compares exit status, stdout and stderr.
A line for each difference, then `N outputs of M files are the same, K differ`; the exit status is 1 if any does.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMMANDS = [
    ["card", "-o", "-"],
    ["card", "--lite", "-o", "-"],
    ["digest", "-o", "-"],
    ["info", "--json", "--samples", "all"],
    ["stats", "--json"],
    ["explain"],
    *(["table", "--json", *more] for more in ([], ["--leaks"], ["--temporary"], ["--allocated"],
                                              ["--threads", "split"])),
    ["tree", "--json"],
    *(["export", "--view", view] for view in ("peak", "leaks", "temporary", "allocated", "temporal-peak",
                                              "temporal-leaks", "series")),
    ["export", "--view", "temporal-leaks", "--bins", "samples"],
    ["export", "--view", "temporary", "--temporary-threshold", "5"],
    ["export", "--format", "speedscope"],
]
LIMIT_S = 300


def answer(program, words, path):
    command = [program, words[0], path, *words[1:]]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S)
    return done.returncode, done.stdout, done.stderr


def compare(job):
    before, after, words, path = job
    if answer(before, words, path) == answer(after, words, path):
        return True
    print(f"differs: {' '.join(words)} {path}", flush=True)
    return False


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__.split("\n\n")[1].strip())
    before, after, *places = sys.argv[1:]
    files = [str(path) for place in map(Path, places)
             for path in ([place] if place.is_file() else sorted(place.rglob("*"))) if path.is_file()]
    jobs = [(before, after, words, path) for path in files for words in COMMANDS]
    with ThreadPoolExecutor(os.cpu_count()) as lanes:
        same = list(lanes.map(compare, jobs))
    print(f"{sum(same)} outputs of {len(files)} files are the same, {len(same) - sum(same)} differ")
    sys.exit(0 if files and all(same) else 1)


if __name__ == "__main__":
    main()
