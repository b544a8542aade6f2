# SPDX-License-Identifier: Apache-2.0
"""A real control group with a limit of memory, where this machine lets us create one."""

import contextlib
import os
import time
from pathlib import Path

import pytest

PATIENCE_S = 30


def own_group():
    """The folder of this process's group of version 1 for memory, or None."""
    lines = (line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines())
    path = next((path for _, controllers, path in lines if "memory" in controllers.split(",")), None)
    folder = Path("/sys/fs/cgroup/memory") / (path or "").lstrip("/")
    return folder if path and (folder / "memory.limit_in_bytes").exists() else None


def remove(group):
    """Once all processes in it have ended: those that outlive what they look after need a moment."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            return group.rmdir()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


@contextlib.contextmanager
def limited_group(size):
    """Its folder. A process enters it by writing its id to `cgroup.procs`. Elsewhere the test is skipped."""
    above = own_group() or pytest.skip("no control group of version 1 for memory")
    group = above / f"profrender-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(size))
    except OSError as error:
        pytest.skip(f"no rights to make a control group: {error.strerror}")
    try:
        yield group
    finally:
        remove(group)


def within(group, *words):
    """WORDS as a command that runs in GROUP."""
    return ["sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$@"', "sh", *map(str, words)]
