# SPDX-License-Identifier: Apache-2.0
"""Each rule has an input in which it speaks, and one that nearly is one. Those about the heap over time are in
tests/unit/explain, those about several processes in test_processes.py."""

import cProfile
import json
import re
import struct
import sys

import pytest
from made_capture import MALLOC, capture, header, sv, uv

MIB, START, SECONDS, FREE = 1 << 20, 1_700_000_000, 20, 5


def timeline(folder, limit=None, cores=4, **sample):
    """A run of twenty seconds with the same sample each second."""
    lines = [{"type": "start", "version": 1, "t": START, "argv": ["x"], "ncpu": cores,
              "limits": {"memory_max": limit, "cpu_max": None}}]
    lines += [{"ts": second, **sample} for second in range(SECONDS + 1)]
    lines.append({"type": "end", "t": START + SECONDS, "wall": SECONDS, "exit": 0, "signal": None})
    path = folder / "timeline.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def run(**how):
    return lambda folder: timeline(folder, **how)


def of_gpu(use, sizes=None):
    """A run of a minute; USE(second) is the load of its GPU in percent, and GiB of its memory."""
    def make(folder):
        gpus = [{"index": number, "name": "G", "mem_total": size << 30} for number, size in enumerate(sizes or [])]
        lines = [{"type": "start", "version": 1, "t": START, "argv": ["x"], "ncpu": 4, "gpus": gpus}]
        for second in range(61):
            util, gib = use(second)
            lines.append({"ts": second, "cpu_pct": 100, "gpus": [{"i": 0, "util": util, "mem_mb": gib * 1024}]})
        lines.append({"type": "end", "t": START + 60, "wall": 60, "exit": 0, "signal": None})
        path = folder / "timeline.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    return make


def stacks(*counts):
    """Samples of functions that nobody calls."""
    def make(folder):
        path = folder / "stacks.txt"
        path.write_text("".join(f"f{number} {count}\n" for number, count in enumerate(counts)))
        return path

    return make


def held(*sizes):
    def make(folder):
        path = folder / "held.bin"
        path.write_bytes(capture([(f"f{number}".encode(), b"job.py", size) for number, size in enumerate(sizes)]))
        return path

    return make


def objects(*sizes):
    """A heap snapshot of V8: a global object that has objects of these sizes, each by a property of its own."""
    def make(folder):
        nodes, edges = [3, 0, 1, 0, 1, 1, 1, 3, 8, len(sizes)], [1, 0, 5]
        for number, size in enumerate(sizes):
            nodes += [1, 2 + number, 5 + 2 * number, size, 0]
            edges += [0, 2 + number, 10 + 5 * number]
        meta = {"node_fields": ["type", "name", "id", "self_size", "edge_count"],
                "node_types": [["hidden", "object", "string", "synthetic"]],
                "edge_fields": ["type", "name_or_index", "to_node"], "edge_types": [["property", "shortcut"]]}
        names = [f"Part{number}" for number in range(len(sizes))]
        path = folder / "objects.heapsnapshot"
        path.write_text(json.dumps({"snapshot": {"meta": meta}, "nodes": nodes, "edges": edges,
                                    "strings": ["", "global", *names]}))
        return path

    return make


def freed_at_once(size, times, rest=10 * MIB):
    def make(folder):
        out = [header(b"job.py"), b"\x0c" + struct.pack("<Q", 1)]
        out += [b"\x0e" + uv(number) + name + b"\0job.py\0" + sv(1 - number) + uv(0)
                for number, name in enumerate((b"keep", b"row"))]
        held = bytes([0x80 | 15 << 3 | MALLOC]) + sv(16)
        out += [b"\x41\x00" + sv(0), held + uv(rest), b"\x10"]
        out += [b"\x41\x01" + sv(0), held + uv(size), bytes([0x80 | 15 << 3 | FREE]) + sv(0), b"\x10"] * times
        path = folder / "freed.bin"
        path.write_bytes(b"".join(out) + b"\x01")
        return path

    return make


