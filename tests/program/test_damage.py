# SPDX-License-Identifier: Apache-2.0
"""Damage is never called complete: what a reader leaves out, bounds or makes up is counted by kind, shown, and seen by
--strict and check. Real captures without damage stay complete."""

import json
import marshal

import pytest

DAY_S = 86400


def speedscope(**changes):
    profile = {"type": "sampled", "name": "x", "unit": "seconds", "startValue": 0, "endValue": 1,
               "samples": [[0], [1]], "weights": [1, 2], **changes}
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json",
                       "shared": {"frames": [{"name": "f"}, {"name": "g"}]}, "profiles": [profile]}).encode()


def trace(*events, **more):
    return json.dumps({"traceEvents": [{"pid": 1, "tid": 1, **event} for event in events], **more}).encode()


def v8(samples, deltas, children=(2,)):
    frame = {"functionName": "a", "url": ""}
    nodes = [{"id": 1, "callFrame": frame, "children": list(children)}, {"id": 2, "callFrame": frame}]
    return json.dumps({"nodes": nodes, "startTime": 0, "endTime": 10, "samples": samples,
                       "timeDeltas": deltas}).encode()


def pstats(**times):
    return marshal.dumps({("a.py", i, name): (1, 1, time, 1.0, {}) for i, (name, time) in enumerate(times.items())})


def firefox(**samples):
    """Two samples of one function; `samples` are columns instead of, or next to, the usual ones."""
    table = {"length": 1, "prefix": [None], "frame": [0], "category": [0], "subcategory": [0]}
    return json.dumps({
        "meta": {"version": 29, "preprocessedProfileVersion": 50, "interval": samples.pop("interval", 1),
                 "startTime": 0, "processType": 0, "product": "p", "sampleUnits": {"threadCPUDelta": "ns"}},
        "libs": [], "threads": [{
            "name": "t", "pid": "1", "tid": 1, "samples": {"length": 2, "stack": [0, 0], "time": [0, 1], **samples},
            "stackTable": table, "frameTable": {"length": 1, "func": [0], "line": [None]},
            "funcTable": {"length": 1, "name": [0], "resource": [-1], "fileName": [None]},
            "stringArray": ["f"]}]}).encode()


def dhat(**figures):
    point = {"tb": 100, "tbk": 2, "tl": 10, "mb": 100, "mbk": 1, "gb": 100, "gbk": 1, "eb": 0, "ebk": 0, "rb": 9,
             "wb": 9, "fs": [1], **figures}
    return json.dumps({"dhatFileVersion": 2, "mode": "heap", "verb": "Allocated", "bklt": True, "bkacc": True,
                       "tu": "instrs", "Mtu": "Minstr", "cmd": "a", "pid": 1, "te": 100, "tg": 50, "pps": [point],
                       "ftbl": ["[root]", "0x1: main (a.c:1)"]}).encode()


def scalene(elapsed=2.0, **figures):
    line = {"lineno": 1, "line": "x", "n_cpu_percent_c": 10, "n_cpu_percent_python": 20, "n_sys_percent": 1,
            "n_malloc_mb": 3, "n_peak_mb": 3, **figures}
    return json.dumps({"alloc_samples": 1, "growth_rate": 0, "max_footprint_mb": 3, "entrypoint_dir": "/a",
                       "async_profile": 0, "elapsed_time_sec": elapsed, "files": {"a.py": {
        "functions": [], "imports": [], "lines": [line], "leaks": {}, "percent_cpu_time": 30.0}}}).encode()


def heapprofile(size):
    place = {"functionName": "f", "scriptId": "1", "url": "a.js", "lineNumber": 1, "columnNumber": 1}
    return json.dumps({"head": {"callFrame": place, "selfSize": size, "id": 1, "children": [
        {"callFrame": place, "selfSize": 5, "id": 2, "children": []}]}, "samples": []}).encode()


