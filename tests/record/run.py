#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `profrender record` writes down about commands of all kinds, and that none of them notices.

    python3 tests/record/run.py                                         with build/profrender
    PROFRENDER=build/asan/profrender python3 tests/record/run.py        with another one

Signals and terminals are in signals.py, control groups in cgroups.py, profilers in tools.py.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from shlex import quote

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import cgroups  # noqa: E402
import signals  # noqa: E402
import tools  # noqa: E402
from recording import LIMIT_S, PROGRAM, Run, command_line, record, start, wait_for  # noqa: E402
from tally import Tally  # noqa: E402

BURN = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass"


def check_pipeline(tally, folder):
    run = record(folder, "bash", "-c", "head -c 200000000 /dev/zero | gzip -1 | wc -c; sleep 0.3")
    tally.check("a pipeline: its output and status", run.status == 0 and int(run.out) > 0, run.out, run.err)
    usage = run.end["rusage"]
    used = usage["utime"] + usage["stime"]
    tally.check("all its processes are sampled", run.highest("nproc") >= 3, run.samples)
    tally.check("their processor time is that of the system", abs(run.cpu_s() - used) < 0.1 + 0.1 * used,
                f"{run.cpu_s()} s sampled, {used} s used")
    names = {"ts", "cpu_pct", "rss_mb", "thread_count", "nproc", "disk_read_mb_s", "net_recv_mb_s"}
    tally.check("a sample has the fields of the format", names <= set().union(*run.samples), run.samples)
    tally.check("times rise from 0", run.samples[0]["ts"] == 0 and
                all(a["ts"] <= b["ts"] for a, b in zip(run.samples, run.samples[1:])), run.samples)
    tally.check("run.json has start and end", run.about["schema"] == "profrender/run/1" and
                run.about["end_ms"] - run.about["start_ms"] >= 300, run.about)


def check_short(tally, folder):
    run = record(folder, sys.executable, "-S", "-c", BURN.format(0.02))
    tally.check("a short command has samples and its processor time", len(run.samples) >= 2 and run.cpu_s() > 0.015,
                run.samples)
    run = record(folder, "true")
    tally.check("the shortest one has two samples", run.status == 0 and len(run.samples) == 2 and run.end, run.samples)


def check_failures(tally, folder):
    raising = "import sys\ndef f():\n    raise ValueError('no such day')\nf()"
    bare = subprocess.run([sys.executable, "-c", raising], capture_output=True)
    run = record(folder, sys.executable, "-c", raising)
    tally.check("an exception: status and stderr as without", (run.status, run.err) == (1, bare.stderr), run.err)
    tally.check("its traceback is kept", run.end["exit"] == 1 and run.text("stderr.log").encode() == bare.stderr and
                run.end["stderr_tail"].endswith("ValueError: no such day\n"), run.end)
    limited = f"ulimit -v 200000; exec {sys.executable} -S -c 'x = bytearray(1 << 30)'"
    run = record(folder, "bash", "-c", limited)
    tally.check("too little address space", run.status == 1 and "MemoryError" in run.end["stderr_tail"], run.end)
    run = record(folder / "missing", "no-such-command")
    tally.check("a missing command is 127", run.status == 127 and run.end["exit"] == 127 and
                run.end["start_error"] and b"no-such-command" in run.err, run.err, run.end)
    run = record(folder / "no-program", "/dev/null")
    tally.check("one that is no program is 126", run.status == 126 and run.end["exit"] == 126, run.err, run.end)
    core = "ulimit -c unlimited; kill -SEGV $$"
    (folder / "cores").mkdir(parents=True)
    run = record(folder, "bash", "-c", core, cwd=folder / "cores")
    tally.check("a fault is 128 and its signal", run.status == 128 + signal.SIGSEGV and
                run.end["signal"] == signal.SIGSEGV and run.end["exit"] is None, run.end)
    if run.end["core"]:
        tally.check("its core is named", run.end["core_file"], run.end)
    else:
        tally.skip("its core is named", "this machine writes no cores")


