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
div {{ overflow-x: auto }}
table {{ border-collapse: collapse; width: 100% }}
th, td {{ border-bottom: 1px solid var(--line); padding: .35rem .6rem; text-align: right; white-space: nowrap }}
th:first-child, td:first-child {{ text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 12rem }}
td {{ font-variant-numeric: tabular-nums }}
td:first-child > * {{ display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; overflow: hidden }}
@media (max-width: 48rem) {{
  thead {{ display: none }}
  tr {{ display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .5rem 0; border-bottom: 1px solid var(--line) }}
  td {{ border: 0; padding: 0 }}
  td:first-child {{ flex: 0 0 100% }}
  td[data-of]::before {{ content: attr(data-of) " "; opacity: .75 }}
}}
.failed, .error, .crashed {{ color: var(--bad); font-weight: 600 }}
</style>
<h1>{title}</h1>
<p>{summary}</p>
<div tabindex="0" role="region" aria-label="Tests">
<table>
<thead><tr><th>Test<th>Outcome{heads}</thead>
<tbody>
{rows}
</tbody>
</table>
</div>
"""


def size(count):
    """1536 as 1.50 KiB."""
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


COLUMNS = {
    "peak": ("Peak", size),
    "leaked": ("Not freed", size),
    "allocated": ("Allocated", size),
    "allocations": ("Allocations", "{:,}".format),
    "seconds": ("Time", "{:.2f} s".format),
}
LONG = 100  # characters of a name, of which four lines are shown
NO_TOTALS = " Captures of pytest-memray do not record what was allocated in total."


def row(test, columns):
    name = escape(test["test"])
    title = f' title="{name}"' if len(name) > LONG else ""
    shown = f'<a href="{escape(test["card"])}"{title}>{name}</a>' if test.get("card") else f"<span{title}>{name}</span>"
    outcome = escape(test["outcome"])
    return f'<tr><td>{shown}<td class="{outcome}">{outcome}' + "".join(cell(test, column) for column in columns)


def cell(test, column):
    """On a phone, where there is no head, it says what it is."""
    if test.get(column) is None:
        return "<td>"
    head, text = COLUMNS[column]
    return f'<td data-of="{head}">{text(test[column])}'


def page(tests, title):
    bad = sum(test["outcome"] in BAD for test in tests)
    cards = sum(bool(test.get("card")) for test in tests)
    summary = f"{len(tests)} tests, {bad} failed, {cards} with a card. The highest peak first."
    if any(test.get("peak") is not None and test.get("allocated") is None for test in tests):
        summary += NO_TOTALS
    has_totals = any(test.get("allocated") is not None for test in tests)
    columns = [column for column in COLUMNS if has_totals or column not in ("allocated", "allocations")]
    heads = "".join(f"<th>{COLUMNS[column][0]}" for column in columns)
    return PAGE.format(title=escape(title), summary=summary, heads=heads,
                       rows="\n".join(row(test, columns) for test in worst_first(tests)))
