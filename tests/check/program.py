# SPDX-License-Identifier: Apache-2.0
"""The program under test, and the samples."""
import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = str(ROOT / os.environ.get("PROFRENDER", "build/profrender"))
SAMPLES = sorted((ROOT / "samples").glob("*.bin"))
SAMPLES += sorted(path for path in (ROOT / "samples" / "cpu").iterdir() if path.name != "expected.json")
LIMIT_S = 120


def run(*arguments, **how):
    """(status, stdout, stderr) as text."""
    how.setdefault("cwd", ROOT)
    done = subprocess.run([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=LIMIT_S, **how)
    return done.returncode, done.stdout, done.stderr


def document(*arguments):
    """The JSON that the program prints; None where the input cannot have it."""
    status, output, _ = run(*arguments)
    return json.loads(output) if status == 0 else None
