# SPDX-License-Identifier: Apache-2.0
"""What phik and scipy find in pairs of columns, as JSON on stdout: `python frame_pairs_truth.py '[{"path": ...}]'`.

Runs with the packages of tests/requirements/frames.txt. NaN is null.
"""

import json
import sys
import warnings

import numpy as np
import pandas as pd
from phik import phik_matrix
from scipy import stats


def cramers_v(one, other):
    """As ydata-profiling computes it in `_cramers_corrected_stat`; null where the highest value is that of chance."""
    table = pd.crosstab(one, other)
    if min(table.shape) < 2:
        return None
    count, (rows, columns) = table.to_numpy().sum(), table.shape
    phi2 = stats.chi2_contingency(table, correction=True)[0] / count - (rows - 1) * (columns - 1) / (count - 1)
    most = min(size - (size - 1) ** 2 / (count - 1) for size in (rows, columns)) - 1
    return float(np.sqrt(max(0, phi2) / most)) if most > 1e-12 else None


def matrix_of_phi_k(table, numbers):
    if table.shape[1] < 2:
        return [[1.0] * table.shape[1]] * table.shape[1]
    found = phik_matrix(table, interval_cols=numbers, njobs=1, verbose=False)
    found = found.reindex(index=table.columns, columns=table.columns).to_numpy()
    return [[None if np.isnan(value) else float(value) for value in row] for row in found]


def table_of(path, separator, header, encoding, categories, measured, numbers):
    table = pd.read_csv(path, sep=separator, header=0 if header else None, encoding=encoding, index_col=False,
                        float_precision="round_trip", low_memory=False).replace([np.inf, -np.inf], np.nan)
    table.columns = range(table.shape[1])
    return {"cramers_v": [[cramers_v(table[a], table[b]) for a in categories] for b in categories],
            "phi_k": matrix_of_phi_k(table[measured], numbers)}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps([table_of(**one) for one in json.loads(sys.argv[1])]))
