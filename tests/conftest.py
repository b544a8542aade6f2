# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share: how it is run, and where real captures are.

    python3 -m pytest tests/publish                 one folder
    python3 -m pytest -k "link" tests               the tests whose names contain a word
    PROFRENDER=build/asan/profrender python3 -m pytest tests/record
"""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 300


@dataclass
class Answer:
    """What a call of the program gave: its exit status, stdout and stderr as text, stdout as bytes."""

    status: int
    out: str
    err: str
    bytes: bytes


class Program:
    """`program("table", capture)` runs build/profrender, or what PROFRENDER names, without a terminal."""

    def __init__(self, path):
        self.path = path

    def __call__(self, *words, **how):
        how = {"stdin": subprocess.DEVNULL, "timeout": LIMIT_S, **how}
        done = subprocess.run([str(word) for word in (self.path, *words)], capture_output=True, **how)
        return Answer(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"),
                      done.stdout)


@pytest.fixture(scope="session")
def program():
    path = ROOT / os.environ.get("PROFRENDER", "build/profrender")
    assert path.is_file(), f"{path} is not built: make"
    return Program(path)


@pytest.fixture(scope="session")
def samples():
    return ROOT / "samples"


@pytest.fixture(scope="session")
def shared():
    """Real captures with the truth, where they are; a test that needs them is skipped elsewhere."""
    folder = ROOT.parent / "shared/captures"
    if not folder.is_dir():
        pytest.skip("there is no ../shared/captures")
    return folder
