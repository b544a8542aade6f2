# SPDX-License-Identifier: Apache-2.0
"""When `check` fails, when it passes, and when it cannot tell."""

import itertools
import random
import xml.etree.ElementTree as xml

import pytest
from captures import KIB, MIB, Allocation, write

MAIN = ("main", "/ci/app/job.py", 3)
LOAD = [MAIN, ("load", "/ci/app/load.py", 7)]
FIT = [MAIN, ("fit", "/ci/app/model.py", 9)]
LOOP = ("_run_once", "/usr/lib/python3.12/asyncio/base_events.py", 1987)


@pytest.fixture
def run(tmp_path):
    """`run(20 * MIB)`: one function holds that amount to the end."""
    numbers = itertools.count()

    def make(size, *more, stack=LOAD):
        return write(tmp_path / f"{next(numbers)}.bin", [Allocation(stack, int(size)), *more])

    return make


def threads(count):
    return [Allocation(FIT, MIB, thread=2 + number, freed=True) for number in range(count)]


def test_nothing_alarms_up_to_the_highest_baseline_and_its_tolerance(check, run):
    dice = random.Random(4)
    for count in (1, 2, 3, 5, 8, 20):
        for width in (0.001, 0.02, 0.1, 0.4, 2):
            sizes = [20 * MIB * (1 + width * dice.random()) for _ in range(count)]
            verdict = check(run(max(sizes) * 1.029), "--metric", "peak", baseline=[run(size) for size in sizes])
            assert (verdict.status, verdict.broken) == (0, []), (count, width, sizes)


def test_one_percent_of_a_function_is_found_and_less_than_half_is_not(check, tmp_path):
    """What a function allocates repeats to the byte; the whole of it hardly grew."""
    others = [Allocation([("main", "/ci/app/main.py", 3), (f"f{number}", "/ci/app/job.py", 9)], 20 * MIB, freed=True)
              for number in range(4)]
    old = write(tmp_path / "old.bin", others)
    for share, found in ((1.004, []), (1.01, ["f2"])):
        others[2].size = int(20 * MIB * share) // 8 * 8
        verdict = check(write(tmp_path / "new.bin", others), baseline=[old])
        assert [reason["function"] for reason in verdict.document["reasons"]] == found
        assert verdict.finding("regression-allocated")["answer"] == "kept"


def test_growth_beyond_that_is_found(check, run):
    for count in (1, 2, 3, 8):
        verdict = check(run(21 * MIB), baseline=[run(20 * MIB + 1000 * number) for number in range(count)])
        assert set(verdict.broken) == {"regression-peak", "regression-leaked", "regression-allocated"}, count


def test_baselines_that_spread_widely_leave_no_telling(check, run):
    baselines = [run(size * MIB) for size in (20, 22, 24, 26)]
    for size, answer in ((19, "kept"), (20, "kept"), (20.5, "cannot tell"), (23, "cannot tell"), (26, "cannot tell"),
                         (30, "cannot tell"), (34, "broken")):
        verdict = check(run(size * MIB), baseline=baselines)
        found = verdict.finding("regression-peak")
        assert (found["answer"], verdict.status) == (answer, int(answer == "broken")), size
        if answer == "cannot tell":
            assert found["doubt"].startswith("the baselines spread by 26 %, from 20.0 MiB to 26.0 MiB")


def test_the_highest_of_them_is_named(check, run, tmp_path):
    odd = write(tmp_path / "odd.bin", [Allocation(LOAD, 60 * MIB)])
    verdict = check(run(21 * MIB), baseline=[*[run(20 * MIB) for _ in range(9)], odd])
    assert verdict.status == 0
    assert "odd.bin" in verdict.finding("regression-peak")["doubt"]


