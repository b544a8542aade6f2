#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What others get from us: `make install`, a program of theirs over the installed library, `make dist`.

    python3 tests/install/run.py        needs what `make lib build/profrender` builds
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))
from tally import Tally  # noqa: E402

CC = os.environ.get("CC", "cc")
CXX = os.environ.get("CXX", "c++")
SAMPLE = ROOT / "samples/daily-sales.bin"
# Nothing of the calling make: no job server, no variables from its command line.
CLEAN = {name: value for name, value in os.environ.items() if not re.match(r"MAKE|MFLAGS|PREFIX$|DESTDIR$", name)}


def run(*command, cwd=ROOT, **environment):
    done = subprocess.run([str(word) for word in command], cwd=cwd, env={**CLEAN, **environment},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def check_destdir(tally, folder):
    status, _, said = run("make", "install", "PREFIX=/opt/pr", f"DESTDIR={folder}")
    if not tally.check("make install PREFIX= DESTDIR=", status == 0, said):
        return
    files = files_below(folder)
    tally.none("nothing is outside of PREFIX", [name for name in files if not name.startswith("opt/pr/")])
    wanted = ["bin/profrender", "include/profrender/load.h", "lib/libprofrender.a", "lib/libprofrender.so",
              "lib/pkgconfig/profrender.pc", "share/man/man1/profrender.1", "share/man/man1/profrender-card.1",
              "share/bash-completion/completions/profrender", "share/zsh/site-functions/_profrender",
              "share/fish/vendor_completions.d/profrender.fish"]
    tally.none("all parts are there", [name for name in wanted if f"opt/pr/{name}" not in files])
    told = [str(folder) in path.read_text() for path in folder.rglob("*.pc")]
    tally.check("the pkg-config file knows PREFIX, not DESTDIR", told == [False])


def flags(folder, *options):
    status, out, said = run("pkg-config", *options, "profrender", PKG_CONFIG_PATH=str(folder / "lib/pkgconfig"))
    if status != 0:
        raise RuntimeError(said)
    return out.split()


def expected_lines():
    """(bytes, end of the line) of the ten places, as the program itself tells them in another way."""
    _, out, _ = run(ROOT / "build/profrender", "table", SAMPLE, "--group", "location", "--sort", "self", "--json")
    document = json.loads(out)
    places = [(row["self"], "{function}  {file}:{line}".format(**row)) for row in document["rows"]]
    return [(document["total"], "at the peak"), *places[:10]]


def check_library(tally, folder):
    status, _, said = run("make", "install", f"PREFIX={folder}")
    if not tally.check("make install PREFIX=", status == 0, said):
        return
    source, program = ROOT / "samples/top_allocations.c", folder / "top_allocations"
    links = {
        "shared": [*flags(folder, "--cflags", "--libs")],
        "static": [*flags(folder, "--cflags"), folder / "lib/libprofrender.a",
                   *[flag for flag in flags(folder, "--static", "--libs") if flag != "-lprofrender"]],
    }
    for kind, words in links.items():
        status, _, said = run(CC, "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", source, *words, "-o", program,
                              cwd=folder)
        if not tally.check(f"a program builds against the {kind} library", status == 0, said):
            continue
        status, out, said = run(program, SAMPLE, LD_LIBRARY_PATH=str(folder / "lib"))
        lines = [(int(line.split()[0]), line) for line in out.splitlines()]
        wanted = expected_lines()
        good = [size for size, _ in lines] == [size for size, _ in wanted]
        # places of the same size may come in any order
        good = good and all(any(line.endswith(end) for _, line in lines) for _, end in wanted[:5])
        tally.check(f"and says what profrender says ({kind})", status == 0 and good, out, said)
        status, out, said = run(program, ROOT / "README.md", LD_LIBRARY_PATH=str(folder / "lib"))
        tally.check(f"and refuses what is no capture ({kind})", status == 3 and not out, out, said)
    (folder / "version.cc").write_text('#include "profrender/load.h"\nint main() { return !*pr_version(); }\n')
    status, _, said = run(CXX, "-std=c++17", "version.cc", *links["shared"], "-o", program, cwd=folder)
    status = status or run(program, LD_LIBRARY_PATH=str(folder / "lib"))[0]
    tally.check("C++ can call it", status == 0, said)
    status, out, said = run(folder / "bin/profrender", "stats", SAMPLE, "--json")
    tally.check("the installed program runs", status == 0 and out.startswith("{"), said)


def check_archive(tally, folder):
    """The source archive needs a C compiler and the libraries, not git, node or a network."""
    status, out, said = run("make", "-s", "dist")
    if not tally.check("make dist", status == 0, said):
        return
    archive = ROOT / out.split()[-1]
    first = archive.read_bytes()
    run("make", "-s", "dist")
    tally.check("the same sources give the same archive", archive.read_bytes() == first)
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
    tree = folder / archive.name.removesuffix(".tar.gz")
    absent = dict(NODE="/absent/node", NPM="/absent/npm")
    status, _, said = run("make", f"-j{os.cpu_count()}", "build/profrender", cwd=tree, **absent)
    if not tally.check("the archive builds without node", status == 0, said):
        return
    cards = []
    for program, name in (ROOT / "build/profrender", "ours.html"), (tree / "build/profrender", "theirs.html"):
        run(program, "card", SAMPLE, "-o", folder / name)
        cards.append((folder / name).read_bytes() if (folder / name).exists() else None)
    tally.check("and its program makes the same card", cards[0] and cards[0] == cards[1])


def main():
    tally = Tally()
    for check in check_destdir, check_library, check_archive:
        folder = Path(tempfile.mkdtemp(prefix="profrender-test-"))
        try:
            check(tally, folder)
        finally:
            shutil.rmtree(folder)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
