# SPDX-License-Identifier: Apache-2.0
"""The decorator: the task runs within profrender.record, and its card becomes a deck."""

import contextlib
import functools
import inspect
import itertools
import logging
import os
import tempfile

import profrender
from flytekit import Deck, current_context
from flytekit.core.context_manager import FlyteContextManager, FlyteEntities
from flytekit.core.utils import ClassDecorator

from . import memray_words

HEIGHT = "85vh"

log = logging.getLogger(__name__)


class profile_deck(ClassDecorator):
    """
    Records what a task allocates and adds a deck with its card. Write it below `@task(enable_deck=True)`.

    native_traces            record native stacks too
    trace_python_allocators  record each object of Python's own allocator
    follow_fork              record forked children too
    memory_interval_ms       milliseconds between two samples of the resident size
    memray_html_reporter     what is open first: "flamegraph" or "table"
    memray_reporter_args     options of that reporter, such as ["--leaks"]: they choose what is open first
    cpu                      "py-spy" records the time of each thread too
    args                     options of `profrender card`, such as ["--source", "--max-size", "4MB"]
    deck                     name of the deck; default: "Profile" and the name of the function
    program                  the program profrender, if it is not next to Python or on PATH

    The first six are those of flytekit's memray_profiling.
    """

    def __init__(self, task_function=None, native_traces=False, trace_python_allocators=False, follow_fork=False,
                 memory_interval_ms=10, memray_html_reporter="flamegraph", memray_reporter_args=None, cpu=None, args=(),
                 deck=None, program="profrender"):
        own = {"state": memray_words.state(memray_html_reporter, memray_reporter_args or []), "deck": deck}
        own["recorder"] = functools.partial(
            profrender.record, native=native_traces, python_allocators=trace_python_allocators,
            follow_fork=follow_fork, interval_ms=memory_interval_ms, cpu=cpu, program=program,
            args=[*memray_words.card_options(memray_reporter_args or []), *args])
        own["recorder"]("card.html")  # wrong options are refused here, not when the task runs
        super().__init__(
            task_function, native_traces=native_traces, trace_python_allocators=trace_python_allocators,
            follow_fork=follow_fork, memory_interval_ms=memory_interval_ms, memray_html_reporter=memray_html_reporter,
            memray_reporter_args=memray_reporter_args, cpu=cpu, args=args, deck=deck, program=program)
        # That copies the attributes of what is decorated, which may be a decorator of this kind too; and so may be what
        # decorates this one: it must not take over its function from here.
        self.__dict__.pop("task_function", None)
        self.__dict__.update(own, decorated=task_function)
        if inspect.iscoroutinefunction(task_function):  # then so is this, to those who ask `inspect`
            for name in ("__code__", "__defaults__", "__kwdefaults__"):
                setattr(self, name, getattr(task_function, name))

    @property
    def task_function(self):
        return self.__dict__.get("decorated")

    @task_function.setter
    def task_function(self, function):
        self.__dict__["decorated"] = function

    def execute(self, *args, **kwargs):
        if inspect.iscoroutinefunction(self.task_function):
            return self._awaited(*args, **kwargs)
        with Shown(self) as shown, shown.recording:
            return self.task_function(*args, **kwargs)

    async def _awaited(self, *args, **kwargs):
        with Shown(self) as shown, shown.recording:
            return await self.task_function(*args, **kwargs)

    def get_extra_config(self):
        return {}


class Shown:
    """Adds the card of `recording` to the decks at the end. OF is the decorator."""

    def __init__(self, of):
        self.of = of
        self.name = of.task_function.__name__
        self.place = None
        self.recording = contextlib.nullcontext()
        try:
            self.place = tempfile.TemporaryDirectory(prefix="profile_deck.")
        except OSError as problem:  # no folder can be written, or a full disk
            log.warning("no deck: %s", problem)
        else:
            card = os.path.join(self.place.name, "card.html")
            self.recording = of.recorder(card, name=self.name, ids=names(), root=of.task_function)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if not self.place:
            return
        with self.place:
            try:
                if self.recording.page:
                    self._add(publish if kind else lambda deck: None)
            except Exception as problem:  # what the task returned or raised matters more
                log.warning("no deck: %s", problem)

    def _add(self, then):
        page = profrender.embed(self.recording.page, HEIGHT, self.of.state)
        deck = Deck(unused(self.of.deck or f"Profile {self.name}"), page)
        (publish_alone if is_mapped(self.of) else then)(deck)


def names():
    """What the task is called, for the head of the card."""
    with contextlib.suppress(Exception):  # without an execution there is nothing to name
        context = current_context()
        index = os.environ.get(os.environ.get("BATCH_JOB_ARRAY_INDEX_VAR_NAME", ""))  # of a mapped task
        return {"run": context.execution_id.name, "task": context.task_id.name + (f" [{index}]" if index else ""),
                "attempt": int(os.environ.get("FLYTE_ATTEMPT_NUMBER", "0")) + 1}
    return {}


def unused(name):
    """Of two decks with one name, Flyte shows the last. A local run has the decks of all its tasks in one list."""
    taken = {deck.name for deck in FlyteContextManager.current_context().user_space_params.decks}
    return next(tried for number in itertools.count(1)
                if (tried := name if number == 1 else f"{name} {number}") not in taken)


def publish(_):
    """Flyte writes the decks of a task that returns; those of one that fails only when they are published."""
    if current_context().enable_deck:
        Deck.publish()


def is_mapped(function):
    """map_task forgets that its task has decks."""
    tasks = (made for made in FlyteEntities.entities if function in layers(getattr(made, "task_function", None)))
    return not current_context().enable_deck and any(task.enable_deck for task in tasks)


def layers(function):
    """FUNCTION and what it decorates."""
    while function is not None:
        yield function
        function = getattr(function, "__wrapped__", None)


def publish_alone(deck):
    """Writes DECK, and none of the mapped tasks before it, to where the decks of this task would be."""
    context = FlyteContextManager.current_context()
    wanted = context.user_space_params.with_enable_deck(True)
    wanted.decks = [deck]
    state = context.execution_state.with_params(user_space_params=wanted.build())
    with FlyteContextManager.with_context(context.with_execution_state(state)):
        Deck.publish()
