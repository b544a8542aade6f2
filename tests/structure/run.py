#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What must hold for the sources as a whole, whatever they do: the tree is the architecture.

    python3 tests/structure/run.py        needs `make lib build/profrender` for the symbols

Includes point one way (capture <- render <- cli), the library neither prints nor exits nor keeps globals, public
headers read alone, nothing in the repository points at a machine or a registry.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))
from tally import Tally  # noqa: E402

# Who may include whom, the most special folder first.
LAYERS = {
    "capture/base": ["capture/base"],
    "capture": ["capture"],
    "render": ["render", "capture", "assets/assets.h"],
    "cli": ["cli", "render", "capture"],
}
LIBC = """assert ctype errno float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic stdbool
stddef stdint stdio stdlib stdnoreturn string time uchar wchar wctype dirent dlfcn endian fcntl fnmatch poll pthread
sched strings sys/file sys/ioctl sys/mman sys/prctl sys/random sys/resource sys/signalfd sys/stat sys/time sys/timerfd
sys/types sys/uio sys/wait termios unistd""".split()
PACKAGES = {  # headers of other libraries that a layer may use
    "capture/base": ["xxhash"],
    "capture": ["zstd", "zstd_errors", "lz4", "lz4frame", "lz4hc", "zlib", "xxhash", "elfutils/libdwfl", "dwarf",
                "elf", "gelf", "libiberty/demangle"],
    "render": ["zstd", "cmark"],
    "cli": ["jansson", "zlib"],
}
NO_TALK = (r"v?f?printf|v?dprintf|f?puts|f?putc|putchar|fwrite|perror|psignal"
           r"|exit|_exit|_Exit|quick_exit|abort|getenv|setenv")
NO_MACHINE = r"time|clock|clock_gettime|gettimeofday|localtime|localtime_r|gethostname|uname|rand|random|getpid"
NO_ASSEMBLY = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|\beval\b|new Function"
CODE = {".c", ".h", ".js", ".mjs", ".css", ".py", ".sh"}
MAX_LINE = 120


def tracked():
    """The files of the repository, or of an unpacked archive; paths from the root."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        names = listed.stdout.split("\0")[:-1]
    else:
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")]
    skip = ("build/", "node_modules/", "assets/prebuilt/", ".git/")
    return sorted(Path(name) for name in names if not name.startswith(skip) and (ROOT / name).is_file())


def is_text(path):
    try:
        return "\0" not in read(path)
    except UnicodeDecodeError:
        return False


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def output_of(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def code_of(text):
    """C without its comments and strings, line numbers kept."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    blank = lambda found: "\n" * found[0].count("\n") if found[0][0] == "/" else '""'
    return re.sub(pattern, blank, text, flags=re.S)


def layer_of(path):
    return next((layer for layer in LAYERS if str(path).startswith(layer + "/")), None)


def find(pattern, paths, text_of=read):
    """`path:line: text` of what matches."""
    for path in paths:
        for number, line in enumerate(text_of(path).splitlines(), 1):
            if re.search(pattern, line):
                yield f"{path}:{number}: {line.strip()[:160]}"


def wrong_includes(paths):
    for path in paths:
        layer = layer_of(path)
        for kind, name in re.findall(r'^\s*#\s*include\s+([<"])([^>"]+)', read(path), re.M):
            if kind == "<":
                stem = name.removesuffix(".h")
                if stem not in LIBC and stem not in PACKAGES[layer]:
                    yield f"{path}: <{name}> is not for {layer}/"
            elif not any(name == allowed or name.startswith(allowed + "/") for allowed in LAYERS[layer]):
                yield f"{path}: {layer}/ must not know {name}"
            elif not name.startswith("assets/") and not (ROOT / name).is_file():
                yield f"{path}: there is no {name}"


def calls(names):
    return rf"(?<![\w.>])(?:{names})\s*\("


def wrong_spdx(path):
    lines = read(path).splitlines()
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    mark = re.compile(r"(//|/\*|#) SPDX-License-Identifier: Apache-2\.0\b")
    marked = [number for number, line in enumerate(lines) if mark.match(line)]
    if marked != [0]:
        yield f"{path}: one SPDX line, at the top"


def symbols(file, *options):
    """(kind, name) of what nm lists."""
    lines = map(str.split, output_of("nm", "-P", *options, file).splitlines())
    return [(words[1], words[0]) for words in lines if len(words) >= 2 and len(words[1]) == 1]


def public_headers():
    makefile = read("Makefile").replace("\\\n", " ")
    return re.search(r"^PUBLIC_HEADERS := (.*)$", makefile, re.M)[1].split()


def promised():
    """What public headers mark with PR_API."""
    text = "".join(re.sub(r"^\s*#.*$", "", code_of(read(header)), flags=re.M) for header in public_headers())
    return set(re.findall(r"\bPR_API\b[^;(]*?\b(\w+)\s*[(;]", text))


def compile_alone(header, compiler, standard, suffix, folder):
    """What the compiler says to a file with nothing but this header, seen from an installed tree."""
    source = folder / f"alone{suffix}"
    source.write_text(f'#include "{header}"\n#include "{header}"\n')
    command = [*compiler, f"-std={standard}", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-I",
               folder / "include", source]
    return subprocess.run(command, capture_output=True, text=True).stderr


