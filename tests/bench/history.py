#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where a series of runs changes its level: `check --history` beside Apache Otava, on the same made series.

    python3 tests/bench/history.py [SERIES [SERIES OF RUPTURES]]

Each series has 40, 60 or 100 runs with normal noise of 0.3, 1 or 3 %, and nothing else, a step of 2, 5 or 10 %, the
same and back, a steady growth of as much, or one run of twice the level. A change is found if it is reported within two
runs of where it is. Each run is a capture of one allocation. The second table is of series that the package ruptures
makes, with the changes that it says are in them. The last one is of a real series that Otava's source package has with
its tests, performance of TigerBeetle, and of the places that are marked below the drawing of it there. All are those of
doc/verdicts.md.
"""

import ast
import json
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("support", "check")]
from captures import Allocation, write  # noqa: E402
from packages import environment  # noqa: E402

PROGRAM = ROOT / os.environ.get("PROFRENDER", "build/profrender")
KINDS = {"nothing": "no change", "step": "a step", "back": "a step and back", "drift": "steady growth",
         "outlier": "one outlier"}
STACK = [("main", "/ci/app/main.py", 3)]
LEVEL = 1000000
NEAR = 2

OTAVA = """
import json, sys
from otava.analysis import compute_change_points
for line in sys.stdin:
    values = [float(value) for value in json.loads(line)]
    points, _ = compute_change_points(values, window_len=50, max_pvalue=0.001, min_magnitude=0.0)
    print(json.dumps([int(point.index) for point in points]))
"""

RUPTURES = """
import json, sys
from ruptures import pw_constant
for number in range(int(sys.argv[1])):
    noise, changes = (1, 2, 4)[number % 3], number // 3 % 5
    signal, ends = pw_constant(100, 1, changes, noise_std=noise, delta=(2, 10), seed=number)
    print(json.dumps([noise, [float(value) for value in signal[:, 0]], [int(end) for end in ends[:-1]]]))
