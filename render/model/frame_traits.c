/* SPDX-License-Identifier: Apache-2.0 */
/* Packs what profrender/owner.h says about each frame into a byte. */
#include "render/model/frame_traits.h"

#include "capture/base/text.h"
#include "capture/model/code_path.h"
#include "render/model/shown_paths.h"

#include <stdlib.h>
#include <string.h>

/* Code installed in a virtual environment below the root. The root itself may be in one: installed code too. */
static bool is_installed_below(const struct pr_profile *profile, const char *root, struct pr_text file)
{
    const struct pr_text environment = pr_owner_environment(profile, file);
    return pr_path_in_packages(pr_paths_below(file, root)) ||
           (environment.length && pr_path_below(environment, pr_text_of(root)));
}

enum pr_owner pr_traits_owner_of_file(const struct pr_profile *profile, const char *root, struct pr_text file)
{
    const enum pr_owner owner = pr_owner_of_file(profile, file);
    /* A relative path is below the folder that the program was started in, wherever that was. */
    if (!root || !pr_path_starts(file, "/"))
        return owner;
    if (pr_paths_below(file, root).length && !is_installed_below(profile, root, file))
        return PR_OWNER_MINE;
    return owner == PR_OWNER_MINE ? PR_OWNER_LIBRARY : owner;
}

static enum pr_owner owner_of(const struct pr_profile *profile, const char *root, pr_frame_id frame)
{
    const struct pr_frame *f = &profile->frames[frame];
    return f->kind == PR_FRAME_PYTHON ? pr_traits_owner_of_file(profile, root, pr_profile_text(profile, f->file))
                                      : pr_owner_of(profile, frame);
}

static uint8_t traits_of(const struct pr_profile *profile, const char *root, pr_frame_id frame)
{
    unsigned role = pr_role_of(profile, frame);
    unsigned bits = (profile->frames[frame].kind & 3u) | (unsigned)owner_of(profile, root, frame) << 2;
    if (role & PR_ROLE_RUNNER)
        bits |= PR_TRAIT_RUNNER;
    if (role & PR_ROLE_IMPORT)
        bits |= PR_TRAIT_IMPORT;
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
