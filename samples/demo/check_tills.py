# SPDX-License-Identifier: Apache-2.0
"""Last night's tills, read by two processes and summed up by store; a row that cannot be one stops the job.

    python check_tills.py parts
"""

import csv
import multiprocessing
import sys
from collections import Counter
from pathlib import Path


def read_row(row: list[str]) -> tuple[int, str, str, int, float]:
    day, store, product, quantity, price = row
    return int(day), store, product, int(quantity), float(price or 0)


def read_part(path: Path) -> list[tuple[int, str, str, int, float]]:
    with open(path, newline="") as file:
        rows = csv.reader(file)
        next(rows)
        return [read_row(row) for row in rows]


def turnover(tills: list[tuple[int, str, str, int, float]]) -> Counter[str]:
    stores: Counter[str] = Counter()
    for _, store, _, quantity, price in tills:
        stores[store] += round(quantity * price * 100)
    return stores


def main() -> None:
    paths = sorted(Path(sys.argv[1]).glob("tills-*.csv"))
    tills, stores = [], Counter()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for path, part in zip(paths, pool.imap(read_part, paths)):
            print(f"{path}: {len(part)} rows", file=sys.stderr)
            stores.update(turnover(part))
            tills += part
    for store, cents in stores.most_common(10):
        print(f"{store} {cents / 100:.2f}")


if __name__ == "__main__":
    main()
