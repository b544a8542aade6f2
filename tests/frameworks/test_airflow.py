# SPDX-License-Identifier: Apache-2.0
"""samples/airflow with Airflow itself: cards of Python, mapped, retried, deferred and Bash tasks, behind its login."""

import json
import os
import re
import subprocess
from urllib.parse import quote

import pytest
from airflow_home import Server, airflow_of, page
from frameworks import assert_alone, has_code, look, text
from packages import environment
from stores import BUCKET, REGION, Store

PASSWORD = "only-for-this-test"


@pytest.fixture(scope="module")
def airflow(tmp_path_factory):
    folder = tmp_path_factory.mktemp("airflow")
    passwords = folder / "passwords.json"
    passwords.write_text(json.dumps({"someone": PASSWORD}), encoding="utf-8")
    return airflow_of("airflow", folder, AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS="someone:viewer",
                      AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE=str(passwords),
                      AIRFLOW__API_AUTH__JWT_SECRET="x" * 64)


def test_each_task_that_is_chosen_has_a_card_for_each_attempt(sales):
    run, cards, said = sales
    assert sorted(cards) == ["load/0/attempt1", "load/1/attempt1", "pack/unmapped/attempt1", "total/unmapped/attempt1",
                             "total/unmapped/attempt2"], said[-3000:]


def test_the_card_of_a_python_task_has_its_allocations(sales):
    run, cards, _ = sales
    card = cards["total/unmapped/attempt2"]
    assert f"nightly_sales / {run} / total" in card and "Succeeded" in card
    # On a slow machine it is seen to be filled, and to stay so.
    assert re.search(r"(total (holds|fills) 40\.0 MiB|40\.0 MiB from total) .{1,250}nightly_sales\.py:\d+", card), card
    assert "load [1]" in cards["load/1/attempt1"]


def test_the_command_of_a_card_is_the_task_not_the_process_that_airflow_runs_it_in(sales, cases):
    """Each of these ran in the process of `airflow dags test`, as others do in forks of `airflow scheduler`."""
    _, cards, _ = sales
    commands = {name: card.replace(" ", "") for name, card in {**cards, **cases[1]}.items()}
    for name, words in (("total/unmapped/attempt1", "nightly_sales.total(@task)"),
                        ("load/1/attempt1", "nightly_sales.load[1](@task)"),
                        ("waits/unmapped/attempt1", "others.waits(Waits)"),
                        ("waits/unmapped/attempt1-part2", "others.waits(Waits.later)"),
                        ("pack/unmapped/attempt1", "bash-cseq"), ("fails/unmapped/attempt1", "bash-cechonosuchledger")):
        assert words in commands[name], (name, commands[name][:800])
        assert "airflowdagstest" not in commands[name], name


def test_a_failed_attempt_shows_why_and_what_it_held(sales):
    card = sales[1]["total/unmapped/attempt1"]
    assert "ConnectionError : the ledger does not answer" in card
    assert "40.0 MiB" in card


def test_a_command_is_recorded_with_all_that_it_starts(sales):
    card = sales[1]["pack/unmapped/attempt1"]
    assert "Succeeded" in card and "gzip" in card
    assert "Timeline" in card and "Processes" in card


def test_tasks_are_chosen_by_dag_task_tag_or_their_own_word(cases):
    _, cards, said = cases
    assert {name.split("/")[0] for name in cards} == {"chosen", "asks", "waits", "skips", "skips_by_status",
                                                      "fails"}, said[-3000:]


def test_what_is_deferred_or_skipped_has_not_failed(cases):
    _, cards, _ = cases
    assert sorted(name for name in cards if "waits" in name) == ["waits/unmapped/attempt1",
                                                                 "waits/unmapped/attempt1-part2"]
    for name in ("waits/unmapped/attempt1", "waits/unmapped/attempt1-part2", "skips/unmapped/attempt1"):
        assert "Succeeded" in cards[name], name
    assert "13.0 MiB" in cards["waits/unmapped/attempt1-part2"]


def test_a_command_that_fails_has_its_card(cases):
    card = cases[1]["fails/unmapped/attempt1"]
    assert "Exit status 7" in card
    assert "no such ledger" in card


def test_a_command_that_skips_its_task_has_a_card_that_says_so(cases):
    card = cases[1]["skips_by_status/unmapped/attempt1"]
    assert "Exit status 99" in card and "a reason to skip the task, not as a failure" in card


