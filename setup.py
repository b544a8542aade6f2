# SPDX-License-Identifier: Apache-2.0
"""The wheel: what `make install-program` installs, in the layout of pip.

    pip install .                     builds, and links with the libraries of this machine
    make wheel                        the program of `make static`: for other machines too
    make wheels                       the programs of `make cross`: for nearly all machines with Linux

pyproject.toml says the rest.
"""

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

from setuptools import setup  # first: it brings the distutils that Python no longer has
from setuptools.command.bdist_wheel import bdist_wheel
from distutils.command.build_scripts import build_scripts

ROOT = Path(__file__).resolve().parent
# A relative folder, as setuptools wants the names of files.
TREE = Path("build/wheel/tree")
STATIC = "PROFRENDER_STATIC"
CROSS = "PROFRENDER_CROSS"  # a target of platform/cross/cross.mk


def version():
    return re.search(r"^VERSION := (\S+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)[1]


# Nothing of a make that may be the caller.
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}


class BuildProgram(build_scripts):
    """Called where others copy their scripts: ours is compiled."""

    def run(self):
        program = "build/static/profrender" if os.environ.get(STATIC) else "build/profrender"
        if os.environ.get(CROSS):
            program = f"build/cross/{os.environ[CROSS]}/profrender"
        shutil.rmtree(TREE, ignore_errors=True)
        where = f"PROGRAM={program}", f"DESTDIR={ROOT / TREE}", "PREFIX="
        subprocess.run(["make", f"-j{os.cpu_count()}", "install-program", *where], cwd=ROOT, env=CLEAN, check=True)
        self.mkpath(self.build_dir)
        self.copy_file(str(TREE / "bin/profrender"), self.build_dir)
        files = sorted(path for path in TREE.glob("share/**/*") if path.is_file())
        self.distribution.data_files = [(str(path.parent.relative_to(TREE)), [str(path)]) for path in files]


class Wheel(bdist_wheel):
    """For any Python, and for machines like this one."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        platform = sysconfig.get_platform()
        if os.environ.get(CROSS):
            machine, _, library = os.environ[CROSS].split("-")
            # A program with musl in it needs no library at all, so any version of musl will do.
            names = ["musllinux_1_1"] if library == "musl" else ["manylinux_2_17", "manylinux2014"]
            return "py3", "none", ".".join(f"{name}_{machine}" for name in names)
        if os.environ.get(STATIC):
            # Nothing but the C library is needed: at least the version that the newest symbol in use came with.
            needed = re.findall(rb"\0GLIBC_2\.(\d+)(?=[.\0])", (TREE / "bin/profrender").read_bytes())
            platform = platform.replace("linux-", f"manylinux_2_{max(map(int, needed))}_")
        return "py3", "none", re.sub(r"[-.]", "_", platform)


(ROOT / "build/wheel").mkdir(parents=True, exist_ok=True)
setup(
    version=version(),
    packages=["profrender"],
    package_dir={"": "python"},
    scripts=["build/profrender"],
    cmdclass={"build_scripts": BuildProgram, "bdist_wheel": Wheel},
    options={"build": {"build_base": "build/wheel"}, "egg_info": {"egg_base": "build/wheel"}},
)
