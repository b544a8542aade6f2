# SPDX-License-Identifier: Apache-2.0
"""What Airflow's UI gets: a tab and a link at each task instance, and the pages that they lead to."""

import logging
from urllib.parse import quote, urlsplit

from airflow.configuration import conf
from airflow.plugins_manager import AirflowPlugin

from .places import TaskPlace
from .releases import IS_2, operator_link

PREFIX = "/profrender"

log = logging.getLogger(__name__)


def address(dag_id, run_id, task_id, map_index):
    """Of the page of a task instance, from the root of the server."""
    base = urlsplit(conf.get("webserver" if IS_2 else "api", "base_url", fallback="")).path.rstrip("/")
    names = "/".join(quote(str(name), safe="") for name in (dag_id, task_id, map_index, run_id))
    return f"{base}{PREFIX}/ti/{names}"


class CardLink(operator_link()):
    name = "Card"

    def get_link(self, operator, *, ti_key):
        """The server asks when somebody looks at a task instance; without an address it shows no link."""
        ids = ti_key.dag_id, ti_key.run_id, ti_key.task_id, ti_key.map_index
        try:
            return address(*ids) if TaskPlace(*ids).names() else ""
        except Exception as problem:  # whatever an object storage raises: the task instance is shown all the same
            log.warning("no link to the cards of %s: %s", ti_key.task_id, problem)
            return ""


def app():
    """Only the API server has what it needs."""
    try:
        from .server3 import app
    except ImportError:
        return []
    return [{"app": app, "url_prefix": PREFIX, "name": "profrender"}]


def blueprints():
    from .server2 import blueprint
    return [blueprint]


class ProfrenderPlugin(AirflowPlugin):
    name = "profrender"
    global_operator_extra_links = [CardLink()]
    if IS_2:
        flask_blueprints = blueprints()
    else:
        fastapi_apps = app()
        external_views = [{
            "name": "Card", "destination": "task_instance", "url_route": "profrender",
            "href": f"{PREFIX}/ti/{{DAG_ID}}/{{TASK_ID}}/{{MAP_INDEX}}/{{RUN_ID}}",
        }]
