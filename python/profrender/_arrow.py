# SPDX-License-Identifier: Apache-2.0
"""Tables of data as an Arrow stream, by the library that they come from.

`writer_of(table)` is a function that writes TABLE into a binary file, and the format that it writes. Rows go out in
batches: what is written is never in memory as a whole. The libraries are the caller's own; none is asked for that is
not needed.
"""

import decimal
import importlib.util
import os
import sys

from ._json_lines import schema_of, write_json_lines
from ._plain import is_plain, plain_writer

ROWS = 65536  # of a batch


def writer_of(table):
    """(write(out), format, schema): "arrow" has its types; the others come with a schema of them, or None.

    Raises TypeError where no library can write TABLE.
    """
    if is_a(table, "pandas", "DataFrame", "Series"):
        return pandas_writer(table)
    if is_a(table, "polars", "DataFrame", "LazyFrame", "Series"):
        return lambda out: polars_frame(table).write_ipc_stream(out), "arrow", None
    if is_a(table, "pyarrow", "Table", "RecordBatch", "RecordBatchReader"):
        return lambda out: write_arrow(table, out), "arrow", None
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__dataframe__"):
        return exchange_writer(table), "arrow", None
    if is_plain(table):
        return *plain_writer(table), None
    raise TypeError("profrender.frame takes a pandas or polars frame, a pyarrow table, an object with "
                    f"__arrow_c_stream__ or __dataframe__, or a list of rows, not {type(table).__name__}")


def is_a(table, package, *names):
    """Whether TABLE is of one of these classes of PACKAGE, which is not imported for it."""
    module = sys.modules.get(package)
    return module is not None and any(isinstance(table, getattr(module, name)) for name in names
                                      if hasattr(module, name))


def has(package):
    if package in sys.modules:
        return sys.modules[package] is not None
    return importlib.util.find_spec(package) is not None


def polars_frame(table):
    """As a frame in which columns of any objects are texts: polars writes them as the addresses of the objects."""
    import polars
    frame = table.collect() if isinstance(table, polars.LazyFrame) else \
        table.to_frame() if isinstance(table, polars.Series) else table
    return frame.with_columns(
        polars.Series(column.name, [None if value is None else text_of(value) for value in column], polars.String)
        for column in frame if column.dtype == polars.Object)


def text_of(value):
    """VALUE in characters that UTF-8 has: half a one is U+FFFD."""
    text = value if isinstance(value, str) else repr(value)
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def write_arrow(table, out):
    import pyarrow
    with pyarrow.ipc.new_stream(out, table.schema) as stream:
        if isinstance(table, pyarrow.RecordBatchReader):
            for batch in table:
                stream.write_batch(batch)
        elif isinstance(table, pyarrow.RecordBatch):
            stream.write_batch(table)
        else:
            stream.write_table(table, max_chunksize=ROWS)


def exchange_writer(table):
    """Of what hands itself over by the PyCapsule interface or the interchange protocol."""
    if has("pyarrow"):
        import pyarrow
        if hasattr(table, "__arrow_c_stream__"):
            return lambda out: write_arrow(pyarrow.RecordBatchReader.from_stream(table), out)
        from pyarrow.interchange import from_dataframe
        return lambda out: write_arrow(from_dataframe(table), out)
    if has("polars"):
        import polars
        make = polars.DataFrame if hasattr(table, "__arrow_c_stream__") else polars.from_dataframe
        return lambda out: make(table).write_ipc_stream(out)
    raise TypeError("this table needs pyarrow or polars, and neither is installed")


# ---- pandas ---------------------------------------------------------------------------------------------------------

