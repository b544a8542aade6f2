# SPDX-License-Identifier: Apache-2.0
"""What the tests of `profrender publish` share: a folder of runs next to a site, and the contents of its list."""

import json
import os
import re

WAY_BACK = re.compile(rb"<nav class='site' aria-label='Other runs'>.*?</nav>\n")
RUNS_BEFORE = re.compile(rb"<dd class='s' id='pr-before-(\w+)'>(.*?)</dd>")


def without_way_back(card):
    """The bytes of a card of a site, without what leads to the other runs and compares with them: what `card` makes."""
    page = card.read_bytes()
    assert len(WAY_BACK.findall(page)) == 1 and RUNS_BEFORE.findall(page)
    return RUNS_BEFORE.sub(b"", WAY_BACK.sub(b"", page))


def said_of_the_runs_before(card):
    """What the cells of its figures say of them, as plain text: by "heap", "rss" and "time"."""
    page = card.read_bytes().decode()
    return {kind: " ".join(re.sub(r"<[^>]*>", "", said).replace("\u00a0", " ").split())
            for kind, said in re.findall(RUNS_BEFORE.pattern.decode(), page)}


class Site:
    """RUNS is published into PATH."""

    def __init__(self, program, folder):
        self.program, self.runs, self.path = program, folder / "runs", folder / "site"
        self.runs.mkdir()

    def put(self, name, content):
        path = self.runs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def publish(self, *words, **how):
        return self.program("publish", self.runs, "-o", self.path, *words, **how)

    @property
    def list_path(self):
        return self.path / "runs.json"

    def document(self):
        return json.loads(self.list_path.read_bytes())

    def entries(self):
        """{source: entry} of the runs."""
        return {run["source"]: run for run in self.document()["runs"]}

    def card(self, source):
        return self.path / self.entries()[source]["card"]

    def index(self):
        return (self.path / "index.html").read_text(encoding="utf-8")

    def files(self):
        """All names below the site, hidden ones too."""
        return {os.path.relpath(os.path.join(folder, name), self.path)
                for folder, folders, names in os.walk(self.path) for name in names + folders}

    def add(self, **entry):
        """Someone else's run in the list."""
        document = self.document() if self.list_path.exists() else {"schema": "profrender/runs/1", "runs": [],
                                                                    "ignored": []}
        document["runs"].append({"status": "ok", "name": "added", "source": "added.bin", "key": "0" * 16, **entry})
        self.list_path.parent.mkdir(parents=True, exist_ok=True)
        self.list_path.write_text(json.dumps(document))