def test_recordings_are_removed_when_the_card_is_made(sales, cases, airflow):
    assert airflow.recordings() == []
    # Where nothing can be read any more, no card offers a command that reads it.
    assert not any("in a terminal" in card for card in [*sales[1].values(), *cases[1].values()])


# ---- cards of data ---------------------------------------------------------------------------------------------------

DATA = ["fails_after/unmapped/attempt1-data-Orders", "mapped/0/attempt1-data-Part", "mapped/1/attempt1-data-Part",
        "recorded/unmapped/attempt1", "recorded/unmapped/attempt1-data-All",
        "recorded/unmapped/attempt1-data-Two-times", "recorded/unmapped/attempt1-data-Two-times-2",
        "retried/unmapped/attempt1-data-Orders", "retried/unmapped/attempt2-data-Orders"]


def test_a_task_shows_its_data_also_if_it_fails_later(tables):
    _, cards, said = tables
    assert sorted(cards) == sorted([*DATA, "of_pandas/unmapped/attempt1-data-Orders-of-pandas",
                                    "of_polars/unmapped/attempt1-data-Orders-of-polars"]), said[-3000:]
    for name in ("pandas", "polars"):
        card = cards[f"of_{name}/unmapped/attempt1-data-Orders-of-{name}"]
        assert f"Orders of {name}" in card and "mean 2 " in card and "<b>" in card, card
    assert "What sold" in cards["recorded/unmapped/attempt1-data-All"]
    assert "Values are left out" in cards["recorded/unmapped/attempt1-data-Two-times-2"]
    assert "Succeeded" in cards["recorded/unmapped/attempt1"]


def test_what_cannot_be_shown_changes_nothing(tables, airflow):
    run, _, said = tables
    assert "no card of No table: " in said
    _, states = airflow("tasks", "states-for-dag-run", "tables", run, "--output", "json")
    found = {task["task_id"]: task["state"] for task in json.loads(states[states.index("[{"):])}
    assert {name for name, state in found.items() if state != "success"} == {"fails_before", "fails_after"}


def test_outside_of_a_task_nothing_is_shown(airflow):
    done = subprocess.run([airflow.programs / "python", "-c", "from airflow_profrender import show\n"
                           "print('returned', show([{'a': 1}], 'Orders'))"], env=airflow.env, text=True,
                          capture_output=True, timeout=200)
    assert "returned None" in done.stdout, done.stderr
    assert "no card of Orders: " in done.stdout + done.stderr


def test_the_tab_lists_the_data_of_a_task_below_its_recording(server, tables):
    status, headers, body = server.get(page(tables[0], "recorded", dag="tables"), server.token)
    assert status == 200
    assert re.findall(r'attempt=([^"]+)">([^<]+)<', body) == [
        ("attempt1", "attempt1"), ("attempt1-data-All", "attempt1: All"),
        ("attempt1-data-Two-times", "attempt1: Two-times"), ("attempt1-data-Two-times-2", "attempt1: Two-times-2")]
    path = page(tables[0], "recorded", dag="tables") + "?attempt=attempt1-data-All"
    status, headers, body = server.get(path, server.token)
    assert (status, "What sold" in body) == (200, True)
    assert headers["Content-Security-Policy"].startswith("sandbox ")
    assert server.get(path)[0] in (401, 403)


# ---- the pages -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(airflow, sales):
    """Airflow's API server, and `token` of a user who may only read."""
    assert airflow("dags", "reserialize")[0] == 0
    made = Server(airflow, ("api-server", "--host", "127.0.0.1"), "/api/v2/monitor/health",
                  AIRFLOW__PROFILING__MEMRAY_TRACE_COMPONENTS="api")
    body = json.dumps({"username": "someone", "password": PASSWORD}).encode()
    made.token = json.loads(made.get("/auth/token", data=body, headers={"Content-Type": "application/json"})[2])[
        "access_token"]
    yield made
    made.stop()


@pytest.mark.parametrize("token", [None, "made-up"])
def test_without_a_token_nobody_gets_a_card(token, server, sales):
    status, _, body = server.get(page(sales[0], "pack"), token)
    assert status in (401, 403)
    assert "gzip" not in body


def test_with_a_token_the_card_comes_in_a_sandbox(server, sales):
    status, headers, body = server.get(page(sales[0], "load", 1), server.token)
    assert status == 200
    assert headers["Content-Security-Policy"] == "sandbox allow-scripts allow-downloads"
    assert "load [1]" in body


