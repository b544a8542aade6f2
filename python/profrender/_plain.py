# SPDX-License-Identifier: Apache-2.0
"""Tables of plain Python: a list of dictionaries, a dictionary of columns, or a list of rows.

Rows with names go out as JSON lines, which keep numbers and texts apart; rows without as CSV, of which the program
finds out whether the first one has the names of the columns.
"""

import csv
import dataclasses
import decimal
import io
import itertools
import json

ROWS = 8192  # of a part


def is_plain(table):
    return isinstance(table, dict) or (isinstance(table, (list, tuple)) and not hasattr(table, "_fields"))


def plain_writer(table):
    """(write(out), format), or TypeError for what is not a table."""
    if isinstance(table, dict):
        return columns_writer(table)
    rows = [named(row) for row in table]
    if rows and all(isinstance(row, dict) for row in rows):
        return lambda out: write_lines(rows, out), "jsonl"
    if rows and all(isinstance(row, (list, tuple)) for row in rows):
        return lambda out: write_csv(rows, out), "csv"
    raise TypeError("a list that is a table has rows, which are all dictionaries, or all lists")


def named(row):
    """A named tuple or an object of a dataclass is a dictionary."""
    if dataclasses.is_dataclass(row) and not isinstance(row, type):
        return {field.name: getattr(row, field.name) for field in dataclasses.fields(row)}
    return row._asdict() if hasattr(row, "_asdict") else row


def columns_writer(table):
    columns = [list(column) if hasattr(column, "__iter__") and not isinstance(column, (str, bytes)) else None
               for column in table.values()]
    if not columns or None in columns or len({len(column) for column in columns}) > 1:
        raise TypeError("a dictionary that is a table has columns, lists of one length")
    rows = [dict(zip(map(str, table), row)) for row in zip(*columns)]
    if rows:
        return lambda out: write_lines(rows, out), "jsonl"
    return lambda out: write_csv([list(table)], out), "csv"


def write_lines(rows, out):
    """Keys in the order in which rows have them first; what a row lacks is missing."""
    names = list(dict.fromkeys(itertools.chain.from_iterable(rows)))
    for start in range(0, len(rows), ROWS):
        lines = ("{" + ",".join(f"{json.dumps(str(name))}:{value(row.get(name))}" for name in names) + "}\n"
                 for row in rows[start:start + ROWS])
        out.write("".join(lines).encode("utf-8", "surrogatepass"))


def value(cell):
    """The JSON of CELL. NaN is missing; dates and other objects are their text."""
    if isinstance(cell, float) and cell != cell:
        return "null"
    if isinstance(cell, decimal.Decimal) and cell.is_finite():
        return str(cell)
    try:
        return json.dumps(cell, default=str)
    except (TypeError, ValueError):  # keys that are no texts, what contains itself
        return json.dumps(str(cell))


def write_csv(rows, out):
    text = io.TextIOWrapper(out, encoding="utf-8", errors="surrogatepass", newline="")
    csv.writer(text).writerows(rows)
    text.flush()
    text.detach()
