# SPDX-License-Identifier: Apache-2.0
"""@profile_deck: a deck with the card of a task, also of one that fails; renderers of tables of data for any deck."""

from .profile_deck import profile_deck
from .renderers import BoxRenderer, FrameProfilingRenderer, GanttChartRenderer, TableRenderer

__all__ = ["BoxRenderer", "FrameProfilingRenderer", "GanttChartRenderer", "TableRenderer", "profile_deck"]
