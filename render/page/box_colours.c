/* SPDX-License-Identifier: Apache-2.0 */
/* As assets/src/model/hues.js has it: what holds nothing itself, such as a root, gets no package's colour. */
#include "render/page/box_colours.h"

#include "capture/base/checked.h"
#include "capture/model/package.h"
#include "profrender/string_table.h"

#include <stdlib.h>

enum { HUES = 6 };

static bool is_drawn(const struct pr_page *page, pr_frame_id frame)
{
    return !(page->traits.of[frame] & (PR_TRAIT_RUNNER | PR_TRAIT_IMPORT | PR_TRAIT_START));
}

/* Fills LETTERS by owner. True: of the code there is, all is one owner's. */
static bool by_owner(const struct pr_page *page, char *letters)
{
    static const char letter[PR_OWNER_COUNT + 1] = "mlsnnx";
    const struct pr_profile *profile = page->profile;
    unsigned owners = 0;
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        letters[i] = letter[pr_traits_owner(&page->traits, i)];
    for (pr_node_id i = 1; i < profile->tree.count; i++) {
        const pr_frame_id frame = profile->tree.frame[i];
        const enum pr_owner owner = pr_traits_owner(&page->traits, frame);
        if (owner != PR_OWNER_NONE && is_drawn(page, frame))
            owners |= 1U << owner;
    }
    return !(owners & (owners - 1));
}

/* The number of the package with most, which is then out of the way; PR_NO_STR: none has anything left. */
static pr_str take_largest(int64_t *sums, pr_str count)
{
    pr_str best = 0;
    for (pr_str i = 1; i < count; i++)
        best = sums[i] > sums[best] ? i : best;
    const bool any = best && sums[best] > 0;
    sums[best] = 0;
    return any ? best : PR_NO_STR;
}

/* Fills LETTERS by package, unless one has it all; NUMBER[frame_count] and SUMS[frame_count + 1] are room, zeros. */
static bool by_package(const struct pr_page *page, const struct pr_metric *metric, pr_str *number, int64_t *sums,
                       char *letters, enum pr_box_colours *by)
{
    const struct pr_profile *profile = page->profile;
    struct pr_code_world world;
    struct pr_strings names;
    pr_str largest[HUES];
    unsigned found = 0;
    if (pr_strings_init(&names, NULL) != PR_OK)
        return false;
    pr_code_world_look(profile, &world);
    bool done = true;
    for (pr_frame_id i = 0; done && i < profile->frame_count; i++) {
        const struct pr_text name = pr_package_of(profile, &world, i, pr_traits_owner(&page->traits, i));
        number[i] = pr_strings_add(&names, name.bytes, name.length);
        done = number[i] != PR_NO_STR;
    }
    for (size_t i = 0; done && i < profile->fact_count; i++)
        if (profile->fact_leaf[i] != PR_ROOT)
            pr_add_to(&sums[number[profile->tree.frame[profile->fact_leaf[i]]]], metric->value[i]);
    while (done && found < HUES && (largest[found] = take_largest(sums, names.count)) != PR_NO_STR)
        found++;
    if (done && found > 1) {
        *by = PR_BOXES_BY_PACKAGE;
        for (pr_frame_id i = 0; i < profile->frame_count; i++) {
            letters[i] = 'x';
            for (unsigned h = 0; h < found; h++)
                letters[i] = number[i] == largest[h] ? (char)('a' + h) : letters[i];
        }
    }
    pr_strings_clear(&names);
    return done;
}

enum pr_status pr_box_colours_choose(const struct pr_page *page, const struct pr_metric *metric, char *letters,
                                     enum pr_box_colours *by, struct pr_error *err)
{
    const size_t count = page->profile->frame_count;
    *by = PR_BOXES_BY_OWNER;
    if (!by_owner(page, letters))
        return PR_OK;
    pr_str *number = calloc(count + 1, sizeof *number);
    int64_t *sums = calloc(count + 2, sizeof *sums);
    const bool done = number && sums && by_package(page, metric, number, sums, letters, by);
    free(number);
    free(sums);
    return done ? PR_OK : pr_fail_memory(err);
}
