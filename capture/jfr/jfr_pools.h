/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The constants of a chunk: where each is, by type and key. An event of constants has its start, duration, the distance
 * to the one before, flags, and pools: a type, a count, then keys with values. Each has what is new since the one
 * before it; all of a chunk together are what its events refer to, and nothing refers to another chunk's.
 *
 * Source: OpenJDK 17 to 25, jdk/jfr/internal/consumer/ChunkParser.java, fillConstantPools.
 */
#ifndef PR_CAPTURE_JFR_JFR_POOLS_H
#define PR_CAPTURE_JFR_JFR_POOLS_H

#include "capture/jfr/jfr_types.h"

struct pr_jfr_pools {
    struct pr_idset keys;     /* type id, key */
    struct pr_jfr_bytes *at;  /* [keys.count] where the value begins */
    size_t capacity;
    bool no_memory;
};

/* Adds the constants of the event at BYTES. False: not all of it could be read, or no_memory. */
bool pr_jfr_pools_add(struct pr_jfr_pools *pools, const struct pr_jfr_types *types, struct pr_jfr_bytes bytes);

/* Where the constant is. False: there is none. */
bool pr_jfr_pools_find(const struct pr_jfr_pools *pools, uint64_t type_id, int64_t key, struct pr_jfr_bytes *at);

/* Reads the fields of the constant KEY of TYPE, as pr_jfr_values. False: there is none, or it cannot be read. */
bool pr_jfr_constant(const struct pr_jfr_pools *pools, const struct pr_jfr_types *types, uint32_t type, int64_t key,
                     struct pr_jfr_value *values);

void pr_jfr_pools_clear(struct pr_jfr_pools *pools);

#endif
