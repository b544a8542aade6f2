# SPDX-License-Identifier: Apache-2.0
"""One alarm for one cause: functions that grew because of a common ancestor are one, others are as many as they are."""

import json

import pytest
from captures import KIB, MIB, Allocation, write


def stack(*names):
    return [(name, f"/ci/app/{name}.py", 10 + len(name)) for name in names]


def run(path, functions):
    """FUNCTIONS: {names of a stack: size, or (size, times)}."""
    return write(path, [Allocation(stack(*names.split()), *(amount if isinstance(amount, tuple) else (amount,)))
                        for names, amount in functions.items()])


@pytest.fixture
def judge(check, tmp_path):
    def judged(before, after, *words):
        old, new = run(tmp_path / "old.bin", before), run(tmp_path / "new.bin", after)
        return check(new, *words, baseline=[old])
    return judged


def alarms(verdict):
    """What each alarm is about: the ancestor, or those to blame."""
    return [finding["cause"]["function"] if finding["cause"] else [each["function"] for each in finding["because"]]
            for finding in verdict.document["reasons"] if not finding["also"]]


STEPS = {"main load": 4 * MIB, "main load parse": 6 * MIB, "main load parse decode": 5 * MIB, "main save": 9 * MIB}


def grown(functions, share, *names):
    return {path: int(size * share) if path in names else size for path, size in functions.items()}


WORDS = [(), ("--functions",), ("--functions", "--metric", "allocated"), ("--metric", "peak")]


@pytest.mark.parametrize("words", WORDS)
def test_a_leaf_that_grew_is_one_alarm_and_its_callers_none(judge, words):
    verdict = judge(STEPS, grown(STEPS, 2, "main load parse decode"), *words)
    assert verdict.status == 1 and alarms(verdict) == [["decode"]]


@pytest.mark.parametrize("words", WORDS)
def test_all_below_one_function_is_one_alarm(judge, words):
    """It was called more often, or with more: what it calls grew alike, and what is next to it did not."""
    verdict = judge(STEPS, grown(STEPS, 1.5, *[path for path in STEPS if " load" in path]), *words)
    assert verdict.status == 1 and alarms(verdict) == ["load"]
    cause = verdict.document["reasons"][0]["cause"]
    assert (cause["file"], cause["before"], cause["after"]) == ("/ci/app/load.py", 15 * MIB, 22.5 * MIB)
    assert "one cause: load (/ci/app/load.py:14) and everything it calls grew alike, +50.0 %" in \
        verdict.document["reasons"][0]["sentence"]


@pytest.mark.parametrize("words", WORDS)
def test_new_code_is_one_alarm_at_its_entrance(judge, words):
    new = {"main audit": 2 * MIB, "main audit sign": 3 * MIB, "main audit sign hash": MIB}
    verdict = judge(STEPS, {**STEPS, **new}, *words)
    assert verdict.status == 1 and alarms(verdict) == ["audit"]
    assert "one cause: audit (/ci/app/audit.py:15) and everything it calls is new, 6.00 MiB" in \
        verdict.document["reasons"][0]["sentence"]


def test_what_was_empty_and_has_one_function_is_that_function(judge):
    """A caller that has nothing itself is no second part of what is new."""
    assert alarms(judge({"main save": MIB}, {"main save": MIB, "main load parse": 5 * MIB})) == [["parse"]]


def test_two_causes_below_one_ancestor_are_two(judge):
    """Each by its own share; and twice as much in both may be an accident."""
    for share in (1.3, 2):
        after = grown(grown(STEPS, 2, "main load parse decode"), share, "main save")
        verdict = judge(STEPS, after, "--functions", "--metric", "allocated")
        assert sorted(sum(alarms(verdict), [])[:2]) == ["decode", "save"]
        assert all(finding["cause"] is None for finding in verdict.document["reasons"])
        assert [finding["function"] for finding in verdict.document["reasons"]
                if finding["rule"] == "function-allocated"] in (["decode", "save"], ["save", "decode"])


def test_what_two_metrics_blame_the_same_functions_for_is_one_alarm(judge):
    """Peak, leaked and allocated: `decode` and `save`, each by itself, are named once, whichever comes first."""
    after = grown(grown(STEPS, 2, "main load parse decode"), 1.3, "main save")
    verdict = judge(STEPS, after)
    assert len(verdict.document["reasons"]) == 3 and len(alarms(verdict)) == 1
    verdict = judge(STEPS, after, "--functions")
    assert alarms(verdict) == [["decode"], ["save"]] and len(verdict.document["reasons"]) > 4


