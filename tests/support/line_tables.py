# SPDX-License-Identifier: Apache-2.0
"""An interpreter's own answers about lines of code, for tests/unit/memray/test_memray_line_tables.c.

    python3.9 tests/support/line_tables.py            of code below that is hard on line tables
    python3.9 tests/support/line_tables.py MODULE...  of modules of the standard library

A line for each code object: the interpreter's version as in sys.hexversion, the first line, the table in hexadecimal,
then `byte:line` for each byte of code at which the line changes, `-` where the code has no line.
tests/support/line_tables.txt has the answers of CPython 3.8 to 3.13 to the first question. Runs with any of them.
"""

import dis
import importlib.util
import sys

# Far lines, lines that go back, statements of more than 127 and 255 bytes of code, code without lines.
SOURCE = "\n".join(
    [
        "import sys",
        "def far(x):",
        "    a = 1" + "\n" * 130,
        "    b = 2" + "\n" * 400,
        "    return a + b",
        "def long(x):",
        "    a = (" + ", ".join(["x"] * 70) + ")",
        "    b = a",
        "    c = [" + ", ".join(["x.a.b"] * 60) + "]",
        "    return c",
        "def back(f):",
        "    return f(",
        "        1,",
        "        f(2,",
        "          x=3),",
        "        *f(4),",
        "    ) + f(",
        "        5)",
        "@back",
        "@back",
        "class C(object):",
        "    x: int = 1",
        "    def m(self):",
        "        try:",
        "            for i in range(3):",
        "                if i: continue",
        "                with self: break",
        "        except (ValueError,",
        "                TypeError) as e:",
        "            raise",
        "        finally:",
        "            pass",
        "        return [",
        "            (i,",
        "             k)",
        "            for i in self",
        "            if i",
        "            for k in i",
        "        ]",
        "async def agen(x):",
        "    async for i in x:",
        "        yield i",
        "    await x",
        "long_lambda = lambda x: (x +" + "\n" * 200 + "  x)",
        "if sys: a = 1; b = 2; c = [a,\n b, a]",
        "while True:",
        "    pass",
    ]
)


def by_starts(code):
    """(byte, line) of CPython up to 3.9."""
    return dis.findlinestarts(code)


def by_lines(code):
    for start, end, line in code.co_lines():
        if start < end:
            yield start, line


def emit(code):
    table = code.co_lnotab if sys.version_info < (3, 10) else code.co_linetable
    changes = []
    for start, line in sorted((by_starts if sys.version_info < (3, 10) else by_lines)(code)):
        if changes and changes[-1][0] == start:
            changes.pop()
        if not changes or changes[-1][1] != line:
            changes.append((start, line))
    words = ["%d:%s" % (start, "-" if line is None else line) for start, line in changes]
    words.append("%d:-" % len(code.co_code))
    print("%x %d %s %s" % (sys.hexversion, code.co_firstlineno, table.hex() or "-", " ".join(words)))
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            emit(constant)


def main():
    if len(sys.argv) == 1:
        emit(compile(SOURCE, "hard.py", "exec"))
    for module in sys.argv[1:]:
        emit(importlib.util.find_spec(module).loader.get_code(module))


main()
