# SPDX-License-Identifier: Apache-2.0
"""Third-party packages that run tests or that tests compare with: tests/requirements/NAME.txt pins them,
build/tests/NAME contains them.

    python3 tests/support/packages.py NAME PROGRAM [ARGUMENT...]        installs them if need be, and runs a program

As `packages.py pytest pytest tests/golden -k table` does where this machine has no pytest of its own.
"""

import fcntl
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
READY = "requirements.txt"  # a copy, written when all is installed


def environment(name):
    """The folder of programs, `python` among them. None, with the reason on stderr, if they cannot be installed."""
    pins = (ROOT / "tests" / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    folder = ROOT / "build" / "tests" / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two parts of the tests may want it at once
        return installed(name, folder, pins)


def installed(name, folder, pins):
    ready = folder / READY
    if ready.exists() and ready.read_text(encoding="utf-8") == pins:
        return folder / "bin"
    print(f"installing {name} in {folder.relative_to(ROOT)}", file=sys.stderr)
    venv.create(folder, with_pip=True, clear=True)
    (folder / "wanted.txt").write_text(pins, encoding="utf-8")
    command = [folder / "bin" / "python", "-m", "pip", "install", "-q", "--only-binary", ":all:", "--no-deps", "-r",
               folder / "wanted.txt"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env={**os.environ, "PIP_RETRIES": "1"})
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
        return None
    (folder / "wanted.txt").rename(ready)
    return folder / "bin"


if __name__ == "__main__":
    programs = environment(sys.argv[1])
    if not programs:
        sys.exit(f"{sys.argv[1]} cannot be installed")
    os.execv(programs / sys.argv[2], [str(programs / sys.argv[2]), *sys.argv[3:]])
