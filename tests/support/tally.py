# SPDX-License-Identifier: Apache-2.0
"""Counts what a test script checks: a line for each check, the sum at the end (TAP without numbers).

    tally = Tally()
    tally.check("includes point one way", not wrong, *wrong)
    sys.exit(tally.finish())
"""

import standard_signals  # noqa: F401  (whoever counts checks ends programs by signals)


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, name, good, *details):
        """One check; the details are shown when it fails."""
        self.passed += bool(good)
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
        for detail in () if good else details:
            for line in str(detail).rstrip().splitlines():
                print(f"#   {line}", flush=True)
        return bool(good)

    def none(self, name, wrong):
        """A check that holds when nothing is wrong."""
        return self.check(name, not wrong, *wrong)

    def skip(self, name, why):
        self.skipped += 1
        print(f"ok - {name} # SKIP {why}", flush=True)

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)
        return 1 if self.failed or not self.passed else 0
