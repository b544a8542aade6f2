/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/nettrace/nettrace.h"

void pr_nettrace_damaged(struct pr_nettrace *r, const struct pr_nettrace_bytes *rest)
{
    if (!r->block.is_cut)
        pr_build_damage_at(&r->c, PR_DAMAGE_RECORDS, r->block.offset + (uint64_t)(rest->at - r->block.bytes.at));
}
