# SPDX-License-Identifier: Apache-2.0
"""The time that a task may take (execution_timeout) is for the task alone: its card takes none of it.

Airflow limits it by an alarm of the process, which raises an exception wherever the process is at that moment.
"""

import contextlib
import signal


class Clock:
    """The alarm of this process."""

    @contextlib.contextmanager
    def stopped(self):
        self._stop()
        try:
            yield
        finally:
            self._start()

    @contextlib.contextmanager
    def running(self):
        """Within stopped()."""
        self._start()
        try:
            yield
        finally:
            self._stop()

    def _stop(self):
        self._left = signal.setitimer(signal.ITIMER_REAL, 0)

    def _start(self):
        signal.setitimer(signal.ITIMER_REAL, *self._left)
