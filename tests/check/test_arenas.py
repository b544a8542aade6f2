# SPDX-License-Identifier: Apache-2.0
"""pymalloc arenas are a separate kind of memory: they are not a leak, and no function is blamed."""

import pytest
from captures import ARENA, KIB, MIB, MMAP, Allocation, arenas, write

MAIN = ("main", "/ci/app/job.py", 3)
LOAD = [MAIN, ("load", "/ci/app/load.py", 7)]
CACHE = [MAIN, ("cache", "/ci/app/cache.py", 5)]
INDEX = [MAIN, ("index", "/ci/app/cache.py", 20)]


def run(path, load=20 * MIB, in_cache=3, in_index=2):
    return write(path, [Allocation(LOAD, load), arenas(CACHE, in_cache), arenas(INDEX, in_index),
                        Allocation(CACHE, 10 * MIB)])


@pytest.fixture
def base(tmp_path):
    return run(tmp_path / "base.bin")


def test_arenas_that_fell_elsewhere_are_no_regression(check, base, tmp_path):
    for in_cache, in_index in ((4, 2), (0, 5), (5, 0), (7, 2)):
        new = run(tmp_path / "new.bin", in_cache=in_cache, in_index=in_index)
        for words in ((), ("--functions",), ("--functions", "--metric", "peak", "--metric", "leaked")):
            verdict = check(new, *words, baseline=[base])
            assert (verdict.status, verdict.broken, verdict.untold) == (0, [], []), (in_cache, in_index, words)


def test_growth_is_put_down_to_who_grew(check, base, tmp_path):
    new = run(tmp_path / "new.bin", load=22 * MIB, in_cache=5)
    verdict = check(new, "--functions", baseline=[base])
    assert verdict.status == 1
    assert {reason["function"] for reason in verdict.document["reasons"]} == {"load"}
    assert {culprit["function"] for reason in verdict.document["reasons"] for culprit in reason["because"]} == {"load"}


def test_leaked_leaves_them_out(check, base):
    found = check(base, "--max-leaked", "30MiB").finding("max-leaked")
    assert (found["after"], found["arenas"], found["ok"]) == (30 * MIB, 5 * ARENA, True)
    found = check(base, "--budget", "leaked:cache=10MiB").finding("budget-leaked:cache")
    assert (found["after"], found["ok"]) == (10 * MIB, True)


def test_a_limit_for_the_peak_counts_them_and_blames_no_function(check, base):
    verdict = check(base, "--max-peak", "34MiB")
    found = verdict.finding("max-peak")
    assert (verdict.status, found["after"]) == (1, 35 * MIB)
    assert [(culprit["function"], culprit["after"]) for culprit in found["because"]] == [
        ("load", 20 * MIB), ("cache", 10 * MIB), ("(arenas of pymalloc: who filled them is not recorded)", 5 * ARENA)]


def test_many_more_of_them_are_reported_without_a_function(check, base, tmp_path):
    verdict = check(run(tmp_path / "new.bin", in_cache=60), baseline=[base])
    assert (verdict.status, verdict.broken) == (1, ["regression-arenas"])
    found = verdict.finding("regression-arenas")
    assert (found["after"], found["before"], found["function"], found["because"]) == (62 * ARENA, 5 * ARENA, None, [])
    assert "who filled them is not recorded" in found["sentence"]


def test_other_mappings_are_whose_they_are(check, tmp_path):
    """Memory that a program mapped itself has another size: it belongs to a function."""
    def mapped(path, size):
        return write(path, [Allocation(LOAD, size, allocator=MMAP, times=3), Allocation(CACHE, MIB)])
    verdict = check(mapped(tmp_path / "new.bin", 5 * MIB), baseline=[mapped(tmp_path / "base.bin", 3 * MIB)])
    assert set(verdict.broken) == {"regression-peak", "regression-leaked", "regression-allocated"}
    assert {reason["function"] for reason in verdict.document["reasons"]} == {"load"}


def test_chunks_of_the_frame_stack_next_to_arenas(check, tmp_path):
    """Deep calls take chunks of 16 KiB from the same allocator, with the same stack."""
    def deep(path, count):
        return write(path, [arenas(LOAD, count), Allocation(LOAD, 16 * KIB, allocator=MMAP, times=2),
                            Allocation(CACHE, 9 * MIB)])
    found = check(deep(tmp_path / "new.bin", 4), baseline=[deep(tmp_path / "base.bin", 3)])
    assert found.status == 0
    assert found.finding("regression-leaked")["after"] == 9 * MIB + 32 * KIB
    assert found.finding("regression-arenas")["after"] == 4 * ARENA


def test_diff_and_table_say_what_they_are(program, base, tmp_path):
    new = run(tmp_path / "new.bin", in_cache=4)
    said = "arenas of pymalloc"
    for words in (("diff", base, new), ("diff", "--leaks", base, new), ("diff", "--by", "own", base, new),
                  ("diff", base, new, "--format", "markdown"), ("table", "--leaks", new), ("table", new)):
        assert said in program(*words).out, words
    assert "+1.00 MiB" in program("diff", base, new).out
    plain = write(tmp_path / "plain.bin", [Allocation(LOAD, MIB)])
    for words in (("diff", plain, plain), ("table", "--leaks", plain), ("diff", base, base)):
        assert said not in program(*words).out, words


def test_a_digest_knows_them_too(check, base, tmp_path, program):
    digest = tmp_path / "base.prz"
    assert program("digest", base, "-o", digest).status == 0
    new = run(tmp_path / "new.bin", in_cache=6)
    with_digest, with_capture = (check(new, "--functions", baseline=[path]) for path in (digest, base))
    with_digest.document["baselines"] = with_capture.document["baselines"] = []
    assert with_digest.document == with_capture.document


def test_traced_objects_leave_no_arenas(check, tmp_path):
    """With --trace-python-allocators a mapping of 1 MiB belongs to a function."""
    def traced(path, count):
        run(path, in_cache=count)
        whole = path.read_bytes()
        at = whole.index(b"job.py\0") + len(b"job.py\0") + 20 + 1  # pid, main thread, skipped frames, allocator
        assert whole[at - 1:at + 1] == b"\1\0"
        path.write_bytes(whole[:at] + b"\1" + whole[at + 1:])
        return path
    verdict = check(traced(tmp_path / "new.bin", 6), baseline=[traced(tmp_path / "base.bin", 3)])
    assert "regression-leaked" in verdict.broken
    assert verdict.finding("regression-leaked")["function"] == "cache"
