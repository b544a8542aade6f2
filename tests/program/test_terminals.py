# SPDX-License-Identifier: Apache-2.0
"""On a terminal: width, colours, progress, and what is refused."""
import re
import time
from pathlib import Path

import pytest
from terminals import on_terminal

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
DEMO = SAMPLES / "daily-sales.bin"
NIGHTLY = SAMPLES / "nightly"
ESCAPE = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")


@pytest.fixture
def shown(program):
    """`shown(WORDS)`: (exit status, bytes) on a terminal."""
    return lambda *words, **how: on_terminal(program.path, *words, **how)


def lines_of(output):
    return ESCAPE.sub(b"", output).decode().splitlines()


def test_a_table_fits_the_terminal(shown):
    _, output = shown("table", DEMO, "--quiet", columns=80, rows=30)
    assert max(map(len, lines_of(output))) <= 80
    assert len(lines_of(output)) < 30
    assert b"\x1b[" in output


def test_a_table_of_time_and_memory_fits_and_says_what_else_there_is(shown):
    lines = lines_of(shown("table", NIGHTLY, "--quiet", columns=80, rows=30)[1])
    assert max(map(len, lines)) <= 80
    assert len(lines) < 30
    assert "peak, leaked" in lines[1]


def test_a_table_fits_a_narrow_terminal_but_for_the_first_line(shown):
    lines = lines_of(shown("table", DEMO, "--quiet", columns=40)[1])
    assert not [line for line in lines[1:-3] if len(line) > 40]  # the last three are sentences


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_no_colours_where_the_environment_says_so(environment, shown):
    assert b"\x1b" not in shown("table", DEMO, "--quiet", **environment)[1]


def test_color_never(shown):
    assert b"\x1b" not in shown("table", DEMO, "--quiet", "--color", "never")[1]


def test_color_always(program):
    assert "\x1b[" in program("table", DEMO, "--color=always").out


def test_a_pipe_gets_all_rows_without_colours(program):
    printed = program("table", DEMO).out
    assert "\x1b" not in printed
    assert len(printed.splitlines()) == len(program("table", DEMO, "--json").json()["rows"]) + 6


def test_a_file_takes_no_measure_of_the_terminal(shown, program, tmp_path):
    assert shown("table", DEMO, "-o", tmp_path / "t.txt")[0] == 0
    assert (tmp_path / "t.txt").read_bytes() == program("table", DEMO).bytes


def test_card_says_what_it_wrote(shown, tmp_path):
    status, output = shown("card", DEMO, "-o", tmp_path / "c.html", columns=200)
    assert status == 0
    assert output.count(b"\n") == 1
    assert b"c.html" in output
    assert b"peak" in output


def test_quiet_does_not(shown, tmp_path):
    assert shown("card", DEMO, "-q", "-o", tmp_path / "c.html") == (0, b"")


def test_a_page_is_not_sent_to_a_terminal(shown):
    status, output = shown("card", "-")
    assert status == 2
    assert b"-o card.html" in output


def test_a_capture_is_not_typed_in(shown):
    status, output = shown("table", "-")
    assert status == 2
    assert b"terminal" in output


# ---- progress --------------------------------------------------------------------------------------------------------


def test_after_half_a_second_progress_says_how_much_and_how_fast_and_is_wiped(shown):
    _, output = shown("stats", "-", stdin=DEMO.read_bytes(), pause_s=1.0)
    first, *lines, report = output.split(b"\r\x1b[K")
    assert first == b""
    assert lines
    assert not [line for line in lines
                if not re.fullmatch(rb"reading standard input: [\d.]+ KiB, [\d.]+ [KM]iB/s", line)]
    assert report.startswith(b"\x1b[1mdaily_sales.py")


def test_no_progress_in_the_first_half_second(shown):
    for _ in range(20):  # until the machine has time for it
        start = time.monotonic()
        _, output = shown("stats", "-", stdin=DEMO.read_bytes(), pause_s=0.1)
        if time.monotonic() - start < 0.5:
            assert b"reading" not in output
            return
    pytest.skip("this machine takes longer for anything")


def test_no_progress_on_a_terminal_that_cannot_wipe_it(shown):
    _, output = shown("stats", "-", stdin=DEMO.read_bytes(), pause_s=1.0, TERM="dumb")
    assert b"reading" not in output
    assert b"\x1b" not in output


def test_no_progress_with_quiet(shown):
    assert b"reading" not in shown("stats", "-", "--quiet", stdin=DEMO.read_bytes(), pause_s=1.0)[1]
