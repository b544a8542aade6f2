#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A hundred moves of code: what `check` says of programs that only moved, and of those in which something grew besides.

    make bench-moved, or python3 tests/bench/moved.py [COUNT]

tests/support/moves.py makes a program, and one to three of its functions are renamed, split, inlined or put in another
file. memray records it before and after, and a third time with one that did not move and holds a megabyte more. Prints
how many alarms there are about what moved, and how often the one that grew is found and named first. Fails if there is
an alarm about a move, or if a growth is not found.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from moves import KINDS, Program  # noqa: E402
from packages import environment  # noqa: E402

PROFRENDER = ROOT / os.environ.get("PROFRENDER", "build/profrender")
LIMIT_S = 60


def record(tools, program, folder):
    program.write(folder)
    capture = folder / "run.bin"
    subprocess.run([tools / "python", "-m", "memray", "run", "-q", "-o", capture, folder / "main.py"], check=True,
                   stdin=subprocess.DEVNULL, timeout=LIMIT_S, env={**os.environ, "PYTHONHASHSEED": "0",
                                                                   "PYTHONDONTWRITEBYTECODE": "1"})
    return capture


def check(new, old, *words):
    done = subprocess.run([PROFRENDER, "check", new, "--baseline", old, "--json", "-q", *words], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S)
    return json.loads(done.stdout)


def judge(tools, number, folder):
    """(how it moved, alarms at defaults, with --functions, a note says so, a growth is found, and named first)"""
    dice = random.Random(number)
    program = Program(dice)
    old = record(tools, program, folder / "old")
    times = 1 if number < 60 else dice.randrange(2, 4)
    first = KINDS[number % len(KINDS)]
    kinds = [program.move(dice, None if at else first)[0] for at in range(times)]
    new = record(tools, program, folder / "new")
    who = program.grow(dice)
    grown = record(tools, program, folder / "grown")
    verdicts = [check(new, old), check(new, old, "--functions")]
    reasons = check(grown, old)["reasons"]
    for verdict in verdicts:
        for reason in verdict["reasons"]:
            print(number, kinds, reason["sentence"], file=sys.stderr)
    named = reasons[0]["function"] if reasons else None
    if named != who:
        print(number, kinds, "not", who, "but", named, file=sys.stderr)
    noted = any("moved, not grown" in note for note in verdicts[1]["notes"])
    return kinds[0] if times == 1 else "several at once", bool(verdicts[0]["reasons"]), bool(
        verdicts[1]["reasons"]), noted, bool(reasons), named == who


def main():
    tools = environment("verdict")
    if not tools:
        return 1
    os.nice(10)
    rows = {}
    def judged(number):
        with tempfile.TemporaryDirectory() as room:
            return judge(tools, number, Path(room))

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(judged, range(int(sys.argv[1]) if len(sys.argv) > 1 else 100)))
    for kind, *told in answers:
        row = rows.setdefault(kind, [0] * 6)
        for at, more in enumerate((True, *told)):
            row[at] += more
    print("| moved | programs | alarms | with `--functions` | noted | a growth besides: found | named first |")
    print("| --- |" + " ---: |" * 6)
    for kind, row in rows.items():
        print("| " + " | ".join(map(str, [kind, *row])) + " |")
    alarms = sum(row[1] + row[2] for row in rows.values())
    missed = sum(row[0] - row[4] for row in rows.values())
    print(f"\n{alarms} alarms about what moved, {missed} growths that were not found, "
          f"{sum(row[0] - row[5] for row in rows.values())} that were not named first")
    return 1 if alarms or missed else 0


if __name__ == "__main__":
    sys.exit(main())
