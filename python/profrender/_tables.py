# SPDX-License-Identifier: Apache-2.0
"""What is in a table of data, as a card: the frame goes to the program through a pipe, and is not written to a disk."""

import contextlib
import json
import os
import tempfile

from ._arrow import is_parquet, parquet_writer, writer_of
from ._page import Page, frame_command, run


def frame(table, title=None, *, view="profile", schema=None, redact=False, theme=None, args=(), height="85vh",
          program="profrender"):
    """The card of TABLE: a frame of pandas or polars, a table of pyarrow, what has __arrow_c_stream__ or __dataframe__,
    a list of dictionaries or rows, a dictionary of columns, or the path of a file (CSV, JSON lines, Arrow; Parquet,
    also a folder of its files, where pyarrow or polars is installed).

    VIEW is "profile", "table", "box" or "gantt"; SCHEMA says what columns are, such as {"zip": "identifier"}, or is the
    path of a JSON file that does; REDACT leaves out all values; ARGS are further options of `profrender frame`. Jupyter
    shows the card; `.html` is its page, `.save(path)` writes that, `.to_json()` has its figures, `.embedded()` is HTML
    that shows it within another page.
    """
    words = ["--as", view] if view != "profile" else []
    words += ["--redact", "values"] if redact else []
    words += ["--theme", theme] if theme else []
    return TableCard(table, title, schema, [*words, *map(str, args)], height, program)


class TableCard(Page):
    """What is in a table. It is read anew for the page and for the figures, each when first asked for."""

    def __init__(self, table, title, schema, words, height, program):
        self._table = table
        self._schema = schema
        self._title = title
        self._words = words
        self._height = height
        self._program = program
        self._made = {}

    @property
    def html(self):
        """The page: one file without a script, which loads nothing."""
        title = ["--title", str(self._title)] if self._title is not None else ["--title", "Table"] \
            if not is_path(self._table) else []
        return self._answer("html", title)

    def to_json(self):
        """The figures, as schemas/frame.schema.json has them."""
        return json.loads(self._answer("json", []))

    def __repr__(self):
        return f"<card of {self._title or 'a table'}>"

    def _answer(self, form, words):
        if form not in self._made:
            self._made[form] = answer(self._table, self._schema, [f"--format={form}", *self._words, *words],
                                      self._program)
        return self._made[form]


def is_path(table):
    return isinstance(table, (str, os.PathLike))


def answer(table, schema, words, program):
    """What `profrender frame` prints of TABLE. Raises Failed, with its reason, or what the library raises."""
    command = frame_command(program, words)
    if is_path(table) and not is_parquet(table):
        with schema_words(schema) as more:
            return run([*command, *more, "--", os.fspath(table)], None)
    write, form, own = (parquet_writer(table), "arrow", None) if is_path(table) else writer_of(table)
    with schema_words(joined(own, schema)) as more:
        return run([*command, *more, f"--input-format={form}", "-"], write, what=named(table))


def named(table):
    """What messages call TABLE, which the program knows as standard input: its path, or "the DataFrame"."""
    return os.fspath(table) if is_path(table) else f"the {type(table).__name__}"


def joined(own, schema):
    """The types that the table has, OWN, under those of SCHEMA."""
    if own is None or schema is None:
        return schema if own is None else own
    if is_path(schema):
        with open(schema, encoding="utf-8") as file:
            schema = json.load(file)
    return {**own, **schema}


@contextlib.contextmanager
def schema_words(schema):
    """The option for SCHEMA, which is in a file while it is used: a wide table's is too long for a command line."""
    if schema is None or is_path(schema):
        yield [] if schema is None else ["--schema", os.path.abspath(os.fspath(schema))]
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "schema.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(schema, file)
        yield ["--schema", path]
