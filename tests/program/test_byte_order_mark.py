# SPDX-License-Identifier: Apache-2.0
"""A text that an editor or a shell of Windows wrote begins with a byte order mark, which is not part of it."""

import pytest

TEXTS = ["cpu/etl.pyspy.folded", "cpu/etl.full.austin.txt", "cpu/hashtab.massif.out", "cpu/fanout.yappi.callgrind.out",
         "cpu/wordcount.cpuprofile", "cpu/multi.perf.txt", "cpu/shop.go.mutex.txt", "timeline/etl.mprof.dat",
         "timeline/etl.gnu-time.txt", "timeline/metaflow-ok.jsonl", "timeline/fail.stderr.txt"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_byte_order_mark_changes_nothing(program, samples, tmp_path, text):
    plain, marked = (tmp_path / name for name in ("plain", "marked"))
    plain.mkdir()
    marked.mkdir()
    bytes_ = (samples / text).read_bytes()
    (plain / "text").write_bytes(bytes_)
    (marked / "text").write_bytes(b"\xef\xbb\xbf" + bytes_)
    expected, found = (program("explain", "--json", "-q", "text", cwd=folder) for folder in (plain, marked))
    assert (found.status, found.out) == (expected.status, expected.out)
    expected, found = (program("table", "--json", "--limit", "0", "text", cwd=folder) for folder in (plain, marked))
    assert (found.status, found.out, found.err) == (expected.status, expected.out, expected.err)
