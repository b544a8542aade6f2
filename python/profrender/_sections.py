# SPDX-License-Identifier: Apache-2.0
"""Several things in one card: Markdown, tables, charts, source code, images.

The program gets a folder that nobody else can read, with a file for each table, text and image, and a description of
them on its standard input. The folder is removed when the page is made.
"""

import inspect
import io
import json
import os
import shutil
import tempfile

from ._arrow import is_parquet, parquet_writer, writer_of
from ._page import Page, frame_command, run
from ._program import Failed
from ._tables import is_path, joined


def sections(title=None, *parts, redact=False, theme=None, args=(), height="85vh", program="profrender"):
    """A card of several sections, which are added one after another:

        page = profrender.sections("Sales")
        page.markdown("What sold on *Monday*.")
        page.profile(df, "Orders")
        page.box(df, "Prices", value="price", by="country")
        page.image(figure, "Map", alt="Sales by region")
        page.save("sales.html")                 # Jupyter shows the page where it is the last line of a cell

    PARTS are sections without more words: a text is Markdown, a table a data profile, a plot or picture an image.
    REDACT leaves out all values, ARGS are further options of `profrender frame sections`.
    """
    words = ["--redact", "values"] if redact else []
    words += ["--theme", theme] if theme else []
    made = SectionsCard(title, [*words, *map(str, args)], height, program)
    for part in parts:
        made.add(part)
    return made


class SectionsCard(Page):
    """Each method adds a section and returns this object. Images and code are taken at once, tables when the page is
    made."""

    def __init__(self, title, words, height, program):
        self._title = "Card" if title is None else str(title)
        self._words = words
        self._height = height
        self._program = program
        self._sections = []  # (members of the description, write(folder, file name without an ending) or None)
        self._page = None

    def add(self, part, title=None):
        """What PART is decides: a text is Markdown, a table a data profile, a plot or picture an image."""
        if isinstance(part, str):
            return self.markdown(part, title)
        if is_picture(part):
            return self.image(part, title)
        return self.profile(part, title)

    def markdown(self, text, title=None):
        """A text, or the path of a file (pathlib.Path)."""
        return self._add("markdown", title, text=text_of(text))

    def source(self, code, title=None, first_line=None):
        """A text, a function, class or module, or the path of a file (pathlib.Path)."""
        text, line = (text_of(code), 1) if isinstance(code, (str, os.PathLike)) else code_of(code)
        return self._add("source", title or getattr(code, "__qualname__", None), text=text,
                         first_line=first_line or line)

    def image(self, picture, title=None, alt=None):
        """A plot of matplotlib, a picture of PIL, what has _repr_png_, _repr_svg_ or _repr_jpeg_, the bytes of a PNG,
        JPEG, GIF, WebP or SVG file, or its path. ALT is for who cannot see it."""
        data = picture_of(picture)

        def write(folder, name):
            with open(os.path.join(folder, name), "wb") as out:
                out.write(data)
            return {"file": name}
        return self._add("image", title or "Image", write, alt=alt)

    def profile(self, table, title=None, schema=None):
        """What is in TABLE, which is all that profrender.frame() takes. SCHEMA says what columns are."""
        return self._add_table("profile", title or "Data profile", table, schema)

    def table(self, table, title=None, schema=None, sort=None, descending=None, rows=None):
        """The first ROWS, 1,000 unless given, or those that column SORT sorts first."""
        return self._add_table("table", title or "Table", table, schema, sort=sort, descending=descending, rows=rows)

    def box(self, table, title=None, schema=None, value=None, by=None):
        """A box plot of each column with numbers, of column VALUE, or of that for each category of column BY."""
        return self._add_table("box", title or "Box plot", table, schema, value=value, by=by)

    def gantt(self, table, title=None, schema=None, start=None, finish=None, name=None, group=None):
        """Bars from column START to FINISH, with NAME ("Start", "Finish", "Name" unless given), coloured by GROUP."""
        return self._add_table("gantt", title or "Gantt chart", table, schema, start=start, finish=finish, name=name,
                               group=group)

    @property
    def html(self):
        """The page: one file without a script, which loads nothing."""
        if not self._sections:
            raise Failed("there is no section yet")
        if self._page is None:
            with tempfile.TemporaryDirectory(prefix="profrender.") as folder:
                listed = [{**members, **(write(folder, str(number)) if write else {})}
                          for number, (members, write) in enumerate(self._sections, 1)]
                document = json.dumps({"title": self._title, "sections": listed}).encode("utf-8", "surrogatepass")
                command = frame_command(self._program, ["--format=html", *self._words, "sections", "-"])
                self._page = run(command, lambda out: out.write(document), folder, what="the card")
        return self._page

    def __repr__(self):
        return f"<card {self._title!r} of {len(self._sections)} sections>"

    def _add(self, kind, title, write=None, **members):
        members = {"kind": kind, "title": None if title is None else str(title), **members}
        self._sections.append(({name: value for name, value in members.items() if value is not None}, write))
        self._page = None
        return self

    def _add_table(self, kind, title, table, schema, **members):
        if not is_path(table):
            writer_of(table)  # what is not a table is an error here, not where the page is made

        def write(folder, name):
            return write_table(table, schema, folder, name)
        return self._add(kind, title, write, **members)


# ---- what a section is made of -------------------------------------------------------------------------------------

def text_of(text):
    if isinstance(text, str):
        return text
    with open(text, encoding="utf-8", errors="replace") as file:
        return file.read()


def code_of(code):
    """(text, number of its first line)"""
    lines, first = inspect.getsourcelines(code)
    return "".join(lines), max(first, 1)


def is_picture(part):
    return isinstance(part, (bytes, bytearray)) or (
        not hasattr(part, "columns") and any(hasattr(part, name) for name in ("savefig", "get_figure", "_repr_png_")))


def picture_of(picture):
    """The bytes of an image file. What matplotlib and others draw later is not in it."""
    if isinstance(picture, (bytes, bytearray, memoryview)):
        return bytes(picture)
    if is_path(picture):
        with open(picture, "rb") as file:
            return file.read()
    figure = picture.get_figure() if hasattr(picture, "get_figure") else picture
    if hasattr(figure, "savefig"):  # matplotlib
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=144, bbox_inches="tight")
        return out.getvalue()
    for name in ("_repr_png_", "_repr_svg_", "_repr_jpeg_"):
        made = getattr(picture, name, lambda: None)()
        if made:
            return made.encode() if isinstance(made, str) else bytes(made)
    raise TypeError(f"an image is a plot of matplotlib, a picture of PIL, bytes or the path of a file, "
                    f"not {type(picture).__name__}")


def write_table(table, schema, folder, name):
    """Puts TABLE into FOLDER; the members of its section."""
    if is_path(table) and not is_parquet(table):
        shutil.copyfile(table, os.path.join(folder, name))
        own = None
    else:
        write, form, own = (parquet_writer(table), "arrow", None) if is_path(table) else writer_of(table)
        name = f"{name}.{form}"
        with open(os.path.join(folder, name), "wb") as out:
            write(out)
    types = joined(own, schema)
    if is_path(types):
        with open(types, encoding="utf-8") as file:
            types = json.load(file)
    return {"file": name, **({"schema": types} if types else {})}
