# SPDX-License-Identifier: Apache-2.0
"""What classes of the JVM retain, compared with NetBeans' heap library, which is VisualVM's too.

Its references have 8 bytes, so the JVM that is dumped has them as well. Four rules differ, which is why classes of the
JDK need not be equal: ours counts an object's class as one of its references (Eclipse MAT does), what a stack refers to
is below its thread (MAT again), theirs has references from objects that nothing reaches, and it does not have the
fields that the JVM hides (test_heap_sizes.py compares these with the JVM).
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from jars import jar

HERE = Path(__file__).resolve().parent
LIBRARY = "org.netbeans.modules:org-netbeans-lib-profiler:RELEASE220"
WIDE = ["-XX:-UseCompressedOops", "-XX:-UseCompressedClassPointers"]
SAME = re.compile(r"Web\$\w+|java\.util\.(HashMap|TreeMap|ArrayList|LinkedList)(\$(Node|Entry))?(\[\])?|byte\[\]")
HIDDEN = re.compile(r"Thread|ReferenceHandler|Cleaner|invoke\.(MemberName|ResolvedMethodName|.*CallSiteContext)|"
                    r"java\.lang\.Module$|ClassLoader|MethodUtil")
HIDDEN_SHARE = 0.001


@pytest.fixture(scope="module")
def both(program, tmp_path_factory):
    """({class: [objects, their size, what they retain]} of NetBeans, the same of ours, ours of what is unreachable)"""
    if not all(shutil.which(name) for name in ("java", "javac", "mvn")):
        pytest.skip("there is no JDK or no Maven")
    library = jar(LIBRARY)
    if not library:
        pytest.skip(f"{LIBRARY} cannot be had")
    folder = tmp_path_factory.mktemp("retained")
    dump = folder / "web.hprof"
    subprocess.run(["javac", "-d", folder, HERE / "Web.java"], check=True)
    subprocess.run(["java", *WIDE, "-cp", folder, "Web", dump], check=True)
    text = subprocess.run(["java", "-cp", library, HERE / "NetBeansRetained.java", dump], check=True, text=True,
                          stdout=subprocess.PIPE, encoding="utf-8").stdout
    theirs = {name: [int(value) for value in values] for name, *values in
              (line.split("\t") for line in text.splitlines())}

    def rows(metric):
        table = program("table", dump, "--json", "--limit", "0", "--metric", metric).json()
        return {row["function"]: [row["self_count"], row["self"], row["total"]] for row in table["rows"]}
    return theirs, rows("retained"), rows("unreachable")


def test_every_class_has_the_objects_and_the_size_that_netbeans_has(both):
    """All but java.lang.Class, of which NetBeans has only those of primitive types."""
    theirs, ours, lost = both
    found = {name: [a + b for a, b in zip(ours.get(name, [0] * 3), lost.get(name, [0] * 3))] for name in theirs}
    assert len(theirs) > 250
    hidden = {name for name, row in found.items() if row[0] == theirs[name][0] and row[1] > theirs[name][1]}
    assert all(name == "java.lang.Class" or HIDDEN.search(name) for name in hidden)
    hidden.add("java.lang.Class")
    assert {name: row[:2] for name, row in found.items() if name not in hidden} == \
        {name: row[:2] for name, row in theirs.items() if name not in hidden}


def test_classes_retain_what_netbeans_says(both):
    theirs, ours, _ = both
    mine = {name: row[2] for name, row in ours.items() if SAME.fullmatch(name)}
    assert len([name for name in mine if name.startswith("Web$")]) == 8
    web = {name: row for name, row in mine.items() if name.startswith("Web$")}
    assert web == {name: theirs[name][2] for name in web}
    assert all(0 <= row - theirs[name][2] <= HIDDEN_SHARE * row for name, row in mine.items())
    same = [name for name in theirs if ours.get(name, [0] * 3)[2] == theirs[name][2]]
    assert len(same) > 0.75 * len(theirs)
