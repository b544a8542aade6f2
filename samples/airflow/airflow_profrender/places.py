# SPDX-License-Identifier: Apache-2.0
"""Where the cards of a task are: FOLDER/DAG/RUN/TASK/MAP INDEX/attempt1.html, and attempt1 while it is recorded.

A task that was deferred goes on in another process: attempt1-part2.
"""

import re
from pathlib import Path
from urllib.parse import quote

from . import settings


def file_name(text):
    """One folder for each name: a run's name may contain anything."""
    return re.sub(r"^\.", "%2E", quote(str(text), safe=" +:,@()"))[:200] or "%"


class TaskPlace:
    """Of one task of a run, mapped or not."""

    def __init__(self, dag_id, run_id, task_id, map_index=-1):
        names = [dag_id, run_id, task_id, "unmapped" if map_index < 0 else map_index]
        self.folder = Path(settings.folder(), *map(file_name, names))

    def start(self, attempt, is_resumed):
        """(folder for the recording, path of the card)"""
        name = f"attempt{attempt}"
        if is_resumed:
            parts = {path.stem for path in self.folder.glob(f"{name}*")}
            name = next(f"{name}-part{number}" for number in range(2, 1000) if f"{name}-part{number}" not in parts)
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / name, self.folder / f"{name}.html"

    def names(self):
        """What there are cards or recordings of, the latest first."""
        found = {path.stem for path in self.folder.glob("attempt*")}
        return sorted(found, key=lambda name: [int(number) for number in re.findall(r"\d+", name)], reverse=True)

    def find(self, name):
        """(card or None, recording or None) of one of names()."""
        if name not in self.names():
            return None, None
        card, recording = self.folder / f"{name}.html", self.folder / name
        return card if card.is_file() else None, recording if recording.is_dir() else None
