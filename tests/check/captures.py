# SPDX-License-Identifier: Apache-2.0
"""memray captures of programs that never ran: a list gives what is allocated where, and by which thread."""

from dataclasses import dataclass

from made_capture import header, line_table, sv, uv

KIB, MIB = 1 << 10, 1 << 20
ARENA = MIB  # of Python 3.12, the version in the captures
MALLOC, MMAP, FREE = 6, 14, 5


@dataclass
class Allocation:
    """`stack` is a list of (function, file, line), outermost first."""

    stack: list
    size: int
    times: int = 1
    allocator: int = MALLOC
    thread: int = 1
    freed: bool = False


def arenas(stack, count, **how):
    """This many pymalloc arenas, allocated in the last function of the stack."""
    return Allocation(stack, ARENA, times=count, allocator=MMAP, **how)


def record_of(allocator, delta, size=None):
    start, number = (allocator, b"") if allocator < 8 else (0, bytes([allocator]))
    return bytes([0x80 | 15 << 3 | start]) + sv(delta) + number + (uv(size) if size is not None else b"")


class Writer:
    def __init__(self, start_ms):
        self.out = [header(b"job.py", start_ms)]
        self.codes, self.begins, self.line, self.address, self.last = {}, {}, 0, 16, 0

    def code(self, function, file, line):
        """The number of a code object, made where it is new. It runs this line of the function, which begins at one."""
        key = (function, file, line)
        if key not in self.codes:
            self.codes[key] = len(self.codes)
            begin = self.begins.setdefault((function, file), line)
            names = function.encode() + b"\0" + file.encode() + b"\0"
            table = line_table(line - begin)
            self.out.append(b"\x0e" + uv(self.codes[key]) + names + sv(begin - self.line) + uv(len(table)) + table)
            self.line = begin
        return self.codes[key]

    def at(self, address):
        """The difference from the last address, in units of eight."""
        delta, self.last = (address - self.last) // 8, address
        return delta

    def add(self, allocation):
        numbers = [self.code(*frame) for frame in allocation.stack]
        self.out.append(b"\x0c" + allocation.thread.to_bytes(8, "little"))
        self.out += [b"\x41" + uv(number) + sv(0) for number in numbers]
        for _ in range(allocation.times):
            self.address += 16 * 8
            self.out.append(record_of(allocation.allocator, self.at(self.address), allocation.size))
            if allocation.freed:
                self.out.append(record_of(FREE, 0))
        self.out += [b"\x10"] * len(numbers)


def write(path, allocations, start_ms=1700000000000):
    """Writes the capture to PATH and returns it."""
    writer = Writer(start_ms)
    for allocation in allocations:
        writer.add(allocation)
    path.write_bytes(b"".join(writer.out) + b"\x01")
    return path
