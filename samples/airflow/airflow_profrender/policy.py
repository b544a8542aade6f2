# SPDX-License-Identifier: Apache-2.0
"""The cluster policy: tasks that are chosen record themselves when they are executed.

What a task does in Python is recorded by memray, in its process. A command that it starts (BashOperator, @task.bash)
runs under `profrender record`. The policy sees a task wherever its DAG is parsed, the worker among them.
"""

import logging
import shutil

import profrender
from airflow.policies import hookimpl

from . import settings
from .clock import Clock
from .places import TaskPlace

MARK = "_recorded_by_profrender"
# They end a process, not a task: Airflow goes on with it later, or has no further use for it.
NO_FAILURES = ("TaskDeferred", "AirflowRescheduleException", "AirflowSkipException", "DagRunTriggerException",
               "DownstreamTasksSkipped")

SKIPPED = "Airflow took this exit status as a reason to skip the task, not as a failure (`skip_on_exit_code`)."

log = logging.getLogger(__name__)


@hookimpl
def task_policy(task):
    if not settings.is_chosen(task):
        return
    if any(kind.__name__ == "MappedOperator" for kind in type(task).__mro__):
        task.operator_class = recording(task.operator_class)
    else:
        task.__class__ = recording(type(task))


def recording(operator):
    """
    The class OPERATOR, whose tasks record themselves.

    A class, as Airflow executes copies of a task; with the same name, as it stores that.
    """
    if getattr(operator, MARK, False):
        return operator

    def execute(self, context, *words, **named):
        return recorded(self, context, None, lambda: super(made, self).execute(context, *words, **named))

    def resume_execution(self, next_method, next_kwargs, context, *words, **named):
        def run():
            return super(made, self).resume_execution(next_method, next_kwargs, context, *words, **named)
        return recorded(self, context, next_method, run)

    same = {name: getattr(operator, name) for name in ("__module__", "__qualname__", "__doc__")}
    made = type(operator)(operator.__name__, (operator,), {
        **same, MARK: True, "execute": execute, "resume_execution": resume_execution})
    return made


def recorded(task, context, resumed, run):
    """RUN(), with a card; RESUMED is the method that a deferred task goes on with, or None. Nothing that goes wrong
    with the card, nor the time it takes, changes how the task ends."""
    clock = Clock()

    def timed():
        with clock.running():
            return run()

    with clock.stopped():
        return with_card(task, context, resumed, timed)


def with_card(task, context, resumed, run):
    prepared = prepare(context, resumed)
    if not prepared:
        return run()
    home, place, card, ids = prepared
    try:
        if hasattr(task, "subprocess_hook"):
            return run_with_command(task, place, card, ids, run)
        return run_python(place, card, ids, command_of(task, ids, resumed), run)
    finally:
        try:
            home.finish(card)
        except Exception as problem:
            log.warning("the card stays on this machine, as %s: %s", card, problem)


def prepare(context, resumed):
    """(TaskPlace, folder of the recording, path of the card, ids), or None. The task runs once this has returned: what
    went wrong here is no context of what it raises."""
    try:
        ti = context["ti"]
        index = ti.map_index if ti.map_index is not None else -1
        home = TaskPlace(ti.dag_id, ti.run_id, ti.task_id, index)
        place, card = home.start(ti.try_number, resumed is not None)
        shutil.rmtree(place, ignore_errors=True)
        home.remove(card)
        finish_killed(home)
        task_name = ti.task_id if index < 0 else f"{ti.task_id} [{index}]"
        return home, place, card, {"flow": ti.dag_id, "run": ti.run_id, "task": task_name, "attempt": ti.try_number}
    except Exception as problem:  # also whatever an object storage raises
        log.warning("no card: %s", problem)
        return None


def finish_killed(home):
    """An attempt that was killed leaves its recording, and often its card; the next one does the rest."""
    for recording, card, has_card in home.recordings():
        try:
            if not has_card:
                profrender.card(recording, card, *settings.recorder()["args"], program=settings.program(),
                                timeout=settings.RENDER_S)
        except profrender.Failed as problem:
            log.warning("no card of %s: %s", recording, problem)
            continue
        home.finish(card)
        if not settings.keeps():
            shutil.rmtree(recording, ignore_errors=True)


def command_of(task, ids, resumed):
    """What the card calls what ran: "sales.load [1] (@task)", "sales.wait (Sensor.execute_complete)". The command line
    of the process is that of a scheduler or a worker, whose fork it is."""
    operator = getattr(task, "operator_name", None) or type(task).__name__
    return [*f"{ids['flow']}.{ids['task']}".split(), f"({operator}{f'.{resumed}' if resumed else ''})"]


def run_python(place, card, ids, command, run):
    made = profrender.record(card, folder=place, ids=ids, name=f"{ids['flow']} / {ids['task']}", is_failure=is_failure,
                             command=command, **settings.recorder())
    try:
        with made:
            return run()
    finally:
        if not made.problem and not settings.keeps():
            shutil.rmtree(place, ignore_errors=True)


def run_with_command(task, place, card, ids, run):
    program = profrender.find(settings.program())
    if not program:
        log.warning("no card: there is no program %s", settings.program())
        return run()
    words = recorder_words(program, place, card, ids)
    hook = task.subprocess_hook
    run_command = hook.run_command
    hook.run_command = lambda command, *others, **named: run_command([*words, *command], *others, **named)
    note = None
    try:
        return run()
    except Exception as error:
        note = None if is_failure(error) else SKIPPED
        raise
    finally:
        hook.run_command = run_command
        finish_command(program, place, card, note)


def recorder_words(program, place, card, ids):
    words = [program, "record", "-q", "-o", str(place), "--card", str(card), "--stderr", "always", "--shared",
             "--interval", settings.interval(), "--cpu", settings.recorder()["cpu"] or "none",
             "--name", f"{ids['flow']} / {ids['task']}"]
    return words + [word for name, value in ids.items() for word in (f"--{name}", str(value))] + ["--"]


def finish_command(program, place, card, note):
    """The recorder has made the card, however the worker ends; but it knows no options of `card`, and not what its
    exit status means to Airflow."""
    args = settings.recorder()["args"]
    if (args or note) and place.is_dir():
        try:
            if note:
                (place / "notes.md").write_text(f"{note}\n", encoding="utf-8")
            profrender.card(place, card, *args, program=program)
        except (OSError, profrender.Failed) as problem:
            log.warning("the card was made without `args` and notes: %s", problem)
    if card.exists() and not settings.keeps():
        shutil.rmtree(place, ignore_errors=True)


def is_failure(error):
    names = {kind.__name__ for kind in type(error).__mro__}
    return not names & set(NO_FAILURES) and not (isinstance(error, SystemExit) and error.code in (None, 0))
