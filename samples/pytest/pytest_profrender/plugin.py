# SPDX-License-Identifier: Apache-2.0
"""pytest --profrender: records each test, checks its budgets, and makes cards and an index of them.

Tests run in one process or, with pytest-xdist, in several. Each leaves the run of a test as a folder below one place,
and reports its figures as properties of the test, which xdist and JUnit files carry; the main process makes the pages.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import traceback
from pathlib import Path

import pytest

from . import index, keeper, markdown, pages, program, real, tracking
from .pages import card_of, name_of, now_ms, write

PREFIX = "profrender_"  # of properties
WORK = "profrender_work"  # the key for workers of xdist
SHOWN = 5  # in the terminal
MARK = ("profrender(max_peak=..., max_leaked=..., max_allocated=..., max_allocations=..., max_duration=..., "
        "budget=...): limits of `profrender check`; with --profrender the test fails when one is broken")


def pytest_addoption(parser):
    group = parser.getgroup("profrender", "cards of tests")
    group.addoption("--profrender", action="store_true", help="record each test and make cards")
    group.addoption("--profrender-dir", metavar="DIR", default="profrender-report",
                    help="where index.html and the cards go; default: profrender-report")
    group.addoption("--profrender-cards", metavar="N", type=int, default=50,
                    help="cards for the N tests with the highest peak, and for all that failed; default: 50")
    group.addoption("--profrender-history", metavar="DIR",
                    help="compare each test with its earlier runs in DIR; a test fails when it uses more memory")
    group.addoption("--profrender-update", action="store_true",
                    help="add the tests that pass to --profrender-history")
    group.addoption("--profrender-markdown", metavar="FILE",
                    help="add the tests as a table in Markdown to FILE, such as $GITHUB_STEP_SUMMARY")
    group.addoption("--profrender-program", metavar="FILE", default="profrender",
                    help="the program, if not next to Python or on PATH")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Before pytest-memray, which reads its options here."""
    config.addinivalue_line("markers", MARK)
    if config.option.profrender_update and not config.option.profrender_history:
        raise pytest.UsageError("--profrender-update needs --profrender-history DIR")
    is_alone = getattr(config.option, "dist", "no") == "no" and not hasattr(config, "workerinput")
    if os.environ.get("PROFRENDER_MARKS") and is_alone:
        config.pluginmanager.register(Phases(config.option.profrender_program), "profrender-phases")
    if config.option.profrender:
        start(config)


class Phases:
    """Inside of `profrender record` each test is a phase, by its node id. Tests of xdist overlap: none is one."""

    def __init__(self, name):
        self.program = program.find(name)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid):
        if self.program:
            subprocess.run([self.program, "mark", nodeid], stdin=subprocess.DEVNULL, check=False)


def start(config):
    found = program.find(config.option.profrender_program)
    if not found:
        raise pytest.UsageError(f"--profrender: there is no program {config.option.profrender_program} on PATH")
    found = os.path.abspath(found)  # tests change directory
    worker = getattr(config, "workerinput", None)
    try:
        work = Path(worker[WORK] if worker else tempfile.mkdtemp(prefix="pytest-profrender."))
    except OSError as error:
        raise pytest.UsageError(f"--profrender: no folder for the recordings: {error}") from None
    if not worker:
        config.pluginmanager.register(Session(config, found, work), "profrender-session")
    if worker or getattr(config.option, "dist", "no") == "no":
        config.pluginmanager.register(Recorder(config, found, work), "profrender-recorder")
        real.keep()


def why(report):
    """The line of a failure that says most."""
    crash = getattr(report.longrepr, "reprcrash", None)  # the text of a worker of xdist would begin with its name
    said = crash.message if crash else report.longrepr if isinstance(report.longrepr, str) else report.longreprtext
    return next(iter(said.strip().splitlines()), "")


def link(config, report):
    """Names the card of a failed test, which has one in any case, in the output of pytest."""
    card = str(Path(config.option.profrender_dir) / card_of(report.nodeid))
    report.sections.append(("profrender", f"card: {card}"))
    return card


def outcome(report):
    """As pytest's own summary calls it: a test that is expected to fail is reported as skipped or passed."""
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    return report.outcome


class Test:
    """The folder of a test that runs. Where there is no room for it, the test runs all the same."""

    def __init__(self, item, work):
        self.run = work / name_of(item.nodeid)
        self.known = {"schema": "profrender/run/1", "name": item.nodeid, "start_ms": now_ms()}
        try:
            shutil.rmtree(self.run, ignore_errors=True)  # of an earlier try
            self.run.mkdir()
            write(self.run / "run.json", json.dumps(self.known))  # all there is of a test that ends its process
            self.started = keeper.started_processes and keeper.started_processes()
            self.is_recorded = True
        except OSError:
            self.is_recorded = False

    def fail(self, error):
        if not isinstance(error, (pytest.skip.Exception, pytest.exit.Exception, KeyboardInterrupt)):
            self._write("stderr.log", "".join(traceback.format_exception(type(error), error, error.__traceback__)))

    def end(self):
        capture = self.run / "memray.bin"
        note = self.started and capture.exists() and self.started.note(str(capture))
        if note:
            self._write("notes.md", f"{note}\n")
        self._write("run.json", json.dumps({**self.known, "end_ms": now_ms()}))

    def _write(self, name, text):
        with contextlib.suppress(OSError):  # a full disk: the card lacks it
            write(self.run / name, text)


