# SPDX-License-Identifier: Apache-2.0
"""The section [profrender] of airflow.cfg, or AIRFLOW__PROFRENDER__* in the environment."""

import fnmatch
import os
import re
import shlex

import profrender
from airflow.configuration import conf

SECTION = "profrender"
PARAM = "profrender"  # of a task: params={"profrender": False}
PROFILERS = ("none", "py-spy", "perf", "austin")
RENDER_S = 60  # for a card of what has been recorded so far


def text(name, default=""):
    return conf.get(SECTION, name, fallback=default).strip()


def is_on(name, default):
    return conf.getboolean(SECTION, name, fallback=default)


def home():
    return os.environ.get("AIRFLOW_HOME") or os.path.expanduser("~/airflow")


def local_folder():
    """Where recordings are, and cards too unless they go to object storage."""
    place = "" if stored_folder() else text("folder").removeprefix("file://")
    return os.path.abspath(os.path.expanduser(place or os.path.join(home(), "profrender")))


def stored_folder():
    """Where cards go in object storage, as s3://CONNECTION@BUCKET/PREFIX. Empty: to the local folder."""
    place = text("folder")
    return place.rstrip("/") if "://" in place and not place.startswith("file://") else ""


def program():
    return text("program", "profrender")


def recorder():
    """Options of profrender.record."""
    return {"memory": is_on("memory", True), "native": is_on("native", False),
            "follow_fork": is_on("follow_fork", False), "cpu": text("cpu") or None,
            "args": card_options(), "program": program()}


def card_options():
    """`args`; code is in the folder of DAGs, if this machine has it. A recording that is removed has no commands."""
    dags = conf.get("core", "dags_folder", fallback="")
    args = profrender.with_root(shlex.split(text("args")), dags if os.path.isdir(dags) else None)
    return args if keeps() else [*args, "--no-commands"]


def interval():
    """Seconds between two samples of a command. The recorder refuses others, and would not run the command."""
    given = text("interval", "0.5")
    try:
        is_right = 0.01 <= float(given) <= 86400
    except ValueError:
        is_right = False
    if not is_right:
        raise ValueError(f"[{SECTION}] interval is a number of seconds from 0.01 to 86400, not {given!r}")
    return given


def command_profiler():
    """`cpu` for a command, where perf and austin may be too."""
    given = text("cpu") or "none"
    if given not in PROFILERS:
        raise ValueError(f"[{SECTION}] cpu is {', '.join(PROFILERS)}, not {given!r}")
    return given


def keeps():
    return is_on("keep", False)


def is_chosen(task):
    """Its own word counts most; then the patterns for DAG, DAG.TASK and tag:TAG."""
    own = (getattr(task, "params", None) or {}).get(PARAM)
    if own is not None:
        return bool(own)
    dag = getattr(task, "dag", None)
    names = [task.dag_id, f"{task.dag_id}.{task.task_id}", *(f"tag:{tag}" for tag in getattr(dag, "tags", None) or [])]
    patterns = re.split(r"[\s,]+", text("tasks"))
    return any(fnmatch.fnmatchcase(name, pattern) for name in names for pattern in patterns if pattern)
