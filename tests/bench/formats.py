#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed of readers compared with the tools that people open these formats with today, taking turns.

    python3 tests/bench/formats.py                all whose tools are on this machine
    python3 tests/bench/formats.py --only jfr,stackprof --rounds 7

Each line is a quotient of medians of processor time, theirs by ours, with the minimum and maximum of single rounds in
brackets. Both read a file of the same format to the tool's own summary of it: by function, event or place. What has no
tool here is named. Some inputs are small samples: their tools' start, of a JVM or of PyTorch, is then most of what is
measured, as it is for people. Inputs are made once, in build/bench/.
"""

import argparse
import gzip
import os
import resource
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
from jars import jar  # noqa: E402
from node_packages import node_modules  # noqa: E402
from packages import environment  # noqa: E402

PROGRAM = ROOT / "build/profrender"
MADE = ROOT / "build/bench"
SAMPLES = ROOT / "samples"

SNAPSHOT = """
import sys, tracemalloc
tracemalloc.start(12)
def leaf(i): return [bytes(40 + i % 90)]
def deep(n, i): return leaf(i) if n == 0 else deep(n - 1, i)
kept = [deep(i % 10, i) for i in range(150000)]
tracemalloc.take_snapshot().dump(sys.argv[1])
"""
STATISTICS = """
import sys, tracemalloc
for each in tracemalloc.Snapshot.load(sys.argv[1]).statistics("lineno")[:50]: print(each)
"""
DUMP = """
require "stackprof"
d = Marshal.load(File.binread(ARGV[0]))
d[:raw] *= 600
d[:raw_timestamp_deltas] *= 600
d[:samples] *= 600
d[:frames].each_value { |f| f[:samples] *= 600; f[:total_samples] *= 600 }
File.binwrite(ARGV[1], Marshal.dump(d))
"""
OBJECTS = """
const kept = [];
for (let i = 0; i < 200000; i++) kept.push({id: i, name: 'name ' + i, items: [i, i + 1], before: kept[i >> 1]});
require('v8').writeHeapSnapshot(process.argv[1]);
"""
DUMPS = "import json; [json.dumps(list(range(100))) for _ in range(10000)]"
BLOCKS = """
import json, sys
d = json.load(open(sys.argv[1]))
frames, rows = d["ftbl"], []
for i in range(60):
    d["ftbl"].append(f"0x{i:X}: copy_{i} (copies.c:{i})")
    rows += [{**row, "fs": [*row["fs"], len(d["ftbl"]) - 1]} for row in d["pps"]]
d["pps"] = rows
json.dump(d, open(sys.argv[2], "w"))
"""
BLOCK_TREE = """
const fs = require('fs'), vm = require('vm');
const element = new Proxy(function () {}, {get: () => element, set: () => true, apply: () => element});
const text = fs.readFileSync(process.argv[2], 'utf8');
const page = vm.createContext({document: element, window: element, Intl, text});
vm.runInContext(fs.readFileSync(process.argv[1], 'utf8') + `
gData = JSON.parse(text);
gSelect = {childNodes: gSelectData.map(() => ({})), selectedIndex: 0};
buildTree();
globalThis.root = gRoot;`, page);
console.log(page.root._totalBytes);
"""
TRACE = """
import sys
sys.path[:0] = sys.argv[1:3]
import test_nettrace
print(len(test_nettrace.Trace(open(sys.argv[3], "rb").read()).events))
"""
LONGER = """
import gzip, json, sys
profile = json.load(gzip.open(sys.argv[1]))
for thread in profile["threads"]:
    samples = thread["samples"]
    samples.update({name: column * 5000 for name, column in samples.items() if isinstance(column, list)})
    samples["length"] *= 5000
json.dump(profile, open(sys.argv[2], "w"))
"""
FUNCTIONS = """
export PROFILER_CLI_SESSION_DIR="$1" PROFILER_CLI_NO_SYMBOLICATE=1
node "$2" --daemon "$3" --session bench &
while ! [ -S "$1/bench.sock" ]; do sleep 0.1; done
until node "$2" thread functions --limit 0 --include-idle --json; do sleep 0.3; done
node "$2" stop --all
wait
"""
STEPS = """
import gzip, json, sys
trace = json.load(gzip.open(sys.argv[1]))
events = trace["traceEvents"]
timed = [event for event in events if "ts" in event]
span = max(event["ts"] + event.get("dur", 0) for event in timed) - min(event["ts"] for event in timed)
for i in range(1, 12):
    for event in timed:
        args = {key: value + i * 10_000_000 if key in ("External id", "correlation") else value
                for key, value in event.get("args", {}).items()}
        again = {**event, "ts": event["ts"] + i * span, "args": args}
        if "id" in event and event.get("cat") == "ac2g":
            again["id"] = event["id"] + i * 10_000_000
        events.append(again)
