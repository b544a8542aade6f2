# SPDX-License-Identifier: Apache-2.0
"""Rules as people write them: patterns without a match, explicit limits, and the text of a line."""

import json

import pytest
from captures import KIB, MIB, Allocation, write

MAIN = ("main", "/ci/app/job.py", 3)
LOAD = [MAIN, ("load", "/ci/app/load.py", 7)]
MANY = [MAIN, ("rows", "/ci/app/rows.py", 11)]


@pytest.fixture
def run(tmp_path):
    return write(tmp_path / "run.bin", [Allocation(LOAD, 10 * MIB), Allocation(MANY, KIB, times=500)])


def test_a_budget_that_matches_nothing_is_said(program, check, run):
    verdict = check(run, "--budget", "nosuchfn=1MiB")
    assert verdict.status == 0
    assert verdict.document["notes"] == ["no function or file matches 'nosuchfn': its budget checks nothing"]
    assert "note  no function or file matches 'nosuchfn'" in program("check", run, "--budget", "nosuchfn=1MiB").out
    assert check(run, "--budget", "load.py=11MiB").document["notes"] == []


def test_and_can_fail(check, run, tmp_path):
    assert check(run, "--budget", "nosuchfn=1MiB", "--require-match").broken == ["budget-peak:nosuchfn"]
    assert check(run, "--budget", "load=11MiB", "--require-match").status == 0
    config = tmp_path / "check.json"
    config.write_text(json.dumps({"budgets": [{"pattern": "nosuchfn", "max": "1MiB"}], "require_match": True}))
    assert check(run, "--config", config).status == 1


def test_a_limit_of_allocations_names_who_made_most(check, run):
    found = check(run, "--max-allocations", "100").finding("max-allocated-count")
    assert [(culprit["function"], culprit["after"]) for culprit in found["because"]] == [("rows", 500), ("load", 1)]


def test_limits_are_said_as_they_were_asked_for(program, run):
    assert "the limit is 9MB\n" in program("check", run, "--max-peak", "9MB").out
    assert "the limit is 8.58 MiB\n" in program("check", run, "--max-peak", "9000000").out
    assert "the limit is 100\n" in program("check", run, "--max-allocations", "100").out


def test_why_a_run_failed(program, tmp_path):
    folder = tmp_path / "run"
    code = "def parse():\n    raise KeyError('cannot read the configuration')\nparse()\n"
    (tmp_path / "boom.py").write_text(code)
    program("record", "-q", "-o", folder, "--stderr", "always", "--", "python3", tmp_path / "boom.py")
    out = program("check", folder, "--require-success").out
    assert out.startswith("FAIL  success: exit status 1, KeyError: 'cannot read the configuration' (")
    assert "boom.py:2)" in out
    program("record", "-q", "-o", folder, "--", "true")
    assert program("check", folder, "--require-success").out.startswith("ok    success: the run did not fail\n")


def test_one_rule_is_one_rule(program, run):
    assert program("check", run, "--max-peak", "1MiB").out.endswith("\n1 of 1 rule broken\n")
    assert program("check", run, "--max-peak", "1GiB", "--max-leaked", "1").out.endswith("\n1 of 2 rules broken\n")


def test_what_there_is_to_check_is_named(program, run, samples):
    said = program("check", samples / "nightly", "--budget", "peek:load=1MiB").err
    assert "there is no 'peek' to check; there is cpu, peak, leaked, " in said
    assert said.endswith(", rss, duration, failed\n")
    assert program("check", run).err.startswith("profrender: nothing to check: give --max-peak")


def test_a_file_of_rules_that_cannot_be_read(program, run, tmp_path):
    missing = tmp_path / "nosuch.json"
    assert program("check", run, "--config", missing).err == f"profrender: {missing}: No such file or directory\n"


def test_the_line_is_the_one_with_most_of_the_figure(check, program, tmp_path):
    """Ten bytes on a line of its own, and 20 MiB by what another line calls."""
    def at(line, *below):
        return [("features", "/ci/app/etl.py", line), *below]
    parse = ("parse", "/usr/lib/python3/site-packages/lib/x.py", 5)
    allocations = [Allocation(at(29), 12 * MIB), Allocation(at(28, parse), 32 * MIB)]
    new = write(tmp_path / "new.bin", allocations)
    base = write(tmp_path / "base.bin", [Allocation(at(29), MIB)])
    assert check(new, "--max-peak", "10MiB").finding("max-peak")["line"] == 28
    rows = {words: {row["function"]: row["line"] for row in
                    json.loads(program("diff", base, new, "--json", "--by", words).out)["rows"]}
            for words in ("self", "own", "total")}
    assert (rows["self"]["features"], rows["total"]["features"]) == (29, 28)
    if "parse" not in rows["own"]:
        assert rows["own"]["features"] == 28
    for report in ("github", "codequality"):
        out = program("check", new, "--max-peak", "10MiB", "-o", "/dev/null", "--report", f"{report}=-").out
        assert "line=28" in out or '"begin": 28' in out, out


def test_what_shrank_has_no_line_of_the_new_run(program, tmp_path):
    base = write(tmp_path / "base.bin", [Allocation([("f", "/ci/app/f.py", 29)], 9 * MIB)])
    new = write(tmp_path / "new.bin", [Allocation([("f", "/ci/app/f.py", 30)], MIB)])
    assert "/ci/app/f.py:30" in program("diff", new, base).out or "f.py:29" in program("diff", new, base).out
    assert "f.py:" not in program("diff", base, new).out


def test_the_sample_of_rules_is_kept_by_the_sample(check, samples):
    verdict = check(samples / "daily-sales.bin", "--config", samples / "profrender-check.json")
    assert (verdict.status, len(verdict.document["kept"])) == (0, 5)


def test_the_schema_of_rules_has_what_the_program_takes(program, run, samples, tmp_path):
    schema = json.loads((samples.parent / "schemas/check-config.schema.json").read_text())
    values = {"string": "peak", "number": 5, "integer": 5, "boolean": True, "array": [], "object": {}}
    rules = {}
    for name, what in schema["properties"].items():
        kinds = what["type"] if isinstance(what["type"], list) else [what["type"]]
        rules[name] = values["number" if "number" in kinds else kinds[0]]
    config = tmp_path / "check.json"
    config.write_text(json.dumps({**rules, "max": {"peak": "1GiB"}}))
    assert program("check", run, "--config", config).status == 0
    config.write_text(json.dumps({**rules, "surprise": 1}))
    assert program("check", run, "--config", config).status == 2
    manual = program("help", "--man", "check").out
    assert all(name.replace("_", "\\_") in manual or name in manual for name in rules if name != "$schema")