def check_descendants(tally, folder):
    pool = ("import multiprocessing, time\n"
            "def work(n):\n"
            "    end = time.process_time() + 0.2\n"
            "    while time.process_time() < end: pass\n"
            "    time.sleep(1)\n"
            "if __name__ == '__main__':\n"
            "    with multiprocessing.get_context('fork').Pool(4) as pool: pool.map(work, range(4), 1)\n")
    run = record(folder, sys.executable, "-c", pool)
    tally.check("a pool of processes", run.status == 0 and run.highest("nproc") >= 5 and run.cpu_s() > 0.75,
                run.err, run.highest("nproc"), run.cpu_s())
    threads = ("import subprocess, threading\n"
               "t = threading.Thread(target=lambda: subprocess.run(['sleep', '1.8'])); t.start(); t.join()")
    run = record(folder, sys.executable, "-c", threads)
    tally.check("a process that a thread has started", run.highest("nproc") == 2, run.samples)
    many = "for i in $(seq 300); do /bin/true; done"
    run = record(folder, "bash", "-c", many)
    usage = run.end["rusage"]
    used = usage["utime"] + usage["stime"]
    tally.check("hundreds of processes between two samples", abs(run.cpu_s() - used) < 0.05 + 0.15 * used,
                f"{run.cpu_s()} s sampled, {used} s used")
    daemon = "setsid sleep {} >/dev/null 2>&1 & exit 4"
    begin = time.monotonic()
    run = record(folder, "bash", "-c", daemon.format(60))
    took = time.monotonic() - begin
    tally.check("a daemon is not waited for", run.status == 4 and took < 50 and run.end["left_running"] == 1,
                f"{took} s", run.end)
    run = record(folder, "bash", "-c", daemon.format(1.5), options=["--wait-all"])
    tally.check("unless that is asked for", run.status == 4 and run.end["wall"] > 1.4 and
                "left_running" not in run.end and run.samples[-2]["nproc"] == 1, run.end, run.samples)
    talking = "(sleep 0.6; echo late >&2; echo done >\"$0\") & exit 0"
    late = folder / "late"
    with open(folder / "said", "w") as said:
        run = record(folder, "bash", "-c", talking, late, stderr=said)
    wait_for(late.exists)
    tally.check("a daemon's stderr outlives the recorder", late.exists() and
                wait_for(lambda: (folder / "said").read_text() == "late\n"), run.end)


def check_killed(tally, folder):
    working = "trap '' TERM; echo $$; echo 1 >&2; while [ ! -e \"$0\" ]; do sleep 0.1; done; echo 2 >&2; " \
              "echo done >\"$1\""
    recorder = start(folder, "bash", "-c", working, folder / "killed", folder / "done")
    child = int(recorder.stdout.readline())
    wait_for(lambda: Run(folder).samples)
    recorder.kill()
    recorder.wait()
    (folder / "killed").touch()
    finished = wait_for((folder / "done").exists)
    said = recorder.stderr.read()
    run = Run(folder)
    tally.check("the recorder is killed: the command goes on", finished and said == b"1\n2\n", said)
    tally.check("its run has what was known until then", run.start["pid"] == child and run.samples and not run.end and
                "end_ms" not in run.about, run.start, run.about)
    tally.check("stderr is kept all the same", wait_for(lambda: run.text("stderr.log") == said.decode()),
                run.text("stderr.log"))
    shutil.rmtree(folder)
    for both in False, True:
        recorder = start(folder, "sh", "-c", "echo $$; exec sleep 20")
        child = int(recorder.stdout.readline())
        wait_for(lambda: Run(folder).samples)
        if both:
            recorder.kill()
        os.kill(child, signal.SIGKILL)
        recorder.communicate()
        run = Run(folder, recorder.returncode)
        if both:
            tally.check("both are killed: the run can be read", run.start and run.samples and not run.end, run.samples)
        else:
            tally.check("the command is killed: nobody says why", run.status == 137 and run.end["signal"] == 9 and
                        run.end["oom"]["verdict"] == "unknown", run.end)


