#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What people get who do not compile: the archive of `make static`, in a root with nothing else in it, and the wheel.

    python3 tests/install/packages.py        needs what `make build/profrender doc` builds
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))
from tally import Tally  # noqa: E402

SAMPLE = ROOT / "samples/daily-sales.bin"
CLEAN = {name: value for name, value in os.environ.items() if not re.match(r"MAKE|MFLAGS|PREFIX$|DESTDIR$", name)}
C_LIBRARY = re.compile(r"(linux-vdso|libc|libm|ld-linux[\w-]*|ld64)\.so\.\d+$")
OFFLINE = re.compile(r"Temporary failure|NewConnectionError|No matching distribution|ConnectTimeout|Max retries")


def run(*command, cwd=ROOT, **environment):
    done = subprocess.run([str(word) for word in command], cwd=cwd, env={**CLEAN, **environment},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def card_of(program, folder):
    """The card that a program makes of capture.bin; None: none."""
    shutil.copy(SAMPLE, folder / "capture.bin")
    run(program, "card", "capture.bin", "-o", "card.html", cwd=folder)
    return (folder / "card.html").read_bytes() if (folder / "card.html").exists() else None


def copy_c_library(tally, program, root):
    """ROOT gets what the program wants from the machine, which is the C library and nothing else."""
    _, out, _ = run("ldd", program)
    names = [line.split()[0] for line in out.splitlines()]
    strange = [name for name in names if not C_LIBRARY.match(Path(name).name)]
    tally.check("the program wants the C library and nothing else", names and not strange, *strange)
    for path in re.findall(r"(/\S+) \(", out):
        (root / path[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / path[1:])


def check_static(tally, folder):
    status, out, said = run("make", "-s", f"-j{os.cpu_count()}", "static")
    if not tally.check("make static", status == 0, said):
        return
    archive, root = ROOT / out.split()[-1], folder / "root"
    first = archive.read_bytes()
    run("make", "-s", "static")
    tally.check("the same sources give the same archive", archive.read_bytes() == first)
    with tarfile.open(archive) as tar:
        tar.extractall(root, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(root)
    tree = archive.name.removesuffix(".tar.gz")
    commands = {path.name for path in (ROOT / "build/doc").glob("*.1")}
    pages = {path.name for path in (root / tree / "share/man/man1").glob("*.1")}
    tally.none("the manual is in it", sorted(commands ^ pages) or [] if commands else ["no pages"])
    parts = "share/bash-completion/completions/profrender", "LICENSE", "README.md"
    tally.none("and the other parts", [name for name in parts if not (root / tree / name).is_file()])
    copy_c_library(tally, root / tree / "bin/profrender", root)
    shutil.copy(SAMPLE, root / "capture.bin")
    enter = ["chroot", root] if os.getuid() == 0 else ["unshare", "-r", "chroot", root]
    status, _, said = run(*enter, f"/{tree}/bin/profrender", "card", "capture.bin", "-o", "card.html")
    if status != 0 and re.search(r"Operation not permitted|unshare", said):
        tally.skip("in an empty root", "a change of root needs a user who may")
        return
    card = (root / "card.html").read_bytes() if status == 0 else b""
    tally.check("in an empty root it makes the same card", card and card == card_of(ROOT / "build/profrender", folder),
                said)
    status, out, said = run(*enter, f"/{tree}/bin/profrender", "stats", "/capture.bin", "--json")
    wanted = run(ROOT / "build/profrender", "stats", SAMPLE, "--json")[1]
    tally.check("and tells the same figures", out and out == wanted, said)


def install_wheel(tally, folder, source):
    """The folder of programs of a new environment with the wheel in it; None if there is no network to build one."""
    venv.create(folder / "env", with_pip=True)
    status, out, said = run(folder / "env/bin/python", "-m", "pip", "install", "-q", source)
    if status != 0 and OFFLINE.search(out + said):
        tally.skip("pip install .", "there is no network to get setuptools from")
        return None
    return folder / "env/bin" if tally.check("pip install .", status == 0, out, said) else None


def check_wheel(tally, folder):
    programs = install_wheel(tally, folder, ROOT)
    if not programs:
        return
    status, out, said = run("profrender", "--version", PATH=f"{programs}:/usr/bin:/bin")
    tally.check("profrender is on PATH", status == 0 and out.startswith("profrender "), said)
    card = card_of(programs / "profrender", folder)
    tally.check("and makes the same card", card and card == card_of(ROOT / "build/profrender", folder))
    pages = list((programs.parent / "share/man/man1").glob("profrender*.1"))
    tally.check("its manual is installed", len(pages) > 1)
    status, out, said = run(programs / "python", "-m", "pip", "uninstall", "-qy", "profrender")
    left = [path for path in programs.parent.rglob("*profrender*") if path.is_file()]
    tally.none("pip takes it all away again", left)


def main():
    tally = Tally()
    for check in check_static, check_wheel:
        folder = Path(tempfile.mkdtemp(prefix="profrender-test-"))
        try:
            check(tally, folder)
        finally:
            shutil.rmtree(folder)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
