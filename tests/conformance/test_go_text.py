# SPDX-License-Identifier: Apache-2.0
"""Profiles of Go as text (debug=1), compared with the protobuf of the same moment (debug=0), which pprof reads."""

import re
from pathlib import Path

import pytest

RECORDED = Path(__file__).resolve().parent / "go"
METRICS = {"heap": ["inuse_space", "inuse_objects", "alloc_space", "alloc_objects"], "goroutine": ["goroutine"],
           "threadcreate": ["threadcreate"], "mutex": ["delay", "contentions"], "block": ["delay", "contentions"]}
SAMPLED = 0.03  # Go itself allocates between the two recordings
FILLED_UP = 4


def table(program, path, metric):
    document = program("table", path, "--json", "--limit", "0", "--metric", metric).json()
    return {row["function"]: row["total"] for row in document["rows"] if row["function"].startswith("main.")}


@pytest.mark.parametrize("name, metric", [(name, metric) for name, metrics in METRICS.items() for metric in metrics
                                          if name != "threadcreate"])
def test_functions_of_the_program_have_what_the_protobuf_says(program, name, metric):
    text, protobuf = RECORDED / f"{name}.txt", RECORDED / f"{name}.pb.gz"
    ours, theirs = table(program, text, metric), table(program, protobuf, metric)
    assert ours.keys() == theirs.keys() and ours
    for function, total in theirs.items():
        assert ours[function] == pytest.approx(total, rel=SAMPLED if name == "heap" else 1e-6), function


@pytest.mark.parametrize("name", METRICS)
def test_metrics_are_those_of_the_protobuf(program, name):
    of = {suffix: program("info", RECORDED / f"{name}.{suffix}", "--json").json() for suffix in ("txt", "pb.gz")}
    assert {each["name"] for each in of["txt"]["metrics"]} == {each["name"] for each in of["pb.gz"]["metrics"]} == \
        set(METRICS[name])
    assert of["txt"]["complete"] is True and of["txt"]["format"] == "go-text"


def test_frames_have_files_and_lines_and_stacks_without_functions_addresses(program, tmp_path):
    tree = program("export", RECORDED / "goroutine.txt", "--format", "collapsed").out
    assert "main.main.func1" in tree and "0x" not in tree
    rows = program("table", RECORDED / "goroutine.txt", "--json", "--limit", "0").json()["rows"]
    assert ("main.main.func1", "example.com/shop/main.go") in {(row["function"], row["file"]) for row in rows}
    (tmp_path / "bare.txt").write_text("workers profile: total 5\n3 @ 0x10 0x20\n2 @ 0x20\n")
    assert program("export", tmp_path / "bare.txt", "--format", "collapsed").out == "0x20;0x10 3\n0x20 2\n"
    assert program("info", tmp_path / "bare.txt", "--json").json()["metrics"][0]["name"] == "workers"


@pytest.mark.parametrize("suffix", ["pb.gz", "txt"])
def test_what_fills_up_stacks_of_threadcreate_is_unknown(program, suffix):
    """The figure of `go tool pprof -top`, which has it for the protobuf alone."""
    rows = program("table", RECORDED / f"threadcreate.{suffix}", "--json", "--limit", "0").json()["rows"]
    assert [row["self"] for row in rows if row["function"] == "<unknown>"] == [FILLED_UP]
    assert not [row for row in rows if row["function"].startswith("0x")]


def test_labels_that_are_left_out_are_counted(program, tmp_path):
    text = (RECORDED / "goroutine.txt").read_text().replace("\n#\t", '\n# labels: {"a":"b"}\n#\t', 1)
    (tmp_path / "labels.txt").write_text(text)
    assert "1 line of labels was left out" in program("info", tmp_path / "labels.txt").out


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("share", [0.3, 0.7, 0.95])
def test_a_cut_profile_keeps_what_is_before_the_cut(program, tmp_path, name, share):
    data = (RECORDED / f"{name}.txt").read_bytes()
    (tmp_path / "cut.txt").write_bytes(data[:int(len(data) * share)])
    answer = program("info", tmp_path / "cut.txt", "--json")
    if answer.status:  # even its first line is not whole
        assert answer.status == 3
    else:
        assert answer.json()["complete"] is False or data[:int(len(data) * share)].endswith(b"\n")


@pytest.mark.parametrize("name", ["goroutine", "heap", "threadcreate"])
def test_a_cut_between_stacks_is_seen_by_the_sums_of_the_first_line(program, name):
    text = (RECORDED / f"{name}.txt").read_text()
    starts = [match.start() for match in re.finditer(r"^\d[^\n]* @", text, re.MULTILINE)]
    assert starts
    for start in starts[name == "heap":]:  # a heap without functions is another format
        answer = program("info", "-", "--json", "--input-format", "go-text", input=text[:start].encode())
        assert answer.json()["complete"] is False
        assert "its stacks have less than its first line counts" in answer.err


def test_lines_without_meaning_are_counted(program, tmp_path):
    text = (RECORDED / "mutex.txt").read_text() + "what is this\n1 2 3\n"
    (tmp_path / "odd.txt").write_text(text)
    answer = program("info", tmp_path / "odd.txt", "--json")
    assert answer.json()["complete"] is False and "2 lines" in answer.err


def test_all_stacks_of_goroutines_are_named_with_what_records_them_by_count(program):
    answer = program("info", "-", "--json", input=b"goroutine 1 [running]:\nmain.main()\n\t/src/main.go:6 +0x1\n\n")
    assert answer.json()["looks_like"] == "stacks of Go's goroutines" and "debug=1" in answer.json()["remedy"]