def calls(*times):
    """A profile of cProfile in which functions are called so many times."""
    def make(folder):
        names = {}
        code = "".join(f"def f{number}():\n    pass\n" for number in range(len(times)))
        exec(compile(code, "/srv/app/calls.py", "exec"), names)
        profiler = cProfile.Profile(builtins=False)
        for number, count in enumerate(times):
            for _ in range(count):
                profiler.runcall(names[f"f{number}"])
        profiler.dump_stats(folder / "calls.pstats")
        return folder / "calls.pstats"

    return make


def growing(held, limit=None):
    """A run of a minute in which HELD(second) is resident, in MiB."""
    def make(folder):
        lines = [{"type": "start", "version": 1, "t": START, "argv": ["x"], "ncpu": 4,
                  "limits": {"memory_max": limit, "cpu_max": None}}]
        lines += [{"ts": second, "rss_mb": held(second)} for second in range(61)]
        lines.append({"type": "end", "t": START + 60, "wall": 60, "exit": None, "signal": 15})
        path = folder / "timeline.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    return make


def steady(second):
    return 100 + second


# These always say who has most; where nobody has much, that.
LARGEST = {"time": (stacks(60, 40), stacks(*[4] * 25)),
           "peak-holder": (held(60 * MIB, 40 * MIB), held(*[4 * MIB] * 25))}
DISK = {"disk_read_mb_s": 1, "disk_write_mb_s": 0, "cpu_pct": 50}
CASES = {
    "memory-limit": (run(limit=200 * MIB, rss_mb=120), run(limit=200 * MIB, rss_mb=90), run(rss_mb=190)),
    "disk-pressure": (run(cg_psi_io_some_pct=6, **DISK), run(cg_psi_io_some_pct=4, **DISK),
                      run(cg_psi_io_some_pct=60, **{**DISK, "disk_read_mb_s": 0}), run(psi_io_some_pct=60, **DISK)),
    "core-wait": (run(cpu_wait_pct=6, cpu_pct=50), run(cpu_wait_pct=4, cpu_pct=50), run(cg_psi_cpu_some_pct=60,
                                                                                        cpu_pct=50)),
    "throttled": (run(throttled_pct=6, cpu_pct=50), run(throttled_pct=4, cpu_pct=50),
                  run(throttled_pct=60, cpu_wait_pct=1, cpu_pct=50)),
    "gpu-idle": (of_gpu(lambda second: (90 * (second > 31), 1)), of_gpu(lambda second: (90 * (second > 28), 1)),
                 of_gpu(lambda second: (0, 1))),
    "gpu-memory": (of_gpu(lambda second: (90, 46 * (second == 30)), [50]),
                   of_gpu(lambda second: (90, 44), [50]), of_gpu(lambda second: (90, 46)),
                   of_gpu(lambda second: (90, 46), [50, 80])),
    "cores": (run(cpu_pct=50), run(rss_mb=90)),
    "memory-growth": (growing(steady), growing(lambda second: 100 + min(second, 20)),
                      growing(lambda second: 100 + second % 5 * 12), growing(lambda second: 100 + second / 4),
                      growing(lambda second: 100 + second * (second < 55))),
    "calls": (calls(900, 5, 5), calls(*[4] * 25)),
    "retained": (objects(20 * MIB, 80 * MIB), objects(*[4 * MIB] * 25)),
    "not-freed": (held(60 * MIB, 40 * MIB), held(*[4 * MIB] * 25)),
    "temporary": (freed_at_once(MIB, 40), freed_at_once(4096, 40, rest=100 * MIB)),
}


def outcomes(program, capture):
    return {rule["rule"]: rule["outcome"] for rule in program("explain", "--json", "-q", capture).json()["rules"]}


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_speaks_of_what_it_is_about_and_not_of_what_nearly_is(program, tmp_path, rule):
    found = []
    for number, make in enumerate(CASES[rule]):
        folder = tmp_path / str(number)
        folder.mkdir()
        found.append(outcomes(program, make(folder))[rule])
    assert found[0] == "found" and "found" not in found[1:], found


