# SPDX-License-Identifier: Apache-2.0
"""`check` as a pipeline uses it: a change that costs memory, noisy runs, baselines of all kinds, every report."""
import json
import random
import re

import pytest
import report_readers
from made_capture import capture

MIB = 1 << 20
CODE = [("load", "/ci/app/shop/load.py", 40 * MIB), ("lag_matrix", "/ci/app/shop/features.py", 25 * MIB),
        ("fit", "/ci/app/shop/model.py", 30 * MIB), ("render", "/ci/app/shop/report.py", 5 * MIB)]
FORMATS = ("json", "junit", "github", "markdown", "codequality", "openmetrics", "sarif", "bencher", "benchmark")
FOR_PEOPLE = ("json", "junit", "github", "markdown")


def write(path, functions, **how):
    allocations = [(name.encode(), file.encode(), size) for name, file, size in functions]
    path.write_bytes(capture(allocations, lines=True, **how))
    return path


def grown(function, factor):
    return [(name, file, int(size * (factor if name == function else 1))) for name, file, size in CODE]


def noisy(seed, share, factor=1.0):
    """The program with each function varied by up to SHARE."""
    dice = random.Random(seed)
    return [(name, file, int(size * factor * (1 + dice.uniform(-share, share)))) for name, file, size in CODE]


@pytest.fixture
def verdict(program):
    """`verdict(ARGUMENTS)`: (exit status, the JSON or None)."""
    def ask(*arguments):
        done = program("check", "--json", *arguments)
        return done.status, done.json() if done.out else None
    return ask


@pytest.fixture
def reports(program, tmp_path):
    """`reports(ARGUMENTS)`: (exit status, text of each report)."""
    def ask(*arguments):
        files = {name: tmp_path / f"report.{name}" for name in FORMATS}
        options = [word for name, path in files.items() for word in ("--report", f"{name}={path}")]
        done = program("check", *arguments, *options)
        return done.status, {name: path.read_text(encoding="utf-8") for name, path in files.items()}
    return ask


@pytest.fixture
def base(tmp_path):
    return write(tmp_path / "base.bin", CODE)


@pytest.fixture
def new(tmp_path):
    """A change that costs memory: lag_matrix has 40 % more."""
    return write(tmp_path / "new.bin", grown("lag_matrix", 1.4))


# ---- a change that costs memory --------------------------------------------------------------------------------------


def test_the_reason_names_what_grew(base, new, verdict):
    status, document = verdict(new, "--baseline", base, "--root", "/ci/app")
    reason = document["reasons"][0]
    assert status == 1
    assert (reason["function"], reason["file"], reason["line"]) == ("lag_matrix", "shop/features.py", 1)
    assert (reason["before"], reason["after"], reason["limit"]) == (100 * MIB, 110 * MIB, 103 * MIB)


def test_reports_name_what_grew_first(base, new, reports):
    status, texts = reports(new, "--baseline", base, "--root", "/ci/app")
    assert status == 1
    assert re.findall(r"`(.*?)`", texts["markdown"])[0] == "lag_matrix"
    assert texts["github"].startswith("::error file=shop/features.py,line=1,title=lag_matrix::peak: 110 MiB")


def test_the_same_capture_twice_is_well(base, verdict):
    status, document = verdict(base, "--baseline", base)
    assert (status, document["ok"], document["reasons"]) == (0, True, [])


def test_a_digest_is_as_good_a_baseline_as_its_capture(base, new, verdict, program, tmp_path):
    program("digest", base, "-o", tmp_path / "base.prz")
    with_digest = verdict(new, "--baseline", tmp_path / "base.prz")[1]
    with_capture = verdict(new, "--baseline", base)[1]
    with_digest["baselines"] = with_capture["baselines"] = []
    assert with_digest == with_capture


