# SPDX-License-Identifier: Apache-2.0
"""A flow for test_metaflow.py: of two mapped tasks, one kills itself while the other runs, which Metaflow then ends."""

import os
import signal
import time
from pathlib import Path

from metaflow import FlowSpec, Parameter, profile_card, step


class CasesFlow(FlowSpec):
    place = Parameter("place", default=".")

    @step
    def start(self):
        self.cases = ["waits", "killed"]
        self.next(self.case, foreach="cases")

    @profile_card(interval=0.05, cpu="none", keep="kept")
    @step
    def case(self):
        block = bytearray(30 << 20)
        started = Path(self.place, "started")
        if self.input == "waits":
            started.write_text(str(os.getpid()), encoding="utf-8")
            time.sleep(300)
        while not started.exists():
            time.sleep(0.05)
        time.sleep(0.3 + len(block) * 0)
        os.kill(os.getpid(), signal.SIGKILL)
        self.next(self.join)

    @step
    def join(self, inputs):
        self.next(self.end)

    @step
    def end(self):
        pass


if __name__ == "__main__":
    CasesFlow()
