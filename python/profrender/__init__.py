# SPDX-License-Identifier: Apache-2.0
"""Records what Python code allocates, and makes a card of it with the program profrender.

    import profrender

    with profrender.record("train.html"):
        train()

    @profrender.record("load.html", cpu="py-spy")
    def load(path): ...

    profrender.mark("fit")                  inside a recording: the phase that begins here

    profrender.frame(df)                    what a table of data contains: pandas, polars, pyarrow, a list, a file

    profrender.sections("Sales", df, plot)  several things in one card: Markdown, tables, charts, code, images

    profrender.started_processes()          for other recorders: tells of processes that memray did not follow
    profrender.with_root(args, "src")       for them too: options of `profrender card`, with the --root of --source

    %load_ext profrender                    in Jupyter, and then %%profrender on top of a cell

It needs only the standard library. memray records allocations and py-spy records time, where they are installed; a
card without them says what is missing.
"""

from ._frame import embed
from ._marks import mark
from ._processes import Started as started_processes
from ._program import Failed, card, find, with_root
from ._recording import record
from ._sections import sections
from ._tables import frame

__all__ = ["Failed", "card", "embed", "find", "frame", "load_ipython_extension", "mark", "record",
           "sections", "started_processes", "with_root"]


def load_ipython_extension(shell):
    """What `%load_ext profrender` calls."""
    from ._magic import ProfrenderMagics, awaited
    shell.register_magics(ProfrenderMagics)
    shell.input_transformers_post.append(awaited(shell))
