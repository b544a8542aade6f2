# SPDX-License-Identifier: Apache-2.0
"""samples/airflow with Airflow 2.10 itself: the same policy, and the pages behind the login of its web server."""

import http.cookiejar
import re
import urllib.parse
import urllib.request

import pytest
from airflow_home import Server, airflow_of, page
from frameworks import assert_alone, look

PASSWORD = "only-for-this-test"


@pytest.fixture(scope="module")
def airflow(tmp_path_factory):
    return airflow_of("airflow2", tmp_path_factory.mktemp("airflow2"))


def test_each_task_that_is_chosen_has_a_card_for_each_attempt(sales):
    _, cards, said = sales
    assert sorted(cards) == ["load/0/attempt1", "load/1/attempt1", "pack/unmapped/attempt1", "total/unmapped/attempt1",
                             "total/unmapped/attempt2"], said[-3000:]
    assert "ConnectionError : the ledger does not answer" in cards["total/unmapped/attempt1"]
    assert re.search(r"total (holds|fills) 40\.\d MiB|40\.\d MiB from total", cards["total/unmapped/attempt2"])
    assert "gzip" in cards["pack/unmapped/attempt1"]
    assert "load [1]" in cards["load/1/attempt1"]


def test_deferred_skipped_and_failing_tasks_are_what_they_are_in_airflow_3(cases):
    _, cards, said = cases
    assert sorted(cards) == ["asks/unmapped/attempt1", "chosen/unmapped/attempt1", "fails/unmapped/attempt1",
                             "skips/unmapped/attempt1", "skips_by_status/unmapped/attempt1",
                             "waits/unmapped/attempt1", "waits/unmapped/attempt1-part2"], said[-3000:]
    for name in ("waits/unmapped/attempt1", "waits/unmapped/attempt1-part2", "skips/unmapped/attempt1"):
        assert "Succeeded" in cards[name], name
    assert "13.0 MiB" in cards["waits/unmapped/attempt1-part2"]
    assert "Exit status 7" in cards["fails/unmapped/attempt1"]
    assert "a reason to skip the task, not as a failure" in cards["skips_by_status/unmapped/attempt1"]


def test_a_task_shows_its_data(tables):
    _, cards, said = tables
    assert {"fails_after/unmapped/attempt1-data-Orders", "mapped/0/attempt1-data-Part", "mapped/1/attempt1-data-Part",
            "retried/unmapped/attempt1-data-Orders",
            "retried/unmapped/attempt2-data-Orders"} <= set(cards), said[-3000:]
    assert "What sold" in cards["recorded/unmapped/attempt1-data-All"]


@pytest.fixture(scope="module")
def server(airflow, sales):
    """The web server, an `opener` of a viewer who has logged in, and `cookie`, that viewer's session."""
    assert airflow("sync-perm")[0] == 0  # makes the roles
    status, said = airflow("users", "create", "--username", "someone", "--password", PASSWORD, "--role", "Viewer",
                           "--firstname", "Some", "--lastname", "One", "--email", "someone@example.com")
    assert status == 0, said
    assert airflow("dags", "reserialize")[0] == 0
    made = Server(airflow, ("webserver", "--hostname", "127.0.0.1"), "/health")
    jar = http.cookiejar.CookieJar()
    made.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    token = re.search(r'name="csrf_token"[^>]* value="([^"]+)"', made.get("/login/", opener=made.opener)[2])[1]
    form = urllib.parse.urlencode({"username": "someone", "password": PASSWORD, "csrf_token": token}).encode()
    made.get("/login/", opener=made.opener, data=form)
    made.cookie = {"name": "session", "value": next(found.value for found in jar if found.name == "session"),
                   "url": made.url}
    yield made
    made.stop()


def test_without_a_login_nobody_gets_a_card(server, sales):
    for headers in ({}, {"Authorization": "Bearer made-up"}, {"Cookie": "session=made-up"}):
        _, _, body = server.get(page(sales[0], "pack"), headers=headers)
        assert "gzip" not in body and "csrf_token" in body, "the page of the login"


def test_with_a_login_the_card_comes_in_a_sandbox(server, sales):
    status, headers, body = server.get(page(sales[0], "load", 1), opener=server.opener)
    assert (status, headers["Content-Security-Policy"]) == (200, "sandbox allow-scripts allow-downloads")
    assert "load [1]" in body


@pytest.mark.parametrize("path", [page("../..", "pack"), page("nobody", "pack"), page("x", "pack") + "?attempt=../../x",
                                  page("x/../../y", "pack", dag="..%2f..")])
def test_nothing_else_can_be_read(path, server):
    assert server.get(path, opener=server.opener)[0] in (403, 404)


def test_the_link_of_a_task_leads_to_its_card(server, sales):
    names = urllib.parse.urlencode({"dag_id": "nightly_sales", "task_id": "pack", "map_index": -1, "link_name": "Card",
                                    "execution_date": sales[0].split("__")[1]})
    status, _, body = server.get(f"/extra_links?{names}", opener=server.opener)
    assert status == 200 and page(sales[0], "pack") in body, body


def test_in_the_browser_the_card_is_drawn_and_cannot_use_the_login(server, sales):
    card = look(server.url + page(sales[0], "load", 0), cookies=[server.cookie])["card"]
    assert card["title"] == "nightly_sales / load [0]"
    assert card["frames"] > 0 and card["height"] > 20
    assert card["cookie"] == card["storage"] == "SecurityError"
