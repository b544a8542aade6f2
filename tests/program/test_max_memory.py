# SPDX-License-Identifier: Apache-2.0
"""`--max-memory`: the process stays below it, sums are the same, and what was left out is said in words."""
import json
import re
import resource
import subprocess
import sys

import pytest

MIB = 1 << 20
FOLDED = "(folded to save memory)"

# A small process of its own: Linux counts what the parent held at the fork as memory of the child.
MEASURE = """
import os, sys
child = os.fork()
if not child:
    os.execv(sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss * 1024, file=sys.stderr)
"""


def run(program, *words):
    """(exit status, most memory, standard output, standard error) of the program."""
    done = subprocess.run([sys.executable, "-S", "-E", "-c", MEASURE, str(program.path), *map(str, words)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    *said, last = done.stderr.splitlines()
    status, memory = map(int, last.split())
    return status, memory, done.stdout, "\n".join(said)


@pytest.fixture(autouse=True, scope="module")
def can_be_limited(program):
    """What a sanitizer keeps is data of the process too, terabytes of it."""
    set_limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (64 * MIB, 64 * MIB))  # noqa: E731
    if subprocess.run([program.path, "--version"], capture_output=True, preexec_fn=set_limit).returncode:
        pytest.skip("this program needs more memory: a sanitizer's does")


@pytest.fixture(scope="module")
def captures(root, tmp_path_factory):
    """Many call paths, and many blocks alive at once, which both take more than 64 MiB without a bound."""
    folder = tmp_path_factory.mktemp("captures")
    for kind, size in (("paths", 400_000), ("live", 2_000_000)):
        subprocess.run([root / "build/tests/make_capture", kind, str(size), folder / kind], check=True)
    return folder


def sums(text):
    document = json.loads(text)
    ours = document["profrender"]
    return ({key: document[key] for key in ("total_num_allocations", "total_bytes_allocated",
                                            "allocation_size_histogram", "allocator_type_distribution")},
            {key: ours[key] for key in ("peak", "leaked", "temporary", "duration_ms", "complete")})


@pytest.mark.parametrize("kind", ["paths", "live"])
def test_the_bound_holds_and_sums_are_the_same(program, captures, kind):
    status, memory, plain, _ = run(program, "stats", captures / kind, "--json")
    assert status == 0 and memory > 70 * MIB
    status, memory, bounded, said = run(program, "stats", captures / kind, "--json", "--max-memory", "64MiB")
    assert status == 0 and memory < 64 * MIB, (status, memory, said)
    assert sums(bounded) == sums(plain)


@pytest.mark.parametrize("command", ["stats", "table", "tree", "card", "digest", "merge", "explain"])
def test_every_command_stays_below_it(program, captures, tmp_path, command):
    inputs = [captures / "paths"] * (2 if command == "merge" else 1)
    out = tmp_path / ("out.html" if command == "card" else "out")
    status, memory, _, said = run(program, command, *inputs, "--max-memory", "64MiB", "-o", out)
    assert status == 0 and memory < 64 * MIB, (status, memory, said)
    assert FOLDED in said


def test_what_is_folded_is_said_everywhere(program, captures, tmp_path):
    _, _, stats, said = run(program, "stats", captures / "paths", "--json", "--max-memory", "64MiB")
    assert any(FOLDED in note for note in json.loads(stats)["profrender"]["notes"])
    assert FOLDED in said
    card = tmp_path / "card.html"
    run(program, "card", captures / "paths", "--max-memory", "64MiB", "-o", card)
    assert "to stay within 64.0 MiB of memory, the inner frames" in card.read_text().replace("To stay", "to stay")


def test_what_is_folded_is_no_proof_that_nobody_has_much(program, captures):
    found = json.loads(run(program, "explain", captures / "paths", "--json", "--max-memory", "64MiB")[2])["findings"]
    assert any(finding["headline"].endswith("of the heap peak is folded to save memory") for finding in found)
    assert not any("stands out" in finding["text"] for finding in found)


def test_no_part_of_a_sum_is_lost_in_the_folded_frame(program, captures):
    def rows(*more):
        table = json.loads(run(program, "table", captures / "paths", "--leaks", "--json", *more)[2])
        return sum(row["self"] for row in table["rows"]), table["total"], {row["function"] for row in table["rows"]}
    of_all, total, names = rows()
    of_folded, total_folded, names_folded = rows("--max-memory", "64MiB")
    assert (of_folded, total_folded) == (of_all, total)
    assert names_folded - names == {FOLDED}


def test_what_fits_is_not_changed(program, root):
    sample = root / "samples/daily-sales.bin"
    for words in (["stats", "--json"], ["table", "--json"], ["tree"]):
        plain, bounded = (run(program, words[0], sample, *words[1:], *more)
                          for more in ([], ["--max-memory", "64MiB"]))
        assert bounded[0] == 0 and bounded[2] == plain[2]


def test_a_profile_of_samples_is_folded_too(program, captures, tmp_path):
    stacks = tmp_path / "stacks.collapsed"
    assert run(program, "export", captures / "paths", "--format", "collapsed", "-o", stacks)[0] == 0
    plain = json.loads(run(program, "stats", stacks, "--json")[2])["profrender"]["metrics"]
    status, memory, out, said = run(program, "stats", stacks, "--json", "--max-memory", "32MiB")
    assert status == 0 and memory < 32 * MIB and FOLDED in said
    assert json.loads(out)["profrender"]["metrics"] == plain


def test_what_cannot_be_folded_is_refused(program, captures, tmp_path):
    status, memory, out, said = run(program, "card", captures / "live", "--max-memory", "32MiB", "-o",
                                    tmp_path / "card.html")
    assert status == 3 and memory < 32 * MIB
    assert "blocks that are alive at once" in said and not (tmp_path / "card.html").exists()


def test_native_frames_that_do_not_fit_are_left_out(program, root, tmp_path):
    """By `digest`, as that keeps them; `stats` has no native frames."""
    capture, plain, bounded = (tmp_path / name for name in ("native.bin", "plain.prz", "bounded.prz"))
    subprocess.run([root / "build/tests/make_capture", "native", "300000", capture], check=True)
    assert run(program, "digest", capture, "-o", plain)[0] == 0
    status, memory, _, said = run(program, "digest", capture, "-o", bounded, "--max-memory", "64MiB")
    assert status == 0 and memory < 64 * MIB, (status, memory, said)
    left_out = int(re.search(r"([0-9]+) native frames are left out: stacks with one of them have Python", said)[1])
    documents = [json.loads(run(program, "stats", digest, "--json")[2])["profrender"] for digest in (plain, bounded)]
    assert documents[0]["metrics"] == documents[1]["metrics"]
    assert any(f"{left_out} native frames" in note for note in documents[1]["notes"])
    stacks = run(program, "export", bounded, "--format", "collapsed", "--view", "allocated", "-o", "-")[2]
    assert 0 < len(set(re.findall(r"libapp\.so\+0x[0-9a-f]+", stacks))) <= 300000 - left_out


def test_a_bound_below_the_program_itself_is_refused(program, samples):
    status, _, _, said = run(program, "stats", samples / "daily-sales.bin", "--max-memory", "1MiB")
    assert status == 2 and "24MiB or more" in said
