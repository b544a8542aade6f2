# SPDX-License-Identifier: Apache-2.0
"""`diff --history`: the usual range of each figure, and the same verdict as `check --history`."""

import html
import re

import pytest
from captures import KIB, MIB, Allocation, write

LOAD = [("main", "/ci/app/main.py", 3), ("load", "/ci/app/load.py", 7)]
SAVE = [("main", "/ci/app/main.py", 3), ("save", "/ci/app/load.py", 17)]
DAY = 86400000
SIZES = [10 * MIB + step * KIB for step in (0, 250, 30, 120, 80, 200, 50, 150)]


def run(path, load, day, save=MIB, threads=1):
    parts = [Allocation(LOAD, load // threads, thread=number + 1) for number in range(threads)]
    return write(path, [*parts, Allocation(SAVE, save)], start_ms=1700000000000 + day * DAY)


@pytest.fixture
def runs(tmp_path):
    """`runs(sizes)` is a folder of earlier runs, with the one before and what is to be compared with it."""
    folder = tmp_path / "history"
    folder.mkdir()

    def make(sizes, before, after, threads=1, save=MIB):
        for day, size in enumerate(sizes):
            run(folder / f"{day}.bin", size, day, threads=threads)
        return (run(tmp_path / "before.bin", before, 20, threads=threads),
                run(tmp_path / "after.bin", after, 21, threads=threads, save=save), folder)

    return make


def usual_of(document, metric):
    return next(total["usual"] for total in document["totals"] if total["metric"] == metric)


def document_of(program, before, after, history, *words):
    answer = program("diff", before, after, "--history", history, "--json", *words)
    assert answer.status == 0, answer.err
    return answer.json()


@pytest.mark.parametrize("after, place, answer", [
    (10 * MIB + 100 * KIB, "inside", "kept"), (10 * MIB + 300 * KIB, "above", "kept"),
    (20 * MIB, "above", "broken"), (5 * MIB, "below", "kept")])
def test_range_places_and_answer(runs, program, after, place, answer):
    before, newer, history = runs(SIZES, SIZES[3], after)
    usual = usual_of(document_of(program, before, newer, history), "peak")
    assert (usual["runs"], usual["lowest"], usual["highest"]) == (8, 11 * MIB, 11 * MIB + 250 * KIB)
    assert (usual["before"], usual["after"], usual["answer"]) == ("inside", place, answer)


@pytest.mark.parametrize("sizes, after, threads", [
    (SIZES, 20 * MIB, 1), (SIZES, SIZES[1], 1), ([10 * MIB, 20 * MIB], 15 * MIB, 1), (SIZES[:3], 12 * MIB, 2),
    ([10 * MIB] * 6 + [12 * MIB] * 6, 12 * MIB, 1),
    ([10 * MIB] * 8 + [10 * MIB + 500 * KIB] * 2, 10 * MIB + 500 * KIB, 1),
    (SIZES[:1], 11 * MIB, 1)])
def test_the_answers_are_those_of_check(runs, program, check, sizes, after, threads):
    before, newer, history = runs(sizes, sizes[0], after, threads=threads)
    document = document_of(program, before, newer, history)
    verdict = check(newer, "--history", history)
    for metric in ("peak", "leaked", "allocated"):
        finding, usual = verdict.finding(f"regression-{metric}"), usual_of(document, metric)
        assert finding["answer"] == usual["answer"], (metric, finding, usual)
    functions = [finding["sentence"] for finding in verdict.document["reasons"]
                 if finding["rule"].startswith("function-")]
    assert document["history"]["regressions"] == functions


def test_a_function_that_check_calls_a_regression_is_named(runs, program, check):
    before, newer, history = runs([10 * MIB] * 8, 10 * MIB, 10 * MIB, save=MIB + 200 * KIB)
    document = document_of(program, before, newer, history)
    assert check(newer, "--history", history).broken == ["function-allocated"]
    assert usual_of(document, "allocated")["answer"] == "kept"
    assert [sentence.split()[0] for sentence in document["history"]["regressions"]] == ["save"]
    assert "regression: save" in program("diff", before, newer, "--history", history).out


def test_functions_have_their_range(runs, program):
    before, newer, history = runs(SIZES, SIZES[3], 20 * MIB)
    document = document_of(program, before, newer, history, "--by", "own")
    rows = {row["function"]: row["usual"] for row in document["rows"]}
    assert rows["load"] == {"runs": 8, "lowest": SIZES[0], "highest": SIZES[1], "before": "inside", "after": "above"}
    assert rows["save"]["lowest"] == rows["save"]["highest"] == MIB
    paths = document_of(program, before, newer, history, "--by", "path")["rows"]
    assert {row["usual"] for row in paths} == {None}


def test_the_range_is_that_of_the_present_level(runs, program):
    before, newer, history = runs([10 * MIB] * 6 + [12 * MIB] * 6, 12 * MIB, 12 * MIB)
    document = document_of(program, before, newer, history, "--by", "own")
    assert usual_of(document, "peak")["lowest"] == 13 * MIB and usual_of(document, "peak")["runs"] == 6
    assert document["rows"][0]["usual"]["runs"] == 6


def test_one_earlier_run_is_called_so(runs, program):
    before, newer, history = runs(SIZES[:1], SIZES[0], SIZES[0])
    text = program("diff", before, newer, "--history", history).out
    assert re.search(r"Peak +11\.0 MiB +in 1 run; before and after are inside", text)


def test_the_card_says_it_too(runs, program, tmp_path):
    before, newer, history = runs(SIZES, SIZES[3], 20 * MIB)
    assert program("diff", before, newer, "--history", history, "-o", tmp_path / "card.html").status == 0
    page = html.unescape(re.sub(r"<[^>]*>", "", (tmp_path / "card.html").read_text(encoding="utf-8")))
    assert "That is above what the last 8 runs had, 11.0 to 11.2 MiB: a regression, the limit is 11.6 MiB." in page
    assert "Earlier runs: usually 11.0 to 11.2 MiB in 8 runs; before is inside, after is above: a regr" in page
    assert "10.0 to 10.2 MiB" in page, "the range of load"
    assert re.search(r"profrender diff \S+ \S+ --by own --metric peak --history \S*history", page)


def test_a_card_without_folders_has_none_of_earlier_runs(runs, program, tmp_path):
    before, newer, history = runs([10 * MIB] * 8, 10 * MIB, 10 * MIB, save=MIB + 200 * KIB)
    (history / "README").write_text("Runs of the main branch.\n")
    card = tmp_path / "card.html"
    assert program("diff", before, newer, "--history", history, "-o", card, "--redact-paths").status == 0
    page = html.unescape(card.read_text(encoding="utf-8"))
    assert str(history.parent) not in page and "/ci/app/" not in page
    assert "1 note on earlier runs: the command at the end" in page


def test_the_commands_of_a_card_of_runs_without_stacks_take_one_run_each(program, tmp_path):
    folders = [tmp_path / name for name in ("before", "after")]
    for folder in folders:
        assert program("record", "-o", folder, "--", "true").status == 0
    assert program("diff", *folders, "-o", tmp_path / "card.html").status == 0
    page = html.unescape((tmp_path / "card.html").read_text(encoding="utf-8"))
    commands = re.findall(r"<code>profrender (info .*?)</code>", page)
    assert commands == [f"info {folder}" for folder in folders]
    assert [program(*command.split()).status for command in commands] == [0, 0]


def test_markdown_has_a_line_for_each_figure(runs, program):
    before, newer, history = runs(SIZES, SIZES[3], SIZES[4])
    out = program("diff", before, newer, "--history", history, "--format", "markdown").out
    assert "- Peak: usually 11.0 to 11.2 MiB in 8 runs; before and after are inside" in out
    assert "| usual | function |" in out


def test_digests_have_the_ranges_of_their_captures(runs, program, tmp_path):
    before, newer, history = runs(SIZES, SIZES[3], 20 * MIB)
    digests = tmp_path / "digests"
    digests.mkdir()
    for capture in [*history.iterdir(), before, newer]:
        assert program("digest", capture, "-o", digests / (capture.stem + ".prz")).status == 0
    kept = [digests / "before.prz", digests / "after.prz"]
    for path in kept:
        path.rename(tmp_path / path.name)
    wanted = document_of(program, before, newer, history)
    got = document_of(program, *[tmp_path / path.name for path in kept], digests)
    assert got["totals"] == wanted["totals"] and got["rows"] == wanted["rows"]


def test_what_is_not_a_run_is_left_out_and_said(runs, program):
    before, newer, history = runs(SIZES, SIZES[3], SIZES[4])
    (history / "README").write_text("Runs of the main branch.\n")
    (history / "cut.bin").write_bytes((history / "0.bin").read_bytes()[:-3])
    (history / "same.bin").write_bytes(newer.read_bytes())
    document = document_of(program, before, newer, history)
    assert usual_of(document, "peak")["runs"] == 8
    notes = "\n".join(document["history"]["notes"])
    assert "README is not a baseline" in notes and "it is incomplete" in notes and "the run being checked" in notes


def test_an_earlier_run_that_is_named_has_to_be_readable(runs, program, tmp_path):
    before, newer, history = runs(SIZES, SIZES[3], SIZES[4])
    (tmp_path / "text").write_text("no capture\n")
    assert program("diff", before, newer, "--history", tmp_path / "text").status == 3
    absent = program("diff", before, newer, "--history", tmp_path / "absent")
    assert absent.status == 3 and "there is no earlier run" in absent.err
    for file in history.iterdir():
        file.unlink()
    assert program("diff", before, newer, "--history", history).status == 3


def test_runs_of_another_kind_have_nothing_to_say(runs, program, samples):
    before, newer, _ = runs(SIZES, SIZES[3], SIZES[4])
    document = document_of(program, before, newer, samples / "cpu" / "etl.pyspy.folded")
    assert {total["usual"] is None for total in document["totals"]} == {True}


def test_runs_of_another_program_are_a_note(runs, program, samples):
    before, newer, _ = runs(SIZES, SIZES[3], SIZES[4])
    other = samples / "json_dict-py3.13-memray1.18.0-default.bin"
    notes = document_of(program, before, newer, other)["history"]["notes"]
    assert any("ran a different program" in note for note in notes)


def test_an_incomplete_run_is_compared_with_none(runs, program):
    before, newer, history = runs(SIZES, SIZES[3], 20 * MIB)
    newer.write_bytes(newer.read_bytes()[:-3])
    document = program("diff", before, newer, "--history", history, "--json").json()
    assert usual_of(document, "peak") is None
    assert document["history"]["notes"] == ["the newer run is incomplete, so it was not compared with earlier ones"]


def test_a_part_of_a_run_has_no_usual_range(runs, program):
    before, newer, history = runs(SIZES, SIZES[3], 20 * MIB)
    assert program("diff", before, newer, "--history", history, "--window", "0:1").status == 2


def test_real_runs_without_stacks_are_compared_by_their_memory_and_time(program, tmp_path):
    history = tmp_path / "history"
    history.mkdir()
    folders = [*[history / name for name in "abc"], tmp_path / "before", tmp_path / "after"]
    for folder in folders:
        assert program("record", "-o", folder, "--", "python3", "-c", "b = bytes(3000000)").status == 0
    words = [word for name in "abc" for word in ("--history", history / name)]
    document = program("diff", folders[-2], folders[-1], *words, "--json").json()
    usual = {figure["name"]: figure["usual"] for figure in document["figures"]}
    assert usual["duration"]["runs"] == 3 and usual["rss"]["runs"] == 3 and usual["cpu_time"] is None
    for name in ("duration", "rss"):
        verdict = program("check", folders[-1], "--metric", name, *words, "--json").json()
        findings = verdict["reasons"] + verdict["cannot_tell"] + verdict["kept"]
        assert [finding["answer"] for finding in findings] == [usual[name]["answer"]]
