# SPDX-License-Identifier: Apache-2.0
"""The list of a site comes back from buckets, caches and branches: nothing in it is trusted."""

import json
import os

import pytest

STACKS = "main;work 5\n"
NOT_CARDS = ("../victim.txt", "cards/../../victim.txt", "cards/..html/x.html", "/etc/passwd", "https://evil.example/x",
             "https://evil.example/x.html", "javascript:alert(1)", "cards/", "cards/.html", "cards/.profrender-x.html",
             "cards/a b.html", "cards/sub/x.html", "cards//x.html", "cards/x.htm", "cards/x.html\n", "cards/x.html?y",
             "cards/x..y.html", "card/x.html", "index.html", "runs.json", "", "cards/x\0.html", "cards\\x.html",
             "cards/%2e%2e.html", "CARDS/x.html", "cards/" + "x" * 300 + ".html")


@pytest.mark.parametrize("card", NOT_CARDS)
def test_what_is_not_a_card_of_the_site_is_left_out_with_a_word(site, tmp_path, card):
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    site.put("a.folded", STACKS)
    site.add(card=card)
    answer = site.publish()
    assert answer.status == 0 and "is left out: its card is not one of this site" in answer.err
    assert set(site.entries()) == {"a.folded"}
    assert "evil.example" not in site.index() and "javascript:" not in site.index()
    site.add(card=card)
    assert site.publish("--prune").status == 0 and victim.read_text() == "precious"


def test_pruning_removes_files_of_the_site_only(site, tmp_path):
    victim = tmp_path / "victim.html"
    victim.write_text("precious")
    site.put("a.folded", STACKS)
    site.publish()
    (site.path / "cards/link.html").symlink_to(victim)
    (site.path / "cards/real.html").write_text("old card")
    (site.path / "cards/folder.html").mkdir()
    for name in "link", "real", "folder":
        site.add(card=f"cards/{name}.html", source=f"{name}.bin")
    assert "the site has no such file" in site.publish("--prune").err
    assert victim.read_text() == "precious" and not (site.path / "cards/real.html").exists()
    assert (site.path / "cards/link.html").is_symlink() and (site.path / "cards/folder.html").is_dir()


def test_a_card_that_is_a_link_is_not_listed(site, tmp_path):
    (tmp_path / "secret").write_text("secret")
    site.add(card="cards/link.html")
    (site.path / "cards").mkdir()
    (site.path / "cards/link.html").symlink_to(tmp_path / "secret")
    answer = site.publish()
    assert "cards/link.html" in answer.err and site.document()["runs"] == [] and "link.html" not in site.index()


@pytest.mark.parametrize("name", ["index.html", "runs.json"])
def test_a_link_in_the_place_of_a_page_is_replaced_not_followed(site, tmp_path, name):
    victim = tmp_path / "victim"
    site.put("a.folded", STACKS)
    site.publish()
    victim.write_bytes((site.path / name).read_bytes())
    before = victim.read_bytes()
    (site.path / name).unlink()
    (site.path / name).symlink_to(victim)
    site.put("b.folded", STACKS)
    answer = site.publish()
    assert victim.read_bytes() == before
    if name == "index.html":
        assert answer.status == 0 and not (site.path / name).is_symlink()
    else:
        assert answer.status == 4 and "not a regular file" in answer.err


