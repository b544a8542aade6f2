# SPDX-License-Identifier: Apache-2.0
"""A frame of pandas as JSON lines, with a schema of its types: for where there is no pyarrow to write it as Arrow.

Numbers keep all their digits, and the word "NA" is not a missing value, as it would be in CSV.
"""

import json
import math

ROWS = 8192  # of a part
TYPES = {"b": "boolean", "i": "integer", "u": "integer", "f": "real", "M": "moment",
         "m": "duration"}  # by dtype.kind
OBJECTS = {"boolean": "boolean", "integer": "integer", "floating": "real", "mixed-integer-float": "real",
           "decimal": "real", "date": "date", "datetime": "moment", "datetime64": "moment", "time": "time",
           "timedelta": "duration", "timedelta64": "duration"}


def schema_of(frame, names):
    return {name: type_of(frame.iloc[:, place]) for place, name in enumerate(names)}


def type_of(column):
    import pandas
    dtype = column.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        return "category"
    if isinstance(dtype, pandas.DatetimeTZDtype):
        return "moment"
    if dtype.kind in TYPES:
        return TYPES[dtype.kind]
    if all(isinstance(value, (list, dict, tuple)) for value in column.dropna()) and column.notna().any():
        return "nested"
    return OBJECTS.get(pandas.api.types.infer_dtype(column, skipna=True), "string")


def write_json_lines(frame, names, out):
    keys = [json.dumps(name) for name in names]
    kinds = [type_of(frame.iloc[:, place]) for place in range(len(names))]
    for start in range(0, len(frame), ROWS):
        part = frame.iloc[start:start + ROWS]
        columns = [values(part.iloc[:, place], kind) for place, kind in enumerate(kinds)]
        lines = ("{" + ",".join(map("%s:%s".__mod__, zip(keys, row))) + "}\n" for row in zip(*columns))
        out.write("".join(lines).encode("utf-8", "surrogatepass"))


def values(column, kind):
    """The JSON of each value."""
    put = {"real": real, "integer": str, "boolean": lambda value: "true" if value else "false",
           "nested": lambda value: json.dumps(value, default=str)}.get(kind, text)
    return ["null" if gone else put(value) for value, gone in zip(column.array, column.isna())]


def real(value):
    value = float(value)
    return repr(value) if math.isfinite(value) else json.dumps(str(value))


def text(value):
    return json.dumps(value if isinstance(value, str) else str(value) if kept(value) else repr(value))


def kept(value):
    """Whether str() of VALUE is it: of dates and times, and numbers."""
    return type(value).__module__.partition(".")[0] in ("builtins", "datetime", "decimal", "numpy", "pandas")
