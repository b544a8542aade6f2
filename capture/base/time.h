/* SPDX-License-Identifier: Apache-2.0 */
/* Units of time in one another. Signed, as times are. */
#ifndef PR_CAPTURE_BASE_TIME_H
#define PR_CAPTURE_BASE_TIME_H

#include <stdint.h>

#define PR_NS_PER_MS INT64_C(1000000)
#define PR_NS_PER_S INT64_C(1000000000)

/* To the nearest millisecond, a half to the later one. */
static inline int64_t pr_nearest_ms(int64_t ns)
{
    const int64_t rest = ns % PR_NS_PER_MS, half = PR_NS_PER_MS / 2;
    return ns / PR_NS_PER_MS + (rest >= half) - (rest < -half);
}

#endif
