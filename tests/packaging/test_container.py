# SPDX-License-Identifier: Apache-2.0
"""The image of `make container`: what it declares, what is in it, and that it runs with nothing else."""

import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from packages import environment

ROOT = Path(__file__).resolve().parent.parent.parent
IMAGE = ROOT / "build/container/image"
SAMPLE = ROOT / "samples/daily-sales.bin"


def blob(digest):
    return IMAGE / "blobs" / digest.replace(":", "/")


def read(digest):
    return json.loads(blob(digest).read_bytes())


@pytest.fixture(scope="module")
def machines():
    """{architecture: (its configuration, its layers)}"""
    (listed,) = json.loads((IMAGE / "index.json").read_text())["manifests"]
    found = {}
    for entry in read(listed["digest"])["manifests"]:
        manifest = read(entry["digest"])
        found[entry["platform"]["architecture"]] = read(manifest["config"]["digest"]), manifest["layers"]
    return found


def unpacked(layers, folder):
    for layer in layers:
        with tarfile.open(blob(layer["digest"])) as archive:
            archive.extractall(folder)
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_it_is_for_two_machines(machines):
    assert sorted(machines) == ["amd64", "arm64"]


@pytest.mark.parametrize("machine", ["amd64", "arm64"])
def test_it_has_the_program_and_nothing_else_and_is_no_root(machine, machines, tmp_path):
    config, layers = machines[machine]
    assert config["config"]["User"] == "65532:65532"
    assert config["config"]["Entrypoint"] == ["/profrender"]
    assert config["config"]["Labels"]["org.opencontainers.image.version"]
    assert set(unpacked(layers, tmp_path)) <= {"profrender", "data"}
    target = {"amd64": "x86_64", "arm64": "aarch64"}[machine]
    same = (tmp_path / "profrender").read_bytes() == (ROOT / f"build/cross/{target}-linux-musl/profrender").read_bytes()
    assert same
    assert sum(layer["size"] for layer in layers) < 3_000_000


@pytest.mark.parametrize("machine", ["amd64", "arm64"])
def test_it_makes_the_same_card_from_a_pipe(machine, machines, program, tmp_path):
    if os.geteuid():
        pytest.skip("only root may change the root")
    config, layers = machines[machine]
    unpacked(layers, tmp_path)
    tmp_path.chmod(0o755)
    words = ["chroot", f"--userspec={config['config']['User']}", tmp_path, *config["config"]["Entrypoint"]]
    if machine == "arm64":
        emulator = shutil.which("qemu-aarch64-static") or pytest.skip("no QEMU for it here")
        shutil.copy(emulator, tmp_path / "qemu")
        words = [*words[:3], "/qemu", "/profrender"]
    done = subprocess.run([*words, "card", "-", "-o", "-"], input=SAMPLE.read_bytes(), capture_output=True)
    assert done.returncode == 0, done.stderr
    same = done.stdout == program("card", "-", "-o", "-", input=SAMPLE.read_bytes()).bytes
    assert same


def test_hadolint_has_nothing_to_say():
    tools = environment("hadolint") or pytest.skip("hadolint could not be installed")
    file = ROOT / "packaging/container/Containerfile"
    done = subprocess.run([tools / "hadolint", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
