# SPDX-License-Identifier: Apache-2.0
"""A step under `profrender record`, and then its card; returns what the step returns.

    python recorded_step.py -u flow.py --quiet ... step train --run-id 17 --task-id 3 ...

Metaflow runs this script instead of the step. It must not depend on Metaflow or on the step being alive: a task that is
killed has a card too. It works in a session of its own, so that it survives when Metaflow kills all that it started.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading

SETTINGS = "PROFRENDER_PROFILE_CARD"  # of the decorator, as JSON; from Metaflow to here
FOLDER = "PROFRENDER_TASK_FOLDER"  # of the recording; from here to the step; empty: there is none
CARD_S = 45  # what Metaflow allows for a card
SCRIPTS = sysconfig.get_path("scripts")  # of this Python, where wheels put programs; its environment need not be active
FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def say(text):
    print(f"@profile_card: {text}", file=sys.stderr, flush=True)


def task_words(words):
    """{"step", "run-id", "task-id", "retry-count"} of the command line of a step, "at" is its index; {} of others."""
    for at, word in enumerate(words[:-2]):
        if word == "step" and not words[at + 1].startswith("-") and words[at + 2].startswith("--"):
            options = words[at + 2:]
            found = {name[2:]: value for name, value in zip(options, options[1:]) if name.startswith("--")}
            return {**found, "step": words[at + 1], "at": at}
    return {}


class Task:
    """Which task this is, and what its decorator asks for."""

    def __init__(self, words, settings):
        self.words = words
        self.settings = settings
        self.found = task_words(words)
        script = next((word for word in words if word.endswith(".py")), words[0])
        self.source = os.path.dirname(os.path.abspath(script))
        self.flow = settings["flow"]
        self.attempt = int(self.found.get("retry-count") or 0) + 1
        self.names = [self.found["run-id"], self.found["step"], self.found["task-id"]]
        self.program = shutil.which(settings["program"], path=SCRIPTS) or shutil.which(settings["program"])

    def folder(self):
        """(folder of the recording, whether it is kept)"""
        keep = self.settings["keep"]
        if not keep:
            return tempfile.mkdtemp(prefix="profile_card."), False
        path = os.path.join(os.path.abspath(keep), self.flow, *self.names, str(self.attempt))
        os.makedirs(path, exist_ok=True)
        return path, True

    def record(self, folder):
        run, step, task = self.names
        return [self.program, "record", "-q", "-o", folder, "--stderr", "always",
                "--interval", str(self.settings["interval"]), "--cpu", self.settings["cpu"],
                "--flow", self.flow, "--run", run, "--step", step, "--task", task, "--attempt", str(self.attempt),
                "--name", f"{self.flow} / {step}", "--", sys.executable, *self.words]

    def render(self, folder, page):
        """Commands for a terminal would name a recording that is removed, unless it is kept."""
        words = [self.program, "card", "-q", folder, "-o", page, "--root", self.source, *self.settings["args"]]
        return words if self.settings["keep"] else [*words, "--no-commands"]

    def store(self, page):
        """Metaflow's own command, with the options of the step: it knows the data store."""
        card = f"attempt{self.attempt}"
        info = {"card_uuid": card, "id": card, "type": "profrender", "rank": None, "options": {}, "customize": False,
                "is_editable": False, "is_runtime_card": False, "refresh_interval": 5}
        return [sys.executable, *self.words[:self.found["at"]], "card", "create", "/".join(self.names),
                "--type", "profrender", "--id", card, "--card-uuid", card, "--timeout", str(CARD_S),
                "--options", json.dumps({"page": page}), "--save-metadata", json.dumps(info)]


def path_with_py_spy():
    """What the recorder starts may also be next to this Python. Last, so that the step finds what it would find."""
    path = os.environ.get("PATH", os.defpath)
    return path if SCRIPTS in path.split(os.pathsep) else os.pathsep.join([path, SCRIPTS])


