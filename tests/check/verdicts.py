#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on a program that did not change, and on one in which one function grew by 5 %; prints doc/verdicts.md.

    python3 tests/check/verdicts.py                          26 repeats of each kind, a quarter of an hour
    python3 tests/check/verdicts.py --repeats 10 --kinds threads --measures memory
    python3 tests/check/verdicts.py --keep FOLDER            existing runs are not made again

Each kind of tests/check/repeated.py is run again and again under `profrender record`, with memray for memory and with
py-spy for time. Each repeat is then checked at default settings against one other repeat (eight times, others each
time) and against eight others. An unchanged program that is called worse is a false alarm. Grown ones are checked the
same way: the growth has to be found, and the function in every reason has to be the one that grew.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
from packages import environment  # noqa: E402

PROFRENDER = ROOT / os.environ.get("PROFRENDER", "build/profrender")
PROGRAM = ROOT / "tests/check/repeated.py"
KINDS = {"thread": "one thread", "threads": "four threads", "processes": "two processes of a pool",
         "asyncio": "four tasks of asyncio"}
MEASURES = {"memory": ["--memray"], "time": ["--cpu", "py-spy", "--interval", "0.02"]}
TIMES = [word for name in ("cpu", "duration", "rss") for word in ("--metric", name)]
GROWTH, GROWN_FUNCTION = "1.05", "load"
BASELINES, LIMIT_S = 8, 300


@dataclass
class Row:
    """The outcome of the checks of one kind and measure with this number of baselines."""

    checks: int = 0
    alarms: int = 0
    untold: int = 0
    grown: int = 0
    found: int = 0
    right: int = 0
    wrong: list = field(default_factory=list)


def call(tools, *words):
    done = subprocess.run(["nice", *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=LIMIT_S, env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})
    if done.returncode:
        raise RuntimeError(f"{words}: {done.stderr}")


def record_family(tools, command, folder):
    """memray follows the children of a pool, with a capture for each: their sum is the run."""
    digest = folder.with_suffix(".prz")
    if not digest.exists():
        folder.mkdir()
        memray = [tools / "python", "-m", "memray", "run", "-q", "--follow-fork", "-o", folder / "memray.bin"]
        call(tools, *memray, *command)
        call(tools, PROFRENDER, "digest", "-q", *sorted(folder.iterdir()), "-o", digest)
    return digest


def record(tools, kind, measure, growth, folder):
    """A run of the program, which may exist from an earlier call: what `check` takes."""
    if (kind, measure) == ("processes", "memory"):
        return record_family(tools, [PROGRAM, kind, growth], folder)
    if not (folder / "run.json").exists():
        call(tools, PROFRENDER, "record", "-q", *MEASURES[measure], "-o", folder, "--", tools / "python", PROGRAM, kind,
             growth)
    return folder


def check(measure, run, baselines):
    """The verdict in JSON."""
    command = [PROFRENDER, "check", run, "--json", "-q", *(TIMES if measure == "time" else [])]
    command += [word for baseline in baselines for word in ("--baseline", baseline)]
    # A child of multiprocessing ends without telling memray, so its capture has no end mark.
    command += ["--allow-incomplete"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{run}: {done.stderr}")
    return json.loads(done.stdout)


def judge_unchanged(row, verdict):
    row.checks += 1
    row.alarms += not verdict["ok"]
    row.untold += bool(verdict["ok"] and verdict["cannot_tell"])
    row.wrong += [reason["sentence"] for reason in verdict["reasons"]]


def judge_grown(row, verdict):
    blamed = {reason["function"] for reason in verdict["reasons"]}
    row.grown += 1
    row.found += not verdict["ok"]
    row.right += blamed == {GROWN_FUNCTION}
    if blamed != {GROWN_FUNCTION}:
        row.wrong += [f"grown: {reason['sentence']}" for reason in verdict["reasons"]] or ["grown: not found"]


def trials(runs, count, dice, times):
    """(run, baselines): each run against COUNT others, TIMES times."""
    for number, run in enumerate(runs):
        others = runs[:number] + runs[number + 1:]
        for _ in range(times):
            yield run, dice.sample(others, count)


def rows_of(measure, runs, grown):
    """{number of baselines: Row}."""
    dice = random.Random(1)
    rows = {}
    with ThreadPoolExecutor(2) as pool:
        for count, times in ((1, 8), (BASELINES, 1)):
            row = rows[count] = Row()
            for verdict in pool.map(lambda trial: check(measure, *trial), list(trials(runs, count, dice, times))):
                judge_unchanged(row, verdict)
            pairs = [(run, dice.sample(runs, count)) for run in grown for _ in range(times)]
            for verdict in pool.map(lambda trial: check(measure, *trial), pairs):
                judge_grown(row, verdict)
    return rows


def measured(tools, kind, measure, wanted, folder):
    base = folder / f"{kind}-{measure}"
    base.mkdir(parents=True, exist_ok=True)
    runs = [record(tools, kind, measure, "1", base / f"run-{number}") for number in range(wanted.repeats)]
    grown = wanted.grown if measure == "memory" else 0
    more = [record(tools, kind, measure, GROWTH, base / f"grown-{number}") for number in range(grown)]
    return rows_of(measure, runs, more)


def cells(measure, kind, repeats, count, row):
    found = f"{row.found} of {row.grown}" if row.grown else ""
    right = f"{row.right} of {row.grown}" if row.grown else ""
    return [measure, KINDS[kind], repeats, count, row.checks, row.alarms, row.untold, found, right]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=26)
    parser.add_argument("--grown", type=int, default=5)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--measures", nargs="+", default=list(MEASURES), choices=list(MEASURES))
    parser.add_argument("--keep", type=Path)
    wanted = parser.parse_args()
    tools = environment("profilers")
    if not tools:
        return 1
    head = ["measure", "program", "repeats", "baselines", "checks", "alarms", "cannot tell", "growth found",
            "only `load` blamed"]
    print(f"| {' | '.join(head)} |\n|{' --- |' * 2}{' ---: |' * (len(head) - 2)}")
    alarms, missed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for measure in wanted.measures:
            for kind in wanted.kinds:
                for count, row in measured(tools, kind, measure, wanted, wanted.keep or Path(folder)).items():
                    line = cells(measure, kind, wanted.repeats, count, row)
                    print("| " + " | ".join(str(cell) for cell in line) + " |", flush=True)
                    print(*row.wrong, sep="\n", end="\n" * bool(row.wrong), file=sys.stderr)
                    alarms += row.alarms
                    missed += row.grown - row.right
    print(f"\n{alarms} false alarms, {missed} growths missed or put down to another function")
    return 1 if alarms or missed else 0


if __name__ == "__main__":
    sys.exit(main())
