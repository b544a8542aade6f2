# SPDX-License-Identifier: Apache-2.0
"""Reports go into files that others wrote before."""

import os

import pytest
from captures import MIB, Allocation, write


@pytest.fixture
def run(tmp_path):
    return write(tmp_path / "run.bin", [Allocation([("load", "/ci/app/load.py", 7)], 10 * MIB)])


def test_two_checks_of_a_step_leave_both(program, run, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("# written before\n")
    for limit in ("1GiB", "2GiB"):
        answer = program("check", run, "--max-peak", limit, "--report", f"markdown={summary}",
                         env={**os.environ, "GITHUB_STEP_SUMMARY": str(summary)})
        assert answer.status == 0
    text = summary.read_text()
    assert text.startswith("# written before\n")
    assert text.count("### Within all limits") == 2 and "1GiB" in text and "2GiB" in text


def test_other_files_are_replaced_even_then(program, run, tmp_path):
    other = tmp_path / "other.md"
    for _ in range(2):
        program("check", run, "--max-peak", "1GiB", "--report", f"markdown={other}",
                env={**os.environ, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")})
    assert other.read_text().count("###") == 1


def test_appending_can_be_asked_for(program, run, tmp_path):
    notes = tmp_path / "notes.md"
    for number in range(3):
        assert program("check", run, "--max-peak", "1GiB", "--report", f"markdown+={notes}").status == 0
        assert notes.read_text().count("###") == number + 1


def test_what_is_one_document_cannot_be_appended(program, run, tmp_path):
    for name in ("json", "junit", "codequality", "openmetrics"):
        answer = program("check", run, "--max-peak", "1GiB", "--report", f"{name}+={tmp_path / 'x'}")
        assert answer.status == 2 and not (tmp_path / "x").exists(), name


def test_a_summary_that_cannot_be_written(program, run, tmp_path):
    missing = tmp_path / "nosuch" / "summary.md"
    answer = program("check", run, "--max-peak", "1GiB", "--report", f"markdown+={missing}")
    assert answer.status == 4 and "nosuch/summary.md" in answer.err


def test_the_input_is_not_appended_to(program, run):
    before = run.read_bytes()
    assert program("check", run, "--max-peak", "1GiB", "--report", f"markdown+={run}").status == 2
    assert run.read_bytes() == before


def test_markdown_calls_a_run_by_its_name_and_a_file_not_by_its_folder(program, run, tmp_path):
    """The folders are those of the machine that ran the job."""
    folder, summary, base = tmp_path / "_temp/run", tmp_path / "summary.md", tmp_path / "_temp/main-1a2b3c4.prz"
    folder.mkdir(parents=True)
    (folder / "memray.bin").write_bytes(run.read_bytes())
    (folder / "run.json").write_text('{"schema": "profrender/run/1"}')
    assert program("digest", run, "-o", base).status == 0

    def said():
        assert program("check", folder, "--baseline", base, "--report", f"markdown={summary}").status == 0
        return summary.read_text()
    assert " in `run`, compared with `main-1a2b3c4.prz`." in said()
    (folder / "run.json").write_text('{"schema": "profrender/run/1", "name": "Nightly sales"}')
    assert " in `Nightly sales`, compared with `main-1a2b3c4.prz`." in said()
