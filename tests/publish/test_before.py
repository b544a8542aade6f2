# SPDX-License-Identifier: Apache-2.0
"""What a card of a site says of the runs before it: how its figures differ, and whether that is within the tolerance of
`check`."""

import json
import os
import re
import shutil
import struct

import pytest
from made_capture import capture
from sites import RUNS_BEFORE, Site, said_of_the_runs_before

MIB = 1 << 20
DAY_MS = 86_400_000
WRITTEN = struct.pack("<qq", 1700000000000, 1700000001000)  # the times that made_capture writes


def put(site, number, mib, seconds=100, run=None, **more):
    """Run NUMBER of a job: its peak, how long it took."""
    start = 1_700_000_000_000 + number * DAY_MS
    made = capture([(b"load", b"/app/load.py", int(mib * MIB))], lines=True)
    assert made.count(WRITTEN) == 1
    name = f"n{number:02}"
    site.put(f"{name}/memory.bin", made.replace(WRITTEN, struct.pack("<qq", start, start + seconds * 1000)))
    words = {"schema": "profrender/run/1", "flow": "sales", "step": "load", "run": run or f"{number:03}", **more}
    site.put(f"{name}/run.json", json.dumps(words))
    return name


def said(site, name):
    return said_of_the_runs_before(site.card(name))


def bytes_of(site):
    return {path.relative_to(site.path): path.read_bytes() for path in site.path.rglob("*") if path.is_file()}


def test_the_first_run_has_nothing_to_compare_with(site):
    name = put(site, 1, 10)
    site.publish()
    assert not any(said(site, name).values())
    assert "before" not in site.entries()[name]


@pytest.mark.parametrize("mib, words", [(10, "as in the run before"),
                                        (10.1, "as in the run before"),
                                        (10.3, "+3.0 % against the run before, within tolerance"),
                                        (20, "+100 % against the run before"),
                                        (5, "−50.0 % against the run before")])
def test_two_runs_are_compared(site, mib, words):
    put(site, 1, 10)
    name = put(site, 2, mib)
    site.publish()
    told = said(site, name)
    assert (told["heap"], told["time"]) == (words, "as in the run before")


def test_a_comparison_is_in_the_cell_of_its_figure(site):
    put(site, 1, 10)
    name = put(site, 2, 20)
    site.publish()
    cells = re.findall(r"<div class='stat'><dt>(.*?)</dt>(.*?)</div>", site.card(name).read_text())
    told = {title: said for title, cell in cells for said in re.findall(r"id='pr-before-\w+'>(.+?)</dd>", cell)}
    assert set(told) == {"Duration", "Peak heap"} and "+100" in told["Peak heap"]


