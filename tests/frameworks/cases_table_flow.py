# SPDX-License-Identifier: Apache-2.0
"""A flow for test_metaflow.py: a step with a card of its data, in an attribute that the card shows."""

import profrender
from metaflow import FlowSpec, Parameter, card, profile_card, step


class TableFlow(FlowSpec):
    table = Parameter("table")

    @card(type="profrender", id="orders", options={"attribute": "orders"})
    @profile_card(cpu="none", memory=False)
    @step
    def start(self):
        self.orders = profrender.frame(self.table, "Orders").html
        self.next(self.end)

    @step
    def end(self):
        pass


if __name__ == "__main__":
    TableFlow()
