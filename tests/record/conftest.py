# SPDX-License-Identifier: Apache-2.0
import pytest


@pytest.fixture
def folder(tmp_path):
    """Where a run is recorded; it does not exist yet."""
    return tmp_path / "run"