def test_shares_that_differ_a_little_are_alike(judge):
    """As what a list takes besides its elements does not grow with them."""
    after = {**STEPS, "main load": 6.1 * MIB, "main load parse": 10 * MIB, "main load parse decode": 7.8 * MIB}
    assert alarms(judge(STEPS, {path: int(size) for path, size in after.items()})) == ["load"]


def test_two_that_are_called_more_often_are_one(judge):
    before = {"main load parse": (64 * KIB, 40), "main load clean": (32 * KIB, 100), "main save": 9 * MIB}
    after = {"main load parse": (64 * KIB, 80), "main load clean": (32 * KIB, 200), "main save": 9 * MIB}
    for words in WORDS:
        assert alarms(judge(before, after, *words)) == ["load"]


def test_one_function_by_many_paths_is_one_alarm(judge):
    before = {f"main {caller} parse": 3 * MIB for caller in "abcde"} | {f"main {caller}": 2 * MIB for caller in "abcde"}
    after = {path: size * 2 if "parse" in path else size for path, size in before.items()}
    for words in WORDS:
        assert alarms(judge(before, after, *words)) == [["parse"]]


def test_recursion_is_one_alarm(judge):
    before = {"main" + " walk" * depth: MIB for depth in range(1, 12)} | {"main save": 9 * MIB}
    deeper = {"main" + " walk" * depth: MIB for depth in range(1, 23)} | {"main save": 9 * MIB}
    more = {path: size * 2 if "walk" in path else size for path, size in before.items()}
    for after in (deeper, more):
        for words in WORDS:
            found = alarms(judge(before, after, *words))
            assert found in (["walk"], [["walk"]]), (found, words)


def test_what_recursion_calls_is_blamed_and_not_the_recursion(judge):
    """A parser that cuts its text: `cut` grew at each depth, and nothing else."""
    before = {"main" + " expr" * depth + " cut": MIB for depth in range(1, 9)} | {"main save": 9 * MIB}
    after = {path: int(size * 1.2) if "cut" in path else size for path, size in before.items()}
    for words in WORDS:
        assert alarms(judge(before, after, *words)) == [["cut"]], words


def test_who_always_had_the_same_is_named_before_who_varies(check, tmp_path):
    """What varies from run to run may have more by chance, and often more than what a change added."""
    old = [run(tmp_path / f"{n}.bin", {"main cache": 2 * MIB, "main link": int(share * 10 * MIB), "main save": 9 * MIB})
           for n, share in enumerate((1, 1.04, 1.02, 1.03))]
    for added, first in ((600, "cache"), (20, "link")):
        more = {"main cache": 2 * MIB + added * KIB, "main link": 12 * MIB, "main save": 9 * MIB}
        new = run(tmp_path / "new.bin", more)
        leaked = check(new, baseline=old).finding("regression-leaked")
        assert leaked["answer"] == "broken" and leaked["function"] == first
    new = run(tmp_path / "new.bin", {"main cache": 2 * MIB + 600 * KIB, "main link": 12 * MIB, "main save": 9 * MIB})
    assert check(new, baseline=old[:1]).finding("regression-leaked")["function"] == "link", "one says nothing of that"


def test_what_moved_is_no_cause(judge):
    after = {path.replace("parse", "parse_all"): size for path, size in STEPS.items()}
    verdict = judge(STEPS, after, "--functions", "--metric", "allocated")
    assert verdict.status == 0 and any("moved, not grown" in note for note in verdict.document["notes"])


