# SPDX-License-Identifier: Apache-2.0
"""Tables of data in a deck: the names and arguments of flytekitplugins-deck-standard, made by the program profrender.

    Deck("Sales", FrameProfilingRenderer().to_html(df))

Each is HTML of a frame with a sandbox that shows one page without a script. Frames may be those of pandas or polars, or
whatever else profrender.frame takes.
"""

import profrender

HEIGHT = "85vh"


def within(made, width):
    """MADE in a box of WIDTH pixels; None: as wide as the deck."""
    return made if width is None else f'<div style="max-width:{int(width)}px">{made}</div>'


def relabelled(df, labels):
    """DF, whose columns are called LABELS: each library has a word of its own for it."""
    if hasattr(df, "rename_columns"):  # pyarrow
        return df.rename_columns(labels)
    return df.rename(dict(zip(df.columns, labels))) if hasattr(df, "lazy") else df.set_axis(labels, axis="columns")


class FrameProfilingRenderer:
    """What is in a frame: types, missing and repeated values, distributions, correlations, findings."""

    def __init__(self, title="Data profile", **options):
        self._title = title
        self._options = options  # of profrender.frame

    def to_html(self, df):
        return profrender.frame(df, self._title, height=HEIGHT, **self._options).embedded()


class TableRenderer:
    """The rows of a frame, the first 1,000 of them."""

    def to_html(self, df, header_labels=None, table_width=None):
        if header_labels is not None and len(header_labels) == len(df.columns):
            df = relabelled(df, [str(label) for label in header_labels])
        made = profrender.frame(df, "Table", view="table", height=HEIGHT).embedded()
        return within(made, table_width)


class BoxRenderer:
    """The median, the middle half and what is beyond, of a column."""

    def __init__(self, column_name):
        self._column_name = column_name

    def to_html(self, df):
        args = ["--value", self._column_name]
        return profrender.frame(df, self._column_name, view="box", args=args, height=HEIGHT).embedded()


class GanttChartRenderer:
    """Bars from the columns Start and Finish, with their Name."""

    def to_html(self, df, chart_width=None):
        made = profrender.frame(df, "Gantt", view="gantt", args=["--group", "Name"], height=HEIGHT).embedded()
        return within(made, chart_width)
