# SPDX-License-Identifier: Apache-2.0
"""What holds for every line: a licence, 120 columns, and nothing that points at a machine or a registry."""

import re
from pathlib import Path

from sources import CODE, find, nothing, read, tracked

MAX_LINE = 120
# A page may be read as text, to be saved; it is never made of text.
NO_ASSEMBLY = (r"innerHTML|outerHTML\s*\+?=|insertAdjacentHTML|document\.write|createContextualFragment|\beval\b|"
               r"new Function")


def is_text(path):
    try:
        return "\0" not in read(path)
    except UnicodeDecodeError:
        return False


def code():
    return [path for path in tracked() if path.suffix in CODE]


def text():
    return [path for path in tracked() if is_text(path) and not re.search(r"(^|\.)expected\.", path.name)]


def wrong_spdx(path):
    lines = read(path).splitlines()
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    mark = re.compile(r"(//|/\*|#) SPDX-License-Identifier: Apache-2.0\b")
    return [number for number, line in enumerate(lines) if mark.match(line)] != [0]


def test_one_licence_line_a_file():
    nothing(path for path in [*code(), Path("Makefile")] if wrong_spdx(path))


def test_lines_fit():
    nothing(f"{path}:{number}: {len(line)} columns" for path in code()
            for number, line in enumerate(read(path).splitlines(), 1) if len(line) > MAX_LINE)


def test_no_tabs_and_no_blanks_at_the_end_of_a_line():
    nothing(find(r"\t|\s+$", code()))


def test_no_host_of_a_registry():
    # In pieces, so that this file is not the first one found.
    hosts = r"npm" r"js\.org|py" r"pi\.org|python" r"hosted\.org|crates" r"\.io|deb" r"\.debian\.org"
    nothing(find(hosts, text()))


def test_no_path_of_a_machine():
    nothing(find(r"(?<![\w./-])/" r"(?:root|work)/", text()))


def test_no_unfinished_business():
    nothing(find(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b", code()))


def test_no_conflict_is_left():
    nothing(find(r"^(?:<{7}|>{7}|\|{7})(?: |$)", text()))


def test_no_addresses_in_the_lock_file():
    nothing(find(r'"resolved"', [Path("package-lock.json")]))


def test_the_page_assembles_no_html_from_text():
    nothing(find(NO_ASSEMBLY, [path for path in tracked() if path.suffix in (".js", ".mjs")
                               and str(path).startswith("assets/src/")]))


def entries_told_twice(text):
    """Pairs of entries that share most of their words: a merge brings back an entry that was reworded meanwhile."""
    entries = re.split(r"(?m)^- ", text)[1:]
    words = [set(re.findall(r"\w+", entry.lower())) for entry in entries]
    return [(entries[i].splitlines()[0], entries[j].splitlines()[0]) for i in range(len(words)) for j in range(i)
            if len(words[i] & words[j]) > 0.55 * len(words[i] | words[j])]


def test_no_change_is_listed_twice():
    changes = read(Path("CHANGELOG.md"))
    nothing(entries_told_twice(changes))
    reworded = "- `frame` reads CSV in 70 % of the time, as it finds separators 64 bytes at a time.\n"
    assert entries_told_twice(reworded + reworded.replace("finds", "looks for"))
