# SPDX-License-Identifier: Apache-2.0
"""Do few bins give the same as one bin for each memory sample, windows the same as the bins in them, and the difference
of two windows the same as their tables?

The histories with one bin a sample are compared with memray's own elsewhere. Here everything that merging bins must
keep is computed from them anew, record by record, in another language.
"""

import random
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
COLLECTION = ROOT.parent / "shared/captures/memray"
OURS = [path for path in sorted((ROOT / "samples").glob("*.bin")) if "aggregate" not in path.name]
THEIRS = [path for path in sorted(COLLECTION.glob("*.bin"))
          if ("three_seconds" in path.name or "ctypes" in path.name and "native" not in path.name)
          and "aggregate" not in path.name]
CASES = [(path, bins) for path in OURS for bins in (2, 15)] + [(path, bins) for path in THEIRS for bins in (1, 7)]
PAIRS = list(zip([*THEIRS[-1:], *OURS, *THEIRS] if THEIRS else [OURS[-1], *OURS], OURS + THEIRS))
NEVER = 1 << 40


class History:
    """Bins and records of one capture, at one resolution."""

    def __init__(self, program, path, bins):
        self.program, self.path, self.bins = program, path, str(bins)
        peak = self.export("--view", "temporal-peak")
        leaks = self.export("--view", "temporal-leaks")
        self.spans = [(start, end) for start, end, _ in peak["bins"]]
        self.peaks = [bytes_ for _, _, bytes_ in peak["bins"]]
        self.peak_rows = [(key(r), r["intervals"]) for r in peak["records"]]
        self.leak_rows = [(key(r), r["intervals"]) for r in leaks["records"]]

    def export(self, *arguments):
        return ask(self.program, "export", self.path, "--bins", self.bins, "--threads", "split", *arguments)

    def at(self, bin_number):
        """What every record held at the high-water mark of a bin."""
        held = {k: next(((n, size) for start, end, n, size in rows
                         if start <= bin_number < (NEVER if end is None else end)), (0, 0))
                for k, rows in self.peak_rows}
        return Counter({k: v for k, v in held.items() if v != (0, 0)})

    def highest(self, first, last):
        return max(range(first, last + 1), key=lambda b: (self.peaks[b], b))

    def leaked(self, first, last):
        found = {}
        for k, rows in self.leak_rows:
            kept = [(n, size) for start, end, n, size in rows
                    if first <= start <= last and (NEVER if end is None else end) > last]
            total = sum(n for n, _ in kept), sum(size for _, size in kept)
            if total != (0, 0):
                found[k] = total
        return found


def key(record):
    return record["allocator"], record["tid"], tuple(map(tuple, record["stack"]))


def records(document):
    return {key(r): (r["n_allocations"], r["size"]) for r in document["records"]}


def differences(fine, coarse, rng):
    """Yields where merged bins and windows of them disagree with the fine bins."""
    width = 1 if len(coarse.spans) > 1 else len(fine.spans)
    while width < len(fine.spans) and coarse.spans[0][1] != fine.spans[width - 1][1]:
        width *= 2
    # With a bin a sample there are none after the last allocation; else the last bin reaches to the end of the run.
    if width >= len(fine.spans) and coarse.spans[0][1] < fine.spans[-1][0]:
        yield f"bin 0 ends at {coarse.spans[0][1]}, where no sample is"
        return

    def fine_bins(first, last):
        return first * width, min((last + 1) * width, len(fine.spans)) - 1

    covered = [b for b in range(len(coarse.spans)) if b * width < len(fine.spans)]
    for b in covered:
        first, last = fine_bins(b, b)
        if coarse.peaks[b] != max(fine.peaks[first:last + 1]):
            yield f"peak of bin {b}: {coarse.peaks[b]}, its samples have {max(fine.peaks[first:last + 1])}"
        if coarse.at(b) != fine.at(fine.highest(first, last)):
            yield f"records at the peak of bin {b} differ"
    for _ in range(3):
        first, last = sorted(rng.choices(covered, k=2))
        fine_first, fine_last = fine_bins(first, last)
        window = f"b{first}:b{last}"
        if records(coarse.export("--view", "peak", "--window", window)) != fine.at(fine.highest(fine_first, fine_last)):
            yield f"peak of the window {window} differs"
        if records(coarse.export("--view", "leaks", "--window", window)) != fine.leaked(fine_first, fine_last):
            yield f"leaks of the window {window} differ"


