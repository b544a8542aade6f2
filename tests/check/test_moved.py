# SPDX-License-Identifier: Apache-2.0
"""Code that moves is not code that grows: functions that were renamed, split, inlined, or called from elsewhere."""

import random
import subprocess

import pytest
from captures import KIB, MIB, Allocation, write
from moves import KINDS, Program
from packages import environment

FILE = "/ci/app/job.py"


def stack(*names, file=FILE):
    return [("main", "/ci/app/main.py", 3)] + [(name, file, 10 + 7 * number) for number, name in enumerate(names)]


def base():
    """Work that is the same before and after, and the part that moves."""
    return [Allocation(stack("prepare"), 3 * MIB), Allocation(stack("train", "fit"), 5 * MIB)]


MOVES = {
    "renamed": ([Allocation(stack("load"), 20 * MIB)], [Allocation(stack("load_rows"), 20 * MIB)]),
    "split": ([Allocation(stack("load"), 20 * MIB)],
              [Allocation(stack("load", "parse"), 12 * MIB), Allocation(stack("load"), 8 * MIB)]),
    "inlined": ([Allocation(stack("load", "parse"), 20 * MIB)], [Allocation(stack("load"), 20 * MIB)]),
    "another file": ([Allocation(stack("load"), 20 * MIB)],
                     [Allocation(stack("load", file="/ci/app/tables.py"), 20 * MIB)]),
    "called from elsewhere": ([Allocation(stack("prepare", "load"), 20 * MIB)],
                              [Allocation(stack("train", "load"), 20 * MIB)]),
    "into an old one": ([Allocation(stack("load"), 20 * MIB), Allocation(stack("keep"), 20 * MIB)],
                        [Allocation(stack("keep"), 40 * MIB)]),
}


@pytest.mark.parametrize("kind", MOVES)
@pytest.mark.parametrize("beside", [False, True])
def test_what_moved_is_named_and_is_no_alarm(check, tmp_path, kind, beside):
    """Also beside a growth elsewhere, which is found."""
    before, after = MOVES[kind]
    grown = [Allocation(stack("report", "draw"), 37 * MIB if beside else 10 * MIB)]
    old = write(tmp_path / "old.bin", base() + before + [Allocation(stack("report", "draw"), 10 * MIB)])
    new = write(tmp_path / "new.bin", base() + after + grown)
    verdict = check(new, "--functions", baseline=[old])
    blamed = {reason["function"] for reason in verdict.document["reasons"]}
    assert blamed == ({"draw"} if beside else set()), verdict.document["reasons"]
    if kind not in ("called from elsewhere",):  # the function itself has what it had
        assert any("moved, not grown" in note for note in verdict.document["notes"]), verdict.document["notes"]


TABLES = "/ci/app/tables.py"


def outer(file, *below):
    """`outer` of FILE with what it calls: (function, file, MiB)."""
    return [Allocation([*stack("outer", file=file), (name, where, 30)], int(size * MIB)) for name, where, size in below]


def test_functions_that_moved_to_another_file_are_known_by_their_names(check, tmp_path):
    """Caller and callee moved, and what grew is called by the same one: nothing above them is as it was."""
    old = write(tmp_path / "old.bin", base() + outer(FILE, ("inner", FILE, 20), ("grow", FILE, 10)))
    new = write(tmp_path / "new.bin", base() + outer(TABLES, ("inner", TABLES, 20), ("grow", FILE, 21)))
    verdict = check(new, "--functions", baseline=[old])
    assert {reason["function"] for reason in verdict.document["reasons"]} == {"grow"}
    assert all([each["function"] for each in reason["because"]] == ["grow"] for reason in verdict.document["reasons"])
    assert any("came from inner: moved, not grown" in note for note in verdict.document["notes"])


@pytest.mark.parametrize("before, after", [
    ([("inner", FILE, 20)], [("inner", TABLES, 31)]),                                    # moved, and grew by half
    ([("inner", FILE, 20)], [("inner", TABLES, 20), ("inner", "/ci/app/third.py", 20)]),  # copied: twice as much
    ([("inner", FILE, 20)], [("inner", FILE, 20), ("inner", TABLES, 20)]),                # it is still where it was
])
def test_a_name_alone_does_not_make_a_move(check, tmp_path, before, after):
    old = write(tmp_path / "old.bin", base() + outer(FILE, *before))
    new = write(tmp_path / "new.bin", base() + outer(TABLES, *after))
    assert "inner" in {reason["function"] for reason in check(new, "--functions", baseline=[old]).document["reasons"]}


def test_what_grew_although_something_else_shrank_is_found(check, tmp_path):
    old = write(tmp_path / "old.bin", base() + [Allocation(stack("load"), 20 * MIB),
                                                Allocation(stack("keep"), 9 * MIB)])
    new = write(tmp_path / "new.bin", base() + [Allocation(stack("load"), 25 * MIB), Allocation(stack("keep"), MIB)])
    verdict = check(new, "--functions", baseline=[old])
    assert {reason["function"] for reason in verdict.document["reasons"]} == {"load"}


