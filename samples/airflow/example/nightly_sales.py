# SPDX-License-Identifier: Apache-2.0
"""A DAG to try airflow-profrender on: Python, mapped, Bash, a retry and a failure."""

from datetime import datetime, timedelta

try:
    from airflow.sdk import dag, get_current_context, task
except ImportError:  # Airflow 2
    from airflow.decorators import dag, task
    from airflow.operators.python import get_current_context


@dag(schedule=None, start_date=datetime(2026, 1, 1), catchup=False, tags=["sales"])
def nightly_sales():
    @task
    def load(store):
        return sum(row["number"] for row in [{"store": store, "number": number} for number in range(100_000)])

    @task(retries=1, retry_delay=timedelta(seconds=1))
    def total(sold):
        table = bytearray(40 << 20)
        if get_current_context()["ti"].try_number == 1:
            raise ConnectionError("the ledger does not answer")
        return sum(sold) + len(table) * 0

    @task.bash
    def pack(sold):
        return f"seq {sold % 1000}000 | gzip | wc -c"

    @task(trigger_rule="all_done", params={"profrender": False})
    def notify():
        pass

    pack(total(load.expand(store=["north", "south"]))) >> notify()


nightly_sales()
