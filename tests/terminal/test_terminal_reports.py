# SPDX-License-Identifier: Apache-2.0
"""`info` and `stats`: what they show about an input, and what they leave out because it is unknown."""

import json
import re
import shlex
import subprocess

import pytest


@pytest.mark.parametrize("name", ["cpu/etl.pyspy.folded", "cpu/fanout.yappi.pstats", "cpu/etl.pyspy.speedscope.json"])
def test_what_is_not_known_is_left_out(program, samples, name):
    for command in "info", "stats":
        assert "unknown" not in program(command, samples / name).out


def test_a_profile_without_threads_has_no_list_of_them(program, samples):
    assert "Threads" not in program("info", samples / "cpu/etl.pyspy.folded").out
    assert "Threads" in program("info", samples / "daily-sales.bin").out


@pytest.mark.parametrize("width", [30, 60, 80, 120])
def test_a_command_can_be_copied(program, samples, width):
    capture = samples / "daily-sales.bin"
    wanted = json.loads(program("info", capture, "--json").out)["metadata"]["command_line"]
    text = program("info", capture, env={"COLUMNS": str(width)}).out
    shown = re.search(r"^  Command +(.*?)^  Python", text, re.M | re.S)[1]
    words = subprocess.run(["sh", "-c", f"printf '%s\\n' {shown}"], capture_output=True, text=True).stdout.splitlines()
    assert words == shlex.split(wanted)


def test_a_sum_says_that_it_is_one(program, samples, tmp_path):
    parts = samples / "daily-sales.bin", samples / "json_dict-py3.10-memray1.10.0-default.bin"
    total = tmp_path / "sum.prz"
    assert program("merge", *parts, "-o", total).status == 0
    title = program("stats", total, env={"COLUMNS": "120"}).out.splitlines()[1]
    assert title.startswith("sum of 2 runs, 2026-11-21 ") and title.endswith("the longest 9.31 s")
    assert "3 h" not in title


def test_a_sum_of_aggregated_captures_is_not_called_one_capture(program, samples, tmp_path):
    total = tmp_path / "sum.prz"
    part = samples / "leaky-py3.12-memray1.19.3-aggregate.bin"
    assert program("merge", part, samples / "three_seconds-py3.13-memray1.20.0-aggregate.bin", "-o", total).status == 0
    assert "A sum of runs has totals by stack" in program("stats", total).out
    assert "An aggregated capture has totals by stack" in program("stats", part).out


def test_the_peak_of_a_sum_is_what_its_table_adds_up_to(program, samples, tmp_path):
    cut = tmp_path / "cut.bin"
    whole = (samples / "leaky-py3.12-memray1.19.3-aggregate.bin").read_bytes()
    cut.write_bytes(whole[:len(whole) * 3 // 4])
    total = tmp_path / "sum.prz"
    program("merge", cut, samples / "daily-sales.bin", "-o", total)
    table = json.loads(program("table", total, "--json").out)["total"]
    assert json.loads(program("info", total, "--json").out)["metadata"]["peak_memory"] == table
    assert f"{table:,} bytes" in program("info", total).out
