# SPDX-License-Identifier: Apache-2.0
"""Python as it was before the tests: they replace what this package needs, and it works while a test still does so.

A test may have mocked subprocess.Popen, have a file system of its own (pyfakefs) or stop the clock (freezegun). Neither
its recording nor its verdict may suffer from that, and its mocks must not see what we do.
"""

import builtins
import contextlib
import genericpath
import glob
import hashlib
import io
import json
import os
import pathlib
import posixpath
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

USED = [builtins, genericpath, glob, hashlib, io, json, os, pathlib, pathlib.Path, pathlib.PosixPath, posixpath, re,
        resource, shutil, signal, subprocess, subprocess.Popen, tempfile, threading, time, traceback]
OURS = ("pytest_profrender", "profrender", "memray")
GONE = object()

_kept = []  # (module or class, {name: value})
_environment = {}


def keep():
    """Called before the first test."""
    ours = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] in OURS]
    _kept[:] = [(place, {name: value for name, value in vars(place).items() if not is_of_the_class(name)})
                for place in [*USED, *ours] if place is not sys.modules[__name__]]
    _environment.update(os.environ)


def is_of_the_class(name):
    return name in ("__dict__", "__weakref__", "__doc__", "_")  # the last is what doctest has printed


def environment():
    """For programs that we start."""
    return dict(_environment)


@contextlib.contextmanager
def python():
    """Within it all is as it was; afterwards it is again as the test has it."""
    changed = [(place, name, now, value) for place, values in _kept for name, value in values.items()
               if (now := vars(place).get(name, GONE)) is not value]
    for place, name, _, value in changed:
        setattr(place, name, value)
    is_ignored = threading.current_thread() is threading.main_thread() and \
        signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN
    if is_ignored:  # no exit status of a program would be known
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        yield
    finally:
        if is_ignored:
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        for place, name, now, _ in changed:
            delattr(place, name) if now is GONE else setattr(place, name, now)
