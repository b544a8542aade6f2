/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/model/own_root.h"

#include "capture/base/text.h"
#include "capture/model/code_path.h"

/* Code installed in a virtual environment below the root. The root itself may be in one: installed code too. */
static bool is_installed_below(const struct pr_profile *profile, const char *root, struct pr_text file)
{
    const struct pr_text environment = pr_owner_environment(profile, file);
    return pr_path_in_packages(pr_path_past(file, root)) ||
           (environment.length && pr_path_below(environment, pr_text_of(root)));
}

enum pr_owner pr_owner_below(const struct pr_profile *profile, const char *root, struct pr_text file,
                             enum pr_owner owner)
{
    static const char scheme[] = "file://";
    const struct pr_text path = pr_text_starts(file, scheme) ? pr_text_from(file, sizeof scheme - 1) : file;
    /* A relative path is below the folder that the program was started in, wherever that was. */
    if (!root || !pr_text_starts(path, "/"))
        return owner;
    if (pr_path_past(path, root).length && !is_installed_below(profile, root, path))
        return PR_OWNER_MINE;
    return owner == PR_OWNER_MINE ? PR_OWNER_LIBRARY : owner;
}

enum pr_owner pr_owner_with_root(const struct pr_profile *profile, const char *root, pr_frame_id frame)
{
    const enum pr_owner owner = pr_owner_of(profile, frame);
    const bool is_code = owner == PR_OWNER_MINE || owner == PR_OWNER_LIBRARY || owner == PR_OWNER_STDLIB;
    return is_code ? pr_owner_below(profile, root, pr_profile_text(profile, profile->frames[frame].file), owner)
                   : owner;
}

void pr_own_mark(const struct pr_profile *profile, const char *root, bool *is_own)
{
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        is_own[i] = pr_owner_with_root(profile, root, i) == PR_OWNER_MINE &&
                    !(pr_role_of(profile, i) & PR_ROLE_RUNNER);
}
