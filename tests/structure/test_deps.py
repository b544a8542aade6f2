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
