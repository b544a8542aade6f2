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
    ("cpu/fanout.yappi.pstats", "fanout.py"),  # no top-level code; the one file of the user's
    ("cpu/tiny.scalene.json.gz", "tiny.py"),
    ("cpu/shop.cpu.stackprof", "shop.rb"),
    ("cpu/hashtab.gperf.cpu", "hashtab"),  # the one mapped file that is no library
    ("cpu/hashtab.je.heap", "hashtab"),
    ("cpu/hashtab.perf.folded", "hashtab"),  # the command that all stacks begin with
    ("cpu/goindex.heap.pb.gz", "goindex.bin"),  # the first mapping, as go tool pprof has it
    ("cpu/endpoints.cpu.pb.gz", "labels"),
    ("cpu/multi.perf.txt", "multi"),  # several processes
    ("cpu/wordcount.heapprofile", "wordcount"),  # its script has no name there
    ("cpu/train.torch2.trace.json.gz", "train.torch2"),  # "python" is no program
]


def title_of(program, tmp_path, capture):
    page = tmp_path / "card.html"
    assert program("card", capture, "-o", page).status == 0
    return re.search(r"<title>([^<]*)", page.read_text()).group(1)


@pytest.mark.parametrize(("sample", "title"), TITLES)
def test_a_card_has_the_name_of_the_program(program, samples, tmp_path, sample, title):
    assert title_of(program, tmp_path, samples / sample) == title


def test_a_command_line_that_is_unknown_is_not_shown(program, samples, tmp_path):
    page = tmp_path / "card.html"
    assert program("card", samples / "cpu/fanout.yappi.callgrind.out", "-o", page).status == 0
    assert "class='cmdline'" not in page.read_text()


def test_two_scripts_are_no_program(program, tmp_path):
    stacks = tmp_path / "both.folded"
    stacks.write_text("<module> (/app/a.py:1);f (/app/a.py:2) 5\n<module> (/app/b.py:1);g (/app/b.py:2) 5\n")
    assert title_of(program, tmp_path, stacks) == "both"


def test_two_commands_are_no_program(program, tmp_path):
    stacks = tmp_path / "two.folded"
    stacks.write_text("cc1;__libc_start_call_main;main 5\nld;__libc_start_call_main;main 5\n")
    assert title_of(program, tmp_path, stacks) == "two"


def test_a_function_that_all_stacks_begin_with_is_no_command(program, tmp_path):
    stacks = tmp_path / "calls.folded"
    stacks.write_text("serve;parse 5\nserve;answer 5\n")
    assert title_of(program, tmp_path, stacks) == "calls"


def test_what_starts_a_thread_is_no_command(program, tmp_path):
    stacks = tmp_path / "threads.folded"
    stacks.write_text("clone3;start_thread;parse 5\nclone3;start_thread;answer 5\n")
    assert title_of(program, tmp_path, stacks) == "threads"
