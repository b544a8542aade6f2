# SPDX-License-Identifier: Apache-2.0
"""Signals and terminals: the command gets each signal once, and a terminal stays one."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from recording import LIMIT_S, Run, command_line, start, wait_for

# Tells each signal when it comes; behind the last one that is awaited it waits for one too many.
COUNTING = ("import os, signal, sys, time\n"
            "got = []\n"
            "def count(number, frame):\n"
            "    got.append(number)\n"
            "    os.write(1, b'%d\\n' % number)\n"
            "for number in signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP:\n"
            "    signal.signal(number, count)\n"
            "os.write(1, b'ready\\n')\n"
            f"end = time.monotonic() + {LIMIT_S}\n"
            "while len(got) < int(sys.argv[1]) and time.monotonic() < end: time.sleep(0.05)\n"
            "time.sleep(0.5)\n"
            "sys.exit(5)")


def counted(folder, *sends, **how):
    """What the command got of the signals that are sent, each when the one before has come; and the status."""
    recorder = start(folder, sys.executable, "-c", COUNTING, str(len(sends)), **how)
    recorder.stdout.readline()
    got = []
    for send in sends:
        send(recorder)
        got += recorder.stdout.readline().split()
    out, _ = recorder.communicate(timeout=LIMIT_S)
    return [int(word) for word in got + out.split()], recorder.returncode


def check_signals(tally, folder):
    got, status = counted(folder, lambda recorder: recorder.send_signal(signal.SIGTERM))
    tally.check("a signal to the recorder alone is passed on, once", got == [signal.SIGTERM] and status == 5, got,
                status)
    got, status = counted(folder, lambda recorder: os.killpg(recorder.pid, signal.SIGTERM), process_group=0)
    tally.check("one to the whole group comes once", got == [signal.SIGTERM] and status == 5, got, status)
    others = signal.SIGUSR1, signal.SIGHUP, signal.SIGINT
    got, status = counted(folder, *(lambda recorder, number=number: recorder.send_signal(number) for number in others))
    tally.check("others too", got == list(others) and status == 5, got, status)
    recorder = start(folder, "sh", "-c", "echo ready; exec sleep 100")
    recorder.stdout.readline()
    recorder.terminate()
    recorder.communicate(timeout=LIMIT_S)
    run = Run(folder, recorder.returncode)
    tally.check("a command that SIGTERM ends is 143", run.status == 143 and run.end["signal"] == signal.SIGTERM,
                run.end)
    begin = time.monotonic()
    recorder = start(folder, "bash", "-c", "trap '' TERM; echo ready; sleep 0.8; exit 2")
    recorder.stdout.readline()
    recorder.terminate()
    recorder.communicate(timeout=LIMIT_S)
    tally.check("one that ignores it goes on", recorder.returncode == 2 and time.monotonic() - begin > 0.7,
                recorder.returncode)
    alarm = "import os, signal, sys; signal.alarm(3); os.execv(sys.argv[1], sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", alarm, *command_line(folder, "sleep", "100")], capture_output=True,
                          timeout=LIMIT_S)
    tally.check("an alarm that was set before ends the command", done.returncode == 128 + signal.SIGALRM, done)
    piped = subprocess.run(["bash", "-c", '"$@" | head -1; echo ${PIPESTATUS[0]}', "bash",
                            *command_line(folder, "sh", "-c", "while :; do echo y; done")], capture_output=True,
                           timeout=LIMIT_S)
    tally.check("a reader that leaves ends the command by SIGPIPE", piped.stdout == b"y\n141\n", piped.stdout,
                piped.stderr)


def check_grace(tally, folder):
    recorder = start(folder, "bash", "-c", "echo $$; sleep 60 & exit 3", options=["--wait-all"])
    child = Path(f"/proc/{int(recorder.stdout.readline())}")
    wait_for(lambda: not child.exists())
    begin = time.monotonic()
    recorder.terminate()
    recorder.wait(timeout=LIMIT_S)
    took = time.monotonic() - begin
    left = Run(folder).end["left_running"]
    tally.check("told to end, --wait-all waits no longer", recorder.returncode == 3 and took < 50 and left == 1,
                recorder.returncode, took, left)
    card = folder.parent / "card.html"
    recorder = start(folder, "bash", "-c", "echo ready; sleep 100", options=["--card", str(card)])
    recorder.stdout.readline()
    recorder.terminate()
    recorder.communicate(timeout=LIMIT_S)
    tally.check("the card of a command that was told to end", recorder.returncode == 143 and card.exists() and
                b"SIGTERM" in card.read_bytes())


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, *line):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvp(line[0], line)
        self.seen = b""

    def wait_for(self, pattern):
        end = time.monotonic() + LIMIT_S
        while not re.search(pattern, self.seen) and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 4096)
                except OSError:  # the other side is closed
                    break
        return re.search(pattern, self.seen)

    def type(self, text):
        os.write(self.fd, text)

    def finish(self):
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


ASKING = ("import os, signal, sys, time\n"
          "got = []\n"
          "signal.signal(signal.SIGINT, lambda *_: got.append(1))\n"
          "print('tty', *(os.isatty(fd) for fd in range(3)), os.tcgetpgrp(0) == os.getpgrp(), flush=True)\n"
          "name = input('name? ')\n"
          "print('waits', flush=True)\n"
          f"end = time.monotonic() + {LIMIT_S}\n"
          "while not got and time.monotonic() < end: time.sleep(0.05)\n"
          "time.sleep(0.3)\n"
          "print('got', name, len(got), flush=True)\n")


def check_terminal(tally, folder):
    terminal = Terminal(*command_line(folder, sys.executable, "-c", ASKING))
    tally.check("a terminal stays one, and the command is in its foreground",
                terminal.wait_for(rb"tty True True True True"), terminal.seen)
    terminal.wait_for(rb"name\? ")
    terminal.type(b"ada\n")
    terminal.wait_for(rb"waits")
    terminal.type(b"\x03")
    tally.check("keys reach it, and Ctrl-C once", terminal.wait_for(rb"got ada 1\r\n"), terminal.seen)
    tally.check("its status is returned", terminal.finish() == 0)
    terminal = Terminal(*command_line(folder, "sh", "-c", "echo ready; exec sleep 100"))
    terminal.wait_for(rb"ready")
    terminal.type(b"\x03")
    tally.check("Ctrl-C ends a command, and the recorder says so", terminal.finish() == 130 and
                Run(folder).end["signal"] == signal.SIGINT, terminal.seen)


SLEEPING = "import time; print('ready', flush=True); time.sleep(0.8); print('woke', flush=True); raise SystemExit(3)"
STOPPING = 'set -m; "$@"; echo "stopped $?"; jobs; sleep 0.3; fg >/dev/null; echo "status $?"'


def check_job_control(tally, folder):
    # No shell: one that is just starting the next program would not stop.
    line = command_line(folder, sys.executable, "-S", "-c", SLEEPING)
    terminal = Terminal("bash", "-c", STOPPING, "bash", *line)
    terminal.wait_for(rb"ready")
    terminal.type(b"\x1a")
    stopped = terminal.wait_for(rb"stopped 14[78]")
    woke = terminal.wait_for(rb"woke(.|\s)*status 3")
    tally.check("Ctrl-Z stops the job for its shell, and fg goes on with it", stopped and woke, terminal.seen)
    terminal.finish()
    run = Run(folder)
    gaps = [b["ts"] - a["ts"] for a, b in zip(run.samples, run.samples[1:])]
    tally.check("what was slept through is not made up", run.end and len(run.samples) < 15, gaps)


INIT = 'mount -t proc proc /proc && exec "$@"'


def check_first_process(tally, folder):
    name = "as the first process of a container: orphans are reaped, signals passed on"
    script = "(setsid sh -c 'sleep 0.2; exit 1' &) ; trap 'exit 7' TERM; echo ready; while :; do sleep 0.1; done"
    line = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", INIT, "sh",
            *command_line(folder, "bash", "-c", script)]
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True).returncode:
        tally.skip(name, "no rights to make namespaces")
        return
    box = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    box.stdout.readline()
    wait_for(lambda: Run(folder).samples[-1:] and Run(folder).samples[-1]["ts"] > 0.5 and
             Run(folder).samples[-1]["nproc"] <= 2)
    init = int(subprocess.run(["pgrep", "-P", str(box.pid)], capture_output=True, text=True).stdout)
    os.kill(init, signal.SIGTERM)
    _, said = box.communicate(timeout=LIMIT_S)
    run = Run(folder)
    tally.check(name, box.returncode == 7 and run.end["exit"] == 7 and run.start["pid"] > 1 and
                run.samples[-2]["nproc"] <= 2, box.returncode, said, run.end, run.samples[-2])


CHECKS = [check_signals, check_grace, check_terminal, check_job_control, check_first_process]
