# SPDX-License-Identifier: Apache-2.0
"""Third-party packages of npm that tests compare with: tests/requirements/NAME/package-lock.json pins them,
build/tests/NAME/node_modules contains them."""

import fcntl
import shutil
import subprocess

from packages import REQUIREMENTS, ROOT


def node_modules(name):
    """(the folder of packages, ""); (None, why not) if they cannot be installed."""
    place = ROOT / "build" / "tests" / name
    place.mkdir(parents=True, exist_ok=True)
    pins = (REQUIREMENTS / name / "package-lock.json").read_text(encoding="utf-8")
    ready = place / "ready.json"  # a copy, written when all is installed
    with (place.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two parts of the tests may want it at once
        if not ready.exists() or ready.read_text(encoding="utf-8") != pins:
            for file in ("package.json", "package-lock.json"):
                shutil.copy(REQUIREMENTS / name / file, place)
            done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=place,
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600, check=False)
            if done.returncode != 0:
                return None, done.stderr
            ready.write_text(pins, encoding="utf-8")
    return place / "node_modules", ""