def test_the_peak_of_threads_is_left_to_chance(check, run):
    """A peak that rose without more being allocated, by work that overlaps, proves nothing; of one thread it does."""
    def peak(size, others):
        parts = ((LOAD, size), (FIT, 50 - size))
        return run(MIB, *[Allocation(stack, part * MIB, freed=True) for stack, part in parts], *others)
    alone, new = peak(25, []), peak(40, [])
    assert check(new, baseline=[alone]).broken == ["regression-peak"]
    for others, words in ((threads(3), "4 threads allocate"),
                          ([Allocation([LOOP, *FIT], MIB, freed=True)], "tasks of asyncio take turns")):
        verdict = check(peak(40, others), baseline=[peak(25, others)])
        assert (verdict.status, verdict.broken, verdict.untold) == (0, [], ["regression-peak"]), words
        assert words in verdict.finding("regression-peak")["doubt"]
        assert verdict.finding("regression-allocated")["answer"] == "kept"
        steady = [peak(25, others) for _ in range(6)]
        assert check(peak(40, others), baseline=steady).broken == ["regression-peak"], "enough baselines show how far"


def test_what_threads_allocate_is_exact(check, run):
    def work(size):
        return run(MIB, *threads(4), *[Allocation(LOAD, size, thread=2 + number % 4, freed=True, times=10)
                                       for number in range(40)])
    verdict = check(work(105 * KIB), baseline=[work(100 * KIB)])
    assert verdict.status == 1
    assert {reason["function"] for reason in verdict.document["reasons"]} == {"load"}


def test_a_small_function_that_grew_is_found_where_the_whole_hardly_did(check, run):
    big = Allocation(FIT, 400 * MIB)
    verdict = check(run(10.5 * MIB, big), baseline=[run(10 * MIB, big)])
    assert verdict.broken == ["function-allocated"]
    found = verdict.finding("function-allocated")
    assert (found["function"], found["line"]) == ("load", 7)
    assert found["sentence"].startswith("load (/ci/app/load.py:7): allocated 10.5 MiB, +5.0 %")


def test_what_moves_from_one_function_to_another_is_no_growth(check, run):
    base = run(30 * MIB, Allocation(FIT, 10 * MIB))
    assert check(run(10 * MIB, Allocation(FIT, 30 * MIB)), baseline=[base]).status == 0
    verdict = check(run(10 * MIB, Allocation(FIT, 30 * MIB)), "--functions", baseline=[base])
    assert verdict.broken == []
    for metric in ("peak", "leaked"):
        assert f"{metric}: 20.0 MiB of fit came from load: moved, not grown" in verdict.document["notes"]


def test_a_comprehension_is_the_function_that_has_it(check, run):
    """Up to Python 3.11 all of them in a file have the same name: the growth of one would drown in the others."""
    def listed(size):
        inner = ("<listcomp>", "/ci/app/load.py", 8)
        other = [MAIN, ("parse", "/ci/app/load.py", 30), ("<listcomp>", "/ci/app/load.py", 31)]
        return run(size, Allocation(other, 400 * MIB), stack=[*LOAD, inner])
    found = check(listed(10.5 * MIB), baseline=[listed(10 * MIB)]).finding("function-allocated")
    assert found["function"] == "load"


def test_every_report_says_that_there_is_no_telling(reports, run):
    told = reports(run(24 * MIB), baseline=[run(20 * MIB), run(30 * MIB)])
    for name in ("text", "json", "junit", "github", "markdown"):
        assert "cannot tell" in told[name] and "spread by 40 %" in told[name], name
    assert told["text"].endswith("0 of 3 rules broken, cannot tell of 3\n")
    assert told["markdown"].startswith("### Cannot tell\n")
    suite = xml.fromstring(told["junit"])[0]
    assert (suite.get("failures"), suite.get("skipped"), len(suite.findall("testcase/skipped"))) == ("0", "3", 3)
    assert [line.split(" ")[0] for line in told["github"].splitlines()] == ["::notice"] * 3
    assert told["codequality"].split() == ["[", "]"] or told["codequality"].split() == ["[]"]
    assert "profrender_rules_untold 3" in told["openmetrics"]


