# SPDX-License-Identifier: Apache-2.0
"""Makes an Arrow file of two batches with zstd, as pyarrow 26.0.1 wrote it: `python3 make_arrow.py stock.arrow`."""

import datetime
import decimal
import random
import sys

import pyarrow
from pyarrow import ipc

SCHEMA = pyarrow.schema([
    ("item", pyarrow.int32()),
    ("name", pyarrow.string()),
    ("shelf", pyarrow.dictionary(pyarrow.int8(), pyarrow.string())),
    ("price", pyarrow.decimal128(9, 2)),
    ("weight", pyarrow.float32()),
    ("sold", pyarrow.bool_()),
    ("since", pyarrow.date32()),
    ("counted_at", pyarrow.timestamp("us", tz="UTC")),
    ("took", pyarrow.duration("ms")),
    ("barcode", pyarrow.uint64()),
    ("tags", pyarrow.list_(pyarrow.string())),
])


def rows(rng, count):
    start = datetime.datetime(2026, 3, 1, 8, tzinfo=datetime.timezone.utc)
    for number in range(count):
        yield {"item": number, "name": rng.choice(["nail", "Schraube", "écrou", "螺母", None]),
               "shelf": rng.choice(["A1", "A2", "B1"]), "price": decimal.Decimal(rng.randrange(5, 90000)).scaleb(-2),
               "weight": rng.choice([None, float("nan"), round(rng.gauss(2, 0.5), 3)]), "sold": rng.random() < 0.2,
               "since": datetime.date(2025, 1, 1) + datetime.timedelta(days=rng.randrange(400)),
               "counted_at": start + datetime.timedelta(minutes=7 * number, microseconds=number),
               "took": datetime.timedelta(milliseconds=rng.randrange(40000)),
               "barcode": 2**63 + 2 * rng.randrange(2**40) + 1,
               "tags": rng.choice([None, [], ["new"], ["new", "large"]])}


def main():
    table = pyarrow.Table.from_pylist(list(rows(random.Random(26), 120)), SCHEMA)
    with ipc.new_file(sys.argv[1], SCHEMA, options=ipc.IpcWriteOptions(compression="zstd")) as out:
        out.write_table(table, max_chunksize=90)


main()
