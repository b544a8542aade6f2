# SPDX-License-Identifier: Apache-2.0
"""Baselines that exist, that are missing, and folders with other files in them."""

import json

import pytest
from captures import MIB, Allocation, write

LOAD = [("load", "/ci/app/load.py", 7)]


def run(path, size=10 * MIB):
    return write(path, [Allocation(LOAD, size)])


@pytest.fixture
def nightly(tmp_path):
    folder = tmp_path / "nightly"
    folder.mkdir()
    for number in range(3):
        run(folder / f"{number}.bin")
    return folder


def test_what_is_no_run_is_left_out_with_a_word(check, nightly, tmp_path):
    for name, text in (("README.md", "# Nightly baselines\n"), ("EMPTY.md", ""), ("zz.txt", "hello world\n"),
                       (".gitkeep", ""), ("list.json", '{"a": [1, 2]}')):
        (nightly / name).write_text(text)
    verdict = check(run(tmp_path / "new.bin"), baseline=[nightly])
    assert verdict.status == 0
    assert [path.rsplit("/", 1)[1] for path in verdict.document["baselines"]] == ["0.bin", "1.bin", "2.bin"]
    for name in ("README.md", "EMPTY.md", "zz.txt", "list.json"):
        assert any(f"{name} is not a baseline and was left out: " in note for note in verdict.document["notes"]), name


def test_what_was_named_is_not_left_out(check, nightly, tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("hello world\n")
    assert check(run(tmp_path / "new.bin"), baseline=[nightly, other]).status == 3


def test_a_damaged_baseline_is_not_left_out(check, nightly, tmp_path):
    whole = (nightly / "1.bin").read_bytes()
    (nightly / "1.bin").write_bytes(whole[:40])
    assert check(run(tmp_path / "new.bin"), baseline=[nightly]).status == 3


def test_a_folder_without_any(check, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "zz.txt").write_text("hello world\n")
    new = run(tmp_path / "new.bin")
    verdict = check(new, baseline=[folder])
    assert verdict.status == 3
    assert "it has no baseline" in verdict.err
    verdict = check(new, "--baseline-optional", baseline=[folder])
    assert verdict.status == 0 and any("has no baseline in it" in note or "left out" in note
                                       for note in verdict.document["notes"])


def test_one_that_does_not_exist(program, tmp_path):
    new, missing = run(tmp_path / "new.bin"), tmp_path / "nosuch"
    out = program("check", new, "--baseline", missing, "--baseline-optional").out
    assert out == f"note  {missing} does not exist: nothing was compared with it\n\nnothing was checked\n"


def test_names_have_one_slash(check, nightly, tmp_path):
    verdict = check(run(tmp_path / "new.bin"), baseline=[f"{nightly}//"])
    assert all("//" not in path for path in verdict.document["baselines"])


def test_markdown_without_a_baseline_compares_nothing(program, tmp_path):
    allocations = [Allocation([(f"f{number}", "/ci/f.py", 1 + number)], MIB) for number in range(3)]
    new = write(tmp_path / "new.bin", allocations)
    out = program("check", new, "--max-peak", "1MiB", "-o", "/dev/null", "--report", "markdown=-").out
    assert "| before |" not in out and "| change |" not in out and "+1.00 MiB" not in out and "0 B" not in out
    assert "| function | place | has |" in out
    with_baseline = program("check", new, "--baseline", new, "-o", "/dev/null", "--report", "markdown=-").out
    assert "| before |" in with_baseline


def test_the_process_numbers_of_other_runs_are_no_functions(check, tmp_path):
    """Children allocate outside Python, too: memory without a stack is not attributed to a process by number."""
    def processes(name, first):
        files = []
        for number in range(2):
            path = write(tmp_path / f"{name}-{number}.bin", [Allocation(LOAD, 5 * MIB), Allocation([], 3 * MIB)])
            whole = path.read_bytes()
            at = whole.index(b"job.py\0") + len(b"job.py\0")
            path.write_bytes(whole[:at] + (first + number).to_bytes(4, "little") + whole[at + 4:])
            files.append(path)
        return files
    new, base = processes("new", 700), processes("base", 100)
    verdict = check(new[0], new[1], "--functions", baseline=[base[0]])
    names = [culprit["function"] for answer in ("reasons", "kept", "cannot_tell")
             for finding in verdict.document[answer] for culprit in finding["because"]]
    assert "process" in names, json.dumps(names)
    assert not any("process 7" in (name or "") for name in names), json.dumps(names)
