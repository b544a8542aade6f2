# SPDX-License-Identifier: Apache-2.0
"""Flight recordings, compared with the JDK's own reader: `jfr print --json` of the same file.

For each kind of event that is read: how many there are, and the weight of each stack. Needs the `jfr` of a JDK; without
one these tests are skipped, and test_profiles.py compares with what it printed before. The recordings are those in
samples/cpu and those of Stall.java and Tasks.java (j25-zgc) in jfr/, where the JDK and the settings are in the name.
"""

import json
import re
import shutil
import subprocess
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
RECORDINGS = sorted([*(HERE.parent.parent / "samples/cpu").glob("*.jfr.zst"), *(HERE / "jfr").glob("*.jfr.zst")])
PERIOD_S = {"cpu": 0.01, "native": 0.02}  # of profile.jfc
DEFAULT_PERIOD_S = {"cpu": 0.02, "native": 0.02}  # of default.jfc
PRIMITIVES = {"B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long", "S": "short",
              "Z": "boolean"}
# metric: (events, what each of them weighs, the class that its stack ends with)
METRICS = {
    "cpu": (["ExecutionSample"], "period", None),
    "cpu_time": (["CPUTimeSample"], "samplingPeriod", None),
    "native": (["NativeMethodSample"], "period", None),
    "allocated": (["ObjectAllocationSample", "ObjectAllocationInNewTLAB", "ObjectAllocationOutsideTLAB"], "size",
                  ("objectClass", "new")),
    "lock": (["JavaMonitorEnter"], "duration", ("monitorClass", "lock of")),
    "wait": (["JavaMonitorWait"], "duration", ("monitorClass", "wait for")),
    "park": (["ThreadPark"], "duration", ("parkedClass", "parked for")),
    "sleep": (["ThreadSleep"], "duration", None),
    "gc_stall": (["ZAllocationStall"], "duration", None),
    "pinned": (["VirtualThreadPinned"], "duration", None),
    "file_io": (["FileRead", "FileWrite"], "duration", None),
    "socket_io": (["SocketRead", "SocketWrite"], "duration", None),
    "exceptions": (["JavaExceptionThrow"], "one", ("thrownClass", "throw")),
}
OTHERS = ["CPUTimeSamplesLost", "OldObjectSample", "CPULoad", "GarbageCollection", "GCHeapSummary"]


def class_name(text):
    dimensions = len(text) - len(text.lstrip("["))
    text = text.lstrip("[")
    if dimensions:
        text = PRIMITIVES[text] if len(text) == 1 else text.removeprefix("L").removesuffix(";")
    text = re.sub(r"[/+.]0x.*", "", text)
    return re.sub(r"(\$\$Lambda).*", r"\1", text).replace("/", ".") + "[]" * dimensions


def seconds(text):
    hours, minutes, rest = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?", text).groups(default="0")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def stack_of(values, about):
    stack = [(class_name(frame["method"]["type"]["name"]) + "." + frame["method"]["name"], max(frame["lineNumber"], 0))
             for frame in (values["stackTrace"] or {"frames": []})["frames"]]
    if about and values[about[0]]:
        stack.insert(0, (f"{about[1]} {class_name(values[about[0]]['name'])}", 0))
    if values["stackTrace"] and values["stackTrace"]["truncated"]:
        stack.append(("[outer frames were not recorded]", 0))
    return tuple(stack)


