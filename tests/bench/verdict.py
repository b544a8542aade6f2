#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`make bench-verdict`: false alarms on a program that did not change, and growths that are found. Prints the tables of
doc/verdicts.md.

    python3 tests/bench/verdict.py --peers                        all of it, in an hour on a busy machine
    python3 tests/bench/verdict.py --kinds thread --runs 30 --grown 5
    python3 tests/bench/verdict.py --keep FOLDER                  goes on where an earlier call stopped

tests/bench/verdict_program.py does the same work in eight ways; each run is kept as a digest of a few kilobytes. Each
unchanged run is checked at default settings against one other, against eight others, and against the twenty runs before
it as a history. Then one function of it allocates 1 % more, holds 5 % of the peak more, does not free 5 % of what is
left, or 10 % of the time is spent in it: in a hundred checks of each, that has to be found, and that function be named
first. The same runs are judged as pytest-memray, pytest-benchmark and Apache Otava judge them.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from packages import environment  # noqa: E402

PROFRENDER = ROOT / os.environ.get("PROFRENDER", "build/profrender")
PROGRAM = ROOT / "tests/bench/verdict_program.py"
KINDS = {"thread": "one thread", "threads4": "four threads", "threads16": "16 threads",
         "processes": "a pool of processes", "asyncio": "eight tasks of asyncio", "seeds": "random hash seeds",
         "collector": "a collector at random times", "pandas": "pandas"}
TIME_KINDS = [kind for kind in KINDS if kind != "pandas"]
PLANTS = {"load": ("allocated", 0.01), "hold": ("peak", 0.05), "cache": ("leaked", 0.05)}
LOADED = 500 * 40_000  # what `load` allocates in all
SPIN = 120_000  # rounds of `spin`
HISTORY, SEVERAL, IN_A_ROW, TRIALS = 20, 8, 10, 100
LIMIT_S = 300


def call(words, **how):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=LIMIT_S, **how)
    if done.returncode not in (0, 1) or (done.returncode == 1 and not done.stdout):
        raise RuntimeError(f"{words}: {done.stderr}")
    return done.stdout


# ---- runs ------------------------------------------------------------------------------------------------------------

class Bench:
    """The runs of one kind and measure, in a folder that may have some of them already."""

    def __init__(self, tools, folder, kind, measure):
        self.tools, self.kind, self.measure = tools, kind, measure
        self.folder = folder / f"{kind}-{measure}"
        self.folder.mkdir(parents=True, exist_ok=True)

    def record(self, name, plant=(), seed=None):
        digest = self.folder / f"{name}.prz"
        if digest.exists():
            return digest
        suffix = "bin" if self.measure == "memory" else "pstats"
        raw = self.folder / f"now.{suffix}"
        for path in self.folder.glob("now.*"):  # of a call that was stopped
            path.unlink()
        environ = {**os.environ, "PYTHONHASHSEED": "random" if self.kind == "seeds" else "0"}
        call([self.tools / "python", PROGRAM, self.kind, self.measure, raw, *plant], env=environ)
        files = sorted(self.folder.glob(f"now.{suffix}*"))
        call([PROFRENDER, "digest", "-q", *files, "-o", digest])
        for path in files:
            path.unlink()
        return digest

    def unchanged(self, count):
        return [self.record(f"run-{number:03}") for number in range(count)]

    def grown(self, plant, amount, count):
        return [self.record(f"{plant}-{number:03}", (plant, amount)) for number in range(count)]

    def check(self, run, baselines=(), history=(), more=()):
        words = [PROFRENDER, "check", run, "--json", "-q", *more]
        words += [word for path in baselines for word in ("--baseline", path)]
        words += [word for path in history for word in ("--history", path)]
        # A child of multiprocessing ends without telling memray, so its capture has no end mark.
        return json.loads(call(words + ["--allow-incomplete"] * (self.kind == "processes")))

    def value(self, run, metric):
        document = self.check(run, [run], more=["--metric", metric])
        findings = document["reasons"] + document["cannot_tell"] + document["kept"]
        return next(one["after"] for one in findings if one["rule"] == f"regression-{metric}")

    def amounts(self, runs):
        """How much of each plant is as much as promised."""
        if self.measure == "time":
            return {"spin": int(SPIN * 0.1 / self.share_of_spin(runs))}
        return {plant: int(share * (LOADED if plant == "load" else statistics.median(
            self.value(run, metric) for run in runs[:5]))) for plant, (metric, share) in PLANTS.items()}

    def share_of_spin(self, runs):
        shares = []
        for run in runs[:5]:
            table = json.loads(call([PROFRENDER, "table", run, "--json", "--group", "function", "--limit", "0"]))
            shares += [row["self"] / table["total"] for row in table["rows"] if row["function"] == "spin"]
        return statistics.median(shares)


