# SPDX-License-Identifier: Apache-2.0
"""samples/flyte with flytekit itself: a deck for every task, in a local run and by the command of a container."""

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from frameworks import assert_alone, has_code, look, with_sample, with_wheel

EXAMPLE = Path(__file__).resolve().parent.parent.parent / "samples/flyte/example/sales.py"
RESOLVER = "flytekit.core.python_auto_container.default_task_resolver"
MAP_RESOLVER = "flytekit.core.array_node_map_task.ArrayNodeMapTaskResolver"
INPUTS = """
import json, sys
from typing import List
from flytekit.core import utils
from flytekit.core.context_manager import FlyteContextManager
from flytekit.core.type_engine import TypeEngine
from flytekit.models.literals import LiteralMap
value = json.loads(sys.argv[2])
kind = List[int] if isinstance(value, list) else int
context = FlyteContextManager.current_context()
literal = TypeEngine.to_literal(context, value, kind, TypeEngine.to_literal_type(kind))
utils.write_proto_to_file(LiteralMap({sys.argv[1]: literal}).to_flyte_idl(), "inputs.pb")
"""


@pytest.fixture(scope="module")
def programs():
    with_wheel("flyte")
    return with_sample("flyte", "flyte")


class Project:
    def __init__(self, programs, folder):
        self.programs = programs
        self.folder = folder
        self.tasks = shutil.copy(EXAMPLE, folder)
        self.env = {**{name: value for name, value in os.environ.items() if not name.startswith("FLYTE")},
                    "PATH": "/usr/bin:/bin", "TMPDIR": str(folder / "tmp"), "HOME": str(folder)}
        (folder / "tmp").mkdir()

    def __call__(self, program, *words, **env):
        """(exit status, output)"""
        done = subprocess.run([self.programs / program, *map(str, words)], cwd=self.folder, text=True,
                              env={**self.env, **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=300)
        return done.returncode, done.stdout

    def run(self, *words, **env):
        """(exit status, output, decks in the order in which they were written) of `pyflyte run`."""
        status, said = self("pyflyte", "run", self.tasks, *words, **env)
        decks = sorted((self.folder / "tmp").rglob("deck.html"), key=lambda deck: deck.stat().st_mtime_ns)
        return status, said, [deck.as_uri() for deck in decks]

    def container(self, task, name, value, index=None):
        """The folder that a container of TASK writes; INDEX: of one of the tasks that are mapped over VALUE."""
        self("python", "-c", INPUTS, name, json.dumps(value))
        out = self.folder / f"out{index}"
        how = ["--inputs", "inputs.pb", "--output-prefix", out, "--raw-output-data-prefix", self.folder / "raw"]
        of_task = [RESOLVER, "task-module", "sales", "task-name", task]
        command = ["pyflyte-execute", *how, "--resolver", of_task[0], "--", *of_task[1:]]
        if index is not None:
            command = ["pyflyte-map-execute", *how, "--resolver", MAP_RESOLVER, "--", "vars", "", "resolver", *of_task]
        self(*command, PYTHONPATH=str(self.folder), FLYTE_INTERNAL_EXECUTION_ID="f17x",
             FLYTE_INTERNAL_TASK_NAME=f"sales.{task}", FLYTE_ATTEMPT_NUMBER="1",
             BATCH_JOB_ARRAY_INDEX_VAR_NAME="INDEX", **({} if index is None else {"INDEX": str(index)}))
        return out

    def left_over(self):
        """Files that are not Flyte's own."""
        return [path for path in self.folder.rglob("*") if "profile_deck" in path.name or path.suffix == ".bin"]


@pytest.fixture
def project(programs, tmp_path):
    return Project(programs, tmp_path)


@pytest.fixture(scope="module")
def sales(programs, tmp_path_factory):
    """The workflow of the example: two mapped tasks, a table of leaks, and a task that fails."""
    project = Project(programs, tmp_path_factory.mktemp("sales"))
    return project, *project.run("sales")


def tab(name):
    return f"#flyte-frame-tabs li:text-is('{name}')"


def test_a_workflow_that_fails_still_fails(sales):
    _, status, said, decks = sales
    assert status != 0
    assert "list index out of range" in said
    mapped, last = decks[:2], decks[2:]
    assert len(last) == 2
    for deck, name in zip(mapped, ("Profile load", "Profile load 2")):
        assert look(deck, click=tab(name))["card"]["title"] == "load"


def test_the_card_of_a_failing_task_is_in_its_deck(sales):
    seen = look(sales[3][-1], click=tab("Profile publish"))
    card = seen["card"]
    assert (card["title"], card["state"], card["tab"]) == ("Failed: publish", "failed", "peak")
    assert "IndexError: list index out of range" in card["text"]
    assert re.search(r"Peak heap\s+20\.0\s+MiB", card["text"])
    assert card["frames"] > 0 and card["height"] > 20
    assert_alone(card)


@pytest.mark.parametrize("name", ["Profile load", "Profile load 2"])
def test_mapped_tasks_have_a_card_each(name, sales):
    card = look(sales[3][-1], click=tab(name))["card"]
    assert (card["title"], card["state"]) == ("load", "ok")
    assert re.search(r"load.*sales\.py", card["text"])
    assert card["frames"] > 0 and card["height"] > 20


def test_the_options_of_memrays_reporters_choose_what_is_open(sales):
    card = look(sales[3][-2], click=tab("Profile total"), scheme="dark")["card"]
    assert (card["tab"], card["table"]) == ("leaks", True)
    assert "not freed at the end" in card["text"]
    assert card["rows"] > 1
    assert max(map(int, re.findall(r"\d+", card["background"]))) < 60, "not dark"


def test_a_deck_asks_the_network_for_nothing_of_ours(sales):
    other = [url for url in look(sales[3][-1])["requests"] if not url.startswith(("file:", "data:", "blob:", "about:"))]
    assert other == [url for url in other if "fonts" in url]  # of Flyte's own page


def test_nothing_is_left_in_the_folders_of_the_task(sales):
    assert sales[0].left_over() == []


@pytest.mark.parametrize("sold, state", [(5, "ok"), (99, "failed")])
def test_in_a_container_of_a_cluster_the_deck_goes_where_the_outputs_go(sold, state, project):
    out = project.container("publish", "sold", sold)
    assert (out / "deck.html").exists(), list(out.iterdir())
    assert (out / "outputs.pb").exists() == (state == "ok")
    card = look((out / "deck.html").as_uri())["card"]
    assert (card["title"], card["state"]) == ("publish" if state == "ok" else "Failed: publish", state)
    assert "f17x / sales.publish" in card["text"]
    assert re.search(r"publish.{1,200}at sales\.py:26", " ".join(card["text"].split())), card["text"]


@pytest.mark.parametrize("index, state", [(1, "ok"), (0, "failed")])
def test_a_mapped_task_of_a_cluster_has_a_deck_although_flyte_forgets_that_it_has_one(index, state, project):
    tasks = Path(project.tasks)
    broken = "    if store == 7:\n        raise ValueError(store)\n    return sum(row"
    tasks.write_text(tasks.read_text(encoding="utf-8").replace("    return sum(row", broken, 1), encoding="utf-8")
    out = project.container("load", "store", [7, 2], index)
    assert (out / "deck.html").exists(), list(out.iterdir())
    card = look((out / "deck.html").as_uri())["card"]
    assert (card["state"], f"f17x / sales.load [{index}]" in card["text"]) == (state, True), card["text"][:500]


CACHED = """
from flytekit import task, workflow
from flytekitplugins.profrender import profile_deck

@task(enable_deck=True, deck_fields=(), cache=True, cache_version="1")
@profile_deck
def load(store: int) -> int:
    return len(bytearray(store << 20))

@workflow
def twice(store: int = 3) -> int:
    return load(store=store)
"""


def test_a_cached_task_does_not_run_and_keeps_the_deck_of_the_run_that_it_comes_from(project):
    Path(project.tasks).write_text(CACHED, encoding="utf-8")
    _, _, first = project.run("twice")
    status, said, both = project.run("twice")
    assert status == 0 and str(3 << 20) in said, said
    assert len(first) == 1 and both == first


def test_without_the_program_the_task_runs_and_says_why_there_is_no_card(project):
    hidden = 'import profrender._program; profrender._program.find = lambda name: None\n'
    Path(project.tasks).write_text(hidden + Path(project.tasks).read_text(encoding="utf-8"), encoding="utf-8")
    status, said, decks = project.run("total", "--sold", "[1, 2]")
    assert status == 0, said
    assert "no card: there is no program profrender on PATH" in said
    assert "<iframe" not in Path(decks[0].removeprefix("file://")).read_text(encoding="utf-8")


POOL = """
import multiprocessing
import time
from flytekit import task
from flytekitplugins.profrender import profile_deck

def part(number: int) -> int:
    held = bytearray(50 << 20)
    time.sleep(0.3)
    return number // (number - 2) + len(held)

@task(enable_deck=True, deck_fields=(), retries=2)
@profile_deck(follow_fork=True)
def parts(first: int) -> int:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return sum(pool.map(part, [first, first + 1], chunksize=1))
"""


@pytest.mark.parametrize("first, state", [(5, "damaged"), (1, "failed")])
def test_a_pool_of_processes_is_on_the_card_with_follow_fork(first, state, project):
    Path(project.tasks).write_text(POOL, encoding="utf-8")
    status, said, decks = project.run("parts", "--first", first)
    assert (status == 0) == (state != "failed"), said
    seen = look(decks[-1], click=tab("Profile parts"))["card"]
    assert seen["state"] == state, seen["text"][:2000]  # damaged: `with` kills the processes of a pool
    assert "of 2 that it forked are on the card" in seen["text"]
    assert "part" in seen["text"] and float(re.search(r"Peak heap\s+([\d.]+)\s+MiB", seen["text"])[1]) > 50
    assert ("ZeroDivisionError" in seen["text"]) == (state == "failed")


AWAITED = """
import asyncio
from flytekit import task
from flytekitplugins.profrender import profile_deck

@task(enable_deck=True, deck_fields=())
@profile_deck(memray_reporter_args=["--confidential-files", "none"])
async def later(megabytes: int) -> int:
    held = bytearray(megabytes << 20)
    await asyncio.sleep(0.01)
    return len(held) // (megabytes - 3)
"""


@pytest.mark.parametrize("megabytes, state", [(9, "ok"), (3, "failed")])
def test_a_task_that_is_awaited_has_a_deck(megabytes, state, project):
    Path(project.tasks).write_text(AWAITED, encoding="utf-8")
    status, said, decks = project.run("later", "--megabytes", megabytes)
    assert (status == 0) == (state == "ok"), said
    card = look(decks[-1], click=tab("Profile later"))["card"]
    assert (card["state"], card["frames"] > 0) == (state, True)
    page = Path(decks[-1].removeprefix("file://")).read_text(encoding="utf-8")
    assert has_code(html.unescape(page)), "the option that puts the code into the card"
    peak = re.search(r"Peak heap\s+([\d.]+)\s+MiB", card["text"])
    # Python may ask for an arena of 1 MiB in the meantime
    assert peak and megabytes <= float(peak[1]) < megabytes + 2, card["text"][:1500]
    assert project.left_over() == []


DECORATED = """
from flytekit import task
from flytekit.core.utils import ClassDecorator
from flytekitplugins.profrender import profile_deck

class Loud(ClassDecorator):
    def __init__(self, task_function=None, word=""):
        self.word = word
        super().__init__(task_function, word=word)
        self.word = word
    def execute(self, *words, **named):
        print("loud", self.word)
        return self.task_function(*words, **named)
    def get_extra_config(self):
        return {}

@task(enable_deck=True, deck_fields=())
@Loud(word="over")
@profile_deck(deck="outer")
@Loud(word="under")
@profile_deck(deck="inner")
def load(megabytes: int) -> int:
    return len(bytearray(megabytes << 20))
"""


def test_other_decorators_of_flytekit_s_kind_keep_their_place(project):
    """Each copies all attributes of the one below it, the function that it calls among them."""
    Path(project.tasks).write_text(DECORATED, encoding="utf-8")
    status, said, decks = project.run("load", "--megabytes", 7)
    assert status == 0 and re.findall("loud (\\w+)", said) == ["over", "under"], said
    assert re.search(r"Peak heap\s+7\.0", look(decks[-1], click=tab("outer"))["card"]["text"])
    page = Path(decks[-1].removeprefix("file://")).read_text(encoding="utf-8")
    assert "memray was already recording this process" in html.unescape(page)


TABLES = """
import pandas as pd
import polars as pl
from flytekit import Deck, task
from flytekitplugins.profrender import BoxRenderer, FrameProfilingRenderer, GanttChartRenderer, TableRenderer

@task(enable_deck=True)
def tables() -> int:
    times = pd.to_datetime(["2026-01-01 10:00", "2026-01-01 10:05", "2026-01-01 10:07"])
    df = pd.DataFrame({"Start": times, "Finish": times + pd.Timedelta("3min"), "Name": ["load", "fit", "<b>"],
                       "price": [1.5, 2.5, None]})
    frames = {"pandas": df, "polars": pl.from_pandas(df)}
    frames["pyarrow"] = frames["polars"].to_arrow()
    for who, frame in frames.items():
        Deck(f"{who} profile", FrameProfilingRenderer("Sales").to_html(frame))
        Deck(f"{who} table", TableRenderer().to_html(frame, header_labels=list("abcd"), table_width=700))
        Deck(f"{who} box", BoxRenderer("price").to_html(frame))
        Deck(f"{who} gantt", GanttChartRenderer().to_html(frame, chart_width=700))
    return len(df)
"""


def test_renderers_of_tables_take_frames_of_pandas_polars_and_pyarrow(project):
    Path(project.tasks).write_text(TABLES, encoding="utf-8")
    status, said, decks = project.run("tables")
    assert status == 0, said
    deck = Path(decks[-1].removeprefix("file://")).read_text(encoding="utf-8")
    pages = [html.unescape(page) for page in re.findall(r'srcdoc="([^"]*)"', deck)]
    assert len(pages) == 12 and all(page.startswith("<!doctype html>") and "<script" not in page for page in pages)
    titles = [re.search(r"<title>([^<]*)", page)[1] for page in pages]
    for title in ("Sales", "Table", "price", "Gantt"):
        assert sum(title in found for found in titles) == 3, titles
    plain = [re.sub(r"[\d.,]+ (B|KiB)\b", "", page) for page in pages]  # the size of the stream
    assert plain[:4] == plain[4:8] == plain[8:], "pandas, polars and pyarrow differ"


OPTIONS = """
import sys
from flytekitplugins.profrender import profile_deck
from flytekitplugins.profrender.memray_words import card_options, state
assert state("flamegraph", []) == "tab=peak"
assert state("flamegraph", ["--leaks", "--inverted"]) == "tab=leaks&order=callers"
assert state("flamegraph", ["--temporary-allocation-threshold 3"]) == "tab=temporary"
assert state("flamegraph", ["--temporary-allocations", "--split-threads"]) == "tab=temporary&split=1"
assert state("table", ["--leaks", "--no-web"]) == "tab=leaks&view=table"
assert card_options(["--max-memory-records=90", "--confidential-files", "none"]) == ["--bins", "90", "--source"]
for wrong in (dict(memray_html_reporter="summary"), dict(memray_reporter_args=["--leaks", "--temporary-allocations"]),
              dict(memray_reporter_args=["; touch x"]), dict(memray_reporter_args="--leaks"), dict(cpu="gdb"),
              dict(memray_reporter_args=[3])):
    try:
        profile_deck(**wrong)
    except ValueError:
        continue
    sys.exit(f"accepted: {wrong}")
"""


def test_options_mean_what_they_mean_for_memray_and_wrong_ones_are_refused_at_once(project):
    status, said = project("python", "-c", OPTIONS)
    assert status == 0, said
