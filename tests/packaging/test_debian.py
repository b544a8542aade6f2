# SPDX-License-Identifier: Apache-2.0
"""The packages of `make deb`, which lintian has judged: what is in them works where they are unpacked."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PLACE = ROOT / "build/deb"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("root")
    packages = [path for path in PLACE.glob("*.deb") if "dbgsym" not in path.name]
    assert len(packages) == 3
    for package in packages:
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return folder


@pytest.mark.parametrize("name", ["card", "library"])
def test_what_debian_would_test_passes(name, root, tmp_path):
    """The scripts of debian/tests, as autopkgtest calls them."""
    (libraries,) = {path.parent for path in root.glob("usr/lib/*/libprofrender.so.0")}
    env = {**os.environ, "PATH": f"{root}/usr/bin:/usr/bin:/bin", "AUTOPKGTEST_TMP": str(tmp_path),
           "LD_LIBRARY_PATH": str(libraries), "PKG_CONFIG_PATH": f"{libraries}/pkgconfig",
           "PKG_CONFIG_SYSROOT_DIR": str(root)}
    done = subprocess.run(["sh", ROOT / "packaging/debian/tests" / name], cwd=ROOT, env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout


def test_each_file_is_in_one_package_and_the_manual_is_compressed(root):
    assert (root / "usr/share/man/man1/profrender-card.1.gz").is_file()
    assert (root / "usr/share/zsh/vendor-completions/_profrender").is_file()
    listed = [subprocess.check_output(["dpkg-deb", "-c", package], text=True) for package in PLACE.glob("*.deb")]
    lists = [{line.split()[5] for line in lines.splitlines() if not line.startswith("d")} for lines in listed]
    assert sum(map(len, lists)) == len(set().union(*lists))


def test_the_program_is_hardened_and_knows_its_version(root):
    said = subprocess.check_output([root / "usr/bin/profrender", "--version"], text=True)
    assert said == subprocess.check_output([ROOT / "build/profrender", "--version"], text=True)
    segments = subprocess.check_output(["readelf", "-W", "-l", "-d", root / "usr/bin/profrender"], text=True)
    assert "GNU_RELRO" in segments and "BIND_NOW" in segments
