# SPDX-License-Identifier: Apache-2.0
"""Signals and terminals: the command gets each signal once, and a terminal remains a terminal."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from recording import LIMIT_S, Run, command_line, start, wait_for
from typing_terminal import TypingTerminal

# Prints each signal when it arrives; after the last expected one it waits for one too many.
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
    """The sent signals that the command received, each sent after the previous one arrived; and the status."""
    recorder = start(folder, sys.executable, "-c", COUNTING, str(len(sends)), **how)
    recorder.stdout.readline()
    got = []
    for send in sends:
        send(recorder)
        got += recorder.stdout.readline().split()
    out, _ = recorder.communicate(timeout=LIMIT_S)
    return [int(word) for word in got + out.split()], recorder.returncode


def test_a_signal_to_the_recorder_alone_is_passed_on_once(folder):
    assert counted(folder, lambda recorder: recorder.send_signal(signal.SIGTERM)) == ([signal.SIGTERM], 5)


def test_a_signal_to_the_whole_group_comes_once(folder):
    assert counted(folder, lambda recorder: os.killpg(recorder.pid, signal.SIGTERM), process_group=0) == \
        ([signal.SIGTERM], 5)


def test_other_signals_come_once_too(folder):
    others = [signal.SIGUSR1, signal.SIGHUP, signal.SIGINT]
    sends = [lambda recorder, number=number: recorder.send_signal(number) for number in others]
    assert counted(folder, *sends) == (others, 5)


def told_to_end(folder, *words, **how):
    """The recorder of a command that has printed a line, ended by SIGTERM."""
    recorder = start(folder, *words, **how)
    recorder.stdout.readline()
    recorder.terminate()
    recorder.communicate(timeout=LIMIT_S)
    return recorder


def test_a_command_that_sigterm_ends_is_143(folder):
    recorder = told_to_end(folder, "sh", "-c", "echo ready; exec sleep 100")
    assert recorder.returncode == 143
    assert Run(folder).end["signal"] == signal.SIGTERM


def test_a_command_that_ignores_sigterm_goes_on(folder):
    begin = time.monotonic()
    recorder = told_to_end(folder, "bash", "-c", "trap '' TERM; echo ready; sleep 0.8; exit 2")
    assert recorder.returncode == 2
    assert time.monotonic() - begin > 0.7


def test_an_alarm_that_was_set_before_ends_the_command(folder):
    alarm = "import os, signal, sys; signal.alarm(3); os.execv(sys.argv[1], sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", alarm, *command_line(folder, "sleep", "100")], capture_output=True,
                          timeout=LIMIT_S)
    assert done.returncode == 128 + signal.SIGALRM, done.stderr


def test_a_reader_that_leaves_ends_the_command_by_sigpipe(folder):
    piped = subprocess.run(["bash", "-c", '"$@" | head -1; echo ${PIPESTATUS[0]}', "bash",
                            *command_line(folder, "sh", "-c", "while :; do echo y; done")], capture_output=True,
                           timeout=LIMIT_S)
    assert piped.stdout == b"y\n141\n", piped.stderr


def test_wait_all_stops_waiting_when_asked_to_end(folder):
    recorder = start(folder, "bash", "-c", "echo $$; sleep 60 & exit 3", options=["--wait-all"])
    child = Path(f"/proc/{int(recorder.stdout.readline())}")
    wait_for(lambda: not child.exists())
    begin = time.monotonic()
    recorder.terminate()
    recorder.wait(timeout=LIMIT_S)
    assert recorder.returncode == 3
    assert time.monotonic() - begin < 50
    assert Run(folder).end["left_running"] == 1


def test_a_command_that_was_asked_to_end_has_its_card(folder, tmp_path):
    card = tmp_path / "card.html"
    recorder = told_to_end(folder, "bash", "-c", "echo ready; sleep 100", options=["--card", str(card)])
    assert recorder.returncode == 143
    assert b"SIGTERM" in card.read_bytes()


# ---- terminals -------------------------------------------------------------------------------------------------------

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


def test_a_terminal_stays_one_and_the_command_is_in_its_foreground(folder):
    terminal = TypingTerminal(*command_line(folder, sys.executable, "-c", ASKING))
    assert terminal.wait_for(rb"tty True True True True"), terminal.seen
    terminal.wait_for(rb"name\? ")
    terminal.type(b"ada\n")
    terminal.wait_for(rb"waits")
    terminal.type(b"\x03")
    assert terminal.wait_for(rb"got ada 1\r\n"), f"Ctrl-C comes once: {terminal.seen}"
    assert terminal.finish() == 0


def test_ctrl_c_ends_a_command_and_the_recorder_says_so(folder):
    terminal = TypingTerminal(*command_line(folder, "sh", "-c", "echo ready; exec sleep 100"))
    terminal.wait_for(rb"ready")
    terminal.type(b"\x03")
    assert terminal.finish() == 130, terminal.seen
    assert Run(folder).end["signal"] == signal.SIGINT


SLEEPING = "import time; print('ready', flush=True); time.sleep(0.8); print('woke', flush=True); raise SystemExit(3)"
STOPPING = 'set -m; "$@"; echo "stopped $?"; jobs; sleep 0.3; fg >/dev/null; echo "status $?"'


def test_ctrl_z_stops_the_job_for_its_shell_and_fg_goes_on_with_it(folder):
    # Without a shell: one that is about to start the next program would not stop.
    terminal = TypingTerminal("bash", "-c", STOPPING, "bash",
                              *command_line(folder, sys.executable, "-S", "-c", SLEEPING))
    terminal.wait_for(rb"ready")
    terminal.type(b"\x1a")
    assert terminal.wait_for(rb"stopped 14[78]"), terminal.seen
    assert terminal.wait_for(rb"woke(.|\s)*status 3"), terminal.seen
    terminal.finish()
    run = Run(folder)
    assert run.end
    assert len(run.samples) < 15, "what was slept through is made up"


INIT = 'mount -t proc proc /proc && exec "$@"'


def test_as_the_first_process_of_a_container_orphans_are_reaped_and_signals_passed_on(folder):
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True).returncode:
        pytest.skip("no rights to make namespaces")
    script = "(setsid sh -c 'sleep 0.2; exit 1' &) ; trap 'exit 7' TERM; echo ready; while :; do sleep 0.1; done"
    line = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", INIT, "sh",
            *command_line(folder, "bash", "-c", script)]
    box = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    box.stdout.readline()
    wait_for(lambda: Run(folder).samples[-1:] and Run(folder).samples[-1]["ts"] > 0.5 and
             Run(folder).samples[-1]["nproc"] <= 2)
    init = int(subprocess.run(["pgrep", "-P", str(box.pid)], capture_output=True, text=True).stdout)
    os.kill(init, signal.SIGTERM)
    _, said = box.communicate(timeout=LIMIT_S)
    run = Run(folder)
    assert (box.returncode, run.end["exit"]) == (7, 7), said
    assert run.start["pid"] > 1
    assert run.samples[-2]["nproc"] <= 2
