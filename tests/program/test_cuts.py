# SPDX-License-Identifier: Apache-2.0
"""Every sample, cut at many places: what comes before the cut is shown or the input is refused, and a reason is given.

The content is cut, not its packing: of packed files also the packing, which has an end of its own.
"""

import gzip
import json
import random
import subprocess
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
PATHS = sorted([*(path for path in (SAMPLES / "cpu").iterdir() if path.name != "expected.json"),
                *(SAMPLES / "heap").glob("*.zst"), *SAMPLES.glob("*.bin")])
PLACES = 8
INPUT = 3  # the exit status of an input that cannot be used

# Lines, or records, without an end mark: where one ends, less is whole, too.
WITHOUT_END = {"collapsed", "perf", "austin", "callgrind", "massif", "heap-text", "heaptrack", "mojo"}


def content(path):
    data = path.read_bytes()
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dqc", path], check=True, stdout=subprocess.PIPE).stdout
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def figures(program, data):
    done = program("info", "-", "--json", input=data)
    assert done.status in (0, INPUT), done.err
    assert "Sanitizer" not in done.err
    return done, json.loads(done.out) if done.status == 0 else None


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_what_comes_before_a_cut_is_kept(path, program):
    data = content(path)
    _, whole = figures(program, data)
    rng = random.Random(path.name)
    end = len(data.rstrip(b"\0\n"))  # memray fills its files up with zeros
    for place in sorted({1, *(rng.randrange(1, end) for _ in range(PLACES))}):
        done, cut = figures(program, data[:place])
        if not cut:
            assert "profrender: standard input: " in done.err, place
        elif cut["complete"]:
            assert whole["format"] in WITHOUT_END or whole["complete"] is False or place == 1, place
        else:
            assert cut["problem"] or cut["damage"], place


@pytest.mark.parametrize("path", [path for path in PATHS if path.suffix in (".gz", ".zst")], ids=lambda path: path.name)
def test_a_cut_packing_is_never_whole(path, program):
    data = path.read_bytes()
    for part in (2, 5, 8):
        _, cut = figures(program, data[:len(data) * part // 10])
        assert not cut or not cut["complete"], part
