# SPDX-License-Identifier: Apache-2.0
"""Commands and what they must print, a folder each, compared byte by byte.

    python3 -m pytest tests/golden                        all cases, with build/profrender
    python3 -m pytest tests/golden -k table-leaks         some of them
    python3 -m pytest tests/golden -k table-leaks --record        writes down what the program prints now: read the
                                                                  diff like code

A case has `cmd`, a line for the shell, run at the root of the repository, and one or both of
    expected.txt | expected.json | expected.csv    what is on standard output; without one: nothing
    error                                          "exit status N", then what is on standard error; without it: status
                                                   0 and nothing
"""

import json
import os
import subprocess
import tempfile
from difflib import unified_diff
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIMIT_S = 120
MOST_LINES = 40  # of a difference


def environment(program):
    """The same everywhere: no terminal, no colours, no width setting; `profrender` is the one that was built."""
    kept = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}
    return {**kept, "PATH": f"{program.path.parent}:/usr/bin:/bin", "LC_ALL": "C", "TMPDIR": tempfile.gettempdir()}


def run(case, program):
    """(stdout, expected contents of `error`) of a case; both are bytes."""
    command = (case / "cmd").read_text(encoding="utf-8")
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, env=environment(program), stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=LIMIT_S)
    quiet = done.returncode == 0 and not done.stderr
    return done.stdout, b"" if quiet else f"exit status {done.returncode}\n".encode() + done.stderr


def expected_file(case):
    return next((path for path in case.iterdir() if path.name.startswith("expected.")), None)


def kind_of(output):
    try:
        return "json" if isinstance(json.loads(output), dict) else "txt"
    except ValueError:
        return "csv" if output.split(b"\n")[0].count(b",") > 3 and b" " not in output.split(b"\n")[0] else "txt"


def record(case, output, error):
    for old in (expected_file(case), case / "error"):
        if old and old.exists():
            old.unlink()
    if output:
        (case / f"expected.{kind_of(output)}").write_bytes(output)
    if error:
        (case / "error").write_bytes(error)


def differences(name, want, got):
    if want == got:
        return []
    lines = [text.decode("utf-8", "backslashreplace").splitlines() for text in (want, got)]
    shown = list(unified_diff(*lines, f"expected {name}", f"printed {name}", lineterm=""))
    return shown[:MOST_LINES] + ["..."] * (len(shown) > MOST_LINES) or [f"{name}: the ends of lines differ"]


@pytest.mark.parametrize("case", sorted(path.parent for path in HERE.glob("*/cmd")), ids=lambda path: path.name)
def test_command(case, program, request):
    output, error = run(case, program)
    if request.config.getoption("--record"):
        record(case, output, error)
        return
    wanted = expected_file(case)
    want_error = (case / "error").read_bytes() if (case / "error").exists() else b""
    wrong = (differences("output", wanted.read_bytes() if wanted else b"", output) +
             differences("error", want_error, error))
    assert not wrong, "\n".join(wrong)
