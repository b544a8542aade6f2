# SPDX-License-Identifier: Apache-2.0
"""@profile_deck: a deck with the card of a task, also of one that fails."""

from .profile_deck import profile_deck

__all__ = ["profile_deck"]
