/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of a profile and those known so far are both sorted by name and first line, and matched name by name.
 * Nearly all names have one function on each side, and then there is nothing to compare.
 */
#include "capture/compose/same_functions.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/model/functions.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1 << 24 }; /* of comparing distances, for all names: the others are compared as if none moved */

/* A function of the profile at hand. */
struct met {
    uint64_t name;
    int32_t apart, begin; /* APART distinguishes it within the profile, 0: its name does; BEGIN: 0 = unknown */
    uint32_t number;      /* no_number: none yet */
};

static const uint32_t no_number = UINT32_MAX;

static int compare_met(const void *a, const void *b, const void *context)
{
    const struct met *x = a, *y = b;
    (void)context;
    const int order = PR_ORDER(x->name, y->name);
    return order ? order : PR_ORDER(x->apart, y->apart);
}

static int compare_known(const void *a, const void *b, const void *context)
{
    const struct pr_known_function *x = a, *y = b;
    (void)context;
    int order = PR_ORDER(x->name, y->name);
    order = order ? order : PR_ORDER(x->begin, y->begin);
    return order ? order : PR_ORDER(x->number, y->number);
}

/* Fills MET with the functions of PROFILE. APART: as of pr_functions_tell_apart. *COUNT: how many. False: no memory. */
static bool find_functions(const struct pr_profile *profile, const uint64_t *names, const int32_t *apart,
                           struct met *met, size_t *count)
{
    size_t kept = 0;
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        met[i] = (struct met){names[i], apart[i], apart[i] ? apart[i] : profile->frames[i].definition_line, no_number};
    if (!pr_sort(met, profile->frame_count, sizeof *met, compare_met, NULL))
        return false;
    for (size_t i = 0; i < profile->frame_count; i++) {
        if (!kept || compare_met(&met[kept - 1], &met[i], NULL))
            met[kept++] = met[i];
        else if (met[i].begin > met[kept - 1].begin)
            met[kept - 1].begin = met[i].begin;
    }
    *count = kept;
    return true;
}

/* How many of NOW are DISTANCE lines below one of KNOWN; each of these gets its number, if SET. */
static size_t match_moved(struct met *now, size_t count, const struct pr_known_function *known, size_t others,
                          int64_t distance, bool set)
{
    size_t same = 0;
    for (size_t i = 0, k = 0; i < count && k < others;) {
        const int64_t line = (int64_t)known[k].begin + distance;
        if (now[i].begin > 0 && known[k].begin > 0 && now[i].begin == line) {
            same++;
            if (set)
                now[i].number = known[k].number;
            i++;
            k++;
        } else if (now[i].begin < line) {
            i++;
        } else {
            k++;
        }
    }
    return same;
}

/* The distance that most functions have moved by; of equals the shorter one. STEPS: how many are left, see above. */
static int64_t find_distance(struct met *now, size_t count, const struct pr_known_function *known, size_t others,
                             size_t *steps)
{
    int64_t best = 0;
    size_t most = match_moved(now, count, known, others, 0, false);
    const size_t cost = count < *steps && others < *steps ? count * others : *steps + 1;
    if (cost > *steps || cost * (count + others) > *steps)
        return best;
    *steps -= cost * (count + others);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < others; k++) {
            const int64_t distance = (int64_t)now[i].begin - known[k].begin;
            const size_t same = match_moved(now, count, known, others, distance, false);
            if (same > most || (same == most && same && llabs(distance) < llabs(best))) {
                most = same;
                best = distance;
            }
        }
    return best;
}

/* In gaps between functions that are the same, as many on both sides are the same in their order. */
static void match_gaps(struct met *now, size_t count, const struct pr_known_function *known, size_t others)
{
    for (size_t i = 0, k = 0; i < count || k < others; i++, k++) {
        const size_t from = i, from_known = k;
        while (i < count && now[i].number == no_number)
            i++;
        while (k < others && (i == count || known[k].number != now[i].number))
            k++;
        for (size_t n = 0; i - from == k - from_known && n < i - from; n++)
            now[from + n].number = known[from_known + n].number;
    }
}

static void match(struct met *now, size_t count, const struct pr_known_function *known, size_t others, size_t *steps)
{
    if (count == 1 && others == 1) {
        now->number = known->number;
        return;
    }
    if (!count || !others)
        return;
    if (!now->begin && !known->begin) {
        now->number = known->number;
        match(now + 1, count - 1, known + 1, others - 1, steps);
        return;
    }
    match_moved(now, count, known, others, find_distance(now, count, known, others, steps), true);
    match_gaps(now, count, known, others);
}

/* Gives each function a number, and takes in those that are new. False: no memory. */
static bool match_all(struct pr_samefunction *same, struct met *met, size_t count)
{
    size_t steps = MOST_STEPS;
    const size_t before = same->count;
    if (!pr_grow(&same->known, &same->capacity, before + count, sizeof *same->known))
        return false;
    for (size_t first = 0, end, k = 0; first < count; first = end) {
        for (end = first + 1; end < count && met[end].name == met[first].name; end++)
            ;
        while (k < before && same->known[k].name < met[first].name)
            k++;
        size_t others = 0;
        while (k + others < before && same->known[k + others].name == met[first].name)
            others++;
        match(&met[first], end - first, &same->known[k], others, &steps);
    }
    for (size_t i = 0; i < count; i++) {
        if (met[i].number != no_number)
            continue;
        met[i].number = (uint32_t)same->count;
        same->known[same->count++] = (struct pr_known_function){met[i].name, met[i].begin, met[i].number};
    }
    return pr_sort(same->known, same->count, sizeof *same->known, compare_known, NULL);
}

static uint32_t number_of(const struct met *met, size_t count, const struct met *wanted)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_met(&met[middle], wanted, NULL) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return met[low].number;
}

bool pr_samefunction_add(struct pr_samefunction *same, const struct pr_profile *profile, const uint64_t *names,
                         uint32_t *number)
{
    size_t count = 0;
    int32_t *apart = pr_functions_tell_apart(profile);
    struct met *met = malloc(((size_t)profile->frame_count + 1) * sizeof *met);
    const bool done = apart && met && find_functions(profile, names, apart, met, &count) &&
                      match_all(same, met, count);
    for (pr_frame_id i = 0; done && i < profile->frame_count; i++)
        number[i] = number_of(met, count, &(struct met){.name = names[i], .apart = apart[i]});
    free(apart);
    free(met);
    return done;
}

void pr_samefunction_clear(struct pr_samefunction *same)
{
    free(same->known);
    *same = (struct pr_samefunction){.count = 0};
}
