# SPDX-License-Identifier: Apache-2.0
"""The page of all tests of a session, worst first. It needs no script and no network."""

from html import escape

BAD = ("failed", "error", "crashed")
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --line: #8884; --bad: light-dark(#b3261e, #ff8a80) }}
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem }}
table {{ border-collapse: collapse; width: 100% }}
th, td {{ border-bottom: 1px solid var(--line); padding: .35rem .6rem; text-align: right; white-space: nowrap }}
th:first-child, td:first-child {{ text-align: left; white-space: normal; overflow-wrap: anywhere }}
td {{ font-variant-numeric: tabular-nums }}
.failed, .error, .crashed {{ color: var(--bad); font-weight: 600 }}
</style>
<h1>{title}</h1>
<p>{summary}</p>
<table>
<thead><tr><th>Test<th>Outcome<th>Peak<th>Not freed<th>Allocated<th>Allocations<th>Time</thead>
<tbody>
{rows}
</tbody>
</table>
"""


def size(count):
    """1536 as 1.50 KiB; nothing for an unknown one."""
    if count is None:
        return ""
    if count < 1024:
        return f"{count} B"
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        count /= 1024
        if count < 999.5 or unit == "TiB":
            return f"{count:.3g} {unit}" if count >= 100 else f"{count:#.3g} {unit}"
    raise AssertionError


def worst_first(tests):
    """By peak; tests without one last, the slowest first."""
    return sorted(tests, key=lambda test: (-(test.get("peak") or -1), -(test["seconds"] or 0), test["test"]))


def row(test):
    name = escape(test["test"])
    if test.get("card"):
        name = f'<a href="{escape(test["card"])}">{name}</a>'
    allocations, seconds = test.get("allocations"), test["seconds"]
    cells = [size(test.get("peak")), size(test.get("leaked")), size(test.get("allocated")),
             "" if allocations is None else f"{allocations:,}", "" if seconds is None else f"{seconds:.2f} s"]
    outcome = escape(test["outcome"])
    return f'<tr><td>{name}<td class="{outcome}">{outcome}' + "".join(f"<td>{cell}" for cell in cells)


def page(tests, title):
    bad = sum(test["outcome"] in BAD for test in tests)
    cards = sum(bool(test.get("card")) for test in tests)
    summary = f"{len(tests)} tests, {bad} failed, {cards} with a card. The highest peak first."
    return PAGE.format(title=escape(title), summary=summary, rows="\n".join(map(row, worst_first(tests))))
