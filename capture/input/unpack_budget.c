/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/input/unpack_budget.h"

#include <inttypes.h>

/* Below this no ratio is enforced: unpacked in a second or two. */
#define FREE_BYTES (UINT64_C(256) << 20)

struct pr_unpack_budget pr_unpack_budget_of(const struct pr_limits *limits)
{
    return (struct pr_unpack_budget){.max_bytes = limits->max_unpacked_bytes, .max_ratio = limits->max_unpack_ratio};
}

bool pr_unpack_budget_spend(struct pr_unpack_budget *budget, uint64_t count, uint64_t offset, struct pr_error *err)
{
    uint64_t most;
    budget->unpacked_bytes += count;
    if (budget->unpacked_bytes > budget->max_bytes) {
        pr_cut(err, PR_ERR_UNPACKED, offset, NULL, "it unpacks to more than the limit of %" PRIu64 " bytes",
               budget->max_bytes);
        return false;
    }
    if (budget->unpacked_bytes <= FREE_BYTES || __builtin_mul_overflow(budget->read_bytes, budget->max_ratio, &most) ||
        budget->unpacked_bytes <= most)
        return true;
    pr_cut(err, PR_ERR_UNPACKED, offset, NULL,
           "it unpacks to more than %" PRIu64 " times its size: %" PRIu64 " bytes so far, out of %" PRIu64,
           budget->max_ratio, budget->unpacked_bytes, budget->read_bytes);
    return false;
}
