# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share: how it is run, and where real captures are.

    python3 -m pytest tests/publish                 one folder
    python3 -m pytest -k "link" tests               the tests whose names contain a word
    PROFRENDER=build/asan/profrender python3 -m pytest tests/record

Helpers are next to the tests that use them, or in tests/support; their names are unique, like those of test files.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import standard_signals  # noqa: E402, F401

LIMIT_S = 300
SHOWN = 3000  # characters of an output, where a test fails

sys.dont_write_bytecode = True
for name in ("COLUMNS", "LINES"):  # readline, which pytest loads, sets them for all programs that are started
    os.environ.pop(name, None)
    os.unsetenv(name)


@dataclass(repr=False)
class Answer:
    """The result of a call of the program: its exit status, stdout and stderr as text, stdout as bytes."""

    status: int
    out: str
    err: str
    bytes: bytes

    def json(self):
        """The document on stdout."""
        return json.loads(self.bytes)

    def __repr__(self):
        return f"exit status {self.status}, stderr {self.err[:SHOWN]!r}, stdout {self.out[:SHOWN]!r}"


class Program:
    """`program("table", capture)` runs build/profrender, or what PROFRENDER names, without a terminal."""

    def __init__(self, path):
        self.path = path

    def __call__(self, *words, **how):
        if "input" not in how:
            how.setdefault("stdin", subprocess.DEVNULL)
        how = {"timeout": LIMIT_S, **how}
        done = subprocess.run([str(self.path), *(word if isinstance(word, bytes) else str(word) for word in words)],
                              capture_output=True, **how)
        return Answer(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"),
                      done.stdout)


@pytest.fixture(scope="session")
def program():
    path = ROOT / os.environ.get("PROFRENDER", "build/profrender")
    assert path.is_file(), f"{path} is not built: make"
    return Program(path)


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def samples():
    return ROOT / "samples"


@pytest.fixture(scope="session")
def shared():
    """Real captures with known results, if present; a test that needs them is skipped elsewhere."""
    folder = ROOT.parent / "shared/captures"
    if not folder.is_dir():
        pytest.skip("there is no ../shared/captures")
    return folder
