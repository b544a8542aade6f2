# SPDX-License-Identifier: Apache-2.0
"""What Airflow's UI gets: a tab and a link at each task instance, and the pages that they lead to."""

from urllib.parse import quote, urlsplit

from airflow.configuration import conf
from airflow.plugins_manager import AirflowPlugin
from airflow.sdk import BaseOperatorLink

from .policy import MARK

PREFIX = "/profrender"


def address(dag_id, run_id, task_id, map_index):
    """Of the page of a task instance, from the root of the server."""
    base = urlsplit(conf.get("api", "base_url", fallback="")).path.rstrip("/")
    names = "/".join(quote(str(name), safe="") for name in (dag_id, task_id, map_index, run_id))
    return f"{base}{PREFIX}/ti/{names}"


class CardLink(BaseOperatorLink):
    name = "Card"

    def get_link(self, operator, *, ti_key):
        if not getattr(operator, MARK, False):
            return ""
        return address(ti_key.dag_id, ti_key.run_id, ti_key.task_id, ti_key.map_index)


def app():
    """Only the API server has what it needs."""
    try:
        from .pages import app
    except ImportError:
        return []
    return [{"app": app, "url_prefix": PREFIX, "name": "profrender"}]


class ProfrenderPlugin(AirflowPlugin):
    name = "profrender"
    global_operator_extra_links = [CardLink()]
    fastapi_apps = app()
    external_views = [{
        "name": "Card", "destination": "task_instance", "url_route": "profrender",
        "href": f"{PREFIX}/ti/{{DAG_ID}}/{{TASK_ID}}/{{MAP_INDEX}}/{{RUN_ID}}",
    }]
