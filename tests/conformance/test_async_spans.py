# SPDX-License-Identifier: Apache-2.0
"""Asynchronous spans of trace events, compared with a reader of this file that follows the format's description."""

import collections
import json
import random
import shutil
import subprocess

import pytest

SCRIPT = """
const fs = require('node:fs');
async function order(number) {
    const text = await fs.promises.readFile(__filename, 'utf8');
    await new Promise((done) => setTimeout(done, 5 + number));
    return text.length;
}
Promise.all(Array.from({ length: 9 }, (_, i) => order(i))).then((all) => fs.writeFile('/dev/null', `${all}`, () => {}));
"""


def track_of(event):
    """What belongs together: an id in a scope, which is the category where none is given."""
    local = event.get("id2", {}).get("local")
    number = local or event.get("id2", {}).get("global") or event["id"]
    return (event["pid"] if local else None, event.get("scope", event["cat"]), number)


def spans_of(events, end_us):
    """[name, start, end] of each track, those without an end until END_US."""
    tracks = collections.defaultdict(list)
    for event in sorted((event for event in events if event["ph"] in "bne"), key=lambda event: event["ts"]):
        spans = tracks[track_of(event)]
        if event["ph"] != "e":
            spans.append([event["name"], event["ts"], None if event["ph"] == "b" else event["ts"]])
            continue
        mine = [span for span in spans if span[0] == event["name"] and span[2] is None]
        if mine:
            mine[-1][2] = event["ts"]
    return {track: [(name, start, end_us if end is None else end) for name, start, end in spans]
            for track, spans in tracks.items()}


def self_times(tracks):
    """{name: (seconds without those of spans in it, how many there are)}; spans nest on their track."""
    want = collections.defaultdict(lambda: [0, 0])
    for spans in tracks.values():
        for i, (name, start, end) in enumerate(spans):
            inside = [other for j, other in enumerate(spans) if j != i and start <= other[1] and other[2] <= end
                      and (other[1:] != (start, end) or j > i)]
            children = [one for one in inside if not any(
                one is not two and two[1] <= one[1] and one[2] <= two[2] and (one[1:] != two[1:]) for two in inside)]
            want[name][0] += (end - start) - sum(stop - begin for _, begin, stop in children)
            want[name][1] += 1
    return {name: (pytest.approx(time / 1e6, abs=1e-9), count) for name, (time, count) in want.items()}


def read(program, path):
    table = program("table", path, "--json", "--metric", "async").json()
    return {row["function"]: (row["self"], row["self_count"]) for row in table["rows"]}


def nested(rng, start, end, depth):
    """Spans [name, start, end] that lie within one another, in no particular order."""
    spans = []
    while end - start > 20 and rng.random() < 0.8:
        begin = rng.randrange(start + 1, end - 10)
        stop = rng.randrange(begin + 2, end)
        spans.append((rng.choice("abcdef"), begin, stop))
        if depth < 4:
            spans += nested(rng, begin, stop, depth + 1)
        start = stop
    return spans


@pytest.mark.parametrize("seed", range(12))
def test_generated_spans_are_those_of_their_tracks(program, tmp_path, seed):
    rng = random.Random(seed)
    events = []
    for number in range(rng.randrange(1, 60)):
        kind = rng.choice(["id", "local", "global", "scope"])
        start = rng.randrange(0, 5000)
        for name, begin, end in nested(rng, start, start + rng.randrange(30, 3000), 0):
            for phase, at in (("b", begin), ("e", end)):
                event = {"ph": phase, "name": name, "ts": at, "tid": rng.randrange(3), "pid": 1 + number % 2,
                         "cat": f"c{number // 2 % 3}"}
                event.update({"id": {"id": hex(number)}, "local": {"id2": {"local": hex(number // 2)}},
                              "global": {"id2": {"global": f"g{number}"}},
                              "scope": {"id": number, "scope": "s"}}[kind])
                events.append(event)
    rng.shuffle(events)
    calls = [{"ph": "X", "name": "main", "pid": 1, "tid": 0, "ts": 0, "dur": 9000}]
    path = tmp_path / "spans.json"
    path.write_text(json.dumps({"traceEvents": events + calls}))
    assert read(program, path) == self_times(spans_of(events, 9000))
    time = program("table", path, "--json", "--metric", "cpu").json()
    assert (time["total"], time["total_count"]) == (0.009, 1)


def test_what_node_records_of_its_promises_and_files(program, tmp_path):
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    script = tmp_path / "orders.js"
    script.write_text(SCRIPT)
    subprocess.run(["node", "--trace-event-categories", "node.async_hooks,node.fs.async", script], cwd=tmp_path,
                   check=True)
    path = tmp_path / "node_trace.1.log"
    events = json.loads(path.read_bytes())["traceEvents"]
    spans = spans_of(events, max(event["ts"] for event in events if event["ph"] in "bneX"))
    got, want = read(program, path), self_times(spans)
    assert got == want and {"PROMISE", "PROMISE_CALLBACK", "Timeout", "open"} <= set(got)
    lanes = [thread["name"] for thread in program("info", path, "--json").json()["threads"] if thread.get("lane")]
    text = program("info", path).out
    assert "\nAsynchronous spans\n" in text and "\nThreads\n" not in text
    assert lanes and all(name.startswith("async node,node.") for name in lanes)
    assert "save" not in program("explain", path).out  # spans are open at the same time: nobody saves their sum