@pytest.mark.parametrize("index", ["{MAP_INDEX}", "-1"])
def test_attempts_are_listed_the_latest_first(index, server, sales):
    status, headers, body = server.get(page(sales[0], "total", quote(index)), server.token)
    assert status == 200
    assert re.findall(r"attempt=(\w+)", body) == ["attempt2", "attempt1"]
    assert "script" not in body
    status, headers, body = server.get(page(sales[0], "total") + "?attempt=attempt1", server.token)
    assert (status, "ledger does not answer" in body) == (200, True)


@pytest.mark.parametrize("path", [
    page("../..", "pack"), page("..", ".."), page("nobody", "pack"), page("x", "pack") + "?attempt=../../x",
    page("%2e%2e%2f%2e%2e", "pack", dag="%2e%2e"), page("x/../../y", "pack", dag="..%2f.."),
])
def test_nothing_else_can_be_read(path, server):
    status, _, body = server.get(path, server.token)
    assert status == 404, body[:300]


def linked(place, secret):
    """Each is what the server must not follow, or must not wait for."""
    place.mkdir(parents=True)
    (place / "attempt1.html").symlink_to(secret)
    (place / "attempt2").symlink_to(secret.parent)
    (place / "attempt3").mkdir()
    (place / "attempt3/stderr.log").symlink_to(secret)
    os.mkfifo(place / "attempt4.html")


def test_the_server_follows_no_link_that_a_task_left_in_the_folder_of_cards(server, sales, airflow, tmp_path):
    secret = tmp_path / "stderr.log"
    secret.write_text("Traceback (most recent call last):\nKeyError: 's3cret'\n", encoding="utf-8")
    cards = airflow.home / "profrender/nightly_sales" / sales[0]
    linked(cards / "linked/unmapped", secret)
    (cards / "whole").symlink_to(cards / "pack")
    for task, attempts in ("linked", ["", "attempt1", "attempt2", "attempt3", "attempt4"]), ("whole", ["", "attempt1"]):
        for attempt in attempts:  # of attempt3 a card is tried, without the file that is a link
            status, _, body = server.get(page(sales[0], task) + f"?attempt={attempt}", server.token)
            assert "s3cret" not in body and "gzip" not in body, (task, attempt)
            assert status == 404, (task, attempt, body)


def test_a_task_without_a_card_may_also_be_one_that_never_ran(server, sales):
    """It may be queued, or its templates were wrong: that a task is not chosen is only one of the reasons."""
    status, _, body = server.get(page(sales[0], "notify"), server.token)
    assert status == 404 and "is not chosen" in body and "its own code has not run" in body, body


LONG = """
from airflow_profrender.places import TaskPlace, file_name
long = "d" * 240
places = [TaskPlace(f"{long}.{end}", "r", "t").folder for end in "ab"]
assert places[0] != places[1], places
names = ["", ".", "..", "a/b", "a%2Fb", "%", "x" * 200, "x" * 201, "\u00e9" * 100, "\u00e9" * 99 + "e", "~", "unmapped"]
made = [file_name(name) for name in names]
assert len(set(made)) == len(names) and all(len(name) <= 200 and "/" not in name for name in made), made
assert file_name(file_name("x" * 201)) != file_name("x" * 201)
print("told apart")
"""


def test_names_that_differ_only_at_their_end_have_folders_of_their_own(airflow):
    """Whose cards one may read is decided by the name of the DAG, which may have 250 characters."""
    done = subprocess.run([airflow.programs / "python", "-c", LONG], env=airflow.env, text=True, capture_output=True,
                          timeout=200)
    assert done.stdout.endswith("told apart\n"), done.stderr


def record_and_kill(airflow, place):
    place.mkdir(parents=True)
    script = ("import profrender, os, sys\n"
              "with profrender.record(folder=sys.argv[1], name='killed'):\n"
              "    held = bytearray(17 << 20)\n"
              "    import time; time.sleep(0.5); os.kill(os.getpid(), 9)\n")
    subprocess.run([airflow.programs / "python", "-c", script, place], env=airflow.env, timeout=100)


AGAIN = """
import sys
from types import SimpleNamespace
from airflow_profrender.policy import recorded
ti = SimpleNamespace(dag_id="again", run_id="r", task_id="killed", map_index=-1, try_number=2)
print("returned", recorded(object(), {"ti": ti}, None, lambda: 17))
"""


