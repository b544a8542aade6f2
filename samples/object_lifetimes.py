# SPDX-License-Identifier: Apache-2.0
"""Python objects of different lives: kept, cached for a while, dropped at once, in cycles, on a second thread.

python object_lifetimes.py OUTPUT [native|aggregated]
"""

import gc
import sys
import threading
import time

import memray


class Row:
    def __init__(self, number):
        self.number = number


class Node:
    def __init__(self):
        self.me = self


def churn():
    for number in range(300):
        Row(number)


def keep(kept):
    for number in range(200):
        kept.append(Row(number))


def cycles():
    for _ in range(60):
        Node()


def hold_for_a_while():
    held = [Row(number) for number in range(100)]
    time.sleep(0.12)
    held.clear()


def work(kept):
    churn()
    keep(kept)
    cycles()
    time.sleep(0.05)
    gc.collect()
    hold_for_a_while()


if __name__ == "__main__":
    options = sys.argv[2:]
    form = memray.FileFormat.AGGREGATED_ALLOCATIONS if "aggregated" in options else memray.FileFormat.ALL_ALLOCATIONS
    gc.disable()
    survivors = []
    with memray.Tracker(sys.argv[1], track_object_lifetimes=True, native_traces="native" in options, file_format=form):
        thread = threading.Thread(target=hold_for_a_while, name="holder")
        thread.start()
        work(survivors)
        thread.join()
