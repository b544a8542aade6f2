/* SPDX-License-Identifier: Apache-2.0 */
/* A constant is only skipped here, and read when something refers to it. */
#include "capture/jfr/jfr_pools.h"

#include "capture/base/checked.h"

static bool add(struct pr_jfr_pools *pools, uint64_t type_id, int64_t key, struct pr_jfr_bytes at)
{
    const uint64_t pair[2] = {type_id, (uint64_t)key};
    const bool room = pr_grow(&pools->at, &pools->capacity, pools->keys.count + (size_t)1, sizeof *pools->at);
    const uint32_t number = room ? pr_idset_add(&pools->keys, pair, 2) : PR_NO_ID;
    pools->no_memory |= number == PR_NO_ID;
    if (number != PR_NO_ID)
        pools->at[number] = at;
    return number != PR_NO_ID;
}

static bool add_pool(struct pr_jfr_pools *pools, const struct pr_jfr_types *types, struct pr_jfr_bytes *bytes)
{
    const uint64_t id = (uint64_t)pr_jfr_integer(bytes, 8);
    const uint32_t type = pr_jfr_type_by_id(types, id), count = pr_jfr_count(bytes);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t key = pr_jfr_integer(bytes, 8);
        const struct pr_jfr_bytes at = *bytes;
        pr_jfr_skip_value(types, type, bytes);
        if (bytes->failed || !add(pools, id, key, at))
            return false;
    }
    return !bytes->failed;
}

bool pr_jfr_pools_add(struct pr_jfr_pools *pools, const struct pr_jfr_types *types, struct pr_jfr_bytes bytes)
{
    pools->keys.words = 2;
    for (unsigned i = 0; i < 3; i++) /* start, duration, distance */
        pr_jfr_integer(&bytes, 8);
    pr_jfr_u8(&bytes); /* flags */
    const uint32_t count = pr_jfr_count(&bytes);
    for (uint32_t i = 0; i < count; i++)
        if (!add_pool(pools, types, &bytes))
            return false;
    return !bytes.failed;
}

bool pr_jfr_pools_find(const struct pr_jfr_pools *pools, uint64_t type_id, int64_t key, struct pr_jfr_bytes *at)
{
    const uint64_t pair[2] = {type_id, (uint64_t)key};
    const uint32_t number = pr_idset_find(&pools->keys, pair, 2);
    if (number != PR_NO_ID)
        *at = pools->at[number];
    return number != PR_NO_ID;
}

bool pr_jfr_constant(const struct pr_jfr_pools *pools, const struct pr_jfr_types *types, uint32_t type, int64_t key,
                     struct pr_jfr_value *values)
{
    struct pr_jfr_bytes at;
    if (type == PR_NO_ID || !pr_jfr_pools_find(pools, types->types[type].id, key, &at))
        return false;
    pr_jfr_values(types, type, &at, values);
    return !at.failed;
}

void pr_jfr_pools_clear(struct pr_jfr_pools *pools)
{
    pr_idset_clear(&pools->keys);
    free(pools->at);
    *pools = (struct pr_jfr_pools){.keys = {.words = 2}};
}
