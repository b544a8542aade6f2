# SPDX-License-Identifier: Apache-2.0
"""Sizes of allocations and allocators on the card: the figures of `stats`, and nothing where they are not known."""

import html
import re

import pytest


@pytest.fixture
def panel(program, tmp_path):
    """The panel of the card of an input, or None."""
    def make(source):
        page = tmp_path / "card.html"
        assert program("card", source, "-o", page).status == 0
        found = re.search(r"<section class='panel sizes'.*?</section>", page.read_text(encoding="utf-8"), re.S)
        return found and found[0]
    return make


def rows(panel):
    """[(first cell, count)] of both tables."""
    plain = re.sub(r"<(?!/?t[rhd]\b)[^>]*>", "", panel).replace("\u00a0", " ")
    return [(html.unescape(name), int(count.replace(",", "")))
            for name, count in re.findall(r"<th scope='row'>(.*?)</th><td class='r'>(.*?)</td>", plain)]


@pytest.mark.parametrize("name", ["daily-sales.bin", "killed-py3.12-memray1.20.0-default.bin",
                                  "json_dict-py3.13-memray1.18.0-default.bin"])
def test_sizes_and_allocators_are_those_of_stats(program, samples, panel, name):
    stats = program("stats", samples / name, "--json").json()
    text = program("stats", samples / name).out
    shown = rows(panel(samples / name))
    sizes, allocators = shown[:len(stats["allocation_size_histogram"])], shown[len(stats["allocation_size_histogram"]):]
    assert [count for _, count in sizes] == [one["count"] for one in stats["allocation_size_histogram"]]
    assert sum(count for _, count in sizes) == stats["total_num_allocations"]
    assert dict(allocators) == stats["allocator_type_distribution"]
    assert sizes == [(size, int(count.replace(",", "")))
                     for size, count in re.findall(r"^  to +(\S+ \S+) +([\d,]+)", text, re.M)]
    part = text.split("Allocators\n")[1].split("\n\n")[0]
    assert allocators == [(line.split()[1], int(line.split()[0].replace(",", ""))) for line in part.splitlines()]


def test_half_of_the_allocations_are_no_larger_than_it_says(program, samples, panel):
    stats = program("stats", samples / "daily-sales.bin", "--json").json()
    said = re.search(r"half of them at most <span title='([\d,]+) bytes'>", panel(samples / "daily-sales.bin"))
    bound = int(said[1].replace(",", ""))
    below = [one for one in stats["allocation_size_histogram"] if one["max_bytes"] <= bound]
    assert sum(one["count"] for one in below) * 2 >= stats["total_num_allocations"]
    assert sum(one["count"] for one in below[:-1]) * 2 < stats["total_num_allocations"]


def test_what_has_no_single_allocations_has_no_panel(program, samples, panel, tmp_path):
    (tmp_path / "a.folded").write_text("main;work 5\n")
    assert panel(tmp_path / "a.folded") is None
    difference = tmp_path / "difference.html"
    name = samples / "json_dict-py3.13-memray1.18.0-default.bin"
    assert program("diff", name, name, "-o", difference).status == 0
    assert "panel sizes" not in difference.read_text(encoding="utf-8")
