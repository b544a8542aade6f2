# SPDX-License-Identifier: Apache-2.0
"""The alarm of a site names the function that grew, where one has at least half of the growth."""

import re
import struct

import pytest
from made_capture import capture

MIB = 1 << 20
WRITTEN = struct.pack("<qq", 1700000000000, 1700000001000)  # the times that made_capture writes
FILE = b"/app/load.py"


def made(number, held):
    """A run, a day after the one before; HELD: MiB by function."""
    start = 1_700_000_000_000 + number * 86_400_000
    blocks = [(name.encode(), FILE, round(size * MIB)) for name, size in held.items()]
    return capture(blocks, lines=True).replace(WRITTEN, struct.pack("<qq", start, start + 1000))


def alarm(site, *runs):
    """What the row of the job that grew says that it is about."""
    for number, held in enumerate(runs):
        site.put(f"n{number}/memory.bin", made(number, held))
        site.put(f"n{number}/run.json", '{"schema": "profrender/run/1", "name": "job"}')
    assert site.publish().status == 0
    index = site.index()
    row = index[index.index("id='grown'"):]
    return re.sub(r"<[^>]*>", "", re.search(r"<td class='what'>(.*?)</td>", row)[1])


BEFORE = {"load": 10, "keep": 30}


@pytest.mark.parametrize("now, said", [
    ({"load": 10, "keep": 60}, "peak heap, mostly in keep"),
    ({"load": 40, "keep": 30}, "peak heap, mostly in load"),
    ({"load": 10, "keep": 30, "rows": 30}, "peak heap, mostly in rows"),
    ({"load": 24, "keep": 44}, "peak heap"),
    ({"load": 10, "keep": 10, "rows": 60}, "peak heap, mostly in rows"),
], ids=["the-largest", "another", "a-new-one", "two-alike", "one-shrank"])
def test_the_function_that_grew_is_named(site, now, said):
    assert alarm(site, BEFORE, BEFORE, BEFORE, BEFORE, now) == said


def test_what_is_not_among_the_largest_held_less_than_they(site):
    """Eight others hold 40 MiB each before: a ninth may have held as much, and then it grew by less than half."""
    others, small = {f"f{number}": 40 for number in range(8)}, {"small": 1}
    assert alarm(site, *[{**others, **small}] * 4, {**others, "small": 60}) == "peak heap"
    assert alarm(site, *[{**others, **small}] * 4, {**others, "small": 99}) == "peak heap, mostly in small"


def test_the_list_keeps_who_holds_most_and_no_folder(site):
    alarm(site, *[BEFORE] * 4, {"load": 40, "keep": 30})
    assert site.entries()["n0"]["holders"] == [{"function": "keep", "file": "load.py", "bytes": 30 * MIB},
                                               {"function": "load", "file": "load.py", "bytes": 10 * MIB}]


def test_no_name_is_kept_that_was_redacted(site):
    for number in range(2):
        site.put(f"n{number}.bin", made(number, BEFORE))
    assert site.publish("--redact", "names", env={"PROFRENDER_REDACT_KEY": "0123456789abcdef"}).status == 0
    assert "keep" not in site.list_path.read_text() and "load.py" not in site.list_path.read_text()


def test_holders_of_a_strange_list_are_text_and_few(site):
    site.put("n0.bin", made(0, BEFORE))
    wrong = [{"function": "<b>x\x07", "file": "", "bytes": 5}, {"function": 1, "file": "", "bytes": 5}, "x", None,
             {"function": "y", "file": "", "bytes": -1}, {"function": "z" * 600, "file": "", "bytes": 1}]
    site.add(card="cards/x.html", holders=wrong + [{"function": "f", "file": "g", "bytes": 1}] * 99)
    (site.path / "cards").mkdir(exist_ok=True)
    (site.path / "cards/x.html").write_text("x")
    assert site.publish().status == 0
    kept = site.entries()["added.bin"]["holders"]
    other = {"function": "f", "file": "g", "bytes": 1}
    assert kept == [{"function": "<b>x\\x07", "file": "", "bytes": 5}, other, other]