def test_a_hundred_random_trees_whose_functions_are_renamed_raise_no_alarm(check, tmp_path):
    rnd = random.Random(3)
    for number in range(100):
        names = [f"f{index}" for index in range(12)]
        paths = [[rnd.choice(names) for _ in range(rnd.randrange(1, 6))] for _ in range(40)]
        sizes = [rnd.randrange(64 * KIB, 4 * MIB, 8) for _ in paths]
        renamed = set(rnd.sample(names, 4))
        old = write(tmp_path / "old.bin", [Allocation(stack(*path), size) for path, size in zip(paths, sizes)])
        new = write(tmp_path / "new.bin", [Allocation(stack(*[name + "_new" if name in renamed else name
                                                              for name in path]), size)
                                           for path, size in zip(paths, sizes)])
        verdict = check(new, "--functions", baseline=[old])
        assert verdict.broken == [], (number, verdict.document["reasons"][0]["sentence"])


PROGRAM = """
import sys
from memray import Tracker
{helpers}
def load(count):
    rows = []
    for number in range(count):
        {body}
    return rows

def keep(rows):
    return [bytes(len(row)) for row in rows]

with Tracker(sys.argv[1]):
    table = keep(load(150))
    spare = {spare}
"""
SHAPES = {
    "as it was": ("", "rows.append(bytearray(20000 + number))", "bytearray(900000)"),
    "split": ("def row(number):\n    return bytearray(20000 + number)\n", "rows.append(row(number))",
              "bytearray(900000)"),
    "split twice": ("def size(number):\n    return 20000 + number\n"
                    "def row(number):\n    return bytearray(size(number))\n",
                    "rows.append(row(number))", "bytearray(900000)"),
    "a lambda": ("row = lambda number: bytearray(20000 + number)\n", "rows.append(row(number))", "bytearray(900000)"),
    "a method": ("class Row:\n    def make(self, number):\n        return bytearray(20000 + number)\n",
                 "rows.append(Row().make(number))", "bytearray(900000)"),
    "a generator": ("def made(number):\n    yield bytearray(20000 + number)\n", "rows.extend(made(number))",
                    "bytearray(900000)"),
    "further down": ("# a comment\n" * 40, "rows.append(bytearray(20000 + number))", "bytearray(900000)"),
    "the spare one too": ("def block():\n    return bytearray(900000)\n", "rows.append(bytearray(20000 + number))",
                          "block()"),
}


@pytest.fixture(scope="module")
def shaped(tmp_path_factory):
    """The same work, recorded by memray, with its code in another shape each time, and in another file."""
    tools = environment("profilers")
    if not tools:
        pytest.skip("memray cannot be had here")
    folder = tmp_path_factory.mktemp("shapes")
    captures = {}
    for number, (shape, (helpers, body, spare)) in enumerate(SHAPES.items()):
        source = folder / f"shape{number}" / ("job.py" if number % 2 else "work.py")
        source.parent.mkdir()
        source.write_text(PROGRAM.format(helpers=helpers, body=body, spare=spare))
        captures[shape] = folder / f"{number}.bin"
        subprocess.run([tools / "python", source, captures[shape]], check=True, stdin=subprocess.DEVNULL)
    return captures


def test_real_programs_whose_code_moves_raise_no_alarm(check, shaped):
    """Each shape after each other one."""
    wrong = {}
    for before, old in shaped.items():
        for after, new in shaped.items():
            verdict = check(new, "--functions", baseline=[old])
            if verdict.broken:
                wrong[before, after] = verdict.document["reasons"][0]["sentence"]
    assert not wrong


@pytest.mark.parametrize("kind", KINDS)
def test_what_grew_beside_a_move_is_named_first(check, tmp_path, kind):
    """A random program of tests/bench/moved.py, recorded before, after, and with a megabyte more in one function."""
    tools = environment("profilers")
    if not tools:
        pytest.skip("memray cannot be had here")

    def record(name):
        program.write(tmp_path / name)
        subprocess.run([tools / "python", "-m", "memray", "run", "-q", "-o", tmp_path / f"{name}.bin",
                        tmp_path / name / "main.py"], check=True, stdin=subprocess.DEVNULL)
        return tmp_path / f"{name}.bin"

    dice = random.Random(kind)
    program = Program(dice)
    old = record("old")
    program.move(dice, kind)
    new = record("new")
    who = program.grow(dice)
    grown = record("grown")
    for words in ((), ("--functions",)):
        assert check(new, *words, baseline=[old]).broken == []
    assert check(grown, baseline=[old]).document["reasons"][0]["function"] == who


def test_a_renamed_function_that_calls_one_that_grew_is_not_blamed(check, tmp_path):
    old = write(tmp_path / "old.bin", [Allocation(stack("load"), 5 * MIB), Allocation(stack("load", "parse"), 3 * MIB)])
    new = write(tmp_path / "new.bin", [Allocation(stack("load_rows"), 5 * MIB),
                                       Allocation(stack("load_rows", "parse"), 4 * MIB)])
    reason = check(new, baseline=[old]).document["reasons"][0]
    assert [each["function"] for each in reason["because"]] == ["parse"]
