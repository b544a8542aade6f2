/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/base/size_text.h"

#include "capture/base/decimal.h"

#include <inttypes.h>
#include <stdio.h>

struct pr_size_text pr_size_text(uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    struct pr_size_text size;
    double value = (double)bytes;
    size_t unit = 0;
    for (; unit + 1 < sizeof units / sizeof *units && value >= (unit ? 1023.5 : 1024); unit++)
        value /= 1024;
    const int64_t hundredths = pr_double_scaled(value, 100), tenths = pr_double_scaled(value, 10);
    if (!unit || tenths >= 1000)
        snprintf(size.text, sizeof size.text, "%" PRId64 " %s", pr_double_scaled(value, 1), units[unit]);
    else if (hundredths >= 1000)
        snprintf(size.text, sizeof size.text, "%" PRId64 ".%" PRId64 " %s", tenths / 10, tenths % 10, units[unit]);
    else
        snprintf(size.text, sizeof size.text, "%" PRId64 ".%02" PRId64 " %s", hundredths / 100, hundredths % 100,
                 units[unit]);
    return size;
}
