# SPDX-License-Identifier: Apache-2.0
"""Control groups: one of version 1 for real where this machine lets us make it, and folders with the files of each
version. Killed for memory, likely so, unknown: which of the three."""

import os
import subprocess
import sys
from pathlib import Path
from shlex import quote

from recording import record

MIB = 1 << 20
HOG = f"{sys.executable} -S -c 'b = [bytes([1]) * (1 << 20) for _ in range(200)]'"

V2 = {"memory.current": f"{90 * MIB}\n", "memory.max": f"{100 * MIB}\n", "memory.peak": f"{91 * MIB}\n",
      "memory.stat": f"anon {50 * MIB}\ninactive_file {40 * MIB}\n", "cgroup.events": "populated 1\nfrozen 0\n",
      "memory.events": "low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\noom_group_kill 0\n",
      "cpu.stat": "usage_usec 100\nnr_throttled 3\nthrottled_usec 1000000\n", "cpu.max": "150000 100000\n",
      "memory.pressure": "some avg10=0.00 avg60=0.00 avg300=0.00 total=5000\nfull avg10=0.00 avg60=0.00 total=0\n"}
V1 = {"memory.usage_in_bytes": f"{90 * MIB}\n", "memory.limit_in_bytes": "9223372036854771712\n",
      "memory.max_usage_in_bytes": f"{91 * MIB}\n", "memory.stat": f"inactive_file 1\ntotal_inactive_file {30 * MIB}\n",
      "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n", "cpu.cfs_quota_us": "-1\n",
      "cpu.cfs_period_us": "100000\n", "cpu.stat": "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n"}


def make_group(folder, files):
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def check_version_2(tally, folder):
    group = make_group(folder.parent / "v2", V2)
    files = quote(str(group))
    dies = f"sleep 0.3; sed -i 's/oom_kill 2/oom_kill 3/' {files}/memory.events; kill -9 $$"
    run = record(folder, "sh", "-c", dies, options=["--cgroup", str(group)])
    tally.check("its limits are in the start", run.start["limits"] == {"memory_max": 100 * MIB, "cpu_max": 1.5},
                run.start)
    tally.check("its memory is without pages that are about to go", run.samples[0]["cg_mem_mb"] == 50, run.samples[0])
    tally.check("a kill that the counter shows is one for memory", run.status == 137 and
                run.end["oom"]["verdict"] == "oom" and run.end["oom"]["cgroup_oom_kill"] == 1, run.end)
    works = f"sleep 0.5; sed -i 's/throttled_usec 1000000/throttled_usec 1100000/' {files}/cpu.stat; " \
            f"sed -i 's/total=5000/total=55000/' {files}/memory.pressure; sleep 0.3"
    run = record(folder, "sh", "-c", works, options=["--cgroup", str(group), "--interval", "0.1"])
    throttled, waited = run.seconds("throttled_pct"), run.seconds("psi_mem_some_pct")
    tally.check("throttled time and pressure are shares of the time", abs(throttled - 0.1) < 0.01 and
                abs(waited - 0.05) < 0.01, throttled, waited)
    run = record(folder, "true", options=["--cgroup", str(folder)])
    tally.check("a folder without a control group is said", run.status == 0 and
                b"no files of a control group" in run.err, run.err)
    (group / "memory.events").unlink()
    grows = f"echo {99 * MIB} > {files}/memory.peak; kill -9 $$"
    run = record(folder, "sh", "-c", grows, options=["--cgroup", str(group)])
    tally.check("without a counter, memory at the limit makes it likely", run.end["oom"]["verdict"] == "likely" and
                run.end["oom"]["cgroup_oom_kill"] is None and run.end["oom"]["peak_bytes"] == 99 * MIB, run.end)
    run = record(folder, "sh", "-c", "kill -9 $$", options=["--cgroup", str(group)])
    tally.check("a kill with neither is of unknown origin", run.end["oom"]["verdict"] == "unknown", run.end)
    run = record(folder, "sh", "-c", "exit 0", options=["--cgroup", str(group)])
    tally.check("a command that ends well has no verdict", run.end["oom"]["verdict"] is None, run.end)


def check_version_1(tally, folder):
    group = make_group(folder.parent / "v1", V1)
    files = quote(str(group))
    dies = f"sed -i 's/oom_kill 2/oom_kill 4/' {files}/memory.oom_control; exit 137"
    run = record(folder, "sh", "-c", dies, options=["--cgroup", str(group)])
    tally.check("version 1 without limits has none", run.start["limits"] == {"memory_max": None, "cpu_max": None},
                run.start)
    tally.check("version 1: memory, and kills behind a shell's 137", run.samples[0]["cg_mem_mb"] == 60 and
                run.status == 137 and run.end["oom"]["verdict"] == "oom" and run.end["oom"]["cgroup_oom_kill"] == 2,
                run.end)


def own_group():
    """The folder of this process's group of version 1 for memory, or None."""
    lines = (line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines())
    path = next((path for _, controllers, path in lines if "memory" in controllers.split(",")), None)
    folder = Path("/sys/fs/cgroup/memory") / (path or "").lstrip("/")
    return folder if path and (folder / "memory.limit_in_bytes").exists() else None


def check_real_group(tally, folder):
    name = "killed for memory by the kernel"
    above = own_group()
    if not above:
        tally.skip(name, "no control group of version 1 for memory")
        return
    group = above / f"profrender-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(24 * MIB))
    except OSError as error:
        tally.skip(name, f"no rights to make a control group: {error.strerror}")
        return
    try:
        # The command goes there itself, as those that systemd-run or cgexec start.
        moves = f"echo $$ > {group}/cgroup.procs; sleep 1; exec {HOG}"
        run = record(folder, "bash", "-c", moves)
        tally.check(name, run.status == 137 and run.end["signal"] == 9 and run.end["oom"]["verdict"] == "oom" and
                    run.end["oom"]["limit_bytes"] == 24 * MIB, run.end, run.err)
        inner = f"(echo $BASHPID > {group}/cgroup.procs; exec {HOG}); exit 137"
        run = record(folder, "bash", "-c", inner)
        tally.check("a child of it in a group of its own is at least likely", run.end["oom"]["verdict"] == "likely" and
                    run.end["oom"]["host_oom_kill"] >= 1, run.end)
    finally:
        subprocess.run(["rmdir", group], check=True)


CHECKS = [check_version_2, check_version_1, check_real_group]
