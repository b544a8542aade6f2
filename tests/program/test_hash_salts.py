# SPDX-License-Identifier: Apache-2.0
"""Tables are salted anew in each run. No output depends on it, and no input can be made slow."""

import resource

import pytest

COLLIDING = bytes([0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe])  # of XXH3 without a seed: one hash for all
RUNS = 6


@pytest.mark.sweep
@pytest.mark.parametrize("words", [
    ("export", "--format", "collapsed"), ("table", "--json"), ("info", "--json"), ("tree", "--json"),
    ("card", "-o", "-"), ("digest", "-o", "-"),
], ids=" ".join)
def test_same_input_same_bytes_whatever_the_salt(program, samples, words):
    for capture in ("threads_named-py3.13-memray1.20.0-default.bin", "cpu/train.torch.trace.json.gz"):
        first = program(*words, samples / capture)
        assert first.status == 0 and first.bytes
        for _ in range(RUNS):
            assert program(*words, samples / capture).bytes == first.bytes


def cpu_s(program, *words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert program(*words).status == 0
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


@pytest.mark.parametrize("line", [
    lambda name: b"main;" + name + b" 1\n",
    lambda name: b"main;f (" + name + b":1) 1\n",
    lambda name: b"thread (" + name + b");main 1\n",
    lambda name: b"process 1:\"" + name + b"\";main 1\n",
], ids=["function", "file", "thread", "process"])
def test_names_that_were_made_to_collide_cost_no_more_than_others(program, tmp_path, line):
    def capture(name, first):
        path = tmp_path / name
        path.write_bytes(b"main;work 5\n" * 3 + b"".join(
            line(first + b"%08x" % i + b"ABCDEFGHIJKLMNOP") for i in range(30000)))
        return path
    plain = capture("plain", COLLIDING[:-1] + b"\xbf")
    flood = capture("flood", COLLIDING)
    words = ("stats", "--input-format", "collapsed")
    others = min(cpu_s(program, *words, plain) for _ in range(3))
    assert min(cpu_s(program, *words, flood) for _ in range(3)) < 4 * others + 0.2