def run_step(task, folder, parent):
    """The exit status of the recorder, which is that of the step. It is asked to end when PARENT, a pipe, closes.

    It has a session of its own: a step that kills its process group, as some do to end their children, has a card."""
    if os.environ.get("PROFRENDER_MARKS"):  # the flow is recorded too: the step is a phase of it
        with contextlib.suppress(OSError):
            subprocess.run([task.program, "mark", "/".join(task.names[1:])], stdin=subprocess.DEVNULL, check=False)
    try:
        recorder = subprocess.Popen(task.record(folder), start_new_session=True,
                                    env={**os.environ, FOLDER: folder, "PATH": path_with_py_spy()})
    except OSError as error:  # a program for another machine
        say(f"no card: {error}")
        recorder = subprocess.Popen([sys.executable, *task.words], start_new_session=True,
                                    env={**os.environ, FOLDER: ""})

    def forward(number, _=None):
        with contextlib.suppress(ProcessLookupError):
            recorder.send_signal(number)

    def wait_for_parent():
        os.read(parent, 1)
        forward(signal.SIGTERM)

    for number in FORWARDED:
        signal.signal(number, forward)
    threading.Thread(target=wait_for_parent, daemon=True).start()
    return recorder.wait()


def make_card(task, folder):
    """True: Metaflow has the card. What goes wrong here changes nothing of the step, which has ended."""
    try:
        with tempfile.TemporaryDirectory(prefix="profile_card.") as place:
            page = os.path.join(place, "card.html")
            for command in (task.render(folder, page), task.store(page)):
                # No tracking, no settings: this is not another step.
                subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               check=True, timeout=CARD_S + 15, env={**os.environ, FOLDER: ""})
    except subprocess.CalledProcessError as error:
        say(f"no card: {' '.join(error.cmd[:3])}: {error.output.decode(errors='replace')[-2000:].strip()}")
    except (OSError, subprocess.TimeoutExpired) as error:
        say(f"no card: {error}")
    else:
        return True
    return False


def keep(task, folder, is_kept, parent):
    """Records the step and makes its card; the exit status."""
    status = run_step(task, folder, parent)
    if make_card(task, folder) and not is_kept:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        say(f"the recording is in {folder}")
    return status


def apart(work, folder):
    """WORK(pipe) in a child with a session of its own, which notices the end of this process; its exit status. FOLDER
    is all that is left if somebody kills that child."""
    theirs, ours = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        os.setsid()
        status = 125
        try:
            status = work(theirs)
        finally:
            sys.stderr.flush()
            os._exit(status)
    os.close(theirs)
    for number in FORWARDED:
        signal.signal(number, lambda number, _: os.kill(child, number))
    ended = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(ended):
        return os.WEXITSTATUS(ended)
    killer = signal.Signals(os.WTERMSIG(ended))
    say(f"no card: {killer.name} ended what makes it; the recording is in {folder}")
    return 128 + killer


def end_like(status):
    """Ends with STATUS; if a signal ended the step, by that signal, as Metaflow reports crashes by it."""
    if status > 128:
        with contextlib.suppress(ValueError, OSError):
            number = signal.Signals(status - 128)
            if number != signal.SIGKILL:
                signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
    sys.exit(status)


def run_without(task, reason):
    """The step, in place of this process."""
    say(f"no card: {reason}")
    os.environ[FOLDER] = ""
    os.execv(sys.executable, [sys.executable, *task.words])


def main():
    settings = json.loads(os.environ.pop(SETTINGS))
    task = Task(sys.argv[1:], settings)
    if not task.program:
        run_without(task, f"there is no program {settings['program']} on PATH")
    try:
        folder, is_kept = task.folder()
    except OSError as error:
        run_without(task, error)
    end_like(apart(lambda parent: keep(task, folder, is_kept, parent), folder))


if __name__ == "__main__":
    main()
