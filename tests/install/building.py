# SPDX-License-Identifier: Apache-2.0
"""Runs make and what it built, as if from a separate shell."""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "samples/daily-sales.bin"
# Nothing of the calling make: no job server, no variables from its command line.
CLEAN = {name: value for name, value in os.environ.items() if not re.match(r"MAKE|MFLAGS|PREFIX$|DESTDIR$", name)}


def run(*command, cwd=ROOT, **environment):
    """(exit status, stdout, stderr)"""
    done = subprocess.run([str(word) for word in command], cwd=cwd, env={**CLEAN, **environment},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def card_of(program, folder):
    """The card that a program makes of capture.bin in a folder."""
    shutil.copy(SAMPLE, folder / "capture.bin")
    (folder / "card.html").unlink(missing_ok=True)
    status, _, said = run(program, "card", "capture.bin", "-o", "card.html", cwd=folder)
    assert status == 0, said
    return (folder / "card.html").read_bytes()
