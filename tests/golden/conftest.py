# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption("--record", action="store_true",
                     help="write down what the program prints now, instead of comparing: read the diff like code")
    parser.addoption("--differs", metavar="FILE",
                     help="lines `case: reason`: cases in which this program must print something else")


def pytest_collection_modifyitems(config, items):
    file = config.getoption("--differs")
    lines = Path(file).read_text(encoding="utf-8").splitlines() if file else []
    reasons = dict(line.split(": ", 1) for line in lines if not line.startswith("#"))
    cases = {item.callspec.id: item for item in items if hasattr(item, "callspec")}
    for name, reason in reasons.items():
        if name in cases:
            cases[name].add_marker(pytest.mark.xfail(strict=True, reason=reason))
        elif not config.getoption("keyword"):
            raise pytest.UsageError(f"{file}: there is no case {name}")
