/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/base/slope.h"

#include "capture/base/sort.h"

#include <assert.h>

static int compare(const void *a, const void *b, const void *context)
{
    const double *x = a, *y = b;
    (void)context;
    return PR_ORDER(*x, *y);
}

bool pr_slope_find(const double *values, size_t count, double *slope)
{
    double slopes[PR_SLOPE_MOST_POINTS * (PR_SLOPE_MOST_POINTS - 1) / 2];
    size_t found = 0;
    assert(count <= PR_SLOPE_MOST_POINTS);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++)
            slopes[found++] = (values[k] - values[i]) / (double)(k - i);
    }
    if (!pr_sort(slopes, found, sizeof *slopes, compare, NULL))
        return false;
    *slope = found ? slopes[found / 2] : 0;
    return true;
}
