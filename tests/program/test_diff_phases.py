# SPDX-License-Identifier: Apache-2.0
"""`diff` by phase: what each phase of both runs used, in the terminal, in documents and on the card."""

import html
import re

import pytest
from made_run import MIB, phased_run


@pytest.fixture
def pair(tmp_path):
    """Two runs of phases, named and with so many MiB."""
    return lambda before, after, **how: [phased_run(tmp_path / name, levels, sampled=True, **how)
                                         for name, levels in (("a", before), ("b", after))]


def phases(program, pair, *words):
    return program("diff", *pair, "--json", *words).json().get("phases")


def heaps(found):
    return [(phase["name"], *((phase[side] or {"heap_bytes": None})["heap_bytes"] for side in ("before", "after")),
             phase["change"]["heap_bytes"]) for phase in found]


def test_phases_of_one_name_are_compared(program, pair):
    found = phases(program, pair([("load", 10), ("fit", 20)], [("load", 10), ("fit", 25)]))
    assert heaps(found) == [("load", 10 * MIB, 10 * MIB, 0), ("fit", 20 * MIB, 25 * MIB, 5 * MIB)]
    assert (found[1]["change"]["peak_bytes"], found[1]["change"]["cpu_seconds"]) == (5 * MIB, 0)
    assert (found[1]["after"]["from_seconds"], found[1]["after"]["to_seconds"]) == (10, 20)


def test_each_side_has_the_figures_of_info(program, pair):
    runs = pair([("load", 10), ("fit", 20)], [("load", 11), ("fit", 25), ("save", 2)])
    found = phases(program, runs)
    for run, side in zip(runs, ("before", "after")):
        known = [{**phase[side], "name": phase["name"]} for phase in found if phase[side]]
        assert known == [dict(phase) for phase in program("info", "--json", run).json()["phases"]]


def test_a_phase_that_comes_again_is_compared_in_order_and_others_are_new_or_gone(program, pair):
    runs = pair([("load", 10), ("epoch", 20), ("epoch", 30), ("save", 5)],
                [("epoch", 40), ("report", 7), ("epoch", 35), ("epoch", 36)])
    assert heaps(phases(program, runs)) == [
        ("epoch", 20 * MIB, 40 * MIB, 20 * MIB), ("report", None, 7 * MIB, None),
        ("epoch", 30 * MIB, 35 * MIB, 5 * MIB), ("epoch", None, 36 * MIB, None),
        ("load", 10 * MIB, None, None), ("save", 5 * MIB, None, None)]
    text = program("diff", *runs, "--width", "140").out
    assert re.search(r"\n  report +10\.0 s +new +7\.00 MiB +- ", text)
    assert re.search(r"\n  load +- +gone +- +-", text)


def test_what_is_before_the_first_mark_is_compared_too(program, pair):
    runs = pair([("x", 10), ("y", 20)], [("x", 30), ("y", 20)], marks=[(10, "y")])
    assert heaps(phases(program, runs))[0] == (None, 10 * MIB, 30 * MIB, 20 * MIB)
    assert "(before the first)" in program("diff", *runs).out


def test_only_one_of_the_runs_made_marks(program, pair, tmp_path):
    runs = pair([("load", 10)], [("load", 12)])
    timeline = runs[0] / "timeline.jsonl"
    lines = timeline.read_text().splitlines(keepends=True)
    timeline.write_text("".join(line for line in lines if '"mark"' not in line))
    assert heaps(phases(program, runs)) == [("load", None, 12 * MIB, None)]
    assert heaps(phases(program, runs[::-1])) == [("load", 12 * MIB, None, None)]


def test_without_marks_and_for_parts_there_is_no_table(program, pair, samples):
    assert phases(program, [samples / "daily-sales.bin"] * 2) is None
    runs = pair([("load", 10), ("fit", 20)], [("load", 10), ("fit", 25)])
    assert phases(program, runs, "--window", "phase:fit", "--base-window", "phase:fit") is None
    assert "Phases" not in program("diff", *runs, "--window", "0:10", "--base-window", "0:10").out


def test_every_form_has_the_same_figures(program, pair, tmp_path):
    runs = pair([("load", 10), ("fit", 20)], [("load", 10), ("fit", 25)])
    text = program("diff", *runs, "--width", "140").out
    assert re.search(r"\n  fit +10\.0 s +0 s +25\.0 MiB +\+5\.00 MiB +4\.75 s +0 s +125 MiB +\+5\.00 MiB ", text)
    markdown = program("diff", *runs, "--format", "markdown").out
    assert "| `fit` | 10.0 s | 0 s | 25.0 MiB | +5.00 MiB |" in markdown
    card = tmp_path / "card.html"
    program("diff", *runs, "-o", card)
    section = card.read_text(encoding="utf-8").split("id='h-phases'")[1].split("</section>")[0]
    rows = [html.unescape(re.sub(r"<[^>]*>", " ", row)) for row in section.split("<tr>")[2:]]
    assert re.search(r"fit +10\.0 s +→ +10\.0 s .*120 MiB +→ +125 MiB .*20\.0 MiB +→ +25\.0 MiB +▲ 5\.00 MiB", rows[1])


@pytest.mark.parametrize("width", ["40", "80", "120", "250"])
def test_a_line_fits_the_terminal(program, pair, width):
    runs = pair([("load", 10), ("fit" * 30, 20)], [("load", 10), ("fit" * 30, 25)])
    table = program("diff", *runs, "--width", width).out.split("Phases\n")[1].split("\n\n")[0]
    assert max(len(line) for line in table.splitlines()) <= max(int(width), 44)
    assert not any(line.endswith(" ") for line in table.splitlines())


def test_many_phases_open_on_the_card(program, pair, tmp_path):
    runs = pair([("load", 10)], [("load", 12)], marks=[(number / 100, f"p{number}") for number in range(300)])
    program("diff", *runs, "-o", tmp_path / "card.html")
    section = (tmp_path / "card.html").read_text(encoding="utf-8").split("id='h-phases'")[1].split("</section>")[0]
    assert "<summary>300 phases</summary>" in section and section.count("<tr>") == 301


def test_a_hostile_name_is_harmless(program, pair, tmp_path):
    name = "</script>|`\x1b[31m\u202e<b>"
    runs = pair([(name, 10)], [(name, 12)])
    assert phases(program, runs)[0]["name"] == name
    for words in ([], ["--format", "markdown"]):
        out = program("diff", *runs, *words).out
        assert "\x1b" not in out and "\u202e" not in out and "10.0 s" in out
    program("diff", *runs, "-o", tmp_path / "card.html")
    section = (tmp_path / "card.html").read_text(encoding="utf-8").split("id='h-phases'")[1].split("</section>")[0]
    assert "<b>" not in section.split("<tbody>")[1] and "\x1b" not in section


def test_a_damaged_run_has_the_phases_that_could_be_read(program, pair):
    runs = pair([("load", 10), ("fit", 20)], [("load", 10), ("fit", 25)])
    timeline = runs[1] / "timeline.jsonl"
    lines = timeline.read_text().splitlines(keepends=True)
    damage = ['{"type":"mark","ts":1e300,"mark":"late"}\n', '{"type":"mark"}\n', "{]\n"]
    timeline.write_text("".join(lines[:3] + damage + lines[3:]))
    names = [phase["name"] for phase in phases(program, runs)]
    assert names[:2] == ["load", "fit"]
