/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name that a mistyped one was meant to be.
 *
 *     struct pr_near near = pr_near_to(word);
 *     for (...) pr_near_try(&near, candidate);
 *     if (near.best.bytes) say("did you mean '%.*s'?", (int)near.best.length, near.best.bytes);
 */
#ifndef PR_CAPTURE_BASE_NEAR_H
#define PR_CAPTURE_BASE_NEAR_H

#include <stddef.h>

#include "profrender/string_table.h"

struct pr_near {
    struct pr_text word;
    struct pr_text best; /* borrowed from who tried it; BYTES is NULL: none is like WORD */
    size_t distance;
};

/* A third of the letters of WORD, and one more, may be wrong; case does not matter. */
struct pr_near pr_near_to(struct pr_text word);

void pr_near_try(struct pr_near *near, struct pr_text candidate);

#endif
