# SPDX-License-Identifier: Apache-2.0
"""Existing cards: published only if everything in them that could run comes from this program."""

import re
import shutil

import pytest

from sites import without_way_back

GENERATOR = '<meta name="generator" content="profrender">'


@pytest.fixture
def card(program, samples, tmp_path):
    path = tmp_path / "card.html"
    assert program("card", samples / "daily-sales.bin", "-o", path, "--title", "Nightly & <b>").status == 0
    return path.read_text(encoding="utf-8")


def left_out(site, page):
    """Publishes PAGE alone; True if it is nowhere in the site."""
    site.put("page.html", page)
    answer = site.publish()
    entry = site.entries()["page.html"]
    assert answer.status == 0
    gone = not any((site.path / "cards").iterdir())
    assert gone == (entry["status"] == "unreadable") == ("page.html: " in answer.err)
    return gone


def test_a_card_of_this_program_is_published_to_the_byte(site, card):
    assert not left_out(site, card)
    assert site.card("page.html").read_text(encoding="utf-8") == card
    assert site.entries()["page.html"]["name"] == "Nightly & <b>"


def test_cards_of_all_samples_are(site, program, samples):
    """A section with an element or an attribute that render/page/card_proof.c does not know fails here."""
    captures = [path for path in sorted(samples.rglob("*")) if path.is_file() and path.suffix not in (".py", ".md")]
    made = 0
    for number, capture in enumerate(captures):
        made += program("card", capture, "-o", site.runs / f"{number}.html").status == 0
    site.publish()
    wrong = {name: entry["problem"] for name, entry in site.entries().items() if entry["status"] == "unreadable"}
    assert made > 40 and len(site.entries()) == made and wrong == {}