@pytest.mark.parametrize("limits, cell", [({}, "Peak memory"), ({"memory_max": 1 << 30}, "Peak RSS")])
def test_where_no_heap_was_recorded_the_cell_with_resident_memory_has_it(site, limits, cell):
    """Below a limit, peak memory is what the system charges to the job: another figure, which the index does not
    compare."""
    for number, mib in (1, 100), (2, 150):
        lines = [{"type": "start", "version": 1, "t": 1_700_000_000 + 1000 * number,
                  "limits": limits},
                 {"ts": 0.0, "rss_mb": 20, "cg_mem_mb": 300},
                 {"ts": 1.0, "rss_mb": mib, "cg_mem_mb": 400},
                 {"type": "end", "t": 2.0, "wall": 2, "exit": 0}]
        site.put(f"r{number}/timeline.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        site.put(f"r{number}/run.json", json.dumps({"schema": "profrender/run/1", "flow": "sales", "step": "load"}))
    site.publish()
    cells = re.findall(r"<dt>([^<]*)</dt><dd class='v' title='([^']*)'>.*?id='pr-before-rss'>(.*?)</dd>",
                       site.card("r2").read_text())
    (title, exact, told), = cells
    assert title == cell and "157,286,400" in exact and "+50.0" in told

def test_many_runs_are_compared_by_their_median_and_times_in_seconds(site):
    for number in range(1, 10):
        put(site, number, 10, 300 + number % 3)
    name = put(site, 10, 15, 30)
    site.publish()
    told = said(site, name)
    assert told["heap"] == "+50.0 % against the median of the 9 runs before"
    assert told["time"] == "4 min 31 s less than the median of the 9 runs before"


def test_a_time_that_rises_slowly_is_not_as_it_was(site):
    for number in range(1, 10):
        put(site, number, 10, 100 + number)
    name = put(site, 10, 10, 116)
    site.publish()
    assert said(site, name)["time"] == "11.0 s more than the median of the 9 runs before, within tolerance"


def test_runs_that_stay_at_a_new_level_are_compared_with_those_before_it(site):
    for number in range(1, 9):
        put(site, number, 10)
    later = [put(site, number, 20) for number in (9, 10, 11)]
    site.publish()
    assert [said(site, name)["heap"] for name in later] == [
        "+100 % against the median of the 8 runs before",
        "+100 % against the median of the 8 runs before 009",
        "+100 % against the median of the 8 runs before 009"]


def published(program, folder, order, at_once):
    """What a site of these runs consists of. The folder is the same each time: cards name it."""
    folder.mkdir()
    site = Site(program, folder)
    for number in order:
        name = put(site, number, 10 * number)
        for path in (site.runs / name).iterdir():
            os.utime(path, (1_700_000_000, 1_700_000_000))
        if not at_once:
            assert site.publish().status == 0
    assert site.publish().status == 0
    made = bytes_of(site)
    shutil.rmtree(folder)
    return made


def test_it_does_not_matter_in_which_order_runs_are_published(program, tmp_path):
    at_once = published(program, tmp_path / "site", [1, 2, 3, 4], True)
    assert sum(b"against the run before" in page for name, page in at_once.items() if name.parent.name == "cards") == 3
    for order in ([1, 2, 3, 4], [4, 2, 1, 3]):
        assert published(program, tmp_path / "site", order, False) == at_once


def test_a_run_that_comes_later_and_was_before_changes_what_is_said(site):
    put(site, 1, 10)
    name = put(site, 3, 20)
    site.publish()
    before = {path: path.stat().st_ino for path in (site.card(name), site.card("n01"))}
    put(site, 2, 20)
    site.publish()
    assert said(site, name)["heap"] == "+100 % against the run before 002"
    changed = [path for path, inode in before.items() if path.stat().st_ino != inode]
    assert changed == [site.card(name)], "the other card says what it said"


def test_nothing_is_written_where_nothing_changed(site):
    for number in range(1, 4):
        put(site, number, 10 * number)
    site.publish()
    before = bytes_of(site)
    inodes = {path: path.stat().st_ino for path in (site.path / "cards").iterdir()}
    site.publish()
    assert bytes_of(site) == before
    assert {path: path.stat().st_ino for path in (site.path / "cards").iterdir()} == inodes


def test_runs_that_failed_are_not_compared(site):
    put(site, 1, 10)
    failed = put(site, 2, 40)
    site.put(f"{failed}/stderr.log",
             'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\nValueError: no\n')
    name = put(site, 3, 10)
    site.publish()
    assert not any(said(site, failed).values())
    assert said(site, name)["heap"] == "as in the run before"


def test_when_the_runs_before_are_pruned_the_card_no_longer_speaks_of_them(site):
    put(site, 1, 10)
    name = put(site, 2, 20)
    site.publish()
    for path in (site.runs / "n01").iterdir():
        path.unlink()
    (site.runs / "n01").rmdir()
    site.publish("--prune")
    assert not any(said(site, name).values()) and "before" not in site.entries()[name]


def test_a_card_with_it_is_still_one_of_ours_and_speaks_of_its_own_site(site, program, tmp_path):
    put(site, 1, 10)
    name = put(site, 2, 20, run="<b>&\u202e")
    put(site, 3, 20)
    site.publish()
    page = site.card("n03")
    assert said(site, "n03")["heap"].startswith("+100 % against the run before &lt;b&gt;&amp;")
    (tmp_path / "other").mkdir()
    other = Site(program, tmp_path / "other")
    for card in (page, site.card(name)):
        other.put(card.name, card.read_bytes())
    other.publish()
    entries = other.entries()
    assert {entry["status"] for entry in entries.values()} == {"recorded"}
    assert not any(text for source in entries for text in said(other, source).values())


@pytest.mark.parametrize("has_place", [True, False], ids=["the place has it", "no place"])
def test_a_card_that_would_not_change_is_not_written(site, has_place):
    put(site, 1, 10)
    name = put(site, 2, 20)
    site.publish()
    card, document = site.card(name), site.document()
    if not has_place:
        card.write_bytes(RUNS_BEFORE.sub(b"", card.read_bytes()))
    for run in document["runs"]:
        run.pop("before", None)
    site.list_path.write_text(json.dumps(document))
    written = card.stat()
    site.publish()
    assert (card.stat().st_ino, card.stat().st_mtime_ns) == (written.st_ino, written.st_mtime_ns)
    assert site.entries()[name]["before"]
