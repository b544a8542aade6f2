# SPDX-License-Identifier: Apache-2.0
"""Cards of a task's data: what is in a table, at the task instance that had it.

    from airflow_profrender import show

    @task
    def load():
        df = pandas.read_parquet(...)
        show(df, "Orders")

A card is there as soon as show() returns, also if the task fails later.
"""

import itertools
import logging
import re

import profrender

from . import settings
from .places import TaskPlace
from .releases import current_context

log = logging.getLogger(__name__)
shown = {}  # by this process: (DAG, run, task, map index) -> names of its cards


def show(what, title=None, **options):
    """Puts a card at the task instance that runs: of a table, all that profrender.frame() takes, with its OPTIONS; or
    what profrender.frame() or profrender.sections() has made. Returns the name of the card.

    Nothing that goes wrong with it changes how the task ends: it is logged, and None is returned.
    """
    try:
        return put(current_context()["ti"], what, title, options)
    except Exception as problem:  # outside of a task; or of the table's library, the program, an object storage
        log.warning("no card of %s: %s", title or "the data", problem)
        return None


def put(ti, what, title, options):
    key = (ti.dag_id, ti.run_id, ti.task_id, ti.map_index if ti.map_index is not None else -1)
    page = what.html if is_page(what) else \
        profrender.frame(what, title or ti.task_id, **{"program": settings.program(), **options}).html
    home = TaskPlace(*key)
    names = shown.setdefault(key, set())
    card = home.data_card(free_name(f"attempt{ti.try_number}-data-{slug(title)}", names))
    card.write_text(page, encoding="utf-8")
    names.add(card.stem)
    home.finish(card)
    log.info("%s of the tab Card is %s", card.stem, title or "the data")
    return card.stem


def is_page(what):
    """Its class says so: a frame may have a column of any name."""
    return hasattr(type(what), "html") and hasattr(type(what), "embedded")


def slug(title):
    """As much of TITLE as the name of a file and an address may have."""
    return re.sub(r"[^\w-]+", "-", str(title or "")).strip("-")[:40] or "table"


def free_name(name, taken):
    """Several tables of an attempt may have one title. Cards of an earlier process are replaced."""
    ends = itertools.chain([""], (f"-{number}" for number in itertools.count(2)))
    return next(f"{name}{end}" for end in ends if f"{name}{end}" not in taken)
