# SPDX-License-Identifier: Apache-2.0
"""The change under review: functions in it are named first, and marked."""

import subprocess

import pytest
from captures import MIB, Allocation, write

ROOT = "/ci/app"


def allocations(load, parse, other):
    return [Allocation([("main", f"{ROOT}/main.py", 3), ("load", f"{ROOT}/src/load.py", 7)], load * MIB),
            Allocation([("main", f"{ROOT}/main.py", 4), ("parse", f"{ROOT}/src/parse.py", 21)], parse * MIB),
            Allocation([("main", f"{ROOT}/main.py", 5), ("other", f"{ROOT}/lib/load.py", 8)], other * MIB)]


@pytest.fixture
def runs(tmp_path):
    return (write(tmp_path / "old.bin", allocations(10, 10, 10)), write(tmp_path / "new.bin", allocations(15, 13, 11)))


def patch(name, line, count=1, quote=False):
    path = f'"b/{name}"' if quote else f"b/{name}"
    return (f"diff --git a/{name} b/{name}\nindex 1..2 100644\n--- a/{name}\n+++ {path}\n"
            f"@@ -{line},0 +{line},{count} @@ def f():\n" + "+    x = 1\n" * count)


def judged(check, runs, text, tmp_path, *words):
    changes = tmp_path / "changes.diff"
    changes.write_text(text)
    old, new = runs
    return check(new, "--changes", changes, "--root", ROOT, *words, baseline=[old])


def because(verdict, rule="regression-peak"):
    return [(row["function"], row["changed"]) for row in verdict.finding(rule)["because"]]


def test_functions_in_the_change_come_first(check, runs, tmp_path):
    verdict = judged(check, runs, patch("src/parse.py", 20, 3), tmp_path)
    assert because(verdict) == [("parse", "line"), ("load", "no"), ("other", "no")]
    assert verdict.finding("regression-peak")["function"] == "parse"
    verdict = judged(check, runs, patch("src/parse.py", 50) + patch("src/load.py", 7), tmp_path)
    assert because(verdict) == [("load", "line"), ("parse", "file"), ("other", "no")]


def test_a_path_is_compared_by_its_end_at_a_slash(check, runs, tmp_path):
    assert because(judged(check, runs, patch("repository/src/load.py", 1), tmp_path))[0] == ("load", "file")
    assert ("load", "no") in because(judged(check, runs, patch("rc/load.py", 7), tmp_path))
    assert because(judged(check, runs, patch("load.py", 8), tmp_path))[0] == ("other", "line")


def test_names_in_quotes_deleted_files_and_other_prefixes(check, runs, tmp_path):
    assert because(judged(check, runs, patch("src/p\\141rse.py", 21, quote=True), tmp_path))[0] == ("parse", "line")
    deleted = "diff --git a/src/load.py b/src/load.py\n--- a/src/load.py\n+++ /dev/null\n@@ -1,9 +0,0 @@\n" + "-x\n" * 9
    verdict = judged(check, runs, deleted, tmp_path)
    assert {changed for _, changed in because(verdict)} == {"no"}
    plain = "--- src/load.py\t2026-01-01\n+++ src/load.py\t2026-01-02\n@@ -7 +7 @@\n-a\n+b\n"
    assert because(judged(check, runs, plain, tmp_path))[0] == ("load", "line")


def test_content_that_looks_like_a_header_is_content(check, runs, tmp_path):
    text = ("diff --git a/notes.txt b/notes.txt\n--- a/notes.txt\n+++ b/notes.txt\n@@ -1,2 +1,3 @@\n"
            "+++ b/src/load.py\n+@@ -1 +1,99 @@\n one\n-two\n")
    assert {changed for _, changed in because(judged(check, runs, text, tmp_path))} == {"no"}


def test_a_change_elsewhere_is_said(check, runs, tmp_path):
    verdict = judged(check, runs, patch("README.md", 1), tmp_path)
    assert any("none of the functions that grew most is in a file that the change touches" in note
               for note in verdict.document["notes"])


def test_a_tiny_growth_in_the_change_does_not_hide_the_large_one(check, tmp_path):
    old = write(tmp_path / "old.bin", allocations(10, 10, 10))
    new = write(tmp_path / "new.bin", [*allocations(30, 10, 10), Allocation(
        [("main", f"{ROOT}/main.py", 4), ("parse", f"{ROOT}/src/parse.py", 21)], MIB)])
    verdict = judged(check, (old, new), patch("src/parse.py", 21), tmp_path)
    assert because(verdict)[:2] == [("load", "no"), ("parse", "line")]


def test_no_change_and_no_difference(check, runs, tmp_path):
    assert judged(check, runs, "", tmp_path).status == 1
    bad = judged(check, runs, "hello world\n", tmp_path)
    assert bad.status == 3 and "neither a unified diff" in bad.err
    old, new = runs
    missing = check(new, "--changes", tmp_path / "nowhere", baseline=[old])
    assert missing.status == 3 and "No such file" in missing.err


def test_what_git_writes(check, runs, tmp_path):
    repository = tmp_path / "repository"
    (repository / "src").mkdir(parents=True)

    def git(*words):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=repository, check=True,
                              capture_output=True, text=True).stdout

    git("init", "-q")
    (repository / "src/parse.py").write_text("".join(f"line {n}\n" for n in range(1, 40)))
    (repository / "src/löad.py").write_text("x\n")
    git("add", ".")
    git("commit", "-qm", "one")
    text = (repository / "src/parse.py").read_text().replace("line 21\n", "line 21 is new\n").replace("line 3\n", "")
    (repository / "src/parse.py").write_text(text)
    (repository / "src/löad.py").write_text("y\n")
    for options in (["-U0"], [], ["--no-prefix"]):
        verdict = judged(check, runs, git("diff", *options), tmp_path)
        assert because(verdict)[0] == ("parse", "file"), options  # line 3 is gone: what was line 21 is line 20


def test_every_report_marks_them(reports, runs, tmp_path):
    changes = tmp_path / "changes.diff"
    changes.write_text(patch("src/parse.py", 21))
    old, new = runs
    written = reports(new, "--changes", changes, "--root", ROOT, baseline=[old])
    for name in ("text", "markdown", "junit", "github"):
        assert "changed here" in written[name], name
