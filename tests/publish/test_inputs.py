# SPDX-License-Identifier: Apache-2.0
"""What is published from below the folder: its own regular files, and nothing that a link leads to."""

import json
import os
import shutil

import pytest

STACKS = "main;work 5\n"
SECRET = "TOPSECRET;KEY 7\n"


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret.folded"
    path.write_text(SECRET)
    return path


def everything(site):
    return b"".join(path.read_bytes() for path in site.path.rglob("*") if path.is_file())


def test_links_are_left_out_with_a_word(site, secret, tmp_path):
    site.put("a.folded", STACKS)
    (tmp_path / "folder").mkdir()
    shutil.copy(secret, tmp_path / "folder")
    os.symlink(secret, site.runs / "link.folded")
    os.symlink(tmp_path / "folder", site.runs / "folder")
    os.symlink("absent", site.runs / "dangling.bin")
    answer = site.publish()
    assert answer.status == 0 and set(site.entries()) == {"a.folded"}
    for name in "link.folded", "folder", "dangling.bin":
        assert f"runs/{name}: a link" in answer.err
    assert site.publish("--strict").status == 3


def test_of_many_links_the_first_are_named_and_the_rest_counted(site):
    for number in range(30):
        os.symlink("x", site.runs / str(number))
    said = site.publish().err.splitlines()
    assert len(said) == 11 and "20 more are left out" in said[-1]


@pytest.mark.parametrize("name", ["notes.md", "stderr.log", "memory.folded", "run.json"])
def test_links_in_a_run_are_not_followed(site, secret, tmp_path, name):
    secret.write_text(json.dumps({"schema": "profrender/run/1", "name": "TOPSECRET"}) if name == "run.json" else SECRET)
    site.put("r/run.json", json.dumps({"schema": "profrender/run/1", "name": "plain"}))
    site.put("r/timeline.jsonl", '{"ts": 0, "rss_mb": 5}\n')
    (site.runs / "r" / name).unlink(missing_ok=True)
    os.symlink(secret, site.runs / "r" / name)
    assert site.publish().status == 0
    assert set(site.entries()) == {"r"} and b"TOPSECRET" not in everything(site)


def test_a_folder_whose_run_json_is_a_link_is_a_folder(site, tmp_path):
    (tmp_path / "run.json").write_text('{"schema": "profrender/run/1", "name": "TOPSECRET"}')
    site.put("r/a.folded", STACKS)
    os.symlink(tmp_path / "run.json", site.runs / "r/run.json")
    answer = site.publish()
    assert set(site.entries()) == {"r/a.folded"} and "r/run.json: a link" in answer.err


def test_the_folder_itself_may_be_named_by_a_link(site, tmp_path, program):
    site.put("a.folded", STACKS)
    os.symlink(site.runs, tmp_path / "latest")
    assert program("publish", tmp_path / "latest", "-o", site.path).status == 0
    assert set(site.entries()) == {"a.folded"}


def test_pipes_and_sockets_are_not_opened(site):
    site.put("a.folded", STACKS)
    os.mkfifo(site.runs / "pipe.folded")
    os.mkfifo(site.runs / "page.html")
    assert site.publish(timeout=30).status == 0 and set(site.entries()) == {"a.folded"}


def test_each_source_has_a_card_of_its_own(site):
    """Names that look the same once they are written in plain letters, or that differ only in their last letter."""
    names = [f"{'x' * 150}/{letter}{'y' * 90}.folded" for letter in "abc"] + ["a b.folded", "a-b.folded", "a+b.folded",
                                                                             "a..b.folded", "a.-b.folded"]
    for name in names:
        site.put(name, STACKS)
    assert site.publish().status == 0
    cards = [entry["card"] for entry in site.entries().values()]
    assert len(set(cards)) == len(names) == len(site.entries())


def test_the_site_is_not_published_into_itself(site, program):
    site.put("a.folded", STACKS)
    site.publish()
    answer = program("publish", site.path, "-o", site.path)
    assert answer.status == 2 and "is the site itself" in answer.err


def test_a_file_as_input_is_explained(site, program):
    capture = site.put("a.folded", STACKS)
    answer = program("publish", capture, "-o", site.path)
    assert answer.status == 3 and "publish takes a folder" in answer.err and f"profrender card {capture}" in answer.err
    assert not site.path.exists()


def test_without_input_an_example_is_shown(program):
    answer = program("publish")
    assert answer.status == 2 and "profrender publish runs/" in answer.err
