# SPDX-License-Identifier: Apache-2.0
"""The programs of `make cross-check`, for macOS and FreeBSD: nothing here runs them. What their headers say is checked:
system, processor, libraries, and that each function that they take from outside is one of the C library's.
"""

import re
import struct
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY_OF_MACOS = "/usr/lib/libSystem.B.dylib"
MACHO_64, EXECUTABLE, POSITION_INDEPENDENT = 0xFEEDFACF, 2, 0x200000
PROCESSORS = {"x86_64": 0x01000007, "aarch64": 0x0100000C}
SYMTAB, LOAD_DYLIB, BUILD_VERSION = 0x2, 0xC, 0x32
FREEBSD_NOTE = struct.pack("<III", 8, 4, 1) + b"FreeBSD\0"  # by which its kernel knows a program as its own
MACOS, VERSION_11 = 1, 0x000B0000


def program(target):
    path = ROOT / f"build/cross/{target}/profrender"
    assert path.is_file(), "make cross-check builds it"
    return path


def load_commands(data):
    """(number, bytes) of each load command of a Mach-O file."""
    count, at = struct.unpack_from("<I", data, 16)[0], 32
    for _ in range(count):
        number, size = struct.unpack_from("<II", data, at)
        yield number, data[at:at + size]
        at += size


def outside_symbols(data):
    """{name: which of the libraries, from 1} of what a Mach-O file does not define."""
    (table,) = (command for number, command in load_commands(data) if number == SYMTAB)
    start, count, texts, _ = struct.unpack_from("<IIII", table, 8)
    found = {}
    for i in range(count):
        name, kind, _, description, _ = struct.unpack_from("<IBBHQ", data, start + 16 * i)
        if kind & 0x0E == 0 and kind & 1:
            found[data[texts + name:data.index(b"\0", texts + name)].decode()] = description >> 8
    return found


@pytest.mark.parametrize("machine", PROCESSORS)
def test_a_program_for_macos_needs_its_c_library_alone(machine):
    data = program(f"{machine}-macos.11.0").read_bytes()
    magic, processor, _, kind, _, _, flags = struct.unpack_from("<7I", data)
    assert (magic, processor, kind) == (MACHO_64, PROCESSORS[machine], EXECUTABLE)
    assert flags & POSITION_INDEPENDENT
    commands = list(load_commands(data))
    libraries = [command[24:].split(b"\0")[0].decode() for number, command in commands if number == LOAD_DYLIB]
    assert libraries == [LIBRARY_OF_MACOS]
    (version,) = (struct.unpack_from("<II", command, 8) for number, command in commands if number == BUILD_VERSION)
    assert version == (MACOS, VERSION_11)
    symbols = outside_symbols(data)
    assert {"_malloc", "_pthread_create", "_getentropy"} <= set(symbols)
    assert set(symbols.values()) == {1}


def test_a_program_for_freebsd_needs_its_c_library_alone():
    path = program("x86_64-freebsd.14.0")
    data = path.read_bytes()
    assert data[:7] == b"\x7fELF\x02\x01\x01"
    assert struct.unpack_from("<HH", data, 16) == (3, 62)

    (version,) = struct.unpack_from("<I", data, data.index(FREEBSD_NOTE) + len(FREEBSD_NOTE))
    assert version // 100_000 == 14

    def readelf(option):
        return subprocess.run(["readelf", "-W", option, path], capture_output=True, text=True, check=True).stdout

    assert "/libexec/ld-elf.so.1" in readelf("-l")
    needed = set(re.findall(r"NEEDED.*\[(.+?)\.so", readelf("-d")))
    assert "libc" in needed and needed <= {"libc", "libm", "libthr"}
    outside = re.findall(r" (WEAK|GLOBAL) +DEFAULT +UND (\S+)", readelf("--dyn-syms"))
    unversioned = [name for kind, name in outside if kind == "GLOBAL" and "@FBSD_1" not in name]
    assert any(name.startswith("malloc@") for _, name in outside)
    assert unversioned == []


@pytest.mark.parametrize("target", ["aarch64-macos.11.0", "x86_64-macos.11.0", "x86_64-freebsd.14.0"])
def test_the_commands_that_need_linux_are_not_in_it(target):
    summary = re.search(r'SUMMARY "(.+)"|\.summary = "(.+)",', (ROOT / "cli/commands/cmd_record.c").read_text())
    text = next(filter(None, summary.groups())).encode()
    assert text in (ROOT / "build/profrender").read_bytes()
    assert text not in program(target).read_bytes()
