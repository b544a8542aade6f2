/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers that may be unknown.
 *
 *     if (meta->start_ms.known)
 *         print(meta->start_ms.value);
 *
 * Stable: changes with the number of the shared library only.
 */
#ifndef PR_API_MAYBE_H
#define PR_API_MAYBE_H

#include "profrender/error.h"

#include <stdbool.h>
#include <stdint.h>

PR_DECLS_BEGIN

/* A value with a known/unknown mark: unknown is never shown as 0. */
struct pr_maybe {
    bool known;
    int64_t value;
};

/* VALUE in smaller units, FACTOR of which make one; unknown where that is below 0 or does not fit. */
static inline struct pr_maybe pr_maybe_times(struct pr_maybe value, int64_t factor)
{
    int64_t product = 0;
    const bool fits = value.value >= 0 && !__builtin_mul_overflow(value.value, factor, &product);
    const struct pr_maybe result = {value.known && fits, fits ? product : 0};
    return result;
}

PR_DECLS_END

#endif
