/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions of several profiles are the same, where a file has several of one name: methods of two classes,
 * lambdas. Their first lines distinguish them, and an edit of the file moves these.
 *
 *     struct pr_samefunction same = {.count = 0};
 *     pr_samefunction_add(&same, profile, names, numbers);    // [profile->frame_count]
 *     pr_samefunction_clear(&same);
 *
 * One function on each side is the same one, wherever it begins. Of several, those are the same that moved by the same
 * distance, as many as possible; then, in each gap between them, those in the same order if both sides have as many.
 */
#ifndef PR_CAPTURE_COMPOSE_SAME_FUNCTIONS_H
#define PR_CAPTURE_COMPOSE_SAME_FUNCTIONS_H

#include "profrender/profile.h"

struct pr_samefunction {
    struct pr_known_function {
        uint64_t name;
        int32_t begin;   /* its first line, where it was first known; 0 = unknown */
        uint32_t number;
    } *known;            /* [count] by name, then by begin */
    size_t count, capacity;
};

/*
 * Gives each frame of PROFILE the NUMBER of its function, which other profiles have too: 0, 1, ... in the order of
 * first appearance. NAMES: of each frame, the same number for the same name and file in all profiles. False: no memory.
 */
bool pr_samefunction_add(struct pr_samefunction *same, const struct pr_profile *profile, const uint64_t *names,
                         uint32_t *number);
void pr_samefunction_clear(struct pr_samefunction *same);

#endif