def torch(time_us):
    entry = {"action": "alloc", "addr": 1, "size": 5, "stream": 0, "time_us": time_us,
             "frames": [{"filename": "a.py", "line": 1, "name": "f"}]}
    return json.dumps({"segments": [], "device_traces": [[entry]], "allocator_settings": {}}).encode()


AUSTIN = b"# austin: 3.6.0\n# interval: 100\n# mode: wall\n\nP1;T1;a.py:f:1 100\n"
CALLGRIND = b"# callgrind format\nversion: 1\ncreator: x\nevents: Ir\n\n"
MASSIF = (b"desc: x\ncmd: x\ntime_unit: i\n#-----------\nsnapshot=0\n#-----------\ntime=0\nmem_heap_B=100\n"
          b"mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=detailed\n")
PERF = b"prog 1 [000] 1.0: 250 cycles:\n\tffff f+0x1 (/x)\n\n"
GNU_TIME = (b'\tCommand being timed: "a"\n\tMaximum resident set size (kbytes): 9\n'
            b"\tMajor (requiring I/O) page faults: %s\n\tExit status: %s\n")
OK_CALL = {"ph": "X", "ts": 0, "dur": 5, "name": "ok"}

DAMAGED = {
    "collapsed, lines": ("lines_left_out", b"main;f 1\nno stack\nmain;g nan\nmain;h 0x10\nmain;i\n" * 9),
    "collapsed, carriage returns": ("lines_left_out", b"main;f 1\rmain;g 2\nmain;h 3\n"),
    "collapsed, past 2^63": ("values_bounded", b"main;f 1\nmain;g 18446744073709551616\n"),
    "collapsed, a sum past 2^63": ("values_bounded", b"main;f 9223372036854775806\nmain;g 9223372036854775806\n"),
    "speedscope, no such frame": ("frames_undefined", speedscope(samples=[[0], [7]])),
    "speedscope, frame -1": ("frames_undefined", speedscope(samples=[[0], [-1]])),
    "speedscope, frame 0.5": ("frames_undefined", speedscope(samples=[[0], [0.5]])),
    "speedscope, fewer weights": ("records_left_out", speedscope(samples=[[0], [1], [1]])),
    "speedscope, more weights": ("records_left_out", speedscope(weights=[1, 2, 3])),
    "speedscope, no weights": ("values_assumed", speedscope().replace(b'"weights"', b'"others"')),
    "speedscope, NaN": ("values_not_numbers", speedscope(weights=[1, float("nan")])),
    "speedscope, infinite": ("values_not_numbers", speedscope(weights=[1, float("inf")])),
    "speedscope, 1e308": ("values_bounded", speedscope(weights=[1, 1e308])),
    "speedscope, below 0": ("records_left_out", speedscope(weights=[1, -5])),
    "speedscope, samples twice": ("records_left_out",
                                  speedscope().replace(b'"samples"', b'"samples": [[0]], "samples"')),
    "speedscope, never opened": ("order_mended", speedscope(type="evented", events=[
        {"type": "O", "frame": 0, "at": 0}, {"type": "C", "frame": 1, "at": 5}, {"type": "C", "frame": 0, "at": 9}])),
    "trace, an end of another call": ("order_mended", trace({"ph": "B", "ts": 0, "name": "a"}, OK_CALL,
                                                            {"ph": "E", "ts": 9, "name": "f"})),
    "trace, a buffer that overflowed": ("buffers_overflowed", trace(OK_CALL, viztracer_metadata={"overflow": True})),
    "trace, no time": ("records_left_out", trace(OK_CALL, {"ph": "X", "dur": 5, "name": "b"})),
    "trace, a time of words": ("records_left_out", trace(OK_CALL, {"ph": "X", "ts": 1, "dur": "9", "name": "b"})),
    "massif, fewer lines than announced": ("records_left_out", MASSIF +
                                           b"n5: 100 (heap allocation functions) malloc\n n0: 40 0x1: f (x.c:1)\n"),
    "callgrind, a call without its costs": ("records_left_out", CALLGRIND + b"fn=(1) a\n1 5\ncfn=(2) b\ncalls=1 1\n"
                                            b"fn=(2)\n1 7\n"),
    "callgrind, past 2^63": ("values_bounded", CALLGRIND + b"fn=(1) a\n1 18446744073709551617\n"),
    "callgrind, below 0": ("values_bounded", CALLGRIND + b"fn=(1) a\n1 -5\n2 1\n"),
    "callgrind, nonsense": ("lines_left_out", CALLGRIND + b"fn=(1) a\n1 5\n2 0x10\n"),
    "pstats, infinite": ("values_not_numbers", pstats(f=0.5, g=float("inf"))),
    "pstats, NaN": ("values_not_numbers", pstats(f=0.5, g=float("nan"))),
    "pstats, 1e300": ("values_bounded", pstats(f=0.5, g=1e300)),
    "pstats, another tuple": ("records_left_out", marshal.dumps({("a", 1, "f"): (1, 1, 0.5, 0.5, {}),
                                                                 ("a", 2, "g"): (1, 0.5)})),
    "cpuprofile, no such node": ("frames_undefined", v8([2, 77, 2], [1, 3, 4])),
    "cpuprofile, no such child": ("frames_undefined", v8([2, 2, 2], [1, 3, 4], children=(2, 9))),
    "cpuprofile, fewer times": ("values_assumed", v8([2, 1, 2, 2], [1, 3])),
    "cpuprofile, more times": ("records_left_out", v8([2, 1], [1, 3, 5])),
    "austin, lines": ("lines_left_out", AUSTIN + b"P1;T1;a.py:g:x y\nP1;T1;a.py:g:2 200\n"),
    "austin, past the range": ("values_bounded", AUSTIN + b"P1;T1;a.py:g:2 99999999999999999999\n"),
    "perf, frames without a head": ("lines_left_out", PERF + b"\tffff g+0x1 (/x)\n\n" + PERF),
    "psrecord, words": ("lines_left_out", b"# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n"
                        b"1.0 5.0 10.0 20.0\n2.0 x 10 20\n3.0 5.0 10.0 20.0\n"),
    "psrecord, below 0": ("records_left_out", b"# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n"
                          b"1.0 5.0 10.0 20.0\n2.0 5.0 -10 20\n3.0 5.0 10.0 20.0\n"),
    "psrecord, past the range": ("records_left_out", b"# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n"
                                 b"1.0 5.0 10.0 20.0\n2.0 5.0 1e308 20\n3.0 5.0 10.0 20.0\n"),
    "mprof, words": ("lines_left_out", b"CMDLINE python x.py\nMEM 1.5 1000.25\nMEM x y\nMEM 2 1001\n"),
    "speedscope, null": ("values_not_numbers", speedscope(weights=[1, None])),
    "speedscope, no moment": ("values_not_numbers", speedscope(type="evented", events=[
        {"type": "O", "frame": 0, "at": 0}, {"type": "C", "frame": 0, "at": None}])),
    "trace, an infinite duration": ("records_left_out", trace(OK_CALL, {"ph": "X", "ts": 9, "dur": 1, "name": "b"})
                                    .replace(b'"dur": 1,', b'"dur": 1e400,')),
    "trace, a duration past the range": ("records_left_out", trace(OK_CALL, {"ph": "X", "ts": 9, "dur": 9e18})),
    "cpuprofile, null": ("values_not_numbers", v8([2, 1, 2], [1, None, 4])),
    "callgrind, a number without its name": ("frames_undefined", CALLGRIND + b"fn=(1) a\n1 5\nfn=(2)\n1 7\n"),
    "time, past 2^63": ("values_bounded", GNU_TIME % (b"99999999999999999999999", b"0")),
    "time, no status": ("values_not_numbers", GNU_TIME % (b"7", b"x")),
    "firefox, a weight past the range": ("values_bounded", firefox(weight=[1, 2**63])),
    "firefox, a weight below the range": ("values_bounded", firefox(weight=[-1e308, 1])),
    "firefox, fewer weights": ("values_assumed", firefox(weight=[1])),
    "firefox, more weights": ("records_left_out", firefox(weight=[1, 2, 3])),
    "firefox, a weight of words": ("values_not_numbers", firefox(weight=["1", 2])),
    "firefox, more times": ("records_left_out", firefox(time=[1, 2, 3])),
    "firefox, a time past the range": ("values_bounded", firefox(time=[0, 1e308])),
    "firefox, a stack of words": ("values_not_numbers", firefox(stack=[0, "x"])),
    "firefox, a stack that is an object": ("values_not_numbers", firefox(stack=[0, {}])),
    "firefox, CPU time below 0": ("records_left_out", firefox(threadCPUDelta=[1, -5])),
    "firefox, fewer CPU times": ("values_assumed", firefox(threadCPUDelta=[1])),
    "firefox, an interval below 0": ("records_left_out", firefox(interval=-5)),
    "dhat, a lifetime below 0": ("records_left_out", dhat(tl=-5)),
    "dhat, blocks below 0": ("records_left_out", dhat(gbk=-5)),
    "dhat, bytes read below 0": ("records_left_out", dhat(rb=-5)),
    "scalene, a time below 0": ("records_left_out", scalene(-2.0)),
    "scalene, a time past the range": ("values_bounded", scalene(1e308)),
    "scalene, a share below 0": ("records_left_out", scalene(n_sys_percent=-5)),
    "scalene, memory below 0": ("records_left_out", scalene(n_peak_mb=-5)),
    "heapprofile, bytes below 0": ("records_left_out", heapprofile(-5)),
    "torch, a time past the range": ("values_bounded", torch(1e308)),
    "torch, a time below 0": ("records_left_out", torch(-5)),
    "timeline, marks that the recorder left out": (
        "records_left_out", b'{"ts":0.5,"rss_mb":1}\n{"type":"end","t":1,"wall":1.0,"exit":0,"marks_left_out":7}\n'),
    "timeline, lines that found no room": (
        "records_left_out", b'{"ts":0.5,"rss_mb":1}\n{"type":"end","t":1,"wall":1.0,"exit":0,"lines_lost":7}\n'),
    "timeline, no record": ("lines_left_out", b'{"ts":0.5,"rss_mb":1}\nno json\n{"ts":1,"rss_mb":2}\n'),
}
SOUND = {
    "collapsed": b"main;f 1\n\nmain;g -5\nmain;h 1e3\nmain;i 1.5\n",
    "speedscope": speedscope(),
    "trace": trace(OK_CALL, {"ph": "C", "ts": 1, "name": "rss", "args": {"n": 1}}, {"ph": "i", "ts": 2, "name": "x"}),
    "callgrind": CALLGRIND + b"# a comment\nfn=(1) a\n1 5\ncfn=(2) b\ncalls=1 1\n1 9\n\nfn=(2)\n1 7\n",
    "pstats": pstats(f=0.5, g=-0.000001),
    "cpuprofile": v8([2, 1, 2], [1, 3, 4]),
    "firefox": firefox(weight=[1, 2], threadCPUDelta=[None, 5]),
    "dhat": dhat(),
    "scalene": scalene(),
    "heapprofile": heapprofile(0),
    "torch": torch(1_700_000_000_000_000),
    "austin": AUSTIN + b"\nP1;T1; 7\n# duration: 5\n",
    "perf": b"# a comment\n" + PERF,
}


