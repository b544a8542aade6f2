/* SPDX-License-Identifier: Apache-2.0 */
/* The first lines that each name of a file has are sorted; most names have one, and then none is needed. */
#include "capture/model/functions.h"

#include "capture/base/checked.h"
#include "capture/base/idset.h"
#include "capture/base/sort.h"

#include <stdlib.h>

static int compare_places(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* The index of the first place that is not below PLACE. */
static size_t find(const uint64_t *places, size_t count, uint64_t place)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (places[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of the sorted PLACES, (name, first line), each stays once. */
static size_t leave_out_twins(uint64_t *places, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!kept || places[kept - 1] != places[i])
            places[kept++] = places[i];
    return kept;
}

static int32_t begin_of(const uint64_t *places, size_t count, uint32_t name, const struct pr_frame *frame,
                        int32_t first_line)
{
    if (name == PR_NO_ID) /* no function of that name has a first line */
        return 0;
    const size_t from = find(places, count, pr_pair(name, 0)), to = find(places, count, pr_pair(name + 1, 0));
    if (to - from < 2)
        return 0;
    if (first_line > 0)
        return first_line;
    const size_t next = frame->line > 0 ? find(places, count, pr_pair(name, (uint32_t)frame->line + 1)) : from;
    return next > from ? (int32_t)pr_low(places[next - 1]) : 0;
}

/*
 * Fills FIRST with the first line of the function of each frame, 0: unknown. A comprehension or lambda without one that
 * is in a known function has the first of its lines there that ran, as a file has many of one name.
 */
static bool find_first_lines(const struct pr_profile *profile, int32_t *first)
{
    struct pr_idset nameless = {.words = 2};
    int32_t *least = profile->around ? malloc(((size_t)profile->frame_count + 1) * sizeof *least) : NULL;
    uint32_t *number = profile->around ? malloc(((size_t)profile->frame_count + 1) * sizeof *number) : NULL;
    bool done = (least && number) || !profile->around;
    for (uint32_t i = 0; i < profile->frame_count; i++)
        first[i] = profile->frames[i].definition_line;
    for (uint32_t i = 0; done && profile->around && i < profile->frame_count; i++) {
        const struct pr_frame *f = &profile->frames[i];
        number[i] = PR_NO_ID;
        if (first[i] > 0 || f->line <= 0 || profile->around[i] == PR_NO_FRAME)
            continue;
        const struct pr_frame *around = &profile->frames[profile->around[i]];
        const uint64_t key[2] = {pr_pair(f->function, f->file),
                                 pr_pair(around->function, (uint32_t)around->definition_line)};
        const uint32_t known = nameless.count;
        number[i] = pr_idset_add(&nameless, key, 2);
        done = number[i] != PR_NO_ID;
        if (done && (number[i] == known || f->line < least[number[i]]))
            least[number[i]] = f->line;
    }
    for (uint32_t i = 0; done && profile->around && i < profile->frame_count; i++)
        first[i] = number[i] == PR_NO_ID ? first[i] : least[number[i]];
    pr_idset_clear(&nameless);
    free(least);
    free(number);
    return done;
}

static uint64_t name_of(const struct pr_frame *frame)
{
    return pr_pair(frame->function, frame->file);
}

/* Fills PLACES with where functions begin, sorted, and NAMES with the names of these. False: no memory. */
static bool find_places(const struct pr_profile *profile, const int32_t *begins, struct pr_idset *names,
                        uint64_t *places, size_t *known)
{
    for (uint32_t i = 0; i < profile->frame_count; i++) {
        if (begins[i] <= 0)
            continue;
        const uint64_t key = name_of(&profile->frames[i]);
        const uint32_t name = pr_idset_add(names, &key, 1);
        if (name == PR_NO_ID)
            return false;
        places[(*known)++] = pr_pair(name, (uint32_t)begins[i]);
    }
    if (!pr_sort(places, *known, sizeof *places, compare_places, NULL))
        return false;
    *known = leave_out_twins(places, *known);
    return true;
}

int32_t *pr_functions_tell_apart(const struct pr_profile *profile)
{
    const uint32_t count = profile->frame_count;
    struct pr_idset names = {.words = 1};
    uint64_t *places = malloc(((size_t)count + 1) * sizeof *places);
    int32_t *begins = malloc(((size_t)count + 1) * sizeof *begins);
    size_t known = 0;
    const bool done = places && begins && find_first_lines(profile, begins) &&
                      find_places(profile, begins, &names, places, &known);
    for (uint32_t i = 0; done && known && i < count; i++) {
        const uint64_t key = name_of(&profile->frames[i]);
        begins[i] = begin_of(places, known, pr_idset_find(&names, &key, 1), &profile->frames[i], begins[i]);
    }
    pr_idset_clear(&names);
    free(places);
    if (done)
        return begins;
    free(begins);
    return NULL;
}