def ask(program, *words):
    done = program(*words)
    assert done.status == 0
    return done.json()


def by_place(rows, key, value):
    """The values of each location, without empty ones."""
    sums = Counter()
    for row in rows:
        sums[key(row)] += row[value]
    return {place: round(amount, 6) for place, amount in sums.items() if amount}


def name_in_difference(row):
    """A difference calls a function without a name as Python qualifies it; a table says what it is in besides."""
    is_bare = row["function"].startswith("<") and row.get("enclosing")
    return f"{row['enclosing']}.<locals>.{row['function']}" if is_bare else row["function"]


def parts_differ(program, metric, base, new):
    """
    Yields where the difference of two (path, window) disagrees with their tables. One path: two parts of one run. Files
    of two runs have the names of the new one, so there only functions are compared.
    """
    same = base[0] == new[0]
    inputs = [base[0]] if same else [base[0], new[0]]
    windows = "--base-window", base[1], "--window", new[1]
    diff = ask(program, "diff", *inputs, *windows, "--metric", metric, "--json")
    for side, (path, window) in (("before", base), ("after", new)):
        table = ask(program, "table", path, "--metric", metric, "--window", window, "--json")
        key = (lambda row: (name_in_difference(row), row["file"])) if same else name_in_difference
        if by_place(diff["rows"], key, side) != by_place(table["rows"], key, "self"):
            yield f"{metric}: {path.name} {window} as '{side}' is not its table"
        if round(diff[side], 6) != round(table["total"], 6):
            yield f"{metric}: {path.name} {window} as '{side}' has another total"
    if any(row["change"] != row["after"] - row["before"] for row in diff["rows"] if isinstance(row["change"], int)):
        yield f"{metric}: a change is not what it is between"


def window_of(program, path, rng):
    """Any window of a capture, in its own time bins."""
    bins = ask(program, "export", path, "--view", "temporal-peak")["bins"]
    first, last = sorted(rng.choices(range(len(bins)), k=2))
    return f"b{first}:b{last}"


@pytest.fixture(scope="module")
def fine(program):
    """The history of a capture with a bin for each memory sample; the last is kept, as cases of a path are in a row."""
    return lru_cache(1)(lambda path: History(program, path, "samples"))


@pytest.mark.parametrize("path, bins", CASES, ids=[f"{path.stem}-{bins}" for path, bins in CASES])
def test_few_bins_are_the_sum_of_the_fine_ones(path, bins, fine, program):
    rng = random.Random(path.name)
    wrong = list(differences(fine(path), History(program, path, bins), rng))
    assert not wrong, "\n".join(wrong[:3])


@pytest.mark.parametrize("metric", ["peak", "leaked"])
@pytest.mark.parametrize("before, path", PAIRS, ids=[path.stem for _, path in PAIRS])
def test_a_difference_of_windows_is_that_of_their_tables(before, path, metric, program):
    rng = random.Random(path.name)
    base, new, other = (window_of(program, p, rng) for p in (path, path, before))
    wrong = [*parts_differ(program, metric, (path, base), (path, new)),
             *parts_differ(program, metric, (before, other), (path, new))]
    assert not wrong, "\n".join(wrong[:3])


@pytest.mark.parametrize("name, base, new", [
    ("fanout.pyisession", "0:0.4", "0.4:1"),
    ("fanout.pyi.speedscope.json", "0:0.1", "0.05:1"),
    ("etl.pyspy.speedscope.json", "0.1:0.3", "0:9"),
])
def test_a_difference_of_parts_of_a_cpu_profile(name, base, new, program):
    path = ROOT / "samples/cpu" / name
    wrong = list(parts_differ(program, "cpu", (path, base), (path, new)))
    assert not wrong, "\n".join(wrong[:3])
