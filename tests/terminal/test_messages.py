# SPDX-License-Identifier: Apache-2.0
"""Messages that say what is wrong in words, and what to do."""

import pytest

SAMPLE = "daily-sales.bin"


@pytest.mark.parametrize("text, words",
    [ (b"hello world, this is text\n",
    'it is text, and begins with "hello world, thi"'),
    (b"#!/bin/sh\necho\n",
    '"#!/bin/sh"'),
    (b"<!DOCTYPE html><title>x</title>",
    "an HTML page; give the capture"),
    (b"<svg xmlns='x'></svg>",
    "a picture (SVG)"),
    (b"\x01\x02\x03\x04\x05",
     "it starts with the bytes 01 02 03 04 05")])
def test_an_input_of_unknown_format_is_described(program, tmp_path, text, words):
    path = tmp_path / "x.txt"
    path.write_bytes(text)
    answer = program("table", path)
    assert answer.status == 3 and words in answer.err, answer.err


def test_a_card_and_a_document_of_ours_are_known_as_such(program, samples, tmp_path):
    for name, *how in ("c.html", "card"), ("t.json", "table", "--json"):
        made = tmp_path / name
        assert program(*how, samples / SAMPLE, "-o", made).status == 0
        answer = program("table", made)
        assert answer.status == 3 and "give the capture that it was made of" in answer.err, answer.err


@pytest.mark.parametrize("words, reason", [
    (["table", "--limit", "9" * 30, "x"], "is too large"), (["table", "--limit", "many", "x"], "takes a whole number"),
    (["-v"], "there is no option -v"), (["-o", "x"], "the command comes first"),
    (["--quiet"], "the command comes first"),
    (["--nonsense"], "there is no option --nonsense"),
    (["publish"], "publish needs a folder: profrender publish runs/")])
def test_a_slip_of_the_hand_is_named(program, words, reason):
    answer = program(*words)
    assert answer.status == 2 and reason in answer.err, answer.err


def test_an_output_without_its_option_is_recognised(program, samples, tmp_path):
    answer = program("card", samples / SAMPLE, tmp_path / "out.html")
    assert answer.status == 3 and "does not exist; to write it: -o " in answer.err


def test_an_unknown_metric_is_called_one(program, samples):
    answer = program("table", samples / SAMPLE, "--metric", "foo")
    assert answer.status == 2 and "there is no metric 'foo'" in answer.err


def test_a_digest_says_how_to_make_the_one_that_is_wanted(program, samples, tmp_path):
    digest = tmp_path / "d.prz"
    assert program("digest", samples / SAMPLE, "-o", digest).status == 0
    answer = program("table", digest, "--temporary-threshold", "3")
    assert answer.status == 3 and "profrender digest --temporary-threshold 3" in answer.err


@pytest.fixture
def inputs(samples, tmp_path):
    broken = tmp_path / "broken.bin"
    broken.write_bytes(b"\0\1\2 no capture")
    return samples / SAMPLE, broken, samples / "json_dict-py3.10-memray1.10.0-default.bin", tmp_path / "absent.bin"


def test_a_sum_ends_at_an_input_that_cannot_be_read(program, inputs, tmp_path):
    assert program("merge", *inputs, "-o", tmp_path / "all.prz").status == 3
    assert not (tmp_path / "all.prz").exists()


def test_a_sum_goes_on_without_those_that_cannot_be_read_where_asked_to(program, inputs, tmp_path):
    good, without = tmp_path / "good.prz", tmp_path / "all.prz"
    assert program("merge", inputs[0], inputs[2], "-o", good).status == 0
    answer = program("merge", "--skip-unreadable", *inputs, "-o", without)
    assert answer.status == 0 and "the sum covers 2 of 4 inputs" in answer.err
    assert "broken.bin" in answer.err and "absent.bin" in answer.err
    assert program("table", without, "--json").out == program("table", good, "--json").out


def test_strict_still_wants_them_all(program, inputs, tmp_path):
    assert program("merge", "--skip-unreadable", "--strict", *inputs, "-o", tmp_path / "all.prz").status == 3


def test_of_nothing_there_is_no_sum(program, inputs, tmp_path):
    answer = program("merge", "--skip-unreadable", inputs[1], inputs[3], "-o", tmp_path / "all.prz")
    assert answer.status == 3 and "there is no sum" in answer.err and not (tmp_path / "all.prz").exists()


def test_a_page_has_at_least_one_frame(program, samples, tmp_path):
    refused = program("card", samples / "daily-sales.bin", "--max-nodes", "0", "-o", tmp_path / "a.html")
    assert refused.status == 2 and "--max-nodes takes a number of at least 1" in refused.err


def test_a_relative_root_that_does_not_exist_is_named(program, samples, tmp_path):
    capture, page = samples / "daily-sales.bin", tmp_path / "a.html"
    assert "--root nosuchdir: this folder does not exist here" in program("card", capture, "--root", "nosuchdir",
                                                                          "-o", page).err
    assert "--root" not in program("card", capture, "--root", "/no/such/folder", "-o", page).err
    assert "--root" not in program("card", capture, "--root", ".", "-o", page).err


def test_a_thread_without_a_number_is_not_thread_0(program, samples):
    table = program("table", "--threads", "split", samples / "cpu/mini-py27.pstats").out
    assert table.splitlines()[3].endswith("  not recorded")


def test_both_sides_that_cannot_be_compared_are_named(program, samples):
    refused = program("diff", samples / "daily-sales.bin", samples / "cpu/mini-py27.pstats")
    assert refused.status == 3
    assert "daily-sales.bin has peak, leaked, temporary, allocated, " in refused.err
    assert "mini-py27.pstats has cpu: only stacks measured by the same metric can be compared" in refused.err
