# SPDX-License-Identifier: Apache-2.0
"""Heap dumps of V8 and the JVM, compared with Chrome's DevTools and jmap (samples/heap/expected.json), and with
dominators that are found here by other means (tests/support/heap_truth.py)."""

import json
import pathlib
import re
import shutil
import subprocess

import heap_truth
import pytest

GROWTH = """
const v8 = require('v8');
class Order { constructor(i) { this.id = i; this.items = new Array(20).fill(i + 0.5); } }
class Desk { constructor() { this.open = []; } }
const desk = new Desk();
globalThis.desk = desk;
for (const path of process.argv.slice(2)) {
    for (let i = 0; i < 500; i++) desk.open.push(new Order(i));
    v8.writeHeapSnapshot(path);
}
"""

TURNOVER = """
const v8 = require('v8');
class Order { constructor(i) { this.id = i; this.items = new Array(20).fill(i + 0.5); } }
class Desk { constructor() { this.open = []; } }
const desk = globalThis.desk = new Desk();
function turn(more, fewer, path) {
    for (let i = 0; i < more; i++) desk.open.push(new Order(i));
    desk.open.splice(7, fewer);
    v8.writeHeapSnapshot(path);
}
const [count, first, second, third] = process.argv.slice(2);
turn(+count, 0, first);
turn(300, 120, second);
turn(200, 80, third);
"""


@pytest.fixture(scope="module")
def heap(samples):
    return samples / "heap"


@pytest.fixture(scope="module")
def expected(heap):
    return json.loads((heap / "expected.json").read_text())


def unpacked(path):
    return subprocess.run(["zstd", "-dcq", path], check=True, stdout=subprocess.PIPE).stdout


def rows(program, path, metric="retained"):
    table = program("table", path, "--json", "--limit", "0", "--metric", metric).json()
    return {row["function"]: [row["self_count"], row["self"], row["total"]] for row in table["rows"]}


def assert_classes(program, path, truth):
    classes, unreachable = truth
    found = rows(program, path)
    assert {name: found.get(name) for name in classes if classes[name][2]} == \
        {name: row for name, row in classes.items() if row[2]}
    if unreachable:
        assert {name: row[:2] for name, row in rows(program, path, "unreachable").items()} == unreachable


def test_classes_retain_what_devtools_says(program, heap, expected):
    want = expected["shelf.heapsnapshot.zst"]
    found = rows(program, heap / "shelf.heapsnapshot.zst")
    assert {name: [found[name][0], found[name][2]] for name in want["classes"]} == want["classes"]
    info = program("info", heap / "shelf.heapsnapshot.zst", "--json").json()
    assert info["metrics"][0]["name"] == "retained" and info["metrics"][0]["total"] == want["retained_in_all"]


def test_every_class_of_a_v8_snapshot_has_its_truth(program, heap):
    path = heap / "shelf.heapsnapshot.zst"
    assert_classes(program, path, heap_truth.of_v8(unpacked(path)))


def test_every_class_of_a_jvm_dump_has_its_truth(program, heap):
    path = heap / "shelf.hprof.zst"
    assert_classes(program, path, heap_truth.of_hprof(unpacked(path)))


def test_objects_are_as_many_and_as_large_as_jmap_says(program, heap, expected):
    """All but java.lang.Class, whose size has parts that the JVM does not write, are the same."""
    path = heap / "shelf.hprof.zst"
    found, lost = rows(program, path), rows(program, path, "unreachable")
    same = 0
    for name, want in expected["shelf.hprof.zst"]["classes"].items():
        both = [a + b for a, b in zip(found.get(name, [0, 0]), lost.get(name, [0, 0]))]
        assert both[1] * want[0] == want[1] * both[0] or name.endswith("[]") or name == "java.lang.Class"
        same += both == want
    assert same >= 15  # jmap counted a moment later


