# SPDX-License-Identifier: Apache-2.0
"""Writes small profiles whose stacks are addresses, over real files of code (native_capture.Image).

Each stack is counted once; innermost address first.
"""
import gzip
import re
import struct

from libraries import run
from protobuf import message

PAGE = 4096


class Mapping:
    """The executable segment of an image, as /proc/PID/maps has it; longer by SPARE bytes."""

    def __init__(self, image, spare=0):
        words = [line.split() for line in run("readelf", "-lW", image.path).splitlines()]
        offset, address, size = next([int(word[at], 16) for at in (1, 2, 4)] for word in words
                                     if word[:1] == ["LOAD"] and "E" in word[6:-1])
        self.path, self.offset = image.path, offset // PAGE * PAGE
        self.start = image.bias + address - offset % PAGE
        self.end = self.start + -(-(offset % PAGE + size) // PAGE) * PAGE + spare
        self.build_id = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-nW", image.path))[1]

    def line(self):
        return f"{self.start:x}-{self.end:x} r-xp {self.offset:08x} 00:00 1    {self.path}\n"


def heap_text(mappings, stacks):
    lines = [f"1: 100 [1: 100] @ {' '.join(map(hex, stack))}\n" for stack in stacks]
    return ("heap profile: 1: 100 [1: 100] @ heapprofile\n" + "".join(lines) + "\nMAPPED_LIBRARIES:\n"
            + "".join(mapping.line() for mapping in mappings)).encode()


def cpu_words(mappings, stacks):
    words = [0, 3, 0, 10000, 0]
    for stack in stacks:
        words += [1, len(stack), *stack]
    words += [0, 1, 0]
    return struct.pack(f"<{len(words)}Q", *words) + "".join(mapping.line() for mapping in mappings).encode()


def pprof(mappings, stacks, build_ids):
    """BUILD_IDS: the claimed one of each mapping, "" for none."""
    strings = ["", "cpu", "nanoseconds"] + [text for mapping, build_id in zip(mappings, build_ids)
                                            for text in (str(mapping.path), build_id)]
    fields = [(1, message((1, 1), (2, 2)))]
    for number, mapping in enumerate(mappings):
        fields.append((3, message((1, number + 1), (2, mapping.start), (3, mapping.end), (4, mapping.offset),
                                  (5, 3 + 2 * number), (6, 4 + 2 * number))))
    for address in sorted({address for stack in stacks for address in stack}):
        inside = [number + 1 for number, mapping in enumerate(mappings) if mapping.start <= address < mapping.end]
        fields.append((4, message((1, address), (2, inside[0] if inside else 0), (3, address))))
    fields += [(2, message(*((1, address) for address in stack), (2, 100))) for stack in stacks]
    return gzip.compress(message(*fields, *((6, text.encode()) for text in strings)))
