# SPDX-License-Identifier: Apache-2.0
"""What `profrender record` records about commands of all kinds, and that none of them notices."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from shlex import quote

import pytest
from recording import LIMIT_S, Run, command_line, record, start, wait_for

HERE = Path(__file__).resolve().parent
BURN = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass"


def used_s(run):
    """The processor time of all processes, as the system counts it."""
    return run.end["rusage"]["utime"] + run.end["rusage"]["stime"]


# ---- a pipeline ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    return record(tmp_path_factory.mktemp("pipeline") / "run", "bash", "-c",
                  "head -c 200000000 /dev/zero | gzip -1 | wc -c; sleep 0.3")


def test_a_pipeline_has_its_output_and_status(pipeline):
    assert pipeline.status == 0, pipeline.err
    assert int(pipeline.out) > 0


def test_all_processes_of_a_pipeline_are_sampled(pipeline):
    assert pipeline.highest("nproc") >= 3, f"{pipeline.samples}"


def test_processor_time_of_samples_is_that_of_the_system(pipeline):
    used = used_s(pipeline)
    assert abs(pipeline.cpu_s() - used) < 0.1 + 0.1 * used


def test_a_sample_has_the_fields_of_the_format(pipeline):
    names = {"ts", "cpu_pct", "rss_mb", "thread_count", "nproc", "disk_read_mb_s", "net_recv_mb_s"}
    assert names <= set().union(*pipeline.samples)


def test_times_rise_from_0(pipeline):
    times = [sample["ts"] for sample in pipeline.samples]
    assert times[0] == 0
    assert times == sorted(times)


def test_run_json_has_start_and_end(pipeline):
    assert pipeline.about["schema"] == "profrender/run/1"
    assert pipeline.about["end_ms"] - pipeline.about["start_ms"] >= 300


# ---- short commands, failures ----------------------------------------------------------------------------------------


def test_a_short_command_has_samples_and_its_processor_time(folder):
    run = record(folder, sys.executable, "-S", "-c", BURN.format(0.02))
    assert len(run.samples) >= 2
    assert run.cpu_s() > 0.015, f"{run.samples}"


def test_the_shortest_command_has_two_samples(folder):
    run = record(folder, "true")
    assert run.status == 0
    assert len(run.samples) == 2, f"{run.samples}"
    assert run.end


def test_an_exception_is_as_without_the_recorder_and_its_traceback_is_kept(folder):
    raising = "import sys\ndef f():\n    raise ValueError('no such day')\nf()"
    bare = subprocess.run([sys.executable, "-c", raising], capture_output=True)
    run = record(folder, sys.executable, "-c", raising)
    assert (run.status, run.err) == (1, bare.stderr)
    assert run.end["exit"] == 1
    assert run.text("stderr.log").encode() == bare.stderr
    assert run.end["stderr_tail"].endswith("ValueError: no such day\n")


def test_too_little_address_space(folder):
    run = record(folder, "bash", "-c", f"ulimit -v 200000; exec {sys.executable} -S -c 'x = bytearray(1 << 30)'")
    assert run.status == 1
    assert "MemoryError" in run.end["stderr_tail"]


def test_a_missing_command_is_127(folder):
    run = record(folder, "no-such-command")
    assert (run.status, run.end["exit"]) == (127, 127), f"{run.err}"
    assert run.end["start_error"]
    assert b"no-such-command" in run.err


def test_a_command_that_is_no_program_is_126(folder):
    run = record(folder, "/dev/null")
    assert (run.status, run.end["exit"]) == (126, 126), f"{run.err}"


def limit_files(count):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))


@pytest.mark.parametrize("memray", [[], ["--memray"]], ids=["plain", "memray"])
def test_with_few_files_allowed_the_command_runs_at_least(folder, memray):
    """A recorder needs a dozen; without them it must not cost the job."""
    script = "echo out $PROFRENDER_MARKS; trap 'exit 7' TERM; kill $$"
    unrecorded = 0
    for count in range(5, 20):
        run = record(folder, "sh", "-c", script, options=memray, preexec_fn=limit_files(count))
        assert (run.status, run.out[:3]) == (7, b"out"), (count, run.err)
        if not run.end:
            unrecorded += 1
            assert run.out == b"out\n", count
            assert b"Too many open files" in run.err and b"the command runs without being recorded" in run.err, count
            assert not folder.exists() or not list(folder.iterdir()), count
        for file in folder.glob("*") if folder.exists() else []:
            file.unlink()
    assert 5 < unrecorded < 13, unrecorded


def test_without_a_record_a_command_that_is_missing_is_127_too(folder):
    assert record(folder, "no-such-command", preexec_fn=limit_files(10)).status == 127
    assert record(folder, "/dev/null", preexec_fn=limit_files(10)).status == 126


def test_an_earlier_run_stays_when_there_is_no_new_one(folder):
    assert record(folder, "true").status == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert record(folder, "sh", "-c", "exit 7", preexec_fn=limit_files(12)).status == 7
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.fixture
def fault(folder, tmp_path):
    return record(folder, "bash", "-c", "ulimit -c unlimited; kill -SEGV $$", cwd=tmp_path)


def test_a_fault_is_128_and_its_signal(fault):
    assert fault.status == 128 + signal.SIGSEGV
    assert (fault.end["signal"], fault.end["exit"]) == (signal.SIGSEGV, None)


def test_the_core_of_a_fault_is_named(fault):
    if not fault.end["core"]:
        pytest.skip("this machine writes no cores")
    assert fault.end["core_file"]


# ---- descendants -----------------------------------------------------------------------------------------------------


def test_a_pool_of_processes(folder):
    pool = ("import multiprocessing, time\n"
            "def work(n):\n"
            "    end = time.process_time() + 0.2\n"
            "    while time.process_time() < end: pass\n"
            "    time.sleep(1)\n"
            "if __name__ == '__main__':\n"
            "    with multiprocessing.get_context('fork').Pool(4) as pool: pool.map(work, range(4), 1)\n")
    run = record(folder, sys.executable, "-c", pool)
    assert run.status == 0, run.err
    assert run.highest("nproc") >= 5
    assert run.cpu_s() > 0.75


def test_a_process_that_a_thread_has_started(folder):
    threads = ("import subprocess, threading\n"
               "t = threading.Thread(target=lambda: subprocess.run(['sleep', '1.8'])); t.start(); t.join()")
    run = record(folder, sys.executable, "-c", threads)
    assert run.highest("nproc") == 2, f"{run.samples}"


def test_what_the_shell_had_started_is_not_of_the_run(folder):
    """`sh -c 'server & profrender record ...'`: a shell becomes its last command, and leaves it its children."""
    words = " ".join(quote(word) for word in command_line(folder, "sleep", "0.5"))
    others = "for i in 1 2 3; do timeout 3 sh -c 'while :; do :; done' & done"
    done = subprocess.run(["bash", "-c", f"{others}; exec {words}"], timeout=60, check=True)
    run = Run(folder, done.returncode)
    assert run.samples and run.highest("nproc") == 1, f"{run.samples}"
    assert "left_running" not in run.end


def test_hundreds_of_processes_between_two_samples(folder):
    run = record(folder, "bash", "-c", "for i in $(seq 300); do /bin/true; done")
    used = used_s(run)
    assert abs(run.cpu_s() - used) < 0.05 + 0.15 * used


DAEMON = "setsid sleep {} >/dev/null 2>&1 & exit 4"


def test_a_daemon_is_not_waited_for(folder):
    begin = time.monotonic()
    run = record(folder, "bash", "-c", DAEMON.format(60))
    assert run.status == 4
    assert time.monotonic() - begin < 50
    assert run.end["left_running"] == 1


def test_a_daemon_is_waited_for_where_that_is_asked(folder):
    run = record(folder, "bash", "-c", DAEMON.format(1.5), options=["--wait-all"])
    assert run.status == 4
    assert run.end["wall"] > 1.4
    assert "left_running" not in run.end
    assert run.samples[-2]["nproc"] == 1, f"{run.samples}"


def test_the_stderr_of_a_daemon_outlives_the_recorder(folder, tmp_path):
    talking = "(sleep 0.6; echo late >&2; echo done >\"$0\") & exit 0"
    with open(tmp_path / "said", "w") as said:
        record(folder, "bash", "-c", talking, tmp_path / "late", stderr=said)
    assert wait_for((tmp_path / "late").exists)
    assert wait_for(lambda: (tmp_path / "said").read_text() == "late\n")


def test_a_run_ends_when_its_command_does_whoever_still_writes(folder):
    run = record(folder, "bash", "-c", "setsid sleep 0.5 >/dev/null &")
    wall_ms = round(run.end["wall"] * 1000)
    assert run.about["end_ms"] - run.about["start_ms"] == wall_ms
    assert round((run.end["t"] - run.start["t"]) * 1000) == wall_ms


# ---- kill -9 ---------------------------------------------------------------------------------------------------------


def test_when_the_recorder_is_killed_the_command_goes_on_and_the_run_has_what_was_known(folder, tmp_path):
    working = "trap '' TERM; echo $$; echo 1 >&2; while [ ! -e \"$0\" ]; do sleep 0.1; done; echo 2 >&2; " \
              "echo done >\"$1\""
    recorder = start(folder, "bash", "-c", working, tmp_path / "killed", tmp_path / "done")
    child = int(recorder.stdout.readline())
    wait_for(lambda: Run(folder).samples)
    recorder.kill()
    recorder.wait()
    (tmp_path / "killed").touch()
    assert wait_for((tmp_path / "done").exists), "the command has been killed, too"
    said = recorder.stderr.read()
    run = Run(folder)
    assert said == b"1\n2\n"
    assert run.start["pid"] == child
    assert run.samples
    assert not run.end
    assert "end_ms" not in run.about
    assert wait_for(lambda: run.text("stderr.log") == said.decode()), run.text("stderr.log")


def killed(folder, both):
    """The run of a command that was killed, with its recorder or alone."""
    recorder = start(folder, "sh", "-c", "echo $$; exec sleep 20")
    child = int(recorder.stdout.readline())
    wait_for(lambda: Run(folder).samples)
    if both:
        recorder.kill()
    os.kill(child, signal.SIGKILL)
    recorder.communicate()
    return Run(folder, recorder.returncode)


def test_who_killed_the_command_is_not_known(folder):
    run = killed(folder, both=False)
    assert run.status == 137
    assert run.end["signal"] == 9
    assert run.end["oom"]["verdict"] == "unknown"


def test_when_both_are_killed_the_run_can_be_read(folder):
    run = killed(folder, both=True)
    assert run.start
    assert run.samples
    assert not run.end


# ---- surroundings ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gpus(tmp_path_factory):
    """A run on a machine with two GPUs, as the stand-in for their library says."""
    folder = tmp_path_factory.mktemp("gpus")
    compiler = os.environ.get("CC", "cc").split()
    library = folder / "libnvidia-ml.so.1"
    subprocess.run([*compiler, "-shared", "-fPIC", "-w", "-o", library, HERE / "nvml.c"], check=True)
    return record(folder / "run", "sleep", "0.7", env={**os.environ, "LD_LIBRARY_PATH": str(folder)})


def test_each_gpu_is_in_the_start(gpus):
    assert len(gpus.start["gpus"]) == 2
    assert gpus.start["gpus"][1] == {"index": 1, "name": "Stand-in 1", "uuid": "GPU-1", "mem_total": 16 << 30}


def test_each_gpu_is_in_the_samples_with_what_it_supports(gpus):
    assert gpus.samples[-1]["gpus"] == [{"i": 0, "util": 90, "mem_mb": 1024, "power_w": 250.5, "temp_c": 61},
                                        {"i": 1, "util": 30, "mem_mb": 3072}]


def test_samples_have_the_mean_of_use_and_the_sum_of_memory(gpus):
    assert (gpus.samples[-1]["gpu_pct"], gpus.samples[-1]["gpu_mem_mb"]) == (60, 4096)


# What a program finds: descriptors except stderr and the one that lists them, signals, limits, working folder.
LOOK = """
import os, resource, stat
for fd in sorted(map(int, os.listdir('/proc/self/fd'))):
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        continue
    if fd != 2:
        print('fd', fd, stat.filemode(mode), os.get_inheritable(fd))
