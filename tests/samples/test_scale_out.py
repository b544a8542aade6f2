# SPDX-License-Identifier: Apache-2.0
"""samples/scale_out.py on this machine, with Dask itself: a few hundred captures give the same sum as `merge`."""

import os
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
from packages import environment

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
JOB = SAMPLES / "scale_out.py"
WHOLE = sorted(path for path in SAMPLES.glob("*.bin") if "cut" not in path.name and "killed" not in path.name)
COPIES = 16
COUNT = COPIES * len(WHOLE)


@pytest.fixture(scope="module")
def job(program):
    """`job(WORDS)`: (exit status, stderr) of the job, run by Dask."""
    dask = environment("dask") or pytest.skip("dask could not be installed")

    def run(*words):
        done = subprocess.run([dask / "python", JOB, *map(str, words)], capture_output=True, text=True, timeout=400,
                              env={**os.environ, "PATH": f"{program.path.parent}:{os.environ['PATH']}"})
        return done.returncode, done.stderr
    return run


@pytest.fixture(scope="module")
def captures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("captures")
    for number in range(COPIES):
        for path in WHOLE:
            (folder / f"{number}-{path.name}").symlink_to(path)
    return folder


@pytest.fixture(scope="module")
def direct(captures, program, tmp_path_factory):
    """What `merge` makes of all of them at once."""
    out = tmp_path_factory.mktemp("direct") / "direct.prz"
    done = program("merge", *sorted(captures.iterdir()), "-o", out)
    assert done.status == 0
    return out.read_bytes()


def test_the_job_is_good_python():
    assert compile(JOB.read_text(encoding="utf-8"), JOB, "exec")


@pytest.mark.parametrize("fan_in", [3, 16])
def test_hundreds_of_captures_give_the_sum_that_merge_makes(fan_in, captures, direct, job, tmp_path):
    status, said = job(captures, "-o", tmp_path / "all.prz", "--workers", 2, "--fan-in", fan_in)
    assert status == 0, said
    assert f"the sum of {COUNT} of {COUNT}" in said
    same = (tmp_path / "all.prz").read_bytes() == direct
    assert same, said


def test_a_job_that_is_started_again_reads_only_what_is_new(captures, direct, job, program, tmp_path):
    kept = tmp_path / "kept"
    first, *others = sorted(captures.iterdir())[:5]
    assert job(first, "-o", tmp_path / "one.prz", "--workers", 1, "--resume", kept)[0] == 0
    before = {path: path.stat().st_mtime_ns for path in kept.iterdir()}
    assert len(before) == 1
    status, said = job(first, *others, "-o", tmp_path / "five.prz", "--workers", 2, "--resume", kept)
    assert status == 0, said
    assert len(list(kept.iterdir())) == 5
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert program("merge", first, *others, "-o", tmp_path / "direct.prz").status == 0
    same = (tmp_path / "five.prz").read_bytes() == (tmp_path / "direct.prz").read_bytes()
    assert same


def test_a_second_run_within_the_folder_of_captures_gives_the_same_sum(job, program, tmp_path):
    """Its own output and digests are there then; one of these was cut, as by a loss of power."""
    folder = tmp_path / "captures"
    folder.mkdir()
    for path in WHOLE[:3]:
        shutil.copy(path, folder)
    words = folder, "-o", folder / "all.prz", "--workers", 2, "--resume", folder / "kept"
    assert job(*words)[0] == 0
    first = (folder / "all.prz").read_bytes()
    sizes = {path: path.stat().st_size for path in (folder / "kept").iterdir()}
    next(iter(sizes)).write_bytes(b"")
    status, said = job(*words)
    assert (status, "the sum of 3 of 3" in said) == (0, True), said
    same = (folder / "all.prz").read_bytes() == first
    assert same
    assert {path: path.stat().st_size for path in (folder / "kept").iterdir()} == sizes


@pytest.fixture
def unreadable(tmp_path):
    path = tmp_path / "newer.bin"
    path.write_bytes(b"memray\0\xff\0\0\0" + bytes(64))
    return path


def test_what_cannot_be_read_is_named_and_left_out(unreadable, job, tmp_path):
    status, said = job(WHOLE[0], unreadable, "-o", tmp_path / "some.prz", "--workers", 2, "--strict")
    assert status == 3, said
    assert "header version 255" in said
    assert "the sum of 1 of 2" in said
    assert (tmp_path / "some.prz").exists()


def test_what_is_in_a_folder_and_cannot_be_opened_is_named_too(job, tmp_path):
    folder = tmp_path / "captures"
    folder.mkdir()
    shutil.copy(WHOLE[0], folder)
    (folder / "moved.bin").symlink_to("/nonexistent/capture.bin")
    status, said = job(folder, "-o", tmp_path / "some.prz", "--workers", 1, "--strict")
    assert status == 3 and "the sum of 1 of 2" in said and f"{folder}/moved.bin" in said, said


def test_a_folder_that_may_not_be_listed_is_one_that_cannot_be_read(monkeypatch, tmp_path):
    """root may list all, so the system's answer is ours."""
    names = runpy.run_path(str(JOB), run_name="job")
    (tmp_path / "theirs").mkdir()
    shutil.copy(WHOLE[0], tmp_path)
    listed = os.scandir

    def refuse(path):
        if str(path).endswith("theirs"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)
    monkeypatch.setattr(os, "scandir", refuse)
    found = list(names["captures_in"]([str(tmp_path)], tmp_path / "all.prz", None))
    assert found == [tmp_path / WHOLE[0].name, tmp_path / "theirs"]


def test_what_the_sum_lacks_is_said_once(job, tmp_path):
    """An aggregated capture has no temporary allocations, so their sum has none; merges of that sum say so again."""
    aggregated = SAMPLES / "leaky-py3.12-memray1.19.3-aggregate.bin"
    killed = SAMPLES / "killed-py3.12-memray1.20.0-default.bin"
    others = [path for path in WHOLE if path != aggregated][:3]
    status, said = job(aggregated, killed, *others, "-o", tmp_path / "all.prz", "--workers", 1, "--fan-in", 2)
    assert status == 0, said
    assert said.count("'temporary' is left out") == 1, said
    assert said.count("not complete") == 1 and f"{killed}: not complete" in said, said


def test_nothing_readable_has_no_sum(unreadable, job, tmp_path):
    status, said = job(unreadable, "-o", tmp_path / "none.prz", "--workers", 1)
    assert status == 3, said
    assert not (tmp_path / "none.prz").exists()
