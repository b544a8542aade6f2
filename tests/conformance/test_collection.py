# SPDX-License-Identifier: Apache-2.0
"""The larger collection of captures next to the project's root, compared with its own known results; skipped where it
is missing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

COLLECTION = Path(__file__).resolve().parent.parent.parent.parent / "shared/captures"


def known():
    """Names of captures with known results, as the check of the collection calls them."""
    memray = {path.name.split(".expected.json")[0] for path in COLLECTION.glob("memray/*.expected.json*")}
    yield from sorted(name for name in memray if (COLLECTION / f"memray/{name}.bin").exists())
    for truth in sorted(COLLECTION.glob("cpu/**/expected.json")):
        yield from (f"{truth.parent.name}/{name}" for name in json.loads(truth.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def report(program, shared, tmp_path_factory):
    """{name: what is wrong}"""
    path = tmp_path_factory.mktemp("collection") / "report.json"
    command = [sys.executable, shared / "check.py", program.path, shared / "memray", shared / "cpu", "--jobs", "2",
               "--json", path]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    assert path.exists(), done.stdout
    return {capture["capture"]: capture["problems"] for capture in json.loads(path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("name", list(known()))
def test_a_capture_is_as_it_is_known(name, report):
    assert not report[name], "\n".join(map(str, report[name][:5]))


def test_each_capture_that_was_compared_is_counted(report):
    assert sorted(report) == sorted(known())