@cache
def newest_jfr():
    """The path of the newest JDK's tool: it reads what older ones recorded, but not the other way round."""
    versions = {}
    for tool in {shutil.which("jfr"), *map(str, Path("/usr/lib/jvm").glob("*/bin/jfr"))} - {None}:
        done = subprocess.run([tool, "version"], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            versions[tool] = [int(number) for number in re.findall(r"\d+", done.stdout)]
    return max(versions, key=versions.get, default=None)


@pytest.fixture(scope="module", params=RECORDINGS, ids=lambda path: path.name)
def printed(request, tmp_path_factory):
    """(path, {event: [its values]})"""
    if not newest_jfr():
        pytest.skip("there is no JDK with jfr")
    plain = tmp_path_factory.mktemp("jfr") / request.param.stem
    subprocess.run(["zstd", "-dqf", request.param, "-o", plain], check=True)
    events = {event for metric in METRICS.values() for event in metric[0]} | set(OTHERS)
    done = subprocess.run([newest_jfr(), "print", "--json", "--stack-depth", "512",
                           "--events", ",".join(sorted(events)), plain], stdout=subprocess.PIPE, check=True)
    found = defaultdict(list)
    for event in json.loads(done.stdout)["recording"]["events"]:
        found[event["type"].removeprefix("jdk.")].append(event["values"])
    return request.param, found


def weight_of(values, metric, kind, path):
    if kind == "period":
        return (DEFAULT_PERIOD_S if "default" in path.name else PERIOD_S)[metric]
    if kind == "one":
        return 1
    if kind in ("duration", "samplingPeriod"):
        return seconds(values[kind])
    return int(next(values[name] for name in ("weight", "tlabSize", "allocationSize") if name in values))


@pytest.mark.parametrize("metric", METRICS)
def test_stacks_are_those_that_the_jdk_prints(metric, printed, program):
    path, found = printed
    events, kind, about = METRICS[metric]
    if found["ObjectAllocationSample"]:  # what buffers have is in them already
        events = [event for event in events if not event.endswith("TLAB")]
    want = defaultdict(lambda: [0, 0])
    for values in (values for event in events for values in found[event]):
        one = want[stack_of(values, about)]
        one[0] += weight_of(values, metric, kind, path)
        one[1] += 1
    if not want:
        assert metric not in [each["name"] for each in program("info", path, "--json").json()["metrics"]]
        return
    records = program("export", path, "--metric", metric).json()["records"]
    got = {tuple((function, line) for function, _, line in record["stack"]):
           (record["self"], record["self"] if kind == "one" else record.get("count", record.get("samples")))
           for record in records}
    assert {stack: count for stack, (_, count) in got.items()} == {stack: count for stack, (_, count) in want.items()}
    assert {stack: value for stack, (value, _) in got.items()} == \
        pytest.approx({stack: value for stack, (value, _) in want.items()}, rel=1e-6, abs=1e-7)


def size_of(old_object):
    return int(old_object.get("objectSize", 1))


def test_old_objects_are_those_that_the_jdk_prints(printed, program):
    path, found = printed
    want = defaultdict(int)
    for values in found["OldObjectSample"]:
        want[f"new {class_name(values['object']['type']['name'])}"] += size_of(values)
    records = program("export", path, "--metric", "old_objects").json()["records"] if want else []
    got = defaultdict(int)
    for record in records:
        got[record["stack"][0][0]] += record["self"]
    assert got == want


def field_of_holder(values):
    """What holds the object: "class.field", or the class of an array."""
    referrer = values["object"]["referrer"]
    if not referrer or not referrer["object"]:
        return None
    holder = referrer["object"]
    described = re.match("Class Name: (.*)", holder["description"] or "")
    name = described.group(1) if described else class_name(holder["type"]["name"])
    return f"{name}.{referrer['field']['name']}" if referrer["field"] else name


def test_holders_of_old_objects_are_those_that_the_jdk_prints(printed, program):
    path, found = printed
    want = defaultdict(int)
    for values in found["OldObjectSample"]:
        want[field_of_holder(values)] += size_of(values)
    want.pop(None, None)
    got = defaultdict(int)
    for record in program("export", path, "--metric", "kept_by").json()["records"] if want else []:
        if not record["stack"][1][0].startswith("GC root"):
            got[record["stack"][1][0]] += record["self"]
    assert got == want


def test_series_are_those_that_the_jdk_prints(printed, program):
    path, found = printed
    rows = program("export", path, "--view", "series").json()["series"]
    series = {each["name"]: [value for _, value in each["points"]] for each in rows}
    assert series["heap"] == [int(values["heapUsed"]) for values in found["GCHeapSummary"]]
    assert sorted(series["gc_pause"]) == \
        pytest.approx(sorted(seconds(values["sumOfPauses"]) for values in found["GarbageCollection"]), rel=1e-6)
    assert len(series["cpu"]) == len(found["CPULoad"])


def virtual_names(values):
    """Of the thread that had or did something; empty where no one named it, which almost all are."""
    threads = (values.get(field) for field in ("eventThread", "sampledThread"))
    return {thread["javaName"] for thread in threads if thread and thread.get("virtual")}


def test_virtual_threads_without_a_name_are_one_thread(printed, program):
    path, found = printed
    want = set().union(*(virtual_names(values) for metric in METRICS.values() for event in metric[0]
                         for values in found[event]))
    threads = program("info", path, "--json").json()["threads"]
    assert [each["name"] for each in threads].count("virtual threads") == ("" in want)
    assert want - {""} <= {each["name"] for each in threads}


def test_waits_for_memory_are_counted_apart_from_pauses(printed, program):
    path, found = printed
    stalls = len(found["ZAllocationStall"])
    waited_ms = sum(seconds(values["duration"]) for values in found["ZAllocationStall"]) * 1000
    note = f"threads stopped {stalls} times until the collector had freed memory, {waited_ms:.0f} ms in all"
    assert any(each.startswith(note) for each in program("info", path, "--json").json()["notes"]) == (stalls > 0)


def test_lost_samples_of_the_timer_are_noted(printed, program):
    path, found = printed
    lost = sum(values["lostSamples"] for values in found["CPUTimeSamplesLost"])
    notes = [each for each in program("info", path, "--json").json()["notes"] if "lost" in each]
    assert len(notes) == (lost > 0) and all(f"lost {lost} sample" in each for each in notes)


def test_timed_methods_have_the_calls_and_times_that_the_jdk_prints_last(program, tmp_path):
    """Of timing/Timed.java, every 500 ms, with JDK 25. A second recording in the file counts too; a cut one is less."""
    path = HERE / "jfr/timing/j25.jfr.zst"
    data = subprocess.run(["zstd", "-dqc", path], stdout=subprocess.PIPE, check=True).stdout
    plain = tmp_path / "timing.jfr"
    plain.write_bytes(data)
    got = [{record["stack"][0][0]: (record["count"], record["self"])
            for record in program("export", "-", "--metric", "timed", input=each).json()["records"]}
           for each in (data, data + data)]
    assert {method: calls for method, (calls, _) in got[0].items()} == \
        {"Timed.outer": 400, "Timed.middle": 400, "Timed.small": 1600, "Timed.fib": 465}
    assert got[1] == {method: (2 * calls, pytest.approx(2 * time)) for method, (calls, time) in got[0].items()}
    findings = program("explain", path, "--rules").out
    assert "Most calls: Timed.small" in findings and "%" not in findings
    assert "\n\nNot judged: memory-limit" in findings  # no rule found nothing
    assert "Not judged: time, known-calls, imports (the times of timed methods include each other)" in findings
    if not newest_jfr():
        pytest.skip("there is no JDK with jfr")
    done = subprocess.run([newest_jfr(), "print", "--json", "--events", "MethodTiming", plain], stdout=subprocess.PIPE,
                          check=True)
    last = {}
    for values in (event["values"] for event in json.loads(done.stdout)["recording"]["events"]):
        last[f"{class_name(values['method']['type']['name'])}.{values['method']['name']}"] = values
    assert {method: time for method, (_, time) in got[0].items()} == pytest.approx(
        {method: seconds(values["average"]) * int(values["invocations"]) for method, values in last.items()})


def test_two_recordings_in_one_file_are_read_as_chunks(program, tmp_path):
    for path in RECORDINGS:
        data = subprocess.run(["zstd", "-dqc", path], stdout=subprocess.PIPE, check=True).stdout
        one, two = (program("info", "-", "--json", input=each).json()["metrics"] for each in (data, data + data))
        assert [each["total"] for each in two] == pytest.approx([2 * each["total"] for each in one])


def test_a_cut_recording_has_what_came_before_the_cut(program):
    for path in RECORDINGS:
        data = subprocess.run(["zstd", "-dqc", path], stdout=subprocess.PIPE, check=True).stdout
        answer = program("info", "-", "--json", input=data + data[:len(data) // 2])
        whole = program("info", "-", "--json", input=data).json()["metrics"]
        assert answer.status == 0 and not answer.json()["complete"]
        assert all(cut["total"] >= each["total"] for cut, each in zip(answer.json()["metrics"], whole))
