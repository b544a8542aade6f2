#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that `make test` has built, a line for each part, and ends with `N passed, N failed`.

    python3 tests/run.py             all parts but those that have a target of their own, as tsan and unit
    python3 tests/run.py asan card   some of them

A part is a few commands; each folder with test_*.py is a part of that name, which pytest runs. Two commands more than
there are processors run at once, as some wait; those that are about time have the machine to themselves. What a command
tested is read from its output: TAP lines (cmocka), the summary of pytest or of node's test runner, or a line `N passed,
N failed[, N skipped]`. A command that fails without a failed test, or that ran no test, is a failed test itself. The
output of a command is shown when it fails; what was skipped, and what passed only the second time, is always named.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import standard_signals  # noqa: E402, F401
from packages import environment  # noqa: E402
from second_run import command_for_failed  # noqa: E402

NODE = os.environ.get("NODE", "node")
PYTHON = sys.executable
LIMIT_S = 3600  # one command, on a slow and busy machine


def names(pattern):
    """NAME of each source that the pattern, with a * for NAME, matches."""
    return sorted(path.stem.split("_", 1)[1] for path in ROOT.glob(pattern))


def unit(tree):
    return [(name, [ROOT / f"{tree}/tests/test_{name}"]) for name in names("tests/unit/**/test_*.c")]


def asan():
    yield from unit("build/asan")
    address = ["env", "PROFRENDER=build/asan/profrender"]
    yield "conformance", [*address, *pytest("tests/conformance/test_memray.py", "tests/conformance/test_profiles.py")]
    # Minutes of test_redact_names are searches of its own; what hides names runs under ASan in fuzz_combine.
    other = ["--ignore", "tests/program/test_redact_names.py", "-m", "not sweep"]
    yield "program", [*address, *pytest("tests/program", *other)]
    for name in ("golden", "native"):
        yield name, [*address, *pytest(f"tests/{name}")]
    yield "recordings", [*address, *pytest("tests/record")]


def tsan():
    """A data race makes the program exit with status 66."""
    yield from unit("build/tsan")
    yield "program", ["env", "PROFRENDER=build/tsan/profrender", *pytest("tests/golden")]


def wasm():
    """Other suites with the WebAssembly program. Where it was not built, tests/wasm says so."""
    program = "build/wasm/bin/profrender"
    yield "page and package", node_tests("tests/wasm")
    if (ROOT / program).is_file():
        other = ["env", f"PROFRENDER={program}"]
        yield "golden", [*other, *pytest("tests/golden", "--differs", "tests/wasm/differences.txt")]
        yield "conformance", [*other, *pytest("tests/conformance/test_memray.py")]


def fuzz():
    samples = sorted(path.relative_to(ROOT) for path in (ROOT / "samples").glob("*.bin"))
    samples += sorted(path.relative_to(ROOT) for path in (ROOT / "samples/cpu").iterdir())
    samples += sorted(path.relative_to(ROOT) for path in (ROOT / "samples/timeline").iterdir())
    for name in subprocess.check_output(["make", "-s", "fuzz-targets"], cwd=ROOT, text=True).split():
        found = sorted(path.relative_to(ROOT) for path in (ROOT / "tests/fuzz/regressions" / name).glob("*"))
        yield name, [ROOT / f"build/asan/tests/fuzz_{name}", *found, *samples]


def node_tests(folder):
    return [NODE, "--test", *sorted(ROOT.glob(f"{folder}/*.test.mjs"))]


def pytest(*places):
    folder = environment("pytest")
    return [folder / "python" if folder else PYTHON, "-m", "pytest", "-q", *places]


def pytest_parts():
    """{NAME: commands} of tests/NAME, for each folder that has test_*.py."""
    folders = sorted({path.parent.name for path in ROOT.glob("tests/*/test_*.py")})
    return {name: lambda name=name: [("pytest", pytest(f"tests/{name}"))] for name in folders}


def frameworks():
    """A command for each, the longest first: nobody waits for the last. Those of a pair use the same environments."""
    pair = ["jobs", "scale_out_engines"]
    first = ["airflow", "metaflow", "pytest_plugin"]
    other = [name for name in names("tests/frameworks/test_*.py") if name not in [*first, *pair, "readmes"]]
    for group in [[first[0]], pair, *[[name] for name in [*first[1:], *other]]]:
        yield " ".join(group), pytest(*[f"tests/frameworks/test_{name}.py" for name in group])


PARTS = {
    "unit": lambda: unit("build"),
    "export": lambda: [("with other tools", node_tests("tests/export"))],
    "schemas": lambda: [("documents", node_tests("tests/schemas"))],
    "front end": lambda: [("model", node_tests("tests/card/model"))],
    "card": lambda: [("in Chromium", [NODE, "tests/card/run.mjs"])],
    "asan": asan,
    "tsan": tsan,
    "wasm": wasm,
    "fuzz": fuzz,
}
for part, commands in pytest_parts().items():
    PARTS[part] = lambda old=PARTS.get(part, list), new=commands: [*new(), *old()]

# `make tsan`, `make unit`, `make test-cross` and `make test-packaging` build what they need; `make test` does not, and
# runs each unit test once, under ASan and UBSan. The READMEs of the samples, followed from nothing, compile the program
# five times and install with pip, as their readers do.
PARTS["frameworks"] = frameworks
PARTS["readmes"] = lambda: [("pytest", pytest("tests/frameworks/test_readmes.py"))]
BY_NAME_ONLY = ["tsan", "unit", "readmes", "cross", "packaging"]

# These have the machine to themselves, and what fails there runs again once: a browser; and beside one another, as they
# mostly wait, recordings of real time and the page that runs the program.
WAITING = {"record: pytest", "asan: recordings", "wasm: page and package"}
ABOUT_TIME = {"card: in Chromium", *WAITING}
AT_ONCE = min(6, 2 + (os.cpu_count() or 1))

# The environment decides nothing about the outcome: no colours, no locale, cmocka's lines as TAP.
ENVIRONMENT = {
    **os.environ,
    "CMOCKA_MESSAGE_OUTPUT": "TAP",
    "LC_ALL": "C.UTF-8",
    "NO_COLOR": "1",
    "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "allocator_may_return_null=1",
    # Nothing that is installed comes compiled: a process that imports pandas would work two seconds for that each time.
    "PYTHONPYCACHEPREFIX": str(ROOT / "build/tests/bytecode"),
}
for variable in ("CMOCKA_XML_FILE", "CMOCKA_TEST_FILTER", "FORCE_COLOR", "NODE_OPTIONS", "NODE_TEST_CONTEXT",
                 "PYTHONDONTWRITEBYTECODE"):
    ENVIRONMENT.pop(variable, None)


# TAP's lines for tests that pass, and between them.
NOISE = re.compile(r"\s*(ok\b.*|# Subtest:.*|---|\.\.\.|duration_ms:.*|type: 'test'|)$")


def counts(output, status):
    """(passed, failed, skipped) of a command."""
    closing = re.findall(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", output, re.M)
    by_pytest = re.findall(r"^(?:=+ )?(\d+ [\w ,]+) in [\d.]+s\b.*$", output, re.M)
    by_node = dict(re.findall(r"^(?:# |ℹ )(pass|fail|skipped|cancelled) (\d+)$", output, re.M))
    if closing:
        passed, failed, skipped = (int(number or 0) for number in closing[-1])
    elif by_pytest:
        found = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", by_pytest[-1])}
        passed, skipped = found.get("passed", 0), found.get("skipped", 0)
        failed = found.get("failed", 0) + found.get("error", 0) + found.get("errors", 0)
    elif by_node:
        passed, skipped = int(by_node["pass"]), int(by_node["skipped"])
        failed = int(by_node["fail"]) + int(by_node["cancelled"])
    else:
        failed = len(re.findall(r"^not ok\b", output, re.M))
        skipped = len(re.findall(r"^ok\b.*# SKIP", output, re.M | re.I))
        passed = len(re.findall(r"^ok\b", output, re.M)) - skipped
    if not failed and (status != 0 or passed + skipped == 0):
        failed = 1
    return passed, failed, skipped


class Run:
    """A command that has ended: its output and status, how long it took, and how long processors worked for it."""

    def __init__(self, command):
        start = time.monotonic()
        self.output, self.status, self.busy = "", 1, 0.0
        with tempfile.TemporaryFile() as output:  # not a pipe, which what a killed command left behind keeps open
            try:
                self.wait(subprocess.Popen(
                    [str(word) for word in command],
                    cwd=ROOT,
                    env=ENVIRONMENT,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                ))
            except OSError as error:
                self.output = f"{error}\n"
            output.seek(0)
            self.output += output.read().decode(errors="replace")
        self.took = time.monotonic() - start

    def wait(self, process):
        late = threading.Timer(LIMIT_S, process.kill)
        late.start()
        _, status, usage = os.wait4(process.pid, 0)
        late.cancel()
        self.status = process.returncode = os.waitstatus_to_exitcode(status)
        self.busy = usage.ru_utime + usage.ru_stime
        if self.status == -signal.SIGKILL:
            self.output = f"killed, after {LIMIT_S} s at the latest\n"


def report(label, command, run):
    """Prints a line, and what a reader of a failure needs. Returns (passed, failed, skipped)."""
    passed, failed, skipped = counts(run.output, run.status)
    lines = [f"{label:32} {passed:5} ok {failed:4} not ok {run.took:7.1f} s, busy {run.busy:6.1f} s"]
    if failed:
        lines.append(f"    exit status {run.status} of {' '.join(map(str, command[:8]))}")
        lines += [f"    {line}" for line in run.output.splitlines() if not NOISE.match(line)]
    for line in re.findall(r"^\s*(?:ok\b[ 0-9]*(?:- )?(.*# SKIP.*)|SKIPPED (.*)|﹣ (.*))$", run.output, re.M | re.I):
        lines.append(f"    skipped: {''.join(line)}")
    with PRINTING:
        print("\n".join(lines), flush=True)
    return passed, failed, skipped


PRINTING = threading.Lock()


def one(label, command):
    """Runs a command and reports it. Returns (passed, failed, skipped)."""
    first = Run(command)
    found = report(label, command, first)
    second = command_for_failed(command, first.output, ROOT) if found[1] and label in ABOUT_TIME else None
    if not second:
        return found
    again = report(f"{label}, what failed again", second, Run(second))
    return (found[0], again[1], found[2]) if again[1] else (found[0] + found[1], 0, found[2])


def at_once(most, jobs):
    """Runs (label, command) of JOBS, as many as MOST at a time. Returns what `one` does, of each."""
    with ThreadPoolExecutor(most) as lanes:
        return list(lanes.map(lambda job: one(*job), jobs))


def main():
    wanted = sys.argv[1:] or [part for part in PARTS if part not in BY_NAME_ONLY]
    unknown = [name for name in wanted if name not in PARTS]
    if unknown:
        sys.exit(f"no such part: {', '.join(unknown)}; there are: {', '.join(PARTS)}")
    total = [0, 0, 0]
    jobs = []
    for part in wanted:
        commands = [(f"{part}: {name}", command) for name, command in PARTS[part]()]
        if not commands:
            print(f"{part}: nothing to run", flush=True)
            total[1] += 1
        jobs += commands
    results = at_once(AT_ONCE, [job for job in jobs if job[0] not in ABOUT_TIME])
    results += at_once(len(WAITING), [job for job in jobs if job[0] in WAITING])
    results += at_once(1, [job for job in jobs if job[0] in ABOUT_TIME - WAITING])
    passed, failed, _ = (sum(column) for column in zip(total, *results))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
