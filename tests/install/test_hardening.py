# SPDX-License-Identifier: Apache-2.0
"""What is shipped is hardened: read from the ELF headers of the programs, not from the flags that made them."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def readelf(*words):
    return subprocess.run(["readelf", "-W", *map(str, words)], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module", params=["build/profrender", "build/static/profrender", "build/libprofrender.so"])
def binary(request):
    path = ROOT / request.param
    done = subprocess.run(["make", "-s", request.param], cwd=ROOT, capture_output=True, text=True)
    if "static" in request.param and done.returncode and "cannot find -l" in done.stderr:
        pytest.skip("a library has no static archive here")
    assert done.returncode == 0, done.stderr
    return path


def test_relocations_are_made_at_the_start_and_then_read_only(binary):
    assert "GNU_RELRO" in readelf("-l", binary)
    dynamic = readelf("-d", binary)
    assert re.search(r"\(FLAGS\).*BIND_NOW", dynamic) and re.search(r"\(FLAGS_1\).*\bNOW\b", dynamic)


def test_nothing_is_writable_and_executable(binary):
    segments = readelf("-l", binary)
    assert re.search(r"GNU_STACK.* RW ", segments)
    assert not re.search(r"^\s+\w+ .* RWE ", segments, re.M)


def test_addresses_are_not_fixed(binary):
    assert re.search(r"Type:\s+DYN", readelf("-h", binary))
    if binary.suffix != ".so":
        assert "PIE" in readelf("-d", binary)


def test_stacks_and_buffers_are_checked(binary):
    symbols = readelf("--dyn-syms", binary)
    assert "__stack_chk_fail" in symbols
    checked = set(re.findall(r"\b__(\w+)_chk@", symbols)) - {"stack"}
    assert checked


def test_our_code_is_ready_for_control_flow_enforcement():
    compiled = subprocess.run(
        ["sh", "-c", "echo 'int f(void) { return 0; }' | ${CC:-cc} -fcf-protection -x c -c -o /dev/null -"],
        capture_output=True)
    if compiled.returncode or "X86-64" not in readelf("-h", ROOT / "build/profrender").upper():
        pytest.skip("the compiler has no such protection for this machine")
    units = [unit.with_suffix("").relative_to(ROOT) for room in ("capture", "render", "cli")
                              for unit in ROOT.glob(f"{room}/**/*.c")]
    assert len(units) > 200
    for unit in units:
        assert re.search(r"x86 feature: IBT, SHSTK", readelf("-n", ROOT / f"build/obj/{unit}.o")), unit


def test_large_frames_are_probed_page_by_page():
    """pr_output has 64 KiB of buffer on the stack: without probes, a frame could step over the guard page."""
    if "X86-64" not in readelf("-h", ROOT / "build/profrender").upper():
        pytest.skip("the instructions are those of x86-64")
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", ROOT / "build/obj/cli/commands/cmd_table.o"],
                          capture_output=True, text=True, check=True).stdout
    assert re.search(r"sub\s+\$0x1000,%rsp\n.*or[qw]?\s+\$0x0,", code)
