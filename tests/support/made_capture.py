# SPDX-License-Identifier: Apache-2.0
"""Writes small memray captures (header version 13, raw) whose names are any bytes without a NUL.

    capture([(b"function", b"file.py", 4096), ...])      an allocation in each function, all alive at the end;
                                                         with lines=True on line 1 of its file
"""
import struct

MALLOC = 6


def uv(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def sv(value):
    return uv(value << 1 if value >= 0 else (-value << 1) - 1)


def header(command_line, start_ms=1700000000000):
    fixed = struct.pack("<7siiBBQQqq", b"memray\0", 13, 0x030C00F0, 0, 0, 0, 0, start_ms, start_ms + 1000)
    return (fixed + command_line + b"\0" + struct.pack("<iQQBBB", 42, 1, 0, 1, 0, 0) + b"\0" + b"\0" + b"\0")


def line_table(lines):
    """Location table of Python 3.12: eight code units, so many lines below the first of the function, no columns."""
    rest, out = abs(lines) << 1 | (lines < 0), []
    while rest >= 64:
        out.append(rest & 63 | 64)
        rest >>= 6
    return bytes([0x80 | 13 << 3 | 7, *out, rest])


FIRST_LINE = line_table(0)


def capture(allocations, command_line=b"job.py", thread=b"", trailer=True, lines=False):
    out = [header(command_line), b"\x0c", struct.pack("<Q", 1)]
    if thread:
        out += [b"\x0a", thread, b"\0"]
    for number, (function, file, size) in enumerate(allocations):
        code = b"\x0e" + uv(number) + function + b"\0" + file + b"\0" + sv(1 if number == 0 else 0)
        code += uv(len(FIRST_LINE)) + FIRST_LINE if lines else uv(0)
        push, pop = b"\x41" + uv(number) + sv(0), b"\x10"
        allocation = bytes([0x80 | 15 << 3 | MALLOC]) + sv(16) + uv(size)
        out += [code, push, allocation, pop]
    return b"".join(out) + (b"\x01" if trailer else b"")
