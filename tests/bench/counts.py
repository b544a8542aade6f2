#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the program and its page do for each event, cell, node and byte, as counts that no neighbour changes.

    make bench-counts                             a table; what tests/bench/counts.txt expects of it
    make bench-counts COUNTS=--record             writes counts.txt: the difference is part of the change that made it
    python3 tests/bench/counts.py --only memray   the cases whose names begin so

Each case is one run of the program over a fixed input under callgrind, which simulates an ordinary cache and branch
predictor, whatever this machine has. Counted are the program's own instructions; those of the C library and of
compressors, which choose their code by the processor, are a column of their own. The page's script runs in node, where
V8 counts how often each block runs (page_work.mjs).

The exit status is 1 when a case costs over 2 % more than expected. Another compiler, other flags, another node or an
older processor make other counts: then this is said, and nothing fails. Needs valgrind, node, build/profrender,
build/tests/make_capture.
"""

import argparse
import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "build" / "profrender"
MAKER = ROOT / "build" / "tests" / "make_capture"
EXPECTED = ROOT / "tests" / "bench" / "counts.txt"
MOST_GROWTH = 0.02
ALL_NODES = ["--max-nodes", "100000000", "--max-size", "2GB"]
SIMULATION = ["--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes", "--dump-instr=no", "--compress-pos=no",
              "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"]

# The captures: name, what make_capture is asked for.
MADE = {"program": ("program", 60_000), "live": ("live", 60_000), "native": ("native", 8_000),
        "paths": ("paths", 3_000), "wide": ("wide", 3_000), "samples": ("samples", 30_000)}
# What other readers get: the same paths in their formats.
EXPORTED = {"collapsed": "collapsed", "speedscope": "speedscope", "pprof": "pprof"}

TABLE_ROWS = 30_000

# name: (input, words of the command before it and after it, what the costs are shared by)
CASES = {
    "memray": ("program", ["stats"], [], "event"),
    "memray 11": ("seeds/v11.bin", ["stats"], [], "event"),
    "memray alive": ("live", ["stats"], [], "event"),
    "memray samples": ("samples", ["stats"], [], "event"),
    "memray native": ("native", ["export", "--format", "collapsed"], ["-o", "-"], "event"),
    "memray paths": ("paths", ["stats"], [], "event"),
    "leaks": ("paths", ["table"], ["--leaks"], "event"),
    "explain": ("paths", ["explain"], [], "event"),
    "digest": ("paths", ["digest"], ["-o", "-"], "event"),
    "export in time": ("paths", ["export", "--view", "temporal-leaks"], ["-o", "-"], "event"),
    "card": ("paths", ["card"], [*ALL_NODES, "-o", "-"], "event"),
    "card native": ("native", ["card"], [*ALL_NODES, "-o", "-"], "event"),
    "card wide": ("wide", ["card"], [*ALL_NODES, "-o", "-"], "event"),
    **{f"reader {name}": (f"paths.{name}", ["stats"], [], "byte") for name in EXPORTED},
    **{f"reader {name}": (ROOT / "samples/cpu" / file, ["stats"], [], "byte") for name, file in (
        ("austin", "etl.full.austin.txt"), ("jfr", "shop.jfr.zst"), ("trace-event", "fanout.pyspy.trace.json"),
        ("cpuprofile", "wordcount.cpuprofile"), ("pstats", "mini-py27.pstats"), ("perf", "multi.perf.txt"),
        ("heaptrack", "hashtab.heaptrack.zst"), ("otlp", "endpoints.otlp.gz"))},
    **{f"frame {form}": (f"table.{form}", ["frame", "--json"], [], "cell") for form in ("csv", "jsonl")},
}


def environment():
    """What counts depend on, besides the sources."""
    note = subprocess.run(["readelf", "-p", ".comment", PROGRAM], capture_output=True, text=True).stdout
    compiler = " and ".join(sorted(set(re.findall(r"\] +(.+)", note)))) or "unknown"
    flags = " ".join(word for word in (ROOT / "build/flags").read_text().split() if word.startswith("-"))
    extracts = "bmi2" in Path("/proc/cpuinfo").read_text().split()  # capture/base/extract_bits.h
    machine = os.uname().machine + (" with BMI2" if extracts else "")
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return {"program": f"{machine}, {compiler}, {flags}", "page": f"node {node.strip().split('.')[0]}"}


def table_rows():
    """A table of orders: numbers short and long, dates, categories, texts in quotes, missing cells."""
    chance = random.Random(1)
    for number in range(TABLE_ROWS):
        yield {"id": number, "price": round(chance.lognormvariate(3, 1), 2), "quantity": chance.randrange(1, 40),
               "score": chance.random(), "weight": None if chance.random() < 0.05 else chance.gauss(70, 12),
               "city": chance.choice(("Bern", "Köln", "Lima")), "paid": chance.random() < 0.9,
               "mail": f"user{chance.randrange(TABLE_ROWS)}@example.com",
               "at": f"2026-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02} "
                     f"{chance.randrange(24):02}:{chance.randrange(60):02}:00",
               "note": chance.choice(("", "late, again", "call", 'said "no"'))}


def make_tables(folder):
    with (folder / "table.csv").open("w", newline="") as csv_file, (folder / "table.jsonl").open("w") as json_file:
        writer = csv.writer(csv_file)
        for row in table_rows():
            if row["id"] == 0:
                writer.writerow(row)
            writer.writerow(row.values())
            json_file.write(json.dumps(row, ensure_ascii=False) + "\n")


def make_inputs(folder):
    make_tables(folder)
    for name, (kind, size) in MADE.items():
        subprocess.run([MAKER, kind, str(size), folder / name], check=True)
    (folder / "seeds").mkdir()
    subprocess.run([MAKER, "seeds", "20000", folder / "seeds"], check=True)
    for name, form in EXPORTED.items():
        subprocess.run([PROGRAM, "export", folder / "paths", "--format", form, "-o", folder / f"paths.{name}"],
                       check=True, stderr=subprocess.DEVNULL)
    subprocess.run([PROGRAM, "card", "-q", folder / "paths", *ALL_NODES, "-o", folder / "paths.html"], check=True)


def read_costs(path):
    """Sums of a file of callgrind's, for the program itself and for all else: {event: [own, others]}."""
    names, objects, own, after_call, sums = [], {}, True, False, {}
    for line in path.read_text(errors="replace").splitlines():
        if line.startswith("events:"):
            names = line.split()[1:]
            sums = {name: [0, 0] for name in names}
        elif line.startswith("ob="):
            number, _, name = line[3:].partition(" ")
            own = objects.setdefault(number, name).endswith("/profrender")
        elif line.startswith("cob="):
            number, _, name = line[4:].partition(" ")
            objects.setdefault(number, name)
        elif line.startswith("calls="):
            after_call = True
        elif line[:1].isdigit():
            if not after_call:
                for name, count in zip(names, line.split()[1:]):
                    sums[name][0 if own else 1] += int(count)
            after_call = False
    return sums


