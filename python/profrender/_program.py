# SPDX-License-Identifier: Apache-2.0
"""The program profrender: where it is, and how it makes a card."""

import os
import shutil
import subprocess
import sysconfig

CARD_S = 300


class Failed(Exception):
    """There is no card; the text is the reason."""


def find(program="profrender"):
    """The path of PROGRAM: next to this Python, where the wheel puts it, or on PATH. None if it is not there."""
    return shutil.which(program, path=sysconfig.get_path("scripts")) or shutil.which(program)


def with_root(args, root):
    """
    ARGS of `profrender card`, complete: a capture names source files, and --source reads those below --root only.

    That is ROOT, unless ARGS name a folder. Without either, the card has no source: ROOT None means that the folder of
    the code is not known.
    """
    args = [str(word) for word in args]
    if "--source" not in args or any(word.split("=")[0] == "--root" for word in args):
        return args
    return [*args, "--root", str(root)] if root else [word for word in args if word != "--source"]


def words(recording, page, *args, program="profrender"):
    """The command that makes the card PAGE of RECORDING; None: there is no such program."""
    found = find(program)
    return found and [found, "card", "-q", os.fspath(recording), "-o", os.fspath(page), *map(str, args)]


def card(recording, page, *args, program="profrender", timeout=CARD_S):
    """Makes the card PAGE of RECORDING, a capture or the folder of a run; ARGS are options of `profrender card`.

    Raises Failed if there is no card. No shell sees any of these words.
    """
    command = words(recording, page, *args, program=program)
    if not command:
        raise Failed(f"there is no program {program} on PATH")
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=timeout)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(str(error)) from error
    if done.returncode != 0:
        raise Failed(done.stdout.decode(errors="replace").strip() or f"exit status {done.returncode}")
