# SPDX-License-Identifier: Apache-2.0
"""The card of a difference, as it is without scripts: what it says is what `diff` says."""
import html
import re
import tempfile
from pathlib import Path

from program import ROOT, document, run

BASE, NEW = (ROOT / "samples" / f"json_dict-py{version}-default.bin" for version in ("3.9-memray1.2.0",
                                                                                     "3.13-memray1.18.0"))


def functions(section):
    """(function, change) of each row of a metric, as text."""
    rows = re.findall(r"<tr><th scope='row'>([^<]*)</th>.*?<td class='r'><span class='amount'>"
                      r"<span title='(-?[\d,]+) bytes?'>[+-]", section, re.S)
    return [(html.unescape(name), int(change.replace(",", ""))) for name, change in rows]


def test(tally):
    with tempfile.TemporaryDirectory() as folder:
        card = Path(folder) / "card.html"
        status, _, errors = run("diff", BASE, NEW, "-o", card)
        page = card.read_text(encoding="utf-8") if status == 0 else ""
    if not tally.check("diff -o card.html makes a card", status == 0 and "id='difference'" in page, errors):
        return
    section = page[page.index("id='difference'"):].split("</section>")[0]
    marked = re.findall(r"(?:Before|After): <code>(.*?)</code>", page)
    sides = [html.unescape(name.replace("<wbr>", "")) for name in marked]
    tally.check("it says which capture is which", sides == [str(BASE), str(NEW)], sides)
    metrics = re.findall(r"<details.*?</details>", section, re.S)
    names = ("peak", "leaked", "temporary", "allocated")
    tally.check("with a part for each metric, the first one open",
                len(metrics) == len(names) and ["open" in part[:20] for part in metrics] == [True, False, False, False])
    for name, part in zip(names, metrics):
        wanted = document("diff", BASE, NEW, "--json", "--by", "own", "--metric", name)
        changed = [(row["function"], row["change"]) for row in wanted["rows"] if row["change"]]
        shown = functions(part)
        tally.check(f"{name}: the functions of `diff --by own`, in its order", shown and
                    [change for _, change in shown] == [change for _, change in changed[:len(shown)]] and
                    set(shown) <= set(changed), shown, changed[:len(shown)])
        totals = re.findall(r"title='([\d,]+) bytes'", part)[:2]
        tally.check(f"{name}: the totals of both sides", [int(total.replace(",", "")) for total in totals] ==
                    [wanted["before"], wanted["after"]], totals)
    cells = re.findall(r"<dt>(.*?)</dt><dd class='v' title='([\d,]+) bytes \u2192 ([\d,]+) bytes'>", page)
    tally.check("the totals of both sides are the first figures",
                [[int(side.replace(",", "")) for side in cell[1:]] for cell in cells] ==
                [[whole["before"], whole["after"]] for whole in document("diff", BASE, NEW, "--json")["totals"]], cells)
    tally.check("and what changed most is said of each",
                len(re.findall(r"<li><p><strong>[^<]*: <span title='-?[\d,]+ bytes'>[+-]", page)) == len(names))
    tally.check("amounts and shares can be switched without a script",
                section.count("type='radio'") == 2 and
                section.count("class='amount'") == section.count("class='share'"))
    tally.check("the graph knows what is compared with what", "class='legend'" in section)
