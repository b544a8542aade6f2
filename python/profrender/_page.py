# SPDX-License-Identifier: Apache-2.0
"""What all cards of data are for who has one: a page, a file, HTML within another page, and what Jupyter shows."""

import contextlib
import os
import re
import subprocess
import tempfile

from ._frame import embed, in_notebook
from ._program import Failed, find

INPUT = re.compile("^profrender: standard input: ", re.M)


class Page:
    """A class with `html`, the text of the page, and `_height`, that of its frame."""

    def save(self, path):
        """Writes the page to PATH, whose folder is made if it is not there."""
        path = os.fspath(path)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(self.html)
        return path

    def embedded(self):
        """HTML of a frame with a sandbox that shows the page within another one."""
        return embed(self.html, self._height)

    def _repr_html_(self):
        return in_notebook(self.html, self._height)


def frame_command(program, words):
    """`PROGRAM frame` with WORDS. Raises Failed without it."""
    found = find(program)
    if not found:
        raise Failed(f"there is no program {program} on PATH")
    return [os.path.abspath(found), "frame", "-q", *words]


def run(command, write, folder=None, what="standard input"):
    """What COMMAND prints, in FOLDER, when WRITE(its standard input) was called. Raises Failed with its reason, in
    which WHAT is the name of that input."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as printed:
        process = subprocess.Popen(command, stdin=subprocess.PIPE if write else subprocess.DEVNULL, stdout=printed,
                                   stderr=said, cwd=folder)
        try:
            if write:
                with contextlib.suppress(BrokenPipeError):  # it ended early: its reason is in `said`
                    hand_over(write, process.stdin)
        except BaseException:
            process.kill()
            raise
        finally:
            if write:
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.close()
            status = process.wait()
        said.seek(0)
        printed.seek(0)
        if status != 0:
            reason = said.read().decode(errors="replace").strip() or f"exit status {status}"
            raise Failed(INPUT.sub(lambda _: f"profrender: {what}: ", reason))
        return printed.read().decode("utf-8")


def hand_over(write, out):
    """A library reports a closed pipe as an error of its own: what counts is that the pipe is closed."""
    try:
        write(out)
    except OSError as error:
        raise BrokenPipeError from error
