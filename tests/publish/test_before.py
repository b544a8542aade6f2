# SPDX-License-Identifier: Apache-2.0
"""What a card of a site says of the runs before it: how its figures differ, and whether that is within the tolerance of
`check`."""

import json
import os
import shutil
import struct

import pytest
from made_capture import capture
from sites import Site, said_of_the_runs_before

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
    assert said(site, name) == ""
    assert "before" not in site.entries()[name]


@pytest.mark.parametrize("mib, words", [(10, "Peak heap as in the run before"),
                                        (10.1, "Peak heap as in the run before"),
                                        (10.3, "Peak heap +3.0 % against the run before, within tolerance"),
                                        (20, "Peak heap +100 % against the run before"),
                                        (5, "Peak heap −50.0 % against the run before")])
def test_two_runs_are_compared(site, mib, words):
    put(site, 1, 10)
    name = put(site, 2, mib)
    site.publish()
    assert said(site, name) == f"{words} · Duration as in the run before"


def test_many_runs_are_compared_by_their_median_and_times_in_seconds(site):
    for number in range(1, 10):
        put(site, number, 10, 300 + number % 3)
    name = put(site, 10, 15, 30)
    site.publish()
    assert said(site, name) == ("Peak heap +50.0 % against the median of the 9 runs before · "
                                "Duration 4 min 31 s less than the median of the 9 runs before")


def test_a_time_that_rises_slowly_is_not_as_it_was(site):
    for number in range(1, 10):
        put(site, number, 10, 100 + number)
    name = put(site, 10, 10, 116)
    site.publish()
    assert said(site, name).endswith("Duration 11.0 s more than the median of the 9 runs before, within tolerance")


def test_runs_that_stay_at_a_new_level_are_compared_with_those_before_it(site):
    for number in range(1, 9):
        put(site, number, 10)
    later = [put(site, number, 20) for number in (9, 10, 11)]
    site.publish()
    assert [said(site, name).split(" · ")[0] for name in later] == [
        "Peak heap +100 % against the median of the 8 runs before",
        "Peak heap +100 % against the median of the 8 runs before 009",
        "Peak heap +100 % against the median of the 8 runs before 009"]


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
    assert said(site, name).startswith("Peak heap +100 % against the run before 002")
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
    assert said(site, failed) == ""
    assert said(site, name).startswith("Peak heap as in the run before")


def test_when_the_runs_before_are_pruned_the_card_no_longer_speaks_of_them(site):
    put(site, 1, 10)
    name = put(site, 2, 20)
    site.publish()
    for path in (site.runs / "n01").iterdir():
        path.unlink()
    (site.runs / "n01").rmdir()
    site.publish("--prune")
    assert said(site, name) == "" and "before" not in site.entries()[name]


def test_a_card_with_it_is_still_one_of_ours_and_speaks_of_its_own_site(site, program, tmp_path):
    put(site, 1, 10)
    name = put(site, 2, 20, run="<b>&\u202e")
    put(site, 3, 20)
    site.publish()
    page = site.card("n03")
    assert said(site, "n03").startswith("Peak heap +100 % against the run before &lt;b&gt;&amp;")
    (tmp_path / "other").mkdir()
    other = Site(program, tmp_path / "other")
    for card in (page, site.card(name)):
        other.put(card.name, card.read_bytes())
    other.publish()
    entries = other.entries()
    assert {entry["status"] for entry in entries.values()} == {"recorded"}
    assert all(said(other, source) == "" for source in entries)
