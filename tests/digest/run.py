#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a digest answer as the capture does that it was made of, byte for byte?

    python3 tests/digest/run.py build/profrender [CAPTURE...]      without captures: all of samples/, and those of the
                                                                   larger collection that is beside the project's root

Each command runs twice, over the capture and over its digest, which have the same name in two folders. Only `info` may
differ: it says that it is a digest.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))
from tally import Tally  # noqa: E402

COLLECTION = ROOT.parent / "shared" / "captures" / "memray"
LIMIT_S = 120

VIEWS = ("peak", "leaks", "temporary", "allocated", "temporal-peak", "temporal-leaks")
COMMANDS = [
    *(["export", "--view", view, "--threads", threads] for view in VIEWS for threads in ("merge", "split")),
    *(["export", "--view", view, "--window", "b0:b2"] for view in ("peak", "leaks")),
    *(["export", "--view", view, "--bins", bins] for view in ("temporal-peak", "temporal-leaks") for bins in "147"),
    *(["export", "--native", native, "--threads", "split"] for native in ("off", "require")),
    ["export", "--format", "csv"],
    *(["table", "--metric", metric, "--json"] for metric in ("peak", "leaked", "temporary", "allocated")),
    ["table", "--group", "module", "--threads", "split"],
    ["table", "--group", "location", "--format", "csv"],
    ["stats"],
    ["stats", "--json"],
    ["info", "--json", "--samples", "all"],
    ["card", "-o", "-"],
]


def run(program, folder, arguments):
    """(exit status, stdout, stderr)"""
    done = subprocess.run([program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=LIMIT_S)
    return done.returncode, done.stdout, done.stderr


def without_digest(answer):
    status, out, said = answer
    if not out:
        return answer
    document = json.loads(out)
    document.pop("digest", None)
    return status, document, said


def differences(program, capture, folders):
    for arguments in COMMANDS:
        want, got = (run(program, folder, [*arguments, capture.name]) for folder in folders)
        if arguments[0] == "info":
            if got[1] and "digest" not in json.loads(got[1]):
                yield "info does not say that it is a digest"
            want, got = without_digest(want), without_digest(got)
        for what, a, b in zip(("exit status", "output", "stderr"), want, got):
            refused = what == "stderr" and want[0] == got[0] == 3 and a and b  # each with its own reason
            if a != b and not refused:
                yield f"{' '.join(arguments)}: {what} differs"


def compare(program, capture, tally):
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name) / "capture", Path(name) / "digest"]
        for folder in folders:
            folder.mkdir()
        shutil.copy(capture, folders[0])
        status, _, said = run(program, folders[0], ["digest", "-q", capture.name, "-o", "../digest/" + capture.name])
        if status:
            refused = run(program, folders[0], ["info", capture.name])
            tally.check(f"{capture.name}: no digest of what cannot be read", refused[0] == status == 3, said)
            return
        again = folders[1] / "again"
        run(program, folders[1], ["digest", "-q", capture.name, "-o", again.name])
        wrong = list(differences(program, capture, folders))
        if again.read_bytes() != (folders[1] / capture.name).read_bytes():
            wrong.append("the digest of a digest is another one")
        tally.none(capture.name, wrong)


def main():
    program = Path(sys.argv[1]).resolve()
    captures = [Path(name) for name in sys.argv[2:]]
    if not captures:
        captures = sorted((ROOT / "samples").glob("*.bin"))
        captures += sorted(COLLECTION.glob("*.bin"))[::7] if COLLECTION.is_dir() else []
    tally = Tally()
    for capture in captures:
        compare(program, capture, tally)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