# ---- verdicts --------------------------------------------------------------------------------------------------------

@dataclass
class Row:
    """The outcome of the checks of one kind, measure and number of baselines."""

    checks: int = 0
    alarms: int = 0
    untold: int = 0
    found: dict = field(default_factory=dict)  # {plant: [found, named first, checks]}
    wrong: list = field(default_factory=list)


def settings(bench, runs, dice):
    """{words: a function from a new run and its number among the unchanged (None: it is grown) to a check's words}"""
    def others(number, count):
        return dice.sample([run for at, run in enumerate(runs) if at != number], count)

    def before(number):
        first = dice.randrange(len(runs) - HISTORY) if number is None else number - HISTORY
        return runs[first:first + HISTORY]

    ways = {"1": lambda number: {"baselines": others(number, 1)},
            str(SEVERAL): lambda number: {"baselines": others(number, SEVERAL)},
            f"history of {HISTORY}": lambda number: {"history": before(number)}}
    return ways if bench.measure == "memory" else {name: ways[name] for name in list(ways)[1:]}


def judge_unchanged(row, verdict):
    row.checks += 1
    row.alarms += not verdict["ok"]
    row.untold += bool(verdict["ok"] and verdict["cannot_tell"])
    row.wrong += [reason["sentence"] for reason in verdict["reasons"]]


def judge_grown(row, plant, verdicts):
    """Of several in a row the first alarm counts."""
    broken = [verdict for verdict in verdicts if not verdict["ok"]]
    named = bool(broken) and broken[0]["reasons"][0]["function"] == plant
    tally = row.found.setdefault(plant, [0, 0, 0])
    for at, more in enumerate((bool(broken), named, True)):
        tally[at] += more
    if not named:
        row.wrong.append(f"{plant}: " + (broken[0]["reasons"][0]["sentence"] if broken else "not found; " + "; ".join(
            one["sentence"] for one in verdicts[-1]["cannot_tell"])))


def rows_of(bench, runs, grown):
    dice = random.Random(1)
    rows = {}
    with ThreadPoolExecutor(2) as pool:
        for words, choose in settings(bench, runs, dice).items():
            row = rows[words] = Row()
            trials = [(number, choose(number)) for number in range(HISTORY, len(runs))]
            for verdict in pool.map(lambda trial: bench.check(runs[trial[0]], **trial[1]), trials):
                judge_unchanged(row, verdict)
            # A tenth of time is less than chance makes of a single run: only a history finds it.
            for plant, new in grown.items() if bench.measure == "memory" or "history" in words else ():
                tries = [(new[number % len(new)], choose(None)) for number in range(TRIALS)]
                in_a_row = IN_A_ROW if bench.measure == "time" and "history" in words else 1
                for verdicts in pool.map(lambda trial: checks_in_a_row(bench, new, *trial, in_a_row), tries):
                    judge_grown(row, plant, verdicts)
    return rows


def checks_in_a_row(bench, new, run, against, count):
    """The run alone, or with those that follow it, as they would come one after another."""
    if count == 1:
        return [bench.check(run, **against)]
    first = new.index(run) % (len(new) - count + 1)
    return [bench.check(new[first + at], history=against["history"] + new[first:first + at]) for at in range(count)]


# ---- others, on the same runs ----------------------------------------------------------------------------------------

PEERS = """
import json, sys
from pytest_benchmark.utils import parse_compare_fail
benchmark = parse_compare_fail("mean:5%")
for line in sys.stdin:
    before, new = json.loads(line)
    print(json.dumps([bool(benchmark.fails({"mean": new}, {"mean": before}))]))
"""

OTAVA = """
import json, sys
from otava.analysis import compute_change_points
for line in sys.stdin:
    values = [float(value) for value in json.loads(line)]
    points, _ = compute_change_points(values, window_len=50, max_pvalue=0.001, min_magnitude=0.0)
    print(json.dumps([int(point.index) for point in points]))
"""


