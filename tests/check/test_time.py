# SPDX-License-Identifier: Apache-2.0
"""Time is compared, and waiting is not mistaken for work, as others use the machine too."""

import marshal
import random

import pytest
from captures import Allocation, write

WORK = "import sys; sum(range(int(sys.argv[1])))"


@pytest.fixture
def recorded(program, tmp_path):
    def make(name, *command):
        folder = tmp_path / name
        assert program("record", "-q", "-o", folder, "--", *command).status == 0
        return folder

    return make


def test_a_run_that_only_waited_longer_proves_nothing(check, recorded):
    base, new = recorded("base", "sleep", "0.1"), recorded("new", "sleep", "1.5")
    verdict = check(new, "--metric", "duration", baseline=[base])
    assert (verdict.status, verdict.untold) == (0, ["regression-duration"])
    assert "so the rest is waiting" in verdict.finding("regression-duration")["doubt"]


def test_who_names_a_tolerance_gets_a_verdict(check, recorded):
    base, new = recorded("base", "sleep", "0.1"), recorded("new", "sleep", "1.5")
    assert check(new, "--metric", "duration", "--tolerance", "50", baseline=[base]).broken == ["regression-duration"]


def test_a_run_that_worked_longer_is_found(check, recorded):
    base = recorded("base", "python3", "-c", WORK, "1000")
    new = recorded("new", "python3", "-c", WORK, "100000000")
    assert check(new, "--metric", "duration", baseline=[base]).broken == ["regression-duration"]


def test_runs_that_were_added_up_took_no_time_together(program, check, tmp_path):
    """From the start of the first to the end of the last is an hour in which neither ran."""
    load = [Allocation([("main", "/ci/app/job.py", 3)], 1 << 20)]
    runs = [write(tmp_path / f"{i}.bin", load, start_ms=1700000000000 + i * 3600000) for i in range(2)]
    both = tmp_path / "both.prz"
    assert program("merge", *runs, "-o", both).status == 0
    refused = program("check", both, "--max-duration", "15min")
    assert (refused.status, "how long the run took is not recorded" in refused.err) == (3, True)
    assert program("stats", "--json", both).json()["profrender"]["duration_ms"] is None


def test_a_profile_of_time_with_one_baseline(check, samples):
    """The processor time is unknown: then a few per cent more or less mean nothing."""
    verdict = check(samples / "cpu/fanout.pyisession", "--tolerance-absolute", "1ms",
                    baseline=[samples / "cpu/fanout.yappi.pstats"])
    assert verdict.status == 0


SECONDS = {"spin": 0.5, "parse": 0.3, "sort": 0.2, "store": 0.15, "main": 0.01}


@pytest.fixture
def profiles(tmp_path):
    """`profiles(name, count, spin=1.2)`: runs of cProfile on a machine that is up to twice as slow at times."""
    dice = random.Random(11)

    def make(name, count, **factors):
        paths = []
        for number in range(count):
            slow = dice.choice([1, 1, 1.3, 1.6, 2]) * dice.uniform(0.97, 1.03)
            own = {function: seconds * slow * factors.get(function, 1) * dice.gauss(1, 0.01)
                   for function, seconds in SECONDS.items()}
            root, caller = ("/ci/app/job.py", 1, "main"), (1, 1, 0.0, 0.0)
            stats = {("/ci/app/job.py", 10 + at, function): (1, 1, seconds, seconds, {root: caller})
                     for at, (function, seconds) in enumerate(own.items()) if function != "main"}
            stats[root] = (1, 1, own["main"], sum(own.values()), {})
            paths.append(tmp_path / f"{name}-{number:02}.pstats")
            paths[-1].write_bytes(marshal.dumps(stats))
        return paths

    return make


def alarms_in_a_row(check, known, new):
    """(how many runs it took, the verdict)"""
    for number, run in enumerate(new):
        words = [word for path in [*known, *new[:number]] for word in ("--history", path)]
        verdict = check(run, *words)
        if verdict.status:
            return number + 1, verdict
    return None, None


def test_a_function_that_takes_longer_is_found_on_a_machine_that_is_slow_at_times(check, profiles):
    """A fifth more in one function, a tenth of the whole, where the whole doubles by chance."""
    known, new = profiles("known", 20), profiles("new", 10, spin=1.2)
    runs, verdict = alarms_in_a_row(check, known, new)
    assert runs and runs <= 10 and {reason["function"] for reason in verdict.document["reasons"]} == {"spin"}
    assert any("with the machine as fast as usual" in note for note in verdict.document["notes"])
    answer = verdict.finding("function-cpu")
    assert 1.1 < answer["after"] / answer["before"] < 1.3 and " on average since " in answer["sentence"]


@pytest.mark.parametrize("factors", [{}, {"spin": 0.6}, {"parse": 0.5, "store": 0.5}], ids=str)
def test_neither_a_slow_machine_nor_less_work_is_growth(check, profiles, factors):
    """What another function saves is not what the rest grew by."""
    assert alarms_in_a_row(check, profiles("known", 20), profiles("new", 8, **factors)) == (None, None)
