# SPDX-License-Identifier: Apache-2.0
"""Flight recordings, compared with the converter of async-profiler: the weight of each stack.

Events without a stack, of which it has some and lacks others, are compared with `jfr print` (test_jfr.py).

async/ has what async-profiler 4.5 itself recorded of jfr/Stall.java with JDK 25: clocks (wall=10ms,event=ctimer,
interval=5ms,live,alloc=64k), wall (wall=50ms,jstackdepth=12), counted (event=page-faults,interval=8,nativemem=16k,
nativelock=1us,lock=1us,trace=Stall.park) and default (event=itimer, whose interval is not in the recording).
"""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from jars import jar

CONVERTER = "tools.profiler:async-profiler-converter:3.0"
NEWEST = "tools.profiler:jfr-converter:4.5"
HERE = Path(__file__).resolve().parent
RECORDINGS = sorted((HERE.parent.parent / "samples/cpu").glob("*.jfr.zst"))
# option of the converter: (our metrics, what of a record counts, the unit of the converter)
ASKED = {
    "--alloc --total": (["allocated"], "self", 1),
    "--lock --total": (["lock", "park"], "self", 1e9),
    "": (["cpu", "native"], "samples", 1),
}
# (recording, option of the converter, our metric, what of a record counts, the unit of the converter)
OWN = [
    ("clocks", "--cpu", "cpu", "samples", 1),
    ("clocks", "--wall", "wall", "samples", 1),
    ("wall", "--wall", "wall", "samples", 1),
    ("wall", "--wall --state runnable", "wall_running", "samples", 1),
    ("wall", "--wall --state sleeping", "wall_waiting", "samples", 1),
    ("clocks", "--alloc --total", "allocated", "self", 1),
    ("clocks", "--live --total", "live", "self", 1),
    ("counted", "--cpu", "event", "samples", 1),
    ("counted", "--nativemem --total", "native_allocated", "self", 1),
    ("counted", "--nativemem --leak --tail 0 --total", "native_kept", "self", 1),
    ("counted", "--lock --total", "lock", "self", 1e9),
    ("counted", "--nativelock --total", "native_lock", "self", 1e9),
    ("counted", "--trace --total", "traced", "self", 1e9),
    ("default", "--cpu", "cpu", "samples", 1),
]
TOTALS = {"clocks": {"cpu": 62 * 0.005, "wall": 1743 * 0.01},
          "wall": {"wall": 1058 * 0.05, "wall_running": 131 * 0.05, "wall_waiting": 927 * 0.05},
          "counted": {"event": 859 * 8, "native_allocated": 40077665, "native_kept": 1212879},
          "default": {"cpu": 7 * 0.01}}


def had(name):
    if not shutil.which("java") or not shutil.which("mvn"):
        pytest.skip("there is no Java or no Maven")
    path = jar(name)
    if not path:
        pytest.skip(f"{name} cannot be had")
    return path


@pytest.fixture(scope="module")
def converter():
    return had(CONVERTER)


@pytest.fixture(scope="module")
def newest():
    return had(NEWEST)


def unpacked(packed, folder):
    plain = folder / packed.stem
    subprocess.run(["zstd", "-dqf", packed, "-o", plain], check=True)
    return plain


@pytest.fixture(scope="module", params=RECORDINGS, ids=lambda path: path.name)
def recording(request, tmp_path_factory):
    return unpacked(request.param, tmp_path_factory.mktemp("jfr"))


def bare(frame):
    """A method or class without the kind of frame, the numbers of lambdas, and what is done with a class."""
    frame = re.sub(r"_\[.\]$", "", frame)
    frame = re.sub(r"(\$\$Lambda|LambdaForm\$MH)(?:[$+/.](?:0x[0-9a-f]+|\d+))+", r"\1", frame)
    return re.sub("^(new|lock of|parked for) ", "", frame)


def collapsed(path):
    found = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        stack, _, value = line.rpartition(" ")
        found[tuple(bare(frame) for frame in reversed(stack.removesuffix(";null").split(";")))] += int(value)
    return found


@pytest.mark.parametrize("option", ASKED)
def test_stacks_are_those_of_the_converter(option, converter, recording, program, tmp_path):
    metrics, key, unit = ASKED[option]
    subprocess.run(["java", "-cp", converter, "jfr2flame", "--collapsed", "--dot", *option.split(), recording,
                    tmp_path / "stacks"], check=True, stdout=subprocess.DEVNULL)
    want, got = collapsed(tmp_path / "stacks"), Counter()
    known = {metric["name"] for metric in program("info", recording, "--json").json()["metrics"]}
    for metric in known.intersection(metrics):
        for record in program("export", recording, "--metric", metric).json()["records"]:
            got[tuple(bare(function) for function, *_ in record["stack"])] += round(record[key] * unit)
    want, got = ({stack: value for stack, value in each.items() if len(stack) > 1} for each in (want, got))
    assert want
    assert got == pytest.approx(want, rel=1e-6)


@pytest.mark.parametrize("name,option,metric,key,unit", OWN, ids=lambda value: str(value).replace(" ", ""))
def test_what_async_profiler_records_is_what_it_converts(name, option, metric, key, unit, newest, program, tmp_path):
    plain = unpacked(HERE / f"async/{name}.jfr.zst", tmp_path)
    subprocess.run(["java", "-jar", newest, "-o", "collapsed", "--dot", *option.split(), plain, tmp_path / "stacks"],
                   check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=100)
    want, got = collapsed(tmp_path / "stacks"), Counter()
    for record in program("export", plain, "--metric", metric).json()["records"]:
        stack = [function for function, *_ in record["stack"] if function != "[outer frames were not recorded]"]
        got[tuple(bare(function) for function in stack)] += round(record[key] * unit)
    assert want
    assert sorted(got.values()) == pytest.approx(sorted(want.values()), rel=1e-6)
    assert {stack[0] for stack in got} == {stack[0] for stack in want}


def test_time_is_told_by_the_interval_and_what_is_no_time_is_counted(program):
    """Of a clock its interval, 10 ms by default; of other events how many they were, never how long."""
    for name, totals in TOTALS.items():
        info = program("info", HERE / f"async/{name}.jfr.zst", "--json").json()
        found = {metric["name"]: metric["total"] for metric in info["metrics"]}
        assert info["metrics"][0]["name"] == next(iter(totals))
        assert {metric: found[metric] for metric in totals} == pytest.approx(totals)
        assert info["complete"] is True


def test_the_time_of_the_wall_has_an_order_where_it_is_the_only_clock(program):
    """Each thread has all of a window in which it lived; the windows have all of the recording."""
    path = HERE / "async/wall.jfr.zst"
    info = program("info", path, "--json").json()
    whole, parts, longest = info["metrics"][0]["total"], Counter(), 0
    for start in range(3):
        of_thread, window = Counter(), f"{start}:{start + 1}"
        for record in program("export", path, "--window", window, "--threads", "split").json()["records"]:
            of_thread[record["tid"]] += record["self"]
        parts[start] = sum(of_thread.values())
        longest = max(longest, *of_thread.values(), 0)
    assert sum(parts.values()) == pytest.approx(whole) and parts[0] > 15
    assert longest == pytest.approx(1, abs=0.05)
    page = program("card", path, "-o", "-").out
    assert "Heat map of time" in page
