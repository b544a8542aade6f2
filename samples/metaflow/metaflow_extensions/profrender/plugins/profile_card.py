# SPDX-License-Identifier: Apache-2.0
"""@profile_card: records a step from outside, its allocations from inside, and makes a card of both."""

import contextlib
import ctypes
import functools
import json
import os
import signal
import sys
import textwrap
import traceback

from metaflow.decorators import StepDecorator
from metaflow.exception import MetaflowException

from . import recorded_step

CPU_TOOLS = ("none", "py-spy", "perf", "austin")
MEMRAY_FILE = "memray.bin"
NO_MEMRAY = "The allocations of this step are not on the card: memray is not installed where it ran."
NOT_STARTED = "The allocations of this step are not on the card: memray could not start"
NOT_ENDED = "The allocations of this step may be incomplete: memray could not end properly"
RAISED = "The step raised an exception, and a decorator such as `@catch` let the flow go on, so the task has succeeded:"


def is_on(value):
    """`--with profile_card:memory=False` gives the text."""
    return str(value).lower() not in ("false", "no", "0", "none", "")


def command_line():
    """The words that started this process, options of the interpreter among them."""
    words = getattr(sys, "orig_argv", None)
    return [sys.executable, *words[1:]] if words else [sys.executable, "-u", *sys.argv]


def end_with_the_recorder():
    """Metaflow takes the end of the recorder for that of the task: no other attempt may run at once with this one."""
    PR_SET_PDEATHSIG = 1
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def started_processes():
    """Tells of processes that memray does not follow; None where the Python module of profrender is not installed."""
    try:
        from profrender import started_processes as started
    except ImportError:
        return None
    return started()


def refuse_a_second_profiler():
    """Python has one profile hook. memray would take it from another profiler, and cannot give it back to one in C."""
    other = sys.getprofile()
    if other is not None:
        named = other if hasattr(other, "__qualname__") else type(other)
        raise RuntimeError(f"`{named.__module__}.{named.__qualname__}` profiles this thread already")


class ProfileCard(StepDecorator):
    """
    Adds a card to each task of a step: processor, memory, disk, network and threads over time, the flame graphs of
    its time and its allocations, and how it ended. The card is there for failed, killed and retried tasks too.

    Parameters
    ----------
    interval : float, default 0.5
        Seconds between two samples of what the task uses.
    cpu : str, default "py-spy"
        What profiles the task's time: "py-spy", "perf", "austin" or "none". It is left out if it isn't installed.
    memory : bool, default True
        Record the allocations of the step's code with memray, if it is installed.
    native : bool, default False
        Record the native stacks of allocations too.
    follow_fork : bool, default False
        Record the allocations of processes that the step forks too.
    args : List[str], default []
        More options of `profrender card`, such as "--source" or "--redact-paths".
    keep : str, optional, default None
        A folder that keeps the recording: KEEP/FLOW/RUN/STEP/TASK/ATTEMPT, for `profrender diff` and `check`.
    program : str, default "profrender"
        The program, if it is not next to Python or on PATH.
    """

    name = "profile_card"
    defaults = {
        "interval": 0.5,
        "cpu": "py-spy",
        "memory": True,
        "native": False,
        "follow_fork": False,
        "args": [],
        "keep": None,
        "program": "profrender",
    }

    folder = None  # of the recording that this process is part of
    raised = None  # the exception that ended the step's code

    def step_init(self, flow, graph, step_name, decorators, environment, flow_datastore, logger):
        self._check()
        self.flow_name = flow.name
        if recorded_step.FOLDER in os.environ:
            # Not for the processes that the step starts: a flow within a flow has recordings of its own.
            ProfileCard.folder = os.environ.pop(recorded_step.FOLDER)
            if ProfileCard.folder:
                end_with_the_recorder()
        elif ProfileCard.folder is None and recorded_step.task_words(sys.argv).get("step") == step_name:
            # Started by a scheduler of its own, as in a container: nobody has called runtime_step_cli.
            words = command_line()
            os.environ[recorded_step.SETTINGS] = self._settings()
            os.execv(words[0], self._recorded(words))

    def runtime_step_cli(self, cli_args, retry_count, max_user_code_retries, ubf_context):
        if cli_args.commands == ["step"]:
            cli_args.entrypoint = self._recorded(cli_args.entrypoint)
            cli_args.env[recorded_step.SETTINGS] = self._settings()

    def task_decorate(self, step_func, flow, graph, retry_count, max_user_code_retries, ubf_context):
        if not self.folder or not is_on(self.attributes["memory"]):
            return step_func
        try:
            import memray
        except ImportError:
            self._note(NO_MEMRAY)
            return step_func

        @functools.wraps(step_func)
        def recorded(*inputs):
            path = os.path.join(self.folder, MEMRAY_FILE)
            process, started = os.getpid(), started_processes()
            try:  # a tracker of this process, a full disk, no thread left, ...
                refuse_a_second_profiler()
                tracker = memray.Tracker(path, native_traces=is_on(self.attributes["native"]),
                                         follow_fork=is_on(self.attributes["follow_fork"]))
                tracker.__enter__()  # not in a function: memray would lose this frame when it returns
            except Exception as error:
                tracker = None
                self._note(f"{NOT_STARTED}: {error}.")
            try:
                return step_func(*inputs)
            finally:
                if tracker:
                    self._end(tracker)
                    note = started and process == os.getpid() and started.note(path)
                    if note:
                        self._note(note)
        return recorded

    def _end(self, tracker):
        """Whatever memray makes of that, the step has ended as it did."""
        try:
            tracker.__exit__(None, None, None)
        except Exception as error:
            self._note(f"{NOT_ENDED}: {error}.")

    def task_exception(self, exception, *_):
        self.raised = exception

    def task_finished(self, step_name, flow, graph, is_task_ok, *_):
        if self.folder and self.raised is not None and is_task_ok:
            words = "".join(traceback.format_exception_only(type(self.raised), self.raised))
            self._note(f"{RAISED}\n\n{textwrap.indent(words, '    ')}")

    def _note(self, text):
        """On the card. What cannot be written changes nothing else."""
        path = os.path.join(self.folder, "notes.md")
        with contextlib.suppress(OSError), open(path, "a", encoding="utf-8", errors="backslashreplace") as notes:
            notes.write(f"{text}\n\n")

    def _check(self):
        if self.attributes["cpu"] not in CPU_TOOLS:
            raise MetaflowException(f"@profile_card: cpu is one of {', '.join(CPU_TOOLS)}")
        try:
            if not 0.01 <= float(self.attributes["interval"]) <= 86400:  # the recorder would run no step
                raise ValueError
        except (TypeError, ValueError):
            raise MetaflowException("@profile_card: interval is a number of seconds from 0.01 to 86400") from None

    def _settings(self):
        return json.dumps({**self.attributes, "flow": self.flow_name})

    @staticmethod
    def _recorded(words):
        """The same Python first: decorators such as @conda replace it."""
        return [words[0], recorded_step.__file__, *words[1:]]
