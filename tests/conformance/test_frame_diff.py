# SPDX-License-Identifier: Apache-2.0
"""What `frame diff` and `check --frame` say of tables that are the same, that have no rows, or whose repeated rows are
an estimate: terminal, page and document agree."""

import re

import pytest

TABLES = {"none": "a,b\n", "two": "a,b\n1,x\n2,y\n",
          "fifty": "a,b,c\n" + "".join(f"{n},{'xyz'[n % 3]},{n * 1.5}\n" for n in range(50))}
NOTES = [("fifty", "fifty", "No column is new, gone or retyped; no measured distribution moved", []),
         ("two", "two", "No column is new, gone or retyped; no distribution was measured", []),
         ("none", "none", "Neither table has rows; no column is new, gone or retyped", []),
         ("none", "two", "There were no rows before; no column is new, gone or retyped", []),
         ("none", "fifty", "There were no rows before", ["c is new (decimal)"]),
         ("fifty", "none", "There are no rows any more",
          ["c is gone (decimal)", "b lacks 3 categories that it had: x, y, z"]),
         ("fifty", "two", "", ["c is gone (decimal)", "b lacks 1 category that it had: z"])]
UNKNOWN = [("none", None, "missing below 1 %", "missing is not known: there are no rows"),
           ("none", None, "repeated below 1 %", "repeated is not known: there are no rows"),
           ("none", None, "a: mean at most 3", "mean is not known: there are no numbers"),
           ("none", "fifty", "a: missing within 1 %", "missing cannot be compared: not both tables have rows"),
           ("fifty", "none", "a: mean within 3 %", "mean cannot be compared: not both tables have numbers")]
KEPT = ["missing within 0 %", "a: mean within 0 %", "b: no new category", "b: no lost category", "a: not moved",
        "same columns", "same type", "rows within 0 %", "no missing", "no repeated rows"]


@pytest.fixture
def tables(tmp_path):
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def changes_in(text):
    part = text[text.index("What changed"):text.index("Columns", text.index("What changed"))]
    return [line.strip() for line in part.splitlines()[1:] if line.strip()]


@pytest.mark.parametrize("before,after,note,changes", NOTES)
def test_a_difference_of_hardly_anything_is_said_in_full(program, tables, before, after, note, changes):
    pair = (tables / before, tables / after)
    assert changes_in(program("frame", "diff", *pair).out) == [note] * bool(note) + changes
    program("frame", "diff", *pair, "-o", tables / "card.html")
    page = re.sub("<[^>]*>", "", (tables / "card.html").read_text().split("What changed")[1].split("</ul>")[0])
    assert [line for line in page.splitlines()[1:] if line] == [note] * bool(note) + changes
    document = program("frame", "diff", "--json", *pair).json()
    assert [f"{change['column']} {change['text']}" for change in document["changes"]] == changes


@pytest.mark.parametrize("table,baseline,rule,sentence", UNKNOWN)
def test_a_share_of_no_rows_and_a_mean_of_no_numbers_cannot_be_judged(program, tables, table, baseline, rule, sentence):
    base = ["--baseline", tables / baseline] if baseline else []
    done = program("check", "--frame", tables / table, *base, "--rule", rule)
    assert done.status == 0 and sentence in done.out and "cannot tell" in done.out, done


@pytest.mark.parametrize("rule", KEPT)
def test_a_table_keeps_each_rule_against_itself(program, tables, rule):
    done = program("check", "--frame", tables / "fifty", "--baseline", tables / "fifty", "--rule", rule)
    assert done.status == 0 and "cannot tell" not in done.out, done


def test_estimates_of_repeated_rows_are_marked_with_their_bounds(program, tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("key,text\n" + "".join(f"{n % 900},{'x' if n == 9000 else ('1', '1.0')[n // 900 % 2]}\n"
                                           for n in range(10_000)))
    piped = path.read_bytes()  # a pipe cannot be read again: see test_frame.py
    document = program("frame", "diff", "--json", path, "-", input=piped).json()
    exact, about = document["before"], document["after"]
    assert exact["duplicates_low"] == exact["duplicates"] == exact["duplicates_high"]
    assert about["duplicates_low"] <= exact["duplicates"] <= about["duplicates_high"] != about["duplicates_low"]
    value, low, high, truth = (f"{number:,}" for number in (about["duplicates"], about["duplicates_low"],
                                                            about["duplicates_high"], exact["duplicates"]))
    text = program("frame", "diff", path, "-", input=piped).out
    assert re.search(rf"Repeated rows +~{value} +{low} to {high}; before {truth}\n", text), text
    text = program("frame", "diff", "-", path, input=piped).out
    assert re.search(rf"Repeated rows +{truth} +before {low} to {high}\n", text), text
    program("frame", "diff", path, "-", "-o", tmp_path / "card.html", input=piped)
    assert f"~{value}</dd><dd class='s'>{low} to {high}; before {truth}<" in (tmp_path / "card.html").read_text()
    done = program("check", "--frame", "-", "--rule", "no repeated rows", input=piped)
    assert f"about {value} ({low} to {high}) repeated rows" in done.out, done
