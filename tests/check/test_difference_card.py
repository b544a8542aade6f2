# SPDX-License-Identifier: Apache-2.0
"""The card of a difference without scripts: it shows the same as `diff`."""
import html
import re
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
BASE, NEW = (SAMPLES / f"json_dict-py{version}-default.bin" for version in ("3.9-memray1.2.0", "3.13-memray1.18.0"))
METRICS = "peak", "leaked", "temporary", "allocated"


@pytest.fixture(scope="module")
def page(program, tmp_path_factory):
    card = tmp_path_factory.mktemp("difference") / "card.html"
    done = program("diff", BASE, NEW, "-o", card)
    assert done.status == 0
    return card.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def section(page):
    return page[page.index("id='difference'"):].split("</section>")[0]


@pytest.fixture(scope="module")
def parts(section):
    """{metric: its part of the section}"""
    return dict(zip(METRICS, re.findall(r"<details.*?</details>", section, re.S)))


def number(text):
    return int(text.replace(",", "").replace("\u2212", "-"))


def functions(part):
    """(function, change) of each row of a metric, as text."""
    rows = re.findall(r"<tr><th scope='row'>([^<]*)</th>.*?<td class='r'><span class='amount'><span class='\w+'>"
                      r"<span title='([\u2212\d,]+) bytes?'>[\u25b2\u25bc] ", part, re.S)
    return [(html.unescape(name), number(change)) for name, change in rows]


def test_it_says_which_capture_is_which(page):
    marked = re.findall(r"<p>(?:Before|After) <b>(.*?)</b>", page)
    assert [html.unescape(name.replace("<wbr>", "")) for name in marked] == [str(BASE), str(NEW)]


def test_a_part_for_each_metric_and_the_first_one_is_open(section):
    parts = re.findall(r"<details.*?</details>", section, re.S)
    assert ["open" in part[:20] for part in parts] == [True, False, False, False]


@pytest.mark.parametrize("metric", METRICS)
def test_functions_are_those_of_diff_by_own_the_largest_change_first(metric, parts, program):
    wanted = program("diff", BASE, NEW, "--json", "--by", "own", "--metric", metric).json()
    changed = [(row["function"], row["change"]) for row in wanted["rows"] if row["change"]]
    shown = functions(parts[metric])
    assert shown
    largest = sorted((change for _, change in changed), key=abs, reverse=True)
    assert [abs(change) for _, change in shown] == [abs(change) for change in largest[:len(shown)]]
    assert set(shown) <= set(changed)


@pytest.mark.parametrize("metric", METRICS)
def test_totals_of_both_sides(metric, parts, program):
    wanted = program("diff", BASE, NEW, "--json", "--by", "own", "--metric", metric).json()
    totals = re.findall(r"title='([\d,]+) bytes'", parts[metric])[:2]
    assert [number(total) for total in totals] == [wanted["before"], wanted["after"]]


def test_the_first_figures_are_the_totals_of_both_sides(page, program):
    cells = re.findall(r"<dt>(.*?)</dt><dd class='v' title='([\d,]+) \u2192 ([\d,]+) bytes'>", page)
    assert [[number(side) for side in cell] for name, *cell in cells if name != "Peak RSS"] == \
        [[whole["before"], whole["after"]] for whole in program("diff", BASE, NEW, "--json").json()["totals"]]


def test_sentences_about_what_changed_most_in_each(page):
    change = r"<li><p><strong>([\w ]+: )?<code>(?:(?!</strong>).)*<span title='[\u2212\d,]+ bytes'>[\u25b2\u25bc]"
    titles = re.findall(change, page)
    assert [title for title in titles if title] == \
        ["Not freed at the end: ", "Temporary allocations: ", "Allocated in total: "]
    assert 1 <= titles.count("") <= 3, "of the peak, which the verdict is about"


def test_amounts_and_shares_can_be_switched_without_a_script(section):
    assert section.count("type='radio'") == 2
    assert section.count("class='amount'") == section.count("class='share'") > 0


def test_the_graph_knows_what_is_compared_with_what(section):
    assert "class='legend'" in section


def test_a_difference_has_the_title_theme_and_links_that_are_asked_for(program, tmp_path):
    card = tmp_path / "card.html"
    url = "https://code.invalid/{file}#L{line}"
    done = program("diff", BASE, NEW, "-o", card, "--title", 'A "b"', "--theme", "dark", "--source-url", url)
    assert done.status == 0
    page = card.read_text(encoding="utf-8")
    assert "<title>A &quot;b&quot;</title>" in page and "data-theme='dark'" in page
    assert re.search(r"<a href='https://code\.invalid/workloads/json_dict\.py#L\d+'", page)


def test_a_difference_hides_the_folders_of_a_machine(program, tmp_path):
    card = tmp_path / "card.html"
    assert program("diff", BASE, NEW, "-o", card, "--redact-paths").status == 0
    assert not re.search(r"['\"> ]/(usr|home|root|opt|srv|tmp)/", html.unescape(card.read_text(encoding="utf-8")))


@pytest.mark.parametrize("words", [("--title", "x"), ("--theme", "dark"), ("--root", "."), ("--redact-paths",)])
def test_what_only_a_card_has_is_refused_elsewhere(program, words):
    done = program("diff", BASE, NEW, *words)
    assert done.status == 2 and "--format html" in done.err
