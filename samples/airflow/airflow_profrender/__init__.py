# SPDX-License-Identifier: Apache-2.0
"""Cards of Airflow's tasks: policy.py records them, plugin.py and pages.py show them; show() adds those of data."""

from .data import show

__all__ = ["show"]
