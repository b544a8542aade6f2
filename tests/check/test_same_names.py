# SPDX-License-Identifier: Apache-2.0
"""Two methods of one name in one file are two functions: no row, alarm or path has the sum of both."""

import json

import pytest

APP = "file:///app/job.js"


def call(number, function, line, hits, *children):
    return {"id": number, "hitCount": hits, "children": list(children),
            "callFrame": {"functionName": function, "scriptId": "1", "url": APP if line else "",
                          "lineNumber": line - 1, "columnNumber": 0}}


def profile(path, first, second):
    """main calls two functions called run: FIRST and SECOND are (line, milliseconds)."""
    nodes = [call(1, "(root)", 0, 0, 2), call(2, "main", 1, 0, 3, 4), call(3, "run", *first), call(4, "run", *second)]
    samples = [3] * first[1] + [4] * second[1]
    path.write_text(json.dumps({"nodes": nodes, "startTime": 0, "endTime": 1000 * len(samples), "samples": samples,
                                "timeDeltas": [1000] * len(samples)}))
    return path


@pytest.fixture
def sides(tmp_path):
    """The file was edited: both moved down, by different distances, and only the first takes longer."""
    return (profile(tmp_path / "before.cpuprofile", (10, 100), (30, 100)),
            profile(tmp_path / "after.cpuprofile", (14, 300), (41, 100)))


def test_each_has_a_row_in_a_difference(program, sides):
    rows = json.loads(program("diff", *sides, "--json").out)["rows"]
    assert [(row["line"], round(row["before"], 1), round(row["after"], 1)) for row in rows
            if row["function"] == "run"] == [(14, 0.1, 0.3), (41, 0.1, 0.1)]


def test_check_blames_the_one_that_grew(check, sides):
    before, after = sides
    verdict = check(after, "--functions", "--tolerance", "5", baseline=[before])
    alarm = verdict.finding("function-cpu")
    assert (alarm["function"], alarm["line"]) == ("run", 14)
    assert round(alarm["before"], 1) == 0.1 and round(alarm["after"], 1) == 0.3
    assert [(cause["function"], cause["line"]) for cause in alarm["because"]] in ([], [("run", 14)])
