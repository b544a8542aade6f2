# SPDX-License-Identifier: Apache-2.0
"""Reads the parts, several at a time."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd

COLUMNS = {"day": "int32", "store": "str", "product": "str", "quantity": "int32", "price": "float64"}


def stores(folder: Path) -> pd.DataFrame:
    return pd.read_csv(folder / "stores.csv")


def products(folder: Path) -> pd.DataFrame:
    return pd.read_csv(folder / "products.csv")


def read_part(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=COLUMNS)


def tills(folder: Path) -> pd.DataFrame:
    paths = sorted(folder.glob("tills-*.csv"))
    with ThreadPoolExecutor(max_workers=2, thread_name_prefix="load") as pool:
        parts = list(pool.map(read_part, paths))
    return pd.concat(parts, ignore_index=True)
