# SPDX-License-Identifier: Apache-2.0
"""`--format markdown`: whatever a name holds, it ends no cell and no block, and becomes no link, mention or HTML."""

import html
import re

import pytest
from made_capture import capture

HOSTILE = ["a|b", "`x`", "<b>bold</b>", "</pre><script>alert(1)</script>", "[link](http://x.invalid)", "@team", "#7",
           "**x**", "</code>", "&lt;", "\\|", "a\nb", "![](http://x.invalid)", "x" * 300]
REPORTS = ["table", "summary", "tree", "stats", "explain"]


@pytest.fixture
def hostile(tmp_path):
    path = tmp_path / "hostile.bin"
    names = [name.encode() for name in HOSTILE]
    path.write_bytes(capture([(name, name + b".py", (2 + number) << 20) for number, name in enumerate(names)],
                             command_line=b"<img src=x>.py", lines=True))
    return path


@pytest.mark.parametrize("report", REPORTS)
def test_hostile_names_are_text(program, hostile, report):
    text = program(report, hostile, "--format", "markdown").out
    plain = re.sub(r"`[^`\n]+`", "", text)  # code spans
    tags = set(re.findall(r"<[^>\s]*>?", plain)) - {"<"}
    assert tags <= {"<code>", "</code>", "<pre>", "</pre>"}
    assert plain.count("<pre>") == plain.count("</pre>") <= 1
    outside = re.sub(r"<pre>.*?</pre>", "", plain, flags=re.S)
    assert not re.search(r"[\[\]`@!]|https?:", re.sub(r"&#\d+;", "", outside))


@pytest.mark.parametrize("report", ["table", "summary"])
def test_each_row_has_as_many_cells_as_the_titles(program, hostile, report):
    rows = [line for line in program(report, hostile, "--format", "markdown").out.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(HOSTILE)
    assert len({row.count("|") for row in rows}) == 1


def cells(line):
    def name(cell):
        return cell[1:-1] if cell.startswith("`") else html.unescape(re.sub(r"</?code>", "", cell))

    return [name(cell.strip()) for cell in line.strip("|").split("|")]


def test_a_table_has_the_figures_of_the_json_form(program, samples):
    capture_of = samples / "daily-sales.bin"
    lines = program("summary", capture_of, "--limit", "8", "--format", "markdown").out.splitlines()
    rows = [cells(line) for line in lines if line.startswith("|")]
    found = program("summary", capture_of, "--limit", "8", "--json").json()["rows"]
    assert rows[0] == ["Total", "%", "Count", "Self", "%", "Function", "File"]
    assert [row[5] for row in rows[2:]] == [row["function"] for row in found]
    assert [int(row[2].replace(",", "")) for row in rows[2:]] == [row["total_count"] for row in found]


@pytest.mark.parametrize("report", ["tree", "stats"])
def test_lines_are_those_of_the_terminal(program, samples, report):
    capture_of = samples / "unicode_names-py3.12-memray1.20.0-default.bin"
    lines = program(report, capture_of, "--format", "markdown").out
    plain = html.unescape(lines).removeprefix("<pre>\n").removesuffix("</pre>\n")
    assert plain == program(report, capture_of, *(["--width", "120"] if report == "tree" else [])).out
