# SPDX-License-Identifier: Apache-2.0
"""Tachyon's recordings, compared with what CPython 3.15 itself says of them, and with what they were written from.

What is recorded here needs python3.15 on PATH; else it is skipped.
"""

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "samples/cpu/etl.pyspy.speedscope.json"
SAMPLE = ROOT / "samples/cpu/etl.tachyon"
FORMS = {"packed": [], "plain": ["--plain"], "big-endian": ["--big-endian"], "old": ["--old", "--plain"]}


def written(path, *options):
    writer = ROOT / "tests/support/speedscope_to_tachyon.py"
    subprocess.run([sys.executable, writer, SOURCE, path, *options], check=True)
    return path


def stacks(program, path, metric, *options):
    records = program("export", path, "--metric", metric, *options).json()["records"]
    return {tuple(map(tuple, record["stack"])): (round(record["self"] * 1e6), record["samples"]) for record in records}


def test_the_sample_is_what_the_writer_writes(tmp_path):
    assert written(tmp_path / "etl").read_bytes()[:28] == SAMPLE.read_bytes()[:28]


@pytest.mark.parametrize("form", FORMS)
def test_stacks_are_those_of_the_source(form, program, tmp_path):
    metric = "time" if form == "old" else "wall"
    source = stacks(program, SOURCE, program("info", SOURCE, "--json").json()["metrics"][0]["name"])
    want = {stack: (self_us, round(self_us / 4000)) for stack, (self_us, _) in source.items()}
    assert stacks(program, written(tmp_path / "etl", *FORMS[form]), metric) == want


def test_states_are_metrics(program):
    on_cpu, every = (sum(count for _, count in stacks(program, SAMPLE, metric).values())
                     for metric in ("on_cpu", "wall"))
    assert 0 < on_cpu < every
    assert stacks(program, SAMPLE, "on_cpu") == stacks(program, SAMPLE, "has_gil")


def test_a_window_has_its_samples(program):
    parts = [program("table", SAMPLE, "--json", "--window", window).json()["total"]
             for window in ("0:0.2", "0.2:5", "0:5")]
    assert parts == pytest.approx([0.2, 0.512, 0.712])


@pytest.mark.parametrize("form", FORMS)
def test_a_cut_recording_keeps_what_is_before_the_cut(form, program, tmp_path):
    path = written(tmp_path / "etl", *FORMS[form])
    data = path.read_bytes()
    seen = 0
    for length in range(0, len(data), 37):
        answer = program("info", "-", "--json", input=data[:length])
        assert answer.status in (0, 3)
        if answer.status == 0:
            seen += 1
            assert answer.json()["complete"] is False
    assert seen


# ---- recordings of CPython itself -----------------------------------------------------------------------------------

MODES = {"wall": ["-a"], "cpu": ["-a", "--mode=cpu"], "gil": ["-a", "--mode=gil"],
         "exception": ["-a", "--mode=exception"], "plain": ["-a", "--compression=none"], "native": ["-a", "--native"],
         "opcodes": ["-a", "--opcodes"]}
PROGRAM = """
import gc, threading, time
def weigh(n):
    return sum(i * i for i in range(n))
def refuse(n):
    try:
        raise ValueError(n)
    except ValueError:
        return weigh(n)
def work():
    for _ in range(60):
        weigh(3000)
        refuse(3000)
        gc.collect()
threads = [threading.Thread(target=work), threading.Thread(target=time.sleep, args=(0.2,))]
for one in threads:
    one.start()
work()
for one in threads:
    one.join()
"""


@pytest.fixture(scope="module", params=MODES)
def recorded(request, tmp_path_factory):
    """(recording, {(thread, stack from the root): samples} of Tachyon's own reader)"""
    python = shutil.which("python3.15")
    if not python:
        pytest.skip("python3.15 is not on PATH")
    folder = tmp_path_factory.mktemp("tachyon")
    (folder / "own.py").write_text(PROGRAM, encoding="utf-8")
    sampling = [python, "-m", "profiling.sampling"]
    done = subprocess.run([*sampling, "run", *MODES[request.param], "--binary", "-r", "500", "-o", folder / "own.bin",
                           folder / "own.py"], capture_output=True, check=False)
    if done.returncode or not (folder / "own.bin").exists():
        pytest.skip("this machine does not let a process read the memory of its child")
    subprocess.run([*sampling, "replay", "--collapsed", "-o", folder / "own.folded", folder / "own.bin"], check=True,
                   capture_output=True)
    want = Counter()
    for line in (folder / "own.folded").read_text(encoding="utf-8").splitlines():
        stack, _, count = line.rpartition(" ")
        thread, *frames = stack.split(";")
        want[thread, tuple(frames)] += int(count)
    return folder / "own.bin", want


def own_name(function, file, line):
    """A frame as Tachyon prints it."""
    return f"{file}:{function}:{line}" if file else function


def test_stacks_are_those_that_cpython_replays(recorded, program):
    """It leaves out frames of its own that start the program, and shortens paths: files are compared by their names."""
    path, replayed = recorded
    want, got = Counter(), Counter()
    for (thread, frames), count in replayed.items():
        want[thread, tuple(frame.rpartition("/")[2] for frame in frames)] += count
    for record in program("export", path, "--threads", "split").json()["records"]:
        frames = [own_name(function, (file or "").rpartition("/")[2], line)
                  for function, file, line in reversed(record["stack"])]
        kept = tuple(frame for frame in frames if not frame.startswith("_sync_coordinator.py:"))
        got[f"tid:{record['tid']}", kept] += record["samples"]
    assert got == want