def check_text(tally, paths):
    code = [path for path in paths if path.suffix in CODE]
    text = [path for path in paths if is_text(path) and not re.search(r"(^|\.)expected\.", path.name)]
    tally.none("one SPDX line a file", [wrong for path in [*code, Path("Makefile")] for wrong in wrong_spdx(path)])
    long = [f"{path}:{number}: {len(line)} columns" for path in code
            for number, line in enumerate(read(path).splitlines(), 1) if len(line) > MAX_LINE]
    tally.none(f"lines of code up to {MAX_LINE} columns", long)
    tally.none("no tabs, no blanks at the end of a line", list(find(r"\t|\s+$", code)))
    # In pieces, so that this file is not the first one found.
    hosts = r"npm" r"js\.org|py" r"pi\.org|python" r"hosted\.org|crates" r"\.io|deb" r"\.debian\.org"
    tally.none("no host of a registry", list(find(hosts, text)))
    machine = r"(?<![\w./-])/" r"(?:root|work)/"
    tally.none("no path of a machine", list(find(machine, text)))
    tally.none("no unfinished business", list(find(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b", code)))
    tally.none("no addresses in the lock file", list(find(r'"resolved"', [Path("package-lock.json")])))
    front = [path for path in paths if path.suffix in (".js", ".mjs") and str(path).startswith("assets/src/")]
    tally.none("the page assembles no HTML from text", list(find(NO_ASSEMBLY, front)))


def check_c(tally, paths):
    sources = [path for path in paths if path.suffix in (".c", ".h") and layer_of(path)]
    library = [path for path in sources if layer_of(path) != "cli"]
    bare = lambda path: code_of(read(path))
    tally.none("includes point one way", list(wrong_includes(sources)))
    tally.none("capture and render neither print nor exit nor ask the environment",
               list(find(calls(NO_TALK), library, bare)))
    tally.none("render knows no clock and no machine",
               list(find(calls(NO_MACHINE), [path for path in sources if layer_of(path) == "render"], bare)))
    guards = {}
    for path in sources:
        if path.suffix == ".h":
            guard = re.search(r"^#ifndef (PR_\w+_H)\n#define \1$", read(path), re.M)
            guards.setdefault(guard and guard[1], []).append(str(path))
    wrong = [*guards.pop(None, []), *(f"{name}: {files}" for name, files in guards.items() if len(files) > 1)]
    tally.none("each header has an include guard of its own", wrong)


def check_public_headers(tally, paths):
    headers = [path for path in paths if path.suffix == ".h" and str(path).startswith("capture/")]
    marked = {str(path) for path in headers if re.search(r"^PR_API ", read(path), re.M)}
    tally.none("a header with PR_API is installed", sorted(marked - set(public_headers())))
    lines = [f"{header}: no PR_DECLS_BEGIN and PR_DECLS_END" for header in sorted(marked)
             if not re.search(r"^PR_DECLS_BEGIN$.*^PR_DECLS_END$", read(header), re.M | re.S)]
    tally.none("public declarations can be called from C++", lines)


def check_symbols(tally):
    shared = "build/libprofrender.so"
    exported = {name for _, name in symbols(shared, "-D", "--defined-only")}
    tally.none("the shared library exports what the public headers promise, and nothing else",
               sorted(exported ^ promised()))
    archives = ["build/libprofrender.a", "build/librender.a"]
    globals_of = {name for archive in archives for kind, name in symbols(archive, "-g", "--defined-only")}
    tally.none("global names begin with pr_", sorted(name for name in globals_of if not name.startswith("pr_")))
    member, writable = "", []
    for line in output_of("size", "-A", *archives).splitlines():
        if line.endswith(":") or "(ex " in line:
            member = line
        elif re.match(r"\.t?(?:data|bss)(?:\.(?!rel\.ro)\S+)?\s+[1-9]", line):
            writable.append(f"{member} {line}")
    # libdw calls a handler that is told nothing when it is out of memory: only the thread knows whose call to leave.
    writable = [line for line in writable if not re.match(r"elf_memory\.o .*\.tbss\s+8\s", line)]
    tally.none("no writable globals", writable)


def check_headers(tally):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for header in public_headers():
            target = folder / "include" / header
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / header, target)
        languages = ("C11", "CC", "cc", "c11", ".c"), ("C++17", "CXX", "c++", "c++17", ".cc")
        for language, variable, default, standard, suffix in languages:
            compiler = [os.environ.get(variable, default)]
            said = [compile_alone(header, compiler, standard, suffix, folder) for header in public_headers()]
            tally.none(f"public headers read alone, as {language}", [text for text in said if text])


def check_other_compiler(tally, paths):
    name = "no warnings from clang"
    if not shutil.which("clang"):
        tally.skip(name, "there is no clang")
        return
    sources = [path for path in paths if path.suffix == ".c" and (layer_of(path) or str(path).startswith("tests/"))]
    flags = output_of("make", "-s", "print-flags").split()
    command = ["clang", *flags, "-Werror", "-fsyntax-only", *sources]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    tally.check(name, done.returncode == 0, done.stderr)


def main():
    tally = Tally()
    paths = tracked()
    check_text(tally, paths)
    check_c(tally, paths)
    check_public_headers(tally, paths)
    check_symbols(tally)
    check_headers(tally)
    check_other_compiler(tally, paths)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
