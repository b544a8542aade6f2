# SPDX-License-Identifier: Apache-2.0
"""Does a digest answer like the capture it was made from, byte for byte?

Each command runs twice, over the capture (or the folder of a run, or a timeline) and over its digest, which have the
same name in two folders. Only `info` may differ, as it shows that the input is a digest, and what shows how long
objects lived, as digests keep only how many there were.

And does it matter how a sum was made? Some of the inputs, of any kind, are merged at once and then shuffled, in groups
of groups, some of them as digests, some as sums of one: every way must give the same bytes.
"""

import random
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
COLLECTION = ROOT.parent / "shared/captures/memray"
CAPTURES = sorted((ROOT / "samples").glob("*.bin"))
CAPTURES += sorted(path for path in (ROOT / "samples/cpu").iterdir() if path.name != "expected.json")
CAPTURES += sorted(COLLECTION.glob("*.bin"))[::7] if COLLECTION.is_dir() else []
RUNS = [ROOT / "samples/nightly"]
RUNS += sorted(path for path in (ROOT / "samples/timeline").iterdir() if path.name != "expected.json")
SUMS = 24  # how many sets of inputs are added up

VIEWS = ("peak", "leaks", "temporary", "allocated", "temporal-peak", "temporal-leaks")
COMMANDS = [
    *(["export", "--view", view, "--threads", threads] for view in VIEWS for threads in ("merge", "split")),
    *(["export", "--view", view, "--window", "b0:b2"] for view in ("peak", "leaks")),
    *(["export", "--view", view, "--bins", bins] for view in ("temporal-peak", "temporal-leaks") for bins in "147"),
    *(["export", "--native", native, "--threads", "split"] for native in ("off", "require")),
    ["export", "--format", "csv"],
    ["export"],
    *(["export", "--view", "series", "--format", form] for form in ("json", "csv")),
    ["table", "--json"],
    *(["table", "--metric", metric, "--json"] for metric in ("peak", "leaked", "temporary", "allocated")),
    ["table", "--group", "module", "--threads", "split"],
    ["table", "--group", "location", "--format", "csv"],
    ["stats"],
    ["stats", "--json"],
    ["info", "--json", "--samples", "all"],
    ["tree"],
    ["summary"],
    ["card", "-o", "-"],
    ["card", "--native", "off", "-o", "-"],
]


def without_digest(answer):
    if not answer.out:
        return answer.status, answer.out, answer.err
    document = answer.json()
    document.pop("digest", None)
    return answer.status, document, answer.err


def as_it_is(answer):
    return answer.status, answer.bytes, answer.err


def has_lives(program, capture):
    answer = program("stats", "--json", capture)
    objects = answer.json()["profrender"].get("objects") if answer.out and capture.suffix == ".bin" else None
    return bool(objects and objects["destroyed"])


def differences(program, capture, folders):
    shows_lives = ("stats", "card") if has_lives(program, capture) else ()
    if shows_lives:
        assert "how long objects lived is not known here" in program("stats", capture.name, cwd=folders[1]).out
    for arguments in COMMANDS:
        if capture.is_dir() and "require" in arguments:
            continue  # of a folder, the file that lacks them is left out; a digest is refused as a whole
        want, got = (program(*arguments, capture.name, cwd=folder) for folder in folders)
        if "off" in arguments and got.status == 3 and "functions instead of addresses" in got.err:
            continue  # found on this machine when the digest was made
        if arguments[0] in shows_lives and got.status == want.status == 0:
            continue
        if arguments[0] == "info" and got.out and "digest" not in got.json():
            yield "info does not say that it is a digest"
        compared = without_digest if arguments[0] == "info" else as_it_is
        for what, a, b in zip(("exit status", "output", "stderr"), compared(want), compared(got)):
            refused = what == "stderr" and want.status == got.status == 3 and a and b  # each with its own reason
            if a != b and not refused:
                yield f"{' '.join(arguments)}: {what} differs"


@pytest.mark.parametrize("capture", CAPTURES + RUNS, ids=lambda path: path.name)
def test_a_digest_answers_as_its_capture(capture, program, tmp_path):
    folders = [tmp_path / "capture", tmp_path / "digest"]
    for folder in folders:
        folder.mkdir()
    (shutil.copytree if capture.is_dir() else shutil.copy)(capture, folders[0] / capture.name)
    made = program("digest", "-q", capture.name, "-o", "../digest/" + capture.name, cwd=folders[0])
    if made.status:
        assert made.status == program("info", capture.name, cwd=folders[0]).status == 3, \
            "there is a digest of all that can be read"
        return
    program("digest", "-q", capture.name, "-o", "again", cwd=folders[1])
    wrong = list(differences(program, capture, folders))
    assert not wrong, "\n".join(wrong)
    same = (folders[1] / "again").read_bytes() == (folders[1] / capture.name).read_bytes()
    assert same, "the digest of a digest is another one"


class Sums:
    """Ways to the sum of some inputs."""

    def __init__(self, program, folder, rng):
        self.program, self.folder, self.rng, self.made = program, folder, rng, 0

    def make(self, command, inputs):
        self.made += 1
        out = self.folder / f"{self.made}.prz"
        return out if self.program(command, "-q", *inputs, "-o", out).status == 0 else None

    def grouped(self, inputs):
        """Groups of groups; None when one of them cannot be added up."""
        if len(inputs) == 1:
            how = self.rng.choice(["as it is", "digest", "merge"])
            return inputs[0] if how == "as it is" else self.make(how, inputs)
        at = self.rng.randrange(1, len(inputs))
        parts = [self.grouped(inputs[:at]), self.grouped(inputs[at:])]
        return self.make("merge", parts) if all(parts) else None

    def difference(self, inputs):
        whole, other = self.make("merge", inputs), self.grouped(self.rng.sample(inputs, len(inputs)))
        if not whole or not other:
            return None if whole == other else "either all at once or in groups they are refused"
        return None if other.read_bytes() == whole.read_bytes() else "another order or grouping gives another sum"


@pytest.fixture(scope="module")
def readable(program):
    return [path for path in CAPTURES if program("info", path).status == 0]


@pytest.mark.parametrize("number", range(SUMS))
def test_a_sum_is_the_same_however_it_is_made(number, readable, program, tmp_path):
    rng = random.Random(number)
    inputs = readable if number % 4 == 0 else [path for path in readable if path.suffix == ".bin"]
    inputs = rng.sample(inputs, min(rng.randrange(2, 8), len(inputs)))
    wrong = Sums(program, tmp_path, rng).difference(inputs)
    assert not wrong, "\n".join(map(str, inputs))
