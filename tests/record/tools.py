# SPDX-License-Identifier: Apache-2.0
"""Profilers that the recorder starts: their files are in the run; without them, or with a command that cannot have
them, the reason is said and the command runs all the same."""

import os
import shutil
import subprocess
import sys

from packages import environment
from recording import record

WORK = ("import sys, time\n"
        "kept = [bytearray(1 << 20) for _ in range(3)]\n"
        "end = time.monotonic() + 1\n"
        "while time.monotonic() < end: sum(range(2000))\n"
        "sys.exit(7)")


def check_without_tools(tally, folder):
    empty = {**os.environ, "PATH": "/no-such-folder"}
    python = os.path.realpath(sys.executable)
    for tool in "py-spy", "perf", "austin":
        run = record(folder, python, "-c", "import time; time.sleep(0.5); exit(7)", options=["--cpu", tool], env=empty)
        tally.check(f"without {tool}: said, and run all the same", run.status == 7 and run.end and
                    run.err == f"profrender: no CPU profile: {tool} is not installed\n".encode(), run.err)
    run = record(folder, "sh", "-c", "exit 7", options=["--memray"])
    tally.check("memray of what is not Python", run.status == 7 and b"no memory capture: sh is not Python" in run.err,
                run.err)


def check_memray(tally, folder):
    programs = environment("profilers")
    if not programs:
        tally.skip("memray in the run", "it could not be installed")
        return
    python = str(programs / "python")
    script = folder.parent / "work.py"
    script.write_text(WORK)
    lines = {"a script": [str(script)], "options before it": ["-u", "-X", "dev", "-W", "ignore", str(script)],
             "a text": ["-c", WORK], "a module": ["-m", "work"], "both in one word": ["-um", "work"]}
    for name, words in lines.items():
        run = record(folder, python, *words, options=["--memray"], cwd=folder.parent)
        capture = folder / "memray.bin"
        tally.check(f"memray in the run: {name}", run.status == 7 and capture.exists() and
                    capture.stat().st_size > 500 and not run.out and not run.err, run.status, run.err)
        tally.check("the run has the command as it was given", run.start["argv"][1:3] == words[:2], run.start["argv"])
    script.write_text(f"#!{python}\n{WORK}")
    script.chmod(0o755)
    run = record(folder, str(script), options=["--memray"])
    tally.check("memray in the run: a script with its interpreter in the first line", run.status == 7 and
                (folder / "memray.bin").exists(), run.err)
    run = record(folder, python, "-m", "cProfile", "-o", os.devnull, str(script), options=["--memray"])
    tally.check("never two tools at one hook of the interpreter", run.end and b"cProfile" in run.err and
                not (folder / "memray.bin").exists(), run.err)


# How each tool is asked, without us, to profile a command: a sandbox may forbid to look into other processes.
ALONE = {"py-spy": "record -f speedscope -o {} --", "perf": "record -o {} --", "austin": "-o {}"}


def works_alone(program, words, python, folder):
    out = folder.parent / "alone"
    out.unlink(missing_ok=True)
    command = [program, *(word.format(out) for word in words.split()), python, "-c", "sum(range(10**7))"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    return done.returncode == 0 and out.exists()


def check_profilers(tally, folder):
    python = os.path.realpath(sys.executable)
    path = os.pathsep.join(map(str, filter(None, [environment("profilers"), os.environ["PATH"]])))
    for tool, file in (("py-spy", "cpu.speedscope.json"), ("perf", "cpu.perf.txt"), ("austin", "cpu.mojo")):
        name = f"{tool} beside the command"
        program = shutil.which(tool, path=path)
        if not program or not works_alone(program, ALONE[tool], python, folder):
            tally.skip(name, f"no {tool} that works here by itself")
            continue
        run = record(folder, python, "-c", WORK, options=["--cpu", tool], env={**os.environ, "PATH": path})
        tally.check(name, run.status == 7 and (folder / file).exists() and run.highest("nproc") == 1 and not run.err,
                    run.err, run.samples)


CHECKS = [check_without_tools, check_memray, check_profilers]
