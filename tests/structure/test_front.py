# SPDX-License-Identifier: Apache-2.0
"""The rooms of the front end: imports go one way, and what works without a page never uses one.

    python3 -m pytest tests/structure/test_front.py
"""

import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parent.parent.parent / "assets/src"

# Each room and those that it may import from besides itself. "." is main.js, which assembles the page, and parts.js,
# where it finds what only some cards carry.
ROOMS = {
    "lib": [],
    "model": ["lib"],
    "payload": ["model", "lib"],
    "store": ["model", "lib"],
    "dom": ["lib"],
    "view": ["store", "model", "dom", "lib"],
    "index": ["dom", "lib"],
    "frame": [],
    "parts": [".", "view", "store", "payload", "model", "dom", "lib"],
    ".": ["view", "store", "payload", "model", "dom", "lib"],
}
WITHOUT_A_PAGE = "lib", "model", "payload", "store"
STYLES = "css"

# Names that only a browser's page has; `history`, `location` and `screen` count only where they are not a member, a
# property or a variable of ours, which is why they must be followed by a member.
PAGE = re.compile(
    r"(?<![\w.'\"-])(?:document|window|navigator|localStorage|sessionStorage|globalThis)\s*(?:\.|\?\.|\[)"
    r"|(?<![\w.])(?:history|location)\s*\.(?:hash|href|pushState|replaceState|back)\b"
    r"|\b(?:getComputedStyle|matchMedia|requestAnimationFrame|addEventListener|querySelector\w*|alert)\s*\("
    r"|\b(?:HTML\w*Element|SVG\w*Element|ShadowRoot|DOMMatrix|ResizeObserver|MouseEvent)\b")


def without_comments(text):
    """A script whose comments and strings are blank; its lines are the same."""
    pattern = r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'"
    return re.sub(pattern, lambda found: "\n" * found[0].count("\n") or "''", text, flags=re.S)


def scripts(root):
    return sorted(root.rglob("*.js"))


def room_of(root, path):
    parts = path.relative_to(root).parts
    return parts[0] if len(parts) > 1 else "."


def imports(path):
    """What a script imports, and the modules whose types its comments name."""
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']*)'", text):
        yield (path.parent / name).resolve()


def wrong_imports(root):
    for path in scripts(root):
        room = room_of(root, path)
        if room not in ROOMS:
            yield f"{path.relative_to(root)}: {room}/ is not a room of the front end"
            continue
        for target in imports(path):
            if not target.is_file():
                yield f"{path.relative_to(root)}: there is no {target}"
            elif room_of(root, target) not in [room, *ROOMS[room]]:
                yield f"{path.relative_to(root)}: {room}/ must not know {target.relative_to(root)}"


def circles(root):
    """Scripts that import one another, in a circle; types do not count."""
    after = {}
    for path in scripts(root):
        code = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        after[path] = [(path.parent / name).resolve() for name in re.findall(r"\bfrom '(\.[^']*)'", code)]
    done = set()

    def visit(path, way):
        if path in way:
            yield " -> ".join(str(step.relative_to(root)) for step in [*way[way.index(path):], path])
        elif path not in done:
            for target in after.get(path, []):
                yield from visit(target, [*way, path])
            done.add(path)

    for path in after:
        yield from visit(path, [])


def page_words(root):
    for path in scripts(root):
        if room_of(root, path) not in WITHOUT_A_PAGE:
            continue
        for number, line in enumerate(without_comments(path.read_text(encoding="utf-8")).splitlines(), 1):
            if found := PAGE.search(line):
                yield f"{path.relative_to(root)}:{number}: {found[0]}"


def test_imports_go_one_way():
    assert list(wrong_imports(SOURCES)) == []


def test_no_scripts_import_one_another_in_a_circle():
    assert list(circles(SOURCES)) == []


def test_what_works_without_a_page_does_not_mention_one():
    assert list(page_words(SOURCES)) == []


def test_every_room_is_there_and_no_other():
    folders = {path.name for path in SOURCES.iterdir() if path.is_dir()} - {STYLES}
    assert folders == set(ROOMS) - {"."}


@pytest.mark.parametrize("room, script, problem", [
    ("lib", "import { sumUp } from '../model/calltree.js';", "lib/ must not know model/calltree.js"),
    ("lib", "/** @param {import('../model/calltree.js').Sums} sums */", "lib/ must not know model/calltree.js"),
    ("model", "import {\n    el,\n} from '../view/table.js';", "model/ must not know view/table.js"),
    ("view", "import '../main.js';", "view/ must not know main.js"),
    ("attic", "", "attic/ is not a room of the front end"),
    ("lib", "import { x } from './nowhere.js';", "there is no"),
])
def test_a_wrong_import_is_found(tmp_path, room, script, problem):
    for name, text in (("model/calltree.js", ""), ("view/table.js", ""), ("main.js", ""), (f"{room}/new.js", script)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = list(wrong_imports(tmp_path))
    assert len(found) == 1 and f"{room}/new.js" in found[0] and problem in found[0]


def test_a_circle_is_found(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/a.js").write_text("import { b } from './b.js';")
    (tmp_path / "lib/b.js").write_text("import { a } from './a.js';")
    assert list(circles(tmp_path)) == ["lib/a.js -> lib/b.js -> lib/a.js"]


@pytest.mark.parametrize("script", [
    "const width = window.innerWidth;",
    "document.body.append(1);",
    "/** @type {X} */\nconst x = document.createElement('p'); // a paragraph",
    "const style = getComputedStyle(element);",
    "if (element instanceof HTMLElement) element.focus();",
    "location.hash = '';",
])
def test_a_mention_of_the_page_is_found(tmp_path, script):
    (tmp_path / "model").mkdir()
    (tmp_path / "model/new.js").write_text(script)
    assert len(list(page_words(tmp_path))) == 1


@pytest.mark.parametrize("script", [
    "// the window of the run, as a document says it",
    "const { window } = state;",
    "if (state.window?.first) return state.window.last;",
    "const steps = history.bins;",
])
def test_words_that_only_look_like_the_page_are_not_found(tmp_path, script):
    (tmp_path / "model").mkdir()
    (tmp_path / "model/new.js").write_text(script)
    assert list(page_words(tmp_path)) == []
