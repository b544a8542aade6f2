# SPDX-License-Identifier: Apache-2.0
"""What a difference says of two profiles: what moved has not grown, and what grew in changed code comes first. The
terminal, JSON, Markdown and the card say the same."""

import html
import re
import subprocess

import pytest
from captures import MIB, Allocation, write
from test_moved import MOVES, base, stack

TABLE = "/ci/app/tables.py"


@pytest.fixture
def pair(tmp_path):
    def make(before, after):
        return (write(tmp_path / "old.bin", base() + before), write(tmp_path / "new.bin", base() + after))

    return make


def card_of(program, tmp_path, *words):
    """The findings of the card, as people read them, a line each."""
    card = tmp_path / "card.html"
    assert program("diff", *words, "-o", card).status == 0
    found = re.search(r"<ol class='findings'>.*?</ol>", card.read_text(encoding="utf-8"), re.S)
    plain = html.unescape(re.sub(r"<[^>]*>", "", found.group(0) if found else ""))
    return plain.replace("\u200b", "").replace("\u00a0", " ").splitlines()


@pytest.mark.parametrize("kind", MOVES)
def test_what_moved_is_said_to_have_moved(program, pair, tmp_path, kind):
    old, new = pair(*MOVES[kind])
    document = program("diff", old, new, "--json").json()
    moved = document["moved"]
    if kind == "called from elsewhere":  # the function itself has what it had
        assert moved == []
        return
    assert moved and all(abs(row["change"]) >= 8 * MIB for row in moved)
    first = moved[0]
    assert (first["other"]["function"], first["other"]["file"]) in [(row["function"], row["file"]) for row in moved]
    come, gone = ((first, first["other"]) if first["change"] > 0 else (first["other"], first))
    amount = f"{abs(first['change']) / MIB:.1f} MiB"
    sentence = f"⇄ {amount} moved from {gone['function']} to {come['function']}"
    assert f"\n  {sentence}: it did not " in program("diff", old, new).out
    coded = f"⇄ {amount} moved from `{gone['function']}` to `{come['function']}`: it did not "
    assert f"\n- {coded}" in program("diff", old, new, "--format", "markdown").out
    assert [line for line in card_of(program, tmp_path, old, new) if sentence in line]


@pytest.mark.parametrize("by", ["self", "own", "total", "path"])
def test_what_moved_does_not_depend_on_the_rows(program, pair, by):
    old, new = pair(*MOVES["renamed"])
    moved = program("diff", old, new, "--json", "--by", by).json()["moved"]
    assert {row["function"]: row["change"] for row in moved} == {"load": -20 * MIB, "load_rows": 20 * MIB}


@pytest.mark.parametrize(("before", "after"), [((20, 9), (25, 1)), ((20, 20), (40, 25)), ((5, 0), (5, 0))])
def test_what_grew_beside_something_that_shrank_has_not_moved(program, pair, tmp_path, before, after):
    held = [[Allocation(stack(name), size * MIB) for name, size in zip(("load", "keep"), sizes) if size]
            for sizes in (before, after)]
    old, new = pair(*held)
    assert program("diff", old, new, "--json").json()["moved"] == []
    assert "⇄" not in program("diff", old, new).out + program("diff", old, new, "--format", "markdown").out
    assert not [line for line in card_of(program, tmp_path, old, new) if "⇄" in line]


def test_little_that_moved_is_no_sentence(program, pair):
    """Less than a hundredth of the whole; JSON has it."""
    old, new = pair([Allocation(stack("load"), 1000 * MIB), Allocation(stack("a"), 4 * MIB)],
                    [Allocation(stack("load"), 1000 * MIB), Allocation(stack("b"), 4 * MIB)])
    assert "⇄" not in program("diff", old, new).out
    assert {row["function"] for row in program("diff", old, new, "--json").json()["moved"]} == {"a", "b"}