def options(name):
    return ["--input-format", "collapsed"] if name.startswith("collapsed") else []


def info(program, *words):
    return json.loads(program("info", "--json", *words).out)


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_counted_and_makes_a_capture_incomplete(program, tmp_path, name):
    kind, content = DAMAGED[name]
    capture = tmp_path / "capture"
    capture.write_bytes(content)
    found = info(program, capture, *options(name))
    assert found["complete"] is False
    assert kind in [one["kind"] for one in found["damage"]]
    assert all(one["count"] > 0 for one in found["damage"])
    assert found["problem"]["text"]


@pytest.mark.parametrize("lines, count", [
    (["a 99999999999999999999"], 1), (["a 99999999999999999999", "b 1"], 1), (["a 99999999999999999999", "a 1"], 1),
    (["a 99999999999999999999", "a 99999999999999999999", "b 5"], 2),
    (["a 9e18", "b 9e18"], 1), (["a 9e18", "a 9e18"], 1),
])
def test_a_value_that_was_bounded_counts_once(program, tmp_path, lines, count):
    capture = tmp_path / "capture"
    capture.write_text("\n".join(lines) + "\n")
    found = info(program, capture, "--input-format", "collapsed")
    assert [(one["kind"], one["count"]) for one in found["damage"]] == [("values_bounded", count)]


