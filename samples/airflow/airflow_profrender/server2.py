# SPDX-License-Identifier: Apache-2.0
"""The pages in Airflow 2's web server, for those who may read the logs of the task."""

from airflow.auth.managers.models.resource_details import DagAccessEntity
from airflow.www.auth import has_access_dag
from flask import Blueprint, Response, request

from . import pages

blueprint = Blueprint("profrender", __name__, url_prefix="/profrender")


@blueprint.get("/ti/<dag_id>/<task_id>/<map_index>/<path:run_id>")
@has_access_dag("GET", DagAccessEntity.TASK_LOGS)
def of_task(dag_id, task_id, map_index, run_id):
    status, body, headers = pages.of_task(dag_id, run_id, task_id, map_index, request.args.get("attempt", ""))
    return Response(body, status=status, headers=headers, mimetype="text/html")
