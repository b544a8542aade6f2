#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `profrender record` costs: a command with and without it, and the recorder itself with fifty processes.

    python3 tests/bench/record.py [--rounds 15] [--seconds 10]

The time of a command is a ratio, recorded : bare. The recorder's own processor time is a share of one core.
"""

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "build" / "profrender"
TICKS = os.sysconf("SC_CLK_TCK")
COMMANDS = {
    "a command of nothing (true)": ["true"],
    "one that starts 300 processes": ["bash", "-c", "for i in $(seq 300); do /bin/true; done"],
    "one that only computes": ["python3", "-S", "-c", "sum(i * i for i in range(4000000))"],
    "one that writes 20 MB to stderr": ["bash", "-c", "head -c 20000000 /dev/zero >&2"],
}


def seconds(line):
    begin = time.perf_counter()
    subprocess.run([str(word) for word in line], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE)
    return time.perf_counter() - begin


def compare(folder, rounds):
    for name, command in COMMANDS.items():
        pairs = [(seconds(command), seconds([PROGRAM, "record", "-q", "-o", folder / "run", "--", *command]))
                 for _ in range(rounds + 1)][1:]
        ratios = [recorded / bare for bare, recorded in pairs]
        more_ms = statistics.median(recorded - bare for bare, recorded in pairs) * 1000
        print(f"  {name:48} {statistics.median(ratios):6.2f}   ({min(ratios):.2f} to {max(ratios):.2f}), "
              f"{more_ms:+.1f} ms")


def used_s(pid):
    """Processor time of the process alone."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_kib(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    values = dict(line.split(":", 1) for line in lines)
    return {name: int(values[name].split()[0]) for name in ("VmHWM", "RssAnon", "RssFile", "RssShmem")}


def watch(folder, length):
    """Share of a core, and memory, while fifty processes sleep for LENGTH seconds."""
    command = f"for i in $(seq 49); do sleep {length + 2} & done; wait"
    recorder = subprocess.Popen([PROGRAM, "record", "-q", "-o", folder / "run", "--", "bash", "-c", command])
    time.sleep(1)
    before, begin = used_s(recorder.pid), time.monotonic()
    time.sleep(length)
    share = (used_s(recorder.pid) - before) / (time.monotonic() - begin)
    memory = memory_kib(recorder.pid)
    recorder.wait()
    print(f"  processor of the recorder, fifty processes, 0.5 s {share * 100:9.2f} % of a core")
    print(f"  its memory: {memory['VmHWM'] / 1024:.1f} MiB resident, of that {memory['RssAnon'] / 1024:.1f} its own; "
          f"the rest are pages of the program and its libraries")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()
    print(f"record: time of a command, recorded : bare; {options.rounds} rounds, median (least to greatest)")
    with tempfile.TemporaryDirectory() as name:
        compare(Path(name), options.rounds)
        watch(Path(name), options.seconds)


if __name__ == "__main__":
    main()
