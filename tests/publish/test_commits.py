# SPDX-License-Identifier: Apache-2.0
"""The index names the commit since which a level is there, and links it where it was told how."""

import re
import struct

import pytest
from made_capture import capture

MIB = 1 << 20
WRITTEN = struct.pack("<qq", 1700000000000, 1700000001000)  # the times that made_capture writes
URL = "https://git.example.com/app/commit/{commit}"


def commit(number):
    return f"c{number}ffee".ljust(40, "0")


@pytest.fixture
def grown(program, site):
    """Ten runs by the recorder, a commit each; the sixth and all after it hold more."""
    for number in range(10):
        start = 1_700_000_000_000 + number * 86_400_000
        made = capture([(b"load", b"/app/load.py", (10 if number < 5 else 14) * MIB)], lines=True)
        run = site.runs / f"n{number}"
        answer = program("record", "--name", "job", "-o", run, "--", "true", env={"GITHUB_SHA": commit(number)})
        assert answer.status == 0
        (run / "memory.bin").write_bytes(made.replace(WRITTEN, struct.pack("<qq", start, start + 1000)))
        for name in ("timeline.jsonl", "notes.md"):
            (run / name).unlink(missing_ok=True)
        described = (run / "run.json").read_text()
        described = re.sub(r'"start_ms":\s*\d+', f'"start_ms": {start}', described)
        (run / "run.json").write_text(re.sub(r'"end_ms":\s*\d+', f'"end_ms": {start + 1000}', described))
    return site


def since(index):
    """Of the job that grew and of its trend: what is said of the run of the change."""
    news, trends = index.index("id='grown'"), index.index("id='trends'")
    against = index.index("class='against'", trends)
    return index[news:index.index("</section>", news)], index[against:index.index("</p>", against)]


def test_a_change_names_its_commit(grown):
    assert grown.publish().status == 0
    assert [run["commit"] for _, run in sorted(grown.entries().items())] == [commit(n) for n in range(10)]
    for part in since(grown.index()):
        assert f"<code title='{commit(5)}'>c5ffee0000</code>" in part
        assert "git.example.com" not in part


def test_a_commit_is_linked_where_asked_and_only_then(grown):
    assert grown.publish("--commit-url", URL).status == 0
    for part in since(grown.index()):
        assert f"<a href='https://git.example.com/app/commit/{commit(5)}' rel='noreferrer'>" in part
    assert grown.publish().status == 0
    assert "git.example.com" not in grown.index()


def test_what_could_not_be_a_commit_is_text(grown):
    """A list may come from anywhere: a name that means more in an address is no link."""
    for path in grown.runs.glob("*/run.json"):
        path.write_text(re.sub(r'"c\dffee0+"', r'"../x?a=1\"><script>"', path.read_text()))
    assert grown.publish("--commit-url", URL).status == 0
    index = grown.index()
    assert "<code title='../x?a=1&quot;&gt;&lt;script&gt;'>" in index and "git.example.com" not in index


@pytest.mark.parametrize("words", [["--commit-url", "javascript:{commit}"], ["--commit-url", "https://example.com/"],
                                   ["--commit-url", URL, "--redact", "names"]])
def test_an_address_that_cannot_be_one_is_refused(site, words):
    answer = site.publish(*words, env={"PROFRENDER_REDACT_KEY": "0123456789abcdef"})
    assert answer.status == 2 and "--commit-url" in answer.err


def test_redacted_names_hide_the_commit(grown):
    assert grown.publish("--redact", "names", env={"PROFRENDER_REDACT_KEY": "0123456789abcdef"}).status == 0
    assert commit(5) not in grown.index() and commit(5) not in grown.list_path.read_text()