class Recorder:
    """In each process that runs tests."""

    def __init__(self, config, found, work):
        self.config = config
        self.program = found
        self.work = work
        own = Path(tempfile.mkdtemp(dir=work, prefix=".process."))
        self.tracker = tracking.choose(config, own)

    def pytest_collection_modifyitems(self, items):
        for item in items:
            for mark in item.iter_markers("profrender"):
                wrong = program.wrong_budget(mark)
                if wrong:
                    raise pytest.UsageError(f"{item.nodeid}: the mark profrender {wrong}")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        with real.python():
            test = Test(item, self.work)
        if not test.is_recorded:
            return (yield)
        try:
            with self.tracker.around(item, test.run / "memray.bin"):
                return (yield)
        except BaseException as error:
            with real.python():
                test.fail(error)
            raise
        finally:
            with real.python():
                test.end()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if call.when == "call":
            with real.python():
                self._add_figures(item, report)
        report.user_properties = list(item.user_properties)
        return report

    def _add_figures(self, item, report):
        capture = self.work / name_of(item.nodeid) / "memray.bin"
        item.user_properties[:] = [known for known in item.user_properties if not known[0].startswith(PREFIX)]
        if capture.exists():
            for name, value in program.figures(self.program, capture).items():
                item.user_properties.append((f"{PREFIX}{name}", value))
        if report.passed:
            self._check(item, report, capture)
        if report.failed:
            item.user_properties.append((f"{PREFIX}card", link(self.config, report)))

    def _check(self, item, report, capture):
        limits = program.limits(list(item.iter_markers("profrender")))
        words = [*limits, *self._earlier_runs(item)]
        if limits and not capture.exists():
            said = f"no verdict: the test was not recorded: {tracking.WHY_NOT}"
        else:
            said = program.broken(self.program, capture, words, self.config.rootpath) if words else ""
        if said:
            report.outcome = "failed"
            report.longrepr = said

    def _earlier_runs(self, item):
        """Each test has a folder of its own, and runs in one process only."""
        if not self.config.option.profrender_history or not (self.work / name_of(item.nodeid) / "memray.bin").exists():
            return []
        folder = self.config.invocation_params.dir / self.config.option.profrender_history / name_of(item.nodeid)
        update = self.config.option.profrender_update
        words = program.earlier_runs(folder, update)
        if update:
            program.forget_old(folder)
        return words


class Session:
    """In the main process."""

    def __init__(self, config, found, work):
        self.config = config
        self.program = found
        self.work = work
        self.tests = {}
        self.problems = []
        self.index = None
        self.how = {"folder": str(config.invocation_params.dir / config.option.profrender_dir),
                    "root": str(config.rootpath), "cards": config.option.profrender_cards}
        self.memory = keeper.Memory()
        self.keeper = keeper.Keeper(found, work, self.how)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        node.workerinput[WORK] = str(self.work)

    def pytest_runtest_logreport(self, report):
        test = self.tests.setdefault(report.nodeid, {"test": report.nodeid, "outcome": "passed", "seconds": None})
        if report.when == "call":
            own = [known for known in report.user_properties if known[0].startswith(PREFIX)]
            test.update({name[len(PREFIX):]: value for name, value in own})
            test["seconds"] = report.duration
            test["outcome"] = outcome(report)
        elif report.failed and report.when not in ("setup", "teardown"):
            self._add_crash(test, report)
        elif report.failed:
            test["outcome"] = "error"
        elif report.skipped:
            test["outcome"] = "skipped"
        if report.failed:
            test["why"] = why(report)
        if report.when == "teardown" or test["outcome"] == "crashed":
            with real.python():
                self.keeper.note(test)

    def _add_crash(self, test, report):
        """The process of the test is gone; xdist and pytest-forked report it in its place."""
        test["outcome"] = "crashed"
        run = self.work / name_of(report.nodeid)
        if not run.is_dir():
            return
        link(self.config, report)
        number = re.search(r"CRASHED with signal (\d+)", report.longreprtext)  # xdist does not know it
        pages.end(run, report.longreprtext, number and int(number[1]), self.memory.rise())
        test.update(program.figures(self.program, run / "memray.bin"))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self):
        self.keeper.stop()
        try:
            with real.python():
                self.problems = pages.make(self.program, list(self.tests.values()), self.work, **self.how)
        except OSError as error:  # the tests have their results all the same
            self.problems = [f"no index: {error}"]
        else:
            self.index = Path(self.config.option.profrender_dir) / "index.html"
        if self.config.option.profrender_markdown:
            self._add_markdown(self.config.invocation_params.dir / self.config.option.profrender_markdown)

    def _add_markdown(self, path):
        """Steps of a job add to one summary."""
        try:
            with real.python(), path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(markdown.table(list(self.tests.values()), f"Tests of {self.config.rootpath.name}"))
        except OSError as error:
            self.problems.append(f"no table in Markdown: {error}")

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("profrender")
        measured = [test for test in index.worst_first(self.tests.values()) if test.get("peak") is not None]
        for test in measured[:SHOWN]:
            terminalreporter.write_line(f"{index.size(test['peak']):>9}  {test['test']}")
        if not measured:
            terminalreporter.write_line(f"no test was recorded: {tracking.WHY_NOT}")
        for problem in self.problems:
            terminalreporter.write_line(problem)
        if self.index:
            terminalreporter.write_line(f"all of them: {self.index}")

    def pytest_unconfigure(self):
        self.keeper.stop()  # without an end of the session, as after wrong usage
        shutil.rmtree(self.work, ignore_errors=True)
