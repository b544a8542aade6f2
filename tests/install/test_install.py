# SPDX-License-Identifier: Apache-2.0
"""What users get: `make install`, a program of their own with the installed library, `make dist`.

Needs what `make lib build/profrender doc` builds.
"""

import os
import re
import tarfile
from pathlib import Path

import pytest
from building import ROOT, SAMPLE, run

CC = os.environ.get("CC", "cc").split()
CXX = os.environ.get("CXX", "c++")
PARTS = ["bin/profrender", "include/profrender/load.h", "lib/libprofrender.a", "lib/libprofrender.so",
         "lib/pkgconfig/profrender.pc", "share/man/man1/profrender.1", "share/man/man1/profrender-card.1",
         "share/bash-completion/completions/profrender", "share/zsh/site-functions/_profrender",
         "share/fish/vendor_completions.d/profrender.fish"]


# ---- make install DESTDIR=, as package builders use it ---------------------------------------------------------------


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    folder = tmp_path_factory.mktemp("image")
    status, _, said = run("make", "install", "PREFIX=/opt/pr", f"DESTDIR={folder}")
    assert status == 0, said
    return folder


def test_nothing_is_outside_of_prefix(image):
    files = [str(path.relative_to(image)) for path in image.rglob("*") if not path.is_dir()]
    assert not [name for name in files if not name.startswith("opt/pr/")]


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_installed(name, image):
    assert (image / "opt/pr" / name).is_file()


def test_the_pkg_config_file_knows_prefix_and_not_destdir(image):
    assert [str(image) in path.read_text() for path in image.rglob("*.pc")] == [False]


# ---- make install PREFIX=, and programs that use the library ---------------------------------------------------------


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    status, _, said = run("make", "install", f"PREFIX={folder}")
    assert status == 0, said
    return folder


def flags(folder, *options):
    status, out, said = run("pkg-config", *options, "profrender", PKG_CONFIG_PATH=str(folder / "lib/pkgconfig"))
    assert status == 0, said
    return out.split()


def words_to_link(kind, prefix):
    if kind == "shared":
        return flags(prefix, "--cflags", "--libs")
    return [*flags(prefix, "--cflags"), prefix / "lib/libprofrender.a",
            *[flag for flag in flags(prefix, "--static", "--libs") if flag != "-lprofrender"]]


@pytest.fixture(scope="module", params=["shared", "static"])
def sample_program(request, prefix):
    """samples/top_allocations.c, built against the installed library."""
    program = prefix / f"top_allocations_{request.param}"
    status, _, said = run(*CC, "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror",
                          ROOT / "samples/top_allocations.c", *words_to_link(request.param, prefix), "-o", program,
                          cwd=prefix)
    assert status == 0, said
    return lambda *words: run(program, *words, LD_LIBRARY_PATH=str(prefix / "lib"))


@pytest.fixture(scope="module")
def expected(program):
    """(bytes, end of the line) of the ten locations, as the program itself reports them in another way."""
    document = program("table", SAMPLE, "--group", "location", "--sort", "self", "--json").json()
    places = [(row["self"], "{function}  {file}:{line}".format(**row)) for row in document["rows"]]
    return [(document["total"], "at the peak"), *places[:10]]


def test_a_program_over_the_library_says_what_profrender_says(sample_program, expected):
    status, out, said = sample_program(SAMPLE)
    assert status == 0, said
    lines = out.splitlines()
    assert [int(line.split()[0]) for line in lines] == [size for size, _ in expected]
    # places of the same size may come in any order
    assert not [end for _, end in expected[:5] if not any(line.endswith(end) for line in lines)], out


def test_a_program_over_the_library_refuses_what_is_no_capture(sample_program):
    status, out, _ = sample_program(ROOT / "README.md")
    assert (status, out) == (3, "")


def test_cxx_can_call_it(prefix):
    (prefix / "version.cc").write_text('#include "profrender/load.h"\nint main() { return !*pr_version(); }\n')
    program = prefix / "version"
    status, _, said = run(CXX, "-std=c++17", "version.cc", *words_to_link("shared", prefix), "-o", program, cwd=prefix)
    assert status == 0, said
    assert run(program, LD_LIBRARY_PATH=str(prefix / "lib"))[0] == 0


def test_the_installed_program_runs(prefix):
    status, out, said = run(prefix / "bin/profrender", "stats", SAMPLE, "--json")
    assert status == 0, said
    assert out.startswith("{")


# ---- make dist -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def archive():
    if not (ROOT / "build/wasm/drop.html").is_file():
        pytest.skip("the archive has the WebAssembly program, which was not built: make wasm says why")
    status, out, said = run("make", "-s", "dist")
    assert status == 0, said
    return ROOT / out.split()[-1]


def test_the_same_sources_give_the_same_archive(archive):
    first = archive.read_bytes()
    run("make", "-s", "dist")
    same = archive.read_bytes() == first
    assert same


def test_the_archive_has_the_webassembly_program_and_its_page(archive):
    with tarfile.open(archive) as tar:
        names = {Path(name).name for name in tar.getnames() if "/assets/prebuilt/" in name}
    assert {"profrender.wasm", "drop.html", "offline.js"} <= names


def includes(file):
    return re.findall(r'^#\s*include "([^"]+)"', file.read_text(encoding="utf-8"), re.M)


def test_the_archive_has_all_that_its_program_is_made_of(archive, tmp_path):
    """It needs a C compiler and the libraries, not git, node or a network. `make test-packaging` builds from it."""
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(tmp_path)
    tree = tmp_path / Path(archive).name.removesuffix(".tar.gz")
    absent = {"NODE": "/absent/node", "NPM": "/absent/npm"}
    status, _, said = run("make", "build/assets/assets.c", cwd=tree, **absent)
    assert status == 0, said
    assert (tree / "build/assets/assets.c").read_bytes() == (ROOT / "build/assets/assets.c").read_bytes()
    status, out, said = run("make", "-n", "V=1", "build/profrender", cwd=tree, **absent)
    assert status == 0, said
    files = [tree / path for path in re.findall(r" -c -o \S+ (\S+\.c)$", out, re.M)]
    assert len(files) > 500
    for file in files:  # and those that these include
        for name in includes(file):
            places = (tree, tree / "capture/include", tree / "build", file.parent)
            found = [place / name for place in places if (place / name).exists()]
            assert found, f"{file.relative_to(tree)} includes {name}"
            files += [found[0]] if found[0] not in files else []
