# SPDX-License-Identifier: Apache-2.0
"""Allocates in native code below Python, in many ways: work.py FOLDER, where the libraries are."""
import asyncio
import concurrent.futures
import ctypes
import json
import sys
import zlib
from xml.etree import ElementTree

FOLDER = sys.argv[1]
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_long)
kept = []


def use(name):
    library = ctypes.CDLL(f"{FOLDER}/{name}")
    for function in (library.make, library.recurse, library.call_back):
        function.restype = ctypes.c_void_p
    library.make.argtypes = library.recurse.argtypes = [ctypes.c_long, ctypes.c_int]
    library.call_back.argtypes = [CALLBACK, ctypes.c_long]
    kept.append(library.make(1000, 0))
    kept.append(library.make(2000, 1))
    kept.append(library.recurse(3000, 20))

    def inner(size):
        kept.append(library.make(size, 1))
        return library.recurse(size, 3)

    callback = CALLBACK(inner)
    kept.append((callback, library.call_back(callback, 5000)))


def deep(depth, name):
    return use(name) if depth == 0 else deep(depth - 1, name)


def sort(name):
    sorted([3, 1, 2], key=lambda value: kept.append(bytes(10000 + value)) or value)
    use(name)


async def gather():
    async def one(number):
        await asyncio.sleep(0)
        return [bytes(100 + number) for _ in range(5)]

    return await asyncio.gather(*[one(number) for number in range(20)])


class Lazy:
    def __getattr__(self, name):
        return [name] * 10

    def __del__(self):
        kept.append(bytes(50))


for library in "libplain.so", "libfast.so", "libstripped.so", "libseparate.so":
    use(library)
    deep(5, library)
    sort(library)
shelf = ctypes.CDLL(f"{FOLDER}/libboxes.so").make_shelf
shelf.restype = ctypes.c_void_p
kept.append(shelf(300))
kept.append(asyncio.run(gather()))
kept.append([Lazy().attribute for _ in range(3)])
kept.append(zlib.compress(bytes(100000)))
kept.append(json.loads(json.dumps({str(i): [i] * 5 for i in range(300)})))
kept.append(ElementTree.fromstring("<r>" + "<a b='c'>d</a>" * 200 + "</r>"))
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    kept.extend(pool.map(lambda depth: deep(depth, "libfast.so"), range(4)))
