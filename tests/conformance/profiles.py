#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the program say about the profiles of other tools what trusted readers of them say?

    python3 tests/conformance/profiles.py build/profrender [--samples-only]

Compares samples/cpu/ with its expected.json: for each file the format, unit and total, and functions with their own and
their total weight, as the reader that is named there computed them. Then reads each sample again without its name,
through a pipe and behind each packing: the answer is the same. The larger collection beside the project's root is
compared where that is at hand.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SAMPLES = ROOT / "samples" / "cpu"
COLLECTION = ROOT.parent / "shared" / "captures"
PACKINGS = {"gzip": ["gzip", "-c"], "zstd": ["zstd", "-qc"], "lz4": ["lz4", "-qc"]}
RELATIVE = 1e-6
sys.path.insert(0, str(HERE.parent / "support"))
from tally import Tally  # noqa: E402


def answer(program, command, data):
    """What the program writes about DATA on its standard input: it sees no name."""
    done = subprocess.run([program, *command], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise ValueError(f"exit status {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def close(want, got):
    return abs(want - got) <= abs(want) * RELATIVE


def same_place(want, row):
    if want["file"] is not None and row["file"] is not None and not row["file"].endswith(want["file"]):
        return False
    return row["function"] == want["function"] and want["line"] in (None, row["line"])


def differences(program, data, want):
    info = json.loads(answer(program, ["info", "-", "--json"], data))
    table = json.loads(answer(program, ["table", "-", "--json", "--group", want["group"]], data))
    if info["format"] != want["format"]:
        yield f"format: {info['format']}, expected {want['format']}"
    if table["unit"] != want["unit"]:
        yield f"unit: {table['unit']}, expected {want['unit']}"
    if not close(want["total"], table["total"]):
        yield f"total: {table['total']}, expected {want['total']}"
    for expected in want["rows"]:
        found = [row for row in table["rows"] if same_place(expected, row)]
        for field in {"self", "total"} & expected.keys():
            if not any(close(expected[field], row[field]) for row in found):
                yield f"{field} of {expected['function']}: {[row[field] for row in found]}, expected {expected[field]}"


def whole_answer(program, data):
    return b"".join(answer(program, command, data) for command in (["table", "-", "--json"], ["export", "-"]))


def compare_samples(program, tally):
    expected = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
    for path in sorted(set(SAMPLES.iterdir()) - {SAMPLES / "expected.json"}):
        data = path.read_bytes()
        if path.name in expected:
            tally.none(f"{path.name}: as {expected[path.name]['read_by']} has it",
                       list(differences(program, data, expected[path.name])))
        plain = whole_answer(program, data)
        by_name = b"".join(answer(program, [command, path, *more], b"")
                           for command, *more in (["table", "--json"], ["export"]))
        tally.check(f"{path.name}: the same from a pipe", by_name == plain)
        for packing, command in PACKINGS.items():
            packed = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout
            tally.check(f"{path.name}: the same behind {packing}", whole_answer(program, packed) == plain)


def compare_collection(program, tally):
    command = [sys.executable, COLLECTION / "check.py", program, COLLECTION / "cpu"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    closing = re.search(r"^(\d+) passed, (\d+) failed$", done.stdout, re.M)
    print("".join(f"# {line}\n" for line in done.stdout.splitlines() if line != (closing and closing[0])), end="")
    if closing:
        tally.passed += int(closing[1])
        tally.failed += int(closing[2])
    else:
        tally.check("the collection can be compared", False, f"exit status {done.returncode}")


def main():
    program = Path(sys.argv[1]).resolve()
    tally = Tally()
    compare_samples(program, tally)
    if "--samples-only" not in sys.argv:
        if COLLECTION.is_dir():
            compare_collection(program, tally)
        else:
            tally.skip("the large collection of profiles", "there is no ../shared/captures")
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
