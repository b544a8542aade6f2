# SPDX-License-Identifier: Apache-2.0
"""%%profrender: runs a cell as it is, and shows its card below it, also of a cell that raises."""

import ast
import os
import tempfile

from IPython.core.magic import Magics, cell_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from ._frame import embed
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
    @argument("--source", action="store_true", help="put my code into the card")
    @no_var_expand
    @cell_magic
    def profrender(self, line, cell):
        """Record what the cell allocates and how long it takes, and show its card."""
        how = parse_argstring(self.profrender, line)
        with tempfile.TemporaryDirectory(prefix="profrender.") as place:
            card = os.path.abspath(how.card) if how.card else os.path.join(place, "card.html")
            code = compiled(self.shell, cell)  # first: a mistake in the cell is no failure of what it does
            made = record(card, name=how.name, native=how.native, python_allocators=how.python_allocators,
                          follow_fork=how.follow_fork, cpu=how.cpu, args=["--source"] if how.source else [])
            try:
                with made:
                    return run(code, self.shell.user_ns)
            finally:
                if made.page:
                    display({"text/html": embed(made.page, how.height), "text/plain": f"card of {how.name}"}, raw=True)


def compiled(shell, cell):
    """What the cell does, and its value if the last line has one, as the shell itself would see them."""
    text = shell.transform_cell(cell)
    name = shell.compile.cache(text, shell.execution_count)
    tree = shell.transform_ast(shell.compile.ast_parse(text, filename=name))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) and not text.rstrip().endswith(";") \
        else None
    value = ast.Expression(last.value) if last else ast.Expression(ast.Constant(None, lineno=1, col_offset=0))
    return shell.compile(tree, name, "exec"), shell.compile(value, name, "eval")


def run(code, names):
    statements, value = code
    exec(statements, names)
    return eval(value, names)
