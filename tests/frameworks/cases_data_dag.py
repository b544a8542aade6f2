# SPDX-License-Identifier: Apache-2.0
"""A DAG for test_airflow.py: tasks that show their data. Frames are those of the libraries that are installed."""

import importlib.util
from datetime import datetime, timedelta

import profrender
from airflow_profrender import show

try:
    from airflow.sdk import dag, get_current_context, task
except ImportError:  # Airflow 2
    from airflow.decorators import dag, task
    from airflow.operators.python import get_current_context

ROWS = {"price": [1.5, 2.5, None], "html": ["<b>", "y", "z"]}


@dag(schedule=None, start_date=datetime(2026, 1, 1), catchup=False)
def tables():
    @task
    def frame(library):
        module = importlib.import_module(library)
        return show(module.DataFrame(ROWS), f"Orders of {library}")

    @task
    def mapped(number):
        show([{"n": number}, {"n": 7}], "Part")

    @task
    def fails_before():
        raise ValueError("no table")

    @task
    def fails_after():
        show(ROWS, "Orders")
        raise ValueError("the ledger is empty")

    @task(retries=1, retry_delay=timedelta(seconds=1))
    def retried():
        attempt = get_current_context()["ti"].try_number
        show([{"attempt": attempt}] * 2, "Orders")
        if attempt == 1:
            raise ConnectionError("once more")

    @task(params={"profrender": True})
    def recorded():
        show(profrender.sections("All", "# What sold", ROWS), "All")
        return [show(ROWS, "Two/../times"), show(ROWS, "Two/../times", redact=True), show(3, "No table")]

    for library in ("pandas", "polars"):
        if importlib.util.find_spec(library):
            frame.override(task_id=f"of_{library}")(library)
    mapped.expand(number=[1, 2])
    fails_before()
    fails_after()
    retried()
    recorded()


tables()
