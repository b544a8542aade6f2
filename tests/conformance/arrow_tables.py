# SPDX-License-Identifier: Apache-2.0
"""Writes Arrow files and streams by pyarrow, pandas, polars and DuckDB, and prints what pandas finds in them, as JSON:
`python arrow_tables.py FOLDER`. Runs with the packages of tests/requirements/frames.txt.
"""

import datetime
import decimal
import json
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from frame_truth import column_of, numbers_of

ROWS = 3000
CODECS = (None, "lz4", "zstd")
UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
RNG = np.random.default_rng(3)


def holes(values):
    """Every seventh is missing."""
    return [None if i % 7 == 3 else value for i, value in enumerate(values)]


def whole_numbers(columns):
    for bits in (8, 16, 32, 64):
        columns[f"int{bits}"] = pa.array(holes(RNG.integers(-100, 127, ROWS).tolist()), getattr(pa, f"int{bits}")())
        columns[f"uint{bits}"] = pa.array(holes(RNG.integers(0, 255, ROWS).tolist()), getattr(pa, f"uint{bits}")())
    columns["wide"] = pa.array([2**62 + i // 2 for i in range(ROWS)], pa.int64())
    columns["wide unsigned"] = pa.array([2**64 - 1 - i // 3 for i in range(ROWS)], pa.uint64())


def real_numbers(columns):
    normal = RNG.normal(size=ROWS)
    columns["half"] = pa.array(normal.astype(np.float16))
    columns["single"] = pa.array(holes(normal.tolist()), pa.float32())
    columns["double"] = pa.array(holes((1e4 + normal).tolist()))
    columns["not finite"] = pa.array([[float("inf"), float("nan"), 1.5 * i][i % 3] for i in range(ROWS)])
    for bits, digits, scale in ((32, 7, 2), (64, 15, 3), (128, 30, 4), (256, 60, 25)):
        values = [decimal.Decimal(i * 37 - 5000).scaleb(-scale) for i in range(ROWS)]
        columns[f"decimal{bits}"] = pa.array(holes(values), getattr(pa, f"decimal{bits}")(digits, scale))


def times(columns):
    days = [datetime.date(1969, 1, 1) + datetime.timedelta(days=i % 700) for i in range(ROWS)]
    columns["date32"], columns["date64"] = pa.array(holes(days), pa.date32()), pa.array(holes(days), pa.date64())
    for unit, ticks in UNITS.items():
        moments = pa.array(holes([(1_700_000_000 + i * 3600) * ticks + i % ticks for i in range(ROWS)]), pa.int64())
        columns[f"moment {unit}"] = moments.cast(pa.timestamp(unit))
        columns[f"zone {unit}"] = moments.cast(pa.timestamp(unit, "Europe/Berlin"))
        columns[f"duration {unit}"] = pa.array(holes([(i - 9) * ticks for i in range(ROWS)])).cast(pa.duration(unit))
        small = pa.array(holes([i * 7 * ticks for i in range(ROWS)]), pa.int64())
        columns[f"time {unit}"] = (small.cast(pa.int32()).cast(pa.time32(unit)) if unit in ("s", "ms")
                                   else small.cast(pa.time64(unit)))


def texts(columns):
    words = holes([f"v{i % 50}" if i % 4 else f"a text of more than twelve bytes {i % 9} \u00fc" for i in range(ROWS)])
    for name in ("string", "large_string", "string_view"):
        columns[name] = pa.array(words, getattr(pa, name)())
    for name in ("binary", "large_binary", "binary_view"):
        columns[name] = pa.array([word and word.encode() for word in words], getattr(pa, name)())
    columns["fixed binary"] = pa.array([bytes([i % 256] * 4) for i in range(ROWS)], pa.binary(4))
    columns["boolean"] = pa.array(holes([i % 3 == 0 for i in range(ROWS)]))
    columns["dictionary"] = pa.array(words).dictionary_encode()
    columns["numbers"] = pa.DictionaryArray.from_arrays(pa.array(holes([i % 3 for i in range(ROWS)]), pa.int8()),
                                                        pa.array([10, 20, 30]))
    ends = pa.array([ROWS // 3, ROWS // 2, ROWS], pa.int32())
    columns["runs"] = pa.RunEndEncodedArray.from_arrays(ends, pa.array([1.5, None, 2.5]))
    columns["null"] = pa.nulls(ROWS)


def nested(columns):
    columns["list"] = pa.array(holes([list(range(i % 4)) for i in range(ROWS)]))
    columns["large list"] = pa.array(holes([["a"] * (i % 4) for i in range(ROWS)]), pa.large_list(pa.string()))
    columns["fixed list"] = pa.array(holes([[i % 5, 1.5] for i in range(ROWS)]), pa.list_(pa.float64(), 2))
    columns["list view"] = pa.array(holes([list(range(i % 4)) for i in range(ROWS)]), pa.list_view(pa.int32()))
    columns["struct"] = pa.array(holes([{"a": i % 5, "b": None} for i in range(ROWS)]))
    columns["map"] = pa.array(holes([[("k", i % 5)] for i in range(ROWS)]), pa.map_(pa.string(), pa.int32()))
    kinds = pa.array([i % 2 for i in range(ROWS)], pa.int8())
    halves = pa.array([i // 2 for i in range(ROWS)], pa.int32())
    members = [pa.array(range(ROWS)), pa.array([str(i % 7) for i in range(ROWS)])]
    columns["sparse union"] = pa.UnionArray.from_sparse(kinds, members)
    columns["dense union"] = pa.UnionArray.from_dense(kinds, halves, members)


def all_types():
    columns = {}
    for add in (whole_numbers, real_numbers, times, texts, nested):
        add(columns)
    return pa.table(columns)


def truth_of(column):
    """Of a column of pyarrow, by pandas. Times in microseconds."""
    kind = column.type
    if pa.types.is_temporal(kind):
        whole = column.combine_chunks().cast(pa.int32() if kind.bit_width == 32 else pa.int64()).to_pylist()
        unit = 86_400_000_000 if kind == pa.date32() else 1000 if kind == pa.date64() else 10**6 / UNITS[kind.unit]
        values = pd.Series([None if value is None else value * unit for value in whole], dtype=float)
        return {**column_of(values), "distinct": len({value for value in whole if value is not None})}
    values = [None if value != value else value for value in column.to_pylist()]
    known = [value for value in values if value is not None]
    numeric = all(isinstance(v, (int, float, decimal.Decimal)) and not isinstance(v, bool) for v in known) and known
    counts = pd.Series([repr(value) for value in known], dtype=object).value_counts()
    return {"missing": len(values) - len(known), "distinct": len(counts),
            "highest_count": int(counts.iloc[0]) if len(counts) else 0,
            "numbers": numbers_of(pd.Series([float(v) for v in known])) if numeric else None}


def by_pyarrow(folder, table):
    written = {}
    truth = {"rows": table.num_rows, "columns": {name: truth_of(table[name]) for name in table.column_names}}
    for codec in CODECS:
        for kind, new in (("stream", pa.ipc.new_stream), ("file", pa.ipc.new_file)):
            path = folder / f"pyarrow-{kind}-{codec}.arrow"
            with new(path, table.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as out:
                out.write_table(table, max_chunksize=700)
            written[path.name] = truth
    return written


def small_frame():
    count = 2000
    return pd.DataFrame({
        "id": np.arange(count), "normal": RNG.normal(size=count), "flag": RNG.random(count) > .3,
        "moment": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(count), "min"),
        "name": [f"n{i % 40}" for i in range(count)], "kind": pd.Categorical([f"c{i % 4}" for i in range(count)]),
        "holes": holes([i * 1.5 for i in range(count)]),
        "whole": pd.array([None if i % 9 == 0 else i for i in range(count)], "Int64")})


def by_others(folder, frame):
    frame.to_feather(folder / "pandas.feather")
    frame.to_feather(folder / "pandas-zstd.feather", compression="zstd")
    for codec in ("uncompressed", "lz4", "zstd"):
        pl.from_pandas(frame).write_ipc(folder / f"polars-file-{codec}.arrow", compression=codec)
        pl.from_pandas(frame).write_ipc_stream(folder / f"polars-stream-{codec}.arrow", compression=codec)
    reader = duckdb.sql("select * from frame").to_arrow_reader(300)
    with pa.ipc.new_stream(folder / "duckdb-stream.arrow", reader.schema) as out:
        for batch in reader:
            out.write_batch(batch)
    table = pa.Table.from_pandas(frame)
    truth = {"rows": len(frame), "columns": {name: truth_of(table[name]) for name in frame.columns}}
    names = [path.name for path in folder.iterdir() if path.name.startswith(("pandas", "polars", "duckdb"))]
    return {name: truth for name in names}


def grown_dictionary(folder):
    """A dictionary that grows by deltas, one that is replaced, and batches of one row."""
    path, schema = folder / "deltas.arrow", pa.schema([("word", pa.dictionary(pa.int8(), pa.string()))])
    words = ["a", "b", "a", "c", "b", "d", None]
    with pa.ipc.new_stream(path, schema, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as out:
        for end in range(1, len(words) + 1):
            known = sorted({word for word in words[:end] if word})
            index = pa.array([known.index(words[end - 1]) if words[end - 1] else None], pa.int8())
            out.write_batch(pa.record_batch([pa.DictionaryArray.from_arrays(index, pa.array(known))], schema=schema))
    return {path.name: {"rows": len(words), "columns": {"word": truth_of(pa.chunked_array([pa.array(words)]))}}}


if __name__ == "__main__":
    target = Path(sys.argv[1])
    everything = [by_pyarrow(target, all_types()), by_others(target, small_frame()), grown_dictionary(target)]
    print(json.dumps({name: truth for part in everything for name, truth in part.items()}))
