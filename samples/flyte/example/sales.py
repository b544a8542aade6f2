# SPDX-License-Identifier: Apache-2.0
"""Tasks to try @profile_deck on; the last one fails."""

from typing import List

from flytekit import map_task, task, workflow
from flytekitplugins.profrender import profile_deck


@task(enable_deck=True, deck_fields=())
@profile_deck
def load(store: int) -> int:
    sold = [{"store": store, "number": number} for number in range(100_000)]
    return sum(row["number"] for row in sold)


@task(enable_deck=True, deck_fields=())
@profile_deck(memray_html_reporter="table", memray_reporter_args=["--leaks"], trace_python_allocators=True)
def total(sold: List[int]) -> int:
    return sum(sold)


@task(enable_deck=True, deck_fields=())
@profile_deck(memory_interval_ms=1)
def publish(sold: int) -> str:
    report = bytearray(20 << 20)
    return f"{sold} in {len(report)} bytes"[sold:].split()[1]


@workflow
def sales(stores: List[int] = [1, 2]) -> str:
    return publish(sold=total(sold=map_task(load)(store=stores)))