json.dump(trace, open(sys.argv[2], "w"))
"""
KERNELS = """
import sys
from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_files={0: sys.argv[1]})
print(analysis.get_gpu_kernel_breakdown(visualize=False))
print(analysis.get_idle_time_breakdown(visualize=False))
"""
VIEWER = """
import pickle, sys
from torch.cuda import _memory_viz
with open(sys.argv[1], "rb") as file: print(_memory_viz.segsum(pickle.load(file)))
"""


def unpacked(name):
    """A sample without its packing, which other tools do not take off."""
    path = MADE / Path(name).name.removesuffix(".zst")
    if not path.exists():
        path.write_bytes(subprocess.run(["zstd", "-dqc", SAMPLES / name], check=True, stdout=subprocess.PIPE).stdout)
    return path


def made(name, *command):
    path = MADE / name
    if not path.exists():
        subprocess.run([*command, path], check=True)
    return path


RECORDINGS = {"-a -g": ["-a", "-g", "-F", "10000"], "--call-graph dwarf": ["--call-graph", "dwarf", "-F", "3000"]}
BUSY = "import json, asyncio, http.client; [json.dumps(list(range(100))) for _ in range(100000)]"


def recorded(name, words):
    """A recording of perf; None where it cannot be had."""
    path = MADE / name
    command = ["perf", "record", "-q", "-e", "cpu-clock", *words, "-o", path, "--", sys.executable, "-c", BUSY]
    if not shutil.which("perf") or (not path.exists() and subprocess.run(command, check=False).returncode):
        return None
    return path


def blocks_of_dhat():
    """The sample 60 times over, each time below another function."""
    path, one = MADE / "bench.dhat.json", MADE / "one.dhat.json"
    one.write_bytes(gzip.decompress((SAMPLES / "cpu/tree.dhat.json.gz").read_bytes()))
    if not path.exists():
        subprocess.run([sys.executable, "-c", BLOCKS, one, path], check=True)
    return path


def several(name, times):
    """A protobuf message TIMES over, which is one whose lists are as much longer."""
    path = MADE / Path(name).stem
    path.write_bytes(gzip.decompress((SAMPLES / name).read_bytes()) * times)
    return path


def netbeans(dump):
    """Keeps what it works out beside the dump, which would make later rounds faster."""
    library = jar("org.netbeans.modules:org-netbeans-lib-profiler:RELEASE220") if shutil.which("javac") else None
    source = ROOT / "tests/conformance/NetBeansRetained.java"
    return library and ["sh", "-c", 'rm -rf "$3.nbcache"; java -cp "$1" "$2" "$3"', "sh", library, source, dump]


def devtools_worker():
    """The command that reads a snapshot with DevTools' own code, made once; None where it cannot be had."""
    found, failure = node_modules("devtools") if shutil.which("npm") else (None, "there is no npm")
    if not found:
        print(f"DevTools: {failure}", file=sys.stderr)
        return None
    command = ["node", ROOT / "tests/support/devtools_heap.mjs", found / "chrome-devtools-frontend",
               MADE / "devtools_worker.mjs"]
    subprocess.run(command, check=True)
    return command


def heaptracked(name):
    """A recording of heaptrack, of some million events; None where it cannot be had."""
    path = MADE / f"{name}.zst"
    python = os.path.realpath(sys.executable)
    if shutil.which("heaptrack") and not path.exists():
        subprocess.run(["heaptrack", "-o", MADE / name, python, "-c", DUMPS], stdout=subprocess.DEVNULL,
                       env={**os.environ, "PYTHONMALLOC": "malloc"}, check=False)
    return path if path.exists() else None


def firefox_functions(profile):
    """The command that asks the Firefox Profiler's own program for the functions of a thread; None without it."""
    program = ROOT / "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js"
    place = MADE / "firefox"
    place.mkdir(exist_ok=True)
    found = shutil.which("node") and program.exists()
    return ["sh", "-c", FUNCTIONS, "sh", place, program, profile] if found else None


def has_stackprof():
    return shutil.which("ruby") and not subprocess.run(["ruby", "-e", 'require "stackprof"'], capture_output=True,
                                                       check=False).returncode


