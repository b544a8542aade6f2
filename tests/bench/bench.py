#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed compared with what is known: `profrender card` and memray's own reports of the same capture, taking turns.

    make bench                                    all cases but the large ones
    make bench BENCH='--large'                    with 1 GB of records, raw and LZ4: an hour
    make bench BENCH='--smallest --rounds 1'      whether it works
    python3 tests/bench/bench.py --only raw,lz4 --rounds 9

Prints ratios only: seconds describe a machine, not a program. Each figure is a quotient of medians, with the minimum
and maximum of single rounds in brackets. What takes over a minute runs once; what fails, or needs more than 8 GB, is
reported. Needs build/tests/make_capture and build/tests/walk, the capture generator next to the project's root
(../shared/captures/make_big.py) for synthetic programs, and, the first time, a package index to install the pinned
memray from, unless MEMRAY_PYTHON names a Python that has it. Captures stay in build/bench/.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
from packages import environment  # noqa: E402

GENERATOR = ROOT.parent / "shared" / "captures" / "make_big.py"
FOLDER = ROOT / "build" / "bench"
PROGRAM = ROOT / "build" / "profrender"
MAKER = ROOT / "build" / "tests" / "make_capture"
WALK = ROOT / "build" / "tests" / "walk"
WASM = ROOT / "build" / "wasm" / "package" / "profrender.mjs"
PAGE = Path(__file__).with_name("drop.mjs")
NODE = os.environ.get("NODE", "node")
SLOW_S = 60
MOST_BYTES = 8 << 30  # address space of memray

# name: (what it is, generator, size, smallest size, further options of the generator, contestants besides card)
PLAIN = ("flamegraph", "reports", "walk", "read", "core", "node", "browser")
CASES = {
    "raw": ("a synthetic program", "program", "100M", "2M", [], PLAIN),
    "lz4": ("the same, packed", "program", "100M", "2M", ["--compress"], (*PLAIN, "unpack")),
    "temporal": ("the same as raw, at every moment", "program", "100M", "2M", [], ("temporal", "walk")),
    "stacks": ("different stacks", "stacks", 2_000_000, 20_000, [], ("flamegraph", "walk", "read")),
    "live": ("allocations alive at once", "live", 5_000_000, 50_000, [], ("flamegraph", "walk", "read")),
    "native": ("a synthetic program with native stacks", "program", "30M", "2M", ["--native", "--pure-python"],
               ("flamegraph", "walk", "read")),
    # memray names nothing in this one, as its code files are missing: a location each for us, nothing for memray
    "native-stacks": ("different native stacks", "native", 1_000_000, 10_000, [], ("flamegraph", "walk", "read")),
    "large-raw": ("a synthetic program", "program", "1G", "2M", [], (*PLAIN, "temporal")),
    "large-lz4": ("the same, packed", "program", "1G", "2M", ["--compress"], (*PLAIN, "unpack")),
}
SUFFIXES = {"--compress": "-lz4", "--native": "-native", "--pure-python": ""}  # in names of captures, by option

# What is compared: which figure of whom by that of whom, and the label.
TIME, PROCESSOR, MEMORY = range(3)
RATIOS = [
    ("flamegraph", "card", TIME, "memray flamegraph : card, time (goal: 12)"),
    ("flamegraph", "card", PROCESSOR, "memray flamegraph : card, processor time"),
    ("flamegraph", "card", MEMORY, "memray flamegraph : card, peak memory"),
    ("reports", "card", TIME, "memray's peak, leaks, stats, summary : card, time (goal: 40)"),
    ("temporal", "card", TIME, "memray's temporal flamegraph : card, time"),
    ("temporal", "card", MEMORY, "memray's temporal flamegraph : card, peak memory"),
    ("card", "walk", TIME, "card : walking the records only, time (goal: 3)"),
    ("card", "read", TIME, "card : reading the file only (cat), time"),
    ("card", "unpack", TIME, "card : unpacking it only (lz4 -d), time"),
    ("node", "core", TIME, "card as WebAssembly in node : card on one core, time (goal: 2)"),
    ("node", "core", MEMORY, "card as WebAssembly in node : card on one core, peak memory"),
    ("browser", "core", TIME, "the drop page in Chromium : card on one core, time"),
    ("flamegraph", "browser", TIME, "memray flamegraph : the drop page in Chromium, time"),
]


def python_with_memray():
    if "MEMRAY_PYTHON" in os.environ:
        return Path(os.environ["MEMRAY_PYTHON"])
    programs = environment("profilers")
    return programs / "python" if programs else sys.exit("memray cannot be installed here; MEMRAY_PYTHON may name one")


def capture_of(python, case, size):
    _, generator, _, _, more, _ = CASES[case]
    path = FOLDER / f"{generator}-{size}{''.join(SUFFIXES[option] for option in more)}.bin"
    if path.exists():
        return path
    print(f"making {path.relative_to(ROOT)}", file=sys.stderr)
    made = path.with_suffix(".part")
    if generator == "program":
        command = [python, GENERATOR, size, made, "--force", *more]
    else:
        command = [MAKER, generator, str(size), made]
    subprocess.run(command, check=True, stdout=sys.stderr)
    made.rename(path)
    return path


