/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/explain/library_share.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/base/text.h"
#include "capture/model/package.h"

#include <stdlib.h>

static int compare_names(const void *a, const void *b, const void *context)
{
    const struct pr_library_share *x = a, *y = b;
    (void)context;
    return pr_text_compare(x->name, y->name);
}

/* A frame of a library without a name has what its owner is called instead. */
static bool is_named(struct pr_text package, enum pr_owner owner)
{
    return package.length && !pr_text_is(package, pr_owner_name(owner));
}

/* One for each frame that is of a library with a name and has something. Returns how many. */
static size_t list_frames(const struct pr_profile *profile, const int64_t *by_frame, struct pr_library_share *list)
{
    struct pr_code_world world;
    size_t count = 0;
    pr_code_world_look(profile, &world);
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        const enum pr_owner owner = by_frame[i] ? pr_owner_of(profile, i) : PR_OWNER_NONE;
        if (owner != PR_OWNER_LIBRARY)
            continue;
        const struct pr_text name = pr_package_of(profile, &world, i, owner);
        if (is_named(name, owner))
            list[count++] = (struct pr_library_share){name, by_frame[i]};
    }
    return count;
}

/* Of a sorted list. */
static void choose_largest(const struct pr_library_share *list, size_t count, struct pr_library_share *share)
{
    struct pr_library_share sum = {.self = 0};
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || pr_text_compare(list[i].name, sum.name))
            sum = (struct pr_library_share){list[i].name, 0};
        pr_add_to(&sum.self, list[i].self);
        *share = sum.self > share->self ? sum : *share;
    }
}

bool pr_library_with_most(const struct pr_profile *profile, const struct pr_column *column,
                          struct pr_library_share *share)
{
    int64_t *by_frame = calloc(profile->frame_count + (size_t)1, sizeof *by_frame);
    struct pr_library_share *list = malloc((profile->frame_count + (size_t)1) * sizeof *list);
    bool done = by_frame && list;
    *share = (struct pr_library_share){.self = 0};
    if (done) {
        for (size_t i = 0; i < profile->fact_count; i++)
            if (profile->fact_leaf[i] != PR_ROOT)
                pr_add_to(&by_frame[profile->tree.frame[profile->fact_leaf[i]]], column->value[i]);
        const size_t count = list_frames(profile, by_frame, list);
        done = pr_sort(list, count, sizeof *list, compare_names, NULL);
        if (done)
            choose_largest(list, count, share);
    }
    free(by_frame);
    free(list);
    return done;
}
