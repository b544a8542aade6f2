# SPDX-License-Identifier: Apache-2.0
"""Rules about the processes of one run: who has more than the others, and what each has once more."""

import json
import re
import shlex
import struct

import pytest
from made_capture import MALLOC, header, sv, uv

MIB = 1 << 20
PID = struct.Struct("<i")


def of_process(pid):
    """A header like that of tests/support, of another process."""
    made = header(b"job.py")
    at = made.index(b"job.py\0") + len(b"job.py\0")
    return made[:at] + PID.pack(pid) + made[at + PID.size:]


def write(folder, pid, held):
    """A capture in which main calls each function of HELD, which allocates that much."""
    out = [of_process(pid), b"\x0c" + struct.pack("<Q", 1), b"\x0e\x00main\0job.py\0" + sv(1) + uv(0)]
    for number, (function, size) in enumerate(held.items(), 1):
        out += [b"\x0e" + uv(number) + function.encode() + b"\0job.py\0" + sv(0) + uv(0), b"\x41\x00" + sv(0),
                b"\x41" + uv(number) + sv(0), bytes([0x80 | 15 << 3 | MALLOC]) + sv(16 << 20) + uv(size), b"\x10\x10"]
    path = folder / f"run.bin.{pid}"
    path.write_bytes(b"".join(out) + b"\x01")
    return path


@pytest.fixture
def findings(program, tmp_path):
    def ask(rule, *processes):
        inputs = [write(tmp_path, 70 + number, held) for number, held in enumerate(processes)]
        answer = program("explain", "--json", "-q", *inputs).json()
        outcome = next(one["outcome"] for one in answer["rules"] if one["rule"] == rule)
        return outcome, [finding for finding in answer["findings"] if finding["rule"] == rule]

    return ask


def test_memory_that_each_process_has_is_named(findings):
    processes = [{"load": 64 * MIB, "work": number * MIB} for number in (1, 5, 9, 20)]
    outcome, found = findings("same-memory", *processes)
    assert outcome == "found"
    assert found[0]["headline"] == "load has about 64.0 MiB in each of 4 processes"
    once = [{**held, "load": held["load"] if not number else 0} for number, held in enumerate(processes)]
    assert found[0]["saving"] == sum(sum(held.values()) for held in processes) - sum(
        sum(held.values()) for held in once) == 192 * MIB


@pytest.mark.parametrize("sizes", [(64, 32, 16, 8), (64, 64), (4, 4, 4)])
def test_memory_of_another_size_of_two_processes_or_little_is_not(findings, sizes):
    assert findings("same-memory", *[{"load": size * MIB} for size in sizes])[0] != "found"


def test_a_process_with_most_of_the_work_is_named(findings):
    outcome, found = findings("uneven-processes", *[{"work": size * MIB} for size in (10, 90, 12, 8)])
    assert outcome == "found"
    assert found[0]["headline"] == "Of 4 processes that run main, process 71 has 75.0 % of their heap at its peak"
    assert "the others have 10.0 MiB on average. Shared evenly, each would have 30.0 MiB." in found[0]["text"]


@pytest.mark.parametrize("sizes", [(30, 40, 25, 28), (10, 90)])
def test_processes_that_share_evenly_are_not(findings, sizes):
    assert findings("uneven-processes", *[{"work": size * MIB} for size in sizes])[0] != "found"


def test_the_peak_of_a_run_is_not_below_that_of_a_process(program, samples, tmp_path):
    """mprof has the first process and each child as lines of their own."""
    capture = samples / "timeline/multi.mprof.dat"
    page = tmp_path / "card.html"
    program("card", capture, "-o", page)
    lanes = program("export", "--view", "series", "--format", "json", capture).json()["series"]
    highest = max(value for lane in lanes for _, value in lane["points"])
    said = re.search(r"Peak memory.*?title='([\d,]+) bytes", page.read_text(), re.S)
    assert int(said[1].replace(",", "")) == highest
    verdict = program("check", capture, "--max-rss", str(highest - 1), "--json").json()
    assert [reason["after"] for reason in verdict["reasons"]] == [highest]
    figures = program("diff", capture, capture, "--json").json()["figures"]
    assert [figure["after"] for figure in figures if figure["name"] == "rss"] == [highest]


def test_a_command_has_all_processes(program, tmp_path):
    """Of the first one alone it would print other figures than those of the finding."""
    inputs = [write(tmp_path, 70 + number, {"work": size * MIB}) for number, size in enumerate((30, 40))]
    commands = {one["command"] for one in program("explain", "--json", "-q", *inputs).json()["findings"]}
    command = next(shlex.split(command) for command in commands if command and " summary " in command)
    assert command[2:4] == [str(path) for path in inputs]
    assert program(*command[1:]).out.startswith("70.0 MiB ")
    assert "sum of 2 processes" in program("stats", *inputs).out


def test_a_command_for_what_came_through_a_pipe_reads_a_pipe(program, tmp_path):
    capture = write(tmp_path, 70, {"work": 30 * MIB}).read_bytes()
    done = program("explain", "--json", "-q", "-", input=capture).json()
    assert {one["command"].split()[2] for one in done["findings"] if one["command"]} == {"-"}
    card = tmp_path / "card.html"
    assert program("card", "-", "-o", card, input=capture).status == 0
    assert "profrender table capture.bin" in card.read_text() and "table &#39;" not in card.read_text()


def test_a_part_of_the_memory_is_no_process(program, tmp_path):
    """rss_anon is asked for a moment after rss, and may be above it."""
    run = tmp_path / "run.jsonl"
    run.write_text("".join(json.dumps(line) + "\n" for line in (
        {"type": "start", "version": 1, "t": 1700000000, "argv": ["job"], "pid": 7, "interval": 0.5, "ncpu": 2},
        {"ts": 0.5, "rss_mb": 10, "rss_anon_mb": 12}, {"ts": 1, "rss_mb": 11, "rss_anon_mb": 9},
        {"type": "end", "t": 1700000002, "wall": 2, "exit": 0})))
    page = tmp_path / "card.html"
    assert program("card", run, "-o", page).status == 0
    assert "11,534,336 bytes; highest RSS sample" in page.read_text()
