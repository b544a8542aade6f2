# SPDX-License-Identifier: Apache-2.0
"""The tests of a session as a table in Markdown, for the summary of a job: failures first, then the highest peak."""

import string

from . import index

MOST = 25
LONGEST = 160  # characters of a name or reason
PLAIN = {ord(c): f"&#{ord(c)};" for c in string.punctuation}  # nothing in a name is Markdown, HTML, a link or a mention


def plain(text):
    """On one line, and shown as it is."""
    line = " ".join(str(text).split())
    return (line if len(line) <= LONGEST else f"{line[:LONGEST]}…").translate(PLAIN)


def row(test):
    outcome = test["outcome"] + (f": {plain(test['why'])}" if test.get("why") else "")
    figures = (index.COLUMNS[name][1](test[name]) if test.get(name) is not None else ""
               for name in ("peak", "leaked", "seconds"))
    return f"| {plain(test['test'])} | {outcome} | {' | '.join(figures)} |"


def table(tests, title):
    bad = [test for test in index.worst_first(tests) if test["outcome"] in index.BAD]
    shown = [*bad, *(test for test in index.worst_first(tests) if test not in bad)][:MOST]
    more = len(tests) - len(shown)
    return "\n".join([
        f"**{plain(title)}**: {len(tests)} tests, {len(bad)} failed", "",
        "| Test | Outcome | Peak | Not freed | Time |", "|---|---|---:|---:|---:|", *map(row, shown), "",
        *([f"{more} more are in the report.", ""] if more else [])]) + "\n"
