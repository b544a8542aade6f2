# SPDX-License-Identifier: Apache-2.0
"""A program that does the same work each time, in eight ways, and records itself. The verdicts on it: verdict.py.

    python verdict_program.py KIND MEASURE OUTPUT [PLANT AMOUNT]

KIND is one of KINDS below. MEASURE is memory (memray writes OUTPUT, and OUTPUT.PID for each forked process) or time by
the clock of the processor: cProfile writes OUTPUT, of processes one for each part of the work; yappi, where there are
threads. PLANT makes one function worse: `load` allocates AMOUNT bytes
more, `hold` holds as many more while the others work, `cache` never frees them, `spin` works AMOUNT rounds more.
"""

import gc
import json
import random
import sys
import threading
import time
import zlib

KIND, MEASURE, OUTPUT = sys.argv[1:4]
if KIND == "asyncio":  # each takes longer than the work
    import asyncio
elif KIND == "processes":
    import multiprocessing
elif KIND == "pandas":
    import pandas
PLANT, AMOUNT = (sys.argv[4], int(sys.argv[5])) if len(sys.argv) > 5 else ("", 0)
CHUNK, CHUNKS = 40_000, 500  # what `load` allocates, 20 MB
ROUNDS = 120_000
KEPT = []


def more(plant, part, parts):
    """What is planted, in the last part of the work only, when the others have kept what they keep."""
    return AMOUNT if PLANT == plant and part == parts - 1 else 0


def parse(count):
    """Small objects, which pymalloc puts into its arenas."""
    return [json.loads(json.dumps({"i": i, "s": "x" * (i % 97), "l": list(range(i % 13))})) for i in range(count)]


def load(part, parts):
    """Allocates in turns, and frees."""
    extra = more("load", part, parts) // (CHUNKS // parts)
    for _ in range(CHUNKS // parts):
        block = bytearray(CHUNK + extra)
        del block


def hold(part, parts):
    return bytearray(6_000_000 // parts + more("hold", part, parts))


def cache(part, parts):
    KEPT.append(bytearray(3_000_000 // parts + more("cache", part, parts)))


def spin(part, parts):
    total = 0
    for i in range(ROUNDS // parts + more("spin", part, parts)):
        total += i * i
    return total


def crunch(part, parts):
    """The rest of the time."""
    total = 0
    for i in range(ROUNDS // parts):
        total ^= i << 3
    return total


def work(part, parts):
    rows = parse(1200 // parts)
    held = hold(part, parts)
    load(part, parts)
    cache(part, parts)
    spin(part, parts)
    crunch(part, parts)
    zlib.compress(json.dumps(rows).encode())
    return len(held)


def in_threads(count):
    def one(part):
        time.sleep(random.random() / 200)
        work(part, count)

    threads = [threading.Thread(target=one, args=(part,)) for part in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def in_a_process(part):
    if MEASURE == "time":
        clocked(lambda: work(part, 4), f"{OUTPUT}.{part}")
    else:
        work(part, 4)
    time.sleep(random.random() / 50)  # chance decides who takes which part
    return part


def in_processes():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        list(pool.imap_unordered(in_a_process, range(4)))
        pool.close()
        pool.join()


async def task(part, parts):
    rows = parse(1200 // parts)
    await asyncio.sleep(random.random() / 500)
    held = hold(part, parts)
    await asyncio.sleep(random.random() / 500)
    load(part, parts)
    await asyncio.sleep(random.random() / 500)
    cache(part, parts)
    spin(part, parts)
    crunch(part, parts)
    return len(rows) + len(held)


async def in_tasks():
    await asyncio.gather(*[task(part, 8) for part in range(8)])


def in_sets():
    """The seed of hashes decides the order in which a set is walked: what is freed when, and how sets collide."""
    names = {f"name-{i}" for i in range(3000)}
    held = {}
    for number, name in enumerate(names):
        held[name] = bytearray(len(name) * int(name[5:]) % 3000)
        if number % 3 == 2:
            held.pop(next(iter(held)))
    groups = {frozenset(list(names)[i:i + 7]) for i in range(0, 2000, 7)}
    work(0, 1)
    return len(held) + len(groups)


class Knot:
    """A cycle: only the collector frees it."""

    def __init__(self, size):
        self.payload = bytearray(size)
        self.me = self


def with_cycles():
    """Chance decides when the collector comes."""
    gc.set_threshold(random.randrange(300, 1100))
    for number in range(6000):
        Knot(1000 + number % 7)
        if number == 3000:
            work(0, 1)


def in_frames():
    rows = pandas.DataFrame({"shop": [i % 50 for i in range(40_000)], "sold": [float(i % 977) for i in range(40_000)]})
    by_shop = rows.groupby("shop").agg(["sum", "mean"])
    joined = rows.merge(rows.drop_duplicates("shop"), on="shop").sort_values("sold_x")
    work(0, 1)
    return len(by_shop) + len(joined)


KINDS = {"thread": lambda: [work(part, 4) for part in range(4)], "threads4": lambda: in_threads(4),
         "threads16": lambda: in_threads(16), "processes": in_processes, "asyncio": lambda: asyncio.run(in_tasks()),
         "seeds": in_sets, "collector": with_cycles, "pandas": in_frames}


def clocked(run, output):
    import cProfile

    profile = cProfile.Profile(time.process_time)
    profile.runcall(run)
    profile.dump_stats(output)


def clocked_in_threads(run, output):
    import yappi

    yappi.set_clock_type("cpu")
    yappi.start()
    run()
    yappi.stop()
    yappi.get_func_stats().save(output, type="pstat")


def main():
    if MEASURE == "time" and KIND == "processes":
        KINDS[KIND]()
        return
    if MEASURE == "time":
        (clocked_in_threads if KIND.startswith("threads") else clocked)(KINDS[KIND], OUTPUT)
        return
    from memray import Tracker

    with Tracker(OUTPUT, follow_fork=KIND == "processes"):
        KINDS[KIND]()


if __name__ == "__main__":
    main()
