# SPDX-License-Identifier: Apache-2.0
"""Python objects by call path: what is shown, and what is said where it is not known."""

import json

import pytest

CAPTURE = "object_lifetimes-py3.13-memray1.20.0-tracker.bin"


@pytest.fixture(scope="module")
def truth(samples):
    return json.loads((samples / CAPTURE.replace(".bin", ".expected.json")).read_text())["objects"]


def of(program, *inputs):
    return program("stats", *inputs, "--json").json()["profrender"]["objects"]


def test_a_report_names_who_made_objects_and_how_long_they_lived(program, samples):
    report = program("stats", samples / CAPTURE).out
    rows = report.partition("Created by\n")[2].splitlines()
    assert " ".join(rows[0].split()) == "1,000 200 < 10 ms < 10 ms keep:32 < work < <module>"
    assert " ".join(rows[4].split()) == "120 0 < 10 ms 0.068 s cycles:37 < work < <module>"
    assert "Types and sizes are not recorded" in report


def test_a_capture_without_lifetimes_has_no_objects(program, samples):
    assert of(program, samples / "daily-sales.bin") is None
    assert "Python objects" not in program("stats", samples / "daily-sales.bin").out
    refused = program("table", samples / "daily-sales.bin", "--metric", "objects")
    assert refused.status == 3 and "objects" in refused.err


def test_metrics_are_tables_and_trees_too(program, samples, truth):
    created = sum(path["created"] for path in truth["paths"])
    table = program("table", samples / CAPTURE, "--metric", "objects", "--json").json()
    assert table["total"] == created and table["unit"] == "count"
    alive = program("tree", samples / CAPTURE, "--metric", "objects_alive", "--json").json()
    assert alive["total"] == sum(path["alive"] for path in truth["paths"])


def test_another_profile_of_the_run_changes_nothing(program, samples):
    alone = of(program, samples / CAPTURE)
    both = of(program, samples / "cpu/etl.pyspy.folded", samples / CAPTURE)
    assert both == alone


def test_a_digest_keeps_counts_and_says_that_lives_are_not_known(program, samples, tmp_path):
    alone = of(program, samples / CAPTURE)
    program("digest", samples / CAPTURE, "-o", tmp_path / "run.prz")
    kept = of(program, tmp_path / "run.prz")
    assert (kept["created"], kept["alive"]) == (alone["created"], alone["alive"])
    assert kept["destroyed"] is kept["step_ms"] is None
    assert [(row["created"], row["alive"], row["stack"]) for row in kept["paths"]] == \
        [(row["created"], row["alive"], row["stack"]) for row in alone["paths"]]
    assert all(row["median_ms"] is row["longest_ms"] is None for row in kept["paths"])
    assert "how long objects lived is not known here" in program("stats", tmp_path / "run.prz").out


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_a_cut_capture_keeps_what_came_before(part, program, samples, tmp_path):
    whole = (samples / CAPTURE).read_bytes()
    cut = tmp_path / "cut.bin"
    cut.write_bytes(whole[: int(len(whole) * part)])
    before, all_of_it = of(program, cut), of(program, samples / CAPTURE)
    assert program("stats", cut, "--json").json()["profrender"]["complete"] is False
    assert 0 < before["created"] <= all_of_it["created"]
    assert before["created"] == before["destroyed"] + before["alive"] + before["replaced"]


def test_explain_takes_no_object_for_time(program, samples):
    explained = program("explain", "--rules", samples / CAPTURE).out
    assert "objects created" not in explained and "no time, samples or calls were recorded" in explained


def test_the_card_has_a_tab_each_and_a_table_that_reads_without_a_script(program, samples, tmp_path):
    program("card", samples / CAPTURE, "-o", tmp_path / "card.html")
    page = (tmp_path / "card.html").read_text()
    section = page.partition("id='h-objects'>")[2].partition("</section>")[0]
    assert "2,838 created, 219 alive at the end" in section
    assert "neither the type nor the size" in section
    assert section.count("<tr><th scope='row'>") == 20 and "called by work" in section
    for tab in "Objects created", "Objects alive at the end":
        assert tab in page
