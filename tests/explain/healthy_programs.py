# SPDX-License-Identifier: Apache-2.0
"""Ordinary work with the standard library, in one thread or four: python healthy_programs.py NAME THREADS"""

import collections
import csv
import functools
import heapq
import io
import json
import queue
import random
import re
import sqlite3
import sys
import threading
import xml.etree.ElementTree
import zipfile
import zlib


def count_words(rnd):
    words = ["".join(rnd.choices("abcdefgh", k=5)) for _ in range(40_000)]
    return len(sorted(collections.Counter(words).items(), key=lambda item: -item[1]))


def go_through_json(rnd):
    for _ in range(4):
        text = json.dumps([{"id": number, "tags": [str(number % 7)] * 3} for number in range(8_000)])
        assert len(json.loads(text)) == 8_000


def render_with_a_cache(rnd):
    @functools.lru_cache(maxsize=2_000)
    def render(number):
        return b"x" * 2000 + str(number).encode()

    return sum(len(render(int(rnd.expovariate(1 / 1500)))) for _ in range(30_000))


def parse_recursively(rnd):
    text = "".join(rnd.choice("([") + "1" for _ in range(300)) + "]" * 300

    def parse(at, depth):
        return at if at == len(text) or depth > 700 else parse(at + 1, depth + 1)

    return sum(parse(0, 0) for _ in range(300))


def write_csv(rnd):
    out = io.StringIO()
    writer = csv.DictWriter(out, ["a", "b"])
    writer.writerows({"a": number, "b": number * 2} for number in range(40_000))
    return len(out.getvalue())


def fill_a_database(rnd):
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (a, b)")
    connection.executemany("insert into t values (?, ?)", ((number, f"v{number}") for number in range(60_000)))
    found = connection.execute("select sum(a) from t").fetchone()
    connection.close()
    return found


def find_a_way(rnd):
    edges = [[(rnd.randrange(8_000), rnd.random()) for _ in range(5)] for _ in range(8_000)]
    known, heap = {0: 0.0}, [(0.0, 0)]
    while heap:
        far, at = heapq.heappop(heap)
        for other, length in edges[at]:
            if far + length < known.get(other, 1e9):
                known[other] = far + length
                heapq.heappush(heap, (far + length, other))
    return len(known)


def read_xml(rnd):
    text = "<r>" + "".join(f'<i id="{number}"><n>x</n></i>' for number in range(15_000)) + "</r>"
    return sum(int(item.get("id")) for item in xml.etree.ElementTree.fromstring(text))


def pack_files(rnd):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(60):
            archive.writestr(f"f{number}", str(number).encode() * 20_000)
    return len(packed.getvalue())


def pass_through_a_queue(rnd):
    todo, done = queue.Queue(32), []
    worker = threading.Thread(target=lambda: [done.append(len(zlib.compress(block))) for block in iter(todo.get, None)])
    worker.start()
    for number in range(400):
        todo.put(bytes([number % 256]) * 20_000)
    todo.put(None)
    worker.join()
    return sum(done)


def search_text(rnd):
    text = " ".join(f"running walk {number}" for number in range(20_000))
    return sum(len(re.findall(r"\b\w+ing\b", text)) for _ in range(5))


PROGRAMS = {one.__name__: one for one in (
    count_words, go_through_json, render_with_a_cache, parse_recursively, write_csv, fill_a_database, find_a_way,
    read_xml, pack_files, pass_through_a_queue, search_text)}

if __name__ == "__main__":
    name, count = sys.argv[1], int(sys.argv[2])
    threads = [threading.Thread(target=PROGRAMS[name], args=(random.Random(number),)) for number in range(count - 1)]
    for thread in threads:
        thread.start()
    PROGRAMS[name](random.Random(count))
    for thread in threads:
        thread.join()
