# SPDX-License-Identifier: Apache-2.0
"""What the WebAssembly program has in place of a file has the same entries, but for what a system cannot do there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = {"record", "publish", "mark"}  # these start processes, or write to one that runs


def commands(path):
    return re.findall(r"^    &pr_command_(\w+),$", (ROOT / path).read_text(encoding="utf-8"), re.M)


def test_the_commands_are_those_of_the_native_program_in_its_order():
    native = commands("cli/commands.c")
    assert LEFT_OUT < set(native)
    assert commands("platform/wasi/wasi_commands.c") == [name for name in native if name not in LEFT_OUT]
