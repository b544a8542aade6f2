#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a digest answer as the capture does that it was made of, byte for byte?

    python3 tests/digest/run.py build/profrender [CAPTURE...]      without captures: all of samples/, and those of the
                                                                   larger collection that is beside the project's root

Each command runs twice, over the capture (or the folder of a run, or a timeline) and over its digest, which have the
same name in two folders. Only `info` may differ: it says that it is a digest.

And does it matter how a sum was made? Some of the inputs, of any kind, are merged at once and then shuffled, in groups
of groups, some of them as digests, some as sums of one: all of it must give the same bytes.
"""

import json
import random
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
SUMS = 24  # how many sets of inputs are added up

VIEWS = ("peak", "leaks", "temporary", "allocated", "temporal-peak", "temporal-leaks")
COMMANDS = [
    *(["export", "--view", view, "--threads", threads] for view in VIEWS for threads in ("merge", "split")),
    *(["export", "--view", view, "--window", "b0:b2"] for view in ("peak", "leaks")),
    *(["export", "--view", view, "--bins", bins] for view in ("temporal-peak", "temporal-leaks") for bins in "147"),
    *(["export", "--native", native, "--threads", "split"] for native in ("off", "require")),
    ["export", "--format", "csv"],
    ["export"],
    *(["export", "--view", "series", "--format", form] for form in ("json", "csv")),
    ["table", "--json"],
    *(["table", "--metric", metric, "--json"] for metric in ("peak", "leaked", "temporary", "allocated")),
    ["table", "--group", "module", "--threads", "split"],
    ["table", "--group", "location", "--format", "csv"],
    ["stats"],
    ["stats", "--json"],
    ["info", "--json", "--samples", "all"],
    ["tree"],
    ["summary"],
    ["card", "-o", "-"],
    ["card", "--native", "off", "-o", "-"],
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
        if capture.is_dir() and "require" in arguments:
            continue  # of a folder, the file that lacks them is left out; a digest is refused as a whole
        want, got = (run(program, folder, [*arguments, capture.name]) for folder in folders)
        if "off" in arguments and got[0] == 3 and b"functions in the place of addresses" in got[2]:
            continue  # found on this machine when the digest was made
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
        (shutil.copytree if capture.is_dir() else shutil.copy)(capture, folders[0] / capture.name)
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


class Sums:
    """Ways to the sum of some inputs."""

    def __init__(self, program, folder, rng):
        self.program, self.folder, self.rng, self.made = program, folder, rng, 0

    def make(self, command, inputs):
        self.made += 1
        out = self.folder / f"{self.made}.prz"
        status, _, _ = run(self.program, self.folder, [command, "-q", *inputs, "-o", out])
        return out if status == 0 else None

    def grouped(self, inputs):
        """Groups of groups; None when one of them cannot be added up."""
        if len(inputs) == 1:
            how = self.rng.choice(["as it is", "digest", "merge"])
            return inputs[0] if how == "as it is" else self.make(how, inputs)
        at = self.rng.randrange(1, len(inputs))
        parts = [self.grouped(inputs[:at]), self.grouped(inputs[at:])]
        return self.make("merge", parts) if all(parts) else None

    def difference(self, inputs):
        whole, other = self.make("merge", inputs), self.grouped(self.rng.sample(inputs, len(inputs)))
        if not whole or not other:
            return None if whole == other else "either all at once or in groups they are refused"
        return None if other.read_bytes() == whole.read_bytes() else "another order or grouping gives another sum"


def compare_sums(program, captures, tally):
    rng = random.Random(4)
    readable = [path.resolve() for path in captures if run(program, ROOT, ["info", path.resolve()])[0] == 0]
    kinds = [[path for path in readable if path.suffix == ".bin"], readable]
    for number in range(SUMS):
        inputs = rng.sample(kinds[number % 4 == 0], min(rng.randrange(2, 8), len(kinds[number % 4 == 0])))
        with tempfile.TemporaryDirectory() as name:
            wrong = Sums(program, Path(name), rng).difference(inputs)
            tally.none(f"sum {number} of {len(inputs)}", [wrong, *map(str, inputs)] if wrong else [])


def main():
    program = Path(sys.argv[1]).resolve()
    named = [Path(name) for name in sys.argv[2:]]
    runs = [path for path in named if path.is_dir()]  # which have no sums here
    captures = [path for path in named if not path.is_dir()]
    if not named:
        runs = [ROOT / "samples/nightly"]
        runs += sorted(path for path in (ROOT / "samples/timeline").iterdir() if path.name != "expected.json")
        captures = sorted((ROOT / "samples").glob("*.bin"))
        captures += sorted(path for path in (ROOT / "samples/cpu").iterdir() if path.name != "expected.json")
        captures += sorted(COLLECTION.glob("*.bin"))[::7] if COLLECTION.is_dir() else []
    tally = Tally()
    for capture in captures + runs:
        compare(program, capture, tally)
    if captures:
        compare_sums(program, captures, tally)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
