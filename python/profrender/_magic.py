# SPDX-License-Identifier: Apache-2.0
"""%%profrender: runs a cell as it is, and shows its card below it, also of a cell that raises."""

import ast
import inspect
import os
import tempfile

from IPython.core.magic import Magics, cell_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from ._frame import in_notebook
from ._recording import record


def plain(word):
    """IPython leaves the quotes on a word."""
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"" else word


@magics_class
class ProfrenderMagics(Magics):
    @magic_arguments()
    @argument("--native", action="store_true", help="record native stacks too")
    @argument("--python-allocators", action="store_true", help="record each object of Python's own allocator")
    @argument("--follow-fork", action="store_true", help="record forked children too")
    @argument("--cpu", choices=["none", "py-spy"], default="none", help="record the time of each thread too")
    @argument("--card", type=plain, metavar="FILE", help="write the card there as well")
    @argument("--name", type=plain, default="cell", help="title of the card")
    @argument("--height", default="85vh", help="of the frame; default: 85vh")
    @argument("--source", action="store_true", help="put my code below this folder into the card")
    @no_var_expand
    @cell_magic
    def profrender(self, line, cell):
        """Record what the cell allocates and how long it takes, and show its card."""
        how = parse_argstring(self.profrender, line)
        code = compiled(self.shell, cell)  # first: a mistake in the cell is no failure of what it does
        shown = Shown(how)
        if any(map(awaits, code)):
            return run_later(shown, code, self.shell.user_ns)  # the shell awaits it, see awaited()
        with shown, shown.recording:
            return run(code, self.shell.user_ns)


class Shown:
    """Shows the card of its recording at the end."""

    def __init__(self, how):
        self.how = how
        self.place = tempfile.TemporaryDirectory(prefix="profrender.")
        card = os.path.abspath(how.card) if how.card else os.path.join(self.place.name, "card.html")
        self.recording = record(card, name=how.name, native=how.native, python_allocators=how.python_allocators,
                                follow_fork=how.follow_fork, cpu=how.cpu, args=["--source"] if how.source else [],
                                root=os.getcwd())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        page, how = self.recording.page, self.how
        if page:
            display({"text/html": in_notebook(page, how.height), "text/plain": f"card of {how.name}"}, raw=True)
        self.place.cleanup()


def compiled(shell, cell):
    """What the cell does, and its value if the last line has one, as the shell itself would see them."""
    text = shell.transform_cell(cell)
    name = shell.compile.cache(text, shell.execution_count)
    tree = shell.transform_ast(shell.compile.ast_parse(text, filename=name))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) and not text.rstrip().endswith(";") \
        else None
    value = ast.Expression(last.value) if last else ast.Expression(ast.Constant(None, lineno=1, col_offset=0))
    with shell.compile.extra_flags(ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if shell.autoawait else 0):
        return shell.compile(tree, name, "exec"), shell.compile(value, name, "eval")


def awaits(code):
    return bool(code.co_flags & inspect.CO_COROUTINE)


def run(code, names):
    statements, value = code
    exec(statements, names)
    return eval(value, names)


async def run_later(shown, code, names):
    with shown, shown.recording:
        for part in code:
            value = eval(part, names)
            if awaits(part):
                value = await value
        return value


def awaited(shell):
    """
    A transformer of SHELL's input: a cell with an `await` outside of a function becomes one that awaits the magic.

    A magic is a plain function, within a loop that already runs.
    """
    def transformed(lines):
        text = "".join(lines)
        if not text.startswith("get_ipython().run_cell_magic('profrender',"):
            return lines
        try:
            code = compiled(shell, ast.parse(text).body[0].value.args[2].value)
        except (SyntaxError, ValueError):
            return lines  # the magic says so
        return ["await ", *lines] if any(map(awaits, code)) else lines
    return transformed
