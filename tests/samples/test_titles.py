# SPDX-License-Identifier: Apache-2.0
"""A card is called after the program that ran, also where the profile has no command line."""

import re

import pytest

TITLES = [
    ("daily-sales.bin", "daily_sales.py"),  # by its command line
    ("cpu/etl.pyspy.speedscope.json", "etl.py"),
    ("cpu/etl.full.austin.txt", "etl.py"),
    ("cpu/wordcount.cpuprofile", "wordcount.js"),
    ("cpu/hashtab.samply.json.gz", "hashtab"),  # its one process
    ("cpu/fanout.yappi.pstats", "fanout.yappi.pstats"),  # top-level code of no script
    ("cpu/multi.perf.txt", "multi.perf.txt"),  # several processes
    ("cpu/endpoints.cpu.pb.gz", "endpoints.cpu.pb.gz"),
]


def title_of(program, tmp_path, capture):
    page = tmp_path / "card.html"
    assert program("card", capture, "-o", page).status == 0
    return re.search(r"<title>([^<]*)", page.read_text()).group(1)


@pytest.mark.parametrize(("sample", "title"), TITLES)
def test_a_card_has_the_name_of_the_program(program, samples, tmp_path, sample, title):
    assert title_of(program, tmp_path, samples / sample) == title


def test_two_scripts_are_no_program(program, tmp_path):
    stacks = tmp_path / "both.folded"
    stacks.write_text("<module> (/app/a.py:1);f (/app/a.py:2) 5\n<module> (/app/b.py:1);g (/app/b.py:2) 5\n")
    assert title_of(program, tmp_path, stacks) == "both.folded"
