# SPDX-License-Identifier: Apache-2.0
"""A program on its own terminal, with someone typing."""

import os
import pty
import re
import select
import signal
import time

LIMIT_S = 120


class TypingTerminal:
    """Runs a command line; `seen` is all that it has printed so far."""

    def __init__(self, *line):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a job in the background of a shell ignores it
            os.execvp(line[0], line)
        self.seen = b""

    def wait_for(self, pattern):
        """Whether it has printed that in time."""
        end = time.monotonic() + LIMIT_S
        while not re.search(pattern, self.seen) and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 4096)
                except OSError:  # the other side is closed
                    break
        return re.search(pattern, self.seen)

    def type(self, text):
        os.write(self.fd, text)

    def finish(self):
        """The exit status; a negative one is a signal."""
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)
