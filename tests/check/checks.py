# SPDX-License-Identifier: Apache-2.0
"""`check` as a pipeline uses it: a change that costs memory, noisy runs, baselines of all kinds, every report."""
import json
import random
import re
import sys
import tempfile
from pathlib import Path

import readers
from program import ROOT, run

sys.path.insert(0, str(ROOT / "tests" / "program"))
from capture import capture  # noqa: E402

MIB = 1 << 20
PROGRAM = [("load", "/ci/app/shop/load.py", 40 * MIB), ("lag_matrix", "/ci/app/shop/features.py", 25 * MIB),
           ("fit", "/ci/app/shop/model.py", 30 * MIB), ("render", "/ci/app/shop/report.py", 5 * MIB)]
FORMATS = ("json", "junit", "github", "markdown", "codequality", "openmetrics")


def write(path, functions, **how):
    allocations = [(name.encode(), file.encode(), size) for name, file, size in functions]
    path.write_bytes(capture(allocations, lines=True, **how))
    return path


def grown(function, factor):
    return [(name, file, int(size * (factor if name == function else 1))) for name, file, size in PROGRAM]


def noisy(seed, share, factor=1.0):
    """The program with each function up to SHARE more or less."""
    dice = random.Random(seed)
    return [(name, file, int(size * factor * (1 + dice.uniform(-share, share)))) for name, file, size in PROGRAM]


def verdict(*arguments):
    """(exit status, the JSON or None)."""
    status, output, _ = run("check", "--json", *arguments)
    return status, json.loads(output) if output else None


def reports(folder, *arguments):
    """(exit status, text of each report)."""
    files = {name: folder / f"report.{name}" for name in FORMATS}
    options = [word for name, path in files.items() for word in ("--report", f"{name}={path}")]
    status, _, _ = run("check", *arguments, *options)
    return status, {name: path.read_text(encoding="utf-8") for name, path in files.items()}


def a_pull_request(tally, folder):
    base, new = write(folder / "base.bin", PROGRAM), write(folder / "new.bin", grown("lag_matrix", 1.4))
    status, texts = reports(folder, new, "--baseline", base, "--root", "/ci/app")
    tally.check("a change that costs memory: exit status 1", status == 1, status)
    document = json.loads(texts["json"])
    reason = document["reasons"][0]
    tally.check("the reason names function, file and line",
                (reason["function"], reason["file"], reason["line"]) == ("lag_matrix", "shop/features.py", 1), reason)
    tally.check("and what was, is and may be", reason["before"] == 100 * MIB and reason["after"] == 110 * MIB and
                reason["limit"] == 103 * MIB, reason)
    named = re.findall(r"<code>(.*?)</code>", texts["markdown"])
    tally.check("the step summary names that function first", named[0] == "lag&#95;matrix", *named[:3])
    tally.check("the annotation is at the line",
                texts["github"].startswith("::error file=shop/features.py,line=1,title=lag_matrix::peak: 110 MiB"),
                texts["github"])
    status, document = verdict(base, "--baseline", base)
    tally.check("the same capture twice: exit status 0", status == 0 and document["ok"] and not document["reasons"])
    run("digest", base, "-o", folder / "base.prz")
    with_digest = verdict(new, "--baseline", folder / "base.prz")[1]
    with_capture = verdict(new, "--baseline", base)[1]
    with_digest["baselines"] = with_capture["baselines"] = []
    tally.check("a digest is as good a baseline as its capture", with_digest == with_capture)


def noise(tally, folder):
    runs = folder / "runs"
    runs.mkdir()
    for seed in range(10):
        write(runs / f"{seed}.bin", noisy(seed, 0.01))
    alarms = []
    for seed in range(100, 120):
        status, document = verdict(write(folder / "again.bin", noisy(seed, 0.01)), "--baseline", runs)
        alarms += [document["reasons"]] * (status != 0)
    tally.none("ten noisy repetitions raise no alarm, for none of twenty more", alarms)
    for number in range(10):
        others = [word for path in sorted(runs.iterdir()) if path.name != f"{number}.bin"
                  for word in ("--baseline", path)]
        status, document = verdict(runs / f"{number}.bin", *others)
        tally.check(f"repetition {number} against the nine others", status == 0, document)
    status, document = verdict(write(folder / "more.bin", noisy(200, 0.0, 1.05)), "--baseline", runs)
    tally.check("a growth of 5 % does", status == 1 and document["reasons"][0]["rule"] == "regression-peak", document)
    write(runs / "odd.bin", noisy(300, 0.01, 3))
    status, document = verdict(folder / "more.bin", "--baseline", runs)
    tally.check("and one odd run among the baselines hides it not", status == 1, document)
    wild = folder / "wild"
    wild.mkdir()
    for seed in range(10):
        write(wild / f"{seed}.bin", noisy(seed, 0.2))
    status, document = verdict(folder / "more.bin", "--baseline", wild)
    tally.check("where runs differ more than that, 5 % is no regression", status == 0, document)


