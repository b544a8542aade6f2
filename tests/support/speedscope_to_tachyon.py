# SPDX-License-Identifier: Apache-2.0
"""A speedscope profile of samples, as Python's sampling profiler (CPython 3.15) would have written it.

    python3 tests/support/speedscope_to_tachyon.py IN.speedscope.json OUT.tachyon [--plain] [--big-endian] [--old]

Written from CPython's InternalDocs/profiling_binary_format.md: delta-encoded stacks, runs of equal ones, tables after
the samples, a footer. --old: a count of samples of 4 bytes, as the first files had it.
"""

import json
import struct
import subprocess
import sys

MAGIC, VERSION, HEADER = 0x54414348, 1, 64
REPEAT, FULL, SUFFIX, POP_PUSH = range(4)
HAS_GIL, ON_CPU = 1, 2
WALL = 1


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def zigzag(number):
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


class Writer:
    def __init__(self, interval_us, start_us, order):
        self.interval_us, self.start_us, self.order = interval_us, start_us, order
        self.texts, self.frames, self.threads = {}, {}, {}
        self.out = bytearray()
        self.samples = 0

    def frame(self, name, path, line):
        text = [self.texts.setdefault(each, len(self.texts)) for each in (path, name)]
        return self.frames.setdefault((*text, line), len(self.frames))

    def sample(self, tid, time_us, stack, state):
        """STACK: numbers of frames, innermost first."""
        self.samples += 1
        last = self.threads.setdefault(tid, {"time": self.start_us, "stack": None, "run": []})
        delta, last["time"] = time_us - last["time"], time_us
        if last["stack"] == stack:
            last["run"].append((delta, state))
            return
        self.end_run(tid)
        self.record(tid, last["stack"] or [], stack, varint(delta) + bytes([state]), last["stack"] is None)
        last["stack"] = stack

    def record(self, tid, old, new, when, is_first):
        shared = 0
        while shared < min(len(old), len(new)) and old[-1 - shared] == new[-1 - shared]:
            shared += 1
        added = b"".join(map(varint, new[:len(new) - shared]))
        if is_first or not shared:
            self.put(tid, FULL, when + varint(len(new)) + b"".join(map(varint, new)))
        elif shared == len(old):
            self.put(tid, SUFFIX, when + varint(shared) + varint(len(new) - shared) + added)
        else:
            self.put(tid, POP_PUSH, when + varint(len(old) - shared) + varint(len(new) - shared) + added)

    def put(self, tid, encoding, rest):
        self.out += struct.pack(self.order + "QIB", tid, 0, encoding) + rest

    def end_run(self, tid):
        run = self.threads[tid]["run"]
        if run:
            self.put(tid, REPEAT, varint(len(run)) + b"".join(varint(delta) + bytes([state]) for delta, state in run))
            run.clear()

    def file(self, packed, old):
        for tid in self.threads:
            self.end_run(tid)
        data = bytes(self.out)
        if packed:
            data = subprocess.run(["zstd", "-qc5", "--no-check"], input=data, stdout=subprocess.PIPE, check=True).stdout
        texts = b"".join(varint(len(text.encode())) + text.encode() for text in self.texts)
        frames = b"".join(varint(path) + varint(name) + zigzag(line) + zigzag(0) + zigzag(4 if line > 0 else -1) +
                          zigzag(9 if line > 0 else 0) + b"\xff" for path, name, line in self.frames)
        offset = HEADER + len(data)
        header = struct.pack(f"{self.order}IIBBBxQQ{'I' if old else 'Q'}IQQI", MAGIC, VERSION, 3, 15, 0, self.start_us,
                             self.interval_us, self.samples, len(self.threads), offset, offset + len(texts), packed)
        header += b"" if old else struct.pack(self.order + "I", WALL)
        stats = b"" if old else struct.pack(self.order + "ddddII8sII", 1, 1, 0, 0, 3, 0, b"TACHSTAT", 1, 56)
        body = header.ljust(HEADER, b"\0") + data + texts + frames + stats
        return body + struct.pack(self.order + "IIQ16x", len(self.texts), len(self.frames), len(body) + 32)


def convert(document, order):
    first = document["profiles"][0]
    writer = Writer(round(first["weights"][0] * 1e6), 970_000_000, order)
    frames = [writer.frame(each["name"], each.get("file", "~"), each.get("line") or -1)
              for each in document["shared"]["frames"]]
    for tid, profile in enumerate(document["profiles"], 4711):
        time_us = 970_000_000
        for stack, weight in zip(profile["samples"], profile["weights"]):
            time_us += round(weight * 1e6)
            leaf = document["shared"]["frames"][stack[-1]]["name"] if stack else ""
            state = 0 if "wait" in leaf or "sleep" in leaf else HAS_GIL | ON_CPU
            writer.sample(tid, time_us, [frames[each] for each in reversed(stack)], state)
    return writer


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as source:
        made = convert(json.load(source), ">" if "--big-endian" in sys.argv else "<")
    with open(sys.argv[2], "wb") as target:
        target.write(made.file("--plain" not in sys.argv, "--old" in sys.argv))
