#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast, beside what is known: `profrender card` and `memray flamegraph` of the same capture, taking turns.

    python3 tests/bench/bench.py [--size 100M] [--rounds 5] [--compress]

Prints ratios only: seconds tell about a machine, not about a program. Each figure is the median of the rounds, with the
least and the greatest. Needs the capture generator beside the project's root (../shared/captures/make_big.py) and, the
first time, a package index to install the pinned memray from; both captures and environment stay in build/bench/.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
GENERATOR = ROOT.parent / "shared" / "captures" / "make_big.py"
FOLDER = ROOT / "build" / "bench"
PROGRAM = ROOT / "build" / "profrender"
MEMRAY = "memray==1.20.0"


def environment():
    """A Python with memray."""
    python = FOLDER / "venv" / "bin" / "python"
    if not (FOLDER / "venv" / "bin" / "memray").exists():
        print(f"installing {MEMRAY} in {python.parent.parent.relative_to(ROOT)}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", FOLDER / "venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--only-binary", ":all:", MEMRAY], check=True)
    return python


def capture_of(python, size, compress):
    path = FOLDER / f"{size}{'-lz4' if compress else ''}.bin"
    if not path.exists():
        print(f"making {path.relative_to(ROOT)}", file=sys.stderr)
        options = ["--compress"] if compress else []
        subprocess.run([python, GENERATOR, size, path, "--force", *options], check=True, stdout=sys.stderr)
    return path


def stopwatch():
    """measure.c, compiled."""
    path = FOLDER / "measure"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", path, Path(__file__).with_name("measure.c")], check=True)
    return path


def measure(watch, command):
    """(seconds, processor seconds, peak resident bytes) of a command that must succeed."""
    command = [str(word) for word in (watch, *command)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return tuple(float(word) for word in done.stdout.split())


def contestants(python, capture):
    out = FOLDER / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    commands = {
        "profrender": [PROGRAM, "card", capture, "-o", out / "card.html"],
        "memray": [python, "-m", "memray", "flamegraph", "-f", "-o", out / "memray.html", capture],
        "read": ["cat", capture],
    }
    with open(capture, "rb") as file:
        packed = file.read(4) == b"\x04\x22\x4d\x18"
    if packed and shutil.which("lz4"):
        commands["unpack"] = ["lz4", "-dc", capture]
    return commands


def show(what, ratios):
    print(f"  {what:54} {statistics.median(ratios):8.2f}   ({min(ratios):.2f} to {max(ratios):.2f})")


def report(capture, results):
    info = json.loads(subprocess.run([PROGRAM, "info", capture, "--json"], check=True, capture_output=True).stdout)
    records = info["records"]["allocations"] + info["records"]["frees"]
    print(f"{capture.name}: {capture.stat().st_size / 1e6:.0f} MB, {records / 1e6:.1f} million allocations and frees; "
          f"{len(results['profrender'])} rounds, median (least to greatest)")
    pairs = list(zip(results["profrender"], results["memray"]))
    show("memray's time : ours   = records a second, ours : its", [theirs[0] / ours[0] for ours, theirs in pairs])
    show("memray's processor time : ours", [theirs[1] / ours[1] for ours, theirs in pairs])
    show("memray's peak memory : ours", [theirs[2] / ours[2] for ours, theirs in pairs])
    limits = {"read": "our time : only reading the file (cat)", "unpack": "our time : only unpacking it (lz4 -d)"}
    for name, what in limits.items():
        if name in results:
            show(what, [ours[0] / limit[0] for ours, limit in zip(results["profrender"], results[name])])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="100M", help="of the records, such as 100M or 1G; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--compress", action="store_true", help="a capture that memray has compressed (LZ4)")
    options = parser.parse_args()
    if not GENERATOR.exists():
        sys.exit("../shared/captures/make_big.py, the generator of big captures, is not beside the project")
    FOLDER.mkdir(parents=True, exist_ok=True)
    python = environment()
    capture = capture_of(python, options.size, options.compress)
    commands = contestants(python, capture)
    watch = stopwatch()
    results = {name: [] for name in commands}
    for turn in range(options.rounds + 1):
        for name, command in commands.items():
            one = measure(watch, command)
            if turn > 0:  # the first turn warms the file cache
                results[name].append(one)
    report(capture, results)


if __name__ == "__main__":
    main()
