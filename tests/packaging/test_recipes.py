# SPDX-License-Identifier: Apache-2.0
"""The recipes of `make recipes`: conda's is built by rattler-build, nix's by nix, Homebrew's run with stand-ins."""

import json
import os
import platform
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from packages import environment

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RECIPES = ROOT / "build/recipes"
SAMPLE = ROOT / "samples/daily-sales.bin"


def version():
    return subprocess.check_output([ROOT / "build/profrender", "--version"], text=True).split()[1]


def card_of(program, folder):
    done = subprocess.run([program, "card", "-q", SAMPLE.name, "-o", folder / "card.html"], cwd=SAMPLE.parent,
                          capture_output=True)
    assert done.returncode == 0, done.stderr
    return (folder / "card.html").read_bytes()


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    return card_of(ROOT / "build/profrender", tmp_path_factory.mktemp("ours"))


def test_nothing_of_a_recipe_is_left_open():
    for name in ("profrender.rb", "recipe.yaml", "profrender.nix"):
        text = (RECIPES / name).read_text(encoding="utf-8")
        assert "@" not in text and version() in text, name


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_an_archive_has_the_program_and_what_belongs_to_it(machine, tmp_path):
    name = f"profrender-{version()}-linux-{machine}"
    with tarfile.open(RECIPES / f"{name}.tar.gz") as archive:
        names = set(archive.getnames())
    assert {f"{name}/{part}" for part in ("bin/profrender", "LICENSE", "share/man/man1/profrender-card.1",
                                          "share/bash-completion/completions/profrender")} <= names
    assert all(path.startswith(name) for path in names)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_formula_installs_and_its_test_passes(machine, ours, tmp_path):
    ruby = shutil.which("ruby") or pytest.skip("no Ruby here")
    done = subprocess.run([ruby, HERE / "homebrew.rb", RECIPES / "profrender.rb", tmp_path, machine], text=True,
                          capture_output=True)
    assert (done.returncode, done.stdout.strip().splitlines()[-1:]) == (0, [version()]), done.stderr
    if machine == platform.machine():
        same = card_of(tmp_path / "bin/profrender", tmp_path) == ours
        assert same


def test_a_formula_with_a_wrong_sum_installs_nothing(tmp_path):
    ruby = shutil.which("ruby") or pytest.skip("no Ruby here")
    text = (RECIPES / "profrender.rb").read_text(encoding="utf-8")
    (tmp_path / "wrong.rb").write_text(text.replace('sha256 "', 'sha256 "0'), encoding="utf-8")
    done = subprocess.run([ruby, HERE / "homebrew.rb", tmp_path / "wrong.rb", tmp_path / "out", "x86_64"], text=True,
                          capture_output=True)
    assert done.returncode != 0 and "the sum is wrong" in done.stderr


BUILD = """
import sys
from rattler_build.cli_api import build_recipes
build_recipes([sys.argv[1]], output_dir=sys.argv[2], channel=[], package_format="tarbz2", test="native")
"""


def test_rattler_build_builds_and_tests_the_conda_package(ours, tmp_path):
    tools = environment("rattler") or pytest.skip("rattler-build could not be installed")
    (tmp_path / "home").mkdir()
    done = subprocess.run([tools / "python", "-c", BUILD, RECIPES / "recipe.yaml", tmp_path / "out"], text=True,
                          env={**os.environ, "HOME": str(tmp_path / "home")}, capture_output=True, timeout=500)
    assert done.returncode == 0, done.stderr[-3000:]
    (package,) = (tmp_path / "out").glob("linux-*/profrender-*.tar.bz2")
    with tarfile.open(package) as archive:
        archive.extractall(tmp_path / "prefix")
    same = card_of(tmp_path / "prefix/bin/profrender", tmp_path) == ours
    assert same
    assert json.loads((tmp_path / "prefix/info/index.json").read_text())["depends"] == []


def test_the_nix_recipe_evaluates_to_our_archive(tmp_path):
    nix = shutil.which("nix-instantiate") or pytest.skip("no nix here")
    recipe = RECIPES / "profrender.nix"
    wanted = f"with (import ./stand_in.nix) {recipe}; {{ inherit pname version src buildFlags meta; }}"
    done = subprocess.run([nix, "--eval", "--strict", "--json", "-E", wanted], cwd=HERE, text=True, capture_output=True,
                          env={**os.environ, "NIX_STATE_DIR": str(tmp_path), "NIX_STORE_DIR": str(tmp_path / "store")})
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    source = Path(made["src"]["url"].removeprefix("file://"))
    assert (made["pname"], made["version"]) == ("profrender", version())
    assert subprocess.check_output(["sha256sum", source], text=True).split()[0] == made["src"]["sha256"]


def test_nix_builds_and_checks_what_makes_the_same_card(ours, tmp_path):
    """Without nixpkgs, so by the compiler and the libraries of this system."""
    nix = shutil.which("nix-build") or pytest.skip("no nix here")
    (tmp_path / "conf").mkdir()
    settings = "sandbox = false\nbuild-users-group =\nsubstitute = false\n"
    (tmp_path / "conf/nix.conf").write_text(settings, encoding="utf-8")
    passed_on = " ".join(f'{name} = "{value}";' for name, value in os.environ.items() if name.startswith("CC"))
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    env |= {f"NIX_{name.upper()}_DIR": str(tmp_path / name) for name in ("conf", "localstate", "log", "state", "store")}
    done = subprocess.run([nix, "-E", f"import {HERE}/system.nix {RECIPES}/profrender.nix {{ {passed_on} }}", "-o",
                           tmp_path / "result", "--cores", "2"], text=True, capture_output=True, env=env, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    same = card_of(tmp_path / "result/bin/profrender", tmp_path) == ours
    assert same