def check_folders(tally, folder):
    run = record(folder, "sh", "-c", "echo one >&2")
    (folder / "notes.md").write_text("kept")
    run = record(folder, "true")
    tally.check("a folder is used again: what was recorded is replaced, notes stay",
                not run.text("stderr.log") and run.text("notes.md") == "kept", list(folder.iterdir()))
    deep = record(folder / "a" / "b", "true")
    tally.check("folders on the way are made", deep.end, deep.err)
    done = subprocess.run([PROGRAM, "record", "true"], cwd=folder, capture_output=True, text=True)
    made = [path for path in folder.iterdir() if path.name.startswith("run-")]
    tally.check("without a name the folder has time and command in it", len(made) == 1 and
                made[0].name.endswith("-true") and made[0].name in done.stderr, done.stderr, made)
    run = record(Path("/proc/no-such-folder"), "sh", "-c", "exit 6")
    tally.check("a folder that cannot be made costs the record only", run.status == 6 and not run.start and
                b"cannot record into" in run.err, run.status, run.err)
    gone = ('import os, sys, tempfile\nd = tempfile.mkdtemp(); os.chdir(d); os.rmdir(d)\n'
            'os.execv(sys.argv[1], sys.argv[1:])')
    line = command_line(folder, "sh", "-c", "exit 8")
    done = subprocess.run([sys.executable, "-c", gone, *line], capture_output=True, timeout=LIMIT_S)
    tally.check("a current folder that is gone", done.returncode == 8 and Run(folder).start["cwd"] is None, done.stderr)


def check_full_disk(tally, folder):
    disk = folder / "disk"
    disk.mkdir(parents=True)
    name = "a full disk: the command ends as it would, the run can be read"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], capture_output=True)
    if mounted.returncode:
        tally.skip(name, "no rights to mount a small disk")
        return
    try:
        full = f"while [ $(stat -f -c %f {quote(str(disk))}) -gt 0 ]; do sleep 0.05; done; sleep 0.5; exit 9"
        run = record(disk / "run", "sh", "-c", full, options=["--interval", "0.01"])
        tally.check(name, run.status == 9 and run.start and 5 < len(run.samples) < 60 and b"No space left" in run.err,
                    run.err, len(run.samples))
    finally:
        subprocess.run(["umount", disk], check=True)


def check_words(tally, folder):
    run = record(folder, "sh", "-c", "echo 'password: hunter2' >&2", "--token", "hunter2", "a b", "", b"\xff\xfe")
    kept = "".join(run.text(name) for name in ("timeline.jsonl", "run.json", "stderr.log"))
    tally.check("secrets are nowhere in the run", "hunter2" not in kept and kept.count("[redacted]") >= 4, kept)
    tally.check("and pass through untouched", run.err == b"password: hunter2\n", run.err)
    tally.check("words stay words", run.start["argv"][3:] == ["--token", "[redacted]", "a b", "", "\ufffd\ufffd"],
                run.start["argv"])
    run = record(folder, "true", *["x" * 1000] * 1500)
    tally.check("a huge command line is cut in the record only", run.status == 0 and
                len(run.text("timeline.jsonl")) < 100000 and run.start["argv"][-1].endswith("more"), run.err)
    loud = "import os\nfor i in range(3000): os.write(2, b'%06d ' % i + b'x' * 93 + b'\\n')"
    run = record(folder, sys.executable, "-c", loud)
    log = run.text("stderr.log")
    tally.check("of much stderr the end is kept, from the beginning of a line", len(run.err) == 303000 and
                60000 < len(log) <= 65536 and run.err.decode().endswith(log) and log[6] == " ", len(log), log[:200])
    done = subprocess.run([PROGRAM, "record", "-q", "-o", folder, "-", "cat"], input=b"through", capture_output=True)
    tally.check("a dash is a command like others", done.returncode == 127, done.stderr)
    done = subprocess.run([PROGRAM, "record", "-q", "-o", folder, "sh", "-c", "cat; exit 3"], input=b"through",
                          capture_output=True)
    tally.check("stdin is the command's", (done.returncode, done.stdout) == (3, b"through"), done.stderr)


