# SPDX-License-Identifier: Apache-2.0
"""samples/metaflow with Metaflow itself: a card for every task, where Metaflow's user looks for it."""

import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest
from frameworks import look, text, with_sample
from ports import free_port, is_listening

HERE = Path(__file__).resolve().parent
EXAMPLE = HERE.parent.parent / "samples/metaflow/example/sales_flow.py"
LATE_S = 60


class Flow:
    """A flow in a folder with a data store of its own."""

    def __init__(self, script, folder, programs, program):
        self.folder = folder
        self.script = shutil.copy(script, folder)
        self.programs = programs
        self.env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("METAFLOW")},
            "PATH": f"{programs}:{program.path.parent}:/usr/bin:/bin",
            "METAFLOW_USER": "tester",
            "METAFLOW_HOME": str(folder / "home"),
            "METAFLOW_DEFAULT_DATASTORE": "local",
            "METAFLOW_DEFAULT_METADATA": "local",
            "TMPDIR": str(folder / "tmp"),
        }
        (folder / "tmp").mkdir()

    def __call__(self, *words, **env):
        """(exit status, stdout and stderr) of a command of the flow."""
        done = subprocess.run([self.programs / "python", self.script, *map(str, words)], cwd=self.folder, text=True,
                              env={**self.env, **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=300)
        return done.returncode, done.stdout

    def cards(self, pathspec):
        """{id: text of the card} as they are in the data store, which takes no start of Metaflow."""
        run, step, task = [*pathspec.split("/"), "*"][:3]
        found = (self.folder / ".metaflow/mf.cards").glob(f"*/runs/{run}/steps/{step}/tasks/{task}/cards/*.html")
        return {path.stem.split("-")[1]: path.read_text(encoding="utf-8") for path in sorted(found)}

    def cards_by_command(self, pathspec):
        """The same, as `card list` and `card get` give them."""
        status, said = self("card", "list", pathspec, "--as-json")
        listed = json.loads(said[said.index("{"):]) if status == 0 and "{" in said else {"cards": []}
        found = {}
        for card in listed["cards"]:
            page = self.folder / "card.html"
            status, said = self("card", "get", pathspec, page, "--id", card["id"])
            assert status == 0, said
            found[card["id"]] = page.read_text(encoding="utf-8")
        return found

    def card_in_time(self, pathspec):
        """The only card of a task; it may be made after the flow has ended."""
        end = time.monotonic() + LATE_S
        while time.monotonic() < end:
            cards = self.cards(pathspec)
            if cards:
                assert list(cards) == ["attempt1"]
                return cards["attempt1"]
            time.sleep(1)
        raise AssertionError(f"no card of {pathspec}")

    def left_over(self):
        """Recordings that nobody removed."""
        return list((self.folder / "tmp").glob("profile_card.*"))


def state(page):
    return re.search(r'<html[^>]* data-state="(\w+)"', page)[1] if "data-state" in page[:200] else "good"


@pytest.fixture(scope="module")
def programs():
    return with_sample("metaflow", "metaflow")


@pytest.fixture(scope="module")
def make_flow(programs, program, tmp_path_factory):
    def make(script):
        return Flow(script, tmp_path_factory.mktemp(script.stem), programs, program)
    return make


def run_id(said):
    return re.search(r"run-id (\d+)", said)[1]


@pytest.fixture(scope="module")
def sales(make_flow):
    """(flow, {pathspec: cards}) of the example: mapped tasks, one of which fails at first."""
    flow = make_flow(EXAMPLE)
    status, said = flow("run")
    assert status == 0, said
    run = run_id(said)
    tasks = ("load/2", "load/3", "load/4", "total/5")
    return flow, {f"{run}/{task}": flow.cards_by_command(f"{run}/{task}") for task in tasks}


def of_task(sales, task):
    return next(cards for pathspec, cards in sales[1].items() if pathspec.endswith(task))


@pytest.mark.parametrize("task", ["load/2", "load/3", "total/5"])
def test_a_good_task_has_one_card(task, sales):
    cards = of_task(sales, task)
    assert list(cards) == ["attempt1"]
    assert "Succeeded" in text(cards["attempt1"])
    assert f"Step {task.split('/')[0]} Task {task.split('/')[1]} Attempt 1" in text(cards["attempt1"])


def test_each_attempt_of_a_retried_task_has_its_card(sales):
    first, second = of_task(sales, "load/4").values()
    assert state(first) == "failed"
    assert "FileNotFoundError: sales of the store east" in text(first)
    assert state(second) != "failed"
    assert "Succeeded" in text(second)


def test_the_card_has_time_and_allocations_and_what_the_task_used(sales):
    card = text(of_task(sales, "load/2")["attempt1"])
    for label in ("CPU time", "Peak RSS", "Peak heap", "Timeline"):
        assert label in card, label
    assert "Memory memray, every allocation" in card
    assert "speedscope profile" in card
    assert re.search(r"holds [\d.]+ MiB of the [\d.]+ MiB heap peak .* at sales_flow\.py:17", card)


def test_the_flow_is_what_it_was_without_the_cards(sales):
    flow, _ = sales
    status, said = flow("dump", next(iter(sales[1])), "--include", "sold")
    assert status == 0, said
    assert "99900000" in said


def test_recordings_are_removed_when_the_card_is_made(sales):
    assert sales[0].left_over() == []
    assert not any("in a terminal" in card for cards in sales[1].values() for card in cards.values())


# What the UI of Metaflow does with a card: an iframe without a sandbox, and its height by polling or by message.
UI = """<!doctype html><body><iframe id="card" name="card-1" src="card.html" style="width:1200px;height:750px"></iframe>
<script>
const polled = []; let told = 0;
addEventListener('message', event => {
  if (event.data.type === 'PluginHeightCheck' && event.data.name === 'card-1') told = event.data.height;
});
setInterval(() => {
  const card = document.getElementById('card');
  polled.push(card.contentWindow.document.body.scrollHeight);
  card.style.height = polled.at(-1) + 'px';
  fetch('/heights', { method: 'POST', body: JSON.stringify({ polled, told }) });
}, 1000);
</script>"""


class Heights(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and notes what the page above has posted: `polled` and `told`."""

    def do_POST(self):
        self.server.heights = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def is_settled(heights):
    """Whether four looks in a row found one height, and the card told the same."""
    last = heights["polled"][-4:]
    return len(last) == 4 and len(set(last)) == 1 and heights["told"] == last[0]


def test_the_frame_of_the_ui_becomes_as_high_as_the_card(sales, tmp_path):
    (tmp_path / "card.html").write_text(of_task(sales, "load/4")["attempt1"], encoding="utf-8")
    (tmp_path / "ui.html").write_text(UI, encoding="utf-8")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    handler = functools.partial(Heights, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.heights = {"polled": [], "told": 0}
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = subprocess.Popen([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000",
                                    f"--user-data-dir={tmp_path}/profile", "--remote-debugging-port=0",
                                    f"http://127.0.0.1:{server.server_port}/ui.html"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + LATE_S
        while time.monotonic() < end and not is_settled(server.heights):
            time.sleep(0.2)
        browser.kill()
        browser.wait()
        server.shutdown()
    assert is_settled(server.heights), server.heights
    assert server.heights["told"] > 1000


def test_card_view_opens_the_card_in_the_browser(sales, tmp_path):
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >{opened}\n', encoding="utf-8")
    browser.chmod(0o755)
    status, said = sales[0]("card", "view", "total", BROWSER=str(browser))
    assert status == 0 and opened.exists(), said
    card = look(opened.read_text(encoding="utf-8").strip())["card"]
    assert (card["title"], card["state"]) == ("SalesFlow / total", "ok")
    assert card["frames"] > 0 and card["height"] > 20


def test_card_server_shows_the_card_in_its_frame(sales):
    flow, port = sales[0], free_port()
    server = subprocess.Popen([flow.programs / "python", flow.script, "card", "server", "--port", str(port)],
                              cwd=flow.folder, env=flow.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + LATE_S
        while not is_listening(port) and time.monotonic() < end:
            time.sleep(0.2)
        card = look(f"http://127.0.0.1:{port}/")["card"]
    finally:
        server.kill()
        server.wait()
    assert (card["title"], card["state"]) == ("SalesFlow / load", "ok")
    assert card["frames"] > 0 and card["height"] > 20


@pytest.fixture(scope="module")
def cases(make_flow):
    """(flow, run id, output) of a flow whose first task kills itself."""
    flow = make_flow(HERE / "cases_flow.py")
    status, said = flow("run", "--place", flow.folder)
    assert status != 0
    return flow, run_id(said), said


def test_a_killed_task_has_a_card(cases):
    flow, run, said = cases
    card = flow.card_in_time(f"{run}/case/3")
    assert state(card) == "failed"
    assert "Ended by SIGKILL" in text(card)
    assert "Peak heap" in text(card)
    assert "30.0 MiB" in text(card)
    assert "Task failed" in said


def test_a_task_that_metaflow_ends_with_the_flow_has_a_card(cases):
    flow, run, _ = cases
    card = flow.card_in_time(f"{run}/case/2")
    assert "Ended by SIGTERM" in text(card)
    assert "30.0 MiB" in text(card)
    pid = int((flow.folder / "started").read_text(encoding="utf-8"))
    assert not Path(f"/proc/{pid}").exists()


def test_a_recording_is_kept_where_the_decorator_wants_it(cases, program):
    flow, run, _ = cases
    assert "Same view in a terminal" in flow.card_in_time(f"{run}/case/3")
    answer = program("check", flow.folder / "kept/CasesFlow" / run / "case/3/1", "--require-success",
                     "--allow-incomplete")
    assert answer.status == 1, answer
    assert "SIGKILL" in answer.out


@pytest.fixture(scope="module")
def nested(make_flow):
    """(flow, run id) of one that failed in its last step, and the run id of what resumed it."""
    flow = make_flow(HERE / "nested_flow.py")
    status, said = flow("run")
    assert status != 0
    status, resumed = flow("resume", RESUMED="1")
    assert status == 0, resumed
    return flow, run_id(said), re.search(r"\[(\d+)/last/", resumed)[1]


def test_each_task_of_a_foreach_within_a_foreach_has_its_card(nested):
    flow, run, _ = nested
    tasks = sorted(path.name for path in (flow.folder / ".metaflow/NestedFlow" / run / "leaf").glob("[0-9]*"))
    peaks = [re.search(r"Peak heap ([\d.]+) MiB", text(flow.cards(f"{run}/leaf/{task}")["attempt1"]))[1]
             for task in tasks]
    assert sorted(peaks) == ["11.0", "12.0", "21.0", "22.0"]


def test_the_card_of_a_task_with_pools_has_its_threads_and_the_memory_of_its_processes(nested):
    flow, run, _ = nested
    card = text(flow.cards(f"{run}/pools")["attempt1"])
    assert re.search(r"Peak heap 4\d\.\d MiB", card), card[:2000]  # of the threads
    assert float(re.search(r"Peak RSS ([\d.]+) MiB", card)[1]) > 150, card[:2000]  # of the processes too
    assert "loaders_" in card


def test_with_follow_fork_each_attempt_has_the_allocations_of_its_pool(nested):
    flow, run, _ = nested
    cards = flow.cards(f"{run}/forks")
    assert list(cards) == ["attempt1", "attempt2"]
    assert state(cards["attempt1"]) == "failed" and "ArithmeticError: part" in text(cards["attempt1"])
    for card in map(text, cards.values()):
        assert float(re.search(r"Peak heap ([\d.]+) MiB", card)[1]) > 50, card[:3000]
        assert "nested_flow.py" in card and "work" in card


def test_the_card_of_a_failure_that_is_caught_says_what_was_raised(nested):
    """The process ends with status 0, and so does the card; without the note nothing would tell of the failure."""
    flow, run, _ = nested
    page = flow.cards(f"{run}/caught")["attempt1"]
    card = text(page)
    assert state(page) != "failed" and "Succeeded" in card
    assert "such as @catch let the flow go on" in card, card[:2000]
    assert "LookupError: no store # called <b>\\udcff" in card, card[:2000]
    assert re.search(r"Peak heap 15\.\d MiB", card)


def test_a_run_that_is_resumed_has_the_cards_of_what_did_not_run_again(nested):
    flow, run, resumed = nested
    assert state(flow.cards(f"{run}/last")["attempt1"]) == "failed"
    assert "Succeeded" in text(flow.cards(f"{resumed}/last")["attempt1"])
    assert flow.cards_by_command(f"{resumed}/pools") == flow.cards(f"{run}/pools") != {}


@pytest.fixture
def plain(make_flow):
    return make_flow(HERE / "plain_flow.py")


def test_a_step_that_a_scheduler_starts_records_itself(plain):
    """As a container of Kubernetes, Batch or Argo does: no process of Metaflow has prepared the command."""
    options = ("--quiet", "--no-pylint", "--datastore-root", plain.folder / ".metaflow")
    status, said = plain(*options, "init", "--run-id", "argo-17", "--task-id", "t-1")
    assert status == 0, said
    status, said = plain(*options, "step", "start", "--run-id", "argo-17", "--task-id", "t-2",
                         "--input-paths", "argo-17/_parameters/t-1")
    assert status == 0, said
    card = text(plain.cards("argo-17/start/t-2")["attempt1"])
    assert "Succeeded" in card
    assert "20.0 MiB" in card


KILLS_ITS_RECORDER = """
import os, signal, time
from pathlib import Path
from metaflow import FlowSpec, profile_card, retry, step

class OrphanFlow(FlowSpec):
    @retry(times=2, minutes_between_retries=0)
    @profile_card(interval=0.05, cpu="none")
    @step
    def start(self):
        block = bytearray(20 << 20)
        time.sleep(0.3)
        if not Path("orphan").exists():
            Path("orphan").write_text(str(os.getpid()))
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(100)
        elif not Path("group").exists():
            Path("group").touch()
            os.killpg(0, signal.SIGKILL)
        self.next(self.end)

    @step
    def end(self):
        pass

if __name__ == "__main__":
    OrphanFlow()
"""


def test_a_step_ends_with_its_recorder_and_is_tried_again(make_flow, tmp_path):
    """Metaflow takes the end of the recorder for that of the task: two attempts must not run at once."""
    script = tmp_path / "orphan_flow.py"
    script.write_text(KILLS_ITS_RECORDER, encoding="utf-8")
    flow = make_flow(script)
    status, said = flow("run")
    assert status == 0, said
    pid = (flow.folder / "orphan").read_text(encoding="utf-8")
    assert not Path(f"/proc/{pid}/exe").exists()
    *killed, last = flow.cards(f"{run_id(said)}/start").values()
    assert len(killed) == 2, "also of an attempt that kills all of its process group, its recorder among them"
    for card in map(text, killed):
        assert "The recording is cut off" in card and "20.0 MiB" in card
    assert "Succeeded" in text(last)
    assert flow.left_over() == []


def test_what_makes_the_card_may_be_killed_but_not_the_status_of_the_step(plain):
    """The task had the status 0 then, and Metaflow looked in vain for what it had done."""
    done = subprocess.run([plain.programs / "python", "-c", """
import os, signal
from metaflow_extensions.profrender.plugins.recorded_step import apart
print(apart(lambda parent: os.kill(os.getpid(), signal.SIGKILL), "/tmp/x"), apart(lambda parent: 3, "/tmp/x"))
"""], env=plain.env, capture_output=True, text=True)
    assert done.stdout == "137 3\n"
    assert done.stderr == "@profile_card: no card: SIGKILL ended what makes it; the recording is in /tmp/x\n"


def test_a_step_is_a_phase_of_a_flow_that_is_recorded_as_a_whole(plain, program):
    run = plain.folder / "whole"
    command = [program.path, "record", "-q", "-o", run, "--", plain.programs / "python", plain.script, "run"]
    done = subprocess.run(command, cwd=plain.folder, env=plain.env, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stdout
    phases = program("info", "--json", run).json()["phases"]
    assert [phase["name"] for phase in phases if phase["name"]] == ["start/1"]


def test_without_memray_the_card_says_what_is_missing(plain):
    absent = plain.folder / "absent"
    absent.mkdir()
    (absent / "memray.py").write_text("raise ImportError('no memray')\n", encoding="utf-8")
    status, said = plain("run", PYTHONPATH=str(absent))
    assert status == 0, said
    card = text(plain.cards(f"{run_id(said)}/start")["attempt1"])
    assert "memray is not installed where it ran" in card
    assert "Timeline" in card


@pytest.fixture
def decorated(plain):
    """`decorated(SCRIPT)`: what it prints, which has `decorate(STEP)`. A flow more would take seconds."""
    def run(script):
        done = subprocess.run([plain.programs / "python", "-c", f"""
import cProfile, sys, memray, metaflow
from metaflow_extensions.profrender.plugins.profile_card import ProfileCard
ProfileCard.folder = "."
def decorate(step):
    return ProfileCard().task_decorate(step, None, None, 0, 0, None)
def fails():
    raise LookupError("no store")
{script}
"""], cwd=plain.folder, env=plain.env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run


def test_where_memray_cannot_start_the_step_runs_and_the_card_will_say_so(decorated):
    """It records this process already, as by a sitecustomize."""
    said = decorated("""
with memray.Tracker("other.bin"):
    print(decorate(lambda: 7)())
print(open("notes.md").read())
""")
    assert said.startswith("7\nThe allocations of this step are not on the card: memray could not start: "), said


def test_where_memray_cannot_start_the_exception_of_the_step_is_its_own(decorated):
    """Python would show it as raised "during handling" of memray's."""
    assert decorated("""
try:
    with memray.Tracker("other.bin"):
        decorate(fails)()
except LookupError as error:
    print(error, error.__context__, error.__cause__)
""") == "no store None None\n"


def test_another_profiler_of_the_step_goes_on(decorated):
    """memray would take its hook and, if that is in C as cProfile's up to Python 3.11, end the step by a TypeError."""
    said = decorated("""
called = []
def hook(frame, event, _):
    called.append(frame.f_code.co_name)
def counted():
    return 7
sys.setprofile(hook)
print(decorate(counted)())
sys.setprofile(None)
print("counted" in called)
with cProfile.Profile():
    print(decorate(counted)())
print(open("notes.md").read())
""")
    assert said.startswith("7\nTrue\n7\n"), said
    assert "memray could not start: `__main__.hook` profiles this thread already." in said


def test_what_memray_makes_of_its_end_changes_nothing_of_the_step(decorated):
    said = decorated("""
class Broken(memray.Tracker):
    def __exit__(self, *words):
        super().__exit__(*words)
        raise TypeError("no hook")
memray.Tracker = Broken
print(decorate(lambda: 7)())
try:
    decorate(fails)()
except LookupError as error:
    print(error)
print(open("notes.md").read())
""")
    assert said.startswith("7\nno store\nThe allocations of this step may be incomplete: "), said


def test_without_the_program_the_flow_runs_and_says_why_there_is_no_card(plain):
    status, said = plain("run", PATH=f"{plain.programs}:/usr/bin:/bin")
    assert status == 0, said
    assert "no card: there is no program profrender on PATH" in said
    assert plain.cards_by_command(f"{run_id(said)}/start") == {}


def test_the_program_and_py_spy_are_found_next_to_python(plain, program):
    """As from a timer, or in an image: nobody has activated the environment."""
    link = plain.programs / "profrender"
    link.symlink_to(program.path)
    try:
        status, said = plain("run", "--with", "profile_card", PATH="/usr/bin:/bin")
    finally:
        link.unlink()
    assert status == 0 and "no card" not in said, said
    assert "py-spy" not in said, said
    assert "Succeeded" in text(plain.cards(f"{run_id(said)}/end")["attempt1"])


def test_where_a_recording_has_no_place_the_flow_runs_and_says_so(plain):
    status, said = plain("run", "--with", "profile_card:keep=/proc/nowhere,cpu=none")
    assert status == 0, said
    assert "no card: [Errno 2] No such file or directory: '/proc/nowhere'" in said
    assert plain.cards(f"{run_id(said)}/end") == {}


def test_a_program_for_another_machine_leaves_the_flow_alone(plain, tmp_path):
    foreign = tmp_path / "profrender"
    foreign.write_bytes(b"\x7fELF\0\0")
    foreign.chmod(0o755)
    status, said = plain("run", PATH=f"{tmp_path}:{plain.env['PATH']}")
    assert status == 0, said
    assert "no card: [Errno 8] Exec format error" in said


def test_a_card_that_cannot_be_made_leaves_the_recording_and_the_status(plain, tmp_path):
    broken = tmp_path / "profrender"
    broken.write_text('#!/bin/sh\n[ "$1" = record ] && exec $REAL "$@"\necho no room >&2\nexit 4\n', encoding="utf-8")
    broken.chmod(0o755)
    real = shutil.which("profrender", path=plain.env["PATH"])
    status, said = plain("run", PATH=f"{tmp_path}:{plain.env['PATH']}", REAL=real)
    assert status == 0, said
    assert "no room" in said
    assert [sorted(path.name for path in folder.iterdir()) for folder in plain.left_over()] == [
        ["memray.bin", "run.json", "timeline.jsonl"]]


@pytest.mark.parametrize("option", ["interval=0.001", "interval=often", "cpu=gdb"])
def test_an_option_that_means_nothing_is_refused(option, plain):
    status, said = plain("run", "--with", f"profile_card:{option}")
    assert status != 0
    assert "@profile_card: " in said


def test_the_options_of_a_command_line_are_texts(plain):
    """`--with` brings the decorator to every step that has none."""
    status, said = plain("run", "--with", "profile_card:memory=False,cpu=none,interval=0.1")
    assert status == 0, said
    card = text(plain.cards(f"{run_id(said)}/end")["attempt1"])
    assert "Succeeded" in card
    assert "Peak heap" not in card


def test_a_step_shows_its_table_beside_what_it_used(make_flow):
    flow = make_flow(HERE / "cases_table_flow.py")
    flow.env["PYTHONPATH"] = str(HERE.parent.parent / "python")
    status, said = flow("run", "--table", HERE.parent.parent / "samples/tables/orders.csv")
    assert status == 0, said
    cards = flow.cards(f"{run_id(said)}/start/1")
    assert sorted(cards) == ["attempt1", "orders"]
    assert "Rows 121" in text(cards["orders"]) and "price" in text(cards["orders"])
    assert re.search(r"default-src 'none'; script-src 'sha256-[^']+' ;", cards["orders"])  # only what tells the height
    assert "Succeeded" in text(cards["attempt1"])