@pytest.mark.parametrize("name", DAMAGED)
def test_strict_sees_damage(program, tmp_path, name):
    capture = tmp_path / "capture"
    capture.write_bytes(DAMAGED[name][1])
    assert program("stats", capture, *options(name)).status == 0
    strict = program("stats", "--strict", capture, *options(name))
    assert strict.status == 3 and "not complete" in strict.err and "all else is shown" in strict.err


@pytest.mark.parametrize("name", SOUND)
def test_what_a_format_allows_is_no_damage(program, tmp_path, name):
    capture = tmp_path / "capture"
    capture.write_bytes(SOUND[name])
    found = info(program, capture, *options(name))
    assert (found["complete"], found["damage"], found["problem"]) == (True, [], None)
    assert program("stats", "--strict", capture, *options(name)).status == 0


def test_every_sample_is_as_complete_as_it_was_recorded(program, samples):
    """Those that are not complete have the reason in their names."""
    cut = ("killed", "cut", "broken", "damage", "oom", "overwritten")
    captures = [path for path in samples.rglob("*") if path.suffix in (".bin", ".json", ".gz", ".folded", ".cpuprofile",
                ".heapprofile", ".out", ".perf", ".pstats", ".txt", ".heap", ".prof", ".mojo", ".austin")]
    for path in captures:
        answer = program("info", "--json", path)
        if answer.status == 0 and not any(word in str(path) for word in cut):
            assert json.loads(answer.out)["damage"] == [], path