def test_cards_of_runs_and_of_differences_are(site, program, samples, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    (run / "run.json").write_text('{"schema": "profrender/run/1", "name": "n", "start_ms": 1763000000000}')
    (run / "notes.md").write_text("# N\n\n1. a *b* **c** `d`\n\n> q [l](https://x.example)\n"
                                  "![i](data:image/png;base64,AA)\n"
                                  "\n---\n\n```\ncode\n```\n<script>alert(1)</script>\n")
    shutil.copy(samples / "daily-sales.bin", run)
    small = samples / "json_dict-py3.13-memray1.18.0-default.bin"
    pages = {"run": [run], "diff": [samples / "daily-sales.bin", small], "dark": [run, "--theme", "dark"],
             "links": [run, "--root", "/srv", "--source-url", "https://git.example.com/{file}#L{line}"]}
    for name, words in pages.items():
        command = ["diff", *words, "--format", "html"] if name == "diff" else ["card", *words]
        answer = program(*command, "-o", site.runs / f"{name}.html")
        assert answer.status == 0, answer.err
    site.publish()
    assert {name: entry["status"] for name, entry in site.entries().items()} == {
        f"{name}.html": "recorded" for name in pages}


def test_a_card_of_a_site_is_one_of_another_site_too(site, program, samples, tmp_path):
    first = tmp_path / "first"
    first.mkdir()
    shutil.copy(samples / "daily-sales.bin", first)
    assert program("publish", first, "-o", tmp_path / "one").status == 0
    card, = (tmp_path / "one/cards").iterdir()
    assert "<nav class='site' aria-label='Other runs'><a href='../index.html'>" in card.read_text()
    shutil.copy(card, site.runs / "card.html")
    site.publish()
    assert {name: entry["status"] for name, entry in site.entries().items()} == {"card.html": "recorded"}


# A place in the page, and what is inserted there: the rest is unchanged, so that nothing else is wrong.
FORGED = {
    "script in the body": ("<main>\n", "<main>\n<script>alert(1)</script>"),
    "script in the head": ("<meta name=\"viewport\"", "<script>alert(1)</script><meta name=\"viewport\""),
    "script after the end": ("</html>\n", "</html>\n<script>alert(1)</script>"),
    "handler": ("<main>\n", "<main>\n<img src='data:image/png,x' onerror='alert(1)'>"),
    "handler without quotes": ("<main>\n", "<main>\n<p onclick=alert(1)>x</p>"),
    "handler in capitals": ("<main>\n", "<main>\n<p ONCLICK='alert(1)'>x</p>"),
    "refresh": ("<main>\n", "<main>\n<meta http-equiv='refresh' content='0;url=https://evil.example'>"),
    "refresh in the head": ("<title>", "<meta http-equiv='refresh' content='0;url=//evil.example'><title>"),
    "script as link": ("<main>\n", "<main>\n<a href='javascript:alert(1)'>x</a>"),
    "script as link in svg": ("<main>\n", "<main>\n<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>"),
    "link to a file": ("<main>\n", "<main>\n<a href='../../runs.json'>x</a>"),
    "link with a blank before": ("<main>\n", "<main>\n<a href=' javascript:alert(1)'>x</a>"),
    "frame": ("<main>\n", "<main>\n<iframe srcdoc='x'></iframe>"),
    "form": ("<main>\n", "<main>\n<form action='https://evil.example'><input></form>"),
    "base": ("<main>\n", "<main>\n<base href='https://evil.example/'>"),
    "sheet": ("<main>\n", "<main>\n<link rel='stylesheet' href='https://evil.example/x.css'>"),
    "style": ("<main>\n", "<main>\n<style>body{background:url(https://evil.example)}</style>"),
    "style attribute": ("<main>\n", "<main>\n<p style='position:fixed'>x</p>"),
    "remote image": ("<main>\n", "<main>\n<img src='https://evil.example/x.png'>"),
    "comment": ("<main>\n", "<main>\n<!-- --><p>x</p>"),
    "instruction": ("<main>\n", "<main>\n<?x ?><p>x</p>"),
    "marked section": ("<main>\n", "<main>\n<svg><![CDATA[<script>alert(1)</script>]]></svg>"),
    "template": ("<main>\n", "<main>\n<template><script>alert(1)</script></template>"),
    "foreign object": ("<main>\n", "<main>\n<svg><foreignObject><p>x</p></foreignObject></svg>"),
    "animation": ("<main>\n", "<main>\n<svg><set attributeName='href' to='javascript:alert(1)'/></svg>"),
    "text field that hides a tag": ("<main>\n", "<main>\n<textarea><p title='</textarea><script>alert(1)</script>'></p>"
                                              "</textarea>"),
    "title that hides a tag": ("<main>\n", "<main>\n<title><p title='</title><script>alert(1)</script>'></p></title>"),
    "quote that is open": ("<main>\n", "<main>\n<p title='x>y</p>"),
    "main that is closed early": ("<main>\n", "<main>\n</main><script>alert(1)</script><main>"),
    "tag without an end": ("<main>\n", "<main>\n<p "),
    "zero byte": ("<main>\n", "<main>\n\0"),
    "second payload": ("<script type=\"application/octet-stream\" id=\"pr-payload\">",
                       "<script id=\"pr-payload\">alert(1)</script>"
                       "<script type=\"application/octet-stream\" id=\"pr-payload\">"),
    "script in the data": ("id=\"pr-payload\">", "id=\"pr-payload\"></script><script>alert(1)"),
    "attribute of the document": ("<html lang=\"en\"", "<html lang=\"en\" onclick=\"alert(1)\""),
    "state": ("data-state=\"ok\"", "data-state=\"ok\" onclick=\"x\""),
    "policy": ("default-src 'none'", "default-src *"),
    "policy with a host": ("script-src '", "script-src https://evil.example '"),
    "no policy": ("http-equiv=\"Content-Security-Policy\"", "name=\"x\""),
    "title": ("</title>", "</title><script>alert(1)</script>"),
    "text before": ("<!doctype html>", "<script>alert(1)</script><!doctype html>"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_card_with_more_in_it_is_left_out(site, card, name):
    before, after = FORGED[name]
    assert before in card
    assert left_out(site, card.replace(before, after, 1).encode())


def test_markup_of_cards_may_be_there_again(site, card):
    """The page that the forgeries are based on is accepted, with everything that a card may have."""
    assert not left_out(site, card.replace("<main>\n", "<main>\n<p class='x' title='y'>a<br>b &amp; c</p>", 1).encode())


def test_a_page_with_our_generator_line_is_left_out(site):
    page = f"<!doctype html>{GENERATOR}<title>Nightly</title><script>alert(1)</script>"
    assert left_out(site, page)
    assert "differs from the cards of this version" in site.entries()["page.html"]["problem"]
    assert "alert(1)" not in site.index()


def test_a_card_with_another_script_is_left_out_also_when_its_policy_fits(site, card):
    assert left_out(site, re.sub(r"<script>(?!.*<script>)", "<script>alert(1);", card, flags=re.S))
    assert "its script is not that of this version" in site.entries()["page.html"]["problem"]


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 0.9, 0.999])
def test_a_card_that_is_cut_is_left_out(site, card, share):
    text = card.encode()
    assert left_out(site, text[:int(len(text) * share)])


def test_a_split_card_is_left_out(site, program, samples):
    """Its script is a separate file, which would be loaded from the site."""
    program("card", samples / "daily-sales.bin", "--split", "-o", site.runs / "page.html")
    site.publish()
    assert site.entries()["page.html"]["status"] == "unreadable"


def test_next_to_a_capture_the_card_is_made_of_that(site, program, samples, tmp_path, card):
    for name, page in (("forged", f"<!doctype html>{GENERATOR}<script>alert(1)</script>"), ("good", card)):
        shutil.copy(samples / "daily-sales.bin", site.runs / f"{name}.bin")
        site.put(f"{name}.html", page)
    assert site.publish().status == 0
    program("card", site.runs / "good.bin", "-o", tmp_path / "same.html")
    assert set(site.entries()) == {"good.bin", "forged.bin"}
    assert without_way_back(site.card("good.bin")) == (tmp_path / "same.html").read_bytes()
    assert not any(b"alert(1)" in path.read_bytes() for path in site.path.rglob("*.html"))


def test_next_to_a_file_that_is_not_a_capture_the_card_stays(site, card):
    site.put("train.html", card)
    site.put("train.txt", "what somebody wrote about it\n")
    site.publish()
    assert set(site.entries()) == {"train.html"}
    before = site.card("train.html").stat().st_ino
    site.publish()
    assert site.card("train.html").stat().st_ino == before
    site.put("train.folded", "main;work 5\n")
    site.publish()
    assert set(site.entries()) == {"train.folded"} and len(list((site.path / "cards").iterdir())) == 1


def test_time_that_is_not_of_the_processor_is_not_called_cpu_time(site, samples):
    """As on the card. A profile's metric of time may have the name `cpu`, whatever clock it counts."""
    for name in ("fanout.yappi.pstats", "endpoints.cpu.pb.gz"):
        site.put(name, (samples / "cpu" / name).read_bytes())
    site.publish()
    entries = site.entries()
    assert entries["endpoints.cpu.pb.gz"]["cpu_ns"] == 1_050_000_000
    assert entries["fanout.yappi.pstats"].get("cpu_ns") is None