def cases():
    """(format, the tool and what it is asked for, its command, ours); without commands where the tool is not here."""
    jfr = unpacked("cpu/shop.jfr.zst")
    if shutil.which("jfr"):
        yield "jfr", "jfr summary", ["jfr", "summary", jfr], ["stats", jfr]
        yield "jfr", "jfr print --json", ["jfr", "print", "--json", jfr], ["export", jfr]
    else:
        yield "jfr", "jfr", None, None
    converter = jar("tools.profiler:async-profiler-converter:3.0") if shutil.which("java") else None
    converted = ["java", "-cp", converter, "jfr2flame", "--collapsed", jfr, os.devnull]
    yield "jfr", "async-profiler's converter", converter and converted, ["export", jfr, "--format", "collapsed"]
    if has_stackprof():
        dump = made("bench.stackprof", "ruby", "-e", DUMP, SAMPLES / "cpu/shop.wall.stackprof")
        yield "stackprof", "stackprof --text", ["stackprof", "--text", dump], ["table", dump]
        yield "stackprof", "stackprof --stackcollapse", ["stackprof", "--stackcollapse", dump], \
            ["export", dump, "--format", "collapsed"]
    else:
        yield "stackprof", "stackprof", None, None
    snapshot = made("bench.tracemalloc", sys.executable, "-c", SNAPSHOT)
    yield "tracemalloc", "Snapshot.load().statistics()", [sys.executable, "-c", STATISTICS, snapshot], \
        ["table", snapshot]
    pprof = SAMPLES / "cpu/endpoints.cpu.pb.gz"
    yield "pprof", "go tool pprof -top", ["go", "tool", "pprof", "-top", pprof] if shutil.which("go") else None, \
        ["table", pprof]
    for way, words in RECORDINGS.items():
        perf = recorded(f"bench.{way}.perf.data", words)
        yield "perf-data", f"perf script ({way})", perf and ["perf", "script", "-i", perf], \
            ["export", perf, "--format", "collapsed"]
    dump = unpacked("heap/shelf.hprof.zst")
    yield "hprof", "NetBeans' heap library, retained sizes", netbeans(dump), ["table", dump]
    snapshot = made("bench.heapsnapshot", "node", "-e", OBJECTS) if shutil.which("node") else None
    yield "heapsnapshot", "JSON.parse of node, without dominators", \
        snapshot and ["node", "-e", "JSON.parse(require('fs').readFileSync(process.argv[1]))", snapshot], \
        ["table", snapshot]
    devtools = devtools_worker()
    yield "heapsnapshot", "Chrome DevTools' worker, retained sizes by class", \
        snapshot and devtools and [*devtools, snapshot], ["table", snapshot]
    heap = heaptracked("bench.heaptrack")
    yield "heaptrack", "heaptrack_print", heap and ["heaptrack_print", heap], ["table", heap]
    page = next(iter(Path("/usr").glob("lib*/valgrind/dh_view.js")), None) if shutil.which("node") else None
    blocks = blocks_of_dhat()
    yield "dhat", "dh_view.js of valgrind, its tree", page and ["node", "-e", BLOCK_TREE, page, blocks], \
        ["table", blocks]
    classes, profiles = environment("otlp"), several("cpu/endpoints.otlp.gz", 2000)
    yield "otlp", "OpenTelemetry's classes for Python, sums by stack", \
        classes and [classes / "python", ROOT / "tests/support/otlp_truth.py", profiles], ["table", profiles]
    trace = unpacked("cpu/shelf.nettrace.zst")
    yield "nettrace", "the reader of our tests, Python's struct", \
        [sys.executable, "-c", TRACE, ROOT / "tests/conformance", ROOT / "tests/support", trace], ["stats", trace]
    yield "tachyon", "CPython 3.15's own reader", None, None
    profile = made("bench.firefox.json", sys.executable, "-c", LONGER, SAMPLES / "cpu/hashtab.samply.json.gz")
    yield "firefox", "profiler-cli of the Firefox Profiler, functions of a thread", firefox_functions(profile), \
        ["table", profile]
    trace = made("bench.torch.json", sys.executable, "-c", STEPS, ROOT / "tests/conformance/h200/steps.trace.json.gz")
    python = os.environ.get("HTA_PYTHON")
    yield "trace-event", "HolisticTraceAnalysis 0.5 of a PyTorch trace (HTA_PYTHON)", \
        [python, "-c", KERNELS, trace] if python else None, ["info", trace]
    torch = SAMPLES / "cpu/train.torch.pickle"
    python = os.environ.get("TORCH_PYTHON")
    yield "torch-memory", "torch.cuda._memory_viz segsum (TORCH_PYTHON)", \
        [python, "-c", VIEWER, torch] if python else None, ["stats", torch]


def processor_s(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stderr.decode(errors='replace')[-300:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(theirs, ours, rounds):
    pairs = [(processor_s(theirs), max(processor_s([PROGRAM, *ours, "-q"]), 1e-4)) for _ in range(rounds)]
    singles = [their / our for their, our in pairs]
    medians = [statistics.median(side) for side in zip(*pairs)]
    return medians[0] / medians[1], min(singles), max(singles)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="formats, with commas between them")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    MADE.mkdir(parents=True, exist_ok=True)
    wanted = {name for name in options.only.split(",") if name}
    for name, tool, theirs, ours in cases():
        if wanted and name not in wanted:
            continue
        if not theirs:
            print(f"{name:14} {tool}: not on this machine")
            continue
        try:
            ratio, low, high = compare(theirs, ours, options.rounds)
            print(f"{name:14} {tool}: {ratio:.1f} times our processor time [{low:.1f} to {high:.1f}]")
        except RuntimeError as error:
            print(f"{name:14} {tool}: failed: {error}")


if __name__ == "__main__":
    main()
