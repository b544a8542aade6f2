# SPDX-License-Identifier: Apache-2.0
"""Tests that end a program by Ctrl-C work also where the tests themselves were started with it ignored."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
CHILD = "import standard_signals, subprocess; print(subprocess.run(['sh', '-c', 'kill -{} $$; exit 3']).returncode)"


@pytest.mark.parametrize("name", ["INT", "QUIT", "HUP", "TERM"])
def test_an_ignored_signal_still_ends_a_child(name):
    number = signal.Signals[f"SIG{name}"]
    line = ["sh", "-c", f"trap '' {name}; exec \"$0\" -c \"$1\"", sys.executable, CHILD.format(name)]
    done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT / "tests/support", env={"PYTHONPATH": "."})
    assert done.stdout == f"{-number}\n", done.stderr
