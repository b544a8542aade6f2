# SPDX-License-Identifier: Apache-2.0
"""`card --lite`: at most 20 kB, without a script and without a network, whatever the input."""

import html
import re
from html.parser import HTMLParser

import pytest
from made_capture import capture

MOST = 20_000
TAGS = {"html", "meta", "title", "style", "h1", "p", "dl", "div", "dt", "dd", "ol", "li", "b", "code", "span", "wbr",
        "svg", "g", "rect", "text"}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def lite(program, tmp_path, capture_of, *words):
    page = tmp_path / "lite.html"
    answer = program("card", "--lite", "-q", capture_of, "-o", page, *words)
    return page.read_text(encoding="utf-8") if page.exists() else answer


def inputs(samples):
    yield from sorted(samples.glob("*.bin"))
    yield samples / "nightly"
    yield from (path for path in sorted((samples / "cpu").iterdir()) if path.name != "expected.json")
    yield from sorted((samples / "timeline").iterdir())


@pytest.mark.sweep
def test_every_sample_fits(program, samples, tmp_path):
    count = 0
    for sample in inputs(samples):
        page = lite(program, tmp_path, sample)
        if not isinstance(page, str):
            continue
        (tmp_path / "lite.html").unlink()
        count += 1
        assert len(page.encode()) <= MOST, sample.name
        found = Page(page)
        assert found.tags <= TAGS, sample.name
        assert not {name for name in found.attributes if name.startswith("on") or name in ("src", "href")}
    assert count > 30


def test_it_has_what_the_card_has(program, samples, tmp_path):
    page = lite(program, tmp_path, samples / "daily-sales.bin")
    plain = html.unescape(re.sub(r"<[^>]*>", "", page)).replace("\u00a0", " ").replace("\u200b", "")
    for finding in program("explain", "--json", samples / "daily-sales.bin").json()["findings"]:
        assert finding["text"] in plain
    assert "Peak327 MiB" in plain
    boxes = re.findall(r"<title>([^<]*)</title><rect class='(\w)' x='(\d+)' y='(\d+)' width='(\d+)'", page)
    assert boxes[0][0].startswith("&lt;module&gt;, 32") and boxes[1][0].startswith("main, 29") and boxes[1][1] == "m"
    for _, _, x, _, width in boxes:
        assert int(x) + int(width) <= 1000
    widths = {title.split(",")[0]: int(width) for title, _, _, y, width in boxes if y == "40"}
    assert abs(widths["lag_matrix"] - 1000 * 253 / 326) < 4


def test_it_has_no_command_where_none_is_wanted(program, samples, tmp_path):
    page = lite(program, tmp_path, samples / "daily-sales.bin")
    (tmp_path / "lite.html").unlink()
    assert "profrender card --lite " in page
    assert "card --lite" not in lite(program, tmp_path, samples / "daily-sales.bin", "--no-commands")


def classes_of(page):
    return set(re.findall(r"<rect class='(\w)'", page))


def test_boxes_are_coloured_by_owner_or_by_kind(program, samples, tmp_path):
    """No picture is of one colour: where all is one owner's, packages and kinds of objects have theirs."""
    for sample, wanted, words in [("daily-sales.bin", {"m", "l"}, "orange is your own code"),
                                  ("heap/shelf.hprof.zst", {"a", "b", "c", "d"}, "a colour is a package or a kind"),
                                  ("heap/shelf.heapsnapshot.zst", {"a", "b", "c"}, "a colour is a package or a kind")]:
        page = lite(program, tmp_path, samples / sample)
        (tmp_path / "lite.html").unlink()
        assert classes_of(page) >= wanted, sample
        assert words in page, sample
        for letter in classes_of(page):
            assert f".{letter}{{fill:" in page or f".{letter},." in page or f",.{letter}{{fill:" in page


@pytest.mark.parametrize("name", ["</title><script>alert(1)</script>", "'><img src=x onerror=y>", "]]>", "x" * 100_000,
                                  "\x1b[31m", "\u202e", "a" * 3000 + "<b>"])
def test_hostile_names_are_text(program, tmp_path, name):
    path = tmp_path / "hostile.bin"
    names = [f"{name}{number}".encode() for number in range(30)]
    path.write_bytes(capture([(one, one + b".py", 1 << 20) for one in names], command_line=name.encode() + b".py"))
    page = lite(program, tmp_path, path)
    assert len(page.encode()) <= MOST
    assert Page(page).tags <= TAGS
    assert "\x1b" not in page and "\u202e" not in page


def test_a_wide_and_deep_tree_is_cut_at_its_deepest(program, tmp_path):
    path = tmp_path / "many.folded"
    path.write_text("".join(f"main;{';'.join(f'f{level}_{one % 7 ** level}' for level in range(20))} {one + 1}\n"
                            for one in range(400)))
    page = lite(program, tmp_path, path)
    assert len(page.encode()) <= MOST
    assert "main" in page and page.count("<rect") > 20


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_themes_are_light_and_dark(program, samples, tmp_path, theme):
    page = lite(program, tmp_path, samples / "daily-sales.bin", "--theme", theme)
    assert ("prefers-color-scheme" in page) == (theme == "auto")
    assert f"color-scheme:{'light dark' if theme == 'auto' else theme};" in page


def test_the_same_input_gives_the_same_bytes(program, samples, tmp_path):
    first, second = (lite(program, tmp_path, samples / "daily-sales.bin") for _ in range(2))
    assert first == second


@pytest.mark.parametrize("words", [("--fragment",), ("--split",), ("--source", "--root", "/")])
def test_what_does_not_go_with_it_is_refused(program, samples, words):
    answer = program("card", "--lite", samples / "daily-sales.bin", "-o", "-", *words)
    assert (answer.status, answer.out) == (2, "")
