# SPDX-License-Identifier: Apache-2.0
"""Writes small native captures (memray header version 13, raw) over real files of code.

    image = Image("/tmp/libx.so", bias=0x10000000)
    capture([image], [[image.after_call("outer", "malloc"), image.after_call("make", "outer")], ...])

An allocation for each native stack, innermost address first, below no Python frame; all alive at the end.
"""
import re
import struct

from libraries import run
from made_capture import MALLOC, header, sv, uv

NATIVE_TRACES = 15  # where the header has them


class Image:
    def __init__(self, path, bias):
        self.path, self.bias = path, bias
        words = [line.split() for line in run("readelf", "-lW", path).splitlines()]
        self.segments = [(int(word[2], 16), int(word[5], 16)) for word in words if word[:1] == ["LOAD"]]

    def after_call(self, function, called):
        """The address after the first call of CALLED in FUNCTION, as it would be on a stack."""
        code = run("objdump", "-d", "--no-show-raw-insn", self.path)
        body = re.search(rf"^[0-9a-f]+ <{re.escape(function)}>:\n((?:.+\n)+)", code, re.M)[1].splitlines()
        at = next(i for i, line in enumerate(body) if re.search(rf"call .*<{re.escape(called)}(?:@plt)?>", line))
        return self.bias + int(body[at + 1].split(":")[0], 16)

    def record(self):
        out = b"\x07" + str(self.path).encode() + b"\0" + uv(len(self.segments)) + struct.pack("<Q", self.bias)
        return out + b"".join(b"\x08" + struct.pack("<Q", address) + uv(size) for address, size in self.segments)


def capture(images, stacks):
    start = bytearray(header(b"job.py"))
    start[NATIVE_TRACES] = 1
    out = [bytes(start), b"\x06", *(image.record() for image in images), b"\x0c" + struct.pack("<Q", 1)]
    last = {"ip": 0, "native": 0}

    def delta(name, value):
        change, last[name] = value - last[name], value
        return sv(change)

    frames = 0
    for stack in stacks:
        parent = 0
        for address in reversed(stack):
            out += [b"\x05", delta("ip", address), delta("native", parent)]
            frames += 1
            parent = frames
        out += [bytes([0x80 | 15 << 3 | MALLOC]), sv(16), delta("native", parent), uv(100)]
    return b"".join(out) + b"\x01"
