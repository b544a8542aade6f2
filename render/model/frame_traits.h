/* SPDX-License-Identifier: Apache-2.0 */
/* Kind, owner and role of every frame, found once: deciding them takes comparisons of paths. */
#ifndef PR_RENDER_MODEL_FRAME_TRAITS_H
#define PR_RENDER_MODEL_FRAME_TRAITS_H

#include "profrender/owner.h"

struct pr_traits {
    uint8_t *of; /* [frame_count]: the bits of `frames.kind` in doc/formats/payload.md */
};

enum { PR_TRAIT_RUNNER = 1 << 5, PR_TRAIT_IMPORT = 1 << 6, PR_TRAIT_START = 1 << 7 };

/*
 * With a ROOT, which may be NULL, the user's own code is what is below it and not installed there.
 *
 * Owner:  pr_traits_clear.
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_traits_make(const struct pr_profile *profile, const char *root, struct pr_traits *traits,
                              struct pr_error *err);
void pr_traits_clear(struct pr_traits *traits);

/* Whose script FILE is; for frames of the profile the traits know it. */
enum pr_owner pr_traits_owner_of_file(const struct pr_profile *profile, const char *root, struct pr_text file);

static inline enum pr_owner pr_traits_owner(const struct pr_traits *traits, pr_frame_id frame)
{
    return (enum pr_owner)(traits->of[frame] >> 2 & 7);
}

static inline bool pr_traits_is_runner(const struct pr_traits *traits, pr_frame_id frame)
{
    return traits->of[frame] & PR_TRAIT_RUNNER;
}

/* The user's own code, except what only starts it. */
static inline bool pr_traits_is_own(const struct pr_traits *traits, pr_frame_id frame)
{
    return pr_traits_owner(traits, frame) == PR_OWNER_MINE && !pr_traits_is_runner(traits, frame);
}

#endif