@pytest.mark.parametrize("rule", LARGEST)
def test_where_nobody_has_much_nobody_is_blamed(program, tmp_path, rule):
    found = []
    for number, make in enumerate(LARGEST[rule]):
        folder = tmp_path / str(number)
        folder.mkdir()
        findings = program("explain", "--json", "-q", make(folder)).json()["findings"]
        found.append([finding for finding in findings if finding["rule"] in (rule, "not-freed")])
    assert found[0][0]["function"] == "f0" and found[0][0]["headline"] != found[1][0]["headline"]
    assert [finding["headline"] for finding in found[1]] == ["No single function stands out"]


def in_files(**counts):
    """A profile of Node: as many samples as COUNTS says of each of 25 functions in the file of a name."""
    files = {"app": "/srv/app/main.js", "terser": "/srv/app/node_modules/terser/lib/compress.js"}

    def make(folder):
        functions = [(name, number) for name in counts for number in range(25)]
        call = [{"functionName": f"{name}{number}", "scriptId": "1", "url": f"file://{files[name]}",
                 "lineNumber": number, "columnNumber": 0} for name, number in functions]
        root = {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}
        nodes = [{"id": 1, "callFrame": root, "children": [number + 2 for number in range(len(call))]}]
        nodes += [{"id": number + 2, "callFrame": frame, "children": []} for number, frame in enumerate(call)]
        samples = [number + 2 for number, (name, _) in enumerate(functions) for _ in range(counts[name])]
        path = folder / "node.cpuprofile"
        path.write_text(json.dumps({"nodes": nodes, "samples": samples, "timeDeltas": [1000] * len(samples),
                                    "startTime": 0, "endTime": 1000 * len(samples)}))
        return path

    return make


@pytest.mark.parametrize("counts, said", [
    ({"app": 10, "terser": 30}, "The library terser has 75.0 % by itself."),
    ({"app": 1, "terser": 30}, "The library terser has 96.8 % by itself."),
    ({"app": 30, "terser": 29}, None),
])
def test_where_no_function_has_much_the_library_that_has_half_is_named(program, tmp_path, counts, said):
    path = in_files(**counts)(tmp_path)
    finding, = program("explain", "--json", "-q", path).json()["findings"]
    assert ("The library" in finding["text"]) == (said is not None)
    if said:
        assert finding["text"].endswith(f" {said}")
        rows = program("table", "--json", "--group", "package", path).json()["rows"]
        itself = {row["file"]: row["self"] for row in rows}
        percent = float(re.findall(r"([\d.]+) %", said)[0])
        assert 100 * itself["terser"] / sum(itself.values()) == pytest.approx(percent, abs=0.05)


def test_what_samples_of_a_gpu_prove_is_said_with_what_the_cpu_did_meanwhile(program, tmp_path):
    answer = program("explain", "--json", "-q", of_gpu(lambda second: (90 * (second > 31), 1))(tmp_path)).json()
    idle, = [finding for finding in answer["findings"] if finding["rule"] == "gpu-idle"]
    assert idle["text"] == ("GPU 0 was idle for 31.0 s, 51.7 % of the time. Meanwhile the run kept 1.00 cores busy "
                            "on average."), idle["text"]
    assert idle["saving"] is None
    waits, = [rule for rule in answer["rules"] if rule["rule"] == "gpu-waits"]
    assert waits["why"] == "the GPU was only sampled; what it did was not recorded"


def test_a_digest_keeps_the_size_of_the_gpus(program, tmp_path):
    full = of_gpu(lambda second: (90, 46), [50])(tmp_path)
    program("digest", "-q", full, "-o", tmp_path / "full.prd")
    assert outcomes(program, tmp_path / "full.prd")["gpu-memory"] == "found"
    card = program("card", "-q", tmp_path / "full.prd", "-o", "-").out
    assert "<dt>GPU busy</dt>" in card and ">92.0 % of 50.0 GiB</dd>" in card.replace("\u00a0", " ")


