/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/contingency.h"

#include <math.h>

struct pr_contingency pr_contingency_of(const uint32_t *counts, unsigned columns, unsigned rows)
{
    struct pr_contingency table = {0};
    double by_column[PR_CODES] = {0}, by_row[PR_CODES] = {0};
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < columns; c++) {
            const uint32_t count = counts[r * columns + c];
            by_column[c] += count;
            by_row[r] += count;
            table.count += count;
        }
    for (unsigned c = 0; c < columns; c++)
        table.columns += by_column[c] > 0;
    for (unsigned r = 0; r < rows; r++)
        table.rows += by_row[r] > 0;
    const double most = table.columns == 2 && table.rows == 2 ? 0.5 : 0; /* Yates's correction */
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < columns; c++) {
            const double expected = by_row[r] * by_column[c] / (double)table.count;
            const double difference = fabs(counts[r * columns + c] - expected);
            if (expected > 0)
                table.chi2 += pow(difference - fmin(most, difference), 2) / expected;
        }
    return table;
}

double pr_cramers_v(const struct pr_contingency *table)
{
    const double others = (double)table->count - 1, r = table->rows, k = table->columns;
    if (table->rows < 2 || table->columns < 2)
        return NAN;
    const double phi2 = fmax(0, table->chi2 / (double)table->count - (r - 1) * (k - 1) / others);
    const double most = fmin(r - (r - 1) * (r - 1) / others, k - (k - 1) * (k - 1) / others) - 1;
    return most > 1e-12 ? sqrt(phi2 / most) : NAN;
}
