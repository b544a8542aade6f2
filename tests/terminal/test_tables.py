# SPDX-License-Identifier: Apache-2.0
"""Tables in a terminal of any width: rows are distinct, names are readable, a count has one meaning."""

import json
import marshal
import re

import pytest


def rows_of(text):
    """The lines between the titles and the sum."""
    lines = text.splitlines()
    start = lines.index("") + 2
    return lines[start:next(i for i in range(start, len(lines)) if lines[i].endswith("  all"))]


def names_of(row):
    """The row without its figures."""
    return re.sub(r"^(\s+(\S+ (B|KiB|MiB|GiB|%|s|ms|µs|ns)|[\d,]+|< \S+ %))+\s\s", "", row)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_no_two_rows_look_the_same(program, samples, width):
    answer = program("table", samples / "daily-sales.bin", "--limit", 30, "--width", width, "--sort", "total")
    places = [names_of(row) for row in rows_of(answer.out)]
    cut = [place for place in places if "…" in place]
    whole = [place for place in places if "…" not in place]
    assert len(whole) == len(set(whole)), places
    assert width < 100 or len(cut) == len(set(cut)), places


def test_rows_are_merged_only_where_the_allocator_has_no_room(program, samples):
    wide, narrow = (program("table", samples / "daily-sales.bin", "--bytes", "--limit", 0, "--width", width).out
                    for width in (140, 80))
    assert "Allocator" in wide.split("\n")[2] and "Allocator" not in narrow.split("\n")[2]
    place = "_compile_bytecode"
    sizes = [sum(int(row.split()[0].replace(",", "")) for row in rows_of(text) if place in row)
                 for text in (wide, narrow)]
    assert sizes[0] == sizes[1] > 0
    assert sum(place in row for row in rows_of(narrow)) < sum(place in row for row in rows_of(wide))


def fork(tmp_path, samples):
    """Two processes with a thread of the same number and name."""
    parts = [tmp_path / "one.bin", tmp_path / "two.bin"]
    parts[0].write_bytes((samples / "json_dict-py3.9-memray1.6.0-default.bin").read_bytes())
    parts[1].write_bytes((samples / "json_dict-py3.10-memray1.10.0-default.bin").read_bytes())
    return parts


def test_threads_of_several_processes_tell_which_one_is_theirs(program, samples, tmp_path):
    parts = fork(tmp_path, samples)
    rows = json.loads(program("table", *parts, "--threads", "split", "--json").out)["rows"]
    pids = {row["pid"] for row in rows}
    assert len(pids) == 2 and None not in pids
    text = program("table", *parts, "--threads", "split", "--limit", 0, "--width", 160).out
    assert all(f"pid {pid}, " in text for pid in pids)
    tree = program("tree", *parts, "--threads", "split").out
    assert all(f"thread pid {pid}, " in tree for pid in pids)
    csv = program("table", *parts, "--threads", "split", "--format", "csv").out.splitlines()
    assert csv[0].endswith(",pid") and {line.rsplit(",", 1)[1] for line in csv[1:]} == {str(pid) for pid in pids}


def test_threads_of_one_process_are_called_by_their_name(program, samples):
    capture = samples / "threads_named-py3.13-memray1.20.0-default.bin"
    assert "pid " not in program("table", capture, "--threads", "split").out
    merged = json.loads(program("table", capture, "--json").out)["rows"]
    assert {row["pid"] for row in merged} == {None}


@pytest.fixture
def builtins(tmp_path):
    """cProfile statistics of functions with long names and no file."""
    names = [f"<built-in method builtins.longer_than_two_fifths_{i}>" for i in range(3)]
    path = tmp_path / "c.pstats"
    path.write_bytes(marshal.dumps({("~", 0, name): (1, 1, 0.1 + i, 0.1 + i, {}) for i, name in enumerate(names)}))
    return path, names


@pytest.mark.parametrize("width", [100, 120])
def test_a_name_without_a_file_has_the_columns_of_both(program, builtins, width):
    path, names = builtins
    text = program("summary", path, "--width", width).out
    assert all(name in text for name in names)
    assert max(map(len, text.splitlines())) <= width


def trace(tmp_path, spans):
    path = tmp_path / "trace.json"
    events = [{"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": start, "dur": end - start}
        for name, start, end in spans]
    path.write_text(json.dumps({"traceEvents": events}))
    return path


@pytest.fixture
def calls(tmp_path):
    """main calls f three times, and f calls itself once."""
    return trace(tmp_path, [("main", 0, 100), ("f", 1, 20), ("f", 30, 40), ("f", 50, 60), ("f", 2, 10)])


@pytest.mark.parametrize("command", [["table"], ["summary"],
                         ["table", "--sort", "total"], ["summary", "--sort", "self"]])
def test_a_count_of_calls_is_that_of_the_function(program, calls, command):
    text = program(*command, calls, "--width", 120).out
    counts = {row.split()[-1]: re.search(r"% +([\d,]+) ", row)[1] for row in rows_of(text)}
    assert counts == {"main": "1", "f": "4"}


