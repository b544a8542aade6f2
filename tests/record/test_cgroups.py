# SPDX-License-Identifier: Apache-2.0
"""Control groups: a real one of version 1 where this machine lets us create it, and folders with the files of each
version. Killed for lack of memory, likely, or unknown."""

import sys
from shlex import quote

import pytest
from control_group import limited_group
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


# ---- version 2 -------------------------------------------------------------------------------------------------------


@pytest.fixture
def group(tmp_path):
    return make_group(tmp_path / "v2", V2)


@pytest.fixture
def in_group(group, folder):
    """`in_group(SCRIPT, OPTIONS)`: the run of a script of the shell, with the group as its own."""
    return lambda script, *options: record(folder, "sh", "-c", script, options=["--cgroup", str(group), *options])


def test_limits_memory_and_a_kill_that_the_counter_shows(group, in_group):
    run = in_group(f"sleep 0.3; sed -i 's/oom_kill 2/oom_kill 3/' {quote(str(group))}/memory.events; kill -9 $$")
    assert run.start["limits"] == {"memory_max": 100 * MIB, "cpu_max": 1.5, "address_space_max": None}
    assert run.samples[0]["cg_mem_mb"] == 50, "memory without pages that are about to go"
    assert run.status == 137
    assert run.end["oom"]["verdict"] == "oom"
    assert run.end["oom"]["cgroup_oom_kill"] == 1


def test_throttled_time_and_pressure_are_shares_of_the_time(group, in_group):
    files = quote(str(group))
    run = in_group(f"sleep 0.5; sed -i 's/throttled_usec 1000000/throttled_usec 1100000/' {files}/cpu.stat; "
                   f"sed -i 's/total=5000/total=55000/' {files}/memory.pressure; sleep 0.3", "--interval", "0.1")
    assert run.seconds("throttled_pct") == pytest.approx(0.1, abs=0.01)
    assert run.seconds("cg_psi_mem_some_pct") == pytest.approx(0.05, abs=0.01)


def test_a_folder_without_a_control_group_is_reported(folder):
    record(folder, "true")
    run = record(folder, "true", options=["--cgroup", str(folder)])
    assert run.status == 0
    assert b"it is not a control group" in run.err


def test_without_a_counter_memory_at_the_limit_makes_it_likely(group, in_group):
    (group / "memory.events").unlink()
    run = in_group(f"echo {99 * MIB} > {quote(str(group))}/memory.peak; kill -9 $$")
    assert run.end["oom"]["verdict"] == "likely"
    assert run.end["oom"]["cgroup_oom_kill"] is None
    assert run.end["oom"]["peak_bytes"] == 99 * MIB


def test_a_kill_with_neither_is_of_unknown_origin(group, in_group):
    (group / "memory.events").unlink()
    assert in_group("kill -9 $$").end["oom"]["verdict"] == "unknown"


def test_a_command_that_ends_well_has_no_verdict(group, in_group):
    (group / "memory.events").unlink()
    assert in_group("exit 0").end["oom"]["verdict"] is None


# ---- version 1 -------------------------------------------------------------------------------------------------------


def test_version_1_without_limits_with_memory_and_kills_that_a_shell_gives_137_for(folder, tmp_path):
    group = make_group(tmp_path / "v1", V1)
    dies = f"sed -i 's/oom_kill 2/oom_kill 4/' {quote(str(group))}/memory.oom_control; exit 137"
    run = record(folder, "sh", "-c", dies, options=["--cgroup", str(group)])
    assert run.start["limits"] == {"memory_max": None, "cpu_max": None, "address_space_max": None}
    assert run.samples[0]["cg_mem_mb"] == 60
    assert run.status == 137
    assert run.end["oom"]["verdict"] == "oom"
    assert run.end["oom"]["cgroup_oom_kill"] == 2


@pytest.fixture
def real_group():
    """A command enters it itself, like those that systemd-run or cgexec start."""
    with limited_group(24 * MIB) as group:
        yield group


def test_killed_for_memory_by_the_kernel(folder, real_group):
    lines = f"$(wc -l < {folder}/timeline.jsonl)"
    noticed = f"n={lines}; while [ {lines} -lt $((n + 2)) ]; do sleep 0.1; done"  # however busy the machine is
    run = record(folder, "bash", "-c", f"echo $$ > {real_group}/cgroup.procs; {noticed}; exec {HOG}")
    assert run.status == 137, run.err
    assert run.end["signal"] == 9
    assert run.end["oom"]["verdict"] == "oom"
    assert run.end["oom"]["limit_bytes"] == 24 * MIB
    assert 0.9 * 24 * MIB < run.end["oom"]["peak_bytes"] <= 24 * MIB, "resident pages may be charged to others"


def test_a_child_in_a_group_of_its_own_that_the_kernel_kills_is_at_least_likely(folder, real_group):
    run = record(folder, "bash", "-c", f"(echo $BASHPID > {real_group}/cgroup.procs; exec {HOG}); exit 137")
    assert run.end["oom"]["verdict"] == "likely"
    assert run.end["oom"]["host_oom_kill"] >= 1
