# SPDX-License-Identifier: Apache-2.0
"""record: what a block of Python code, or a function, allocates, how long it takes and how it ends."""

import contextlib
import functools
import inspect
import json
import logging
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from . import _keeper, _marks, _processes, _program
from ._frame import in_notebook

NO_MEMRAY = "The allocations are not on this card: memray is not installed where it ran."
TAKEN = "The allocations are not on this card: memray was already recording this process, or the one that forked it."
HOOKED = ("The allocations are not on this card: `{}` was profiling this thread already, and memray would have ended "
          "that, because Python has one hook for both.")
NO_ROOM = "The allocations are not on this card: the process could start no thread, or open no file, that memray needs."
NOT_STARTED = "The allocations are not on this card: memray could not start: "
NO_PY_SPY = "The time is not on this card: py-spy is not installed where it ran."
STDERR_TAIL = 65536
SPARE_FILES, SPARE_THREADS = 8, 2  # of the process: what memray and the helper need to start, and some more
COMMIT_VARIABLES = ("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "BUILDKITE_COMMIT")  # as `profrender record`

log = logging.getLogger("profrender")

_turn = threading.Lock()  # memray records a process for one at a time


class _Py_Spy:
    """py-spy, which looks at this process from outside."""

    def __init__(self, path):
        self.path = path
        found = _program.find("py-spy")
        if not found:
            raise _program.Failed(NO_PY_SPY)
        allow_tracing()
        self.process = subprocess.Popen(
            [found, "record", "--pid", str(os.getpid()), "--format", "speedscope", "--rate", "100", "--threads",
             "--output", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said = self.process.stdout.readline()  # "Sampling process ..." once it has attached

    def stop(self):
        """None, or why there is no profile."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)
        try:
            self.said += self.process.communicate(timeout=60)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
        if not os.path.exists(self.path):
            return f"The time is not on this card: py-spy: {' '.join(self.said.split())[-300:]}"
        return None


def allow_tracing():
    """Lets a child look at this process where the system allows that to parents only."""
    import ctypes
    PR_SET_PTRACER, ANY = 0x59616D61, ctypes.c_ulong(-1)
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PTRACER, ANY, 0, 0, 0)


class _Enter:
    """
    The method __enter__ of a recording, without a frame of its own.

    memray starts with the stack that it finds. Frames that return after that take frames of the caller off its stack,
    so memray must be what `with` calls. What comes before it runs when `with` looks the method up.
    """

    def __get__(self, made, kind=None):
        return made._enter() if made else lambda made: made._enter()()


class record:
    """
    Records a block, or each call of a function, and makes a card of it, also when it raises.

    card             where the card goes; default: no card is made, `folder` keeps the recording
    name             title of the card; default: the name of the function or of the card
    memory           record allocations with memray; native, python_allocators, follow_fork, interval_ms are memray's
    cpu              "py-spy" records the time of each thread too
    folder           keeps the recording there, for `profrender diff` and `check`; must be new or empty
    command          what ran, as words, where that is not the command line of this process, as in a scheduler's worker
    ids              {"flow", "run", "step", "task", "attempt", "commit"}, as known
    args             more options of `profrender card`
    root             the folder of your code, or a function in it, for args=["--source"]; default: that of the caller
    is_failure       which exceptions the card shows as failures; default: all but SystemExit with status 0 and the
                     end of a generator that is not read to its end
    program          the program, if it is not on PATH

    Nothing that goes wrong with the recording changes what the block does. It is logged as a warning of the logger
    "profrender", and `problem` is then the reason that there is no card. With `as made`, `made.page` is its text.
    """

    def __init__(self, card=None, *, name=None, memory=True, native=False, python_allocators=False, follow_fork=False,
                 interval_ms=10, cpu=None, folder=None, command=None, ids=None, args=(), root=None,
                 is_failure=None, program="profrender"):
        if cpu not in (None, "none", "py-spy"):
            raise ValueError('cpu is "py-spy" or "none"')
        if card is None and folder is None:
            raise ValueError("a card, a folder or both are needed")
        if interval_ms < 1:
            raise ValueError("interval_ms is a number of milliseconds from 1")
        self._given = dict(card=card, name=name, memory=memory, native=native, python_allocators=python_allocators,
                           follow_fork=follow_fork, interval_ms=interval_ms, cpu=cpu, folder=folder,
                           command=command, ids=ids, args=args, root=root, is_failure=is_failure, program=program)
        self.__dict__.update(self._given)
        self.root = root or folder_of(sys._getframe(1).f_globals)
        self.problem = self._card = None
        self._within = 0  # blocks of this recording that run: those after the first are part of it

    def __call__(self, function):
        if isinstance(function, (classmethod, staticmethod)):  # this one is written above that one
            return type(function)(self(function.__func__))
        if isinstance(function, type):
            raise TypeError(f"profrender.record decorates functions and methods, not a class such as "
                            f"{function.__name__}")

        @functools.wraps(function)
        def recorded(*words, **named):
            with self._again(function):
                return function(*words, **named)

        @functools.wraps(function)
        async def recorded_coroutine(*words, **named):
            with self._again(function):
                return await function(*words, **named)

        @functools.wraps(function)
        def recorded_generator(*words, **named):
            with self._again(function):
                return (yield from function(*words, **named))

        @functools.wraps(function)
        async def recorded_async_generator(*words, **named):
            with self._again(function):
                made = function(*words, **named)
                with contextlib.suppress(StopAsyncIteration):
                    value = await made.asend(None)
                    while True:  # what `yield from` does, which is not for these
                        try:
                            sent = yield value
                        except GeneratorExit:
                            await made.aclose()
                            raise
                        except BaseException as error:
                            value = await made.athrow(error)
                        else:
                            value = await made.asend(sent)
        kinds = {inspect.iscoroutinefunction: recorded_coroutine, inspect.isgeneratorfunction: recorded_generator,
                 inspect.isasyncgenfunction: recorded_async_generator}
        return next((made for is_one, made in kinds.items() if is_one(function)), recorded)

    def _again(self, function):
        return type(self)(**{**self._given, "name": self.name or getattr(function, "__qualname__", None),
                             "root": self._given["root"] or function})

    @property
    def page(self):
        """The text of the card; None: there isn't one."""
        if self.problem or not self._card or self._within:
            return None
        with open(self._card, encoding="utf-8") as page:
            return page.read()

    def _repr_html_(self):
        """For Jupyter: the last line of a cell shows the card."""
        return in_notebook(self.page) if self.page else None

    def __repr__(self):
        return f"<recording {self.name or self._name()!r}>"

    __enter__ = _Enter()

    def _enter(self):
        """Starts all but memray; then what starts memray and returns this recording, or a stand-in for it."""
        self._within += 1
        if self._within > 1:
            log.warning("a block within its own recording has no card: it is part of that")
            return lambda: self
        self._time = self._memory = self._place = self._keeper = self.problem = None
        self._notes = []
        self._has_turn = False
        tracker = self._tracker()  # first: its import may take seconds
        try:
            self._prepare()
            self._begin()
            self._memory = tracker and self._start_of(tracker)
        except (OSError, ValueError, TypeError) as error:
            self._give_up(error)
            return lambda: self
        self._process = os.getpid()
        self._keeper = _keeper.start(self._job())
        self._used = resource.getrusage(resource.RUSAGE_SELF)
        self._started = _processes.Started()
        return self._memory.__enter__ if self._memory else lambda: self

    def _start_of(self, tracker):
        """What __enter__ will start, or None: it must not fail there, where nobody could catch it."""
        try:
            if not has_room():
                raise OSError
            return tracker(
                os.path.join(self._place, "memray.bin"), native_traces=self.native, follow_fork=self.follow_fork,
                trace_python_allocators=self.python_allocators, memory_interval_ms=self.interval_ms)
        except Exception as error:  # also whatever memray makes of the machine, such as a home that it may not read
            self._notes.append(f"{NOT_STARTED}{error}" if str(error) else NO_ROOM)
            self._end_turn()
            return None

    def _give_up(self, error):
        """Before the block has begun."""
        self._say(f"cannot record: {error}")
        self._memory = None
        self._end_turn()
        if self._time:
            self._time.stop()
        if self._place:
            _marks.end(self._timeline())
            if not self.folder:
                shutil.rmtree(self._place, ignore_errors=True)

    def __exit__(self, kind, error, trace):
        self._within -= 1
        if self._within:
            return False
        if self.problem or self._process != os.getpid():  # a fork of the recorded process is none of it
            return False
        if sys.is_finalizing():  # a generator that is still open when Python ends: little of it works by now
            if self._memory:
                self._memory.__exit__(None, None, None)
            return False  # the helper makes the card
        try:
            self._end_memory()
            self._finish(error)
        except Exception as problem:  # the block ends as it did, whatever this is
            self._say(f"no card: {problem}")
        finally:
            if not self.folder:
                shutil.rmtree(self._place, ignore_errors=True)
        return False

    def _end_memory(self):
        """Before anything else: whatever this process allocates until then would be the block's, and not freed."""
        try:
            if self._memory:
                self._memory.__exit__(None, None, None)
        finally:
            self._stop_keeper()
            self._end_turn()
        if self._memory:
            self._note_processes()

    def _stop_keeper(self):
        """Its processor time is none of the block's."""
        before = _processes.used()
        if self._keeper:
            _keeper.stop(self._keeper)
        self._started.used += _processes.used() - before

    def _prepare(self):
        """Makes the folders; the block may go to another one."""
        if self.card:
            self._card = os.path.abspath(os.fsdecode(self.card))
            os.makedirs(os.path.dirname(self._card), exist_ok=True)
        if self.folder:
            os.makedirs(self.folder, exist_ok=True)
            if os.listdir(self.folder):
                raise OSError(f"the folder {os.fsdecode(self.folder)} is not empty")
        self._place = os.path.abspath(os.fsdecode(self.folder or tempfile.mkdtemp(prefix="profrender.")))
        if self.cpu == "py-spy":
            try:
                self._time = _Py_Spy(os.path.join(self._place, "cpu.speedscope.json"))
            except _program.Failed as missing:
                self._notes.append(str(missing))

    def _tracker(self):
        """memray's Tracker, if it can be used."""
        if not self.memory:
            return None
        try:
            import memray
        except ImportError:
            self._notes.append(NO_MEMRAY)
            return None
        if not is_taken() and (other := other_profiler()):  # a memray of before has the hook itself
            self._notes.append(HOOKED.format(other))
            return None
        if not self._begin_turn() or is_taken():
            self._end_turn()
            self._notes.append(TAKEN)
            return None

        class Tracker(memray.Tracker):
            def __getattr__(_, name):  # for `with record(...) as made`
                return getattr(self, name)

            def __repr__(_):
                return repr(self)

        return Tracker

    def _begin_turn(self):
        """Of two threads that ask at once, one gets memray."""
        self._has_turn = _turn.acquire(blocking=False)
        return self._has_turn

    def _end_turn(self):
        if self._has_turn:
            self._has_turn = False
            _turn.release()

    def _finish(self, error):
        end = time.time()
        _marks.end(self._timeline())
        problem = self._time and self._time.stop()
        if problem:
            self._notes.append(problem)
        failed = error is not None and (self.is_failure or is_failure)(error)
        said = "".join(traceback.format_exception(type(error), error, error.__traceback__)) if failed else ""
        self._write("stderr.log", said)
        self._write("notes.md", "\n\n".join(self._notes))
        self._write("timeline.jsonl", self._end(end, *(ending_of(error) if failed else (0, None)), said), "a")
        self._write("run.json", json.dumps({**self._run, "end_ms": int(end * 1000)}, default=str))
        if self.card:
            _program.card(self._place, self._card, *self._options(), program=self.program)

    def _note_processes(self):
        own = [self._time.process.pid] if self._time else []
        note = self._started.note(os.path.join(self._place, "memray.bin"), own)
        self._notes += [note] if note else []

    def _job(self):
        """What is to be done if this process is killed."""
        words = self.card and _program.words(self._place, self._card, *self._options(), program=self.program)
        return {"place": self._place, "start": self._start, "profile": self._time and self._time.path,
                "notes": self._notes, "card": words, "is_kept": bool(self.folder)}

    def _options(self):
        """Of `profrender card`. Commands for a terminal would name a recording that is removed, unless it is kept."""
        root = folder_of(getattr(inspect.unwrap(self.root), "__globals__", {})) if callable(self.root) else self.root
        return [*_program.with_root(self.args, root), *([] if self.folder else ["--no-commands"])]

    def _timeline(self):
        return os.path.join(self._place, "timeline.jsonl")

    def _name(self):
        return os.path.splitext(os.path.basename(os.fsdecode(self.card or self.folder)))[0]

    def _begin(self):
        """A recorder's file without samples, as those of memory are in memray's: its first line.

        Whatever ends this process, the folder then has what a card needs.
        """
        self._start = time.time()
        self._run = {"schema": "profrender/run/1", "name": self.name or self._name(), **(self.ids or {}),
                     "start_ms": int(self._start * 1000)}
        commit = next(filter(None, map(os.environ.get, COMMIT_VARIABLES)), None)
        if commit:
            self._run.setdefault("commit", commit)
        words = [self.command] if isinstance(self.command, str) else self.command or sys.argv
        start = {"type": "start", "version": 1, "t": self._start, "pid": os.getpid(), "ncpu": os.cpu_count(),
                 "argv": [str(word) for word in words]}
        self._write("run.json", json.dumps(self._run, default=str))
        self._write("timeline.jsonl", json.dumps(start) + "\n")
        _marks.begin(self._timeline(), self._start)

    def _end(self, end, status, number, said):
        """Its last line."""
        used, before = resource.getrusage(resource.RUSAGE_SELF), self._used
        rusage = {"utime": used.ru_utime - before.ru_utime, "stime": used.ru_stime - before.ru_stime,
                  "maxrss_kb": used.ru_maxrss, "majflt": used.ru_majflt - before.ru_majflt,
                  "inblock": used.ru_inblock - before.ru_inblock, "oublock": used.ru_oublock - before.ru_oublock}
        return json.dumps({"type": "end", "t": end, "wall": end - self._start, "exit": status, "signal": number,
                           "rusage": rusage, "stderr_tail": said[-STDERR_TAIL:]}) + "\n"

    def _write(self, name, text, mode="w"):
        if text:
            with open(os.path.join(self._place, name), mode, encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)

    def _say(self, problem):
        self.problem = problem
        log.warning("%s", problem)


def is_taken():
    """
    Whether memray would refuse to start, because it records this process, or did when this was forked from it.

    From its start to its end memray has a hook for new threads and, since version 1.13, attributes of Thread. Starting
    it would show that too, but each start looks at the frames of all threads, which has ended processes by SIGSEGV.
    """
    hook = getattr(threading, "_profile_hook", None)
    return hasattr(threading.Thread, "_ident") or getattr(hook, "__module__", None) == "memray._memray"


def other_profiler():
    """
    The name of what has Python's profile hook in this thread, or None.

    memray would take the hook, and raise when it gives it back to a profiler in C: cProfile up to Python 3.11,
    pyinstrument.
    """
    hook = sys.getprofile()
    if hook is None:
        return None
    named = hook if hasattr(hook, "__qualname__") else type(hook)
    return f"{named.__module__}.{named.__qualname__}"


def has_room():
    """Whether this process may open files and start threads: memray does both when it starts."""
    end = threading.Event()
    with contextlib.ExitStack() as opened:
        opened.callback(end.set)
        try:
            for _ in range(SPARE_FILES):
                opened.enter_context(open(os.devnull, "rb"))
            for _ in range(SPARE_THREADS):
                waits = threading.Thread(target=end.wait, daemon=True)
                waits.start()
                opened.callback(lambda waits=waits: (end.set(), waits.join()))
        except (OSError, RuntimeError):
            return False
    return True


def is_failure(error):
    return not (isinstance(error, GeneratorExit) or isinstance(error, SystemExit) and error.code in (None, 0))


def ending_of(error):
    """(exit status or None, signal or None) of a Python process that ERROR ends."""
    if isinstance(error, KeyboardInterrupt):
        return None, int(signal.SIGINT)
    code = error.code if isinstance(error, SystemExit) else 1
    return (code & 0xFF if isinstance(code, int) else 1), None


def folder_of(names):
    """Of the code with the globals NAMES, or of the package that it is in; None: not known."""
    path, name = names.get("__file__"), names.get("__name__") or ""
    with contextlib.suppress(OSError):  # the working directory was removed
        folder = os.path.dirname(os.path.abspath(path)) if path else os.getcwd()
        for _ in range(name.count(".") + (os.path.basename(path or "") == "__init__.py")):
            folder = os.path.dirname(folder)
        return folder
    return None