@pytest.fixture
def grown(pair):
    """`table` grew by 3 MiB in a file of its own, `load` by 10, `tiny` by little."""
    def held(load, table, tiny):
        return [Allocation(stack("load"), load * MIB), Allocation(stack("table", file=TABLE), table * MIB),
                Allocation(stack("tiny", file="/ci/app/tiny.py"), tiny * MIB // 10)]

    return pair(held(10, 10, 10), held(20, 13, 11))


def numstat(*names):
    return "".join(f"3\t1\t{name}\n" for name in names)


def order(program, words, pair, changes, tmp_path):
    path = tmp_path / "changes"
    path.write_text(changes)
    rows = program("diff", *pair, "--json", "--changes", path, *words).json()["rows"]
    return [(row["function"], row["changed"]) for row in rows if row["change"] > 0]


@pytest.mark.parametrize(("changes", "first"), [
    ("", [("load", "no"), ("table", "no"), ("tiny", "no")]),
    (numstat("app/tables.py"), [("table", "file"), ("load", "no"), ("tiny", "no")]),
    (numstat("app/tables.py", "app/job.py"), [("load", "file"), ("table", "file"), ("tiny", "no")]),
    (numstat("app/tiny.py"), [("load", "no"), ("table", "no"), ("tiny", "file")]),
    (numstat("app/{old => }/tables.py"), [("table", "file"), ("load", "no"), ("tiny", "no")]),
    (numstat("{lib => app}/tables.py"), [("table", "file"), ("load", "no"), ("tiny", "no")]),
    (numstat("other.py => tables.py"), [("table", "file"), ("load", "no"), ("tiny", "no")]),
    (numstat("tables.py => other.py", "{app => lib}/tables.py"), [("load", "no"), ("table", "no"), ("tiny", "no")]),
    ("-\t-\tapp/tables.py\n", [("table", "file"), ("load", "no"), ("tiny", "no")]),
    ('1\t0\t"app/t\\141bles.py"\n', [("table", "file"), ("load", "no"), ("tiny", "no")]),
    ("+++ b/app/tables.py\n@@ -10 +10 @@\n-a\n+b\n", [("table", "line"), ("load", "no"), ("tiny", "no")]),
])
def test_what_grew_in_changed_code_comes_first(program, grown, tmp_path, changes, first):
    """Unless it is next to nothing."""
    assert order(program, [], grown, changes, tmp_path) == first


def test_what_shrank_is_no_suspect(program, grown, tmp_path):
    assert order(program, [], grown[::-1], numstat("app/tables.py"), tmp_path) == []
    out = program("diff", *grown[::-1], "--changes", tmp_path / "changes").out
    assert out.index("load") < out.index("table")


def test_every_form_names_the_suspects(program, grown, tmp_path):
    path = tmp_path / "changes"
    path.write_text(numstat("app/tables.py"))
    text = program("diff", *grown, "--changes", path, "--width", "150").out
    assert re.search(r"table +/ci/app/tables\.py:\d+, in a changed file\n", text) and text.count("changed file") == 1
    markdown = program("diff", *grown, "--changes", path, "--format", "markdown").out
    rows = [line for line in markdown.splitlines() if "MiB" in line and "`" in line and "| " in line[:2]]
    assert "`table`" in rows[0] and "in a changed file |" in rows[0] and "changed" not in rows[1]
    findings = [line for line in card_of(program, tmp_path, *grown, "--changes", path) if "▲" in line]
    assert findings[0].startswith("table ▲ 3.00 MiB at tables.py")
    assert ", in a changed file: 10.0 MiB before" in findings[0]
    assert findings[1].startswith("load ▲ 10.0 MiB") and "changed" not in findings[1]
    path.write_text("+++ b/app/tables.py\n@@ -10 +10 @@\n-a\n+b\n")
    assert "tables.py:10, changed here\n" in program("diff", *grown, "--changes", path, "--width", "150").out


def test_without_changes_nothing_is_said_of_them(program, grown, tmp_path):
    rows = program("diff", *grown, "--json").json()["rows"]
    assert {row["changed"] for row in rows} == {None}
    assert "changed" not in program("diff", *grown).out + "".join(card_of(program, tmp_path, *grown))


def test_numstat_of_git_itself(program, grown, tmp_path):
    """With a file that was renamed, one with a name that git quotes, and one that is binary."""
    def git(*words):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tmp_path, check=True,
                              capture_output=True, text=True).stdout

    git("init", "-q")
    (tmp_path / "app").mkdir()
    (tmp_path / "app/old.py").write_text("line\n" * 50)
    (tmp_path / "té\tst.py").write_text("a\n")
    git("add", "app", "té\tst.py")
    git("commit", "-qm", "a")
    git("mv", "app/old.py", "app/tables.py")
    (tmp_path / "té\tst.py").write_text("b\n")
    (tmp_path / "x.png").write_bytes(b"\0\1")
    git("add", "app", "té\tst.py", "x.png")
    git("commit", "-qm", "b")
    stat = git("diff", "-M", "--numstat", "HEAD~..HEAD")
    assert "{old.py => tables.py}" in stat and '"t' in stat and "-\t-\t" in stat
    assert order(program, [], grown, stat, tmp_path)[0] == ("table", "file")


@pytest.mark.parametrize("text", ["hello\n", "3\t1\n", "3 1 app/x.py\n", "\t\t\n", "x\t1\tapp/x.py\n"])
def test_other_text_is_refused(program, grown, tmp_path, text):
    path = tmp_path / "changes"
    path.write_text(text)
    answer = program("diff", *grown, "--changes", path)
    assert (answer.status, answer.out) == (3, "") and "nor the output of --numstat" in answer.err


def test_hostile_names_are_harmless(program, pair, tmp_path):
    name = "f|`<b>\x1b[31m\u202e](x)"
    old, new = pair([Allocation(stack("load"), 20 * MIB)], [Allocation(stack(name), 20 * MIB)])
    for words in ([], ["--format", "markdown"]):
        out = program("diff", old, new, *words).out
        assert "⇄" in out and "\x1b" not in out and "\u202e" not in out
    assert any("f|`<b>" in line for line in card_of(program, tmp_path, old, new))