def test_the_next_attempt_makes_the_card_of_one_that_was_killed(airflow):
    place = airflow.home / "profrender/again/r/killed/unmapped"
    record_and_kill(airflow, place / "attempt1")
    done = subprocess.run([airflow.programs / "python", "-c", AGAIN], env=airflow.env, text=True, capture_output=True,
                          timeout=200)
    assert "returned 17" in done.stdout, done.stderr
    assert sorted(path.name for path in place.iterdir()) == ["attempt1.html", "attempt2.html"]
    card = text(place / "attempt1.html")
    assert "Failed: killed" in card and "Capture incomplete" in card and "17.0 MiB" in card


HURRIED = """
import sys, time
from types import SimpleNamespace
from airflow.sdk.execution_time.timeout import timeout
from airflow_profrender.policy import recorded
ti = SimpleNamespace(dag_id="hurried", run_id="r", task_id="hurried", map_index=-1, try_number=1)
with timeout(2):
    print("returned", recorded(object(), {"ti": ti}, None, lambda: time.sleep(float(sys.argv[1])) or 17))
"""


@pytest.mark.parametrize("seconds, said, ended", [
    ("0.1", "returned 17", "Succeeded"), ("60", "AirflowTaskTimeout", "AirflowTaskTimeout : Timeout")])
def test_the_time_limit_of_a_task_is_not_for_its_card(seconds, said, ended, airflow, tmp_path):
    slow = tmp_path / "slow"
    slow.write_text(f"#!/bin/sh\nsleep 3\nexec {airflow.programs}/profrender \"$@\"\n", encoding="utf-8")
    slow.chmod(0o755)
    done = subprocess.run([airflow.programs / "python", "-c", HURRIED, seconds], text=True, capture_output=True,
                          timeout=200, env={**airflow.env, "AIRFLOW__PROFRENDER__PROGRAM": str(slow)})
    assert said in done.stdout + done.stderr, done
    assert ended in text(airflow.home / "profrender/hurried/r/hurried/unmapped/attempt1.html")


def test_of_a_task_that_was_killed_the_card_shows_what_was_recorded(server, sales, airflow, program):
    run = sales[0]
    record_and_kill(airflow, airflow.home / "profrender/nightly_sales" / run / "killed/unmapped/attempt1")
    status, headers, body = server.get(page(run, "killed"), server.token)
    assert status == 200
    assert "17.0" in body and "sandbox" in headers["Content-Security-Policy"]


def test_in_the_browser_the_card_is_drawn_and_cannot_use_the_login(server, sales):
    cookie = {"name": "_token", "value": server.token, "url": server.url}
    card = look(server.url + page(sales[0], "load", 0), cookies=[cookie])["card"]
    assert card["title"] == "nightly_sales / load [0]"
    assert card["frames"] > 0 and card["height"] > 20
    assert card["cookie"] == card["storage"] == "SecurityError"


def test_the_tab_of_a_task_instance_shows_the_card(server, sales):
    cookie = {"name": "_token", "value": server.token, "url": server.url}
    url = f"{server.url}/dags/nightly_sales/runs/{quote(sales[0], safe='')}/tasks/load/mapped/1/plugin/profrender"
    seen = look(url, cookies=[cookie], scheme="dark")
    assert seen["card"], seen["text"][:500]
    assert seen["card"]["title"] == "nightly_sales / load [1]"
    assert seen["card"]["frames"] > 0 and seen["card"]["height"] > 20
    assert_alone(seen["card"])


UNREACHABLE = """
from types import SimpleNamespace
from airflow_profrender.plugin import CardLink
key = SimpleNamespace(dag_id="d", run_id="r", task_id="pack", map_index=-1)
print("link", repr(CardLink().get_link(None, ti_key=key)))
"""


@pytest.mark.parametrize("task, index, address", [
    ("pack", -1, "/profrender/ti/nightly_sales/pack/-1/{run}"),
    ("load", 1, "/profrender/ti/nightly_sales/load/1/{run}"),
    ("notify", -1, None),
])
def test_airflow_offers_the_link_of_a_task_that_has_a_card(task, index, address, server, sales):
    run = quote(sales[0], safe="")
    status, _, body = server.get(
        f"/api/v2/dags/nightly_sales/dagRuns/{run}/taskInstances/{task}/links?map_index={index}", server.token)
    assert (status, json.loads(body)["extra_links"]) == (200, {"Card": address and address.format(run=run)})