def stopwatch():
    """measure.c, compiled."""
    path = FOLDER / "measure"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", path, Path(__file__).with_name("measure.c")], check=True)
    return path


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def measure(watch, commands):
    """(seconds, processor seconds, peak resident bytes) of commands, run one after the other; None when one fails."""
    sums = [0.0, 0.0, 0.0]
    for command in commands:
        times_itself = PAGE in command
        words = [str(word) for word in (command if times_itself else (watch, *command))]
        limit = None if NODE in command else limit_memory  # node takes address space without using it
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, preexec_fn=limit)
        if done.returncode != 0:
            print(f"{' '.join(words[1:])}: exit status {done.returncode}\n{done.stderr[-500:]}", file=sys.stderr)
            return None
        time, processor, memory = map(float, done.stdout.split())
        sums = [sums[TIME] + time, sums[PROCESSOR] + processor, max(sums[MEMORY], memory)]
    return sums


def contestants(python, capture, names):
    out = FOLDER / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    memray = [python, "-m", "memray"]

    def flamegraph(*options):
        return [*memray, "flamegraph", *options, "-f", "-o", out / "memray.html", capture]

    known = {
        "card": [[PROGRAM, "card", "-q", capture, "-o", out / "card.html"]],
        "flamegraph": [flamegraph()],
        "reports": [flamegraph(), flamegraph("--leaks"), [*memray, "stats", capture], [*memray, "summary", capture]],
        "temporal": [flamegraph("--temporal")],
        "walk": [[WALK, capture]],
        "read": [["cat", capture]],
        "unpack": [["lz4", "-dc", capture]],
        "core": [["taskset", "-c", "0", PROGRAM, "card", "-q", capture, "-o", out / "core.html"]],
        "node": [[NODE, WASM, "card", "-q", "--native", "off", capture, "-o", out / "node.html"]],
        "browser": [[NODE, PAGE, capture]],
    }
    lacks = [] if shutil.which("lz4") else ["unpack"]
    if not WASM.exists():
        print("without the WebAssembly program: make wasm", file=sys.stderr)
        lacks += ["core", "node", "browser"]
    return {name: known[name] for name in ("card", *names) if name not in lacks}


def take_turns(watch, commands, rounds):
    """The figures of each round; an empty list for what failed. The first turn warms the file cache."""
    results = {name: [] for name in commands}
    over = set()
    for turn in range(rounds + 1):
        for name in [name for name in commands if name not in over]:
            one = measure(watch, commands[name])
            if one and (turn or one[TIME] > SLOW_S):
                results[name].append(one)
            if not one or one[TIME] > SLOW_S:
                over.add(name)
    return results


def show(what, above, below):
    ratio = statistics.median(above) / statistics.median(below)
    print(f"  {what:62} {ratio:8.2f}   ({min(above) / max(below):.2f} to {max(above) / min(below):.2f})")


def report(case, capture, results):
    what = CASES[case][0]
    info = json.loads(subprocess.run([PROGRAM, "info", capture, "--json"], check=True, capture_output=True).stdout)
    records = info["records"]["allocations"] + info["records"]["frees"]
    size = f"{capture.stat().st_size / 1e6:.0f} MB, {records / 1e6:.1f} million allocations and frees"
    print(f"{case}: {what}, {capture.name}, {size}; {len(results['card'])} rounds")
    if not results["card"]:
        sys.exit("  the card failed")
    for above, below, figure, label in RATIOS:
        if above not in results or below not in results:
            continue
        if not results[above] or not results[below]:
            print(f"  {label:62} not done: see above")
            continue
        show(label, *([one[figure] for one in results[who]] for who in (above, below)))
    sys.stdout.flush()


def wanted_cases(options):
    names = options.only.split(",") if options.only else [c for c in CASES if options.large or "large" not in c]
    unknown = [name for name in names if name not in CASES]
    if unknown:
        sys.exit(f"no such case: {', '.join(unknown)}; there are: {', '.join(CASES)}")
    if not GENERATOR.exists():
        print("../shared/captures/make_big.py, the generator of synthetic programs, is not there: without those",
              file=sys.stderr)
        names = [name for name in names if CASES[name][1] != "program"]
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="CASE,...", help=", ".join(CASES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="with the captures of 1 GB")
    parser.add_argument("--smallest", action="store_true", help="the smallest captures: does it work?")
    options = parser.parse_args()
    names = wanted_cases(options)
    FOLDER.mkdir(parents=True, exist_ok=True)
    python, watch = python_with_memray(), stopwatch()
    for name in names:
        capture = capture_of(python, name, CASES[name][3 if options.smallest else 2])
        report(name, capture, take_turns(watch, contestants(python, capture, CASES[name][5]), options.rounds))


if __name__ == "__main__":
    main()
