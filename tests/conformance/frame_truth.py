# SPDX-License-Identifier: Apache-2.0
"""What pandas finds in tables, as JSON on stdout: `python frame_truth.py '[{"path": ..., "separator": ...}]'`.

Runs with the packages of tests/requirements/frames.txt. NaN is null.
"""

import collections
import json
import string
import sys

import numpy as np
import pandas as pd

RANKS = {"min": 0, "1%": .01, "5%": .05, "25%": .25, "50%": .5, "75%": .75, "95%": .95, "99%": .99, "max": 1}


def number(value):
    return None if pd.isna(value) or np.isinf(value) else float(value)


def numbers_of(values):
    finite = values.dropna().astype(float)
    finite = finite[np.isfinite(finite)]
    return {"mean": number(finite.mean()), "sum": number(finite.sum()), "std": number(finite.std()),
            "variance": number(finite.var()), "skewness": number(finite.skew()), "kurtosis": number(finite.kurt()),
            "range": number(finite.max() - finite.min()), "iqr": number(finite.quantile(.75) - finite.quantile(.25)),
            "mad": number((finite - finite.median()).abs().median()),
            "cv": number(finite.std() / finite.mean()) if len(finite) and finite.mean() else None,
            "quantiles": {name: number(finite.quantile(rank)) if len(finite) else None for name, rank in RANKS.items()}}


def order_of(values):
    values = values.dropna()
    up, down = values.is_monotonic_increasing, values.is_monotonic_decreasing
    if up == down:
        return "constant" if up and len(values) else "none" if len(values) else None
    return ("strictly " if values.is_unique else "") + ("increasing" if up else "decreasing")


def words_of(values):
    """As ydata-profiling counts them in word_summary_vc."""
    words = values.dropna().astype(str).str.lower().str.split().explode().str.strip(string.punctuation)
    counts = words[words != ""].value_counts()
    return int(counts.sum()), {word: int(count) for word, count in counts.head(40).items()}


def characters_of(values):
    """As ydata-profiling counts them in unicode_summary_vc and length_summary_vc."""
    texts = values.dropna().astype(str)
    counts = collections.Counter("".join(texts))
    return {"median": number(texts.str.len().median()), "different": len(counts), "counts": dict(counts)}


def column_of(values):
    counts = values.value_counts()
    is_number = pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)
    return {"missing": int(values.isna().sum()), "distinct": int(values.nunique()),
            "highest_count": int(counts.iloc[0]) if len(counts) else 0,
            "order": order_of(values) if is_number else None,
            "characters": None if is_number or pd.api.types.is_bool_dtype(values) else characters_of(values),
            "words": None if is_number or pd.api.types.is_bool_dtype(values) else words_of(values),
            "numbers": numbers_of(values) if is_number and values.notna().any() else None}


def groups_of(table):
    """How often the ten most frequent of the rows are there that are there more than once."""
    again = table[table.duplicated(keep=False)].set_axis(range(table.shape[1]), axis=1)
    sizes = again.groupby(list(again.columns), dropna=False).size() if len(again) else []
    return sorted((int(size) for size in sizes), reverse=True)[:10]


def table_of(path, separator, header, encoding):
    table = pd.read_csv(path, sep=separator, header=0 if header else None, encoding=encoding, index_col=False,
                        float_precision="round_trip", low_memory=False)
    numeric = [c for c in range(table.shape[1])
               if pd.api.types.is_numeric_dtype(table.iloc[:, c]) and not pd.api.types.is_bool_dtype(table.iloc[:, c])]
    finite = table.iloc[:, numeric].astype(float).replace([np.inf, -np.inf], np.nan)
    pearson = finite.corr().to_numpy()
    spearman = finite.corr(method="spearman").to_numpy()
    kendall = finite.corr(method="kendall").to_numpy()
    return {"rows": len(table), "repeated": int(table.duplicated().sum()), "groups": groups_of(table),
            "columns": [column_of(table.iloc[:, c]) for c in range(table.shape[1])], "numeric": numeric,
            "pearson": [[number(r) for r in row] for row in pearson],
            "spearman": [[number(r) for r in row] for row in spearman],
            "kendall": [[number(r) for r in row] for row in kendall]}


if __name__ == "__main__":
    print(json.dumps([table_of(**one) for one in json.loads(sys.argv[1])]))
