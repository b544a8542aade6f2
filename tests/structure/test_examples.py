# SPDX-License-Identifier: Apache-2.0
"""Usage examples in the comments of headers are compiled: what they call exists and takes these arguments.

An example is a run of lines that are indented by four in a comment, of which some end as C does. Variables and
functions of the reader's own need no declaration; `...` stands for anything irrelevant, also as a condition or
statement.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
HEADERS = sorted(path.relative_to(ROOT) for room in ("capture", "render", "cli", "tests")
                 for path in (ROOT / room).rglob("*.h"))
INDENTED = re.compile(r"(?:^ \*     .*\n(?:^ \*\n(?=^ \*     ))?)+", re.M)
COMMENT = re.compile(r"//.*|/\*.*?\*/")
CC = os.environ.get("CC", "cc").split()
FLAGS = ["-std=gnu11", "-fsyntax-only", "-w", "-Werror=implicit-function-declaration",
         "-Werror=incompatible-pointer-types", "-Werror=int-conversion", "-D_GNU_SOURCE", "-I.", "-Icapture/include",
         "-Ibuild", "-x", "c", "-"]
UNKNOWN = re.compile(r"error: (?:'(?P<gcc>\w+)' undeclared|implicit declaration of function '(?P<call>\w+)'"
                     r"|(?:use of undeclared identifier|call to undeclared function) '(?P<clang>\w+)')")
OURS = re.compile(r"pr_|PR_")


def examples(header):
    """The examples in the comments of a header, as C with placeholders."""
    for found in INDENTED.finditer((ROOT / header).read_text(encoding="utf-8")):
        lines = [line[7:] for line in found[0].splitlines()]
        bare = [COMMENT.sub("", line).rstrip() for line in lines]
        if not bare[0].startswith("{") and any(line.endswith((";", "}")) for line in bare):
            yield "\n".join(bare)


CASES = [(header, number, text) for header in HEADERS for number, text in enumerate(examples(header))]


def whole(example):
    """The example without placeholders."""
    text = re.sub(r"\((?:\.\.\.|each [^)]*)\)", "(0)", example)  # a condition
    text = re.sub(r"\bfor \(0\)", "for (;;)", text)
    text = re.sub(r", \.\.\.\)", ")", text)  # arguments
    return re.sub(r"\.\.\.(?=\s|$)", ";", text)  # a statement


def program(header, example):
    """A source with an example in a function; functions of the example stay outside."""
    pieces = whole(example).split("\n\n")
    outside = "\n".join(piece for piece in pieces if piece.startswith("static "))
    inside = "\n".join(piece for piece in pieces if not piece.startswith("static "))
    system = "".join(f"#include <{name}.h>\n" for name in ("errno", "inttypes", "stddef", "stdio", "stdlib", "string"))
    if header.parts[0] == "tests":
        system += "#include <setjmp.h>\n#include <stdarg.h>\n#include <cmocka.h>\n"
    return f'{system}#include "{header}"\n{outside}\nint example(void);\nint example(void)\n{{\n{inside}\n;}}\n'


def errors(source):
    """The compiler's messages, except those about the reader's own names."""
    done = subprocess.run([*CC, *FLAGS], input=source, cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"})
    for line in done.stderr.splitlines():
        unknown = UNKNOWN.search(line)
        if "error:" in line and (not unknown or OURS.match(unknown[unknown.lastgroup])):
            yield line


@pytest.mark.parametrize("header, example", [(header, text) for header, _, text in CASES],
                         ids=[f"{header}-{number}" for header, number, _ in CASES])
def test_an_example_compiles(header, example):
    source = program(header, example)
    wrong = list(errors(source))
    assert not wrong, "\n".join([*wrong, source])


def test_there_are_examples():
    assert len(CASES) > 50


def test_a_call_with_an_argument_too_few_is_an_error():
    assert list(errors('#include "capture/base/idset.h"\nvoid f(void)\n{\npr_idset_add(&tids, &tid);\n}\n'))