def test_findings_name_the_holder_and_the_way_to_it(program, heap):
    text = program("explain", heap / "shelf.hprof.zst").out
    first = " ".join(text[text.index("1. "):].split())
    assert first.startswith("1. java.util.HashMap$Node[] retains 476 KiB: ")
    assert "below 1,000 objects of java.util.HashMap$Node" in first
    assert "Shelf.BOOKS, java.util.HashMap.table." in first
    assert not any(word in text for word in ("leak", "allocated ", "what it calls"))


def test_what_everything_hangs_on_is_no_finding(program, heap):
    """The global object of V8, which retains 2.84 of 3.33 MiB."""
    text = program("explain", heap / "shelf.heapsnapshot.zst").out
    assert text[text.index("1. "):].startswith("1. (array) retains 482 KiB: ")


@pytest.mark.parametrize("name", ["shelf.hprof.zst", "shelf.heapsnapshot.zst"])
def test_a_cut_dump_has_classes_and_says_that_nothing_is_known_of_what_retains_what(program, heap, name, tmp_path):
    data = unpacked(heap / name)
    (tmp_path / "cut").write_bytes(data[:len(data) * 3 // 5])
    info = program("info", tmp_path / "cut", "--json").json()
    assert [metric["name"] for metric in info["metrics"]] == ["shallow"]
    assert info["complete"] is False
    assert any("what retains what is unknown" in note for note in info["notes"])


def test_of_two_dumps_in_one_file_the_first_is_read(program, heap, tmp_path):
    data = unpacked(heap / "shelf.hprof.zst")
    (tmp_path / "one").write_bytes(data)
    (tmp_path / "two").write_bytes(data + data)
    info = program("info", tmp_path / "two", "--json")
    assert "another dump follows in the same file" in info.err and info.json()["complete"] is False
    assert rows(program, tmp_path / "two") == rows(program, tmp_path / "one")


def test_a_later_dump_of_the_jvms_agent_is_left_out_and_a_note_says_so(program, heap, tmp_path):
    """Under one head: the records of the first dump, then those of the next."""
    data = unpacked(heap / "shelf.hprof.zst")
    (tmp_path / "one").write_bytes(data)
    (tmp_path / "two").write_bytes(data + data[data.index(b"\0") + 13:])
    info = program("info", tmp_path / "two", "--json")
    assert info.err == "" and info.json()["complete"] is True
    assert "the file has later dumps of the same heap, which are left out" in info.json()["notes"]
    assert rows(program, tmp_path / "two") == rows(program, tmp_path / "one")


def test_of_three_inputs_grew_is_named(program, heap):
    answer = program("diff", *[heap / "shelf.hprof.zst"] * 3)
    assert answer.status == 2 and "profrender grew" in answer.err


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    folder = tmp_path_factory.mktemp("growth")
    (folder / "desk.js").write_text(GROWTH)
    paths = [folder / f"{i}.heapsnapshot" for i in range(3)]
    subprocess.run(["node", folder / "desk.js", *paths], check=True)
    return paths


def test_a_snapshot_that_was_just_taken_has_its_truth(program, grown):
    assert_classes(program, grown[2], heap_truth.of_v8(grown[2].read_bytes()))


def test_growth_is_found_by_class_and_field(program, grown):
    grew = program("grew", *grown).out
    assert "Order" in grew and "allocated" not in grew
    change = program("diff", grown[0], grown[2]).out
    assert "Order" in change


@pytest.fixture(scope="module")
def turned(tmp_path_factory):
    """Two processes, each with three snapshots: orders come, and others go."""
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    folder = tmp_path_factory.mktemp("turnover")
    (folder / "desk.js").write_text(TURNOVER)
    runs = {count: [folder / f"{count}.{i}.heapsnapshot" for i in range(3)] for count in ("500", "530")}
    for count, paths in runs.items():
        subprocess.run(["node", folder / "desk.js", count, *paths], check=True)
    return list(runs.values())


def objects_of(path):
    """{id: (class, size)} of what DevTools counts; without the even ids of native objects, which node gives anew."""
    return {number: row for number, row in heap_truth.objects_of_v8(path.read_bytes()).items() if number % 2}


@pytest.mark.parametrize("command", ["diff", "grew"])
@pytest.mark.parametrize("last", [1, 2])
def test_objects_are_new_gone_and_kept_by_their_ids(program, turned, command, last):
    """As the comparison of DevTools has them, which goes by ids too."""
    first, *_, end = paths = turned[0][:last + 1]
    before, after = objects_of(first), objects_of(end)
    want = {}
    for number in before.keys() | after.keys():
        name, size = after.get(number) or before[number]
        row = want.setdefault(name, {"new": 0, "gone": 0, "kept": 0, "new_bytes": 0, "gone_bytes": 0})
        kind = "kept" if number in before and number in after else "new" if number in after else "gone"
        row[kind] += 1
        if kind != "kept":
            row[kind + "_bytes"] += size
    document = program(command, *(paths if command == "grew" else (first, end)), "--json").json()
    got = {row.pop("class"): row for row in document["objects"]}
    assert got == want
    orders = [(300, 120, 380), (500, 200, 300)][last - 1]
    assert tuple(got["Order"][key] for key in ("new", "gone", "kept")) == orders


def test_turnover_is_in_terminal_markdown_and_card(program, turned, tmp_path):
    first, _, end = turned[0]
    text = program("diff", first, end).out
    assert re.search(r"^ +500 +200 +300 +19\.5 KiB +7\.81 KiB  Order$", text, re.M)
    markdown = program("grew", *turned[0], "--format", "markdown").out
    assert "| 500 | 200 | 300 | 19.5 KiB | 7.81 KiB | `Order` |" in markdown
    program("diff", first, end, "-o", tmp_path / "card.html")
    page = (tmp_path / "card.html").read_text().replace("\u00a0", " ")
    assert "By their ids, 500 of all its objects are new, 200 are gone and 300 are the same." in page


def test_the_same_ids_in_another_process_are_other_objects(program, turned):
    for first, last in ((turned[0][0], turned[1][2]), (turned[1][1], turned[0][1])):
        assert program("diff", first, last, "--json").json()["objects"] == []


def test_growth_over_several_dumps_of_the_jvm_comes_together_at_its_holder(program, tmp_path):
    """Each order has an array of 20 longs: 16 + 160 bytes; jmap counts as many."""
    if not shutil.which("javac"):
        pytest.skip("there is no JDK")
    subprocess.run(["javac", "-d", tmp_path, pathlib.Path(__file__).with_name("Orders.java")], check=True)
    dumps = [tmp_path / f"{i}.hprof" for i in range(4)]
    subprocess.run(["java", "-cp", tmp_path, "Orders", *dumps], check=True)
    document = program("grew", *dumps, "--json").json()
    rows = {row["function"]: row for row in document["rows"]}
    assert rows["long[]"]["values"][-1] - rows["long[]"]["values"][0] == pytest.approx(9000 * 176, rel=0.01)
    point = document["growth_points"][0]
    assert (point["holder"], point["grown"]) == ("java.lang.Object[]", "Orders$Order")
    assert (point["objects_before"], point["objects_after"]) == (3000, 12000)
    assert "Orders$Desk.open" in json.dumps(point)


@pytest.fixture(scope="module")
def crew(tmp_path_factory):
    """A dump of tests/conformance/Crew.java, whose threads hold memory, and what jmap counts in the same program."""
    if not all(shutil.which(name) for name in ("javac", "jmap")):
        pytest.skip("there is no JDK")
    folder = tmp_path_factory.mktemp("crew")
    source = pathlib.Path(__file__).with_name("Crew.java")
    subprocess.run(["javac", "-d", folder, source], check=True)
    dump, histogram = folder / "crew.hprof", folder / "crew.txt"
    subprocess.run(["java", "-cp", folder, "Crew", dump, histogram], check=True, stdout=subprocess.DEVNULL)
    return dump, histogram


def test_growth_comes_together_at_the_object_that_has_more(program, grown):
    """1,000 more orders in the array of the desk, which are all that grew there."""
    for command, first, last in (("diff", grown[0], grown[2]), ("grew", *grown[::2])):
        document = program(command, first, last, "--json").json()
        point = document["growth_points"][0]
        assert (point["holder"], point["grown"]) == ("Array", "Order")
        assert (point["objects_before"], point["objects_after"]) == (500, 1500)
        assert [frame[0] for frame in point["stack"]][:4] == ["Array", "Desk.open", "Desk", "global.desk"]
        before, after = (rows(program, path)["Desk"][2] for path in (first, last))
        assert point["after"] - point["before"] == after - before > 200_000
    text = program("diff", grown[0], grown[2]).out
    assert "1,000 more objects of Order, 500 to 1,500\n    held by Desk.open, Desk, global.desk" in text
    markdown = program("grew", *grown, "--format", "markdown").out
    assert "1,000 more objects of `Order`, 500 to 1,500; held by `Desk.open`, `Desk`" in markdown


def test_the_card_of_a_difference_names_what_grew_and_its_holder(program, grown, tmp_path):
    program("diff", grown[0], grown[2], "-o", tmp_path / "card.html")
    page = (tmp_path / "card.html").read_text()
    first = page[page.index("<ol class='findings'>"):]
    first = re.sub(r"<[^>]*>", "", first[:first.index("</li>")]).replace("\u00a0", " ")
    assert re.match(r"\s*Array \u25b2 2\d\d KiB: .*; 1,000 more objects of Order, 1,500 in all\. "
                    r"Held by Desk\.open, Desk, global\.desk", first)


def test_points_that_are_new_in_a_difference_are_no_growth(program, grown):
    """Which points a heap has depends on shares of it."""
    totals = program("diff", grown[0], grown[2], "--json").json()["totals"]
    assert "held_by" not in [total["metric"] for total in totals]


def test_what_stacks_and_thread_locals_hold_has_the_name_of_its_thread(program, crew):
    tree = program("export", crew[0], "--format", "collapsed", "--metric", "retained").out
    loads = {}
    for line in tree.splitlines():
        stack, _, size = line.rpartition(" ")
        if stack.endswith(("Crew$Load.bytes;byte[]", "Entry.value;byte[][];byte[]")):
            loads[stack.split(";")[0]] = (int(size), stack)
    assert {name: size for name, (size, _) in loads.items()} == {
        "thread loader-1": 20 * 100_016, "thread loader-2": 5 * 100_016, "thread 工作": 3 * 100_016,
        "thread keeper": 10 * 50_016}
    assert ";java.lang.Thread;local in Crew.hold (Crew.java:16);java.util.ArrayList;" in loads["thread loader-1"][1]
    assert ";java.lang.Thread.threadLocals;" in loads["thread keeper"][1]


def test_a_finding_names_the_thread_and_the_frame(program, crew):
    text = " ".join(program("explain", crew[0]).out.split())
    assert ("It is held by GC root: thread, thread loader-1, java.lang.Thread, local in Crew.hold (Crew.java:16), "
            "java.util.ArrayList.elementData.") in text


def test_a_jvm_that_runs_now_is_read(program, heap, tmp_path):
    if not all(shutil.which(name) for name in ("java", "jcmd")):
        pytest.skip("there is no JDK")
    with subprocess.Popen(["java", "-Xmx64m", heap / "Shelf.java"]) as running:
        try:
            path = tmp_path / "now.hprof"
            for _ in range(50):
                done = subprocess.run(["jcmd", str(running.pid), "GC.heap_dump", "-gz=1", path], check=False,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                if path.exists() and done.returncode == 0 and rows(program, path).get("Shelf$Book", [0])[0] == 1000:
                    break
                path.unlink(missing_ok=True)
        finally:
            running.kill()
    assert rows(program, path)["Shelf$Book"][0] == 1000
