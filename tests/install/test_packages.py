# SPDX-License-Identifier: Apache-2.0
"""What users who do not compile get: the archive of `make static`, in a root with nothing else in it, and the wheel.

Needs what `make build/profrender doc` builds.
"""

import os
import re
import shutil
import tarfile
import venv
from pathlib import Path

import pytest
from building import ROOT, SAMPLE, card_of, run

C_LIBRARY = re.compile(r"(linux-vdso|libc|libm|ld-linux[\w-]*|ld64)\.so\.\d+$")
OFFLINE = re.compile(r"Temporary failure|NewConnectionError|No matching distribution|ConnectTimeout|Max retries")


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """The card of the program that was built here."""
    return card_of(ROOT / "build/profrender", tmp_path_factory.mktemp("ours"))


# ---- make static -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def archive():
    status, out, said = run("make", "-s", f"-j{os.cpu_count()}", "static")
    assert status == 0, said
    return ROOT / out.split()[-1]


@pytest.fixture(scope="module")
def unpacked(archive, tmp_path_factory):
    """The root where the archive was unpacked."""
    folder = tmp_path_factory.mktemp("root")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def tree(archive, unpacked):
    return unpacked / archive.name.removesuffix(".tar.gz")


def test_the_same_sources_give_the_same_static_archive(archive):
    first = archive.read_bytes()
    run("make", "-s", "static")
    same = archive.read_bytes() == first
    assert same


def test_the_manual_is_in_it(tree):
    pages = sorted(path.name for path in (ROOT / "build/doc").glob("*.1"))
    assert pages
    assert sorted(path.name for path in (tree / "share/man/man1").glob("*.1")) == pages


@pytest.mark.parametrize("name", ["share/bash-completion/completions/profrender", "LICENSE", "README.md"])
def test_a_part_is_in_it(name, tree):
    assert (tree / name).is_file()


@pytest.fixture(scope="module")
def wanted(tree):
    """What the program needs from the machine, as ldd lists it."""
    return run("ldd", tree / "bin/profrender")[1]


def test_the_program_wants_the_c_library_and_nothing_else(wanted):
    names = [line.split()[0] for line in wanted.splitlines()]
    assert names
    assert not [name for name in names if not C_LIBRARY.match(Path(name).name)]


@pytest.fixture(scope="module")
def enter(unpacked, tree, wanted):
    """`enter(WORDS)` runs the program in that root, which has the C library and nothing else."""
    for path in re.findall(r"(/\S+) \(", wanted):
        (unpacked / path[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, unpacked / path[1:])
    shutil.copy(SAMPLE, unpacked / "capture.bin")
    change = ["chroot", unpacked] if os.getuid() == 0 else ["unshare", "-r", "chroot", unpacked]

    def run_there(*words):
        status, out, said = run(*change, f"/{tree.name}/bin/profrender", *words)
        if status != 0 and re.search(r"Operation not permitted|unshare", said):
            pytest.skip("a change of root needs a user who may")
        return status, out, said
    return run_there


def test_in_an_empty_root_it_makes_the_same_card(enter, unpacked, ours):
    status, _, said = enter("card", "capture.bin", "-o", "card.html")
    assert status == 0, said
    same = (unpacked / "card.html").read_bytes() == ours
    assert same


def test_in_an_empty_root_it_says_the_same_figures(enter, program):
    status, out, said = enter("stats", "/capture.bin", "--json")
    assert status == 0, said
    assert out == program("stats", SAMPLE, "--json").out


# ---- pip install . ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment with the wheel in it."""
    folder = tmp_path_factory.mktemp("wheel") / "env"
    venv.create(folder, with_pip=True)
    status, out, said = run(folder / "bin/python", "-m", "pip", "install", "-q", ROOT)
    if status != 0 and OFFLINE.search(out + said):
        pytest.skip("there is no network to get setuptools from")
    assert status == 0, out + said
    return folder


def test_the_wheel_puts_profrender_on_path(environment):
    status, out, said = run("profrender", "--version", PATH=f"{environment / 'bin'}:/usr/bin:/bin")
    assert status == 0, said
    assert out.startswith("profrender ")


def test_the_program_of_the_wheel_makes_the_same_card(environment, ours, tmp_path):
    same = card_of(environment / "bin/profrender", tmp_path) == ours
    assert same


def test_the_wheel_installs_the_manual(environment):
    assert len(list((environment / "share/man/man1").glob("profrender*.1"))) > 1


def test_pip_takes_it_all_away_again(environment):
    run(environment / "bin/python", "-m", "pip", "uninstall", "-qy", "profrender")
    assert not [path for path in environment.rglob("*profrender*") if path.is_file()]
