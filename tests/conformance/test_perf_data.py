# SPDX-License-Identifier: Apache-2.0
"""perf.data, compared with `perf script` of the same file: each stack, its periods and its samples, event by event.

perf has to be on PATH, and for the recordings that are made here the kernel has to allow them; else these are skipped.
"""

import json
import re
import shutil
import struct
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "samples/cpu/tally.perf.data"
FIELDS = "comm,pid,tid,time,event,period,ip,sym,dso"
HEAD = re.compile(r"^(?P<comm>.+?)\s+-?\d+/(?P<tid>-?\d+)\s+[\d.]+:\s+(?P<period>\d+)\s+(?P<event>\S+): *(?P<rest>.*)$")
FRAME = re.compile(r"^\s+(?P<ip>[0-9a-f]+) (?P<symbol>.*) \((?P<object>[^()]*(?:\([^()]*\))?)\)$")
WAYS = {"flat": ["-F", "499"], "packed": ["-F", "499", "-g", "-z"], "rounds": ["-F", "2000", "-g", "-m", "2"],
        "group": ["-e", "{cpu-clock,page-faults}:S", "-F", "499", "-g"],
        "fixed": ["-c", "1000000", "--period", "-g", "-d", "-W", "--sample-cpu"]}
SAMPLE_RECORD, IN_KERNEL = 9, 1  # Linux include/uapi/linux/perf_event.h
PROGRAM = """
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>
volatile unsigned long sink;
__attribute__((noinline)) static void weigh(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) static void fill(void) { char *p = malloc(1 << 22);
    for (int i = 0; i < 1 << 22; i += 4096) p[i] = 1; sink += p[4096]; free(p); }
static void *work(void *a) { for (int i = 0; i < 5; i++) { weigh(4000000); fill(); } return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); weigh(20000000); pthread_join(t, 0);
    if (!fork()) { execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", (char *)0); }
    wait(0); return 0; }
"""


@pytest.fixture(scope="module")
def perf():
    found = shutil.which("perf")
    if not found or subprocess.run([found, "--version"], capture_output=True, check=False).returncode:
        pytest.skip("perf is not on PATH")
    return found


