# SPDX-License-Identifier: Apache-2.0
"""The shortest flow with a card, for test_metaflow.py."""

from metaflow import FlowSpec, profile_card, step


class PlainFlow(FlowSpec):
    @profile_card(interval=0.05, cpu="none")
    @step
    def start(self):
        self.block = len(bytearray(20 << 20))
        self.next(self.end)

    @step
    def end(self):
        pass


if __name__ == "__main__":
    PlainFlow()
