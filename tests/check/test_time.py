# SPDX-License-Identifier: Apache-2.0
"""Time is compared, and waiting is not mistaken for work, as others use the machine too."""

import pytest

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
    assert "so that the rest is waiting" in verdict.finding("regression-duration")["doubt"]


def test_who_names_a_tolerance_gets_a_verdict(check, recorded):
    base, new = recorded("base", "sleep", "0.1"), recorded("new", "sleep", "1.5")
    assert check(new, "--metric", "duration", "--tolerance", "50", baseline=[base]).broken == ["regression-duration"]


def test_a_run_that_worked_longer_is_found(check, recorded):
    base = recorded("base", "python3", "-c", WORK, "1000")
    new = recorded("new", "python3", "-c", WORK, "100000000")
    assert check(new, "--metric", "duration", baseline=[base]).broken == ["regression-duration"]


def test_a_profile_of_time_with_one_baseline(check, samples):
    """The processor time is unknown: then a few per cent more or less mean nothing."""
    verdict = check(samples / "cpu/fanout.pyisession", "--tolerance-absolute", "1ms",
                    baseline=[samples / "cpu/fanout.yappi.pstats"])
    assert verdict.status == 0