def test_every_rule_has_both(program, samples):
    """The names of rules that others test are in their tests with "found" and without."""
    here = samples.parent / "tests"
    elsewhere = (here / "unit/explain/test_explain.c").read_text() + "".join(
        (here / "explain" / name).read_text() for name in ("test_processes.py", "test_devices.py"))
    named = set(re.findall(r'"([a-z]+(?:-[a-z]+)*)"', elsewhere))
    rules = outcomes(program, samples / "daily-sales.bin")
    assert len(rules) > 25 and not set(rules) - named - set(CASES) - set(LARGEST)


def test_a_lane_that_grows_reaches_its_limit_at_that_rate(program, tmp_path):
    """A collector empties it every five seconds: the lower edge rises by 60 MiB in a minute."""
    for number, held in enumerate((steady, lambda second: 100 + second // 5 * 6 + second % 5 * 30)):
        folder = tmp_path / str(number)
        folder.mkdir()
        found = program("explain", "--json", "-q", growing(held, limit=400 * MIB)(folder)).json()["findings"]
        growth = next(finding for finding in found if finding["rule"] == "memory-growth")
        assert growth["headline"].startswith("RSS grows by 1") and growth["headline"].endswith("MiB/s until the end")
        assert "Which code holds the memory was not recorded." in growth["text"]
        if not number:
            assert "from 100 MiB" in growth["text"] and "the limit of 400 MiB is reached 4 min" in growth["text"]


TRACE = [{"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 1000, "name": "builtins.exec"},
         {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 998, "name": "<module> (/srv/app/etl.py:1)"},
         {"ph": "X", "pid": 1, "tid": 1, "ts": 2, "dur": 900, "name": "main (/srv/app/etl.py:9)"}]


def test_a_script_that_a_profiler_runs_is_no_import(program, tmp_path):
    imports = {"ph": "X", "pid": 1, "tid": 1, "ts": 3, "dur": 600,
               "name": "_find_and_load (<frozen importlib._bootstrap>:1165)"}
    module = {"ph": "X", "pid": 1, "tid": 1, "ts": 4, "dur": 590, "name": "<module> (/srv/app/big/__init__.py:1)"}
    for events, outcome in ((TRACE, "fine"), ([*TRACE, imports, module], "found")):
        path = tmp_path / f"{outcome}.json"
        path.write_text(json.dumps({"traceEvents": events}))
        assert outcomes(program, path)["imports"] == outcome


def test_a_thread_of_a_sampler_has_no_time_of_its_own(program, tmp_path):
    path = tmp_path / "stacks.txt"
    path.write_text("process 7:python;thread (7): MainThread 40\n"
                    "process 7:python;thread (7): MainThread;main (app.py:3) 60\n")
    texts = [finding["text"] for finding in program("explain", "--json", "-q", path).json()["findings"]]
    assert texts and not any("thread (7)" in text or "process 7" in text for text in texts)


def test_a_profile_without_stacks_knows_what_calls_took(program, tmp_path):
    """cProfile's rows are exact: what deepcopy took, and what imports did."""
    names = {}
    code = ("import copy\ndef copies(times):\n    for _ in range(times):\n        copy.deepcopy(list(range(300)))\n"
            "def imports():\n    import slow_module\n")
    exec(compile(code, "/srv/app/job.py", "exec"), names)
    (tmp_path / "slow_module.py").write_text("sum(range(3_000_000))\n")
    sys.path.insert(0, str(tmp_path))
    sys.modules.pop("slow_module", None)
    for function, words, rule, first in (("copies", (3000,), "known-calls", "deepcopy takes "),
                                         ("imports", (), "imports", "Imports take ")):
        profiler = cProfile.Profile()
        profiler.runcall(names[function], *words)
        profiler.dump_stats(tmp_path / "job.pstats")
        found = program("explain", "--json", "-q", tmp_path / "job.pstats").json()["findings"]
        finding = next(one for one in found if one["rule"] == rule)
        assert finding["headline"].startswith(first)
        if rule == "imports":
            assert "most of it for slow_module.py." in finding["text"]
    sys.path.remove(str(tmp_path))


@pytest.mark.parametrize("url, outcome", [("node:fs", "found"), ("file:///srv/app/fs.js", "fine")])
def test_what_stops_nodes_event_loop_is_known_by_its_module(program, tmp_path, url, outcome):
    frames = [("(root)", ""), ("main", "file:///srv/app/main.js"), ("readFileSync", url)]
    nodes = [{"id": number, "callFrame": {"functionName": name, "scriptId": "1", "url": of, "lineNumber": 3,
                                          "columnNumber": 0}, "hitCount": 100 * number,
              "children": [number + 1] if number < 3 else []} for number, (name, of) in enumerate(frames, 1)]
    samples = [2] * 300 + [3] * 200
    path = tmp_path / "job.cpuprofile"
    path.write_text(json.dumps({"nodes": nodes, "startTime": 0, "endTime": 500_000, "samples": samples,
                                "timeDeltas": [1000] * len(samples)}))
    assert outcomes(program, path)["known-calls"] == outcome


def test_one_busy_core_is_not_several(program, tmp_path):
    headlines = []
    for number, busy in enumerate((98, 150)):
        folder = tmp_path / str(number)
        folder.mkdir()
        findings = program("explain", "--json", "-q", timeline(folder, cpu_pct=busy)).json()["findings"]
        headlines.append([finding["headline"] for finding in findings if finding["rule"] == "cores"][0])
    assert headlines[0] == "Only one core of 4 is busy" and headlines[1].startswith("CPU busy 1.5 of 4 cores")


def cores_of(program, path):
    findings = program("explain", "--json", "-q", path).json()["findings"]
    return [finding["text"] for finding in findings if finding["rule"] == "cores"][0]


@pytest.mark.parametrize("sampled, worked, text", [
    (60, 15, "on average (18.8 %), more than any sample: what ran between two of them is missing there."),
    (98, 5, "on average (6.3 %), up to 1.0."), (25, 20, "CPU busy 1.0 of 4 cores")])
def test_an_average_is_not_above_the_highest(program, tmp_path, sampled, worked, text):
    """The system counts what processes did that ended between two samples; the samples do not have it."""
    path = timeline(tmp_path, cpu_pct=sampled)
    lines = path.read_text().splitlines()
    end = json.loads(lines[-1])
    end["rusage"] = {"utime": worked, "stime": 0, "maxrss_kb": 1000, "majflt": 0, "inblock": 0, "oublock": 0}
    path.write_text("\n".join([*lines[:-1], json.dumps(end)]) + "\n")
    assert text in cores_of(program, path)


def without(sizes, number):
    """The same held memory without one of its functions."""
    return held(*[size for other, size in enumerate(sizes) if other != number])


@pytest.mark.parametrize("sizes", [(60, 40), (10, 90), (33, 33, 34), (5, 80, 7, 8)])
def test_what_the_peak_would_be_is_that_of_the_program_without_the_function(program, tmp_path, sizes):
    sizes = [size * MIB for size in sizes]
    findings = program("explain", "--json", "-q", held(*sizes)(tmp_path)).json()["findings"]
    holder = next(finding for finding in findings if finding["rule"] in ("peak-holder", "not-freed"))
    rest = program("table", "--json", without(sizes, int(holder["function"][1:]))(tmp_path)).json()["total"]
    assert holder["saving"] == sum(sizes) - rest


def test_nothing_is_said_of_a_peak_without_the_only_function(program, tmp_path):
    said = program("explain", freed_at_once(10 * MIB, 1, rest=0)(tmp_path)).out
    assert "row holds 10.0 MiB" in said
    assert "Without it" not in said
