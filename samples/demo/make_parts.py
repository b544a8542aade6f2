# SPDX-License-Identifier: Apache-2.0
"""Writes what daily_sales.py reads: parts/*.csv with made-up tills, stores and products, the same for everybody.

    python make_parts.py [FOLDER]
"""

import csv
import random
import sys
from pathlib import Path

STORES = {"north": 14, "east": 11, "south": 16, "west": 9}
PRODUCTS = 240
DAYS = 210
PARTS = 12
ROWS_PER_PART = 60_000


def write_stores(folder: Path) -> list[str]:
    names = [f"{region}-{number:02}" for region, count in STORES.items() for number in range(count)]
    with open(folder / "stores.csv", "w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["store", "region"])
        rows.writerows([name, name.split("-")[0]] for name in names)
    return names


def write_products(folder: Path, chance: random.Random) -> list[float]:
    prices = [round(chance.lognormvariate(2.0, 0.6), 2) for _ in range(PRODUCTS)]
    with open(folder / "products.csv", "w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["product", "list_price", "family"])
        rows.writerows([f"P{i:04}", price, f"family {i % 17}"] for i, price in enumerate(prices))
    return prices


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "parts")
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(2718)
    stores = write_stores(folder)
    prices = write_products(folder, chance)
    for part in range(PARTS):
        with open(folder / f"tills-{part:02}.csv", "w", newline="") as out:
            rows = csv.writer(out)
            rows.writerow(["day", "store", "product", "quantity", "price"])
            for _ in range(ROWS_PER_PART):
                product = min(PRODUCTS - 1, int(chance.expovariate(1 / 60)))
                price = "" if chance.random() < 0.01 else f"{prices[product] * chance.uniform(0.8, 1.05):.2f}"
                quantity = -1 if chance.random() < 0.004 else 1 + int(chance.expovariate(0.9))
                rows.writerow([chance.randrange(DAYS), chance.choice(stores), f"P{product:04}", quantity, price])


if __name__ == "__main__":
    main()
