# SPDX-License-Identifier: Apache-2.0
"""Processes that a recorded one starts: memray follows those that are forked, where it is asked to, and no others."""

import glob
import os
import resource

LEAST_S = 0.05  # of processor time: a command such as `uname` is not worth a word
# Of multiprocessing, and those that outlive recordings: they do nothing of the program's.
HELPERS = (b"resource_tracker", b"semaphore_tracker", b"profrender/_keeper.py", b"pytest_profrender.keeper")


def children():
    """Those that live, by their ids."""
    found = set()
    for path in glob.glob("/proc/self/task/*/children"):
        try:
            with open(path, encoding="ascii") as file:
                found.update(map(int, file.read().split()))
        except OSError:  # the thread has ended
            continue
    return found


def is_helper(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read()
    except OSError:
        return True  # it has ended
    return not words or any(name in words for name in HELPERS)


def used():
    """Processor time of those that have ended and were waited for."""
    so_far = resource.getrusage(resource.RUSAGE_CHILDREN)
    return so_far.ru_utime + so_far.ru_stime


class Started:
    """Those of a recorded part, from its beginning on."""

    def __init__(self):
        self.used = used()

    def note(self, capture, own=()):
        """
        What the card must say of them, or None. CAPTURE is memray's file, to which it adds .PID for each fork that it
        follows; OWN are processes that belong to the recording.
        """
        seconds = used() - self.used
        alive = sum(not is_helper(pid) for pid in children() - set(own))
        followed = len(glob.glob(f"{glob.escape(capture)}.*"))
        if seconds < LEAST_S and not alive:
            return None
        told = [f"used {seconds:.2f} s of processor time until they ended"] if seconds >= LEAST_S else []
        told += [f"still run, {alive} of them"] if alive else []
        if followed:  # whose time is among it
            return (f"The allocations of this process and of {followed} that it forked are on the card; those of "
                    "processes that it started in another way (spawn, forkserver, a command) are not. All that it "
                    f"started {' and '.join(told)}.")
        return (f"The allocations on the card are those of one process. Processes that it started "
                f"{' and '.join(told)}; what they allocated was not recorded.")
