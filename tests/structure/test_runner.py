# SPDX-License-Identifier: Apache-2.0
"""tests/run.py: what runs alone exists, and what failed runs again only where that was asked for."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/support")]
import run as runner  # noqa: E402
from second_run import command_for_failed  # noqa: E402

PYTEST = ["env", "A=b", "python3", "-m", "pytest", "-q", "tests/record"]
NODE = ["node", "tests/card/run.mjs"]


def test_what_runs_alone_is_a_command_of_a_part():
    parts = {label.split(":")[0] for label in runner.ABOUT_TIME}
    there = {f"{part}: {name}" for part in parts for name, _ in runner.PARTS[part]()}
    assert runner.ABOUT_TIME <= there


def test_only_failed_tests_run_again():
    output = "FAILED tests/record/test_a.py::test_b[c - d] - assert 1 == 2\nERROR tests/record/test_e.py::test_f\n"
    again = command_for_failed(PYTEST, output, ROOT)
    assert again == [*PYTEST[:6], "tests/record/test_a.py::test_b[c - d]", "tests/record/test_e.py::test_f"]


def test_only_files_with_failed_tests_run_again():
    place = ROOT / "tests/card/browser/window.test.mjs"
    output = f"ok 1 - a\n  ---\n  location: '{ROOT}/tests/card/browser/help.test.mjs:1:1'\n  ...\n"
    output += f"not ok 2 - b\n  ---\n  duration_ms: 3\n  location: '{place}:270:1'\n  ...\n"
    assert command_for_failed(NODE, output, ROOT) == ["node", "--test", "--test-concurrency=1", place]


def test_nothing_runs_again_after_many_failures_or_none_with_a_name():
    assert command_for_failed(PYTEST, "".join(f"FAILED tests/a.py::test_{i}\n" for i in range(6)), ROOT) is None
    assert command_for_failed(PYTEST, "Segmentation fault\n", ROOT) is None
    assert command_for_failed(NODE, "not ok 1 - /elsewhere\n  location: '/elsewhere/a.test.mjs:1:1'\n", ROOT) is None


def test_a_test_that_fails_twice_has_failed(tmp_path, monkeypatch, capsys):
    (tmp_path / "test_it.py").write_text(
        "from pathlib import Path\nSEEN = Path(__file__).with_name('seen')\n"
        "def test_first_only():\n    old = SEEN.exists()\n    SEEN.touch()\n    assert old\n"
        "def test_always():\n    assert not Path(__file__).with_name('broken').exists()\n"
    )
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path / "test_it.py"]
    monkeypatch.setattr(runner, "ABOUT_TIME", {"about: time"})
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    assert runner.one("about: time", command) == (2, 0, 0)
    assert "what failed again" in capsys.readouterr().out
    (tmp_path / "broken").touch()
    assert runner.one("about: time", command)[1] == 1
    (tmp_path / "seen").unlink()
    assert runner.one("another", command)[1] == 2


def test_unknown_parts_are_refused():
    done = subprocess.run([sys.executable, "-B", ROOT / "tests/run.py", "nosuch"], capture_output=True, text=True)
    assert done.returncode != 0 and "no such part: nosuch" in done.stderr
