# SPDX-License-Identifier: Apache-2.0
"""The Python module with libraries of tables: `job(TEXT)` runs a script that has a frame of pandas, `df`."""

import json
import subprocess
from pathlib import Path

import pytest
from packages import environment

ROOT = Path(__file__).resolve().parent.parent.parent
HEAD = """
import json, pathlib, sys
sys.path.insert(0, MODULE)
BLOCKED
import pandas as pd
import profrender
df = pd.DataFrame({"whole": [1, 2, None], "real": [0.5, 2.5, 2.5], "flag": [True, False, True],
                   "moment": pd.to_datetime(["2026-01-01 10:00"] * 3), "text": ["a", "NA", "<b>"],
                   "kind": pd.Categorical(["x", "y", "x"])}).astype({"whole": "Int64"})
def card(table, title=None, **how):
    return profrender.frame(table, title, program=PROGRAM, **how)
def show(value):
    print(json.dumps(value))
def types(table):
    told = card(table).to_json()
    show([told["rows"], told["missing"], *(column["type"] for column in told["columns"])])
"""


@pytest.fixture(scope="module")
def python():
    folder = environment("frames")
    assert folder, "pandas cannot be installed"

    def run(text, tmp, program, without=()):
        blocked = "\n".join(f"sys.modules[{name!r}] = None" for name in without)
        head = HEAD.replace("MODULE", repr(str(ROOT / "python"))).replace("PROGRAM", repr(str(program)))
        script = tmp / "job.py"
        script.write_text(head.replace("BLOCKED", blocked) + text, encoding="utf-8")
        done = subprocess.run([folder / "python", "-W", "ignore", script], cwd=tmp, capture_output=True, text=True,
                              timeout=120)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]
    return run


@pytest.fixture
def job(python, program, tmp_path):
    return lambda text, **how: python(text, tmp_path, program.path, **how)
