# SPDX-License-Identifier: Apache-2.0
"""The wheels of `make wheels` as uv and pipx run them: without an installation, from an empty home."""

import platform
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from packages import environment

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "samples/daily-sales.bin"
MOST_START_S = 0.020


@pytest.fixture(scope="module", params=["manylinux", "musllinux"])
def wheel(request):
    (found,) = (ROOT / "build/cross").glob(f"profrender-*{request.param}*{platform.machine()}.whl")
    return found


@pytest.fixture(scope="module")
def tools():
    return environment("runners") or pytest.skip("uv and pipx could not be installed")


def card(words, folder, tools):
    (folder / "home").mkdir()
    shutil.copy(SAMPLE, folder / "x.bin")
    done = subprocess.run([*words, "card", "x.bin", "-o", "card.html"], cwd=folder, text=True, capture_output=True,
                          env={"HOME": str(folder / "home"), "PATH": f"{tools}:/usr/bin:/bin"}, timeout=300)
    assert done.returncode == 0, done.stderr
    return (folder / "card.html").read_bytes()


@pytest.fixture(scope="module")
def ours(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ours")
    shutil.copy(SAMPLE, folder / "x.bin")
    assert program("card", "x.bin", "-o", "card.html", cwd=folder).status == 0
    return (folder / "card.html").read_bytes()


def test_uvx_makes_a_card(wheel, tools, ours, tmp_path):
    if "musl" in wheel.name:
        pytest.skip("uv takes a wheel for musl only where that is the C library")
    same = card([tools / "uvx", "--offline", "--from", wheel, "profrender"], tmp_path, tools) == ours
    assert same


def test_pipx_run_makes_a_card(wheel, tools, ours, tmp_path):
    if "musl" in wheel.name:
        pytest.skip("pip takes a wheel for musl only where that is the C library")
    same = card([tools / "pipx", "run", "--spec", wheel, "profrender"], tmp_path, tools) == ours
    assert same


@pytest.mark.parametrize("system", ["manylinux_2_17", "manylinux2014", "musllinux_1_1"])
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_pip_of_another_system_takes_its_wheel_and_what_it_installs_makes_the_card(system, machine, tools, ours,
                                                                                   tmp_path):
    """Those for arm64 by QEMU."""
    there = ["--platform", f"{system}_{machine}", "--target", tmp_path / "there"]
    done = subprocess.run([tools / "python", "-m", "pip", "install", "-q", "--no-index", "--find-links",
                           ROOT / "build/cross", "--only-binary", ":all:", *there, "profrender"], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    words = [tmp_path / "there/bin/profrender"]
    if machine != platform.machine():
        emulator = shutil.which(f"qemu-{machine}-static") or pytest.skip("no QEMU for it here")
        words = [emulator, "-L", f"/usr/{machine}-linux-gnu", *words]
    same = card(words, tmp_path, tools) == ours
    assert same


def test_the_command_of_a_wheel_is_the_program_and_starts_at_once(wheel, tmp_path):
    subprocess.run(["python3", "-m", "zipfile", "-e", wheel, tmp_path / "unpacked"], check=True)
    (command,) = (tmp_path / "unpacked").glob("profrender-*.data/scripts/profrender")
    assert command.read_bytes()[:4] == b"\x7fELF"
    command.chmod(0o755)

    def start_s():
        begin = time.perf_counter()
        subprocess.run([command, "--version"], stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - begin
    assert min(start_s() for _ in range(20)) < MOST_START_S
