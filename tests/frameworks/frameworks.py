# SPDX-License-Identifier: Apache-2.0
"""A framework from its package, in an environment of its own, with our package for it."""

import fcntl
import html
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from packages import environment

ROOT = Path(__file__).resolve().parent.parent.parent
ANY_PACKAGE = "iniconfig==2.1.0"


def is_offline(python):
    """Not even the smallest package can be had."""
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run([python, "-m", "pip", "download", "-q", "--no-deps", "--retries", "0", "-d", place,
                               ANY_PACKAGE], capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
    return done.returncode != 0


def framework(name):
    """The folder of programs of tests/requirements/NAME.txt. A framework that cannot be had is a failure."""
    programs = environment(name)
    if not programs:
        python = ROOT / "build/tests" / name / "bin/python"
        if is_offline(python):
            pytest.skip(f"{name} could not be installed: this machine has no access to packages")
        pytest.fail(f"{name} could not be installed")
    return programs


def install(programs, package):
    """PACKAGE, a folder or a wheel, over what an earlier test has installed; by uv where it can be had, at a tenth of
    pip's processor time."""
    uv = environment("uv")
    command = [uv / "uv", "pip", "install", "--no-config", "--reinstall", "-p", programs / "python"] if uv else \
        [programs / "python", "-m", "pip", "install", "--force-reinstall"]
    run([*command, "-q", "--no-index", "--no-deps", "--no-build-isolation", package])


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
    assert done.returncode == 0, done.stderr


def with_sample(name, sample):
    """The same, and the package samples/SAMPLE, as it is now. It is built from a copy: nothing is left next to it."""
    programs = framework(name)
    with tempfile.TemporaryDirectory() as place:
        install(programs, shutil.copytree(ROOT / "samples" / sample, Path(place) / sample))
    return programs


def with_wheel(name):
    """The same, and profrender's own wheel: the program that was built, and the Python module."""
    programs = framework(name)
    install(programs, own_wheel(programs))
    return programs


# What is in the wheel, next to the program: manual and completion are printed by that.
OF_WHEEL = ("setup.py", "pyproject.toml", "Makefile", "python/**/*.py", "schemas/*")


def own_wheel(programs):
    """Built by the first who wants it, and again when something in it has changed since."""
    place = ROOT / "build/tests/own_wheel"
    place.mkdir(parents=True, exist_ok=True)
    with open(ROOT / "build/tests/wheel.lock", "w", encoding="ascii") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        inputs = [ROOT / "build/profrender", *(path for pattern in OF_WHEEL for path in ROOT.glob(pattern))]
        known = "".join(f"{path} {path.stat().st_mtime_ns}\n" for path in inputs)
        if not (place / "inputs").exists() or (place / "inputs").read_text(encoding="utf-8") != known:
            shutil.rmtree(place)
            run([programs / "python", "-m", "pip", "wheel", "-q", "--no-index", "--no-deps", "--no-build-isolation",
                 "-w", place, ROOT])
            (place / "inputs").write_text(known, encoding="utf-8")
        (wheel,) = place.glob("*.whl")
        return wheel


def look(url, **how):
    """What a person sees there; see look.mjs. PROFRENDER_PICTURES=DIR keeps pictures there, light and dark."""
    pictures = os.environ.get("PROFRENDER_PICTURES")
    if pictures and "picture" not in how:
        name = re.sub(r"\W+", "-", os.environ["PYTEST_CURRENT_TEST"].split("::")[1].split(" ")[0])
        for scheme in ("dark", "light"):
            look(url, **{**how, "scheme": scheme, "picture": str(Path(pictures, f"{name}-{scheme}.png"))})
    words = json.dumps({"url": str(url), **how})
    done = subprocess.run(["node", ROOT / "tests/frameworks/look.mjs", words], capture_output=True, text=True,
                          timeout=200)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def text(card):
    """What is to be read in it without its script and style. CARD is a file, or what is in one."""
    page = card if isinstance(card, str) else card.read_text(encoding="utf-8")
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body)))


def has_code(page):
    """Whether the text of a card has source files, not only a place for them."""
    return any(len(packed) > 100 for packed in re.findall(r'id="pr-sources">([^<]*)<', page))


def assert_alone(card):
    """A card in a frame reads nothing of the page around it, nor what the browser keeps for that page's site."""
    assert card["parent"] == card["cookie"] == card["storage"] == "SecurityError", card
