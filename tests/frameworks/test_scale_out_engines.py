# SPDX-License-Identifier: Apache-2.0
"""samples/scale_out.py on Ray and on Spark themselves; tests/samples has the same with Dask."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from frameworks import framework

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
WHOLE = sorted(path for path in SAMPLES.glob("*.bin") if "cut" not in path.name and "killed" not in path.name)
COPIES = 16


@pytest.fixture(scope="module")
def captures(tmp_path_factory):
    """A few hundred, and one that no version of profrender can read."""
    folder = tmp_path_factory.mktemp("captures")
    for number in range(COPIES):
        for path in WHOLE:
            (folder / f"{number}-{path.name}").symlink_to(path)
    (folder / "newer.bin").write_bytes(b"memray\0\xff\0\0\0" + bytes(64))
    return folder


@pytest.fixture(scope="module")
def direct(captures, program, tmp_path_factory):
    """What `merge` makes of those that can be read."""
    out = tmp_path_factory.mktemp("direct") / "direct.prz"
    assert program("merge", *sorted(captures.glob("*-*.bin")), "-o", out).status == 0
    return out.read_bytes()


@pytest.fixture
def job(program, tmp_path):
    def run(engine, *words):
        programs = framework(engine)
        path = f"{programs}:{program.path.parent}:{Path(shutil.which('java') or '/usr/bin/java').parent}"
        start = [programs / "spark-submit"] if engine == "spark" else [programs / "python"]
        env = {**os.environ, "PATH": f"{path}:/usr/bin:/bin", "HOME": str(tmp_path), "RAY_USAGE_STATS_ENABLED": "0"}
        done = subprocess.run([*start, SAMPLES / "scale_out.py", *map(str, words), "--engine", engine], timeout=500,
                              capture_output=True, text=True, env=env)
        return done.returncode, done.stdout + done.stderr  # spark-submit writes the stderr of Python to its stdout
    return run


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_hundreds_of_captures_give_the_bytes_of_merge(engine, captures, direct, job, tmp_path):
    out, kept = tmp_path / "all.prz", tmp_path / "kept"
    status, said = job(engine, captures, "-o", out, "--workers", 2, "--resume", kept, "--strict")
    assert status == 3, said
    count = COPIES * len(WHOLE)
    assert f"the sum of {count} of {count + 1}" in said, said[-2000:]
    assert "newer.bin" in said and "header version 255" in said
    same = out.read_bytes() == direct
    assert same
    before = {path.name: path.stat().st_mtime_ns for path in kept.iterdir()}
    assert len(before) == len(WHOLE), "a digest for each file, whatever the number of its links"
    status, said = job(engine, captures, "-o", out, "--workers", 2, "--resume", kept)
    assert status == 0, said
    assert {path.name: path.stat().st_mtime_ns for path in kept.iterdir()} == before, "nothing is read again"
    same = out.read_bytes() == direct
    assert same
