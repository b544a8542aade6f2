# SPDX-License-Identifier: Apache-2.0
"""The pages: the cards of a task, and a list if there are several. Who may read them is decided by who asks for them.

server3.py asks in Airflow 3, server2.py in Airflow 2.
"""

import html
import tempfile
from pathlib import Path
from urllib.parse import quote

import profrender

from . import settings
from .places import TaskPlace

# A card runs its script with no origin: it cannot call Airflow in the name of its reader.
CARD = {"Content-Security-Policy": "sandbox allow-scripts allow-downloads"}
LIST = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"}
BOTH = {"X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-store", "Referrer-Policy": "no-referrer"}


def page(title, body, status=200):
    text = (f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(title)}</title>"
            "<style>:root{color-scheme:light dark;font:15px/1.6 system-ui,sans-serif}body{margin:2rem}</style>"
            f"<h1>{html.escape(title)}</h1>{body}")
    return status, text.encode(), {**LIST, **BOTH}


def index(name):
    """MAP_INDEX is not replaced in the UI's address of a task that is not mapped."""
    try:
        return int(name)
    except ValueError:
        return -1


def words(name):
    """"attempt1" or "attempt1: Orders"."""
    attempt, data, title = name.partition("-data-")
    return f"{attempt}: {title}" if data else name


def show(place, name):
    """The card of one of the place's names; while the task runs, or if it was killed, of what was recorded so far."""
    card = place.card(name)
    if card:
        return 200, card, {**CARD, **BOTH}
    with place.recording(name) as recording:
        return of_recording(recording) if recording else page("No card", "<p>This attempt has no card.", 404)


def of_recording(recording):
    with tempfile.TemporaryDirectory(prefix="profrender.") as folder:
        made = Path(folder, "card.html")
        try:
            profrender.card(recording, made, *settings.recorder()["args"], program=settings.program(),
                            timeout=settings.RENDER_S)
        except profrender.Failed as problem:
            return page("No card yet", f"<p>There is a recording, but no card can be made of it:"
                                       f"<pre>{html.escape(str(problem))}</pre>", 404)
        return 200, made.read_bytes(), {**CARD, **BOTH}


def of_task(dag_id, run_id, task_id, map_index, attempt):
    """(status, bytes of a page, headers)"""
    place = TaskPlace(dag_id, run_id, task_id, index(map_index))
    names = place.names()
    if attempt and attempt not in names:
        return page("No card", "<p>This attempt has no card.", 404)
    if attempt or len(names) == 1:
        return show(place, attempt or names[0])
    if not names:
        return page("No card", "<p>Nothing was recorded: this task is not chosen in the section <code>[profrender]"
                               "</code> of Airflow's configuration, or its own code has not run.", 404)
    links = "".join(f'<li><a href="?attempt={quote(name)}">{html.escape(words(name))}</a>' for name in names)
    return page(f"Cards of {task_id}", f"<ul>{links}</ul>")
