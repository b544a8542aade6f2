# SPDX-License-Identifier: Apache-2.0
"""Secrets that a capture has in its command line, in names of processes, threads and phases, and in addresses of
scripts are in nothing that is made of it: no table, document, card, digest or baseline."""

import gzip
import json

import pytest
from every_output import outputs, unzstd
from protobuf import message, varint

LINE = "app --password s3cret-of-words https://ann:s3cret-of-login@host/x?token=s3cret-of-address"
SECRET = b"s3cret"
PLACE = {"lineNumber": 1, "columnNumber": 1, "scriptId": "1"}


def pprof():
    """A comment, a label that is a level, and a label that names a thread."""
    strings = ["", "samples", "count", "main", "a.go", LINE, "page", "thread_name"]
    labels = [(3, message((1, 6), (2, 5))), (3, message((1, 7), (2, 5)))]
    fields = [(1, message((1, 1), (2, 2))), (2, message((1, varint(1)), (2, varint(5)), *labels)),
              (4, message((1, 1), (4, message((1, 1), (2, 3))))), (5, message((1, 1), (2, 3), (3, 3), (4, 4))),
              *((6, text.encode()) for text in strings), (13, varint(5))]
    return gzip.compress(message(*fields))


CAPTURES = {
    "callgrind": f"# callgrind format\nversion: 1\ncreator: x\ncmd: {LINE}\nevents: Ir\n\nfl=a.c\nfn=(1) main\n1 5\n",
    "massif": f"desc: x\ncmd: {LINE}\ntime_unit: i\n#-----------\nsnapshot=0\n#-----------\ntime=0\nmem_heap_B=100\n"
              "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=detailed\nn0: 100 (heap allocation functions) malloc\n",
    "mprof": f"CMDLINE {LINE}\nMEM 10.0 1700000000.0\nMEM 12.0 1700000001.0\n",
    "heaptrack": f"v 10500 3\nX {LINE}\nI 1000 10\ns 4 main\ni 1 0 1\nt 1 0\na 5 1\n+ 0\nc 5\n",
    "process-frames": f'process 12:"python {LINE}";main;f 5\nmain 1\n',
    "speedscope": json.dumps({
        "$schema": "https://www.speedscope.app/file-format-schema.json", "name": LINE,
        "shared": {"frames": [{"name": "f", "file": f"https://ann:{SECRET.decode()}@host/x.js"}]},
        "profiles": [{"type": "sampled", "name": f"thread {LINE}", "unit": "seconds", "startValue": 0, "endValue": 1,
                      "samples": [[0]], "weights": [1]}]}),
    "trace": json.dumps({"traceEvents": [
        {"ph": "M", "pid": 1, "tid": 1, "name": "process_name", "args": {"name": LINE}},
        {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": LINE}},
        {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 5, "name": "a"}]}),
    "cpuprofile": json.dumps({
        "nodes": [{"id": 1, "callFrame": {"functionName": "(root)", "url": "", **PLACE}, "children": [2]},
                  {"id": 2, "callFrame": {"functionName": "b", "url": LINE.split()[-1], **PLACE}}],
        "startTime": 0, "endTime": 10, "samples": [2, 2], "timeDeltas": [1, 3]}),
    "timeline": "\n".join(json.dumps(line) for line in (
        {"type": "start", "schema": "profrender/timeline/1", "t": 1700000000.0, "argv": LINE.split()},
        {"type": "mark", "ts": 1.0, "mark": f"load {LINE}"}, {"type": "mark", "ts": 2.0, "mark": "end"},
        {"type": "end", "t": 1700000010.0, "wall": 10.0, "exit": 0})) + "\n",
    "pprof": pprof(),
}


@pytest.fixture(params=CAPTURES)
def capture(request, tmp_path):
    path = tmp_path / request.param
    data = CAPTURES[request.param]
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_no_output_has_a_secret_of_the_capture(capture, program, tmp_path):
    assert program("info", capture).status == 0
    seen = [(command, data) for command, data in outputs(program, capture, (), tmp_path) if data]
    assert {"info", "card", "digest"} <= {command for command, _ in seen}
    assert [command for command, data in seen if SECRET in data] == []


def test_no_level_of_a_label_has_one(program, tmp_path):
    path = tmp_path / "pprof"
    path.write_bytes(pprof())
    done = program("tree", "--tag-root", "page", path)
    assert "page: app" in done.out and SECRET.decode() not in done.out, done


def test_no_baseline_has_one(program, tmp_path):
    path, base = tmp_path / "mprof", tmp_path / "base"
    base.mkdir()
    path.write_text(CAPTURES["mprof"])
    done = program("check", path, "--max-rss", "1GiB", "--update-baseline", base)
    digests = [file for file in base.rglob("*") if file.is_file()]
    assert digests, done
    assert [file for file in digests if SECRET in unzstd(file.read_bytes()) + file.read_bytes()] == []