def test_json_counts_all_calls_and_those_that_are_not_recursive(program, calls):
    for command in "table", "summary":
        rows = {row["function"]: row for row in json.loads(program(command, calls, "--json").out)["rows"]}
        assert [(rows[name]["self_count"], rows[name]["total_count"]) for name in ("main", "f")] == [(1, 1), (4, 3)]


def test_the_same_of_cprofile(program, tmp_path):
    path = tmp_path / "c.pstats"
    path.write_bytes(marshal.dumps({("m.py", 1, "f"): (3, 4, 0.5, 0.5, {}), ("m.py", 9, "main"): (1, 1, 0.5, 1.0, {})}))
    rows = {row["function"]: row for row in json.loads(program("table", path, "--json").out)["rows"]}
    assert [(rows[name]["self_count"], rows[name]["total_count"]) for name in ("main", "f")] == [(1, 1), (4, 3)]


def test_the_tree_counts_calls_of_the_function_too(program, calls):
    lines = program("tree", calls, "--width", 120).out.splitlines()
    main = next(line for line in lines if line.endswith("main"))
    assert re.search(r"\s1\s+main$", main), main


def test_samples_still_count_what_a_function_called(program, tmp_path):
    path = tmp_path / "x.folded"
    path.write_text("main;f 3\nmain;g 4\nmain 1\n")
    rows = {row["function"]: row for row in json.loads(program("table", path, "--json").out)["rows"]}
    assert rows["main"]["total"] == 8


def test_an_unknown_number_of_calls_is_not_shown(program, tmp_path):
    path = tmp_path / "pyinstrument.pstats"
    path.write_bytes(marshal.dumps({("m.py", 1, name): (-1, -1, 0.5, 0.5, {}) for name in "fgh"}))
    for command in "table", "summary", "stats", "tree":
        assert "-" not in program(command, path).out.replace("--", ""), command
        said = program(command, path).out
        assert said.splitlines()[0] in ("1.50 s time, m.py", "1.50 s time", "m.py") and "Count" not in said
    document = json.loads(program("table", path, "--json").out)
    assert document["total_count"] is None and {row["self_count"] for row in document["rows"]} == {None}


@pytest.mark.parametrize("width", [60, 80, 100])
def test_what_was_folded_never_takes_the_room_of_the_place(program, samples, width):
    text = program("tree", samples / "daily-sales.bin", "--width", width, "--leaks", "--invert", "--hide", "none").out
    lines = [line for line in text.splitlines() if "…" in line and re.search(r"_find_and_load|_call_with", line)]
    assert lines and all(re.search(r":\d+", line) for line in lines if "smaller, " in line), text


def test_one_of_a_kind_is_not_spoken_of_as_many(program, tmp_path):
    path = tmp_path / "x.pstats"
    path.write_bytes(marshal.dumps({("m.py", 1, "f"): (1, 1, 0.5, 0.5, {}), ("m.py", 5, "g"): (0, 0, 0.5, 0.5, {})}))
    text = program("table", path, "--limit", 1, "--width", 120).out
    assert ", 1 call" in text and "1 calls" not in text and "1 more row holds" in text
    assert "1 of 2 rows matches" in program("table", path, "--filter", "f").out


def by_module(program, *arguments):
    rows = json.loads(program("table", "--group", "module", "--format", "json", *arguments).out)["rows"]
    return {row["file"]: (row["self"], row["self_count"]) for row in rows}


def test_modules_of_the_table_are_those_of_the_statistics(program, samples):
    for name in ("daily-sales.bin", "line_tables-py3.10-memray1.20.0-default.bin"):
        table = by_module(program, "--metric", "allocated", samples / name)
        stats = json.loads(program("stats", "--json", samples / name).out)
        tops = stats["top_modules_by_allocation_size"] + stats["top_modules_by_allocation_count"]
        assert len(tops) > 3
        assert {top["module"]: (top["total_bytes"], top["num_allocations"]) for top in tops}.items() <= table.items()


def test_a_module_is_of_who_wrote_it(program, samples):
    rows = json.loads(program("table", "--group", "module", "--json", samples / "daily-sales.bin").out)["rows"]
    owners = {row["file"]: row["owner"] for row in rows}
    assert {owners[name] for name in ("features", "forecast", "daily_sales", "clean")} == {"my code"}
    assert (owners["numpy"], owners["pandas"], owners["<root>"]) == ("library", "library", "stdlib")


def test_a_table_of_files_has_a_row_for_each_file(program, samples):
    answer = program("table", "--group", "file", "--json", samples / "daily-sales.bin")
    files = [row["file"] for row in json.loads(answer.out)["rows"]]
    assert len(files) == len(set(files)) > 100 and json.loads(answer.out)["group"] == "file"


@pytest.mark.parametrize("sample, module", [
    ("hashtab.heaptrack.zst", "hashtab.c"), ("fanout.yappi.pstats", "fanout"), ("multi.perf.txt", "libc.so.6"),
    ("hashtab.perf.folded", "<root>"), ("train.torch.pickle", "model")])
def test_modules_have_all_of_a_profile(program, samples, sample, module):
    table, by_function = by_module(program, samples / "cpu" / sample), json.loads(
        program("table", "--json", samples / "cpu" / sample).out)["rows"]
    assert module in table
    assert sum(value for value, _ in table.values()) == pytest.approx(sum(row["self"] for row in by_function))
