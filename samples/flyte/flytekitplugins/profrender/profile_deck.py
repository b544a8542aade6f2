# SPDX-License-Identifier: Apache-2.0
"""The decorator: the task runs within profrender.record, and its card becomes a deck."""

import contextlib
import functools
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
    program                  the program profrender, if it is not on PATH

    The first six are those of flytekit's memray_profiling.
    """

    def __init__(self, task_function=None, native_traces=False, trace_python_allocators=False, follow_fork=False,
                 memory_interval_ms=10, memray_html_reporter="flamegraph", memray_reporter_args=None, cpu=None, args=(),
                 deck=None, program="profrender"):
        self.state = memray_words.state(memray_html_reporter, memray_reporter_args or [])
        self.deck = deck
        self.recorder = functools.partial(
            profrender.record, native=native_traces, python_allocators=trace_python_allocators,
            follow_fork=follow_fork, interval_ms=memory_interval_ms, cpu=cpu, program=program,
            args=[*memray_words.card_options(memray_reporter_args or []), *args])
        self.recorder("card.html")  # wrong options are refused here, not when the task runs
        super().__init__(
            task_function, native_traces=native_traces, trace_python_allocators=trace_python_allocators,
            follow_fork=follow_fork, memory_interval_ms=memory_interval_ms, memray_html_reporter=memray_html_reporter,
            memray_reporter_args=memray_reporter_args, cpu=cpu, args=args, deck=deck, program=program)

    def execute(self, *args, **kwargs):
        name = self.task_function.__name__
        try:
            folder = tempfile.TemporaryDirectory(prefix="profile_deck.")
        except OSError as problem:  # no folder can be written, or a full disk
            log.warning("no deck: %s", problem)
            return self.task_function(*args, **kwargs)
        with folder as place:
            made = self.recorder(os.path.join(place, "card.html"), name=name, ids=names())
            try:
                with made:
                    result = self.task_function(*args, **kwargs)
            except BaseException:
                self._add(made, name, publish)
                raise
            self._add(made, name, lambda deck: None)
            return result

    def _add(self, made, name, then):
        try:
            if made.page:
                deck = Deck(unused(self.deck or f"Profile {name}"), profrender.embed(made.page, HEIGHT, self.state))
                (publish_alone if is_mapped(self) else then)(deck)
        except Exception as problem:  # what the task returned or raised matters more
            log.warning("no deck: %s", problem)

    def get_extra_config(self):
        return {}


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
    tasks = (made for made in FlyteEntities.entities if getattr(made, "task_function", None) is function)
    return not current_context().enable_deck and any(task.enable_deck for task in tasks)


def publish_alone(deck):
    """Writes DECK, and none of the mapped tasks before it, to where the decks of this task would be."""
    context = FlyteContextManager.current_context()
    wanted = context.user_space_params.with_enable_deck(True)
    wanted.decks = [deck]
    state = context.execution_state.with_params(user_space_params=wanted.build())
    with FlyteContextManager.with_context(context.with_execution_state(state)):
        Deck.publish()
