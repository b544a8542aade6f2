# SPDX-License-Identifier: Apache-2.0
"""The cluster policy: tasks that are chosen record themselves when they are executed.

What a task does in Python is recorded by memray, in its process. A command that it starts (BashOperator, @task.bash)
runs under `profrender record`. The policy sees a task wherever its DAG is parsed, the worker among them.
"""

import logging
import shutil
import subprocess
import tempfile

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
    prepared = prepare(task, context, resumed)
    if not prepared:
        return run()
    home, card, recorded_run = prepared
    try:
        return recorded_run(run)
    finally:
        try:
            home.finish(card)
        except Exception as problem:
            log.warning("the card stays on this machine, as %s: %s", card, problem)


def prepare(task, context, resumed):
    """(TaskPlace, path of the card, what records a function), or None. The task runs once this has returned: what went
    wrong here, in the settings too, is no context of what it raises."""
    try:
        ti = context["ti"]
        index = ti.map_index if ti.map_index is not None else -1
        home = TaskPlace(ti.dag_id, ti.run_id, ti.task_id, index)
        task_name = ti.task_id if index < 0 else f"{ti.task_id} [{index}]"
        ids = {"flow": ti.dag_id, "run": ti.run_id, "task": task_name, "attempt": ti.try_number}
        place, card = home.start(ti.try_number, resumed is not None)
        make = command_recorder if hasattr(task, "subprocess_hook") else python_recorder
        recorder = make(task, place, card, ids, resumed)
        shutil.rmtree(place, ignore_errors=True)
        home.remove(card)
        finish_killed(home)
        return home, card, recorder
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


def python_recorder(task, place, card, ids, resumed):
    made = profrender.record(card, folder=place, ids=ids, name=f"{ids['flow']} / {ids['task']}", is_failure=is_failure,
                             command=command_of(task, ids, resumed), **settings.recorder())
    keeps = settings.keeps()

    def record(run):
        try:
            with made:
                return run()
        finally:
            if not made.problem and not keeps:
                shutil.rmtree(place, ignore_errors=True)
    return record


def command_recorder(task, place, card, ids, _):
    program = profrender.find(settings.program())
    if not program:
        raise FileNotFoundError(f"there is no program {settings.program()}")
    words, args, keeps = recorder_words(program, place, card, ids), settings.recorder()["args"], settings.keeps()
    # Its last line would be the XCom of the task, which is the last line of stdout and stderr.
    log_file = tempfile.NamedTemporaryFile("r", prefix="profrender.", encoding="utf-8", errors="replace")
    words += ["--log", log_file.name]
    # One for another machine, or of a release without these options, would not run the command either.
    subprocess.run([*words, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True,
                   timeout=settings.RENDER_S)

    def record(run):
        hook, note = task.subprocess_hook, None
        run_command = hook.run_command
        hook.run_command = lambda command, *others, **named: run_command([*words, "--", *command], *others, **named)
        try:
            return run()
        except Exception as error:
            note = None if is_failure(error) else SKIPPED
            raise
        finally:
            hook.run_command = run_command
            with log_file:
                for line in log_file:
                    log.warning("%s", line.rstrip())
            finish_command(program, place, card, args, note)
            if card.exists() and not keeps:
                shutil.rmtree(place, ignore_errors=True)
    return record


def recorder_words(program, place, card, ids):
    words = [program, "record", "-q", "-o", str(place), "--card", str(card), "--stderr", "always", "--shared",
             "--interval", settings.interval(), "--cpu", settings.command_profiler(),
             "--name", f"{ids['flow']} / {ids['task']}"]
    return words + [word for name, value in ids.items() for word in (f"--{name}", str(value))]


def finish_command(program, place, card, args, note):
    """The recorder has made the card, however the worker ends; but it knows no options of `card`, and not what its
    exit status means to Airflow."""
    if (args or note) and place.is_dir():
        try:
            if note:
                (place / "notes.md").write_text(f"{note}\n", encoding="utf-8")
            profrender.card(place, card, *args, program=program)
        except (OSError, profrender.Failed) as problem:
            log.warning("the card was made without `args` and notes: %s", problem)


def is_failure(error):
    names = {kind.__name__ for kind in type(error).__mro__}
    return not names & set(NO_FAILURES) and not (isinstance(error, SystemExit) and error.code in (None, 0))
