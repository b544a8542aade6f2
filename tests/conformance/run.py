#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the program say the same about captures as memray's own reader?

    python3 tests/conformance/run.py build/profrender [--samples-only]

Compares all of samples/, and the larger collection of captures beside the project's root where that is at hand.
"""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))
from samples import Sample  # noqa: E402
from tally import Tally  # noqa: E402

COLLECTION = ROOT.parent / "shared" / "captures"


def compare_samples(program, tally):
    for path in sorted((ROOT / "samples").glob("*.expected.json")):
        sample = Sample(program, path.with_name(path.name.replace(".expected.json", ".bin")))
        for name, differences in sample.documents():
            try:
                wrong = list(differences)
            except Exception as error:  # whatever a wrong document leads to is a difference
                wrong = [f"{type(error).__name__}: {error}"]
            tally.check(f"{sample.path.stem}: {name}", not wrong, *wrong[:5])


def compare_collection(program, tally):
    command = [sys.executable, COLLECTION / "check.py", program, COLLECTION / "memray", "--jobs", "2"]
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
            tally.skip("the large collection of captures", "there is no ../shared/captures")
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
