# SPDX-License-Identifier: Apache-2.0
"""The pages, for those who may read the logs of the task: its cards, and a list if there are several."""

import html
import tempfile
from pathlib import Path
from urllib.parse import quote

import profrender
from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity
from airflow.api_fastapi.core_api.security import requires_access_dag
from fastapi import Depends, FastAPI
from fastapi.responses import HTMLResponse

from . import settings
from .places import TaskPlace

RENDER_S = 60
# A card runs its script with no origin: it cannot call Airflow in the name of its reader.
CARD = {"Content-Security-Policy": "sandbox allow-scripts allow-downloads"}
LIST = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"}
BOTH = {"X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-store", "Referrer-Policy": "no-referrer"}

app = FastAPI(title="profrender", docs_url=None, redoc_url=None, openapi_url=None,
              dependencies=[Depends(requires_access_dag("GET", DagAccessEntity.TASK_LOGS))])


def page(title, body, status=200):
    text = (f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(title)}</title>"
            "<style>:root{color-scheme:light dark;font:15px/1.6 system-ui,sans-serif}body{margin:2rem}</style>"
            f"<h1>{html.escape(title)}</h1>{body}")
    return HTMLResponse(text, status_code=status, headers={**LIST, **BOTH})


def index(name):
    """MAP_INDEX is not replaced in the UI's address of a task that is not mapped."""
    try:
        return int(name)
    except ValueError:
        return -1


def show(place, name):
    """The card; while the task runs, or if it was killed, of what has been recorded so far."""
    card, recording = place.find(name)
    if card:
        return HTMLResponse(card.read_bytes(), headers={**CARD, **BOTH})
    if not recording:
        return page("No card", "<p>This attempt has no card.", 404)
    with tempfile.TemporaryDirectory(prefix="profrender.") as folder:
        made = Path(folder, "card.html")
        try:
            profrender.card(recording, made, *settings.recorder()["args"], program=settings.program(),
                            timeout=RENDER_S)
        except profrender.Failed as problem:
            return page("No card yet", f"<p>There is a recording, but no card can be made of it:"
                                       f"<pre>{html.escape(str(problem))}</pre>", 404)
        return HTMLResponse(made.read_bytes(), headers={**CARD, **BOTH})


@app.get("/ti/{dag_id}/{task_id}/{map_index}/{run_id:path}")
def of_task(dag_id: str, task_id: str, map_index: str, run_id: str, attempt: str = ""):
    place = TaskPlace(dag_id, run_id, task_id, index(map_index))
    names = place.names()
    if attempt or len(names) == 1:
        return show(place, attempt or names[0])
    if not names:
        return page("No card", "<p>This task was not recorded. Which tasks are is chosen in the section "
                               "<code>[profrender]</code> of Airflow's configuration.", 404)
    links = "".join(f'<li><a href="?attempt={quote(name)}">{html.escape(name)}</a>' for name in names)
    return page(f"Cards of {task_id}", f"<ul>{links}</ul>")