"""


def make_series(rnd):
    """(kind, values, where the level changes)"""
    kind, count = rnd.choice(list(KINDS)), rnd.choice([40, 60, 100])
    noise, size = rnd.choice([0.003, 0.01, 0.03]), rnd.choice([0.02, 0.05, 0.1])
    first = rnd.randrange(10, count - 10)
    last = min(count - 4, first + rnd.randrange(6, 20))
    shape = {"nothing": lambda i: 1, "outlier": lambda i: 2 if i == first else 1,
             "step": lambda i: 1 + size * (i >= first), "back": lambda i: 1 + size * (first <= i < last),
             "drift": lambda i: 1 + size * i / count}[kind]
    values = [int(LEVEL * shape(i) * (1 + rnd.gauss(0, noise))) for i in range(count)]
    return kind, values, {"step": [first], "back": [first, last]}.get(kind, [])


def found_by_check(values, folder):
    for old in folder.iterdir():
        old.unlink()
    for day, value in enumerate(values):
        write(folder / f"{day:03}.bin", [Allocation(STACK, value)], start_ms=1700000000000 + day * 86400000)
    newest = folder.parent / "new.bin"
    (folder / f"{len(values) - 1:03}.bin").rename(newest)
    done = subprocess.run([PROGRAM, "check", newest, "--history", folder, "--metric", "peak", "--json"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    document = json.loads(done.stdout)
    findings = document["reasons"] + document["cannot_tell"] + document["kept"]
    history = next(finding["history"] for finding in findings if finding["rule"] == "regression-peak")
    assert history["values"] == values
    return [change["index"] for change in history["changes"]]


def by_packages(script, *words, lines=()):
    tools = environment("otava")
    if not tools:
        sys.exit("Otava and ruptures cannot be had here")
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    done = subprocess.run([tools / "python", "-c", script, *map(str, words)], input=text, capture_output=True,
                          text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def found_by(all_values):
    """{tool: where it found changes in each series}"""
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room) / "history"
        folder.mkdir()
        ours = [found_by_check(values, folder) for values in all_values]
    return {"check": ours, "Otava": by_packages(OTAVA, lines=all_values)}


def hits_of(known, found):
    """How many of KNOWN were found, and how many of FOUND are there."""
    return (sum(any(abs(at - there) <= NEAR for there in found) for at in known),
            sum(any(abs(at - there) <= NEAR for at in known) for there in found))


def table_of_ruptures(count):
    made = by_packages(RUPTURES, count)
    tools = found_by([[int(LEVEL * (1 + value / 100)) for value in values] for _, values, _ in made])
    print("\n| noise | series | changes | " + " | ".join(f"precision of {t} | recall" for t in tools) + " |")
    print("| ---: | ---: | ---: |" + " ---: | ---: |" * len(tools))
    for noise in (1, 2, 4):
        chosen = [i for i, (own, _, _) in enumerate(made) if own == noise]
        changes = sum(len(made[i][2]) for i in chosen)
        cells = [f"{noise} %", len(chosen), changes]
        for found in tools.values():
            pairs = [hits_of(made[i][2], found[i]) for i in chosen]
            right, of = sum(pair[1] for pair in pairs), sum(len(found[i]) for i in chosen)
            cells += [f"{right / max(of, 1):.2f}", f"{sum(pair[0] for pair in pairs) / changes:.2f}"]
        print("| " + " | ".join(map(str, cells)) + " |")


def published_series():
    """(values, marks) of TigerBeetle, as the source package of Otava has them: read, not run."""
    version = re.search(r"apache-otava==(\S+)", (ROOT / "tests/requirements/otava.txt").read_text()).group(1)
    with tempfile.TemporaryDirectory() as room:
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", f"apache-otava=={version}", "--no-deps",
                        "--no-binary", "apache-otava", "-d", room], check=True)
        with tarfile.open(next(Path(room).glob("*.tar.gz"))) as archive:
            name = next(name for name in archive.getnames() if name.endswith("/tests/tigerbeetle_test.py"))
            module = ast.parse(archive.extractfile(name).read())
    function = next(node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == "_get_series")
    values = ast.literal_eval(function.body[-1].value)
    marks = [int(mark) for mark in ast.get_docstring(function).splitlines()[-1].split()]
    return values, marks


def table_of_published():
    values, marks = published_series()
    print(f"\nTigerBeetle, {len(values)} runs, {len(marks)} marks ({', '.join(map(str, marks))}):\n")
    print("| tool | changes found | precision | recall |\n| --- | --- | ---: | ---: |")
    for tool, (found,) in found_by([values]).items():
        hits, right = hits_of(marks, found)
        print(f"| {tool} | {', '.join(map(str, found))} | {right / max(len(found), 1):.2f} | {hits / len(marks):.2f} |")


def main():
    rnd = random.Random(5)
    series = [make_series(rnd) for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 300)]
    tools = found_by([values for _, values, _ in series])
    print("| series | number | changes | " + " | ".join(f"found by {t} | wrong" for t in tools) + " |")
    print("| --- | ---: | ---: |" + " ---: | ---: |" * len(tools))
    for kind, title in KINDS.items():
        chosen = [i for i, (name, _, _) in enumerate(series) if name == kind]
        cells = [title, len(chosen), sum(len(series[i][2]) for i in chosen)]
        for found in tools.values():
            pairs = [hits_of(series[i][2], found[i]) for i in chosen]
            hits = sum(pair[0] for pair in pairs)
            wrong = sum(len(found[i]) - pair[1] for i, pair in zip(chosen, pairs))
            in_series = sum(bool(found[i]) for i in chosen)
            cells += [f"in {in_series}", "–"] if kind == "drift" else [hits, wrong]
        print("| " + " | ".join(map(str, cells)) + " |")
    table_of_ruptures(int(sys.argv[2]) if len(sys.argv) > 2 else 150)
    table_of_published()


if __name__ == "__main__":
    main()
