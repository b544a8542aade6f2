#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands and what they must print, a folder each, compared byte by byte.

    python3 tests/golden/run.py                    all cases, with build/profrender
    python3 tests/golden/run.py table-leaks        some of them
    PROFRENDER=build/asan/profrender python3 tests/golden/run.py           with another program
    python3 tests/golden/run.py --record           writes down what the program prints now: read the diff like code

A case has `cmd`, a line for the shell, run at the root of the repository, and one or both of
    expected.txt | expected.json | expected.csv    what stands on standard output; without one: nothing
    error                                          "exit status N", then what stands on standard error; without it:
                                                   status 0 and nothing
"""

import json
import os
import subprocess
import sys
import tempfile
from difflib import unified_diff
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))
from tally import Tally  # noqa: E402

LIMIT_S = 120
MOST_LINES = 40  # of a difference


def environment():
    """The same everywhere: no terminal, no colours, no width of one's own; `profrender` is the one that was built."""
    kept = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}
    program = ROOT / os.environ.get("PROFRENDER", "build/profrender")
    return {**kept, "PATH": f"{program.parent}:/usr/bin:/bin", "LC_ALL": "C", "TMPDIR": tempfile.gettempdir()}


def run(case):
    """(stdout, what `error` must hold) of a case; both are bytes."""
    command = (case / "cmd").read_text(encoding="utf-8")
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL,
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


def record(case):
    output, error = run(case)
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


def check(case):
    output, error = run(case)
    wanted = expected_file(case)
    want_error = (case / "error").read_bytes() if (case / "error").exists() else b""
    return (differences("output", wanted.read_bytes() if wanted else b"", output) +
            differences("error", want_error, error))


def main():
    names = [name for name in sys.argv[1:] if name != "--record"]
    cases = sorted(path.parent for path in HERE.glob("*/cmd") if not names or path.parent.name in names)
    if "--record" in sys.argv:
        for case in cases:
            record(case)
        return 0
    tally = Tally()
    for case in cases:
        tally.none(case.name, check(case))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
