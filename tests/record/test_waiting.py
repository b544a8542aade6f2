# SPDX-License-Identifier: Apache-2.0
"""Waiting: the run's own threads' waiting is reported, that of the machine or its neighbours is not."""

import json
import os
import re
import subprocess
import sys

import pytest

BURN = "import time\nend = time.monotonic() + {}\nwhile time.monotonic() < end: pass\n"


@pytest.fixture
def busy_machine():
    """One endless loop more than there are cores."""
    loops = [subprocess.Popen([sys.executable, "-S", "-c", BURN.format(60)]) for _ in range(os.cpu_count() + 1)]
    yield
    for loop in loops:
        loop.kill()
        loop.wait()


def samples_of(folder):
    lines = [json.loads(line) for line in (folder / "timeline.jsonl").read_text().splitlines()]
    return [line for line in lines if "type" not in line], lines[-1]


def seconds(samples, field):
    return sum((b["ts"] - a["ts"]) * b.get(field, 0) / 100 for a, b in zip(samples, samples[1:]))


def findings(program, *inputs, folder):
    assert program("card", *inputs, "-o", folder / "card.html").status == 0
    page = re.sub("[\xa0\u202f\u2009]|&nbsp;", " ", (folder / "card.html").read_text())
    return [re.sub("<[^>]+>", "", item) for item in re.findall(r"<li><p>.*?</p></li>", page)]


def test_a_run_that_sleeps_waits_for_nothing_however_busy_the_machine_is(program, tmp_path, busy_machine):
    program("record", "-q", "-o", tmp_path / "run", "--", "sleep", "2")
    samples, end = samples_of(tmp_path / "run")
    assert seconds(samples, "cpu_wait_pct") < 0.1 * end["wall"]
    assert not [text for text in findings(program, tmp_path / "run", folder=tmp_path) if "waiting" in text]


def test_two_processes_on_one_core_wait_half_of_their_time_at_least(program, tmp_path):
    core = str(min(os.sched_getaffinity(0)))
    both = f"{sys.executable} -S -c '{BURN.format(3)}' & {sys.executable} -S -c '{BURN.format(3)}' & wait"
    program("record", "-q", "-o", tmp_path / "run", "--", "taskset", "-c", core, "bash", "-c", both)
    samples, end = samples_of(tmp_path / "run")
    waited, used = seconds(samples, "cpu_wait_pct"), end["rusage"]["utime"] + end["rusage"]["stime"]
    assert 2 * 3 * 0.7 < waited + used < 2 * end["wall"] + 1.5, (waited, used, end["wall"])
    said = [text for text in findings(program, tmp_path / "run", folder=tmp_path) if "waiting for a free core" in text]
    assert len(said) == 1
    told = re.match(r"([\d.]+) s waiting for a free core, all threads together: ([\d.]+) %", said[0])
    assert float(told[1]) == pytest.approx(waited, rel=0.05)
    assert float(told[2]) == pytest.approx(100 * waited / (waited + used), abs=3)


def timeline(path, **fields):
    """A run of 10 s, 8 s of them on a core, with FIELDS in each of its samples."""
    lines = [{"type": "start", "version": 1, "t": 1795249143.5, "argv": ["job"], "pid": 1, "interval": 1, "ncpu": 2}]
    lines += [{"ts": i, "cpu_pct": 80, "rss_mb": 10, **fields} for i in range(11)]
    lines += [{"type": "end", "t": 1795249153.5, "wall": 10, "exit": 0, "signal": None, "core": False,
               "rusage": {"utime": 8, "stime": 0, "maxrss_kb": 10240}}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


BLAMES = {
    "the pressure of the machine": ({"psi_cpu_some_pct": 90, "psi_io_some_pct": 90, "psi_mem_some_pct": 90}, None),
    "pressure of a group": ({"cg_psi_cpu_some_pct": 90, "cg_psi_mem_some_pct": 90, "cg_psi_io_some_pct": 90}, None),
    "disk pressure of a group, and the run used the disk": (
        {"cg_psi_io_some_pct": 50, "disk_read_mb_s": 5}, "5.00 s waiting for disk in its control group"),
    "a limit that others ran into": ({"throttled_pct": 90, "cpu_wait_pct": 0.1}, None),
    "a limit that it ran into": ({"throttled_pct": 20, "cpu_wait_pct": 25}, "2.00 s held back by the CPU limit"),
    "its own threads": ({"cpu_wait_pct": 40}, "4.00 s waiting for a free core"),
}


@pytest.mark.parametrize("name", BLAMES)
def test_a_finding_blames_only_what_the_run_wanted(program, tmp_path, name):
    fields, expected = BLAMES[name]
    told = findings(program, timeline(tmp_path / "timeline.jsonl", **fields), folder=tmp_path)
    blames = [text for text in told if "waiting" in text or "held back" in text]
    assert any(expected in text for text in blames) if expected else not blames


def test_a_short_command_uses_no_more_cores_than_it_has_threads(program, tmp_path):
    for _ in range(5):
        program("record", "-q", "-o", tmp_path / "run", "--interval", "0.01", "--", sys.executable, "-S", "-c",
                "sum(range(2000000))")
        samples, end = samples_of(tmp_path / "run")
        assert max(sample.get("cpu_pct", 0) for sample in samples[1:-1]) <= 101
        used = end["rusage"]["utime"] + end["rusage"]["stime"]
        assert used <= end["wall"] * 1.05 + 0.002
