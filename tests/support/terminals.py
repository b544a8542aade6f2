# SPDX-License-Identifier: Apache-2.0
"""A program on its own terminal."""
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

LIMIT_S = 120


def on_terminal(path, *arguments, columns=80, rows=30, stdin=b"", pause_s=0.0, cwd=None, **environment):
    """(status, all that a terminal gets, progress too if it takes long) of the program at PATH, with the three standard
    descriptors on the terminal, or a slow pipe as stdin."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    env = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", **environment}
    process = subprocess.Popen([str(path), *map(str, arguments)],
                               stdin=subprocess.PIPE if stdin else other, stdout=other, stderr=other, env=env, cwd=cwd)
    os.close(other)
    output = bytearray()

    def drain(seconds):
        end = time.monotonic() + seconds
        while select.select([main], [], [], max(0, end - time.monotonic()))[0]:
            try:
                part = os.read(main, 65536)
            except OSError:  # the other end is closed
                return False
            if not part:
                return False
            output.extend(part)
        return True

    if stdin:
        half = len(stdin) // 2
        process.stdin.write(stdin[:half])
        process.stdin.flush()
        drain(pause_s)
        process.stdin.write(stdin[half:])
        process.stdin.close()
    drain(LIMIT_S)
    os.close(main)
    return process.wait(LIMIT_S), bytes(output).replace(b"\r\n", b"\n")
