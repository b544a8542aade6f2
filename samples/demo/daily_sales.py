# SPDX-License-Identifier: Apache-2.0
"""Last night's tills become this morning's forecast: load, clean, features, forecast, report.

    python daily_sales.py --parts parts --report report.html

Three things are wrong with its memory, as they would be in a real job: the tills are kept until the report, which only
counts their returns; `features.lag_matrix` builds all lags of all stores at once (together, the peak); and `forecast`
keeps a copy of every slice that it was ever asked for (the leak).
"""

import argparse
from pathlib import Path

from sales import clean, features, forecast, load, report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", type=Path, default=Path("parts"))
    parser.add_argument("--report", type=Path, default=Path("report.html"))
    options = parser.parse_args()

    tills = load.tills(options.parts)
    sales = clean.sales(tills, load.stores(options.parts), load.products(options.parts))
    daily = features.daily(sales)
    matrix = features.lag_matrix(daily)
    forecasts = forecast.all_regions(daily, matrix)
    del matrix
    report.write(options.report, daily, forecasts, report.returns(tills), report.best_sellers(sales))


if __name__ == "__main__":
    main()
