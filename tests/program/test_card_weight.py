# SPDX-License-Identifier: Apache-2.0
"""A card carries what it needs: with almost no data it is small, and what it says it needs is in it."""

import base64
import hashlib
import re

import pytest

MOST_BYTES = 170_000

CASES = {
    "one.folded": b"main;work 10\n",
    "two.folded": b"main;work 3\nmain;idle 2\n",
    "nothing.folded": b"main 0\n",
    "run.time": b"\tCommand being timed: \"true\"\n\tUser time (seconds): 0.01\n\tSystem time (seconds): 0.00\n"
                b"\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:00.02\n"
                b"\tMaximum resident set size (kbytes): 1024\n\tExit status: 0\n",
    "memory.mprof": b"CMDLINE python job.py\nMEM 1.5 100.0\nMEM 2.5 101.0\n",
}


def card(program, tmp_path, name, content, *options):
    (tmp_path / name).write_bytes(content)
    # The page repeats the words of the command: a path of this machine is not part of its weight.
    done = program("card", name, *options, "-o", "card.html", cwd=tmp_path)
    assert done.status == 0, done
    return (tmp_path / "card.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_a_card_with_almost_no_data_is_small(program, tmp_path, name):
    page = card(program, tmp_path, name, CASES[name])
    assert len(page.encode()) < MOST_BYTES


@pytest.mark.parametrize("name", CASES)
def test_the_policy_has_the_hashes_of_what_the_card_carries(program, tmp_path, name):
    page = card(program, tmp_path, name, CASES[name])
    for element in "style", "script":
        text = re.search(rf"<{element}>(.*?)</{element}>", page, re.S)[1]
        known = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{known}'" in page


def test_a_run_without_a_profile_carries_no_flamegraph(program, tmp_path):
    assert len(card(program, tmp_path, "run.time", CASES["run.time"])) < MOST_BYTES * 0.6


def test_cards_that_share_their_files_share_all_parts(program, tmp_path):
    names = {name: sorted(re.findall(r"profrender-\w+\.(?:js|css)", card(program, tmp_path, name, content, "--split")))
             for name, content in CASES.items()}
    assert len({tuple(found) for found in names.values()}) == 1


def test_up_to_three_figures_are_a_line_of_the_header(program, tmp_path):
    header, main = card(program, tmp_path, "memory.mprof", CASES["memory.mprof"]).split("<main>")
    main = main.split("</main>")[0]
    assert re.findall(r"<dt>(.*?)</dt>", header) == ["Duration", "Peak memory"]
    assert "<dt>" not in main
    assert "<div class='few' id='profile'>" in header  # the link that skips to the profile leads somewhere


def test_more_figures_have_a_panel(program, samples, tmp_path):
    capture = (samples / "daily-sales.bin").read_bytes()
    header, main = card(program, tmp_path, "capture.bin", capture).split("<main>")
    assert "<dt>" not in header
    assert len(re.findall(r"<dt>", main)) > 3
