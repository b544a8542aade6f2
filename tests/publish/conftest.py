# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from sites import Site  # noqa: E402


@pytest.fixture
def site(program, tmp_path):
    return Site(program, tmp_path)
