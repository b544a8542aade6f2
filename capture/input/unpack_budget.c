/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/input/unpack_budget.h"

#include <inttypes.h>

/* Below this no ratio is enforced: unpacked in a second or two. */
#define FREE_BYTES (UINT64_C(256) << 20)

struct pr_unpack_budget pr_unpack_budget_of(const struct pr_limits *limits)
{
    return (struct pr_unpack_budget){.max_bytes = limits->max_unpacked_bytes, .max_ratio = limits->max_unpack_ratio};
}

/* By how many bytes this is above the ratio. */
static uint64_t over_ratio(const struct pr_unpack_budget *budget)
{
    uint64_t most;
    if (__builtin_mul_overflow(budget->read_bytes, budget->max_ratio, &most) || budget->unpacked_bytes <= most)
        return 0;
    return budget->unpacked_bytes - most;
}

bool pr_unpack_budget_spend(struct pr_unpack_budget *budget, uint64_t count, uint64_t offset, struct pr_error *err)
{
    budget->unpacked_bytes += count;
    const uint64_t over = over_ratio(budget);
    budget->over_ratio = over > budget->over_ratio ? over : budget->over_ratio;
    if (budget->unpacked_bytes > budget->max_bytes) {
        pr_cut(err, PR_ERR_UNPACKED, offset, NULL, "it unpacks to more than the limit of %" PRIu64 " bytes",
               budget->max_bytes);
        return false;
    }
    if (budget->unpacked_bytes <= FREE_BYTES || !over)
        return true;
    pr_cut(err, PR_ERR_UNPACKED, offset, NULL,
           "it unpacks to more than %" PRIu64 " times its size: %" PRIu64 " bytes so far, out of %" PRIu64,
           budget->max_ratio, budget->unpacked_bytes, budget->read_bytes);
    return false;
}

bool pr_unpack_budget_add(struct pr_unpack_budget *budget, const struct pr_unpack_budget *part)
{
    struct pr_unpack_budget whole = *budget;
    if (__builtin_add_overflow(whole.unpacked_bytes, part->unpacked_bytes, &whole.unpacked_bytes) ||
        __builtin_add_overflow(whole.read_bytes, part->read_bytes, &whole.read_bytes) ||
        whole.unpacked_bytes > whole.max_bytes)
        return false;
    /* Where neither was ever above the ratio, nor were both together. */
    if (whole.unpacked_bytes > FREE_BYTES && (over_ratio(budget) || part->over_ratio))
        return false;
    *budget = whole;
    return true;
}
