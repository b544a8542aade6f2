# SPDX-License-Identifier: Apache-2.0
"""Files below a folder into which others write, read without following a link.

Tasks may write where their cards are. If that is a folder which the server shares, a link there must not make the
server read its own files, nor a pipe make it wait.
"""

import contextlib
import os
import stat

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
NO_LINK = os.O_NOFOLLOW


@contextlib.contextmanager
def folder(top, *names):
    """A descriptor of the folder TOP/NAMES[0]/NAMES[1]/...; OSError: there isn't one, or a link is on the way to it."""
    opened = os.open(top, FOLDER)
    try:
        for name in names:
            next_one = os.open(name, FOLDER | NO_LINK, dir_fd=opened)
            os.close(opened)
            opened = next_one
        yield opened
    finally:
        os.close(opened)


def kinds(opened):
    """{name: its type of file, as stat.S_IFREG} of what is in a folder."""
    found = {}
    for name in os.listdir(opened):
        with contextlib.suppress(FileNotFoundError):  # removed meanwhile
            found[name] = stat.S_IFMT(os.stat(name, dir_fd=opened, follow_symlinks=False).st_mode)
    return found


def read(opened, name):
    """The bytes of a regular file in a folder."""
    with open(os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | NO_LINK, dir_fd=opened), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{name} is not a file")
        return file.read()


def path(opened):
    """A path of that very folder for another process of ours."""
    return f"/proc/{os.getpid()}/fd/{opened}"
