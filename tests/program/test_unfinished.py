# SPDX-License-Identifier: Apache-2.0
"""Captures whose program was killed: how long they lasted, and what remains known when they are added up."""

import json
import re
import struct

import pytest

START = 7 + 4 + 4 + 1 + 1 + 8 + 8  # in a raw capture of header version 12 or 13: magic, version, Python, flags, counts


@pytest.fixture
def killed(samples, tmp_path):
    """memray writes "now" as the end when it opens the file, which may be some milliseconds after the start."""
    content = bytearray((samples / "killed-py3.12-memray1.20.0-default.bin").read_bytes())
    assert content[:7] == b"memray\0"
    start_ms, end_ms = struct.unpack_from("<qq", content, START)
    assert 1_500_000_000_000 < start_ms <= end_ms < start_ms + 60_000
    struct.pack_into("<q", content, START + 8, start_ms + 1)
    capture = tmp_path / "killed.bin"
    capture.write_bytes(content)
    return capture


def span_ms(program, capture):
    found = json.loads(program("info", "--json", capture).out)
    samples = [sample[0] if isinstance(sample, list) else sample["time"] for sample in found["memory_samples"]]
    return found, samples[-1] - samples[0]


def test_a_killed_capture_lasts_until_its_last_sample(program, killed):
    found, sampled_ms = span_ms(program, killed)
    assert found["complete"] is False
    assert sampled_ms > 1
    assert found["metadata"]["end_time"] == found["metadata"]["start_time"] + 1  # what the file says, as in memray
    assert "1.00 ms" not in program("stats", killed).out.splitlines()[0]


def test_of_a_killed_capture_the_card_names_no_whole(program, killed, tmp_path):
    program("card", killed, "-o", tmp_path / "card.html")
    title = re.search(r"<h2>(The capture is .*?)</h2>", (tmp_path / "card.html").read_text()).group(1)
    assert "were recorded" in title and " of " not in re.sub("<[^>]*>", "", title)


def test_a_capture_without_a_record_takes_no_counts_from_a_sum(program, samples, tmp_path):
    whole = samples / "killed-py3.12-memray1.20.0-default.bin"
    content = (samples / "killed-py3.12-memray1.20.0-default.bin").read_bytes()
    for length in range(200, len(content), 100):
        empty = tmp_path / "empty.bin"
        empty.write_bytes(content[:length])
        if program("info", empty).status == 0:
            break
    assert json.loads(program("info", "--json", empty).out)["complete"] is False
    alone = json.loads(program("table", "--json", whole).out)["total_count"]
    for inputs in ((whole, empty, empty), (empty, whole, empty), (empty, empty, whole)):
        assert program("merge", *inputs, "-o", tmp_path / "sum.prz").status == 0
        assert json.loads(program("table", "--json", tmp_path / "sum.prz").out)["total_count"] == alone
        assert " 0 allocations" not in program("stats", tmp_path / "sum.prz").out.split("Sizes")[0]


def test_an_empty_aggregated_capture_takes_no_counts_from_a_sum(program, shared, samples, tmp_path):
    whole = samples / "killed-py3.12-memray1.20.0-default.bin"
    empty = shared / "memray/leaky-py3.11-memray1.20.0-aggregate+nocompress+cut-half.bin"
    alone = json.loads(program("table", "--json", whole).out)["total_count"]
    for inputs in ((whole, empty), (empty, whole)):
        program("merge", *inputs, "-o", tmp_path / "sum.prz")
        assert json.loads(program("table", "--json", tmp_path / "sum.prz").out)["total_count"] == alone > 0
