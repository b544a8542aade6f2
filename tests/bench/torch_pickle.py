#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a snapshot of PyTorch's memory of any size, as torch.cuda.memory._dump_snapshot does, in constant memory.

    python3 tests/bench/torch_pickle.py OUT.pickle [--bytes 1000000000]

Opcodes, keys and their order are those of a snapshot of PyTorch 2.11 (tests/conformance/h200/oom.pickle.gz). Each
allocation has a list of frames of its own, whose frames are shared, and three entries that share the list: allocated,
asked to be freed, freed. There are 3,000 different stacks of 60 frames.
"""

import argparse
import random
import struct
from collections import deque

FRAMES, STACKS, DEPTH, ALIVE = 4_000, 3_000, 60, 5_000
BASE, BLOCK, START_US = 0x7F0000000000, 64 << 20, 1_700_000_000_000_000
BATCH = 333  # allocations: Python adds a thousand entries to a list at a time
PROTOCOL, DICT, LIST, MARK, ITEMS, EXTEND, END = b"\x80\x04", b"}", b"]", b"(", b"u", b"e", b"."


class Pickle:
    """Each object is remembered under a number, and referred to by it from then on."""

    def __init__(self, out):
        self.out, self.count, self.texts, self.written = out, 0, {}, 0

    def write(self, data):
        self.written += self.out.write(data)

    def put(self, data):
        """Returns what refers to it."""
        self.write(data + b"\x94")
        number, self.count = self.count, self.count + 1
        return b"h" + bytes([number]) if number < 256 else b"j" + struct.pack("<I", number)

    def text(self, text):
        if text in self.texts:
            self.write(self.texts[text])
        else:
            data = text.encode()
            self.texts[text] = self.put(b"\x8c" + bytes([len(data)]) + data)

    def number(self, number):
        size = number.bit_length() // 8 + 1
        if number < 256:
            self.write(b"K" + bytes([number]))
        elif size <= 4:
            self.write(b"J" + struct.pack("<i", number))
        else:
            self.write(b"\x8a" + bytes([size]) + number.to_bytes(size, "little", signed=True))

    def items(self, **items):
        """Values: texts, numbers, what refers to something, and functions that write one."""
        self.write(MARK)
        for key, value in items.items():
            self.text(key)
            write = {str: self.text, int: self.number, bytes: self.write}.get(type(value))
            write(value) if write else value()
        self.write(ITEMS)


def frame_at(depth, number):
    """Stacks have their outer frames in common; each 4 frames further in, half as many have."""
    return (depth * 67 + (number >> max(0, STACKS.bit_length() - depth // 4))) % FRAMES


class Trace:
    def __init__(self, pickle):
        self.pickle, self.clock, self.frames, self.written = pickle, START_US, {}, {}
        self.stacks = [[frame_at(depth, number) for depth in reversed(range(DEPTH))] for number in range(STACKS)]

    def frame(self, number):
        if number in self.frames:
            self.pickle.write(self.frames[number])
            return
        self.frames[number] = self.pickle.put(DICT)
        self.pickle.items(filename=f"/srv/train/module_{number % 97}.py", line=number % 1_900 + 1,
                          name=f"function_{number}")

    def stack(self, number):
        """Returns what refers to the list, which is written."""
        known = self.pickle.put(LIST)
        if number in self.written:
            self.pickle.write(self.written[number])
            return known
        self.pickle.write(MARK)
        for frame in self.stacks[number]:
            self.frame(frame)
        self.pickle.write(EXTEND)
        self.written[number] = MARK + b"".join(self.frames[frame] for frame in self.stacks[number]) + EXTEND
        return known

    def entry(self, action, address, size, frames):
        self.clock += 3
        self.pickle.put(DICT)
        self.pickle.items(action=action, addr=address, size=size, stream=0, time_us=self.clock, compile_context="N/A",
                          user_metadata="", frames=frames)

    def allocation(self, address, size, number):
        found = []
        self.entry("alloc", address, size, lambda: found.append(self.stack(number)))
        return address, size, found[0]

    def free(self, address, size, frames):
        for action in ("free_requested", "free_completed"):
            self.entry(action, address, size, frames)


def write_snapshot(out, most, at_once):
    dice, pickle, alive = random.Random(7), Pickle(out), deque()
    trace = Trace(pickle)

    def device():
        pickle.put(LIST)
        pickle.write(MARK)
        for number in range(1 << 62):
            if pickle.written >= most:
                break
            if number % BATCH == BATCH - 1 and not at_once:
                pickle.write(EXTEND + MARK)
            size = 512 * dice.randrange(1, 60_000)
            alive.append(trace.allocation(BASE + number % (2 * ALIVE) * BLOCK, size, dice.randrange(STACKS)))
            if len(alive) > ALIVE:
                trace.free(*alive.popleft())
        pickle.write(EXTEND)

    def devices():
        pickle.put(LIST)
        pickle.write(MARK)
        device()
        pickle.write(EXTEND)

    pickle.write(PROTOCOL)
    pickle.put(DICT)
    pickle.items(segments=lambda: pickle.put(LIST), device_traces=devices)
    pickle.write(END)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--bytes", type=int, default=1_000_000_000)
    parser.add_argument("--at-once", action="store_true", help="all entries in one list, as C++ writes them")
    options = parser.parse_args()
    with open(options.out, "wb", buffering=1 << 20) as out:
        write_snapshot(out, options.bytes, options.at_once)


if __name__ == "__main__":
    main()
