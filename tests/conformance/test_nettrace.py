# SPDX-License-Identifier: Apache-2.0
"""Traces of .NET, compared with a second reading of the same bytes, which follows the description of the format.

No tool of Microsoft's is to be had as a package here; test_nettrace.c has versions 5 and 6, of which no real trace was
seen.
"""

import struct
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import pytest

TRACE = Path(__file__).resolve().parents[2] / "samples/cpu/shelf.nettrace.zst"
RUNTIME, RUNDOWN = "Microsoft-Windows-DotNETRuntime", "Microsoft-Windows-DotNETRuntimeRundown"
SAMPLER = "Microsoft-DotNETCore-SampleProfiler"
START = 8 + 4 + 20


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def utf16(data, at):
    end = at
    while data[end:end + 2] != b"\0\0":
        end += 2
    return data[at:end].decode("utf-16-le"), end + 2


def blocks(data):
    """(name, bytes) of each object of a trace of version 4."""
    at = START
    while data[at] == 5:
        length = struct.unpack_from("<i", data, at + 11)[0]
        name = data[at + 15:at + 15 + length].decode()
        at += 15 + length + 1
        size = 48
        if name != "Trace":
            size = struct.unpack_from("<i", data, at)[0]
            at += 4
            at += -at % 4
        yield name, data[at:at + size]
        assert data[at + size] == 6
        at += size + 1
    assert data[at] == 1 and at + 1 == len(data)


def events(block):
    """(kind, thread, stack, ticks, payload) of a block with compressed headers."""
    header, flags = struct.unpack_from("<hh", block)
    assert flags & 1
    at, kind, thread, stack, ticks, size = header, 0, 0, 0, 0, 0
    while at < len(block):
        have, at = block[at], at + 1
        if have & 1:
            kind, at = varint(block, at)
        if have & 2:
            for _ in range(3):
                _, at = varint(block, at)
        if have & 4:
            thread, at = varint(block, at)
        if have & 8:
            stack, at = varint(block, at)
        more, at = varint(block, at)
        ticks += more
        at += 16 * (bool(have & 16) + bool(have & 32))
        if have & 128:
            size, at = varint(block, at)
        yield kind, thread, stack, ticks, block[at:at + size]
        at += size


class Trace:
    """All that the metrics need, names of methods by their code."""

    def __init__(self, data):
        self.kinds, self.events, self.methods, self.modules = {}, [], [], {}
        stacks = {}
        for name, block in blocks(data):
            if name == "Trace":
                self.frequency = struct.unpack_from("<q", block, 24)[0]
            elif name == "MetadataBlock":
                for _, _, _, _, row in events(block):
                    provider, at = utf16(row, 4)
                    self.kinds[struct.unpack_from("<i", row)[0]] = provider, struct.unpack_from("<i", row, at)[0]
            elif name == "StackBlock":
                first, count = struct.unpack_from("<ii", block)
                at = 8
                for number in range(first, first + count):
                    size = struct.unpack_from("<i", block, at)[0]
                    stacks[number] = struct.unpack_from(f"<{size // 8}Q", block, at + 4)
                    at += 4 + size
            elif name == "SPBlock":
                stacks = {}
            else:
                for kind, thread, stack, ticks, payload in events(block):
                    self.take(self.kinds[kind], thread, stacks.get(stack, ()), ticks, payload)

    def take(self, kind, thread, stack, ticks, payload):
        if kind in ((RUNTIME, 143), (RUNDOWN, 143), (RUNDOWN, 144)):
            _, module, start, size = struct.unpack_from("<QQQI", payload)
            namespace, at = utf16(payload, 36)
            name, at = utf16(payload, at)
            signature, _ = utf16(payload, at)
            full = f"{namespace}.{name}" if namespace else name
            self.methods.append((start, start + size, module, full + signature[signature.index("("):]))
        elif kind in ((RUNTIME, 152), (RUNDOWN, 153), (RUNDOWN, 154)):
            self.modules[struct.unpack_from("<Q", payload)[0]] = utf16(payload, 24)[0]
        self.events.append((kind, thread, stack, ticks, payload))

    def name(self, address):
        for start, end, module, name in self.methods:
            if start <= address < end or start < address <= end:
                return Path(self.modules.get(module, "")).stem + "!" * (module in self.modules) + name
        return "[code without a method]"

    def of(self, provider, number):
        return [event for event in self.events if event[0] == (provider, number)]


@pytest.fixture(scope="module")
def trace():
    return Trace(subprocess.run(["zstd", "-dqc", TRACE], stdout=subprocess.PIPE, check=True).stdout)


def merged(program, metric, field):
    found = Counter()
    for record in program("export", TRACE, "--metric", metric).json()["records"]:
        found[tuple(frame[0] for frame in record["stack"])] += record[field]
    return found


def stacks_of(trace, stack, leaf=()):
    return (*leaf, *(trace.name(address) for address in stack))


@pytest.mark.parametrize(("metric", "state"), [("managed", 2), ("external", 1)])
def test_samples_and_their_time_by_stack(trace, program, metric, state):
    counts, took, last = Counter(), defaultdict(float), {}
    for _, thread, stack, ticks, payload in trace.of(SAMPLER, 0):
        now = struct.unpack("<i", payload)[0]
        if thread in last:
            before, ran, at = last[thread]
            if ran == state:
                took[before] += (ticks - at) / trace.frequency
        last[thread] = stacks_of(trace, stack), now, ticks
        counts[stacks_of(trace, stack)] += now == state
    assert len(counts) > 3
    assert merged(program, metric, "samples") == +counts
    got = merged(program, metric, "self")
    assert {stack: value for stack, value in got.items() if value} == pytest.approx(took, rel=1e-6, abs=1e-6)


def test_allocations_by_stack_and_type(trace, program):
    bytes_of, counts = Counter(), Counter()
    for _, _, stack, _, payload in trace.of(RUNTIME, 10):
        where = stacks_of(trace, stack, (f"new {utf16(payload, 26)[0]}",))
        bytes_of[where] += struct.unpack_from("<Q", payload, 10)[0]
        counts[where] += 1
    assert len(counts) > 3
    assert merged(program, "allocated", "self") == bytes_of
    assert merged(program, "allocated", "samples") == counts


def test_exceptions_by_stack_and_type(trace, program):
    thrown = Counter()
    for _, _, stack, _, payload in trace.of(RUNTIME, 80):
        thrown[stacks_of(trace, stack, (f"throw {utf16(payload, 0)[0]}",))] += 1
    assert merged(program, "exceptions", "self") == thrown == {
        ("throw System.ArgumentException", "shelf!Shelf.Borrow(class System.String)", "shelf!Shelf.Main()"): 3}


def test_the_lock_that_was_waited_for(trace, program):
    waits = trace.of(RUNTIME, 91)
    assert len(waits) == 1
    assert sum(merged(program, "lock", "self").values()) == pytest.approx(
        sum(struct.unpack_from("<d", payload, 3)[0] for *_, payload in waits) / 1e9, rel=1e-6)
