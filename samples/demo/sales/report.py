# SPDX-License-Identifier: Apache-2.0
"""The page that the buyers read at seven."""

from html import escape
from pathlib import Path

import pandas as pd


def row(store: str, revenue: float, forecast: list[float]) -> str:
    cells = "".join(f"<td>{value:,.2f}</td>" for value in [revenue, *forecast])
    return f"<tr><th>{escape(store)}</th>{cells}</tr>\n"


def chart(values: list[float]) -> str:
    top = max(values) or 1.0
    points = " ".join(f"{day},{40 - 40 * value / top:.1f}" for day, value in enumerate(values))
    return f'<svg viewBox="0 0 {len(values)} 40"><polyline points="{points}"/></svg>\n'


def returns(tills: pd.DataFrame) -> int:
    return int((tills["quantity"] < 0).sum())


def best_sellers(sales: pd.DataFrame) -> pd.Series:
    return sales.groupby("product", observed=True)["revenue"].sum().nlargest(10)


def write(path: Path, daily: pd.DataFrame, forecasts: dict[str, list[float]], returned: int, best: pd.Series) -> None:
    by_store = daily.groupby(level="store", observed=True).sum()
    page = f"<!doctype html><title>Sales</title><p>{returned} returns; best: {', '.join(best.index)}<table>\n"
    for store, series in by_store.iterrows():
        page += row(str(store), float(series.sum()), forecasts[str(store)])
    page += "</table>\n"
    for _, series in by_store.iterrows():
        page += chart(series.tolist())
    path.write_text(page)
