# SPDX-License-Identifier: Apache-2.0
"""Where the cards of a task are: FOLDER/DAG/RUN/TASK/MAP INDEX/attempt1.html, and attempt1 while it is recorded.

A task that was deferred goes on in another process: attempt1-part2. Cards of its data, which show() makes, are
attempt1-data-TITLE.html. FOLDER may be in object storage: recordings and cards are made in a folder of the worker, and
finished cards are moved there.
"""

import contextlib
import hashlib
import re
import stat
from pathlib import Path
from urllib.parse import quote

from . import beneath, settings
from .releases import object_storage

LONGEST = 200  # of a folder's name


def file_name(text):
    """One folder for each name: a run's name may contain anything. Who may read a card is decided by the names of its
    DAG, so long ones must not meet in one folder either; quote() writes no "%-"."""
    name = re.sub(r"^\.", "%2E", quote(str(text), safe=" +:,@()")) or "%"
    if len(name) <= LONGEST:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()
    return f"{name[:LONGEST - len(digest) - 2]}%-{digest}"


def order(name):
    """The latest attempt first; in it what was recorded, the latest part first, and then its data."""
    attempt, part, data = re.match(r"attempt(\d*)(?:-part(\d+))?(-data-.*)?", name).groups(default="")
    return -int(attempt or 0), bool(data), -int(part or 1), data


class TaskPlace:
    """Of one task of a run, mapped or not."""

    def __init__(self, dag_id, run_id, task_id, map_index=-1):
        self._names = [file_name(name)
                       for name in (dag_id, run_id, task_id, "unmapped" if map_index < 0 else map_index)]
        self.folder = Path(settings.local_folder(), *self._names)
        stored = settings.stored_folder()
        self.stored = object_storage("/".join([stored, *self._names])) if stored else None

    def start(self, attempt, is_resumed):
        """(folder for the recording, path of the card)"""
        name = f"attempt{attempt}"
        if is_resumed:
            parts = self.names()
            name = next(f"{name}-part{number}" for number in range(2, 1000) if f"{name}-part{number}" not in parts)
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / name, self.folder / f"{name}.html"

    def data_card(self, name):
        """The path of the card NAME."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / f"{name}.html"

    def remove(self, card):
        """Of an earlier run of the same attempt, and what it showed of its data."""
        for name, path in self._cards().items():
            if name.startswith(f"{card.stem}-data-"):
                path.unlink()
        card.unlink(missing_ok=True)
        if self.stored:
            with contextlib.suppress(FileNotFoundError):
                (self.stored / card.name).unlink()

    def recordings(self):
        """(recording, path of its card, whether there is a card) of attempts that nobody finished, or that are kept."""
        cards = self._cards()
        return [(path, self.folder / f"{path.name}.html", path.name in cards)
                for path in sorted(self.folder.glob("attempt*")) if path.is_dir()]

    def finish(self, card):
        """Moves a finished card to where it is looked for. What a storage raises is of many kinds."""
        if self.stored and card.is_file():
            (self.stored / card.name).write_bytes(card.read_bytes())
            card.unlink()

    def _cards(self):
        """{name: path} of the finished ones."""
        found = {path.stem: path for path in self.folder.glob("attempt*.html")}
        return {**found, **self._stored_cards()}

    def _stored_cards(self):
        if self.stored:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # without a card there is no such place
                return {path.stem: path for path in self.stored.iterdir()
                        if re.fullmatch(r"attempt.*\.html", path.name)}
        return {}

    # ---- for the pages, which follow no link -------------------------------------------------------------------------

    def _opened(self, *more):
        return beneath.folder(settings.local_folder(), *self._names, *more)

    def names(self):
        """What there are cards or recordings of, the latest first."""
        found = set(self._stored_cards())
        with contextlib.suppress(OSError), self._opened() as opened:
            for name, kind in beneath.kinds(opened).items():
                if name.startswith("attempt") and kind == stat.S_IFDIR:
                    found.add(name)
                if re.fullmatch(r"attempt.*\.html", name) and kind == stat.S_IFREG:
                    found.add(name[:-len(".html")])
        return sorted(found, key=order)

    def card(self, name):
        """The bytes of the card of one of names(); None: there isn't one."""
        if stored := self._stored_cards().get(name):
            return stored.read_bytes()
        with contextlib.suppress(OSError), self._opened() as opened:
            return beneath.read(opened, f"{name}.html")
        return None

    @contextlib.contextmanager
    def recording(self, name):
        """The path of the recording of one of names(), while it is open; None: there isn't one."""
        with contextlib.ExitStack() as stack:
            path = None
            with contextlib.suppress(OSError):
                path = beneath.path(stack.enter_context(self._opened(name)))
            yield path
