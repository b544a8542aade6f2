# SPDX-License-Identifier: Apache-2.0
"""The sources as the structure tests see them: the files of the repository, C without its comments, symbols of nm."""

import functools
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
API = "capture/include/profrender"
CODE = {".c", ".h", ".js", ".mjs", ".css", ".py", ".sh"}


@functools.cache
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


@functools.cache
def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def output_of(*command):
    return subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True, check=True).stdout


@functools.cache
def code_of(path):
    """C without its comments and strings, line numbers kept."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    blank = lambda found: "\n" * found[0].count("\n") if found[0][0] == "/" else '""'
    return re.sub(pattern, blank, read(path), flags=re.S)


def c_sources(*layers):
    """The .c and .h files below capture/, render/ and cli/, or some of them."""
    wanted = tuple(f"{layer}/" for layer in layers or ("capture", "render", "cli"))
    return [path for path in tracked() if path.suffix in (".c", ".h") and str(path).startswith(wanted)]


def room_of(path):
    return str(Path(path).parent)


def included(path):
    """(kind, path from the root or name of a system header) of each #include."""
    for kind, name in re.findall(r'^\s*#\s*include\s+([<"])([^>"]+)', read(path), re.M):
        yield kind, f"capture/include/{name}" if kind == '"' and name.startswith("profrender/") else name


def find(pattern, paths, text_of=read):
    """`path:line: text` of what matches."""
    return [f"{path}:{number}: {line.strip()[:160]}" for path in paths
            for number, line in enumerate(text_of(path).splitlines(), 1) if re.search(pattern, line)]


def symbols(file, *options):
    """(kind, name) of what nm lists."""
    lines = map(str.split, output_of("nm", "-P", *options, file).splitlines())
    return [(words[1], words[0]) for words in lines if len(words) >= 2 and len(words[1]) == 1]


def nothing(wrong):
    """Asserts that WRONG is empty and shows all of it if not."""
    wrong = list(wrong)
    assert not wrong, "\n" + "\n".join(map(str, wrong))
