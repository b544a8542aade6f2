# SPDX-License-Identifier: Apache-2.0
"""`tree` folds, but loses nothing; `summary` has the numbers of `table`."""
from collections import defaultdict
from math import isclose

from program import SAMPLES, document

QUESTIONS = ([], ["--invert"], ["--limit", 5], ["--depth", 3], ["--threads", "split", "--limit", 4],
             ["--threads", "split", "--invert", "--min-share", 10], ["--limit", 0, "--min-share", 0])


def near(a, b):
    return isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def wrong_sums(tree):
    below = defaultdict(float)
    for row in tree["rows"]:
        if row["parent"] is not None:
            below[row["parent"]] += row["total"]
    for number, row in enumerate(tree["rows"]):
        if not near(row["total"], row["self"] + row["folded_total"] + below[number]):
            yield f"row {number}, {row['function']}: {row}, below it {below[number]}"
    if not near(tree["rows"][0]["total"], tree["total"]):
        yield f"the first row has {tree['rows'][0]['total']} of {tree['total']}"


def wrong_order(tree):
    last = {}
    for number, row in enumerate(tree["rows"]):
        parent = row["parent"]
        if (parent is None) != (number == 0) or (parent is not None and parent >= number):
            yield f"row {number} lies below row {parent}"
        if last.get(parent, row["total"]) < row["total"]:
            yield f"row {number} is larger than the one before it"
        last[parent] = row["total"]


def too_many(tree, question):
    """At most --limit frames, and none below another one deeper than --depth."""
    rows = tree["rows"]
    if "--limit" in question and question[-1]:
        threads = {row["thread"] for row in rows}
        if len(rows) > (question[question.index("--limit") + 1] + 1) * len(threads) + 1:
            yield f"{len(rows)} rows"
    if "--depth" in question:
        depth = [0]
        for row in rows[1:]:
            depth.append(depth[row["parent"]] + 1)
        if max(depth) > question[question.index("--depth") + 1]:
            yield f"depth {max(depth)}"


def test(tally):
    for question in QUESTIONS:
        trees = {path.name: document("tree", path, "--json", *question) for path in SAMPLES}
        name = "tree " + " ".join(map(str, question))
        tally.none(f"{name}: of every sample", [path for path, tree in trees.items() if not tree])
        for what, check in (("adds up", wrong_sums), ("largest first", wrong_order)):
            tally.none(f"{name}: {what}", [f"{path}: {text}" for path, tree in trees.items() for text in check(tree)])
        tally.none(f"{name}: bounded", [text for tree in trees.values() for text in too_many(tree, question)])
    for path in SAMPLES:
        summary = document("summary", path, "--json")
        table = document("table", path, "--json", "--group", "location")
        if any(row["self"] and row["file"] for row in table["rows"]) and not path.name.endswith((".pstats", ".out")):
            own = defaultdict(float)
            for row in table["rows"]:
                own[row["function"], row["file"]] += row["self"]
            tally.none(f"summary of {path.name} has the self of the table",
                       [f"{row} {own[row['function'], row['file']]}" for row in summary["rows"]
                        if not near(row["self"], own[row["function"], row["file"]])])
