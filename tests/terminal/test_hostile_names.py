# SPDX-License-Identifier: Apache-2.0
"""Names that a spreadsheet would run, or that the log of a CI runner would obey, in what people open and read."""

import csv
import io
import json
import re

import pytest
from protobuf import message

FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\t=1", "\r=1", "＝1+1", "＋1", "－1", "＠x"]
COMMANDS = [
    "::error file=a.py,line=1::boom",
    "::set-output name=x::y",
    "  ::error::blanks",
    "::add-mask::x",
    "##[error]boom",
    "x ##[group]y",
    "##vso[task.setvariable variable=a]b",
    "##teamcity[x]",
    "a\n::error::second line",
     "a ::debug::b"]
# What a runner obeys: ActionCommand.cs of GitHub's trims the line first; `##[` counts wherever it is.
OBEYED = re.compile(r"^[ \t]*::[\w-]+[ :]|##[\w-]*\[", re.M)
NUMBER = re.compile(r"-?\d+(\.\d+)?$|$")


def trace(folder, names):
    path = folder / "trace.json"
    events = [{"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": 10 * i, "dur": i + 1} for i, name in enumerate(names)]
    path.write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
    return path


def calls(folder, names):
    return {
        "table": ["table", trace(folder, names), "--format", "csv"],
        "split": ["table", trace(folder, names), "--format", "csv", "--threads", "split"],
        "export": ["export", trace(folder, names), "--format", "csv"],
        "diff": ["diff", trace(folder, ["main"]), trace(folder, names), "--format", "csv"],
    }


@pytest.mark.parametrize("which", ["table", "split", "export"])
def test_no_cell_of_a_csv_is_a_formula(program, tmp_path, which):
    answer = program(*calls(tmp_path, FORMULAS)[which])
    assert answer.status == 0, answer.err
    for row in csv.reader(io.StringIO(answer.out, newline="")):
        for cell in row:
            for part in cell.split("|") if which == "export" else [cell]:
                assert not part or part[0] not in "=+-@\t\r\n＝＋－＠" or NUMBER.match(part), cell
    assert sum("'" + name[:1] in answer.out or "'\\" in answer.out for name in FORMULAS) == len(FORMULAS)


def test_raw_is_exact(program, tmp_path):
    names = FORMULAS + COMMANDS
    answer = program("table", trace(tmp_path, names), "--format", "csv", "--raw")
    rows = list(csv.reader(io.StringIO(answer.bytes.decode(), newline="")))
    assert {row[0] for row in rows[1:]} == set(names)
    out = program("export", trace(tmp_path, ["::error::x", "##[error]y"]), "--format", "collapsed", "--raw").out
    assert sorted(line.rsplit(" ", 1)[0] for line in out.splitlines()) == ["##[error]y", "::error::x"]


def test_numbers_below_0_stay_numbers(program, samples):
    out = program(
    "diff",
    samples /
    "daily-sales.bin",
    samples /
    "json_dict-py3.10-memray1.10.0-default.bin",
    "--format",
     "csv").out
    changes = [row["change"] for row in csv.DictReader(io.StringIO(out))]
    assert any(int(change) < 0 for change in changes)


@pytest.mark.parametrize("how", [
    ["table"], ["table", "--width", 40], ["table", "--format", "csv"], ["table", "--json"], ["tree"],
    ["tree", "--json"],
    ["summary"], ["stats"], ["stats", "--json"], ["info"], ["info", "--json"],
    ["export"], ["export", "--format", "csv"],
    ["export", "--format", "collapsed"], ["export", "--format", "collapsed", "--threads", "split"],
    ["export", "--format", "speedscope"]])
def test_no_line_is_a_command_to_a_log(program, tmp_path, how):
    answer = program(*how, trace(tmp_path, COMMANDS))
    assert answer.status == 0, answer.err
    assert not OBEYED.search(answer.out), OBEYED.search(answer.out)


def test_the_title_and_the_command_of_a_run_are_none_either(program, tmp_path):
    for command_line in COMMANDS:
        path = tmp_path / "p.json"
        path.write_text(json.dumps({"traceEvents": [
            {"ph": "M", "pid": 1, "tid": 1, "name": "process_name", "args": {"name": command_line}},
            {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": command_line}},
            {"ph": "X", "pid": 1, "tid": 1, "name": "f", "ts": 0, "dur": 5}]}))
        for how in ["info"], ["table", "--threads", "split"], ["tree", "--threads", "split"], ["stats"]:
            assert not OBEYED.search(program(*how, path).out), (how, command_line)


def test_messages_are_none_either(program, tmp_path):
    for name in "##[error]x", "a ::error::x", "::error::x":
        for how in ["table", name], ["table", tmp_path / name], ["export", "--view", name, tmp_path / "none"]:
            answer = program(*how, cwd=tmp_path)
            assert answer.status and not OBEYED.search(answer.err), answer.err


def test_json_keeps_the_names(program, tmp_path):
    rows = json.loads(program("table", trace(tmp_path, COMMANDS), "--json").out)["rows"]
    assert {row["function"] for row in rows} == set(COMMANDS)


def test_ordinary_names_are_left_alone(program, tmp_path):
    names = [
    "std::vector<int>::push_back(int&&)",
    "a::b",
    "operator##x",
    "# [x]",
    "<module>",
    "f(x) = 1",
    "a-b",
     "core::fmt::write"]
    text = program("table", trace(tmp_path, names), "--format", "csv").out
    assert {row[0] for row in csv.reader(io.StringIO(text))} == {"function", *names}
    folded = program("export", trace(tmp_path, names), "--format", "collapsed").out
    assert {line.rsplit(" ", 1)[0] for line in folded.splitlines()} == set(names)


TITLE = "evil\x1b[31m<b>|x`y [a](http://b) *c*\n::error::z"


def profile(path, value):
    """A profile of pprof whose only metric has that title."""
    strings = ["", TITLE, "bytes", "main", "a.c"]
    function = message((1, 1), (2, 3), (4, 4))
    location = message((1, 1), (4, message((1, 1), (2, 3))))
    sample = message((1, 1), (2, value))
    texts = [(6, text.encode()) for text in strings]
    path.write_bytes(message((1, message((1, 1), (2, 2))), (2, sample), (4, location), (5, function), *texts))
    return path


@pytest.mark.parametrize("how", [
    ["diff", "--format", "markdown"], ["grew", "--format", "markdown"], ["explain", "--format", "markdown"],
    ["summary", "--format", "markdown"], ["stats", "--format", "markdown"], ["table", "--format", "markdown"],
    ["tree", "--format", "markdown"], ["check", "-q", "--report", "markdown=out.md"]])
def test_what_a_file_calls_its_metric_is_text_in_markdown(program, tmp_path, how):
    before, after = profile(tmp_path / "a.pb", 100_000), profile(tmp_path / "b.pb", 300_000)
    inputs = {"diff": [before, after], "grew": [before, after], "check": [after, "--baseline", before]}
    answer = program(*how, *inputs.get(how[0], [after]), cwd=tmp_path)
    text = (tmp_path / "out.md").read_text() if how[0] == "check" else answer.out
    assert "evil" in text, answer.err
    for line in text.splitlines():
        plain = re.sub(r"`[^`]+`", "", line)
        if "evil" in plain:
            title = plain[plain.index("evil"):]
            assert not re.match(r"evil.*(<b>|\|x|\]\(|\*c|`y|\x1b)", title) or "<pre>" in text, line
        assert "<b>" not in line and not OBEYED.search(line), line