def test_every_report_has_one_alarm_at_the_common_ancestor(program, tmp_path):
    old = run(tmp_path / "old.bin", STEPS)
    new = run(tmp_path / "new.bin", grown(STEPS, 1.5, *[path for path in STEPS if " load" in path]))
    names = ("github", "codequality", "sarif", "markdown", "junit")
    answer = program("check", new, "--baseline", old, "--functions", "--root", "/ci/app", *[
        word for name in names for word in ("--report", f"{name}={tmp_path / name}")])
    text = {name: (tmp_path / name).read_text() for name in names}
    errors = [line for line in text["github"].splitlines() if line.startswith("::error")]
    assert len(errors) == 1 and errors[0].startswith("::error file=load.py,line=14,title=load::")
    issue, = json.loads(text["codequality"])
    assert issue["location"] == {"path": "load.py", "lines": {"begin": 14}}
    rows = [line.split(" | ") for line in text["markdown"].splitlines() if line.startswith("| `")]
    assert text["markdown"].startswith("### `load` and everything it calls: Peak +50.0 % (+7.50 MiB)\n")
    assert {(row[0], row[3]) for row in rows if "`function-peak`" in row} == {
        ("| `parse`", "6.00 MiB"), ("| `decode`", "5.00 MiB"), ("| `load`", "4.00 MiB")}, "each with its own figures"
    results = json.loads(text["sarif"])["runs"][0]["results"]
    assert results[0]["message"]["text"].count("\nalso ") == 8 and not results[0]["message"]["text"].endswith("\n")
    assert [each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in results] == ["load.py"]
    assert answer.out.count("FAIL") == 1 and "by 1 cause\n" in answer.out
    assert 'message="load: ' in text["junit"]


def path_of(verdict, rule="regression-peak"):
    path = verdict.finding(rule)["because"][0]["path"]
    return [step["function"] for step in path["steps"]], path["left_out"], path["whole"]


def test_the_path_of_what_grew_is_named(judge):
    before = {"main train load": 9 * MIB, "main report load": 9 * MIB, "main save": MIB}
    verdict = judge(before, {**before, "main train load": 14 * MIB})
    assert path_of(verdict) == (["main", "train", "load"], 0, True)
    assert verdict.finding("regression-peak")["because"][0]["path"]["steps"][1]["file"] == "/ci/app/train.py"


def test_a_path_ends_where_no_caller_has_most_of_the_growth(judge):
    before = {f"main {caller} read load": 3 * MIB for caller in "abc"}
    verdict = judge(before, {path: 2 * size for path, size in before.items()})
    assert path_of(verdict) == (["read", "load"], 0, False)


def test_a_long_path_keeps_its_ends_and_recursion_is_one_step(judge):
    before = {"main a b c d e f load": 9 * MIB, "main x walk walk walk": 5 * MIB}
    verdict = judge(before, {**before, "main a b c d e f load": 19 * MIB})
    assert path_of(verdict) == (["main", "c", "d", "e", "f", "load"], 2, True)
    verdict = judge(before, {**before, "main x walk walk walk": 6 * MIB, "main x walk walk": 9 * MIB})
    assert path_of(verdict) == (["main", "x", "walk"], 0, True)


def test_every_report_has_the_path(program, tmp_path):
    old = run(tmp_path / "old.bin", {"main a b c d e f load": 9 * MIB, "main g": MIB})
    new = run(tmp_path / "new.bin", {"main a b c d e f load": 19 * MIB, "main g": MIB})
    words = [word for name in ("markdown", "github", "junit") for word in ("--report", f"{name}={tmp_path / name}")]
    answer = program("check", new, "--baseline", old, *words)
    assert answer.out.count("      path: main > ... > c > d > e > f > load\n") == 1
    assert "\nPath: `main > ... > c > d > e > f > load`\n" in (tmp_path / "markdown").read_text()
    for name in ("github", "junit"):
        assert "path: main" in (tmp_path / name).read_text(), name


def test_a_common_ancestor_in_changed_code_says_so(program, tmp_path):
    old = run(tmp_path / "old.bin", STEPS)
    new = run(tmp_path / "new.bin", grown(STEPS, 1.5, *[path for path in STEPS if " load" in path]))
    changes, markdown = tmp_path / "changes", tmp_path / "markdown"
    for text, words, kind in ((" 1 1 app/load.py", "in a changed file", "file"), (" 1 1 app/other.py", "", "no"),
                              ("--- a/app/load.py\n+++ b/app/load.py\n@@ -14 +14 @@\n-a\n+b", "changed here", "line")):
        changes.write_text(text.lstrip().replace(" ", "\t", 2) + "\n" if text.startswith(" ") else text + "\n")
        answer = program("check", new, "--baseline", old, "--changes", changes, "--report", f"markdown={markdown}")
        assert f"one cause: load (/ci/app/load.py:14{', ' if words else ''}{words}) and" in answer.out
        row = next(line for line in markdown.read_text().splitlines() if "`regression-peak`" in line)
        assert ("changed" in row) == bool(words) and words in row
        document = json.loads(program("check", new, "--baseline", old, "--changes", changes, "--json").out)
        assert document["reasons"][0]["cause"]["changed"] == kind
        assert any("none of the functions" in note for note in document["notes"]) == (not words)
