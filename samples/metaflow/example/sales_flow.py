# SPDX-License-Identifier: Apache-2.0
"""A small flow to try @profile_card on: sales of three stores, one of which has no file in its first attempt.

    python sales_flow.py run                          every task has a card
    python sales_flow.py run --fail year              the last step raises an exception: its card shows it
    python sales_flow.py run --fail kill              ... or is killed, as by the kernel when memory runs out
"""

import os
import signal
import time

from metaflow import FlowSpec, Parameter, current, profile_card, retry, step


def months(store, count):
    return [{"store": store, "month": number % 12, "sold": (number * 7919) % 1000} for number in range(count)]


class SalesFlow(FlowSpec):
    fail = Parameter("fail", default="never", help="never, year or kill")

    @step
    def start(self):
        self.stores = ["north", "south", "east"]
        self.next(self.load, foreach="stores")

    @retry(times=1, minutes_between_retries=0)
    @profile_card(interval=0.1)
    @step
    def load(self):
        if self.input == "east" and current.retry_count == 0:
            raise FileNotFoundError("sales of the store east")
        rows = months(self.input, 200_000)
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            self.sold = sum(row["sold"] for row in rows)
        self.next(self.total)

    @profile_card(interval=0.1)
    @step
    def total(self, inputs):
        self.sold = sum(task.sold for task in inputs)
        year = months("all", 100_000)
        if inputs[0].fail == "year":
            self.best = {}[len(year)]
        if inputs[0].fail == "kill":
            time.sleep(0.5)
            os.kill(os.getpid(), signal.SIGKILL)
        self.next(self.end)

    @step
    def end(self):
        print("sold", self.sold)


if __name__ == "__main__":
    SalesFlow()
