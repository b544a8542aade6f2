# SPDX-License-Identifier: Apache-2.0
"""A DAG for test_airflow.py: which tasks are chosen, and tasks that do not just return."""

from datetime import datetime, timedelta, timezone

try:
    from airflow.providers.standard.triggers.temporal import DateTimeTrigger
    from airflow.sdk import BaseOperator, dag, task
    from airflow.sdk.exceptions import AirflowSkipException
except ImportError:  # Airflow 2
    from airflow.decorators import dag, task
    from airflow.exceptions import AirflowSkipException
    from airflow.models.baseoperator import BaseOperator
    from airflow.triggers.temporal import DateTimeTrigger


class Waits(BaseOperator):
    def execute(self, context):
        moment = datetime.now(timezone.utc) + timedelta(seconds=0.2)
        self.defer(trigger=DateTimeTrigger(moment=moment), method_name="later")

    def later(self, context, event=None):
        return len(bytearray(13 << 20))


@dag(schedule=None, start_date=datetime(2026, 1, 1), catchup=False)
def others():
    @task
    def chosen():
        pass

    @task
    def not_chosen():
        pass

    @task(params={"profrender": True})
    def asks():
        pass

    @task(params={"profrender": True})
    def skips():
        raise AirflowSkipException("nothing to do")

    @task.bash(params={"profrender": True})
    def fails():
        return "echo no such ledger >&2; exit 7"

    @task.bash(params={"profrender": True})
    def skips_by_status():
        return "exit 99"

    chosen()
    not_chosen()
    asks()
    skips()
    fails()
    skips_by_status()
    Waits(task_id="waits", params={"profrender": True})


others()
