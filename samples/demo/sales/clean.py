# SPDX-License-Identifier: Apache-2.0
"""Tills, stores and products become one table of sales."""

import pandas as pd


def without_returns(tills: pd.DataFrame) -> pd.DataFrame:
    return tills[tills["quantity"] > 0]


def with_prices(tills: pd.DataFrame, products: pd.DataFrame) -> pd.DataFrame:
    joined = tills.merge(products, on="product", how="left")
    joined["price"] = joined["price"].fillna(joined["list_price"])
    return joined.drop(columns=["list_price"])


def with_regions(tills: pd.DataFrame, stores: pd.DataFrame) -> pd.DataFrame:
    return tills.merge(stores, on="store", how="left")


def sales(tills: pd.DataFrame, stores: pd.DataFrame, products: pd.DataFrame) -> pd.DataFrame:
    table = with_regions(with_prices(without_returns(tills), products), stores)
    table["revenue"] = table["quantity"] * table["price"]
    for name in ("store", "product", "region", "family"):
        table[name] = table[name].astype("category")
    return table