def test_what_one_function_does_to_several_metrics_is_one_alarm(reports, check, run):
    """All of it is in the table of GitHub's summary and in JUnit; people are told once."""
    base, new = run(20 * MIB), run(25 * MIB)
    assert len(check(new, baseline=[base]).broken) == 3
    texts = reports(new, baseline=[base])
    assert texts["text"].count("FAIL  ") == 1 and texts["text"].count("also  ") == 2
    assert "3 of 3 rules broken by 1 cause" in texts["text"]
    assert texts["github"].count("::error ") == 1 and texts["github"].count("%0Aalso ") == 2
    assert texts["codequality"].count("fingerprint") == 1 and texts["junit"].count("<failure ") == 3
    assert texts["markdown"].count("`load`") == 2, "the heading and the first row"


def test_two_functions_are_two_alarms(reports, run):
    """The peak is that of one and that of the other: it is not taken for a part of what one of them did."""
    fit = [Allocation(FIT, 12 * MIB, freed=True)]
    texts = reports(run(25 * MIB, *fit), baseline=[run(20 * MIB, Allocation(FIT, 2 * MIB, freed=True))])
    assert "load" in texts["text"] and "fit" in texts["text"]
    assert texts["text"].count("FAIL  ") >= 2
    assert " by 1 cause" not in texts["text"]


def test_a_metric_says_how_noisy_it_is(reports, check, run):
    baselines = [run(size) for size in (20 * MIB, 20 * MIB + 8192, 20 * MIB)]
    for name, text in reports(run(20 * MIB), baseline=baselines).items():
        if name in ("text", "json"):
            assert "; 3 baselines differ by 0.039 %" in text, name
    texts = reports(run(20 * MIB), baseline=baselines)
    assert "| noise |" in texts["markdown"] and "| 0.039 % |" in texts["markdown"]
    same = check(run(20 * MIB), baseline=[run(20 * MIB)] * 2).finding("regression-peak")
    assert same["sentence"].endswith("; 2 baselines are equal") and same["lowest"] == same["highest"]
    assert "baselines" not in check(run(20 * MIB), baseline=baselines[:1]).finding("regression-peak")["sentence"]


def test_what_is_only_freed_later_is_chance_or_the_program(check, run):
    """The collector of cycles: the same is allocated, and more of it is left. Baselines that are alike tell."""
    def left(size):
        return run(20 * MIB, Allocation(FIT, size), Allocation(FIT, 8 * MIB - size, freed=True))

    base, new = left(0), left(2 * MIB)
    verdict = check(new, baseline=[base])
    assert verdict.status == 0 and "regression-leaked" in verdict.untold
    assert "freed later" in verdict.finding("regression-leaked")["doubt"]
    assert "regression-leaked" in check(new, baseline=[base, left(0), left(8)]).broken
    grown = run(20 * MIB, Allocation(FIT, 2 * MIB), Allocation(FIT, 8 * MIB, freed=True))
    assert "regression-leaked" in check(grown, baseline=[base]).broken, "it was allocated in addition"


def test_markdown_links_to_the_card(program, run, tmp_path):
    base, new = run(20 * MIB), run(25 * MIB)
    for url in ("https://ci.example.com/cards/x.html?a=(1)&b=2#peak", "cards/x.html", "//host/x.html"):
        assert program("check", new, "--baseline", base, "--card-url", url, "--report", "markdown=-", "-o",
                       tmp_path / "text").out.count(f": [card](<{url}>).") == 1
    for url in ("javascript:alert(1)", "data:text/html,x", "https://x> [y](z", "a b", "x\ny", "", "JavaScript:x"):
        answer = program("check", new, "--baseline", base, "--card-url", url)
        assert answer.status == 2 and "--card-url" in answer.err, url
