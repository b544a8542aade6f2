# SPDX-License-Identifier: Apache-2.0
"""The modules next to the structure tests belong to them: rooms.py, sources.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
