# SPDX-License-Identifier: Apache-2.0
"""Third-party packages that run tests or that tests compare with: tests/requirements/NAME.txt pins them,
build/tests/NAME contains them.

    python3 tests/support/packages.py NAME PROGRAM [ARGUMENT...]        installs them if need be, and runs a program

As `packages.py pytest pytest tests/golden -k table` does where this machine has no pytest of its own.
"""

import fcntl
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
REQUIREMENTS = ROOT / "tests" / "requirements"
READY = "requirements.txt"  # a copy, written when all is installed


def environment(name):
    """The folder of programs, `python` among them. None, with the reason on stderr, if they cannot be installed."""
    pins = (REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8")
    folder = ROOT / "build" / "tests" / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two parts of the tests may want it at once
        return installed(name, folder, pins)


def installed(name, folder, pins):
    ready = folder / READY
    has_python = (folder / "bin/python").exists()  # a link to one that an upgrade of the machine may have removed
    if has_python and ready.exists() and ready.read_text(encoding="utf-8") == pins:
        return folder / "bin"
    print(f"installing {name} in {folder.relative_to(ROOT)}", file=sys.stderr)
    said = ""
    for install in (by_uv, by_pip) if name != "uv" else (by_pip,):
        failure = install(folder, pins)
        if failure is None:
            (folder / READY).write_text(pins, encoding="utf-8")
            return folder / "bin"
        said += failure
    print(said, file=sys.stderr)
    return None


def by_uv(folder, pins):
    """Takes a second or two where pip takes a minute. None, or why it could not."""
    uv = environment("uv")
    if not uv or pip_has_an_index_of_its_own(uv):
        return ""
    venv.create(folder, with_pip=False, clear=True)
    (pip,) = re.findall("^pip==.*$", (REQUIREMENTS / "uv.txt").read_text(encoding="utf-8"), re.M)
    env = {"UV_HTTP_RETRIES": "1", "UV_SYSTEM_CERTS": "1", **os.environ}
    if "PIP_CERT" in env:
        env.setdefault("SSL_CERT_FILE", env["PIP_CERT"])
    return failure_of([uv / "uv", "pip", "install", "-q", "--no-config", "-p", folder / "bin/python"],
                      folder, f"{pins}\n{pip}\n", env)


def pip_has_an_index_of_its_own(uv):
    """It is told where packages come from, which uv would not know."""
    said = subprocess.run([uv / "python", "-m", "pip", "config", "list"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True).stdout
    return re.search(r"\bindex", said) is not None


def by_pip(folder, pins):
    """None, or why it could not."""
    venv.create(folder, with_pip=True, clear=True)
    return failure_of([folder / "bin/python", "-m", "pip", "install", "-q"], folder, pins,
                      {**os.environ, "PIP_RETRIES": "1"})


def failure_of(install, folder, wanted, env):
    (folder / "wanted.txt").write_text(wanted, encoding="utf-8")
    command = [*install, "--only-binary", ":all:", "--no-deps", "-r", folder / "wanted.txt"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env)
    (folder / "wanted.txt").unlink()
    return None if done.returncode == 0 else done.stderr or f"status {done.returncode}\n"


if __name__ == "__main__":
    programs = environment(sys.argv[1])
    if not programs:
        sys.exit(f"{sys.argv[1]} cannot be installed")
    os.execv(programs / sys.argv[2], [str(programs / sys.argv[2]), *sys.argv[3:]])
