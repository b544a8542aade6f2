# SPDX-License-Identifier: Apache-2.0
"""A history of runs: a level that changes becomes the usual one, a slow growth is found, an outlier is not."""

import random

import pytest
from captures import KIB, MIB, Allocation, write

LOAD = [("main", "/ci/app/main.py", 3), ("load", "/ci/app/load.py", 7)]
DAY = 86400000


@pytest.fixture
def history(tmp_path):
    """`history(sizes)` is a folder of runs, a day apart, whose names are not in the order of time; and a new run."""
    folder = tmp_path / "history"
    folder.mkdir()

    def make(sizes, new, threads=1):
        names = list(range(len(sizes)))
        random.Random(1).shuffle(names)
        for day, (name, size) in enumerate(zip(names, sizes)):
            run(folder / f"{name:03}.bin", size, day, threads)
        return folder, run(tmp_path / "new.bin", new, len(sizes), threads), [f"{name:03}.bin" for name in names]

    return make


def run(path, size, day, threads=1):
    return write(path, [Allocation(LOAD, size // threads, thread=number + 1) for number in range(threads)],
                 start_ms=1700000000000 + day * DAY)


@pytest.fixture
def judge(check):
    def judged(folder, new, *words):
        return check(new, "--history", folder, *words)

    return judged


def test_a_step_is_an_alarm_until_its_level_is_known(history, judge):
    """The first run exceeds all before it; two may be chance; three are a level that rose; then it is the usual one."""
    old, grown = 10 * MIB, 12 * MIB
    folder, _, _ = history([old] * 8, grown)
    new, answers = run(folder.parent / "latest.bin", grown, 99), []
    for seen in range(4):
        answers.append(judge(folder, new).finding("regression-peak"))
        run(folder / f"grown-{seen}.bin", grown, 8 + seen)
    assert [answer["answer"] for answer in answers] == ["broken", "cannot tell", "broken", "kept"]
    assert " on average since " in answers[2]["sentence"] and "grown-0.bin" in answers[2]["sentence"]
    assert answers[2]["function"] == "load" and answers[3]["before"] == grown
    run(new, 14 * MIB, 20)
    assert judge(folder, new).finding("regression-peak")["answer"] == "broken"


def test_the_runs_are_in_the_order_of_their_starts(history, judge):
    folder, new, names = history([10 * MIB] * 6 + [12 * MIB] * 6, 12 * MIB)
    peak = judge(folder, new).finding("regression-peak")
    assert peak["answer"] == "kept" and peak["before"] == 12 * MIB
    assert [change["run"].rsplit("/", 1)[-1] for change in peak["history"]["changes"]] == [names[6]]
    assert peak["history"]["values"] == [10 * MIB] * 6 + [12 * MIB] * 7


def test_an_outlier_of_the_past_changes_nothing(history, judge):
    for where in range(8):
        sizes = [10 * MIB] * 8
        sizes[where] = 30 * MIB
        folder, new, _ = history(sizes, 10 * MIB)
        peak = judge(folder, new).finding("regression-peak")
        assert peak["answer"] != "broken" and peak["history"]["changes"] == []
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        folder.mkdir()


def test_a_slow_growth_is_found_once_it_exceeds_the_tolerance(history, judge):
    """Two percent every five runs: no run exceeds the one before it by the tolerance of three."""
    level, sizes = 10 * MIB, []
    for _ in range(6):
        sizes += [level] * 5
        level = level * 102 // 100
    alarms = []
    for length in range(6, len(sizes)):
        folder, new, _ = history(sizes[:length], sizes[length])
        verdict = judge(folder, new, "--metric", "peak")
        if verdict.broken:
            alarms.append((length, verdict.finding("regression-peak")))
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        folder.mkdir()
    assert alarms, "a growth of 10 % went unseen"
    length, peak = alarms[0]
    assert 10 < length < 20 and "in 2 steps" in peak["sentence"] and " on average since " in peak["sentence"]
    assert peak["function"] == "load"


def test_runs_that_failed_or_were_cut_are_no_measure(history, judge, tmp_path):
    folder, new, names = history([10 * MIB] * 6, 10 * MIB)
    cut = folder / names[2]
    cut.write_bytes(cut.read_bytes()[:-1])
    verdict = judge(folder, new)
    assert verdict.status == 0 and len(verdict.document["baselines"]) == 5
    assert any("it is incomplete" in note for note in verdict.document["notes"])


def test_noise_raises_no_alarm(history, judge):
    """Twenty runs of a program with threads whose peak is anywhere between 8 and 16 MiB."""
    rnd = random.Random(7)
    sizes = [rnd.randrange(8 * MIB, 16 * MIB, 8 * KIB) for _ in range(21)]
    folder, new, _ = history(sizes[:-1], sizes[-1], threads=4)
    verdict = judge(folder, new, "--metric", "peak")
    assert verdict.broken == []


def bars(program, folder, new):
    """The history as the terminal shows it."""
    line, = [line for line in program("check", new, "--history", folder, "--metric", "peak").out.splitlines()
             if "this one last" in line]
    return line.strip()


def test_the_history_is_drawn_from_its_lowest_to_its_highest(history, program):
    for sizes, new, drawn in (([10] * 3, 20, "▁▁▁█  4 runs, this one last"),
                              ([10], 12, "▁█  2 runs, this one last"),
                              ([10, 10, 10, 12, 14, 16], 24, "▁▁▁▂▃▄█  7 runs, this one last"),
                              ([8] * 50, 12, "▁" * 29 + "█  the last 30 of 51 runs, this one last")):
        folder, run_, _ = history([size * MIB for size in sizes], new * MIB)
        assert bars(program, folder, run_) == drawn
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        folder.mkdir()


def test_a_baseline_and_a_history_exclude_each_other(history, check):
    folder, new, _ = history([MIB] * 3, MIB)
    assert check(new, "--history", folder, baseline=[folder]).status == 2


def test_a_run_counts_once_and_not_for_itself(history, judge):
    """A baseline that was copied, and a check that is repeated after its run became one."""
    folder, new, names = history([10 * MIB] * 3, 12 * MIB)
    (folder / "copy.bin").write_bytes((folder / names[0]).read_bytes())
    (folder / "itself.bin").write_bytes(new.read_bytes())
    verdict = judge(folder, new)
    assert verdict.finding("regression-peak")["answer"] == "broken" and len(verdict.document["baselines"]) == 3
    notes = " ".join(verdict.document["notes"])
    assert "it is the same run as an earlier one" in notes and "itself.bin is not a baseline and was left out: " \
        "it is the run being checked" in notes
