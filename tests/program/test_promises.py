# SPDX-License-Identifier: Apache-2.0
"""What holds for every command: exit statuses, identical bytes in every run, and running out of memory."""
from pathlib import Path

import pytest
from scarce import Scarce

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
DEMO = SAMPLES / "daily-sales.bin"
SMALL = SAMPLES / "leaky-py3.12-memray1.19.3-aggregate.bin"
CUT = SAMPLES / "json_dict-py3.12-memray1.20.0-nocompress+cut-most.bin"
of_each_command = pytest.mark.parametrize("command", ["card", "table", "stats", "info", "export", "digest", "merge"])


@of_each_command
def test_a_cut_input_is_an_error_with_strict_and_the_output_is_the_same(command, program):
    lax, strict = program(command, CUT, "-o", "-"), program(command, CUT, "--strict", "-o", "-")
    assert (lax.status, strict.status) == (0, 3)
    same = (lax.bytes, lax.err) == (strict.bytes, strict.err)
    assert same, lax.err + strict.err
    assert "at byte" in lax.err


@of_each_command
def test_a_whole_input_is_well_with_strict(command, program):
    assert program(command, DEMO, "--strict", "-o", "-").status == 0


@pytest.mark.parametrize("words", ["card", "table", "table --json", "stats", "stats --json", "info", "info --json",
                                   "export", "digest", "merge"])
def test_the_same_input_gives_the_same_bytes(words, program):
    command, *more = words.split()
    first, second = (program(command, DEMO, *more, "-o", "-").bytes for _ in range(2))
    same = first == second
    assert first and same


@pytest.fixture(scope="module")
def scarce(program, tmp_path_factory):
    scarce = Scarce(tmp_path_factory.mktemp("scarce"))
    if not scarce.works([program.path, "info", SMALL]):
        pytest.skip("the allocations of this program cannot be replaced")
    return scarce


@pytest.mark.parametrize("words", [
    ["stats"], ["info"], ["table"], ["tree"], ["summary"], ["diff", DEMO], ["table", "--json"], ["card"],
    ["check", "--max-peak", "1G"], ["digest"], ["export"],
], ids=lambda words: " ".join(word for word in words if word != DEMO))
def test_memory_that_runs_out_is_said_and_nothing_is_left_out(words, scarce, program):
    """Only every few allocations, so that everything takes seconds."""
    name, *more = words
    runs, wrong = scarce.each([program.path, name, *more, SMALL, "-q", "-o", "-"], first=1 + len(name), step=11)
    assert not wrong, "\n".join(wrong)
    assert runs > 5
