# SPDX-License-Identifier: Apache-2.0
"""The READMEs of the samples, followed from nothing: a new checkout, a new environment, an empty home, the newest
packages. Each prints how long it took to the first card."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from frameworks import framework

ROOT = Path(__file__).resolve().parent.parent.parent
HEADING = "## From nothing to the first card"
# How this machine reaches packages: certificates and proxies. Nothing else of its environment is passed on.
REACH = {name: value for name, value in os.environ.items()
         if re.search(r"cert|ca_bundle|proxy|^npm_|^pip_", name, re.I)}


def commands(sample):
    """The indented lines below the heading."""
    text = (ROOT / "samples" / sample / "README.md").read_text(encoding="utf-8")
    part = text[text.index(HEADING):].split("\n## ")[0]
    return "\n".join(re.findall(r"^    (.*)$", part, re.M))


@pytest.fixture
def follow(tmp_path):
    """`follow(SAMPLE)`: (folder of the checkout, output)."""
    framework("pytest_plugins")  # fails here if packages cannot be had, and skips offline
    home, checkout = tmp_path / "home", tmp_path / "profrender"
    home.mkdir()
    checkout.mkdir()
    tracked = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    for name in filter(None, tracked):
        if (ROOT / name).is_file():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, checkout / name)

    def run(sample):
        python, node = Path(sys.base_prefix, "bin"), Path(shutil.which("node")).parent
        start = time.monotonic()
        done = subprocess.run(["bash", "-x", "-c", commands(sample)], cwd=checkout, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1500,
                              env={**REACH, "HOME": str(home), "TMPDIR": str(tmp_path), "BROWSER": "true",
                                   "PATH": f"{python}:{node}:/usr/bin:/bin", "LANG": "C.UTF-8"})
        minutes = (time.monotonic() - start) / 60
        print(f"{sample}: {minutes:.1f} minutes")
        if log := os.environ.get("PROFRENDER_README_LOG"):
            Path(log).open("a").write(f"{sample}: {minutes:.1f} minutes\n")
        return checkout, done.stdout
    return run


def is_card(path):
    return path.read_text(encoding="utf-8", errors="replace").lstrip().lower().startswith("<!doctype html>")


def test_metaflow(follow):
    folder, said = follow("metaflow")
    cards = list(folder.rglob(".metaflow/mf.cards/**/*.html"))
    assert len(cards) >= 5 and all(map(is_card, cards)), said[-3000:]
    assert any("SIGKILL" in card.read_text(encoding="utf-8") for card in cards), said[-3000:]


def test_flyte(follow, tmp_path):
    _, said = follow("flyte")
    decks = list(tmp_path.rglob("deck.html"))
    assert decks and any("srcdoc=" in deck.read_text(encoding="utf-8") for deck in decks), said[-3000:]


def test_airflow(follow):
    folder, said = follow("airflow")
    found = re.findall(r"^(try/profrender/\S.*\.html)$", said, re.M)
    assert len(found) == 5 and all(is_card(folder / path) for path in found), said[-3000:]


def test_pytest(follow):
    folder, said = follow("pytest")
    assert "all of them: profrender-report/index.html" in said, said[-3000:]
    assert is_card(folder / "try/profrender-report/index.html")


def test_github(follow):
    _, said = follow("ci/github")
    assert re.search(r"^passed \S+/try\.html$", said, re.M), said[-3000:]
    assert "Open the card" in said


def test_vscode(follow):
    """Up to the editor: there is no program `code` in a registry of packages."""
    folder, said = follow("vscode")
    assert (folder / "samples/vscode/profrender-0.1.0.vsix").is_file(), said[-3000:]
    assert "code: command not found" in said, said[-3000:]