def tolerances(tally, folder):
    small, more = write(folder / "small.bin", [("f", "f.py", 1000)]), write(folder / "more.bin", [("f", "f.py", 2000)])
    for options, expected in (([], 0), (["--tolerance-absolute", "500"], 1), (["--tolerance-absolute", "1000"], 0),
                              (["--tolerance-absolute", "0", "--tolerance", "99"], 1),
                              (["--tolerance-absolute", "0", "--tolerance", "100%"], 0)):
        status, document = verdict(more, "--baseline", small, *options)
        tally.check(f"twice 1,000 bytes with {' '.join(options) or 'the defaults'}: {expected}", status == expected,
                    document)


def functions(tally, folder):
    """What one function gains another one loses: the whole is the same."""
    base = write(folder / "base.bin", PROGRAM)
    moved = [(name, file, size + {"load": 10, "fit": -10}.get(name, 0) * MIB) for name, file, size in PROGRAM]
    new = write(folder / "new.bin", moved)
    tally.check("what moves between functions is no regression", verdict(new, "--baseline", base)[0] == 0)
    status, document = verdict(new, "--baseline", base, "--functions", "--metric", "peak")
    tally.check("unless each is looked at", status == 1 and
                [(reason["rule"], reason["function"]) for reason in document["reasons"]] == [("function-peak", "load")],
                document["reasons"])


def budgets(tally, folder):
    base = write(folder / "base.bin", PROGRAM)
    for rules, expected in ((["--max-peak", "100MiB"], 0), (["--max-peak", "99MiB"], 1), (["--max-leaked", "1k"], 1),
                            (["--max-allocations", "4"], 0), (["--max-allocations", "3"], 1),
                            (["--budget", "features.py=25MiB"], 0), (["--budget", "features.py=24MiB"], 1),
                            (["--budget", "shop/*=99MiB"], 1), (["--budget", "leaked:lo?d=39.9MiB"], 1),
                            (["--budget", "nothing.py=0"], 0), (["--budget", "eatures.py=0"], 0)):
        status, document = verdict(base, *rules)
        tally.check(f"{' '.join(rules)}: {expected}", status == expected, document)
    status, document = verdict(base, "--max-peak", "99MiB", "--max-leaked", "1k", "--max-allocated", "90MiB")
    tally.check("worst first", [reason["rule"] for reason in document["reasons"]] ==
                ["max-leaked", "max-allocated", "max-peak"], document["reasons"])


def baselines(tally, folder):
    base = write(folder / "base.bin", PROGRAM)
    empty = folder / "empty"
    empty.mkdir()
    for what, path in (("a missing file", folder / "none.prz"), ("an empty folder", empty)):
        tally.check(f"{what} is no baseline: exit status 3", run("check", base, "--baseline", path)[0] == 3)
        status, texts = reports(folder, base, "--baseline", path, "--baseline-optional")
        silent = [name for name in ("json", "junit", "github", "markdown") if "no baseline" not in texts[name]]
        tally.check(f"{what} is fine if it is optional, and each report says so", status == 0 and not silent, *silent)
    cut = write(folder / "cut.bin", PROGRAM, trailer=False)
    tally.check("an input that was cut: exit status 3", run("check", cut, "--max-peak", "1GiB")[0] == 3)
    status, texts = reports(folder, cut, "--max-peak", "1GiB", "--allow-incomplete")
    silent = [name for name in ("json", "junit", "github", "markdown") if "not complete" not in texts[name]]
    tally.check("it may be allowed, and each report says so", status == 0 and not silent, *silent)
    tally.check("what is there of it is checked all the same",
                run("check", cut, "--max-peak", "1", "--allow-incomplete")[0] == 1)