def through(python, script, lines):
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    done = subprocess.run([python, "-c", script], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def peak_with_arenas(run):
    return json.loads(call([PROFRENDER, "stats", run, "--json", "-q"]))["profrender"]["peak"]["bytes"]


def peers_of(tools, otava, runs, grown):
    """{tool: [false alarms, unchanged pairs or series, found, grown ones]}"""
    dice = random.Random(2)
    old, new = [peak_with_arenas(run) for run in runs], [peak_with_arenas(run) for run in grown]
    pairs = [dice.sample(old, 2) for _ in range(TRIALS)]
    more = [(dice.choice(old), dice.choice(new)) for _ in range(TRIALS)]
    limits = {"pytest-memray, --fail-on-increase": lambda a, b: b > a,
              "pytest-memray, limit_memory 3 % above": lambda a, b: b > a * 1.03}
    found = {name: [sum(rule(*pair) for pair in pairs), TRIALS, sum(rule(*pair) for pair in more), TRIALS]
             for name, rule in limits.items()}
    said = [line[0] for line in through(tools / "python", PEERS, pairs + more)]
    found["pytest-benchmark, mean:5%"] = [sum(said[:TRIALS]), TRIALS, sum(said[TRIALS:]), TRIALS]
    first = [dice.randrange(len(old) - HISTORY - IN_A_ROW) for _ in range(TRIALS)]
    series = [old[at:at + HISTORY + IN_A_ROW] for at in first]
    series += [old[at:at + HISTORY] + dice.sample(new, IN_A_ROW) for at in first]
    points = through(otava / "python", OTAVA, series)
    near = [any(abs(at - HISTORY) <= 2 for at in found) for found in points[TRIALS:]]
    found["Apache Otava, ten runs later"] = [sum(map(bool, points[:TRIALS])), TRIALS, sum(near), TRIALS]
    return found


# ---- tables ----------------------------------------------------------------------------------------------------------

def line(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def head(*titles, texts=2):
    line(*titles)
    print("|" + " --- |" * texts + " ---: |" * (len(titles) - texts))


def cells(row, plants):
    found = [row.found.get(plant) for plant in plants]
    return [row.checks, row.alarms, row.untold] + [f"{one[0]}, {one[1]}" if one else "" for one in found]


def measured(tools, kind, measure, wanted):
    bench = Bench(tools, wanted.keep, kind, measure)
    amounts = bench.amounts(bench.unchanged(5))
    mixed = [("run", number) for number in range(wanted.runs + HISTORY)]
    mixed += [(plant, number) for plant in amounts for number in range(wanted.grown)]
    random.Random(3).shuffle(mixed)  # so that whatever else the machine does meets all of them
    for plant, number in [one for one in mixed if one[0] == "run"] if measure == "memory" else mixed:
        bench.record(f"{plant}-{number:03}", (plant, amounts[plant]) if plant != "run" else ())
    runs = bench.unchanged(wanted.runs + HISTORY)
    return bench, runs, {plant: bench.grown(plant, amount, wanted.grown) for plant, amount in amounts.items()}


def table_of(tools, measure, kinds, wanted):
    plants = list(PLANTS) if measure == "memory" else ["spin"]
    head("program", "baselines", "checks", "alarms", "cannot tell", *[f"`{plant}` found, named first"
                                                                      for plant in plants])
    bad, series = 0, {}
    for kind in kinds:
        bench, runs, grown = measured(tools, kind, measure, wanted)
        series[kind] = runs, grown
        for words, row in rows_of(bench, runs, grown).items():
            line(KINDS[kind], words, *cells(row, plants))
            print(*sorted(set(row.wrong))[:20], sep="\n", end="\n" * bool(row.wrong), file=sys.stderr)
            bad += row.alarms + sum(named < 0.95 * checks for _, named, checks in row.found.values())
    return bad, series


def table_of_peers(tools, series):
    otava = environment("otava")
    if not otava:
        return
    head("program", "tool", "alarms, unchanged", "found, 5 % of the peak")
    for kind, (runs, grown) in series.items():
        for name, (alarms, of, found, of_grown) in peers_of(tools, otava, runs, grown["hold"]).items():
            line(KINDS[kind], name, f"{alarms} of {of}", f"{found} of {of_grown}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--grown", type=int, default=20)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--measures", nargs="+", default=["memory", "time"], choices=["memory", "time"])
    parser.add_argument("--keep", type=Path, default=ROOT / "build/tests/bench-verdict")
    parser.add_argument("--peers", action="store_true", help="also what other tools find in the same runs")
    wanted = parser.parse_args()
    tools = environment("verdict")
    if not tools:
        return 1
    os.nice(10)
    bad = 0
    for measure in wanted.measures:
        kinds = [kind for kind in wanted.kinds if measure == "memory" or kind in TIME_KINDS]
        wrong, series = table_of(tools, measure, kinds, wanted)
        bad += wrong
        print()
        if wanted.peers and measure == "memory":
            table_of_peers(tools, series)
            print()
    print(f"{bad} false alarms, and growths found in fewer than 95 of 100 checks")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
