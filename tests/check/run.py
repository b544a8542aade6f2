#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the terminal reports and the checks promise, end to end.

    python3 tests/check/run.py [PART...]                              with build/profrender
    PROFRENDER=build/asan/profrender python3 tests/check/run.py       with another program
"""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE)]
import cards  # noqa: E402
import checks  # noqa: E402
import trees  # noqa: E402
from tally import Tally  # noqa: E402

PARTS = {"trees": trees.test, "checks": checks.test, "cards": cards.test}


def main():
    tally = Tally()
    for name in sys.argv[1:] or PARTS:
        PARTS[name](tally)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
