# SPDX-License-Identifier: Apache-2.0
"""The pages in Airflow 3's API server, for those who may read the logs of the task."""

from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity
from airflow.api_fastapi.core_api.security import requires_access_dag
from fastapi import Depends, FastAPI
from fastapi.responses import HTMLResponse

from . import pages

app = FastAPI(title="profrender", docs_url=None, redoc_url=None, openapi_url=None,
              dependencies=[Depends(requires_access_dag("GET", DagAccessEntity.TASK_LOGS))])


@app.get("/ti/{dag_id}/{task_id}/{map_index}/{run_id:path}")
def of_task(dag_id: str, task_id: str, map_index: str, run_id: str, attempt: str = ""):
    status, body, headers = pages.of_task(dag_id, run_id, task_id, map_index, attempt)
    return HTMLResponse(body, status_code=status, headers=headers)
