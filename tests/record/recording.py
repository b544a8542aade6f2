# SPDX-License-Identifier: Apache-2.0
"""Runs `profrender record` and reads what it wrote.

    run = record(folder, "sh", "-c", "exit 3")
    run.status, run.out, run.err, run.start, run.samples, run.end, run.about
"""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / os.environ.get("PROFRENDER", "build/profrender")
LIMIT_S = 120


class Run:
    """The contents of a run's folder so far; a recorder that was killed has left no end."""

    def __init__(self, folder, status=None, out=b"", err=b""):
        self.folder, self.status, self.out, self.err = folder, status, out, err
        whole = self.text("timeline.jsonl").rpartition("\n")[0]  # the rest is being written now
        lines = [json.loads(line) for line in whole.splitlines()]
        self.start = lines[0] if lines and lines[0].get("type") == "start" else None
        self.end = lines[-1] if lines and lines[-1].get("type") == "end" else None
        self.samples = [line for line in lines if "type" not in line]
        self.about = json.loads(self.text("run.json") or "{}")

    def text(self, name):
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def highest(self, field):
        return max((sample[field] for sample in self.samples if field in sample), default=None)

    def seconds(self, field):
        """For a share of the time in percent: the time itself, summed over the samples."""
        ends = [sample["ts"] for sample in self.samples]
        return sum((end - start) * sample.get(field, 0) / 100
                   for start, end, sample in zip(ends, ends[1:], self.samples[1:]))

    def cpu_s(self):
        return self.seconds("cpu_pct")


def command_line(folder, *words, options=()):
    return [str(PROGRAM), "record", "-q", "-o", str(folder), *options, "--", *words]


def record(folder, *words, options=(), **how):
    how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
    done = subprocess.run(command_line(folder, *words, options=options), timeout=LIMIT_S, **how)
    return Run(folder, done.returncode, done.stdout, done.stderr)


def wait_for(condition):
    """Whether it became true in time: what other processes do is visible soon, not at once."""
    end = time.monotonic() + LIMIT_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def default_signals():
    """Signals that a shell's background jobs ignore have their default effect."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(folder, *words, options=(), **how):
    """The running recorder."""
    how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
           "preexec_fn": default_signals, **how}
    return subprocess.Popen(command_line(folder, *words, options=options), **how)