@pytest.mark.parametrize("text", [
    "CMDLINE python x.py\nMEM 1.5 1795250767.8558\nMEM 2.5 1795250768.8558\nMEM 3.5 17952",
    "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n1.0 5.0 10.0 20.0\n2.0 5.0 10.0 20.0\n3.0 5.0 10.0 2"])
def test_a_number_that_is_cut_is_not_taken_for_a_whole_one(program, tmp_path, text):
    capture = tmp_path / "capture"
    capture.write_text(text)
    found = info(program, capture)
    assert found["complete"] is False and found["problem"]
    capture.write_text(text + "\n")
    assert info(program, capture)["complete"] is True


def test_a_broken_line_of_a_map_is_damage(program, samples, tmp_path):
    content = (samples / "cpu/hashtab.gperf.cpu").read_bytes()
    last = content.rstrip(b"\n").rindex(b"\n") + 1
    capture = tmp_path / "a.prof"
    for change, complete in ((content[last:last + 20], True), (content[last:last + 20].replace(b"-", b"-x"), False)):
        capture.write_bytes(content[:last] + change + content[last + 20:])
        assert info(program, capture)["complete"] is complete


def test_a_missing_weight_is_no_second(program, tmp_path):
    capture = tmp_path / "few.speedscope.json"
    capture.write_bytes(speedscope(samples=[[0]] * 10, weights=[0.01] * 5))
    table = json.loads(program("table", "--json", capture).out)
    assert table["total"] == 0.05
    assert table["total_count"] == 5


def test_an_infinite_time_takes_nothing_from_the_others(program, tmp_path):
    capture = tmp_path / "one.pstats"
    for other in (float("inf"), float("nan"), 1e300):
        capture.write_bytes(pstats(ok=0.5, bad=other, worse=other))
        rows = {row["function"]: row for row in json.loads(program("table", "--json", capture).out)["rows"]}
        assert rows["ok"]["self"] == 0.5
        folded = dict(
    line.rsplit(
        " ",
        1) for line in program(
            "export",
            "--format",
            "collapsed",
             capture).out.splitlines())
        assert int(folded["ok (a.py)"]) == 500000000


