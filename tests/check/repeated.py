# SPDX-License-Identifier: Apache-2.0
"""A program that does the same work each time, in four ways. The verdicts on its repeats: tests/check/verdicts.py.

    python repeated.py thread|threads|processes|asyncio [GROWTH]

GROWTH is what `load` allocates, 1.05 is 5 % more; nothing else depends on it.
"""

import ast
import asyncio
import collections
import json
import multiprocessing
import random
import sys
import threading
import time
import zlib

GROWTH = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
SIZES = [1000, 1150, 1300, 1450]
KEPT = []


def parse(count):
    """Small objects, which pymalloc puts into its arenas."""
    return [json.loads(json.dumps({"i": i, "s": "x" * (i % 97), "l": list(range(i % 13))})) for i in range(count)]


def tally(rows):
    found = collections.Counter()
    for row in rows:
        for key in row:
            found[key] += len(str(row[key]))
    return found


def load(count):
    return [bytearray(int(40_000 * GROWTH)) for _ in range(count)]


def cache(count):
    KEPT.append([bytes(20_000) for _ in range(count)])


def compiled(count):
    source = "\n".join(f"def f{i}(a, b=({i},)):\n    return [x * {i} for x in b if x != a]" for i in range(count))
    return compile(ast.parse(source), "generated", "exec")


def work(count):
    rows = parse(count)
    tally(rows)
    table = load(100)
    cache(40)
    compiled(60)
    zlib.compress(json.dumps(rows).encode())
    return len(table)


def tasks_of_a_process(count):
    work(count)
    time.sleep(random.random() / 50)  # chance decides who takes which part
    return count


async def task(count):
    for _ in range(4):
        rows = parse(count // 4)
        tally(rows)
        await asyncio.sleep(random.random() / 1000)
        table = load(25)
        await asyncio.sleep(random.random() / 1000)
        cache(10)
        del table
    compiled(60)


async def tasks():
    await asyncio.gather(*[task(size) for size in SIZES])


def main(kind):
    if kind == "thread":
        for size in SIZES:
            work(size)
    elif kind == "threads":
        threads = [threading.Thread(target=work, args=(size,)) for size in SIZES]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    elif kind == "processes":
        with multiprocessing.get_context("fork").Pool(2) as pool:
            list(pool.imap_unordered(tasks_of_a_process, SIZES * 2))
            pool.close()
            pool.join()
    else:
        asyncio.run(tasks())


if __name__ == "__main__":
    main(sys.argv[1])
