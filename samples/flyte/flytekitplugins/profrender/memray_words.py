# SPDX-License-Identifier: Apache-2.0
"""Options of memray's two HTML reporters, and what shows the same on a card."""

import argparse
import shlex

REPORTERS = ("flamegraph", "table")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ValueError(f"memray_reporter_args: {message}")


def parser():
    made = Parser(add_help=False, allow_abbrev=False)
    kind = made.add_mutually_exclusive_group()
    kind.add_argument("--leaks", action="store_true")
    kind.add_argument("--temporary-allocations", action="store_true")
    kind.add_argument("--temporary-allocation-threshold", type=int, metavar="N")
    made.add_argument("--split-threads", action="store_true")
    made.add_argument("--inverted", action="store_true")
    made.add_argument("--max-memory-records", type=int, metavar="N")
    made.add_argument("--confidential-files", choices=["all", "none", "default"], default="default")
    # A card can do it anyway, or never does it.
    for name in ("--temporal", "--no-web", "--force", "-f"):
        made.add_argument(name, action="store_true")
    return made


def parsed(words):
    """memray_profiling joins them for a shell: one text may be several words."""
    if isinstance(words, str) or not all(isinstance(word, str) for word in words):
        raise ValueError("memray_reporter_args is a list of texts")
    return parser().parse_args(shlex.split(" ".join(words)))


def state(reporter, words):
    """What the card shows first, as after the # of its address."""
    if reporter not in REPORTERS:
        raise ValueError(f"{reporter} is not a supported html reporter: {' or '.join(REPORTERS)}")
    wanted = parsed(words)
    is_temporary = wanted.temporary_allocations or wanted.temporary_allocation_threshold is not None
    kind = "leaks" if wanted.leaks else "temporary" if is_temporary else "peak"
    how = ("&split=1" if wanted.split_threads else "") + ("&order=callers" if wanted.inverted else "")
    return f"tab={kind}{how}" + ("&view=table" if reporter == "table" else "")


def card_options(words):
    wanted = parsed(words)
    options = ["--bins", str(wanted.max_memory_records)] if wanted.max_memory_records else []
    return options + (["--source"] if wanted.confidential_files == "none" else [])