def pandas_writer(table):
    """By pyarrow; without it as JSON lines with a schema of its types. An index with names is part of the table."""
    frame = without_periods(table.to_frame() if not hasattr(table, "columns") else table)
    keep = any(name is not None for name in frame.index.names)
    if has("pyarrow"):
        return lambda out: write_arrow(table_of_pandas(frame, keep), out), "arrow", None
    frame = frame.reset_index(allow_duplicates=True) if keep else frame
    names = [str(name) for name in frame.columns]
    if not len(frame) or len(set(names)) < len(names) or "" in names:  # JSON has no such keys, or none
        return lambda out: frame.to_csv(out, index=False, chunksize=ROWS), "csv", None
    return lambda out: write_json_lines(frame, names, out), "jsonl", schema_of(frame, names)


def without_periods(frame):
    """FRAME with the start of each period, such as a month: pyarrow writes them as numbers of months since 1970."""
    import pandas
    periods = [place for place, dtype in enumerate(frame.dtypes) if isinstance(dtype, pandas.PeriodDtype)]
    is_index = isinstance(frame.index, pandas.PeriodIndex)
    frame = frame.copy(deep=False) if periods or is_index else frame
    for place in periods:
        frame.isetitem(place, frame.iloc[:, place].dt.to_timestamp())
    if is_index:
        frame.index = frame.index.to_timestamp()
    return frame


def table_of_pandas(frame, keep):
    import pyarrow
    try:
        return pyarrow.Table.from_pandas(frame, preserve_index=keep)
    except refusals():
        made, names = plain(frame)
        table = pyarrow.Table.from_pandas(made, preserve_index=keep)
        return table.rename_columns(names + table.column_names[len(names):])


def refusals():
    """What pyarrow raises for a column that Arrow has no type for."""
    import pyarrow
    return pyarrow.ArrowException, TypeError, ValueError, OverflowError


def plain(frame):
    """FRAME in which Arrow has a type for each column, and numbered; and their names, some of which may be the same."""
    columns, names = {}, []
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        columns[place] = next(made for made in plainer(column) if is_arrow(made))
        names.append(str(name))
    return type(frame)(columns, index=frame.index), names


def plainer(column):
    """COLUMN, then what is less and less like it, at last texts."""
    import pandas
    yield column
    if isinstance(column.dtype, pandas.SparseDtype):
        yield column.sparse.to_dense()
    if pandas.api.types.infer_dtype(column, skipna=True) == "integer":  # of more than 64 bits
        yield column.map(decimal.Decimal, na_action="ignore")
    yield column.astype(object).map(text_of, na_action="ignore")


def is_arrow(column):
    import pyarrow
    try:
        pyarrow.Array.from_pandas(column)
        return True
    except refusals():
        return False


# ---- Parquet --------------------------------------------------------------------------------------------------------

def is_parquet(path):
    """Whether PATH is a Parquet file, or a folder of them such as Spark writes."""
    if os.path.isdir(path):
        return any(name.endswith(".parquet") for _, _, names in os.walk(path) for name in names)
    with open(path, "rb") as file:
        return file.read(4) == b"PAR1"


def parquet_writer(path):
    """Of a Parquet file or a folder of them, by pyarrow or polars, whichever is there."""
    path = os.fspath(path)
    if has("pyarrow"):
        return lambda out: parquet_by_pyarrow(path, out)
    if has("polars"):
        import polars
        return lambda out: polars.read_parquet(path).write_ipc_stream(out)
    if has("duckdb"):
        raise TypeError("DuckDB reads Parquet, and writes Arrow only with pyarrow, which is not installed")
    raise TypeError("Parquet needs pyarrow or polars, and neither is installed")


def parquet_by_pyarrow(path, out):
    import pyarrow
    import pyarrow.parquet
    if os.path.isdir(path):
        import pyarrow.dataset
        folder = pyarrow.dataset.dataset(path, format="parquet", partitioning="hive")
        write_arrow(folder.scanner(batch_size=ROWS).to_reader(), out)
        return
    with pyarrow.parquet.ParquetFile(path) as file, pyarrow.ipc.new_stream(out, file.schema_arrow) as stream:
        for batch in file.iter_batches(batch_size=ROWS):
            stream.write_batch(batch)
