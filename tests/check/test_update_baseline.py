# SPDX-License-Identifier: Apache-2.0
"""A run becomes a baseline for later ones, unless it is unfit."""

import pytest
from captures import MIB, Allocation, write

LOAD = [("main", "/ci/app/main.py", 3), ("load", "/ci/app/load.py", 7)]
DAY = 86400000


@pytest.fixture
def run(tmp_path):
    def make(size, day=0):
        return write(tmp_path / "new.bin", [Allocation(LOAD, size)], start_ms=1700000000000 + day * DAY)

    return make


def test_a_history_grows_by_itself(check, run, tmp_path):
    main = tmp_path / "main"
    main.mkdir()
    for day in range(4):
        verdict = check(run(10 * MIB, day), "--history", main, "--baseline-optional", "--update-baseline", main)
        assert verdict.status == 0 and len(verdict.document["baselines"]) == day
    names = sorted(path.name for path in main.iterdir())
    assert len(names) == 4 and names[0].startswith("2023-11-14T22:13:20") and names[0].endswith(".prz")
    check(run(10 * MIB, 3), "--update-baseline", main)
    assert sorted(path.name for path in main.iterdir()) == names, "the same run is there once"


def test_a_regression_never_becomes_a_baseline(check, run, tmp_path):
    base = tmp_path / "base.prz"
    assert check(run(10 * MIB), "--update-baseline", base).status == 0
    first = base.read_bytes()
    verdict = check(run(20 * MIB, 1), "--update-baseline", base, baseline=[base])
    assert verdict.status == 1 and "not saved as a baseline: a rule is broken" in verdict.err
    assert base.read_bytes() == first
    assert check(run(10 * MIB + 8, 1), "--update-baseline", base, baseline=[base]).status == 0
    assert base.read_bytes() != first


def test_failed_and_incomplete_runs_never_become_one(check, program, run, tmp_path):
    base = tmp_path / "base.prz"
    cut = tmp_path / "cut.bin"
    cut.write_bytes(run(10 * MIB).read_bytes()[:-1])
    verdict = check(cut, "--allow-incomplete", "--max-peak", "1GiB", "--update-baseline", base)
    assert verdict.status == 0 and "the input is incomplete" in verdict.err and not base.exists()
    folder = tmp_path / "run"
    assert program("record", "-o", folder, "--", "false").status == 1
    verdict = check(folder, "--max-rss", "1GiB", "--update-baseline", base)
    assert "the run failed" in verdict.err and not base.exists(), verdict


def test_a_baseline_knows_the_commit_that_the_pipeline_ran(check, run, tmp_path):
    """So a level that changed later has the first commit with it, and the sentence names it."""
    main = tmp_path / "main"
    main.mkdir()
    for day in range(10):
        env = {"CI_COMMIT_SHA": f"{day:040x}"}
        size = 10 * MIB if day < 7 else 10 * MIB + 200 * 1024
        assert check(run(size, day), "--update-baseline", main, env=env).status == 0
    verdict = check(run(10 * MIB + 200 * 1024, 10), "--history", main, "--tolerance", "1")
    peak = verdict.finding("regression-peak")
    assert [change["commit"] for change in peak["history"]["changes"]] == [f"{7:040x}"]
    grown = [check(run(14 * MIB, day), "--update-baseline", main, env={"CI_COMMIT_SHA": f"{day:040x}"}).status
             for day in (11, 12)]
    assert grown == [0, 0]
    sentence = check(run(14 * MIB, 13), "--history", main).finding("regression-peak")["sentence"]
    assert f".prz (commit {0:010x})" in sentence, sentence


def test_redacted_names_hide_the_commit(check, run, tmp_path):
    env = {"GITHUB_SHA": "c0ffee" * 6, "PROFRENDER_REDACT_KEY": "0123456789abcdef"}
    assert check(run(MIB), "--update-baseline", tmp_path / "x.prz", "--redact", "names", env=env).status == 0
    assert b"c0ffee" not in (tmp_path / "x.prz").read_bytes()


def test_standard_input_becomes_one(program, run, tmp_path):
    """It is read once, and the digest is that of the same file."""
    data = run(MIB).read_bytes()
    assert program("check", "-", "--update-baseline", tmp_path / "x.prz", input=data).status == 0
    assert program("check", run(MIB), "--update-baseline", tmp_path / "y.prz").status == 0
    x, y = ((tmp_path / name).read_bytes() for name in ("x.prz", "y.prz"))
    assert len(x) > 100 and program("diff", tmp_path / "x.prz", tmp_path / "y.prz").status == 0
    assert len(x) - len(y) < 64


def test_an_input_is_not_replaced(check, run):
    path = run(MIB)
    assert check(path, "--update-baseline", path).status == 2


def test_another_program_never_becomes_a_baseline(check, run, tmp_path):
    """By the name of its script, wherever that is; the answers for the baselines stay what they are."""
    main = tmp_path / "main"
    main.mkdir()
    for day in range(3):
        check(run(10 * MIB, day), "--update-baseline", main)
    for name, saved in ((b"other.py", 3), (b"b/job.py", 4)):
        other = run(10 * MIB, 9)
        other.write_bytes(other.read_bytes().replace(b"job.py\0", name + b"\0", 1))
        verdict = check(other, "--history", main, "--update-baseline", main)
        assert verdict.status == 0 and len(list(main.iterdir())) == saved
        if saved == 3:
            assert verdict.document["notes"] == ["3 of 3 baselines ran a different program: job.py, not other.py"]
            assert "is not saved as a baseline: most baselines ran a different program" in verdict.err
