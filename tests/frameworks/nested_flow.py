# SPDX-License-Identifier: Apache-2.0
"""A flow for test_metaflow.py: a foreach within a foreach, pools, a failure that is caught, and a last step that fails
until it is resumed."""

import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

from metaflow import FlowSpec, catch, current, profile_card, retry, step


def fail_at_first(number):
    held = work(50)
    if current.retry_count == 0:
        raise ArithmeticError(f"part {number} of {held}")
    return number


def work(megabytes):
    block = bytearray(megabytes << 20)
    time.sleep(0.3)
    return len(block)


class NestedFlow(FlowSpec):
    @step
    def start(self):
        self.outer = [1, 2]
        self.next(self.middle, foreach="outer")

    @step
    def middle(self):
        self.inner = [10 * self.input + 1, 10 * self.input + 2]
        self.next(self.leaf, foreach="inner")

    @profile_card(interval=0.05, cpu="none")
    @step
    def leaf(self):
        self.size = work(self.input)
        self.next(self.join_inner)

    @step
    def join_inner(self, inputs):
        self.next(self.join_outer)

    @step
    def join_outer(self, inputs):
        self.next(self.pools)

    @profile_card(interval=0.05, cpu="none")
    @step
    def pools(self):
        with ThreadPoolExecutor(2, thread_name_prefix="loaders") as pool:
            self.sizes = list(pool.map(work, [20, 20]))
        with ProcessPoolExecutor(2) as pool:
            self.sizes += pool.map(work, [60, 60])
        self.next(self.forks)

    @retry(times=1, minutes_between_retries=0)
    @profile_card(interval=0.05, cpu="none", follow_fork=True)
    @step
    def forks(self):
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.parts = pool.map(fail_at_first, [1, 2], chunksize=1)
        self.next(self.caught)

    @catch(var="failure")
    @profile_card(interval=0.05, cpu="none")
    @step
    def caught(self):
        self.size = work(15)
        raise LookupError("no store\n# called <b>\udcff")
        self.next(self.last)

    @profile_card(interval=0.05, cpu="none")
    @step
    def last(self):
        if "RESUMED" not in os.environ:
            raise LookupError("not before it is resumed")
        self.next(self.end)

    @step
    def end(self):
        pass


if __name__ == "__main__":
    NestedFlow()