def test_a_card_is_not_written_through_a_link(site, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    site.put("a.folded", STACKS)
    site.publish()
    card = site.card("a.folded")
    card.unlink()
    card.symlink_to(victim)
    assert site.publish().status == 0
    assert victim.read_text() == "precious" and not card.is_symlink() and b"profrender" in card.read_bytes()


def test_the_folder_of_cards_is_no_link(site, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    site.path.mkdir()
    (site.path / "cards").symlink_to(tmp_path / "elsewhere")
    site.put("a.folded", STACKS)
    answer = site.publish()
    assert answer.status == 4 and "cards is a link" in answer.err and not any((tmp_path / "elsewhere").iterdir())


def test_a_pipe_as_list_does_not_stop_it(site):
    site.path.mkdir()
    os.mkfifo(site.list_path)
    answer = site.publish(timeout=20)
    assert answer.status == 4 and "not a regular file" in answer.err


FIELDS = [("status", "pwned"), ("status", None), ("name", ""), ("name", 5), ("source", ["x"]), ("source", "x" * 40000)]


@pytest.mark.parametrize("key, value", FIELDS, ids=[f"{key}={str(value)[:8]}" for key, value in FIELDS])
def test_an_entry_without_a_needed_field_is_left_out(site, key, value):
    site.add(card="cards/x.html", **{key: value})
    (site.path / "cards").mkdir()
    (site.path / "cards/x.html").write_text("a card")
    answer = site.publish()
    assert answer.status == 0 and "is missing or wrong" in answer.err and site.document()["runs"] == []


def test_wrong_numbers_and_unknown_fields_are_left_out_of_an_entry(site):
    wrong = {"start_ms": -1, "end_ms": 1 << 62, "peak_heap_bytes": -5, "peak_rss_bytes": "5", "cpu_ns": 1.5,
             "problem": {"a": 1}, "key": "../../x", "evil": "https://evil.example/", "flow": 7}
    site.add(card="cards/x.html", **wrong)
    (site.path / "cards").mkdir()
    (site.path / "cards/x.html").write_text("a card")
    assert site.publish().status == 0
    entry, = site.document()["runs"]
    assert entry == {"card": "cards/x.html", "status": "ok", "name": "added", "source": "added.bin"}


def test_texts_are_visible_in_list_and_index(site):
    site.add(card="cards/x.html", name="a\u202eb\0c", source="\x1b[31m<img src=x onerror=alert(1)>")
    (site.path / "cards").mkdir()
    (site.path / "cards/x.html").write_text("a card")
    assert site.publish().status == 0
    assert site.document()["runs"][0]["name"] == r"a\u202eb\x00c"
    page = site.index()
    assert "\x1b" not in page and "\u202e" not in page and "<img" not in page


def test_the_key_of_another_source_is_not_believed(site):
    """Two runs never share a card, whatever the list says."""
    site.put("a.folded", STACKS)
    site.publish()
    document, card = site.document(), site.card("a.folded")
    document["runs"][0]["source"] = "b.folded"
    site.list_path.write_text(json.dumps(document))
    card.write_text("not the card of a")
    site.publish()
    assert set(site.entries()) == {"a.folded"} and "not the card" not in card.read_text()


def test_one_card_has_one_entry(site):
    (site.path / "cards").mkdir(parents=True)
    (site.path / "cards/x.html").write_text("a card")
    site.add(card="cards/x.html", name="first")
    site.add(card="cards/x.html", name="second")
    assert "another entry has that card" in site.publish().err
    assert [run["name"] for run in site.document()["runs"]] == ["first"]


def test_of_many_bad_entries_the_first_are_named_and_the_rest_counted(site):
    for _ in range(25):
        site.add(card="../x")
    said = site.publish().err.splitlines()
    assert len(said) == 11 and said[-1].endswith("15 more are left out")


@pytest.mark.parametrize("text", ["", "{", "[1]", "\0", '{"schema": "other"}', "null", '{"runs": 5}'])
def test_a_damaged_list_is_made_again_only_where_the_index_is_ours(site, text):
    site.put("a.folded", STACKS)
    site.publish()
    site.list_path.write_text(text)
    index = site.index()
    answer = site.publish()
    is_json = text not in ("", "{", "\0", "null")  # a document is an array or an object
    assert answer.status == (4 if is_json else 0), answer.err
    assert ("other pages" if is_json else "is damaged") in answer.err
    (site.path / "index.html").write_text("<title>mine</title>")
    site.list_path.write_text(text)
    answer = site.publish()
    assert answer.status == 4 and "other pages" in answer.err and site.index() == "<title>mine</title>", index


def test_the_list_of_a_later_version_is_not_written_over(site):
    site.path.mkdir()
    site.list_path.write_text('{"schema": "profrender/runs/2", "runs": []}')
    answer = site.publish()
    assert answer.status == 4 and "profrender/runs/2" in answer.err
    assert "runs/2" in site.list_path.read_text()


def test_a_list_of_deep_nesting_and_large_size_ends(site):
    site.path.mkdir()
    site.list_path.write_text("[" * 1_000_000)
    assert site.publish(timeout=60).status == 0


def test_cards_of_sources_are_found_under_their_new_names(site):
    """A site whose cards had other names has no run twice."""
    site.put("a.folded", STACKS)
    site.publish()
    document = site.document()
    old = site.path / "cards/a.folded-12345678.html"
    site.card("a.folded").rename(old)
    document["runs"][0]["card"] = "cards/a.folded-12345678.html"
    site.list_path.write_text(json.dumps(document))
    assert site.publish().status == 0
    assert len(site.document()["runs"]) == 1 and site.card("a.folded").is_file() and not old.exists()


def test_files_of_killed_programs_are_removed_and_others_stay(site):
    site.put("a.folded", STACKS)
    site.publish()
    gone = ".profrender-aB3xYz", "cards/.profrender-000000"
    stay = ".profrender-notes1.txt", ".profrender-abc", "cards/.profrender-abcdefg", ".profrender-ab.def", "mine.txt"
    for name in gone + stay:
        (site.path / name).write_text("x")
    (site.path / ".profrender-folder").mkdir()
    (site.path / ".profrender-linked").symlink_to("mine.txt")
    assert site.publish().status == 0
    assert set(gone).isdisjoint(site.files())
    assert {*stay, ".profrender-folder", ".profrender-linked"} <= site.files()
