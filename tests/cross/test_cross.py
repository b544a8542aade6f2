# SPDX-License-Identifier: Apache-2.0
"""The programs of `make cross`: on this machine, and those for arm64 by QEMU (qemu-user-static of Debian).

Needs build/profrender and what `make cross` builds: `make test-cross`.
"""

import os
import platform
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from packages import environment

ROOT = Path(__file__).resolve().parent.parent.parent
TARGETS = ["x86_64-linux-gnu.2.17", "aarch64-linux-gnu.2.17", "x86_64-linux-musl", "aarch64-linux-musl"]
CAPTURES = sorted(path for folder in ("samples", "samples/cpu", "samples/timeline")
                  for path in (ROOT / folder).iterdir() if path.is_file() and path.suffix not in (".md", ".py", ".sh"))
MOST_WHEEL_BYTES = 3_000_000


def readelf(*words):
    return subprocess.run(["readelf", "-W", *map(str, words)], capture_output=True, text=True, check=True).stdout


def command_of(target):
    """What runs a program for a target here. Skips where nothing does."""
    program = ROOT / f"build/cross/{target}/profrender"
    assert program.is_file(), "make cross builds it"
    machine, _, library = target.split("-")
    if machine == platform.machine():
        return [program]
    emulator = shutil.which(f"qemu-{machine}-static")
    if not emulator:
        pytest.skip("no QEMU for it here")
    if library == "musl":
        return [emulator, program]
    root = Path(f"/usr/{machine}-linux-gnu")  # Debian's libc6-arm64-cross
    if not root.is_dir():
        pytest.skip("its C library is not on this machine")
    return [emulator, "-L", root, program]


@pytest.fixture(scope="module", params=TARGETS)
def command(request):
    return command_of(request.param)


def card(words, capture, folder):
    """(exit status, bytes of the card or None) with the capture in the current folder."""
    out = folder / "card.html"
    out.unlink(missing_ok=True)
    done = subprocess.run([*words, "card", capture.name, "-o", out], cwd=capture.parent, capture_output=True,
                          stdin=subprocess.DEVNULL)
    return done.returncode, out.read_bytes() if out.exists() else None


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.name)
def test_the_card_of_a_sample_is_the_same_bytes(command, capture, tmp_path):
    native = card([ROOT / "build/profrender"], capture, tmp_path)
    other = card(command, capture, tmp_path)
    assert other[0] == native[0]
    same = other[1] == native[1]
    assert same


def test_a_command_is_recorded(tmp_path):
    words = command_of(f"{platform.machine()}-linux-musl")
    done = subprocess.run([*words, "record", "-o", tmp_path / "run", "--", "sh", "-c", "sleep 0.5; kill -9 $$"],
                          capture_output=True, text=True)
    assert done.returncode == 128 + 9, done.stderr
    shown = subprocess.run([*words, "info", tmp_path / "run"], capture_output=True, text=True)
    assert shown.returncode == 0 and "SIGKILL" in shown.stdout, shown.stdout + shown.stderr


def test_a_site_is_published(command, tmp_path):
    shutil.copytree(ROOT / "samples/timeline", tmp_path / "runs")
    done = subprocess.run([*command, "publish", tmp_path / "runs", "-o", tmp_path / "site"], capture_output=True,
                          text=True)
    assert (tmp_path / "site/index.html").is_file(), done.stderr


@pytest.mark.parametrize("target", [target for target in TARGETS if target.endswith("musl")])
def test_a_program_with_musl_needs_nothing(target):
    program = ROOT / f"build/cross/{target}/profrender"
    assert "INTERP" not in readelf("-l", program)
    assert "NEEDED" not in readelf("-d", program)


def test_it_runs_where_there_is_nothing_else(tmp_path):
    words = command_of(f"{platform.machine()}-linux-musl")
    if os.geteuid():
        pytest.skip("only root may change the root")
    shutil.copy(words[-1], tmp_path / "profrender")
    shutil.copy(ROOT / "samples/daily-sales.bin", tmp_path)
    done = subprocess.run(["chroot", tmp_path, "/profrender", "card", "daily-sales.bin", "-o", "card.html"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    alone = (tmp_path / "card.html").read_bytes()
    same = alone == card([ROOT / "build/profrender"], ROOT / "samples/daily-sales.bin", tmp_path)[1]
    assert same


@pytest.mark.parametrize("target", [target for target in TARGETS if not target.endswith("musl")])
def test_a_program_with_glibc_needs_2_17_and_only_its_libraries(target):
    program = ROOT / f"build/cross/{target}/profrender"
    versions = {tuple(map(int, found)) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", readelf("-V", program))}
    assert versions and max(versions) <= (2, 17)
    needed = set(re.findall(r"NEEDED.*\[(\w+)", readelf("-d", program)))
    assert needed <= {"libc", "libm", "libpthread", "libdl", "librt", "ld"}


@pytest.mark.parametrize("target", TARGETS)
def test_programs_for_other_machines_are_hardened_too(target):
    program = ROOT / f"build/cross/{target}/profrender"
    segments = readelf("-l", program)
    assert re.search(r"Type:\s+DYN", readelf("-h", program))
    assert "GNU_RELRO" in segments and re.search(r"GNU_STACK.* RW ", segments)
    assert re.search(r"\bNOW\b", readelf("-d", program))


@pytest.mark.parametrize("target", TARGETS)
def test_a_wheel_is_small_and_named_after_its_machine(target, tmp_path):
    pip = subprocess.run([environment("zig") / "python", "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, ROOT],
                         env={**os.environ, "PROFRENDER_CROSS": target}, capture_output=True, text=True)
    assert pip.returncode == 0, pip.stderr
    (wheel,) = tmp_path.glob("*.whl")
    machine = target.split("-")[0]
    expected = f"musllinux_1_1_{machine}" if target.endswith("musl") else f"manylinux2014_{machine}"
    assert expected in wheel.name
    assert wheel.stat().st_size < MOST_WHEEL_BYTES
    with zipfile.ZipFile(wheel) as archive:
        program = next(name for name in archive.namelist() if name.endswith("/scripts/profrender"))
        same = archive.read(program) == (ROOT / f"build/cross/{target}/profrender").read_bytes()
    assert same
