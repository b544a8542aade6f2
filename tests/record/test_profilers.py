# SPDX-License-Identifier: Apache-2.0
"""Profilers that the recorder starts: their files are in the run; where they are missing or do not work with the
command, the reason is given and the command runs anyway."""

import os
import shutil
import subprocess
import sys

import pytest
from packages import environment
from recording import record

WORK = ("import sys, time\n"
        "kept = [bytearray(1 << 20) for _ in range(3)]\n"
        "end = time.monotonic() + 1\n"
        "while time.monotonic() < end: sum(range(2000))\n"
        "sys.exit(7)")
PYTHON = os.path.realpath(sys.executable)


@pytest.mark.parametrize("tool", ["py-spy", "perf", "austin"])
def test_without_a_profiler_the_command_runs_all_the_same(tool, folder):
    run = record(folder, PYTHON, "-c", "import time; time.sleep(0.5); exit(7)", options=["--cpu", tool],
                 env={**os.environ, "PATH": "/no-such-folder"})
    assert run.status == 7
    assert run.end
    assert run.err == f"profrender: no CPU profile: {tool} is not installed\n".encode()


# ---- memray ----------------------------------------------------------------------------------------------------------


def test_memray_of_what_is_not_python(folder):
    run = record(folder, "sh", "-c", "exit 7", options=["--memray"])
    assert run.status == 7
    assert b"no memory capture: sh is not Python" in run.err


@pytest.fixture(scope="session")
def python():
    """A Python that has memray."""
    programs = environment("profilers") or pytest.skip("memray could not be installed")
    return str(programs / "python")


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "work.py"
    path.write_text(WORK)
    return path


@pytest.mark.parametrize("words", [
    pytest.param(["work.py"], id="a script"),
    pytest.param(["-u", "-X", "dev", "-W", "ignore", "work.py"], id="options before it"),
    pytest.param(["-c", WORK], id="a text"),
    pytest.param(["-m", "work"], id="a module"),
    pytest.param(["-um", "work"], id="both in one word"),
])
def test_memray_in_the_run(words, python, script, folder):
    words = [str(script) if word == "work.py" else word for word in words]
    run = record(folder, python, *words, options=["--memray"], cwd=script.parent)
    assert (run.status, run.out, run.err) == (7, b"", b"")
    assert (folder / "memray.bin").stat().st_size > 500
    assert run.start["argv"][1:3] == words[:2], "the run has the command as it was given"


def test_memray_in_the_run_of_a_script_with_its_interpreter_in_the_first_line(python, script, folder):
    script.write_text(f"#!{python}\n{WORK}")
    script.chmod(0o755)
    run = record(folder, str(script), options=["--memray"])
    assert run.status == 7, run.err
    assert (folder / "memray.bin").exists()


def test_never_two_tools_at_one_hook_of_the_interpreter(python, script, folder):
    run = record(folder, python, "-m", "cProfile", "-o", os.devnull, str(script), options=["--memray"])
    assert run.end
    assert b"cProfile" in run.err
    assert not (folder / "memray.bin").exists()


# ---- CPU profilers ---------------------------------------------------------------------------------------------------

# How to make each tool profile a command without us: a sandbox may forbid looking into other processes.
ALONE = {"py-spy": "record -f speedscope -o {} --", "perf": "record -o {} --", "austin": "-o {}"}


def works_alone(program, words, folder):
    out = folder / "alone"
    command = [program, *(word.format(out) for word in words.split()), PYTHON, "-c", "sum(range(10**7))"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    return done.returncode == 0 and out.exists()


@pytest.mark.parametrize("tool, file", [("py-spy", "cpu.speedscope.json"), ("perf", "cpu.perf.txt"),
                                        ("austin", "cpu.mojo")])
def test_a_profiler_next_to_the_command(tool, file, folder, tmp_path):
    path = os.pathsep.join(map(str, filter(None, [environment("profilers"), os.environ["PATH"]])))
    program = shutil.which(tool, path=path)
    if not program or not works_alone(program, ALONE[tool], tmp_path):
        pytest.skip(f"no {tool} that works here by itself")
    run = record(folder, PYTHON, "-c", WORK, options=["--cpu", tool], env={**os.environ, "PATH": path})
    assert (run.status, run.err) == (7, b"")
    assert (folder / file).exists()
    assert run.highest("nproc") == 1, f"{run.samples}"
