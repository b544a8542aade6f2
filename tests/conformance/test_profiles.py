# SPDX-License-Identifier: Apache-2.0
"""Does the program report the same for other tools' profiles as trusted readers do?

Compares samples/cpu/ with its expected.json: for each file the format, unit and total, and functions with their own and
their total weight, as the reader that is named there computed them. Then reads each sample again without its name,
through a pipe and from each packing: the answer is the same.
"""

import json
import subprocess
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples/cpu"
EXPECTED = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
PATHS = sorted(set(SAMPLES.iterdir()) - {SAMPLES / "expected.json"})
PACKINGS = {"gzip": ["gzip", "-c"], "zstd": ["zstd", "-qc"], "lz4": ["lz4", "-qc"]}
RELATIVE = 1e-6


def answer(program, command, data):
    """The program's output for DATA on its standard input, without a file name."""
    done = program(*command, input=data)
    assert done.status == 0
    return done.bytes


def close(want, got):
    return abs(want - got) <= abs(want) * RELATIVE


def same_place(want, row):
    if want["file"] is not None and row["file"] is not None and not row["file"].endswith(want["file"]):
        return False
    return row["function"] == want["function"] and want["line"] in (None, row["line"])


def differences(program, data, want):
    info = json.loads(answer(program, ["info", "-", "--json"], data))
    table = json.loads(answer(program, ["table", "-", "--json", "--group", want["group"]], data))
    if info["format"] != want["format"]:
        yield f"format: {info['format']}, expected {want['format']}"
    if table["unit"] != want["unit"]:
        yield f"unit: {table['unit']}, expected {want['unit']}"
    if not close(want["total"], table["total"]):
        yield f"total: {table['total']}, expected {want['total']}"
    for expected in want["rows"]:
        found = [row for row in table["rows"] if same_place(expected, row)]
        for field in {"self", "total"} & expected.keys():
            if not any(close(expected[field], row[field]) for row in found):
                yield f"{field} of {expected['function']}: {[row[field] for row in found]}, expected {expected[field]}"


def whole_answer(program, data):
    return b"".join(answer(program, command, data) for command in (["table", "-", "--json"], ["export", "-"]))


@pytest.mark.parametrize("name", EXPECTED)
def test_a_profile_is_as_a_trusted_reader_has_it(name, program):
    wrong = list(differences(program, (SAMPLES / name).read_bytes(), EXPECTED[name]))
    assert not wrong, "\n".join([f"read by {EXPECTED[name]['read_by']}", *wrong])


@pytest.fixture(scope="module", params=PATHS, ids=lambda path: path.name)
def from_a_pipe(request, program):
    """(path, the program's output for its bytes)"""
    return request.param, whole_answer(program, request.param.read_bytes())


def test_a_file_and_a_pipe_give_the_same(from_a_pipe, program):
    path, want = from_a_pipe
    same = program("table", path, "--json").bytes + program("export", path).bytes == want
    assert same


@pytest.mark.parametrize("packing", PACKINGS)
def test_a_packed_profile_gives_the_same(packing, from_a_pipe, program):
    path, want = from_a_pipe
    packed = subprocess.run(PACKINGS[packing], input=path.read_bytes(), stdout=subprocess.PIPE, check=True).stdout
    same = whole_answer(program, packed) == want
    assert same