def one_processor():
    """Where there is one, the program starts no thread, whose turns valgrind would choose."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def fix_salts(folder):
    """A library that gives hash tables the same salts in each run: how often keys meet depends on them."""
    source = "#include <string.h>\nint getentropy(void *out, size_t n) { memset(out, 73, n); return 0; }\n"
    subprocess.run([*os.environ.get("CC", "cc").split(), "-shared", "-fPIC", "-x", "c", "-", "-o",
                    folder / "salts.so"], input=source.encode(), check=True)


def count_program(folder, name):
    source, before, after, unit = CASES[name]
    path, out = folder / source, folder / f"{name}.callgrind"
    done = subprocess.run(["valgrind", *SIMULATION, f"--callgrind-out-file={out}", PROGRAM, *before, path, *after],
                          stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=one_processor,
                          env={**os.environ, "LD_PRELOAD": str(folder / "salts.so"), "LC_ALL": "C.UTF-8"})
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stderr.decode(errors='replace')[-800:]}")
    sums = read_costs(out)
    units = path.stat().st_size
    if unit == "event":
        info = subprocess.run([PROGRAM, "info", path, "--json"], capture_output=True, check=True).stdout
        records = json.loads(info)["records"]
        units = records["allocations"] + records["frees"]
    elif unit == "cell":
        units = TABLE_ROWS * len(next(table_rows()))
    own = {key: counts[0] for key, counts in sums.items()}
    return name, {
        "instructions": own["Ir"] / units, "branch misses": (own["Bcm"] + own["Bim"]) / units,
        "L1 misses": (own["D1mr"] + own["D1mw"]) / units, "LL misses": (own["DLmr"] + own["DLmw"]) / units,
        "in libraries": sums["Ir"][1] / units, "unit": unit,
    }


def count_page(folder):
    done = subprocess.run(["node", "--no-opt", "--no-sparkplug", ROOT / "tests/bench/page_work.mjs",
                           folder / "paths.html"], capture_output=True, text=True, check=True)
    work = json.loads(done.stdout)
    nodes = work.pop("nodes")
    return {f"page {step}": {"instructions": cost / nodes, "unit": "node"} for step, cost in work.items()}


COLUMNS = ["instructions", "branch misses", "L1 misses", "LL misses", "in libraries"]


def table(counts, made_by):
    lines = ["# What tests/bench/counts.py expects; `make bench-counts COUNTS=--record` writes it.",
             *(f"# {part}: {what}" for part, what in made_by.items()),
             f"# {'case':26} {'unit':6}" + "".join(f"{column:>16}" for column in COLUMNS)]
    for name, costs in counts.items():
        cells = (f"{costs[column]:16.3f}" if column in costs else " " * 16 for column in COLUMNS)
        lines.append(f"{name:28} {costs['unit']:6}" + "".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def read_table(text):
    """({part: what made it}, {case: instructions}) of a table."""
    made_by = dict(re.findall(r"^# (program|page): (.+)$", text, re.M))
    rows = re.findall(r"^([^#\n]{28}) \w+ +([\d.]+)", text, re.M)
    return made_by, {name.strip(): float(cost) for name, cost in rows}


def judge(counts, made_by, expected):
    """(lines about what differs, whether that is a failure)."""
    expected_by, costs_then = read_table(expected)
    lines, failed = [], False
    for part, what in made_by.items():
        if what != expected_by.get(part):
            lines.append(f"nothing to compare for the {part}: {what}; expected is that of {expected_by.get(part)}")
    for name, costs in counts.items():
        part = "page" if name.startswith("page ") else "program"
        if made_by[part] != expected_by.get(part):
            continue
        now, then = costs["instructions"], costs_then.get(name)
        change = now / then - 1 if then else None
        if change is None or abs(change) > MOST_GROWTH:
            grown = change is None or change > 0
            failed = failed or grown
            amount = "is new" if change is None else f"{then:.3f} became {now:.3f} ({100 * change:+.1f} %)"
            lines.append(f"{name}: {amount}; if that is meant, `make bench-counts COUNTS=--record` in the same commit")
    return lines, failed


def measure(only=""):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_inputs(folder)
        fix_salts(folder)
        with ThreadPoolExecutor(os.cpu_count()) as lanes:
            counts = dict(lanes.map(lambda name: count_program(folder, name),
                                    [name for name in CASES if name.startswith(only)]))
        counts.update({name: work for name, work in count_page(folder).items() if name.startswith(only)})
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="BEGINNING", default="", help="cases whose names begin so")
    parser.add_argument("--record", action="store_true", help="write the file of what is expected")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("valgrind is missing; `make deps` installs it")
    made_by, counts = environment(), measure(options.only)
    print(table(counts, made_by), end="")
    if options.record:
        EXPECTED.write_text(table(counts, made_by))
        return
    lines, failed = judge(counts, made_by, EXPECTED.read_text())
    print("\n".join(lines or ["as expected"]))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
