# SPDX-License-Identifier: Apache-2.0
"""samples/pytest with pytest, pytest-memray and pytest-xdist themselves: a card for each test, worst first."""

import os
import re
import shutil
import subprocess
import time
import xml.etree.ElementTree
from html import unescape
from pathlib import Path

import pytest
from control_group import limited_group, within
from frameworks import with_sample, with_wheel

EXAMPLE = Path(__file__).resolve().parent.parent.parent / "samples/pytest/example/test_orders.py"
FAILED = {"test_a_year_fits_into_its_budget", "test_an_order_without_lines", "test_an_order_that_is_missing"}
SKIPPED = "test_the_second_ledger"


class Suite:
    """A folder of tests, and how they are run."""

    def __init__(self, folder, programs, program):
        self.folder = folder
        self.programs = programs
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "MEMRAY"))}
        self.env |= {"PATH": f"{programs}:{program.path.parent}:/usr/bin:/bin", "TMPDIR": str(folder / "tmp")}
        (folder / "tmp").mkdir()
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")

    def python(self, *words, start=lambda *words: words, **env):
        """(exit status, output)"""
        done = subprocess.run(start(self.programs / "python", "-B", *map(str, words)), cwd=self.folder, text=True,
                              env={**self.env, **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=200)
        return done.returncode, done.stdout

    def __call__(self, *words, **env):
        return self.python("-m", "pytest", "-p", "no:cacheprovider", *words, **env)

    def write(self, text):
        (self.folder / "test_it.py").write_text(text, encoding="utf-8")

    def index(self):
        """[(test, outcome, peak, path of the card or None)] from top to bottom."""
        page = (self.folder / "profrender-report/index.html").read_text(encoding="utf-8")
        rows = []
        for cells in re.findall(r'<tr><td>(.*?)<td class="\w+">(\w+)<td[^>]*>([^<]*)', page):
            link = re.match(r'<a href="([^"]*)"[^>]*>(.*)</a>', cells[0])
            card = self.folder / "profrender-report" / unescape(link[1]) if link else None
            name = link[2] if link else re.match("<span[^>]*>(.*)</span>", cells[0])[1]
            rows.append((unescape(name).split("::", 1)[1], cells[1], cells[2], card))
        return rows

    def left_over(self):
        return list((self.folder / "tmp").glob("pytest-profrender.*"))


@pytest.fixture(scope="module")
def programs():
    with_wheel("pytest_plugins")
    return with_sample("pytest_plugins", "pytest")


@pytest.fixture
def suite(programs, program, tmp_path):
    return Suite(tmp_path, programs, program)


def junit(path):
    """{test: {property: value}}"""
    return {case.get("name"): {known.get("name"): known.get("value") for known in case.iter("property")}
            for case in xml.etree.ElementTree.parse(path).iter("testcase")}


WAYS = {"pytest-memray": (), "memray alone": ("-p", "no:memray"), "xdist": ("-n", "2"),
        "xdist and memray alone": ("-n", "2", "-p", "no:memray")}


@pytest.fixture(scope="module", params=WAYS, ids=lambda way: way.replace(" ", "-"))
def orders(request, programs, program, tmp_path_factory):
    """(suite, exit status, output) of the example, each way that its tests can be recorded."""
    suite = Suite(tmp_path_factory.mktemp("orders"), programs, program)
    shutil.copy(EXAMPLE, suite.folder)
    return suite, *suite("--profrender", "--junitxml=junit.xml", *WAYS[request.param])


def test_only_the_failures_of_the_example_fail(orders):
    suite, status, said = orders
    assert status == 1, said
    assert "3 failed, 5 passed, 1 skipped" in said
    assert {test for test, outcome, _, _ in suite.index() if outcome == "failed"} == FAILED


@pytest.mark.parametrize("way", ["pytest-memray", "memray alone"])
def test_another_profiler_of_a_test_goes_on(way, suite):
    """memray would take its hook and, if that is in C as cProfile's up to Python 3.11, end each test by a TypeError. It
    may begin with the session or, as pytest-profiling's, with each test."""
    suite.write("""
import sys
def test_it():
    assert sys.getprofile().__name__ == 'hook'
def test_another():
    assert len(bytearray(3 << 20)) and sys.getprofile() is None
""")
    (suite.folder / "conftest.py").write_text("""
import pytest, sys
def hook(*_):
    pass
sys.setprofile(hook)
@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    sys.setprofile(hook if item.name == "test_it" else None)
    return (yield)
""", encoding="utf-8")
    status, said = suite("--profrender", *WAYS[way])
    assert status == 0 and "2 passed" in said, said
    peaks = {test: peak for test, _, peak, _ in suite.index()}
    assert peaks == {"test_it": "", "test_another": peaks["test_another"]} and "3.0" in peaks["test_another"], peaks


def test_where_memray_cannot_start_a_failure_is_the_test_s_own(suite):
    """Python would show it as raised "during handling" of memray's."""
    suite.write("""
import memray, pytest
@pytest.fixture
def recorded(tmp_path):
    with memray.Tracker(tmp_path / "own.bin"):
        yield
def test_it(recorded):
    raise LookupError("no store")
""")
    status, said = suite("--profrender", *WAYS["memray alone"])
    assert status == 1 and "LookupError: no store" in said, said
    assert "During handling" not in said, said


def test_the_worst_is_first(orders):
    suite, _, said = orders
    rows = suite.index()
    assert len(rows) == 9
    assert rows[0][0] == "test_a_year_fits_into_its_budget"
    assert rows[1][:3] == ("test_an_order_without_lines", "failed", rows[1][2])
    assert rows[1][2].startswith("8.0") and rows[1][2].endswith(" MiB")  # its bytearray
    assert rows[-1][:3] == (SKIPPED, "skipped", "")
    assert re.search(rf"{re.escape(rows[0][2])} +test_orders.py::test_a_year", said)


def test_the_index_says_why_it_lacks_totals(orders):
    page = (orders[0].folder / "profrender-report/index.html").read_text(encoding="utf-8")
    assert ("do not record what was allocated" in page) == bool(re.search(r" MiB<td[^>]*>[^<]+<td><td>", page))


def test_each_test_that_ran_has_its_card(orders):
    suite, _, _ = orders
    for test, _, peak, card in suite.index():
        if test == SKIPPED:
            assert card is None
            continue
        page = card.read_text(encoding="utf-8")
        assert 'data-state="empty"' not in page
        assert test.rsplit("::", 1)[-1] in unescape(page)
        assert "in a terminal" not in page, "of a recording that is gone"
        assert peak.split()[0] in page, "the index and the card disagree"


def test_a_failing_test_links_its_card_which_shows_why(orders):
    suite, _, said = orders
    linked = re.findall(r"^card: (.*)$", said, re.M)
    assert len(linked) == len(FAILED)
    page = next((suite.folder / path).read_text(encoding="utf-8") for path in linked if "order_that_is_missing" in path)
    assert "IndexError: list index out of range" in page
    assert 'data-state="failed"' in page


def test_a_broken_budget_says_which_function_did_it(orders):
    _, _, said = orders
    assert re.search(r"FAIL  peak: 7\d\.\d MiB; the limit is 10MiB", said)
    assert re.search(r"MiB  orders  test_orders.py:10", said)


def test_junit_has_the_figures(orders):
    suite, _, _ = orders
    properties = junit(suite.folder / "junit.xml")
    for test in ("test_orders_are_numbered", "test_the_ledger_is_empty", "test_an_order_without_lines"):
        assert int(properties[test]["profrender_peak"]) >= 0
    assert 8 << 20 <= int(properties["test_an_order_without_lines"]["profrender_peak"]) < 9 << 20
    assert (suite.folder / properties["test_an_order_without_lines"]["profrender_card"]).exists()
    assert "profrender_peak" not in properties[SKIPPED]


def test_nothing_is_left_in_the_temporary_folder(orders):
    assert orders[0].left_over() == []


def test_without_the_option_nothing_happens(suite):
    shutil.copy(EXAMPLE, suite.folder)
    status, said = suite("-k", "year")
    assert status == 0, said
    assert not (suite.folder / "profrender-report").exists()


def test_inside_of_a_recording_each_test_is_a_phase(suite, program):
    """By its node id; tests of xdist overlap and are none, and outside of a recording nothing is written."""
    suite.write("def test_first():\n    pass\n\n\ndef test_second():\n    assert len(bytearray(30 << 20))\n")
    for words, phases in (([], ["test_it.py::test_first", "test_it.py::test_second"]), (["-n", "2"], [])):
        run = suite.folder / f"run{len(words)}"
        done = subprocess.run([program.path, "record", "-q", "-o", run, "--", suite.programs / "python", "-m", "pytest",
                               "-p", "no:cacheprovider", *words], cwd=suite.folder, env=suite.env, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=200)
        assert done.returncode == 0, done.stdout
        names = [phase["name"] for phase in program("info", "--json", run).json().get("phases", [])]
        assert [name for name in names if name] == phases


LIMITED = """
import pytest
@pytest.mark.limit_memory("1 MB")
def test_too_much():
    assert len(bytearray(30 << 20))
"""


def test_the_marks_and_the_summary_of_pytest_memray_still_work(suite):
    suite.write(LIMITED)
    status, said = suite("--profrender", "--memray", "--memray-bin-path=bins")
    assert status == 1, said
    assert "MEMRAY REPORT" in said
    assert "MEMORY PROBLEMS" in said
    assert suite.index()[0][1:3] == ("failed", "30.0 MiB")
    assert len(list((suite.folder / "bins").glob("*.bin"))) == 1


@pytest.mark.parametrize("way", ["no:memray", "memray"])
def test_a_process_that_memray_follows_already_is_left_alone(way, suite):
    suite.write("def test_it(): pass\n")
    options = ["-p", way] if way.startswith("no:") else []
    status, said = suite.python("-m", "memray", "run", "-qo", "all.bin", "-m", "pytest", "-p", "no:cacheprovider",
                                *options, "--profrender")
    assert status == 0, said
    assert "no test was recorded" in said


def test_a_session_within_a_test_passes_and_both_have_their_index(suite):
    (suite.folder / "inner.py").write_text("def test_inner(): pass\n", encoding="utf-8")
    suite.write("import pytest\ndef test_outer():\n    kept = bytearray(7 << 20)\n    assert not pytest.main("
                "['--profrender', '--profrender-dir', 'within', 'inner.py'])\n")
    status, said = suite("--profrender")
    assert status == 0, said
    (name, outcome, peak, _), = suite.index()
    assert (name, outcome) == ("test_outer", "passed") and 7 <= float(peak.removesuffix(" MiB")) < 10
    assert "inner.py::test_inner" in (suite.folder / "within/index.html").read_text(encoding="utf-8")


def test_without_memray_there_are_cards_of_failures(suite):
    absent = suite.folder / "absent"
    absent.mkdir()
    (absent / "memray.py").write_text("raise ImportError('no memray')\n", encoding="utf-8")
    suite.write("import pytest\ndef test_bad(): raise RuntimeError('no stock')\ndef test_good(): pass\n"
                "@pytest.mark.profrender(max_peak='1GiB')\ndef test_limited(): pass\n")
    status, said = suite("--profrender", "-p", "no:memray", PYTHONPATH=str(absent))
    assert "2 failed, 1 passed" in said
    assert "no verdict: the test was not recorded" in said
    cards = {test: card for test, _, _, card in suite.index()}
    assert "RuntimeError: no stock" in cards["test_bad"].read_text(encoding="utf-8")
    assert cards["test_good"] is None


def test_cards_of_the_worst_only(suite):
    suite.write("import pytest\n@pytest.mark.parametrize('size', range(6))\n"
                "def test_it(size):\n    block = bytearray((size + 1) << 20)\n    assert size != 1 and block\n")
    status, said = suite("--profrender", "--profrender-cards=2")
    assert status == 1, said
    with_card = [test for test, _, _, card in suite.index() if card]
    assert with_card == ["test_it[5]", "test_it[4]", "test_it[1]"]  # the last one failed
    assert len(list((suite.folder / "profrender-report/cards").iterdir())) == 3


def test_a_second_session_replaces_its_cards_and_nothing_else(suite):
    suite.write("def test_it(): pass\ndef test_more(): pass\n")
    mine = suite.folder / "profrender-report/cards/mine.html"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine", encoding="utf-8")
    assert suite("--profrender")[0] == 0
    assert suite("--profrender", "-k", "more")[0] == 0
    assert mine.read_text(encoding="utf-8") == "mine"
    assert len(list(mine.parent.iterdir())) == 2
    assert len(suite.index()) == 1


def test_a_fixture_that_fails_is_an_error_in_the_index(suite):
    suite.write("import pytest\n@pytest.fixture\ndef stock(): raise OSError('gone')\ndef test_it(stock): pass\n")
    status, said = suite("--profrender")
    assert status == 1, said
    assert suite.index() == [("test_it", "error", "", None)]


@pytest.mark.parametrize("mark, said_is", [("max_speed=3", "has no max_speed"), ("'3MiB'", "no positional arguments"),
                                           ("max_peak='many'", "no verdict")])
def test_a_budget_that_means_nothing_is_an_error(mark, said_is, suite):
    suite.write(f"import pytest\n@pytest.mark.profrender({mark})\ndef test_it(): pass\n")
    status, said = suite("--profrender")
    assert status != 0
    assert said_is in said


def test_the_program_is_found_next_to_python(suite):
    """As from an editor, or in an image: nobody has activated the environment."""
    suite.write("def test_it(): pass\n")
    status, said = suite("--profrender", PATH="/usr/bin:/bin")
    assert status == 0 and suite.index()[0][3].exists(), said


def test_without_the_program_pytest_says_so(suite):
    suite.write("def test_it(): pass\n")
    status, said = suite("--profrender", "--profrender-program=no-such-program")
    assert status == 4
    assert "there is no program no-such-program on PATH" in said


CRASHING = """
import ctypes, os, pytest, time
def test_good(): bytearray(3 << 20)
@pytest.mark.xfail
def test_known(): assert 0
def test_killed():
    held = bytearray(9 << 20)
    time.sleep(0.3)
    os.kill(os.getpid(), 9)
def test_bad_pointer():
    held = bytearray(5 << 20)
    ctypes.string_at(0)
"""


@pytest.mark.parametrize("way", ["--forked", "-n2"])
def test_a_test_that_takes_its_process_with_it_has_a_card_of_what_was_recorded(way, suite):
    suite.write(CRASHING)
    status, said = suite("--profrender", "-p", "no:memray", way)
    assert status == 1 and "2 failed, 1 passed, 1 xfailed" in said, said
    rows = {test: (outcome, peak.split(".")[0], card) for test, outcome, peak, card in suite.index()}
    for test, peak in (("test_killed", "9"), ("test_bad_pointer", "5")):
        outcome, shown, card = rows[test]
        assert (outcome, shown) == ("crashed", peak)
        assert re.search(rf"^card: profrender-report/cards/{card.name}$", said, re.M), said
        page = card.read_text(encoding="utf-8")
        assert f"{peak}.0" in page and f"test_it.py::{test}" in page
        assert "crashed while running" in page if way == "-n2" else "Ended by" in page
    assert rows["test_known"][0] == "xfailed"
    assert suite.left_over() == []


def test_a_crash_has_a_card_where_pytest_memray_has_written_nothing_yet(suite):
    suite.write(CRASHING)
    _, said = suite("--profrender", "--forked", "-k", "pointer")
    assert "no card" not in said
    assert [row[:3] for row in suite.index()] == [("test_bad_pointer", "crashed", "")]
    page = suite.index()[0][3].read_text(encoding="utf-8")
    assert 'data-state="failed"' in page and "SIGSEGV" in page


GREEDY = """
import time
def test_good(): bytearray(3 << 20)
def test_greedy():
    held = []
    while True:
        held.append(bytes([1]) * (10 << 20))
        time.sleep(0.005)
"""


@pytest.mark.parametrize("way", [(), ("-p", "no:memray"), ("-p", "no:memray", "-n1"), ("-p", "no:memray", "--forked")])
def test_a_session_that_the_kernel_kills_for_memory_has_its_index_and_cards(way, suite):
    suite.write(GREEDY)
    with limited_group(300 << 20) as group:
        suite("--profrender", *way, start=lambda *words: within(group, *words))
        for _ in range(300):
            if suite.left_over() == [] and (suite.folder / "profrender-report/index.html").exists():
                break
            time.sleep(0.1)
    rows = {test: (outcome, peak, card) for test, outcome, peak, card in suite.index()}
    assert (rows["test_good"][0], rows["test_greedy"][0]) == ("passed", "crashed")
    assert ("MiB" in rows["test_greedy"][1]) == bool(way)  # pytest-memray writes at the end of a test
    page = rows["test_greedy"][2].read_text(encoding="utf-8")
    assert "1 out-of-memory kill" in page or "for lack of memory meanwhile" in page
    assert suite.left_over() == []


def test_processes_that_a_test_starts_are_named_as_not_recorded(suite):
    suite.write("import subprocess, sys\n"
                "def test_it(): subprocess.run([sys.executable, '-c', 'sum(range(20_000_000))'])\n"
                "def test_alone(): bytearray(1 << 20)\n")
    suite("--profrender", "-p", "no:memray")
    pages = {test: card.read_text(encoding="utf-8") for test, _, _, card in suite.index()}
    assert "what they allocated was not recorded" in pages["test_it"]
    assert "what they allocated" not in pages["test_alone"]


def test_a_name_may_be_as_long_as_pytest_takes_it(suite):
    name = "test_" + "在庫" * 80
    suite.write(f"def {name}(): pass\n")
    status, said = suite("--profrender")
    assert status == 0, said
    assert suite.index()[0][0] == name and suite.index()[0][3].exists()


def test_where_no_report_can_be_written_the_tests_have_their_results(suite):
    suite.write("def test_good(): pass\ndef test_bad(): assert 0\n")
    status, said = suite("--profrender", "--profrender-dir", "/proc/nowhere")
    assert status == 1 and "1 failed, 1 passed" in said, said
    assert "no index: " in said and "all of them" not in said and "Traceback" not in said
    assert not suite.left_over()


MOCKS = """
import builtins, io, json, os, pathlib, shutil, signal, subprocess, sys, time
import pytest

class Unusual(BaseException):
    pass

def no(*words, **named):
    raise LookupError("a mock was called that no test calls")

@pytest.fixture
def clean():
    yield
    sys.setrecursionlimit(1000)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)

@pytest.mark.profrender(max_peak="9MiB")
@pytest.mark.parametrize("place, name", [(subprocess, "Popen"), (subprocess, "run"), (os, "stat"),
                                         (pathlib.Path, "exists"), (pathlib.Path, "mkdir"), (time, "time_ns"),
                                         (shutil, "rmtree"), (pathlib.Path, "write_text")])
def test_mock(monkeypatch, place, name):
    monkeypatch.setattr(place, name, no)
    monkeypatch.setattr(os, "environ", {})
    kept = bytearray(5 << 20)
    assert getattr(place, name) is no

@pytest.mark.profrender(max_peak="1MiB")
def test_too_much(monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", no)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    kept = bytearray(5 << 20)

@pytest.mark.parametrize("place, name", [(builtins, "open"), (io, "open"), (json, "dumps"), (json, "loads")])
def test_files(monkeypatch, place, name):
    monkeypatch.setattr(place, name, no)
    kept = bytearray(5 << 20)

def test_file_system(fs):
    fs.create_file("/made/up", contents="text")
    kept = bytearray(5 << 20)
    assert os.listdir("/made") == ["up"]

def test_unusual(monkeypatch, clean):
    monkeypatch.setattr(pathlib.Path, "open", no)
    raise Unusual("this is why")
"""


@pytest.mark.parametrize("way, chosen, passed", [
    ("pytest-memray", "mock or much", 8), ("memray alone", "mock or much", 8), ("memray alone", "files or system", 5),
    ("xdist", "mock", 8)])
def test_what_a_test_puts_in_the_place_of_python_s_own_changes_no_recording(way, chosen, passed, suite):
    """Mocks of what this plugin calls, files that are not there, signals: neither the tests nor the cards suffer."""
    suite.write(MOCKS)
    status, said = suite("--profrender", *WAYS[way], "-k", chosen)
    assert f"{passed} passed" in said and "mock was called" not in said, said
    assert ("1 failed" in said) == ("much" in chosen) == (status != 0), said
    assert ("the limit is 1MiB" in said) == ("much" in chosen), said
    for test, _, peak, card in suite.index():
        assert peak.startswith("5.0"), (test, peak)
        assert card.is_file(), test


def test_whatever_ends_a_test_is_on_its_card(suite):
    suite.write(MOCKS)
    status, said = suite("--profrender", "-p", "no:memray", "-k", "unusual")
    assert status == 1 and "1 failed" in said, said
    (_, outcome, _, card), = suite.index()
    assert outcome == "failed" and "Unusual: this is why" in unescape(card.read_text(encoding="utf-8"))


ODD = """
import pytest
def test_small(): kept = bytearray(3 << 20)
def test_large(): kept = bytearray(9 << 20)
@pytest.mark.parametrize("name", ["a|b", "[x](https://y.example)", "<b>*`_", "@team #7"])
def test_odd(name): assert name == "|no\\n# more"
@pytest.fixture
def broken(): raise LookupError("no store")
def test_unready(broken): pass
@pytest.mark.profrender(max_peak="1MiB")
def test_over(): kept = bytearray(5 << 20)
"""


@pytest.mark.parametrize("way", [(), ("-n", "2")])
def test_the_summary_of_a_job_gets_a_table_with_the_failures_first(way, suite):
    suite.write(ODD)
    summary = suite.folder / "summary.md"
    summary.write_text("Built.\n\n", encoding="utf-8")
    status, _ = suite("--profrender", "--profrender-markdown", summary, "-p", "no:memray", *way)
    assert status == 1
    before, title, empty, head, _, *rows = summary.read_text(encoding="utf-8").splitlines()[1:-1]
    assert (before, empty, head) == ("", "", "| Test | Outcome | Peak | Not freed | Time |")
    assert title.endswith("8 tests, 6 failed")
    cells = [[unescape(cell.strip()) for cell in row.strip("|").split("|")] for row in rows]
    assert [len(row) for row in cells] == [5] * 8
    assert [row[0].split("::")[1] for row in (cells[0], *cells[-2:])] == ["test_over", "test_large", "test_small"]
    assert cells[0][1].startswith("failed: FAIL peak: 5.00 MiB") and cells[0][2] == "5.00 MiB"
    assert {row[1] for row in cells if "unready" in row[0]} == {"error: LookupError: no store"}
    assert any("test_odd[[x](https://y.example)]" in row[0] and "AssertionError" in row[1] for row in cells)
    assert not re.search(r"https:|[<`*@]|[^&]#|\]\(", "".join(rows)), rows


def test_names_are_text_on_the_page(suite):
    suite.write("import pytest\n"
                "@pytest.mark.parametrize('x', ['</td><script>alert(1)</script>', '../../up', 'a' * 300])\n"
                "def test_it(x): pass\n")
    status, said = suite("--profrender")
    assert status == 0, said
    page = (suite.folder / "profrender-report/index.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert len(suite.index()) == 3
    assert all(card.parent.name == "cards" and card.exists() for *_, card in suite.index())


GROWING = """
import os, pytest
KEPT = []
def rows(size):
    return bytearray(size)
@pytest.mark.parametrize("shop", ["north", "south", "../up"])
def test_shop(shop):
    more = int(os.environ.get("MORE", "0")) if shop == "south" else 0
    assert rows((8 << 20) + more)
def test_other():
    assert len(rows(4 << 20)) and not os.environ.get("BAD")
"""


def history_of(folder, test):
    return [path for path in folder.rglob("*.prz") if test in path.parent.name]


@pytest.mark.parametrize("way", WAYS)
def test_a_test_that_uses_more_than_before_fails(way, suite):
    """Three sessions make a history; only the test that grew fails, and never becomes a part of it."""
    suite.write(GROWING)
    words = ("--profrender", "--profrender-history=before", *WAYS[way])
    for _ in range(3):
        status, said = suite(*words, "--profrender-update")
        assert status == 0, said
    before = suite.folder / "before"
    assert {len(history_of(before, test)) for test in ("north", "south", "up", "other")} == {3}
    assert all(path.resolve().is_relative_to(before) and path.stat().st_size < 20000 for path in before.rglob("*.prz"))
    status, said = suite(*words, "--profrender-update", MORE=str(600 << 10))
    assert status == 1 and "1 failed, 3 passed" in said, said
    assert "FAIL  " in said and re.search(r"rows +\(?test_it.py:5", said), said
    assert {len(history_of(before, test)) for test in ("north", "up", "other")} == {4}
    assert len(history_of(before, "south")) == 3
    status, said = suite(*words)
    assert status == 0, said
    assert len(history_of(before, "north")) == 4


def test_a_history_keeps_no_failures_and_only_the_latest_runs(suite):
    suite.write(GROWING)
    words = ("--profrender", "--profrender-history=before", "-p", "no:memray", "-k", "other")
    assert suite(*words, "--profrender-update", BAD="1")[0] == 1
    assert history_of(suite.folder / "before", "other") == []
    assert suite(*words, "--profrender-update")[0] == 0
    made, = history_of(suite.folder / "before", "other")
    for day in range(1, 32):
        shutil.copy(made, made.with_name(f"2020-01-{day:02}T00:00:00.000Z-0123456789ab.prz"))
    mine = made.with_name("mine.prz")
    shutil.copy(made, mine)
    assert suite(*words, "--profrender-update")[0] == 0
    names = sorted(path.name for path in made.parent.iterdir())
    assert mine.exists() and made.name in names and len(names) <= 32 and names[0].startswith("2020-01-03")


def test_an_update_needs_a_history(suite):
    suite.write("def test_it(): pass\n")
    status, said = suite("--profrender", "--profrender-update")
    assert status == 4 and "needs --profrender-history" in said


def test_two_sessions_may_forget_the_same_runs(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[2] / "samples/pytest")
    from pytest_profrender import program
    for number in range(40):
        (tmp_path / f"2020-01-01T00:00:{number:02}.000Z-0123456789ab.prz").touch()
    real = Path.unlink

    def after_another(path, **how):
        real(path)
        real(path, **how)
    monkeypatch.setattr(Path, "unlink", after_another)
    program.forget_old(tmp_path)
    assert min(tmp_path.iterdir()).name.startswith("2020-01-01T00:00:10")
