# SPDX-License-Identifier: Apache-2.0
"""`tree` folds but loses nothing; `summary` has the same numbers as `table`."""
from collections import defaultdict
from math import isclose
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent.parent / "samples"
SAMPLES = sorted(FOLDER.glob("*.bin")) + sorted(path for path in (FOLDER / "cpu").iterdir()
                                                if path.name != "expected.json")
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


def words_of(question):
    return " ".join(map(str, question)) or "plain"


@pytest.fixture(scope="module", params=QUESTIONS, ids=words_of)
def asked(request, program):
    """(question, {sample: its tree})"""
    return request.param, {path.name: program("tree", path, "--json", *request.param).json() for path in SAMPLES}


def test_every_sample_has_a_tree(asked):
    _, trees = asked
    assert not [name for name, tree in trees.items() if not tree["rows"]]


@pytest.mark.parametrize("check", [wrong_sums, wrong_order])
def test_a_tree(check, asked):
    _, trees = asked
    wrong = [f"{name}: {text}" for name, tree in trees.items() for text in check(tree)]
    assert not wrong, "\n".join(wrong)


def test_a_tree_is_bounded(asked):
    question, trees = asked
    wrong = [f"{name}: {text}" for name, tree in trees.items() for text in too_many(tree, question)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", [path for path in SAMPLES if path.suffix not in (".pstats", ".out")],
                         ids=lambda path: path.name)
def test_a_summary_has_the_self_of_the_table(path, program):
    table = program("table", path, "--json", "--group", "location").json()
    if not any(row["self"] and row["file"] for row in table["rows"]):
        pytest.skip("nothing is known of files")
    # A function of a file may be several, each with its first line; a table has the lines that ran.
    own, summed = defaultdict(float), defaultdict(float)
    for rows, sums in ((table["rows"], own), (program("summary", path, "--json").json()["rows"], summed)):
        for row in rows:
            sums[row["function"], row["file"]] += row["self"]
    wrong = [f"{name} {total} {own[name]}" for name, total in summed.items() if not near(total, own[name])]
    assert not wrong, "\n".join(wrong)
