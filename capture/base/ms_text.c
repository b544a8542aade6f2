/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/base/ms_text.h"

#include "capture/base/time.h"

#include <inttypes.h>
#include <stdio.h>

struct pr_ms_text pr_ms_text(int64_t ns)
{
    enum { ROUNDED_US = 100 * 1000 };
    struct pr_ms_text span;
    const int64_t us = ns / 1000 + (ns % 1000 >= 500);
    if (us >= ROUNDED_US)
        snprintf(span.text, sizeof span.text, "%" PRId64 " ms", pr_nearest_ms(ns));
    else if (us % 1000)
        snprintf(span.text, sizeof span.text, "%" PRId64 ".%03" PRId64 " ms", us / 1000, us % 1000);
    else
        snprintf(span.text, sizeof span.text, "%" PRId64 " ms", us / 1000);
    return span;
}
