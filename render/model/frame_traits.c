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

/* What OWNER becomes with a ROOT: below it all that is not installed is the user's, elsewhere nothing is. */
static enum pr_owner with_root(const struct pr_profile *profile, const char *root, struct pr_text file,
                               enum pr_owner owner)
{
    static const char scheme[] = "file://";
    const struct pr_text path = pr_text_starts(file, scheme) ? pr_text_from(file, sizeof scheme - 1) : file;
    /* A relative path is below the folder that the program was started in, wherever that was. */
    if (!root || !pr_path_starts(path, "/"))
        return owner;
    if (pr_paths_below(path, root).length && !is_installed_below(profile, root, path))
        return PR_OWNER_MINE;
    return owner == PR_OWNER_MINE ? PR_OWNER_LIBRARY : owner;
}

enum pr_owner pr_traits_owner_of_file(const struct pr_profile *profile, const char *root, struct pr_text file)
{
    return with_root(profile, root, file, pr_owner_of_file(profile, file));
}

static enum pr_owner owner_of(const struct pr_profile *profile, const char *root, pr_frame_id frame)
{
    const enum pr_owner owner = pr_owner_of(profile, frame);
    const bool is_code = owner == PR_OWNER_MINE || owner == PR_OWNER_LIBRARY || owner == PR_OWNER_STDLIB;
    return is_code ? with_root(profile, root, pr_profile_text(profile, profile->frames[frame].file), owner) : owner;
}

static uint8_t traits_of(const struct pr_profile *profile, const char *root, pr_frame_id frame)
{
    unsigned role = pr_role_of(profile, frame);
    unsigned bits = (profile->frames[frame].kind & 3u) | (unsigned)owner_of(profile, root, frame) << 2;
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