# ---- noise -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def runs(tmp_path):
    """Ten repetitions with a noise of 1 %."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for seed in range(10):
        write(folder / f"{seed}.bin", noisy(seed, 0.01))
    return folder


@pytest.fixture
def more(tmp_path):
    """A growth of 5 %."""
    return write(tmp_path / "more.bin", noisy(200, 0.0, 1.05))


@pytest.mark.parametrize("seed", range(100, 120))
def test_noise_raises_no_alarm(seed, runs, verdict, tmp_path):
    status, document = verdict(write(tmp_path / "again.bin", noisy(seed, 0.01)), "--baseline", runs)
    assert status == 0, document["reasons"]


@pytest.mark.parametrize("number", range(10))
def test_a_repetition_against_the_nine_others(number, runs, verdict):
    others = [word for path in sorted(runs.iterdir()) if path.name != f"{number}.bin" for word in ("--baseline", path)]
    status, document = verdict(runs / f"{number}.bin", *others)
    assert status == 0, document["reasons"]


def test_a_growth_of_5_percent_is_a_regression(runs, more, verdict):
    status, document = verdict(more, "--baseline", runs)
    assert status == 1
    assert document["reasons"][0]["rule"] == "regression-peak"


def test_with_an_odd_run_among_the_baselines_there_is_no_telling_and_it_is_named(runs, more, verdict):
    write(runs / "odd.bin", noisy(300, 0.01, 3))
    status, document = verdict(more, "--baseline", runs)
    assert status == 0
    assert "odd.bin" in document["cannot_tell"][0]["doubt"]


def test_where_runs_differ_more_than_that_there_is_no_telling(more, verdict, tmp_path):
    wild = tmp_path / "wild"
    wild.mkdir()
    for seed in range(10):
        write(wild / f"{seed}.bin", noisy(seed, 0.2))
    status, document = verdict(more, "--baseline", wild)
    assert status == 0, document["reasons"]
    assert document["cannot_tell"][0]["rule"] == "regression-peak"


# ---- limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options, expected", [
    ("", 0),
    ("--tolerance-absolute 500", 1),
    ("--tolerance-absolute 1000", 0),
    ("--tolerance-absolute 0 --tolerance 99", 1),
    ("--tolerance-absolute 0 --tolerance 100%", 0),
])
def test_twice_1000_bytes(options, expected, verdict, tmp_path):
    small, large = (write(tmp_path / f"{size}.bin", [("f", "f.py", size)]) for size in (1000, 2000))
    status, document = verdict(large, "--baseline", small, *options.split())
    assert status == expected, document["reasons"]


def test_what_moves_between_functions_is_a_note_if_each_is_looked_at(base, verdict, tmp_path):
    moved = [(name, file, size + {"load": 10, "fit": -10}.get(name, 0) * MIB) for name, file, size in CODE]
    new = write(tmp_path / "moved.bin", moved)
    assert verdict(new, "--baseline", base)[0] == 0
    status, document = verdict(new, "--baseline", base, "--functions", "--metric", "peak")
    assert status == 0
    assert "peak: 10.0 MiB of load came from fit: moved, not grown" in document["notes"]


@pytest.mark.parametrize("rule, expected", [
    ("--max-peak 100MiB", 0),
    ("--max-peak 99MiB", 1),
    ("--max-leaked 1k", 1),
    ("--max-allocations 4", 0),
    ("--max-allocations 3", 1),
    ("--budget features.py=25MiB", 0),
    ("--budget features.py=24MiB", 1),
    ("--budget shop/*=99MiB", 1),
    ("--budget leaked:lo?d=39.9MiB", 1),
    ("--budget nothing.py=0", 0),
    ("--budget eatures.py=0", 0),
])
def test_a_budget(rule, expected, base, verdict):
    status, document = verdict(base, *rule.split())
    assert status == expected, document["reasons"]


def test_the_worst_reason_comes_first(base, verdict):
    _, document = verdict(base, "--max-peak", "99MiB", "--max-leaked", "1k", "--max-allocated", "90MiB")
    assert [reason["rule"] for reason in document["reasons"]] == ["max-leaked", "max-allocated", "max-peak"]


# ---- inputs ----------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["a missing file", "an empty folder"])
def no_baseline(request, tmp_path):
    path = tmp_path / "nothing"
    if request.param == "an empty folder":
        path.mkdir()
    return path


def test_no_baseline_is_an_error(no_baseline, base, program):
    assert program("check", base, "--baseline", no_baseline).status == 3


def test_no_baseline_is_well_if_it_is_optional_and_each_report_says_so(no_baseline, base, reports):
    status, texts = reports(base, "--baseline", no_baseline, "--baseline-optional")
    assert status == 0
    assert not [name for name in FOR_PEOPLE if "nothing was compared" not in texts[name]]


@pytest.fixture
def cut(tmp_path):
    return write(tmp_path / "cut.bin", CODE, trailer=False)


def test_an_input_that_was_cut_is_an_error(cut, program):
    assert program("check", cut, "--max-peak", "1GiB").status == 3


def test_a_cut_input_may_be_allowed_and_each_report_says_so(cut, reports):
    status, texts = reports(cut, "--max-peak", "1GiB", "--allow-incomplete")
    assert status == 0
    assert not [name for name in FOR_PEOPLE if "incomplete" not in texts[name]]


def test_what_there_is_of_a_cut_input_is_checked_all_the_same(cut, program):
    assert program("check", cut, "--max-peak", "1", "--allow-incomplete").status == 1


def test_what_a_cut_capture_still_held_is_no_leak(cut, program):
    out = program("check", cut, "--max-leaked", "1", "--allow-incomplete").out
    assert "in use when the capture ended" in out and "leaked" not in out, out


@pytest.mark.parametrize("name, expected", [("check.json", 1), ("nowhere/check.json", 4)])
def test_a_report_in_a_file(name, expected, base, program, tmp_path):
    assert program("check", base, "--max-peak", "1", "--report", f"json={tmp_path / name}").status == expected


def test_no_report_over_the_input(base, program):
    before = base.read_bytes()
    assert program("check", base, "--max-peak", "1", "--report", f"json={base}").status == 2
    assert base.read_bytes() == before


# ---- hostile names in every report -----------------------------------------------------------------------------------

HOSTILE = ["a|b", "`c`", "<script>alert(1)</script>", "per%cent", "new\nline", "::error::x", "[link](http://x)",
           "@user", 'quo"te', "back\\slash", "\x1b[31mred", "]]>", "\u202eturned", "\ufffe", "x" * 3000]


def wrong_markdown(text):
    for line in text.splitlines():
        plain = re.sub(r"`[^`]+`", "", line).replace("**", "")  # without code spans
        if re.search(r"[`\[\]@*_]|<(?!/?(code|details|summary)>)", plain) or re.search(r"[\x1b\u202e]", line):
            yield f"not escaped: {line[:200]}"
        if line.startswith("|") and len(line.split("|")) not in (7, 8):
            yield f"{len(line.split('|'))} cells: {line[:200]}"


@pytest.fixture
def hostile(reports, tmp_path):
    """(reports of broken rules for functions with hostile names, the JSON among them)"""
    base = write(tmp_path / "base.bin", [(name, f"/ci/{name}.py", 1000) for name in HOSTILE])
    new = write(tmp_path / "new.bin", [(name, f"/ci/{name}.py", 1000000 + 10000 * number)
                                       for number, name in enumerate(HOSTILE)])
    status, texts = reports(new, "--baseline", base, "--functions", "--max-peak", "100GiB")
    assert status == 1
    return texts, json.loads(texts["json"])


def test_names_are_text_in_markdown(hostile):
    wrong = list(wrong_markdown(hostile[0]["markdown"]))
    assert not wrong, "\n".join(wrong)


def test_github_sees_at_most_ten_annotations_and_nothing_else(hostile):
    lines = hostile[0]["github"].splitlines()
    assert not [line[:200] for line in lines if not line.startswith("::error file=")]
    assert len(lines) == 10


@pytest.fixture(scope="module")
def interpreter():
    return report_readers.python() or pytest.skip("readers of the reports could not be installed")


def test_junit_has_a_test_for_each_rule_and_a_failure_for_each_broken_one(hostile, interpreter, tmp_path):
    _, document = hostile
    rules = len(document["reasons"]) + len(document["kept"])
    junit = report_readers.read(interpreter, report_readers.JUNIT, tmp_path / "report.junit")
    assert junit["tests"] == len(junit["cases"]) == rules
    assert junit["failures"] == sum(bool(results) for _, results in junit["cases"]) == len(document["reasons"])
    assert "new\\nline" in str(junit) or "new\\\\nline" in str(junit), "a failure says which function"


def test_openmetrics_has_what_was_measured_and_how_many_rules_are_broken(hostile, interpreter, tmp_path):
    _, document = hostile
    metrics = report_readers.read(interpreter, report_readers.OPENMETRICS, tmp_path / "report.openmetrics")
    peak = [value for labels, value in metrics["profrender_value_bytes"] if labels == {"metric": "peak"}]
    assert peak == [sum(1000000 + 10000 * number for number in range(len(HOSTILE)))]
    assert metrics["profrender_rules_broken"] == [[{}, len(document["reasons"])]]


def test_gitlab_has_an_issue_for_each_cause_with_its_own_fingerprint(hostile, interpreter, tmp_path):
    issues = report_readers.read(interpreter, report_readers.CODE_QUALITY, tmp_path / "report.codequality",
                                 report_readers.CODEQUALITY)
    causes = {(reason["function"], reason["file"]) for reason in hostile[1]["reasons"]}
    assert len(causes) <= len(issues) == len({issue["fingerprint"] for issue in issues}) < len(hostile[1]["reasons"])


def test_sarif_is_what_its_schema_says(program, samples, hostile, interpreter, tmp_path):
    """That of OASIS. Names of all kinds, rules that are kept, and a run without a place in the code."""
    results = report_readers.read(interpreter, report_readers.SARIF, tmp_path / "report.sarif")["runs"][0]["results"]
    assert len(results) > 1
    run = tmp_path / "run.sarif"
    program("check", samples / "nightly", "--require-success", "--max-peak", "1GiB", "--report", f"sarif={run}")
    assert report_readers.read(interpreter, report_readers.SARIF, run)["runs"][0]["results"]


def test_services_of_benchmarks_get_each_figure_in_its_unit(hostile, tmp_path):
    """Bencher's metric format, {benchmark: {measure: {value}}}, and github-action-benchmark's list."""
    texts, document = hostile
    rules = document["reasons"] + document["kept"]
    peak = next(finding["after"] for finding in rules if finding["rule"] == "max-peak")
    (measures,) = json.loads(texts["bencher"]).values()
    assert measures["peak"] == {"value": peak} and all(set(each) == {"value"} for each in measures.values())
    rows = json.loads(texts["benchmark"])
    assert {"name": "peak", "unit": "bytes", "value": peak} in rows
    assert {row["name"]: row["value"] for row in rows} == {name: each["value"] for name, each in measures.items()}


def test_thousands_of_broken_rules_fit_a_step_summary_and_are_all_in_the_json(reports, tmp_path):
    names = [(f"function_{number}_" + "x" * 200, f"/ci/{'folder/' * 20}{number}.py") for number in range(5000)]
    base = write(tmp_path / "base.bin", [(name, file, 10) for name, file in names])
    new = write(tmp_path / "new.bin", [(name, file, 500000) for name, file in names])
    status, texts = reports(new, "--baseline", base, "--functions")
    assert status == 1
    assert len(texts["markdown"].encode()) < MIB
    assert len(json.loads(texts["json"])["reasons"]) > 5000
