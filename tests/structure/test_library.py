# SPDX-License-Identifier: Apache-2.0
"""The library never prints, exits or keeps globals, exports what it promises, and its headers compile alone."""

import collections
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from sources import API, ROOT, c_sources, code_of, find, nothing, output_of, read, room_of, symbols, tracked

NO_TALK = (r"v?f?printf|v?dprintf|f?puts|f?putc|putchar|fwrite|perror|psignal"
           r"|exit|_exit|_Exit|quick_exit|abort|getenv|setenv")
NO_MACHINE = r"time|clock|clock_gettime|gettimeofday|localtime|localtime_r|gethostname|uname|rand|random|getpid"
ARCHIVES = ["build/libprofrender.a", "build/librender.a"]


def calls(names):
    return rf"(?<![\w.>])(?:{names})\s*\("


def headers():
    return [path for path in c_sources() if path.suffix == ".h"]


def public_headers():
    return [path for path in headers() if room_of(path) == API]


def test_capture_and_render_neither_print_nor_exit_nor_ask_the_environment():
    nothing(find(calls(NO_TALK), c_sources("capture", "render"), code_of))


def test_render_knows_no_clock_and_no_machine():
    nothing(find(calls(NO_MACHINE), c_sources("render"), code_of))


def test_each_header_has_a_guard_that_follows_its_path():
    wrong = []
    for path in headers():
        stem = str(path)[:-2].replace(API, "api").replace("/", "_").upper()
        if not re.search(rf"^#ifndef PR_{stem}_H\n#define PR_{stem}_H$", read(path), re.M):
            wrong.append(f"{path}: the guard is not PR_{stem}_H")
    nothing(wrong)


def declared_names(path):
    """Names that a header defines for others: tags, functions, typedefs, macros, enumerators."""
    code = re.sub(r"\\\n", " ", code_of(path))
    yield from re.findall(r"^#define (\w+)", code, re.M)
    flat = re.sub(r"^\s*#.*$", "", code, flags=re.M)
    yield from re.findall(r"^(?:struct|enum|union) (\w+)\s*\{", flat, re.M)
    for body in re.findall(r"^(?:typedef )?enum(?: \w+)? \{(.*?)\}", flat, re.M | re.S):
        yield from re.findall(r"(?:^|,)\s*(\w+)", body)
    yield from re.findall(r"^typedef [^;{]*?\b(\w+)(?:\([^;]*\))?;", flat, re.M)
    yield from re.findall(r"^(?:PR_API |extern |static inline )*(?:const )?(?:(?:struct|enum|union) )?\w+[ *]+"
                          r"(\w+)\(", flat, re.M)


def test_names_in_headers_have_our_prefix():
    allowed = {"XXH_INLINE_ALL"}
    nothing(f"{path}: {name}" for path in headers() for name in declared_names(path)
            if not name.startswith(("pr_", "PR_")) and name not in allowed)


def test_no_macro_or_constant_is_defined_in_two_headers():
    where = collections.defaultdict(set)
    for path in headers():
        code = re.sub(r"\\\n", " ", code_of(path))
        names = re.findall(r"^#define (\w+)", code, re.M)
        flat = re.sub(r"^\s*#.*$", "", code, flags=re.M)
        names += re.findall(r"^(?:struct|enum|union) (\w+)\s*\{", flat, re.M)
        for body in re.findall(r"^(?:typedef )?enum(?: \w+)? \{(.*?)\}", flat, re.M | re.S):
            names += re.findall(r"(?:^|,)\s*(\w+)", body)
        for name in names:
            where[name].add(str(path))
    nothing(f"{name}: {sorted(files)}" for name, files in where.items() if len(files) > 1)


def test_pr_api_is_for_the_public_headers_alone():
    nothing(path for path in headers() if room_of(path) != API and re.search(r"^PR_API ", read(path), re.M))


def test_public_declarations_can_be_called_from_cxx():
    nothing(f"{path}: no PR_DECLS_BEGIN and PR_DECLS_END" for path in public_headers()
            if re.search(r"^PR_API ", read(path), re.M)
            and not re.search(r"^PR_DECLS_BEGIN$.*^PR_DECLS_END$", read(path), re.M | re.S))


def test_the_umbrella_header_includes_every_public_header():
    umbrella = f"{API}/profrender.h"
    named = set(re.findall(r'#include "profrender/(\w+\.h)"', read(Path(umbrella))))
    nothing(sorted({path.name for path in public_headers()} - named - {"profrender.h"}))


def test_each_public_header_is_marked_stable_or_experimental():
    nothing(path for path in public_headers()
            if not re.search(r"^ \* (?:Stable|Experimental)\b", read(path), re.M))


def promised():
    text = "".join(re.sub(r"^\s*#.*$", "", code_of(header), flags=re.M) for header in public_headers())
    return set(re.findall(r"\bPR_API\b[^;(]*?\b(\w+)\s*[(;]", text))


def test_the_shared_library_exports_what_the_public_headers_promise_and_nothing_else():
    exported = {name for _, name in symbols("build/libprofrender.so", "-D", "--defined-only")}
    nothing(sorted(exported ^ promised()))


def test_global_names_begin_with_pr():
    names = {name for archive in ARCHIVES for kind, name in symbols(archive, "-g", "--defined-only")}
    nothing(sorted(name for name in names if not name.startswith("pr_")))


def test_no_writable_globals():
    member, writable = "", []
    for line in output_of("size", "-A", *ARCHIVES).splitlines():
        if line.endswith(":") or "(ex " in line:
            member = line
        elif re.match(r"\.t?(?:data|bss)(?:\.(?!rel\.ro)\S+)?\s+[1-9]", line):
            writable.append(f"{member} {line}")
    # libdw's handler for lack of memory and cmark's allocator have no context: the thread knows whose call to leave.
    nothing(line for line in writable if not re.match(r"(?:elf|notes)_memory\.o .*\.tbss\s+8\s", line))


@pytest.mark.parametrize("compiler, standard, suffix", [(os.environ.get("CC", "cc"), "c11", ".c"),
                                                        (os.environ.get("CXX", "c++"), "c++17", ".cc")])
def test_public_headers_read_alone(compiler, standard, suffix, tmp_path):
    target = tmp_path / "include/profrender"
    shutil.copytree(ROOT / API, target)
    source = tmp_path / f"alone{suffix}"
    said = []
    for header in public_headers():
        source.write_text(f'#include "profrender/{header.name}"\n' * 2)
        command = [*compiler.split(), f"-std={standard}", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only",
                   "-I", tmp_path / "include", source]
        said.append(subprocess.run(command, capture_output=True, text=True).stderr)
    nothing(text for text in said if text)


def is_compiled_by_clang(path):
    """In the WebAssembly build, where a warning is an error in CI."""
    return os.environ.get("CI") and (ROOT / "build/wasm/obj" / path).with_suffix(".o").is_file()


@pytest.mark.skipif(not shutil.which("clang"), reason="there is no clang")
def test_clang_has_no_warnings():
    elsewhere = ("samples/", "tests/fuzz/")
    paths = [path for path in tracked() if path.suffix == ".c" and not str(path).startswith(elsewhere)]
    paths = [path for path in paths if not is_compiled_by_clang(path)]
    flags = output_of("make", "-s", "print-flags").split()
    done = subprocess.run(["clang", *flags, "-Werror", "-fsyntax-only", *paths], cwd=ROOT, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
