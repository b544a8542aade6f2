# SPDX-License-Identifier: Apache-2.0
"""The call tree as people read it: no import system, a function once, recursion folded; and still exact."""

import json
import re

import pytest

IMPORT_SYSTEM = "frozen importlib"


def rows_of(program, *words):
    answer = program("tree", *words, "--json", "--limit", 0, "--min-share", 0)
    assert answer.status == 0, answer.err
    return json.loads(answer.out)["rows"]


@pytest.fixture
def folded(tmp_path):
    def write(text):
        path = tmp_path / "x.folded"
        path.write_text(text)
        return path
    return write


def test_the_import_system_is_left_out(program, samples):
    capture = samples / "daily-sales.bin"
    assert not [row for row in rows_of(program, capture) if IMPORT_SYSTEM in (row["file"] or "")]
    assert [row for row in rows_of(program, capture, "--hide", "none") if IMPORT_SYSTEM in (row["file"] or "")]


@pytest.mark.parametrize("name", ["daily-sales.bin", "cpu/etl.pyspy.speedscope.json", "cpu/fanout.yappi.pstats",
                                  "threads_named-py3.13-memray1.20.0-default.bin", "cpu/goindex.heap.pb.gz"])
@pytest.mark.parametrize("hide", ["none", "imports", "runner", "libraries"])
@pytest.mark.parametrize("how", [[], ["--group", "function"], ["--group", "line"],
                         ["--invert"], ["--threads", "split"]])
def test_whatever_is_left_out_every_line_adds_up(program, samples, name, hide, how):
    rows = rows_of(program, samples / name, "--hide", hide, *how)
    below = [0] * len(rows)
    for row in rows:
        if row["parent"] is not None:
            below[row["parent"]] += round(row["total"] * 1e9)
    for row, sum_below in zip(rows, below):
        assert round(row["total"] * 1e9) == round(row["self"] * 1e9) + round(row["folded_total"] * 1e9) + sum_below, row
    assert rows[0]["total"] == rows_of(program, samples / name, "--hide", "none")[0]["total"]


def test_what_starts_the_program_can_be_left_out(program, samples):
    first = rows_of(program, samples / "daily-sales.bin", "--hide", "runner")
    names = {row["function"] for row in first}
    assert "_run_tracker" not in names and "run_path" not in names and "main" in names


def test_only_my_own_code(program, samples):
    rows = rows_of(program, samples / "daily-sales.bin", "--hide", "libraries")
    files = {row["file"] for row in rows if row["file"]}
    assert files and not [
    name for name in files if "site-packages" in name or "/lib/python" in name or "frozen" in name]
    assert "features.py" in " ".join(files)


def test_a_function_is_one_frame_whatever_its_line(program, folded):
    path = folded("main (a.py:1);f (a.py:5) 3\nmain (a.py:2);f (a.py:6) 4\nmain (a.py:2);g (a.py:9) 1\n")
    names = [row["function"] for row in rows_of(program, path)]
    assert sorted(names) == ["", "f", "g", "main"]
    lines = [(row["function"], row["line"]) for row in rows_of(program, path, "--group", "line")]
    assert sorted(lines, key=str) == sorted([("", None), ("main", 1),
                  ("main", 2), ("f", 5), ("f", 6), ("g", 9)], key=str)


def test_functions_of_one_name_in_two_files_stay_two(program, folded):
    rows = rows_of(program, folded("main (a.py:1);f (a.py:5) 3\nmain (a.py:1);f (b.py:5) 4\n"))
    assert sorted(row["file"] or "" for row in rows if row["function"] == "f") == ["a.py", "b.py"]


def test_allocations_keep_their_lines(program, samples):
    lines = [row["line"] for row in rows_of(program, samples / "daily-sales.bin") if row["function"] == "lag_matrix"]
    assert len(lines) > 1 and None not in lines


def test_a_function_that_calls_itself_is_one_frame(program, folded):
    path = folded("main;fib;fib;fib;fib 5\nmain;fib 2\nmain;fib;fib;leaf 1\n")
    rows = rows_of(program, path)
    assert [(row["function"], row["total"], row["self"]) for row in rows] == [
        ("", 8, 0), ("main", 8, 0), ("fib", 8, 7), ("leaf", 1, 1)]
    assert sum(row["function"] == "fib" for row in rows_of(program, path, "--hide", "none")) == 4


def test_two_functions_that_call_each_other_are_not_folded(program, folded):
    rows = rows_of(program, folded("main;a;b;a;b 5\n"))
    assert [row["function"] for row in rows] == ["", "main", "a", "b", "a", "b"]


def test_my_code_comes_first_where_nothing_else_decides(program, folded):
    path = folded("main (/app/a.py:1);aaa (/usr/lib/python3.11/json.py:5) 3\nmain (/app/a.py:1);mine (/app/a.py:9) 3\n")
    assert [row["function"] for row in rows_of(program, path)][2:] == ["mine", "aaa"]


@pytest.mark.parametrize("value, status", [("auto", 0), ("off", 0), ("x.bin", 2)])
def test_native_is_an_option_with_a_value_as_everywhere(program, samples, value, status):
    answer = program("tree", "--native", value, samples / "daily-sales.bin")
    assert answer.status == status and (not status or "it takes auto, off, require" in answer.err)


def test_a_tree_of_a_program_that_imports_much_is_about_the_program(program, samples):
    text = program("tree", samples / "daily-sales.bin", "--width", 120).out
    assert not re.search(r"_find_and_load|_call_with_frames_removed|exec_module", text)


@pytest.mark.parametrize("command", [["table"], ["summary"], ["stats"]])
def test_where_a_profiler_looked_is_no_function(program, samples, folded, command):
    path = folded('process 12:"python x.py";thread (12): MainThread;main (a.py:1) 3\n'
                  'process 12:"python x.py";thread (12): MainThread 4\nprocess 12:"python x.py";thread (13) 2\n')
    text = program(*command, path).out
    assert "thread (" not in text and "process 12" not in text and "main" in text
    if command != ["stats"]:
        assert re.search(r"^ +6 .*\(no stack\)$", text, re.M) or re.search(r" 6 .*\(no stack\)$", text, re.M), text
