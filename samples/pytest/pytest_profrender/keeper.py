# SPDX-License-Identifier: Apache-2.0
"""A process beside pytest: where pytest itself is killed, as for want of memory, it makes the cards and their index.

    python -m pytest_profrender.keeper JOB
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from . import pages, program

try:
    from profrender import _keeper as evidence
    from profrender import started_processes
except ImportError:  # the Python module of profrender is not installed: what the kernel knows is not asked
    evidence = started_processes = None

TESTS = "tests.jsonl"  # what is known of each test that has ended; the last line of a test counts
ENDED = "pytest ended while this test ran."
LOOK_S = 0.2


class Memory:
    """What the kernel has counted in the control group of this process."""

    def __init__(self, before=None):
        self.before = before if before is not None else evidence.Memory.find().now() if evidence else {}

    def rise(self):
        """Since the last time, in the words of a timeline."""
        found = evidence.oom(self.before) if evidence else {}
        self.__init__()
        return found


class Keeper:
    """In pytest. The keeper is told nothing while it waits: what it needs is in WORK."""

    def __init__(self, found, work, how):
        self.journal = (Path(work) / TESTS).open("a", encoding="utf-8", errors="backslashreplace")
        pidfd = os.pidfd_open(os.getpid()) if hasattr(os, "pidfd_open") else None
        job = {"pid": os.getpid(), "pidfd": pidfd, "program": found, "work": str(work), "how": how,
               "memory": Memory().before}
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__, json.dumps(job)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True, pass_fds=[] if pidfd is None else [pidfd])
        if pidfd is not None:
            os.close(pidfd)

    def note(self, test):
        with contextlib.suppress(OSError, ValueError):  # a full disk, a test that has closed all files
            self.journal.write(json.dumps(test) + "\n")
            self.journal.flush()

    def stop(self):
        with contextlib.suppress(OSError):
            self.journal.close()
        self.process.kill()
        self.process.wait()


def ended_tests(work):
    """{its id: what was noted of it}; a line that was cut is none."""
    found = {}
    for line in (work / TESTS).read_text(encoding="utf-8").splitlines():
        try:
            test = json.loads(line)
        except ValueError:
            continue
        found[test["test"]] = test
    return found


def interrupted(work):
    """(id, folder) of the tests that had begun and not ended."""
    for path in work.glob("*/run.json"):
        try:
            run = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue
        if "end_ms" not in run:
            yield run["name"], path.parent


def main():
    job = json.loads(sys.argv[1])
    while os.getppid() == job["pid"]:
        time.sleep(LOOK_S)
    code, signal = evidence.status(job["pid"], job["pidfd"]) if evidence else (None, None)
    work = Path(job["work"])
    if not work.is_dir():
        return
    memory, tests = Memory(job["memory"]).rise(), ended_tests(work)
    for name, run in interrupted(work):
        pages.end(run, ENDED, signal, memory)
        tests[name] = {"test": name, "outcome": "crashed", "seconds": None,
                       **program.figures(job["program"], run / "memray.bin")}
    pages.make(job["program"], list(tests.values()), work, **job["how"])
    shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
