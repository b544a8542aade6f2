# SPDX-License-Identifier: Apache-2.0
"""The pages of a session: cards of tests, from the folder that each test has left, and their index."""

import hashlib
import json
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import index, program

LONGEST = 100  # bytes of the readable part of a name
DIGITS = 8  # of the hash in the name of a card


def name_of(nodeid):
    """A file name that says which test it is, and that no two tests share."""
    readable = re.sub(r"[^\w.-]+", "-", nodeid).encode()[-LONGEST:].decode(errors="ignore").strip("-.")
    return f"{readable}-{hashlib.sha256(nodeid.encode(errors='surrogateescape')).hexdigest()[:DIGITS]}"


def card_of(nodeid):
    return f"cards/{name_of(nodeid)}.html"


def now_ms():
    return time.time_ns() // 1_000_000


def write(path, text):
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def end(run, said, signal, memory):
    """Of a test whose process is gone: what is known of that, in the folder RUN. MEMORY: see keeper.Memory."""
    if memory.get("cgroup_oom_kill") and not signal:
        said += "\n\nThe kernel killed a process of its control group for lack of memory meanwhile."
    write(run / "notes.md", f"{said}\n")
    if signal or memory.get("cgroup_oom_kill"):
        start = json.loads((run / "run.json").read_text(encoding="utf-8"))["start_ms"] / 1000
        lines = [{"type": "start", "version": 1, "t": start},
                 {"type": "end", "t": now_ms() / 1000, "exit": None, "signal": signal, "oom": memory}]
        write(run / "timeline.jsonl", "\n".join(map(json.dumps, lines)) + "\n")


def chosen(tests, work, cards):
    """The tests that get a card: the CARDS worst, and all that failed."""
    found = [test for test in index.worst_first(tests) if (work / name_of(test["test"])).is_dir()]
    worst = [test["test"] for test in found if test.get("peak") is not None][:cards]
    return [test for test in found if test["test"] in worst or test["outcome"] in index.BAD]


def make(found, tests, work, folder, root, cards):
    """Writes the index and the cards of TESTS below FOLDER, by the program FOUND. Returns what went wrong."""
    folder, work, problems = Path(folder), Path(work), []
    (folder / "cards").mkdir(parents=True, exist_ok=True)
    for old in (folder / "cards").glob(f"*-{'[0-9a-f]' * DIGITS}.html"):  # of the session before
        old.unlink()

    def make_card(test):
        card = card_of(test["test"])
        problem = program.make_card(found, work / name_of(test["test"]), folder / card, root)
        if problem:
            problems.append(f"no card of {test['test']}: {problem}")
        test["card"] = None if problem else card

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(make_card, chosen(tests, work, cards)))
    write(folder / "index.html", index.page(tests, f"Tests of {Path(root).name}"))
    return problems
