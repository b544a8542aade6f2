/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much unpacking a load may cost: one budget for all its files and all their layers, since a bomb may consist of
 * many small ones, or of layers whose outermost gives nothing.
 */
#ifndef PR_CAPTURE_INPUT_UNPACK_BUDGET_H
#define PR_CAPTURE_INPUT_UNPACK_BUDGET_H

#include "profrender/load_options.h"

struct pr_unpack_budget {
    uint64_t max_bytes, max_ratio; /* as of pr_limits */
    uint64_t read_bytes;           /* of files, as stored */
    uint64_t unpacked_bytes;       /* by all layers */
    uint64_t over_ratio;           /* the most bytes by which these were ever above max_ratio times read_bytes */
};

struct pr_unpack_budget pr_unpack_budget_of(const struct pr_limits *limits);

/* COUNT more bytes were unpacked. False: over the budget; ERR, for a stream that ends at OFFSET, says so. */
bool pr_unpack_budget_spend(struct pr_unpack_budget *budget, uint64_t count, uint64_t offset, struct pr_error *err);

/*
 * Adds what a part of the load cost that had a budget of the same limits for itself, and stayed within that. False: in
 * its turn it may have gone over this one, which is unchanged; it is to be read with this one instead.
 */
bool pr_unpack_budget_add(struct pr_unpack_budget *budget, const struct pr_unpack_budget *part);

#endif
