# SPDX-License-Identifier: Apache-2.0
"""Signals as a terminal's foreground has them, for tests that end programs by them.

A shell without job control starts background jobs with SIGINT and SIGQUIT ignored, nohup with SIGHUP, and every program
started from there inherits that. Importing this module is enough.
"""

import signal

for number in signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM:
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
