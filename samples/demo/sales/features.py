# SPDX-License-Identifier: Apache-2.0
"""What the forecast learns from: revenue by day, store and family, and its past."""

import numpy as np
import pandas as pd

LAGS = 84


def daily(sales: pd.DataFrame) -> pd.DataFrame:
    grouped = sales.groupby(["store", "family", "day"], observed=True)["revenue"].sum()
    return grouped.unstack("day", fill_value=0.0)


def scaled(values: np.ndarray) -> np.ndarray:
    mean = values.mean(axis=1, keepdims=True)
    spread = values.std(axis=1, keepdims=True)
    return (values - mean) / np.where(spread > 0, spread, 1.0)


def without_weekdays(stacked: np.ndarray) -> None:
    for weekday in range(7):
        days = stacked[:, weekday::7]
        days -= np.median(days, axis=1, keepdims=True)


def lag_matrix(daily: pd.DataFrame) -> np.ndarray:
    """One row for each series and day, one column for each of the LAGS days before it."""
    values = scaled(daily.to_numpy())
    lags = [values[:, shift : values.shape[1] - LAGS + shift].copy() for shift in range(LAGS + 1)]
    stacked = np.stack(lags, axis=-1)
    without_weekdays(stacked)
    return np.nan_to_num(stacked)
