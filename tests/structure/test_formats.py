# SPDX-License-Identifier: Apache-2.0
"""A format that can be read has a fuzz target, a sample, and a row in the README."""

import re
from pathlib import Path

import pytest
from sources import ROOT, nothing, output_of, read, tracked

# Targets not named after the format, as they fuzz more than it.
TARGETS = {"run": "archive", "notes": "archive", "heap-text": "heap_text"}
# The words of the README's table of formats, where they are not the name of the format.
ROWS = {"collapsed": "collapsed stacks", "perf": "perf script", "cpuprofile": "V8", "heapprofile": "V8",
        "chrome": "trace event", "trace-event": "trace event", "heap-text": "tcmalloc", "mojo": "Austin",
        "gnu-time": "GNU time", "stderr": "traceback", "run": "run.json", "timeline": "profrender record",
        "metaflow": "Metaflow"}


def formats():
    listed = re.findall(r"&(pr_\w+_reader),", read(Path("capture/formats.c")))
    text = "".join(read(path) for path in tracked() if str(path).startswith("capture/") and path.suffix == ".c")
    return [re.search(rf'^const struct pr_reader {name} = {{"([\w-]+)"', text, re.M)[1] for name in listed]


def test_every_reader_is_in_the_table():
    text = "".join(read(path) for path in tracked() if str(path).startswith("capture/") and path.suffix == ".c")
    defined = set(re.findall(r"^const struct pr_reader (pr_\w+_reader) =", text, re.M))
    listed = set(re.findall(r"&(pr_\w+_reader),", read(Path("capture/formats.c"))))
    nothing(sorted(defined ^ listed))


def test_every_format_has_a_fuzz_target():
    targets = output_of("make", "-s", "fuzz-targets").split()
    nothing(name for name in formats() if TARGETS.get(name, name.replace("-", "_")) not in targets)


@pytest.mark.parametrize("name", formats())
def test_every_format_has_a_sample(name, program):
    folders = (ROOT / "samples", ROOT / "tests/golden/digest-1.0")
    assert any(read_format(program, path) == name for folder in folders for path in sorted(folder.rglob("*"))
               if path.is_file() and path.name != "README.md"), f"no sample is read as {name}"


def read_format(program, path, _cache={}):
    if path not in _cache:
        answer = program("info", "--format", "json", path)
        match = re.search(r'"format": ?"([\w-]+)"', answer.out)
        digest = re.search(r'"digest": ?{', answer.out)  # it has the format of its source
        _cache[path] = "digest" if digest else match and match[1]
    return _cache[path]


def test_every_format_has_a_row_in_the_readme():
    table = read(Path("README.md")).split("## Formats", 1)[1].split("\n## ", 1)[0].lower()
    nothing(name for name in formats() if ROWS.get(name, name).lower() not in table)
