# SPDX-License-Identifier: Apache-2.0
"""A linear forecast for each store, by gradient descent; a thread for each region."""

import threading

import numpy as np
import pandas as pd

TRAINING_DAYS = 60
HORIZONS = (1, 7, 14)
STEPS = 120
RATE = 0.01

_slices: dict[tuple[str, int], np.ndarray] = {}  # kept for "the next call", which never comes


def training_slice(store: str, rows: np.ndarray, matrix: np.ndarray, horizon: int) -> np.ndarray:
    key = (store, horizon)
    if key not in _slices:
        _slices[key] = matrix[rows, -TRAINING_DAYS - horizon : -horizon].reshape(-1, matrix.shape[2]).copy()
    return _slices[key]


def fit(sample: np.ndarray) -> np.ndarray:
    past, today = sample[:, :-1], sample[:, -1]
    weights = np.zeros(past.shape[1])
    for _ in range(STEPS):
        missing = today - np.einsum("ij,j->i", past, weights)
        weights += RATE * np.einsum("ij,i->j", past, missing) / len(today)
    return weights


def store_forecast(store: str, rows: np.ndarray, matrix: np.ndarray) -> list[float]:
    latest = matrix[rows, -1, 1:]
    return [float((latest @ fit(training_slice(store, rows, matrix, horizon))).sum()) for horizon in HORIZONS]


def region(stores: list[str], daily: pd.DataFrame, matrix: np.ndarray, forecasts: dict[str, list[float]]) -> None:
    names = daily.index.get_level_values("store")
    for store in stores:
        forecasts[store] = store_forecast(store, np.flatnonzero(names == store), matrix)


def all_regions(daily: pd.DataFrame, matrix: np.ndarray) -> dict[str, list[float]]:
    stores = sorted(set(daily.index.get_level_values("store")))
    forecasts: dict[str, list[float]] = {}
    threads = []
    for name in sorted({store.split("-")[0] for store in stores}):
        mine = [store for store in stores if store.startswith(name)]
        threads.append(threading.Thread(target=region, name=f"forecast-{name}", args=(mine, daily, matrix, forecasts)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return forecasts
