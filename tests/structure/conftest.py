# SPDX-License-Identifier: Apache-2.0
"""The modules beside the structure tests are theirs: rooms.py, sources.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
