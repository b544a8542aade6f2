# SPDX-License-Identifier: Apache-2.0
"""tests/support/deps.sh: what is there is not asked for."""

import os
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "support/deps.sh"


def test_a_compiler_of_two_words_is_there_and_what_was_built_stays(tmp_path):
    asked = tmp_path / "asked"
    apt = tmp_path / "bin/apt-get"
    apt.parent.mkdir()
    apt.write_text(f'#!/bin/sh\necho "$@" >>{asked}\n')
    apt.chmod(0o755)
    built = tmp_path / "build/obj/a.o"
    built.parent.mkdir(parents=True)
    built.touch()
    with_node = tmp_path / "assets/prebuilt/assets.c"
    with_node.parent.mkdir(parents=True)
    with_node.touch()

    def demo(compiler):
        env = {**os.environ, "PATH": f"{apt.parent}:{os.environ['PATH']}", "CC": compiler}
        subprocess.run(["sh", SCRIPT, "demo"], cwd=tmp_path, env=env, check=True)
        return asked.read_text() if asked.exists() else ""

    assert "gcc" not in demo("env cc")
    assert "gcc" in demo("no-such-compiler")
    assert built.exists()


def test_what_only_some_tests_need_may_be_missing(tmp_path):
    """linux-perf cannot be had everywhere: its tests are skipped then."""
    for name in ("perf", "apt-get"):
        (tmp_path / name).write_text('#!/bin/sh\nexit 1\n')
        (tmp_path / name).chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", SCRIPT, "test"], cwd=SCRIPT.parents[2], env=env, check=True, capture_output=True)
    assert b"could not install linux-perf: tests that need it are skipped, or slower" in done.stdout