def places(tally, folder):
    base = write(folder / "base.bin", PROGRAM)
    for output in ("check.json", "nowhere/check.json"):
        status, _, errors = run("check", base, "--max-peak", "1", "--report", f"json={folder / output}")
        expected = 4 if "nowhere" in output else 1
        tally.check(f"a report in {output}: exit status {expected}", status == expected, errors)
    tally.check("no report over the input", run("check", base, "--max-peak", "1", "--report", f"json={base}")[0] == 2)
    tally.check("the input is what it was", base.read_bytes()[:6] == b"memray")


HOSTILE = ["a|b", "`c`", "<script>alert(1)</script>", "per%cent", "new\nline", "::error::x", "[link](http://x)",
           "@user", 'quo"te', "back\\slash", "\x1b[31mred", "]]>", "\u202eturned", "\ufffe", "x" * 3000]


def wrong_markdown(text):
    for line in text.splitlines():
        if re.search(r"[`\[\]@*_\x1b\u202e]|<(?!/?(code|details|summary)>)", line.replace("**", "")):
            yield f"not escaped: {line[:200]}"
        if line.startswith("|") and len(line.split("|")) != 8 and len(line.split("|")) != 7:
            yield f"{len(line.split('|'))} cells: {line[:200]}"


def all_reports(tally, folder):
    base = write(folder / "base.bin", [(name, f"/ci/{name}.py", 1000) for name in HOSTILE])
    new = write(folder / "new.bin", [(name, f"/ci/{name}.py", 1000000 + 10000 * number)
                                     for number, name in enumerate(HOSTILE)])
    status, texts = reports(folder, new, "--baseline", base, "--functions", "--max-peak", "100GiB")
    tally.check("names of strangers: exit status 1", status == 1)
    tally.none("in Markdown they are text", list(wrong_markdown(texts["markdown"])))
    tally.none("GitHub sees annotations and nothing else",
               [line[:200] for line in texts["github"].splitlines() if not line.startswith("::error file=")])
    tally.check("at most ten of them", len(texts["github"].splitlines()) == 10)
    interpreter = readers.python()
    if not interpreter:
        tally.skip("readers of the reports", "they could not be installed")
        return
    document = json.loads(texts["json"])
    rules = len(document["reasons"]) + len(document["kept"])
    junit = readers.read(interpreter, readers.JUNIT, folder / "report.junit")
    tally.check("JUnit: a test for each rule, a failure for each broken one",
                junit["tests"] == len(junit["cases"]) == rules and
                junit["failures"] == sum(bool(results) for _, results in junit["cases"]) == len(document["reasons"]),
                junit)
    tally.check("JUnit: the failure says which function", "new\\nline" in str(junit) or "new\\\\nline" in str(junit))
    metrics = readers.read(interpreter, readers.OPENMETRICS, folder / "report.openmetrics")
    peak = [value for labels, value in metrics["profrender_value_bytes"] if labels == {"metric": "peak"}]
    tally.check("OpenMetrics: what was measured", peak == [document["reasons"][-1]["after"]] or
                peak == [sum(1000000 + 10000 * number for number in range(len(HOSTILE)))], metrics)
    tally.check("OpenMetrics: how many rules are broken",
                metrics["profrender_rules_broken"] == [[{}, len(document["reasons"])]], metrics)
    issues = readers.read(interpreter, readers.CODE_QUALITY, folder / "report.codequality", readers.CODEQUALITY)
    tally.check("GitLab: an issue for each broken rule, each with its own fingerprint",
                len(issues) == len(document["reasons"]) == len({issue["fingerprint"] for issue in issues}), issues)


def many(tally, folder):
    names = [(f"function_{number}_" + "x" * 200, f"/ci/{'folder/' * 20}{number}.py") for number in range(5000)]
    base = write(folder / "base.bin", [(name, file, 10) for name, file in names])
    new = write(folder / "new.bin", [(name, file, 500000) for name, file in names])
    status, texts = reports(folder, new, "--baseline", base, "--functions")
    tally.check("thousands of broken rules fit a step summary", status == 1 and len(texts["markdown"].encode()) < MIB,
                len(texts["markdown"]))
    tally.check("and are all in the JSON", len(json.loads(texts["json"])["reasons"]) > 5000)


def test(tally):
    for part in (a_pull_request, noise, tolerances, functions, budgets, baselines, places, all_reports, many):
        with tempfile.TemporaryDirectory() as folder:
            part(tally, Path(folder))
