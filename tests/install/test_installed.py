# SPDX-License-Identifier: Apache-2.0
"""`make install` for those who link statically, read the schemas, or complete words in a shell."""

import json
import os
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
CLEAN = {name: value for name, value in os.environ.items() if not re.match(r"MAKE|MFLAGS|PREFIX$|DESTDIR$", name)}


def make(*words):
    return subprocess.run(["make", "-s", *map(str, words)], cwd=ROOT, env=CLEAN, capture_output=True, text=True)


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    done = make("install", f"PREFIX={folder}")
    assert done.returncode == 0, done.stderr
    return folder


def test_pkg_config_static_has_all_libraries_in_their_order(prefix, tmp_path):
    flags = subprocess.run(["pkg-config",
    "--static",
    "--cflags",
    "--libs",
    "profrender"],
    capture_output=True,
    text=True,
    env={**CLEAN,
    "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")},
     check=True).stdout.split()
    program = tmp_path / "top"
    done = subprocess.run([*os.environ.get("CC", "cc").split(), "-static", ROOT /
    "samples/top_allocations.c", *
    flags, "-o", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    out = subprocess.run([program, ROOT / "samples/daily-sales.bin"], capture_output=True, text=True)
    assert out.returncode == 0 and " bytes at the peak" in out.stdout


def test_shared_linking_does_not_ask_for_our_libraries(prefix):
    libs = subprocess.run(["pkg-config", "--libs", "profrender"], capture_output=True, text=True, check=True,
                          env={**CLEAN, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}).stdout
    assert libs.split() == [f"-L{prefix}/lib", "-lprofrender"]


def test_schemas_are_installed_where_the_manual_says(prefix):
    installed = prefix / "share/profrender/schemas"
    assert {path.name for path in installed.iterdir()} == {path.name for path in (ROOT / "schemas").glob("*.json")}
    for path in installed.iterdir():
        assert json.loads(path.read_text())["$schema"]
    page = (prefix / "share/man/man1/profrender-table.1").read_text()
    assert "share/profrender/schemas" in page


def test_the_static_archive_names_the_c_library_that_it_needs(tmp_path):
    done = make("static")
    if done.returncode and "cannot find -l" in done.stderr:
        pytest.skip("a library has no static archive here")
    assert done.returncode == 0, done.stderr
    archive = ROOT / done.stdout.split()[-1]
    said = re.search(r"-glibc(2\.\d+)\.tar\.gz$", archive.name)
    assert said, archive
    symbols = subprocess.run(["readelf", "-VW", ROOT / "build/static/profrender"],
                             capture_output=True, text=True).stdout
    versions = [tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_(\d+\.\d+(?:\.\d+)?)", symbols)]
    assert ".".join(map(str, max(versions))) == said[1]
    subprocess.run(["tar", "-xzf", archive, "-C", tmp_path], check=True)
    tree = tmp_path / archive.name.removesuffix(".tar.gz")
    assert f"GNU C library {said[1]} or later" in (tree / "INSTALL").read_text()
    assert (tree / "share/profrender/schemas/table.schema.json").is_file()


def test_the_wheel_says_where_it_is_and_takes_older_pythons():
    done = make("wheel")
    if done.returncode and re.search(
    r"cannot find -l|Temporary failure|No matching distribution|Max retries",
     done.stderr):
        pytest.skip("there is no network to get setuptools from, or no static library")
    assert done.returncode == 0, done.stderr
    wheel = ROOT / done.stdout.split()[-1]
    assert wheel.suffix == ".whl" and wheel.is_file()
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(next(name for name in archive.namelist() if name.endswith("METADATA"))).decode()
        assert any(name.endswith("share/profrender/schemas/table.schema.json") for name in archive.namelist())
    assert "Requires-Python: >=3.8" in metadata.replace("= 3", "=3") and metadata.count("Classifier: ") >= 5


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_metrics_and_reports_are_completed(program, shell):
    text = program("completion", shell).out
    assert "peak leaked temporary allocated cpu" in text and "json= junit= github=- markdown=" in text


def test_bash_completes_them(program, tmp_path):
    script = tmp_path / "profrender.bash"
    script.write_text(program("completion", "bash").out)
    ask = f"""
        . {script}
        compopt() {{ :; }}
        COMP_WORDS=(profrender table --metric le); COMP_CWORD=3; _profrender; echo "${{COMPREPLY[@]}}"
        COMP_WORDS=(profrender check --report ju); COMP_CWORD=3; _profrender; echo "${{COMPREPLY[@]}}"
    """
    out = subprocess.run(["bash", "-c", ask], capture_output=True, text=True).stdout
    assert out.splitlines() == ["leaked", "junit="]


def test_descriptions_in_fish_are_short(program):
    descriptions = re.findall(r" -l \S+ .*-d '((?:[^'\\]|\\.)*)'$", program("completion", "fish").out, re.M)
    assert len(descriptions) > 50 and max(map(len, descriptions)) <= 60
    assert not [text for text in descriptions if text.endswith((",", ":", " "))]