def test_a_call_without_its_costs_leaves_the_next_function_alone(program, tmp_path):
    capture = tmp_path / "callgrind.out"
    capture.write_bytes(DAMAGED["callgrind, a call without its costs"][1])
    rows = {row["function"]: row["self"] for row in json.loads(program("table", "--json", capture).out)["rows"]}
    assert rows == {"a": 5, "b": 7}


def test_info_and_the_card_name_each_kind(program, tmp_path):
    capture = tmp_path / "capture.folded"
    capture.write_bytes(b"main;f 18446744073709551616\nno stack\nnor this\nmain;g 2\n")
    text = program("info", capture, "--input-format", "collapsed").out
    assert "2 lines that do not match the format were left out, the first at byte 28" in text
    assert "too large and w" in text
    program("card", capture, "--input-format", "collapsed", "-o", tmp_path / "card.html")
    card = (tmp_path / "card.html").read_text()
    assert "The capture is damaged" in card and "2 lines that do not match the format were left out" in card


def damage_of(program, *words):
    return {one["kind"]: one["count"] for one in info(program, *words)["damage"]}


def test_digests_and_sums_keep_damage(program, tmp_path):
    one, two, sound = (tmp_path / name for name in ("one.folded", "two.folded", "sound.folded"))
    one.write_bytes(b"main;f 1\nno stack\nmain;g 2\n")
    two.write_bytes(b"main;f 1\nno stack\nnor this\nmain;g 2\n")
    sound.write_bytes(b"main;f 1\nmain;g 2\n")
    as_collapsed = ["--input-format", "collapsed"]
    program("digest", one, *as_collapsed, "-o", tmp_path / "one.prz")
    assert info(program, tmp_path / "one.prz")["damage"] == info(program, one, *as_collapsed)["damage"]
    assert damage_of(program, tmp_path / "one.prz") == {"lines_left_out": 1}
    program("merge", one, two, sound, *as_collapsed, "-o", tmp_path / "sum.prz")
    assert damage_of(program, tmp_path / "sum.prz") == {"lines_left_out": 3}
    difference = json.loads(program("diff", "--json", sound, two, *as_collapsed).out)
    assert difference["complete"] is False
    assert [(kind["kind"], kind["count"]) for kind in difference["damage"]] == [("lines_left_out", 2)]


def test_inputs_of_several_kinds_keep_damage(program, tmp_path):
    (tmp_path / "one.pstats").write_bytes(pstats(f=0.5, g=float("nan")))
    (tmp_path / "two.speedscope.json").write_bytes(speedscope(weights=[1]))
    both = json.loads(program("summary", "--json", tmp_path / "one.pstats", tmp_path / "two.speedscope.json").out)
    assert both["complete"] is False
    assert {one["kind"]: one["count"] for one in both["damage"]} == {"values_not_numbers": 1, "records_left_out": 1}


def test_a_run_keeps_the_damage_of_its_files(program, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    (run / "cpu.speedscope.json").write_bytes(speedscope())
    (run / "timeline.jsonl").write_bytes(DAMAGED["timeline, no record"][1])
    assert damage_of(program, run) == {"lines_left_out": 1}


def test_check_fails_on_damage(program, tmp_path):
    sound, damaged = tmp_path / "sound.speedscope.json", tmp_path / "damaged.speedscope.json"
    sound.write_bytes(speedscope())
    damaged.write_bytes(speedscope(weights=[1]))
    assert program("check", sound, "--max-cpu", "1h").status == 0
    answer = program("check", damaged, "--max-cpu", "1h")
    assert answer.status != 0 and "left out" in answer.out + answer.err
    assert program("check", damaged, "--max-cpu", "1h", "--allow-incomplete").status == 0
