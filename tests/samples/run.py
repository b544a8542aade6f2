#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""samples/scale_out.py on this machine, with Dask itself: a few hundred captures become the sum that `merge` makes.

    python3 tests/samples/run.py        needs build/profrender; Dask is installed into build/tests/dask
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))
from packages import environment  # noqa: E402
from tally import Tally  # noqa: E402

PROGRAM = ROOT / "build/profrender"
JOB = ROOT / "samples/scale_out.py"
COPIES = 16
SAMPLES = sorted((ROOT / "samples").glob("*.bin"))
WHOLE = [path for path in SAMPLES if "cut" not in path.name and "killed" not in path.name]


def job(programs, *words):
    done = subprocess.run([programs / "python", JOB, *map(str, words)], capture_output=True, text=True, timeout=400,
                          env={**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"})
    return done.returncode, done.stderr


def check_sum(tally, programs, folder):
    captures = folder / "captures"
    captures.mkdir()
    for number in range(COPIES):
        for path in WHOLE:
            (captures / f"{number}-{path.name}").symlink_to(path)
    count = COPIES * len(WHOLE)
    subprocess.run([PROGRAM, "merge", *sorted(captures.iterdir()), "-o", folder / "direct.prz"], check=True,
                   capture_output=True)
    for fan_in in 3, 16:
        status, said = job(programs, captures, "-o", folder / "all.prz", "--workers", 2, "--fan-in", fan_in)
        made = (folder / "all.prz").read_bytes() if (folder / "all.prz").exists() else b""
        tally.check(f"{count} captures, {fan_in} at a time, give the sum that merge makes, to the byte",
                    status == 0 and f"the sum of {count} of {count}" in said and
                    made == (folder / "direct.prz").read_bytes(), status, said)


def check_unreadable(tally, programs, folder):
    (folder / "newer.bin").write_bytes(b"memray\0\xff\0\0\0" + bytes(64))
    status, said = job(programs, WHOLE[0], folder / "newer.bin", "-o", folder / "some.prz", "--workers", 2, "--strict")
    tally.check("a capture that cannot be read is told and left out", status == 3 and "header version 255" in said and
                "the sum of 1 of 2" in said and (folder / "some.prz").exists(), status, said)
    status, said = job(programs, folder / "newer.bin", "-o", folder / "none.prz", "--workers", 1)
    tally.check("of nothing readable there is no sum", status == 3 and not (folder / "none.prz").exists(), status, said)


def main():
    tally = Tally()
    folder = Path(tempfile.mkdtemp(prefix="profrender-test-"))
    tally.check("the job is good Python", compile(JOB.read_text(encoding="utf-8"), JOB, "exec"))
    try:
        dask = environment("dask")
        if not dask:
            tally.skip("the job, run by Dask", "it could not be installed")
        else:
            check_sum(tally, dask, folder)
            check_unreadable(tally, dask, folder)
    finally:
        shutil.rmtree(folder)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
