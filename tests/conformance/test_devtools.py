# SPDX-License-Identifier: Apache-2.0
"""Snapshots of V8, compared with Chrome's DevTools: the worker in its npm package reads the same files."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from node_packages import node_modules

ROOT = Path(__file__).resolve().parent.parent.parent
READER = ROOT / "tests/support/devtools_heap.mjs"
# Kinds of nodes that a program makes: closures, maps and weak ones, arrays, strings that share or join, regular
# expressions, symbols, big integers, typed arrays, promises, generators, detached methods, cycles, deep lists.
PROGRAM = """
const v8 = require('v8');
class Shelf {
    constructor(size) { this.books = new Map(); this.spare = new WeakMap(); this.next = null; this.size = size; }
}
class Book {
    constructor(i) { this.title = `${'book '.repeat(3)}${i}`; this.part = this.title.slice(2, 15); this.i = i; }
}
const first = new Shelf(0);
let shelf = first;
for (let k = 1; k < 400; k++) {
    for (let i = 0; i < 5; i++) {
        const book = new Book(k * i);
        shelf.books.set(k + i, book);
        shelf.spare.set(book, [k]);
    }
    shelf = shelf.next = new Shelf(k);
}
shelf.next = first;
const others = [/a(b)/g, Symbol('own'), 2n ** 200n, new Float64Array(500), new Set([1, 'x', first]), new Error('kept'),
    new Proxy(first, {}), new Date(0), (function* () { yield first; })(), Promise.resolve(first), new WeakRef(first),
    Buffer.alloc(9000), Object.create(null), [, , 3], (x) => first.size + x, new Intl.NumberFormat('de')];
globalThis.kept = { others, wake: setTimeout(() => console.log(first), 1e6), loose: new Array(1000).fill(first) };
globalThis.kept.wake.unref();
v8.writeHeapSnapshot(process.argv[2]);
"""


@pytest.fixture(scope="module")
def snapshots(samples, tmp_path_factory):
    """{name: (path, DevTools' figures)} of a sample and of a program that runs now."""
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("there is no node or no npm")
    packages, failure = node_modules("devtools")
    if not packages:
        pytest.skip(f"DevTools cannot be had: {failure}")
    folder = tmp_path_factory.mktemp("devtools")
    own, sample = folder / "own.heapsnapshot", folder / "shelf.heapsnapshot"
    (folder / "own.js").write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["node", folder / "own.js", own], check=True)
    subprocess.run(["zstd", "-dqf", samples / "heap/shelf.heapsnapshot.zst", "-o", sample], check=True)
    shown = subprocess.run(["node", READER, packages / "chrome-devtools-frontend", folder / "worker.mjs", own, sample],
                           check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return {path.stem: (path, json.loads(line)) for path, line in zip((own, sample), shown)}


def classes(program, path):
    """({class: [its objects, what they retain]}, what is retained in all) with what nothing retains, which DevTools
    attaches to the root."""
    found, whole = {}, 0
    had = {metric["name"] for metric in program("info", path, "--json").json()["metrics"]}
    for metric in had & {"retained", "unreachable"}:
        table = program("table", path, "--json", "--limit", "0", "--metric", metric).json()
        whole += table["total"]
        for row in table["rows"]:
            figures = found.setdefault(row["function"].removeprefix("Detached "), [0, 0])
            figures[0] += row["self_count"]
            figures[1] += row["total"]
    return found, whole


@pytest.mark.parametrize(("name", "some"), [("own", {"Shelf", "Book", "WeakMap", "Promise", "Float64Array", "Set"}),
                                            ("shelf", {"Shelf", "Book", "Function", "(string)", "Map"})])
def test_each_class_retains_what_devtools_says(snapshots, program, name, some):
    """How many objects of it there are, and what would be free without them. What they take themselves is V8's figure
    here; DevTools adds to it the arrays that only the engine sees."""
    path, want = snapshots[name]
    found, whole = classes(program, path)
    assert some <= want["classes"].keys() and len(want["classes"]) > 100
    assert {each: found.get(each) for each in want["classes"]} == want["classes"]
    assert whole == want["retained"]