for line in open('/proc/self/status'):
    if line.startswith(('SigBlk', 'SigIgn', 'SigCgt', 'NoNewPrivs', 'Umask')):
        print(line.rstrip())
for name in sorted(name for name in dir(resource) if name.startswith('RLIMIT_')):
    print(name, resource.getrlimit(getattr(resource, name)))
print(os.getcwd(), os.getsid(0) == os.getpgid(0), os.getpriority(os.PRIO_PROCESS, 0))
"""


@pytest.mark.parametrize("before", [
    pytest.param("", id="plainly started"),
    pytest.param("exec <&-; ", id="without stdin"),
    pytest.param("exec <&- 2>&-; ", id="without stdin and stderr"),
    pytest.param("trap '' HUP INT PIPE CHLD; ", id="with signals ignored"),
    pytest.param(f"exec 7<{quote(str(HERE))}; ", id="with a descriptor of its own"),
])
def test_the_command_finds_what_it_would_find_without_the_recorder(before, folder):
    words = [os.path.realpath(sys.executable), "-S", "-c", LOOK]
    bare, recorded = (subprocess.run(["bash", "-c", before + 'exec "$@"', "bash", *line], stdin=subprocess.DEVNULL,
                                     capture_output=True, process_group=0, timeout=LIMIT_S).stdout.decode()
                      for line in (words, command_line(folder, *words)))
    assert bare.splitlines() == recorded.splitlines()
    assert bare.count("\n") > 20


def test_what_the_recorder_reports_may_go_to_a_file(tmp_path):
    """Whoever reads the last line of both outputs, as Airflow does, takes it for the command's."""
    folder = tmp_path / "run"
    options = ("--log", str(tmp_path / "log"), "--card", "/proc/card.html", "--stderr", "always")
    for lines in (1, 2):
        run = record(folder, "sh", "-c", "echo out; echo err >&2; exit 3", options=options)
        assert (run.status, run.out, run.err) == (3, b"out\n", b"err\n")
        assert (tmp_path / "log").read_text(encoding="utf-8").count("profrender: cannot write /proc/card.html") == lines
    run = record(folder, "echo", "out", options=("--log", str(tmp_path / "none/log")))
    assert (run.status, run.out) == (0, b"out\n") and b"cannot write" in run.err
