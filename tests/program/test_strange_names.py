# SPDX-License-Identifier: Apache-2.0
"""Hostile names: none of their raw bytes reach a terminal, all of them reach documents."""
import csv
import io
import random

import pytest
from made_capture import capture
from terminals import on_terminal

HOSTILE = [b"\x1b[2J\x1b]0;title\x07", b"a\nb\rc\td", b"\xff\xfe\x80", b"\xe2\x80\xaefdp.exe", b"\xc2\x9b31m", b"",
           b"</script><img src=x onerror=alert(1)>", b"=cmd|'/C calc'!A0", b'"quoted", and, commas', b"__proto__",
           b"\xed\xa0\x80 surrogate", b"\xf0\x9f\x98\x80 \xe5\x90\x8d\xe5\x89\x8d", b"x" * 100_000, b"%s%n%p"]


def harmful(output):
    """Everything that is neither a printable character nor a line end, in UTF-8."""
    text = output.decode("utf-8")
    bad = {c for c in text if c != "\n" and (ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2028\ufeff")}
    return sorted(map(repr, bad))


@pytest.fixture
def hostile(tmp_path):
    path = tmp_path / "hostile.bin"
    path.write_bytes(capture([(name, name, 1000 + i) for i, name in enumerate(HOSTILE)], b"job\x1b[31m.py", HOSTILE[0]))
    return path


@pytest.mark.parametrize("command", ["table", "stats", "info"])
def test_hostile_names_are_shown_escaped(command, hostile, program):
    done = program(command, hostile)
    assert done.status == 0
    assert not harmful(done.bytes)


def test_a_message_about_a_hostile_argument_is_escaped(hostile, program):
    done = program("table", hostile, "--limit=-\x1b[1m")
    assert done.status == 2
    assert not harmful(done.err.encode())


@pytest.mark.parametrize("words", [
    "table --color never", "table --format csv", "table --json", "stats --json", "info --json", "export",
    "export --format csv",
])
def test_nothing_raw_reaches_a_terminal(words, hostile, program):
    _, shown = on_terminal(program.path, *words.split(), hostile, "--quiet", columns=200)
    assert not harmful(shown)


def test_hostile_names_make_a_page(hostile, program):
    done = program("card", hostile, "-o", "-")
    page = done.bytes.decode("utf-8")
    assert done.status == 0
    assert page.count("<img src=x") == page.count("\x1b") == 0


@pytest.fixture(scope="module")
def names():
    """Hundreds of names, most of them not UTF-8."""
    source = random.Random(7)
    pieces = [b"\xe2\x82", b"\xf0\x9f", b"\xed\xa0", b"\xc3\xa9", b"\xf4\x90", b"\xc0", b"abc", b"\x80\x80",
              b"\xe2\x82\xac"]
    names = HOSTILE + [b"".join(source.choice(pieces) for _ in range(source.randrange(1, 9))) for _ in range(400)]
    names += [bytes(source.choice(range(1, 256)) for _ in range(source.randrange(1, 12))) for _ in range(400)]
    return sorted(set(names))


@pytest.fixture(scope="module")
def named(names, tmp_path_factory):
    path = tmp_path_factory.mktemp("names") / "names.bin"
    path.write_bytes(capture([(name, b"f.py", 100 + i) for i, name in enumerate(names)]))
    return path


@pytest.mark.parametrize("words, how", [([], "replace"), (["--raw-names"], "surrogateescape")], ids=["", "raw"])
def test_json_has_every_name_as_python_decodes_it(words, how, names, named, program):
    got = {r["size"]: r["stack"][0][0] for r in program("export", named, *words).json()["records"]}
    wrong = [name for i, name in enumerate(names) if got.get(100 + i) != name.decode("utf-8", how)]
    assert not wrong, f"{wrong[:5]}"


@pytest.mark.parametrize("command, at", [("table", 0), ("export", 5)])
def test_csv_has_every_name(command, at, names, named, program):
    text = program(command, "--format", "csv", "--raw", named).bytes.decode("utf-8")
    rows = list(csv.reader(io.StringIO(text, newline="")))[1:]
    got = {row[at].rsplit(";f.py;", 1)[0] for row in rows}
    assert len(rows) == len(names)
    wrong = [name for name in names if name.decode("utf-8", "replace") not in got]
    assert not wrong, f"{wrong[:5]}"
