# SPDX-License-Identifier: Apache-2.0
"""The capture of one test: by pytest-memray where that records the test, by memray itself elsewhere.

memray can follow a process only once at a time, so there are never two trackers.
"""

import contextlib
import os
import shutil
import sys
import unittest
import uuid

import pytest

from . import real

try:
    from profrender._recording import is_taken
except ImportError:  # the Python module of profrender is not installed: a tracker is found when the next one starts
    def is_taken():
        return False

WHY_NOT = "memray is not installed, is already in use, had no room for its file, or another profiler records the tests"


def same_file(made, path):
    """No symbolic link: profrender follows none in the folder of a run."""
    try:
        os.link(made, path)
    except OSError:
        shutil.copyfile(made, path)


def is_profiled():
    """Python has one profile hook. memray would take it from another profiler, and cannot give it back to one in C."""
    return sys.getprofile() is not None


class OfMemray:
    """memray around the test."""

    def __init__(self, tracker_type):
        self.tracker_type = tracker_type

    @contextlib.contextmanager
    def around(self, item, path):
        tracker = None
        try:
            if not is_profiled():
                with real.python():
                    tracker = self.tracker_type(path)
                tracker.__enter__()  # not in a function: memray would lose the frames below that when it returns
        except (RuntimeError, AssertionError, OSError):  # a fixture or `memray run` has a tracker; the disk is full
            tracker = None
        try:
            yield
        finally:
            if tracker:
                tracker.__exit__(None, None, None)


class OfPytestMemray:
    """The captures of pytest-memray, in a folder where only this process writes files with this prefix."""

    def __init__(self, folder, prefix, instead, option, is_asked_for):
        self.folder = folder
        self.prefix = prefix
        self.instead = instead
        self.option = option
        self.is_asked_for = is_asked_for  # by the user, not only by this package

    def _files(self):
        found = [path for path in self.folder.glob("*.bin") if self.prefix is None or path.name.startswith(self.prefix)]
        return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in found}

    @contextlib.contextmanager
    def around(self, item, path):
        if not isinstance(item, pytest.Function) or issubclass(getattr(item, "cls", None) or object, unittest.TestCase):
            with self.instead.around(item, path):  # pytest-memray does not look at these
                yield
            return
        if not self.is_asked_for and is_profiled():  # as by pytest-profiling: pytest-memray would fail the test
            self.option.memray = False
            try:
                yield
            finally:
                self.option.memray = True
            return
        with real.python():
            before = self._files()
        try:
            yield
        finally:
            with real.python():
                new = [made for made, mark in self._files().items() if before.get(made) != mark]
                if len(new) == 1:
                    same_file(new[0], path)


class Nothing:
    """Neither is installed, or memray records all of this process already."""

    @contextlib.contextmanager
    def around(self, item, path):
        yield


def choose(config, work):
    """The way for this session. Called before pytest-memray reads its options; WORK is a folder of this process."""
    try:
        from memray import Tracker
    except ImportError:
        return Nothing()
    alone = OfMemray(Tracker)
    if not config.pluginmanager.hasplugin("memray"):
        return alone
    option = config.option
    is_asked_for = option.memray or config.getini("memray")
    if not is_asked_for and is_taken():
        return Nothing()  # `memray run`, or a session within a test: each tracker of pytest-memray would fail its test
    if not is_asked_for:
        option.memray = option.hide_memray_summary = True
    if option.memray_bin_path is None:
        folder, prefix = work / "memray", None
        folder.mkdir()
        option.memray_bin_path = folder
    else:
        # Other processes write there too.
        folder = option.memray_bin_path
        prefix = option.memray_bin_prefix = f"{option.memray_bin_prefix or 'profrender'}-{uuid.uuid4().hex[:8]}"
    return OfPytestMemray(folder, prefix, alone, option, is_asked_for)
