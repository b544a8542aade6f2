# SPDX-License-Identifier: Apache-2.0
"""Ports of this machine, for servers that a test starts."""

import socket


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def is_listening(port):
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0