def test_a_storage_that_cannot_be_reached_costs_the_link_and_not_the_page_of_the_task(airflow, sales):
    done = subprocess.run([airflow.programs / "python", "-c", UNREACHABLE], text=True, capture_output=True, timeout=200,
                          env={**airflow.env, "AIRFLOW__PROFRENDER__FOLDER": "nosuchscheme://x/y"})
    assert "link ''" in done.stdout and "no link to the cards of pack" in done.stdout + done.stderr, done


def test_captures_of_airflows_own_components_are_cards_while_they_are_written(server, airflow, program, tmp_path):
    captures = list(airflow.home.glob("*.bin"))
    assert captures, "Airflow wrote none"
    done = program("card", captures[0], "-o", tmp_path / "card.html")
    assert done.status == 0, done
    assert "Peak heap" in text(tmp_path / "card.html")


# ---- object storage --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    programs = environment("moto") or pytest.skip("moto could not be installed")
    with Store(programs, tmp_path_factory.mktemp("store")) as made:
        yield made


@pytest.fixture(scope="module")
def stored(airflow, store):
    """(environment, run id, output) of the example with cards that go to a bucket, by a connection of Airflow."""
    connection = {"conn_type": "aws", "login": store.keys["AWS_ACCESS_KEY_ID"],
                  "password": store.keys["AWS_SECRET_ACCESS_KEY"],
                  "extra": {"region_name": REGION, "endpoint_url": store.url}}
    env = {"AIRFLOW__PROFRENDER__FOLDER": f"s3://cards@{BUCKET}/airflow", "AIRFLOW_CONN_CARDS": json.dumps(connection)}
    return env, *airflow.test_run("nightly_sales", **env)


def test_cards_go_to_object_storage(stored, store, airflow):
    _, run, said = stored
    objects = store.objects("airflow/nightly_sales")
    assert sorted(name.removeprefix(f"{run}/") for name in objects) == [
        "load/0/attempt1.html", "load/1/attempt1.html", "pack/unmapped/attempt1.html", "total/unmapped/attempt1.html",
        "total/unmapped/attempt2.html"], said[-3000:]
    assert b"the ledger does not answer" in objects[f"{run}/total/unmapped/attempt1.html"][0]
    left = [path for path in (airflow.home / "profrender/nightly_sales" / run).rglob("*") if path.is_file()]
    assert left == [], "nothing stays on the worker"


SHOW = """
import sys
from airflow_profrender import pages
for attempt in ("", "attempt1", "../../x"):
    status, body, headers = pages.of_task("nightly_sales", sys.argv[1], "total", "-1", attempt)
    print("page", status, b"does not answer" in body, b"attempt2" in body, headers["Content-Security-Policy"][:21])
"""


def test_cards_of_object_storage_have_the_same_pages(stored, airflow):
    env, run, _ = stored
    done = subprocess.run([airflow.programs / "python", "-c", SHOW, run], env={**airflow.env, **env}, text=True,
                          capture_output=True, timeout=200)
    assert [line[5:] for line in done.stdout.splitlines() if line.startswith("page ")] == [
        "200 False True default-src 'none'; s", "200 True False sandbox allow-scripts",
        "404 False False default-src 'none'; s"], done.stderr


def test_a_folder_may_be_given_as_an_address(airflow, tmp_path):
    run, said = airflow.test_run("nightly_sales", AIRFLOW__PROFRENDER__FOLDER=f"file://{tmp_path}/new/cards",
                                 AIRFLOW__PROFRENDER__ARGS="--source --redact-paths")
    cards = list((tmp_path / "new/cards/nightly_sales" / run).rglob("*.html"))
    assert len(cards) == 5, said[-3000:]
    with_code = [card for card in cards if has_code(card.read_text(encoding="utf-8"))]
    assert len(with_code) == 4, "those of Python tasks"


