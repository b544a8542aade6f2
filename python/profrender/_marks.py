# SPDX-License-Identifier: Apache-2.0
"""mark: names the phase of a recorded run that begins now."""

import json
import os
import threading
import time

VARIABLE = "PROFRENDER_MARKS"
NAME_BYTES = 200

_lock = threading.Lock()
_open = []  # recordings of this process: (timeline, start)


def begin(timeline, start):
    with _lock:
        _open.append((timeline, start))


def end(timeline):
    with _lock:
        _open[:] = [one for one in _open if one[0] != timeline]


def mark(name):
    """
    From here to the next mark, or to the end, the recorded run is in the phase `name`.

    Inside of `profrender record` and of a `record` block or function it is written down; elsewhere nothing happens.
    Any thread may call it. It never raises for want of a recorder.
    """
    text = "".join(" " if ord(c) < 32 or ord(c) == 127 else c for c in str(name)).strip()
    text = text.encode("utf-8", "backslashreplace")[:NAME_BYTES].decode("utf-8", "ignore")
    if not text:
        return
    with _lock:
        for timeline, start in _open:
            _append(timeline, json.dumps({"type": "mark", "ts": time.time() - start, "mark": text}) + "\n")
    path = os.environ.get(VARIABLE)
    if path:
        moment = time.clock_gettime_ns(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else ""
        _write(path, os.O_WRONLY | os.O_NONBLOCK, f"{moment} {text}\n".encode())


def _append(path, line):
    _write(path, os.O_WRONLY | os.O_APPEND, line.encode())


def _write(path, flags, line):
    try:
        file = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))
        try:
            os.write(file, line)
        finally:
            os.close(file)
    except OSError:
        pass