@pytest.fixture(scope="module", params=WAYS)
def recording(request, perf, tmp_path_factory):
    folder = tmp_path_factory.mktemp("perf")
    (folder / "tally.c").write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["cc", "-O1", "-fno-omit-frame-pointer", "-pthread", folder / "tally.c", "-o", folder / "tally"],
                   check=True)
    command = [perf, "record", "-q", *([] if "-e" in WAYS[request.param] else ["-e", "cpu-clock,page-faults"]),
               *WAYS[request.param], "-o", folder / "perf.data", "--", folder / "tally"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("the kernel does not let perf record here")
    return request.param, folder / "perf.data"


@cache
def printed(perf, path):
    """{event: {(thread, frames, leaf first): [sum of periods, samples]}} of perf script; a frame: (address, symbol,
    object)"""
    done = subprocess.run([perf, "script", "-i", path, "-F", FIELDS, "--no-inline"], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    found = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    head, stack = None, []
    for line in [*done.stdout.decode().split("\n"), None]:
        frame = line and FRAME.match(line)
        if head and (not line or not frame or not line.startswith("\t")):
            one = found[head["event"]][int(head["tid"]), tuple(stack)]
            one[0] += int(head["period"])
            one[1] += 1
            head, stack = None, []
        if head:
            stack.append(frame.group("ip", "symbol", "object"))
        elif line and (head := HEAD.match(line)) and (frame := FRAME.match(" " + head["rest"])):
            stack.append(frame.group("ip", "symbol", "object"))
    return found


def place(frame):
    """A frame as profrender has it without names."""
    address, _, name = frame
    if name.startswith(("[", "//")):
        return name
    return f"[perf-{name[10:]}" if name.startswith("/tmp/perf-") else f"{name.rsplit('/', 1)[1]}+0x{address}"


def exported(program, path, event, native):
    records = program("export", path, "--metric", event, "--native", native, "--threads", "split").json()["records"]
    unit = 1e9 if event.startswith(("cpu-clock", "task-clock")) else 1
    return [(int(record["tid"]), [function for function, _, _ in record["stack"]], round(record["self"] * unit),
             record["samples"]) for record in records]


def object_of(stack):
    return tuple(re.sub(r"\+0x.*", "", name) for name in stack)


def has_addresses_in_memory(stacks):
    """What perf prints of samples without a call chain, and its version 7 of all; else they are those in the file."""
    return any(int(address, 16) >> 40 for _, stack in stacks for address, _, name in stack if not name.startswith("["))


def added(rows):
    sums = defaultdict(lambda: [0, 0])
    for key, period, samples in rows:
        sums[key][0] += period
        sums[key][1] += samples
    return {key: tuple(value) for key, value in sums.items()}


def compare_addresses(perf, program, path):
    want = printed(perf, path)
    metrics = {metric["name"] for metric in program("info", path, "--json").json()["metrics"]}
    assert metrics == set(want)
    for event, stacks in want.items():
        seen = object_of if has_addresses_in_memory(stacks) else tuple
        rows = [((tid, seen([place(frame) for frame in stack])), *value) for (tid, stack), value in stacks.items()]
        got = [((tid, seen(stack)), period, samples)
               for tid, stack, period, samples in exported(program, path, event, "off")]
        assert added(got) == added(rows), event


def test_the_sample_is_as_perf_script_has_it(perf, program):
    compare_addresses(perf, program, SAMPLE)


def test_a_recording_is_as_perf_script_has_it(perf, program, recording):
    compare_addresses(perf, program, recording[1])


def test_a_program_that_was_deleted_is_as_perf_script_has_it(perf, program, tmp_path):
    """perf says so behind its name: "/tmp/own (deleted)"."""
    (tmp_path / "own.c").write_text("""
        #include <unistd.h>
        volatile unsigned long sink;
        __attribute__((noinline)) static void weigh(unsigned long n) { for (; n > 0; n--) sink += n; }
        int main(int count, char **words) {
            if (words[0][0] == 'a') { weigh(50000000); return 0; }
            unlink(words[0]);
            execl("/proc/self/exe", "again", (char *)0);
            return count;
        }
        """, encoding="utf-8")
    subprocess.run(["cc", "-O1", "-fno-omit-frame-pointer", tmp_path / "own.c", "-o", tmp_path / "own"], check=True)
    if subprocess.run([perf, "record", "-q", "-e", "cpu-clock", "-F", "499", "-g", "-o", tmp_path / "perf.data", "--",
                       tmp_path / "own"], capture_output=True, check=False).returncode:
        pytest.skip("the kernel does not let perf record here")
    assert any(frame[2].endswith("/own (deleted)") for stacks in printed(perf, tmp_path / "perf.data").values()
               for _, stack in stacks for frame in stack)
    compare_addresses(perf, program, tmp_path / "perf.data")


def test_functions_are_named_as_perf_names_them(perf, program, recording):
    """Those of the program and the kernel: of libraries perf prefers other names of the same code."""
    for event, stacks in printed(perf, recording[1]).items():
        own = {frame[1] for _, stack in stacks for frame in stack
               if frame[2].endswith("/tally") or frame[2] == "[kernel.kallsyms]"} - {"[unknown]", "_start"}
        got = {function for _, stack, _, _ in exported(program, recording[1], event, "auto") for function in stack}
        assert own <= got, event


def with_addresses(recording, addresses):
    """The file with these kernel addresses in its samples, and how many fit."""
    at, length = struct.unpack_from("<QQ", recording, 40)
    end, left = at + length, list(addresses)
    while at < end and left:
        kind, misc, size = struct.unpack_from("<IHH", recording, at)
        if kind == SAMPLE_RECORD:
            struct.pack_into("<IHHQ", recording, at, kind, (misc & ~7) | IN_KERNEL, size, left.pop(0))
        at += size
    return len(addresses) - len(left)


def test_an_address_with_several_names_has_the_one_that_perf_prints(perf, program, tmp_path):
    """Samples without call chains, moved to the addresses of this kernel that have more than one name."""
    names = defaultdict(list)
    for address, kind, name, *_ in map(str.split, Path("/proc/kallsyms").read_text(encoding="utf-8").splitlines()):
        names[int(address, 16)] += [name] if kind in "tT" else []
    shared = [address for address, of_it in names.items() if address and len(of_it) > 1][:100]
    if not shared or subprocess.run([perf, "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", tmp_path / "own",
                                     "--", sys.executable, "-c", "for i in range(4 << 20): i * i"],
                                    capture_output=True, check=False).returncode:
        pytest.skip("this kernel hides its addresses, or does not let perf record")
    recording = bytearray((tmp_path / "own").read_bytes())
    assert with_addresses(recording, shared) > 20
    (tmp_path / "perf.data").write_bytes(recording)
    want = {frame[1] for _, stack in printed(perf, tmp_path / "perf.data")["cpu-clock"] for frame in stack
            if int(frame[0], 16) in shared}
    got = {function for _, stack, _, _ in exported(program, tmp_path / "perf.data", "cpu-clock", "auto")
           for function in stack}
    assert len(want) > 20
    assert want <= got


def test_a_pipe_is_as_its_file(perf, program, recording, tmp_path):
    """perf inject reads one and writes the other."""
    pipe = tmp_path / "pipe"
    with pipe.open("wb") as out:
        done = subprocess.run([perf, "inject", "-i", recording[1], "-o", "-"], stdout=out, stderr=subprocess.DEVNULL,
                              check=False)
    if done.returncode or pipe.read_bytes()[8:16] != b"\x10" + bytes(7):
        pytest.skip("perf inject writes no pipe")
    compare_addresses(perf, program, pipe)


def test_a_part_of_the_time_is_as_perf_script_has_it(perf, program, tmp_path):
    """Of an event that is not a clock: what its samples in that time counted."""
    path = tmp_path / "faults"
    program_text = "import time\nfor i in range(40): bytearray(1 << 21); time.sleep(0.01)"
    if subprocess.run([perf, "record", "-q", "-e", "page-faults", "-c", "1", "-o", path, "--", sys.executable, "-c",
                       program_text], capture_output=True, check=False).returncode:
        pytest.skip("the kernel does not let perf record here")
    done = subprocess.run([perf, "script", "-i", path, "-F", "time,period", "--ns"], check=True, capture_output=True)
    rows = [(int(time.replace(".", "")), int(period))
            for time, period in re.findall(r"([\d.]+):\s+(\d+)", done.stdout.decode())]
    first, last = rows[0][0], rows[-1][0]
    from_ns, to_ns = (last - first) // 4, (last - first) * 3 // 4
    want = sum(period for time, period in rows if from_ns <= time - first < to_ns)
    got = program("table", path, "--json", "--window", f"{from_ns / 1e9:.9f}:{to_ns / 1e9:.9f}").json()
    assert len(rows) > 1000
    assert got["total"] == want


# ---- stacks that are unwound from their copies -----------------------------------------------------------------------

UNWOUND = {"c": ("c", """
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
volatile unsigned long sink;
#define APART __attribute__((noinline)) static
APART void weigh(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
APART void on_signal(int s) { weigh(60000UL * s); sink++; }
APART int compare(const void *a, const void *b) { weigh(30); return *(const int *)a - *(const int *)b; }
APART void sorting(void) { static int v[20000]; for (int i = 0; i < 20000; i++) v[i] = rand();
    qsort(v, 20000, sizeof *v, compare); }
APART void deep(int n) { volatile char room[100]; room[0] = 1; if (n) deep(n - 1); else weigh(2000000);
    sink += room[0]; }
int main(void) { struct itimerval t = {{0, 4000}, {0, 4000}}; signal(SIGALRM, on_signal); setitimer(ITIMER_REAL, &t, 0);
    for (int i = 0; i < 25; i++) { deep(i); sorting(); } return 0; }
"""), "c++": ("cc", """
#include <stdexcept>
#include <functional>
#include <vector>
#include <algorithm>
volatile unsigned long sink;
#define APART __attribute__((noinline))
static APART void weigh(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
struct shape { virtual ~shape() {} virtual int area(int) const = 0; };
struct disc : shape { APART int area(int n) const override { weigh(n); return 3; } };
struct box : shape { inline int side(int n) const { weigh(n / 2); return 2; }
    APART int area(int n) const override { return side(n) * side(n); } };
static APART int thrower(int n) { if (!n) throw std::runtime_error("deep");
    try { return thrower(n - 1) + 1; } catch (const std::logic_error &) { return 0; } }
static APART void sorting() { std::vector<int> v; for (int i = 0; i < 30000; i++) v.push_back(i * 7919 % 30000);
    std::sort(v.begin(), v.end(), [](int a, int b) { weigh(10); return a < b; }); }
int main() { disc d; box b; const shape *s[] = {&d, &b};
    std::function<void(int)> again = [&](int n) { weigh(20000); if (n) again(n - 1); };
    for (int i = 0; i < 60; i++) { sink += s[i & 1]->area(400000); again(20);
        for (int k = 0; k < 20; k++) try { thrower(30); } catch (const std::runtime_error &) { sink++; }
        if (i % 8 == 0) sorting(); }
    return 0; }
""")}


@pytest.fixture(scope="module", params=[(kind, flag) for kind in UNWOUND for flag in ("-g0", "-g")], ids="-".join)
def unwound(request, perf, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unwound")
    kind, flag = request.param
    ending, text = UNWOUND[kind]
    (folder / f"own.{ending}").write_text(text, encoding="utf-8")
    compiler = ["cc"] if ending == "c" else ["c++"]
    subprocess.run([*compiler, "-O2", flag, "-fno-optimize-sibling-calls", folder / f"own.{ending}",
                    "-o", folder / "own"], check=True)
    command = [perf, "record", "-q", "-e", "cpu-clock", "-F", "999", "--call-graph", "dwarf,16384",
               "-o", folder / "perf.data", "--", folder / "own"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("the kernel does not let perf record here")
    return folder / "perf.data"


APART = {"weigh", "on_signal", "compare", "sorting", "deep", "main", "disc::area", "box::area", "thrower", "_start"}
STARTS = {"_start", "_dl_start_user"}  # of a program and of the dynamic linker


def bare(name):
    """Without parameters, which perf leaves out, and what marks clones."""
    return re.sub(r"\(.*", "", name.removeprefix("void ").removeprefix("int ")).split(".")[0].split("<")[0]


def own_names(perf, path):
    """({names of the program's functions that are never inlined, leaf first: samples}, the same of stacks that perf
    breaks off) of perf script."""
    done = subprocess.run([perf, "script", "-i", path, "-F", FIELDS, "--no-inline"], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    whole, broken, stack = defaultdict(int), defaultdict(int), None
    for line in [*done.stdout.decode().split("\n"), ""]:
        frame = FRAME.match(line)
        if frame and line.startswith("\t"):
            stack.append((bare(frame["symbol"]), frame["object"]))
        elif not line and stack is not None:
            is_whole = not stack or stack[-1][0] in STARTS or stack[-1][1] == "[kernel.kallsyms]"
            own = tuple(name for name, file in stack if file.endswith("/own") and name in APART)
            (whole if is_whole else broken)[own] += 1
            stack = None
        elif line:
            stack = []
    return whole, broken


def unmatched(rows, broken):
    """The rows that are neither what is broken off nor go on from it; each broken stack stands for one sample."""
    rows = dict(rows)
    for own, samples in sorted(broken.items(), key=lambda row: -len(row[0])):
        for _ in range(samples):
            longer = next((row for row, left in rows.items() if left and row[:len(own)] == own), None)
            if longer is None:
                return {"perf alone": own}
            rows[longer] -= 1
    return {row: left for row, left in rows.items() if left}


def test_copied_stacks_are_unwound_as_perf_does(perf, program, unwound):
    """Through libraries, signals and exceptions: what the program itself has on each stack, in its order.

    While a process starts and ends, perf breaks off where code has no rules to unwind it (_fini of libstdc++,
    __run_exit_handlers, [unknown]). Where its stack does not lead to a start of the process, ours may.
    """
    (whole, broken), got = own_names(perf, unwound), defaultdict(int)
    for record in program("export", unwound).json()["records"]:
        own = [bare(name) for name, file, _ in record["stack"] if re.search(r"/own(\.\w+)?$", file)]
        got[tuple(name for name in own if name in APART)] += record["samples"]
    assert len(whole) > 4
    assert sum(broken.values()) <= 3 + sum(whole.values()) // 50
    rest = {own: got[own] - whole[own] for own in whole | got}
    assert min(rest.values()) >= 0, {own: (whole[own], got[own]) for own in rest if rest[own] < 0}
    assert unmatched(rest, broken) == {}


def test_a_copied_stack_needs_its_file(program, unwound):
    """Another build of the program has its rules elsewhere: its stacks end there, and that is counted."""
    own = unwound.parent / "own"
    before = own.read_bytes()
    whole = program("info", unwound).out
    own.unlink()
    subprocess.run(["cc", "-x", "c", "-", "-o", own], input=b"int main(void) { return 0; }", check=True)
    try:
        assert "missing or changed on this machine" not in whole
        assert f"file is missing or changed on this machine ({own})" in program("info", unwound).out
    finally:
        own.unlink()
        own.write_bytes(before)
        own.chmod(0o755)


def test_what_perf_ran_is_the_command(program):
    """And not what its own options were."""
    run = program("info", SAMPLE, "--json").json()
    assert run["metadata"]["command_line"] == "./tally"


@pytest.mark.parametrize(("options", "command"), [
    ("-F 999 --call-graph fp seq 400000", "seq 400000"),
    ("-gF 999 --user-callchains -e cpu-clock seq 400000", "seq 400000"),
    ("-F999 --event=cpu-clock -- seq 400000", "seq 400000"),
    ("-a -F 999 -- seq 400000", None), ("-gaF 999 seq 400000", None)])
def test_a_program_that_perf_ran_is_found_after_its_options(program, perf, tmp_path, options, command):
    """One that only limits how long perf looks at what runs already is not what was recorded."""
    path = tmp_path / "perf.data"
    words = ["record", "-q", "-o", str(path), *options.split()]
    if subprocess.run([perf, *words], capture_output=True, check=False).returncode:
        pytest.skip("the kernel does not let perf record here")
    shown = program("info", path, "--json").json()["metadata"]["command_line"]
    assert shown == (command or " ".join([perf, *words]))
    if command:
        assert program("explain", path).out.splitlines()[0] == "seq"