def test_a_storage_that_cannot_be_reached_changes_nothing(airflow):
    nobody = {"conn_type": "aws", "login": "x", "password": "x", "extra": {
        "endpoint_url": "http://127.0.0.1:9", "config_kwargs": {"retries": {"max_attempts": 0}}}}
    run, said = airflow.test_run("others", AIRFLOW__PROFRENDER__FOLDER="s3://nobody@nowhere/x",
                                 AIRFLOW_CONN_NOBODY=json.dumps(nobody))
    assert "no card: " in said or "the card stays on this machine" in said
    _, states = airflow("tasks", "states-for-dag-run", "others", run, "--output", "json")
    found = {task["task_id"]: task["state"] for task in json.loads(states[states.index("[{"):])}
    assert found == {"chosen": "success", "not_chosen": "success", "asks": "success", "skips": "skipped",
                     "skips_by_status": "skipped", "fails": "failed", "waits": "success"}


def test_where_a_card_has_no_place_the_exception_of_the_task_is_its_own(airflow):
    """Python would show it as raised "during handling" of ours."""
    done = subprocess.run([airflow.programs / "python", "-c", """
from airflow_profrender.policy import with_card
def fails():
    raise LookupError("no ledger")
try:
    with_card(None, {}, None, fails)
except LookupError as error:
    print(error, error.__context__)
"""], env=airflow.env, text=True, capture_output=True, timeout=200)
    assert "no ledger None\n" in done.stdout and "no card: 'ti'" in done.stdout + done.stderr, done


MISTAKEN = """
import os, sys
from types import SimpleNamespace
from airflow_profrender.policy import recorded
hook = SimpleNamespace(run_command=lambda words: (len(words), words[0]))
ti = SimpleNamespace(dag_id="mistaken", run_id="r", task_id="t", map_index=-1, try_number=1)
for name, value in [("CPU", "gdb"), ("INTERVAL", "often"), ("ARGS", "--title 'half"), ("MEMORY", "perhaps"),
                    ("KEEP", "perhaps"), ("PROGRAM", sys.argv[1]), ("CPU", "perf")]:
    os.environ[f"AIRFLOW__PROFRENDER__{name}"] = value
    print(name, recorded(SimpleNamespace(), {"ti": ti}, None, lambda: 17),
          recorded(SimpleNamespace(subprocess_hook=hook), {"ti": ti}, None, lambda: hook.run_command(["true"])))
    del os.environ[f"AIRFLOW__PROFRENDER__{name}"]
"""


def test_a_setting_that_means_nothing_costs_the_card_and_not_the_task(airflow, tmp_path):
    """Each of these failed tasks: of Python, by an exception, and of commands, which the recorder did not run."""
    foreign = tmp_path / "profrender"
    foreign.write_bytes(b"\x7fELF\0\0")
    foreign.chmod(0o755)
    env = {name: value for name, value in airflow.env.items() if name != "AIRFLOW__PROFRENDER__INTERVAL"}
    done = subprocess.run([airflow.programs / "python", "-c", MISTAKEN, foreign], env=env, text=True,
                          capture_output=True, timeout=200)
    lines = [line for line in done.stdout.splitlines() if re.match(r"[A-Z]+ 17 ", line)]
    assert lines[0] == "CPU 17 (1, 'true')", done
    assert len(lines) == 7, done
    assert {"INTERVAL 17 (1, 'true')", "ARGS 17 (1, 'true')", "PROGRAM 17 (1, 'true')"} <= set(lines), done
    assert re.fullmatch(r"CPU 17 \(\d\d, '.*/profrender'\)", lines[6]), "perf is a profiler of commands"


LAST_LINE = """
import subprocess
from types import SimpleNamespace
from airflow_profrender.policy import recorded
class Hook:
    def run_command(self, words):
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout.splitlines()[-1]
hook = Hook()
ti = SimpleNamespace(dag_id="last", run_id="r", task_id="line", map_index=-1, try_number=1)
print(recorded(SimpleNamespace(subprocess_hook=hook), {"ti": ti}, None, lambda: hook.run_command(["echo", "rows=17"])))
"""


def test_the_last_line_of_a_command_is_its_own(airflow, tmp_path):
    """It is the XCom of the task: py-spy finds no Python in bash, and what said so was handed to the next task."""
    env = {**airflow.env, "AIRFLOW__PROFRENDER__CPU": "py-spy", "TMPDIR": str(tmp_path)}
    done = subprocess.run([airflow.programs / "python", "-c", LAST_LINE], env=env, text=True, capture_output=True,
                          timeout=200)
    assert "rows=17" in done.stdout.splitlines(), done
    assert "profrender: no CPU profile: py-spy " in done.stdout + done.stderr, "a line of the task's log"
    assert list(tmp_path.glob("profrender.*")) == []
