# SPDX-License-Identifier: Apache-2.0
"""Builds the libraries of the tests: one source with every kind of debug information."""
import os
import subprocess
from pathlib import Path

CODE = Path(__file__).resolve().parent / "code"


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def compile_c(target, *options, source=CODE / "store.c"):
    run(*os.environ.get("CC", "cc").split(), "-fPIC", "-shared", "-Wl,--build-id", *options, "-o", target, source)


def take_debug(library, debug):
    """Moves the debug information of LIBRARY to DEBUG, with a debug link to it."""
    run("objcopy", "--only-keep-debug", library, debug)
    run("strip", "-g", library)
    run("objcopy", f"--add-gnu-debuglink={debug}", library)


def build(folder):
    """All of them; RuntimeError or OSError where one cannot be built."""
    compile_c(folder / "libplain.so", "-g", "-O0")
    compile_c(folder / "libfast.so", "-g", "-O2")
    compile_c(folder / "libstripped.so", "-O2", "-s")
    compile_c(folder / "libseparate.so", "-g", "-O2")
    take_debug(folder / "libseparate.so", folder / "libseparate.debug")
    run(os.environ.get("CXX", "c++"), "-fPIC", "-shared", "-g", "-O2", "-o", folder / "libboxes.so", CODE / "boxes.cc")