def check_names(tally, folder):
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("AIRFLOW_", "GITHUB_", "CI_", "SLURM_"))}
    airflow = {**clean, "AIRFLOW_CTX_DAG_ID": "sales", "AIRFLOW_CTX_DAG_RUN_ID": "manual__1",
               "AIRFLOW_CTX_TASK_ID": "load", "AIRFLOW_CTX_TRY_NUMBER": "2"}
    about = record(folder, "true", env=airflow, options=["--task", "mine", "--name", "Nightly"]).about
    wanted = {"name": "Nightly", "flow": "sales", "run": "manual__1", "task": "mine", "attempt": 2}
    tally.check("names come from options, then from the scheduler", wanted.items() <= about.items(), about)
    about = record(folder, "true", env=clean).about
    tally.check("a run on its own is called by its command", set(about) == {"schema", "name", "start_ms", "end_ms", "files"} and
                about["name"] == "true", about)


def check_gpus(tally, folder):
    folder.mkdir()
    compiler = os.environ.get("CC", "cc").split()
    library = folder / "libnvidia-ml.so.1"
    subprocess.run([*compiler, "-shared", "-fPIC", "-w", "-o", library, HERE / "nvml.c"], check=True)
    run = record(folder, "sleep", "0.7", env={**os.environ, "LD_LIBRARY_PATH": str(folder)})
    device = {"index": 1, "name": "Stand-in 1", "uuid": "GPU-1", "mem_total": 16 << 30}
    tally.check("each GPU is in the start", len(run.start["gpus"]) == 2 and run.start["gpus"][1] == device, run.start)
    wanted = [{"i": 0, "util": 90, "mem_mb": 1024, "power_w": 250.5, "temp_c": 61},
              {"i": 1, "util": 30, "mem_mb": 3072}]
    tally.check("and in the samples, with what it supports", run.samples[-1]["gpus"] == wanted, run.samples)
    tally.check("mean of use, sum of memory", run.samples[-1]["gpu_pct"] == 60 and
                run.samples[-1]["gpu_mem_mb"] == 4096, run.samples)


# What a program finds: descriptors but stderr and the one that lists them, signals, limits, where it is.
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


def check_surroundings(tally, folder):
    """The command finds descriptors, signals and limits as it would without a recorder."""
    starts = {"plainly started": "", "without stdin": "exec <&-; ", "without stdin and stderr": "exec <&- 2>&-; ",
              "with signals ignored": "trap '' HUP INT PIPE CHLD; ",
              "with a descriptor of its own": f"exec 7<{quote(str(HERE))}; "}
    words = [os.path.realpath(sys.executable), "-S", "-c", LOOK]
    for name, before in starts.items():
        outs = [subprocess.run(["bash", "-c", before + 'exec "$@"', "bash", *line], stdin=subprocess.DEVNULL,
                               capture_output=True, process_group=0, timeout=LIMIT_S).stdout
                for line in (words, command_line(folder, *words))]
        tally.check(f"the command's surroundings, {name}", outs[0] == outs[1] and outs[0].count(b"\n") > 20,
                    outs[0].decode(), outs[1].decode())


CHECKS = [check_pipeline, check_short, check_failures, check_descendants, check_killed, check_folders, check_full_disk,
          check_words, check_names, check_gpus, check_surroundings, *tools.CHECKS, *signals.CHECKS,
          *cgroups.CHECKS]


def main():
    tally = Tally()
    wanted = sys.argv[1:]
    for check in CHECKS:
        if wanted and check.__name__.removeprefix("check_") not in wanted:
            continue
        with tempfile.TemporaryDirectory() as name:
            check(tally, Path(name) / "run")
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
