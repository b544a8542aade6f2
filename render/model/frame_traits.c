/* SPDX-License-Identifier: Apache-2.0 */
/* Packs what profrender/owner.h says about each frame into a byte. */
#include "render/model/frame_traits.h"

#include "capture/model/own_root.h"

#include <stdlib.h>

enum pr_owner pr_traits_owner_of_file(const struct pr_profile *profile, const char *root, struct pr_text file)
{
    return pr_owner_below(profile, root, file, pr_owner_of_file(profile, file));
}

static uint8_t traits_of(const struct pr_profile *profile, const char *root, pr_frame_id frame)
{
    unsigned role = pr_role_of(profile, frame);
    unsigned bits = (profile->frames[frame].kind & 3u) | (unsigned)pr_owner_with_root(profile, root, frame) << 2;
    if (role & PR_ROLE_RUNNER)
        bits |= PR_TRAIT_RUNNER;
    if (role & PR_ROLE_IMPORT)
        bits |= PR_TRAIT_IMPORT;
    if (role & PR_ROLE_START)
        bits |= PR_TRAIT_START;
    return (uint8_t)bits;
}

enum pr_status pr_traits_make(const struct pr_profile *profile, const char *root, struct pr_traits *traits,
                              struct pr_error *err)
{
    traits->of = malloc(profile->frame_count ? profile->frame_count : 1);
    if (!traits->of)
        return pr_fail_memory(err);
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        traits->of[i] = traits_of(profile, root, i);
    return PR_OK;
}

void pr_traits_clear(struct pr_traits *traits)
{
    free(traits->of);
    *traits = (struct pr_traits){0};
}
