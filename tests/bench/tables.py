#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast `profrender frame` profiles a table, beside ydata-profiling, DuckDB's SUMMARIZE and polars' describe().

    python3 tests/bench/tables.py                     200,000 rows beside ydata-profiling, 2,000,000 beside the others
    python3 tests/bench/tables.py --rows 10000000     as many rows beside the others
    python3 tests/bench/tables.py --smallest          whether it works

One table of twelve columns, whole and real numbers, times, categories, texts, with values missing, as CSV and as Arrow.
Prints ratios only: of time, of time on the processor and of peak memory, medians of rounds in turns. A contestant's
figures include the start of Python. SUMMARIZE and describe() make fewer figures: no histograms, moments beyond the
second, frequent or extreme values, correlations, patterns. A contestant that cannot be installed or fails is reported.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
from packages import environment  # noqa: E402

FOLDER = ROOT / "build" / "bench"
PROGRAM = ROOT / "build" / "profrender"
TIME, PROCESSOR, MEMORY = range(3)

MAKE = """
import sys
import numpy as np, polars as pl
rows, csv, arrow = int(sys.argv[1]), sys.argv[2], sys.argv[3]
rng = np.random.default_rng(7)
price = rng.lognormal(3, 1, rows).round(2)
quantity = rng.integers(1, 20, rows)
table = pl.DataFrame({
    "order": np.arange(rows), "price": price, "quantity": quantity, "total": (price * quantity).round(2),
    "rating": rng.integers(0, 6, rows), "weight": rng.normal(5, 2, rows),
    "placed_at": np.datetime64("2026-01-01", "us") + rng.integers(0, 10**13, rows).astype("timedelta64[us]"),
    "country": np.array(["DE", "FR", "IT", "ES", "PL"])[rng.integers(0, 5, rows)],
    "state": np.array(["open", "paid", "sent"])[rng.integers(0, 3, rows)],
    "paid": rng.random(rows) < 0.7, "customer": rng.integers(0, rows // 10 + 1, rows)})
table = table.with_columns(
    pl.when(pl.col("rating") > 0).then(pl.col("rating")).alias("rating"),
    ("customer" + pl.col("customer").cast(pl.String) + "@example.com").alias("email"))
table.write_csv(csv)
table.write_ipc(arrow)
"""

YDATA = """
import sys
import pandas as pd
from ydata_profiling import ProfileReport
ProfileReport(pd.read_csv(sys.argv[1]), progress_bar=False).to_file(sys.argv[2])
"""
DUCKDB_CSV = "import sys, duckdb; duckdb.sql(f\"SUMMARIZE SELECT * FROM read_csv('{sys.argv[1]}')\").fetchall()"
DUCKDB_ARROW = """
import sys, duckdb, pyarrow as pa
data = pa.ipc.open_file(pa.memory_map(sys.argv[1])).read_all()
duckdb.sql("SUMMARIZE SELECT * FROM data").fetchall()
"""
POLARS_CSV = "import sys, polars as pl; pl.read_csv(sys.argv[1], try_parse_dates=True).describe()"
POLARS_ARROW = "import sys, polars as pl; pl.read_ipc(sys.argv[1]).describe()"


def measure(command):
    """(seconds, seconds on the processor, peak bytes); None after printing why there are none."""
    begin = time.monotonic()
    with (FOLDER / "tables.err").open("w+b") as errors:
        child = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read().decode("utf-8", "replace").strip().splitlines()
    if child.returncode:
        print(f"    failed with {child.returncode}: {said[-1] if said else 'no message'}")
        return None
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def compare(contestants, rounds):
    """The median of each measure of each contestant; one that fails is left out."""
    measured = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, command in contestants.items():
            if name not in measured:
                continue
            got = measure(command)
            if got:
                measured[name].append(got)
            else:
                print(f"    {name} is left out")
                del measured[name]
    return {name: [statistics.median(one[what] for one in rounds_of) for what in range(3)]
            for name, rounds_of in measured.items()}


def ratio(label, above, below):
    print(f"  {label}: " + ", ".join(f"{word} {above[what] / below[what]:.2f}" for what, word in (
        (TIME, "time"), (PROCESSOR, "processor time"), (MEMORY, "peak memory"))), flush=True)


def table_of(python, rows):
    FOLDER.mkdir(parents=True, exist_ok=True)
    paths = [FOLDER / f"table-{rows}.{suffix}" for suffix in ("csv", "arrow")]
    if not all(path.exists() for path in paths):
        subprocess.run([python, "-c", MAKE, str(rows), *map(str, paths)], check=True)
    return paths


def beside_ydata(frames, rows, rounds):
    csv, _ = table_of(frames, rows)
    packages = environment("ydata")
    if not packages:
        print("  ydata-profiling cannot be installed here: not compared")
        return
    card, report = FOLDER / "table.html", FOLDER / "table-ydata.html"
    found = compare({"profrender": [PROGRAM, "frame", "-q", csv, "-o", card],
                     "ydata": [packages / "python", "-c", YDATA, csv, report]}, rounds)
    if len(found) == 2:
        ratio("ydata-profiling : frame (goal: time 20, peak memory 10)", found["ydata"], found["profrender"])
        print(f"  page: {card.stat().st_size / 2**20:.2f} MiB (goal: 1), "
              f"ydata-profiling's : ours {report.stat().st_size / card.stat().st_size:.0f}")


def beside_others(frames, rows, rounds):
    for form, path, duckdb, polars in zip(("CSV", "Arrow"), table_of(frames, rows), (DUCKDB_CSV, DUCKDB_ARROW),
                                          (POLARS_CSV, POLARS_ARROW)):
        found = compare({"profrender": [PROGRAM, "frame", "-q", path, "-o", FOLDER / "table.html"],
                         "DuckDB's SUMMARIZE": [frames, "-c", duckdb, path],
                         "polars' describe()": [frames, "-c", polars, path]}, rounds)
        for name in [name for name in found if name != "profrender" and "profrender" in found]:
            ratio(f"{form}: frame : {name} (goal: time 2)", found["profrender"], found[name])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rows", type=int, default=2_000_000, help="beside DuckDB and polars")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--smallest", action="store_true", help="few rows, one round")
    given = parser.parse_args()
    packages = environment("frames")
    if not packages:
        print("tables: pandas, polars and DuckDB cannot be installed here: not compared")
        return
    rows, rounds = (20_000, 1) if given.smallest else (given.rows, given.rounds)
    print(f"tables, {min(rows, 200_000):,} rows and twelve columns")
    beside_ydata(packages / "python", min(rows, 200_000), rounds)
    print(f"tables, {rows:,} rows and twelve columns")
    beside_others(packages / "python", rows, rounds)


if __name__ == "__main__":
    main()
