# SPDX-License-Identifier: Apache-2.0
"""Which command runs only what failed, for tests whose outcome may hang on the machine: pages in a browser, recordings.

A second run is no way around a failure: it is named in the output, and a test that fails twice has failed.
"""

import re
from pathlib import Path

MOST = 5  # more failures than these are not the machine's


def command_for_failed(command, output, root):
    """COMMAND with only the tests that its OUTPUT, of pytest or of node's test runner, names as failed; or None."""
    by_pytest = re.findall(r"^(?:FAILED|ERROR) (\S+?::[\w:]+(?:\[.*?\])?)(?: - .*)?$", output, re.M)
    by_node = re.findall(r"^ *not ok \d+ - .*\n *---\n(?: +.*\n)*? +location: '(/[^']+?\.mjs):\d+:\d+'$", output, re.M)
    if 0 < len(by_pytest) <= MOST and "pytest" in map(str, command):
        words = list(map(str, command))
        return [*words[: words.index("pytest") + 1], "-q", *by_pytest]
    files = sorted({Path(path) for path in by_node if Path(path).is_file() and root in Path(path).parents})
    if len(by_node) <= MOST and files:
        return [command[0], "--test", "--test-concurrency=1", *files]
    return None
