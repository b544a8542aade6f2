/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grouping: the steps of several facts become differences, are sorted by (group, bin) and summed up again; moves are
 * added up by their key.
 */
#include "capture/heap/history.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <stdlib.h>
#include <string.h>

static void add(int64_t *sum, int64_t value)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

static int compare_steps(const void *a, const void *b, const void *context)
{
    const struct pr_raw_step *x = a, *y = b;
    (void)context;
    return x->fact != y->fact ? PR_ORDER(x->fact, y->fact) : PR_ORDER(x->bin, y->bin);
}

/* What STEP changes after BEFORE, which is the fact's, as a change of GROUP. */
static struct pr_raw_step change_of(uint32_t group, const struct pr_raw_step *before, const struct pr_raw_step *step)
{
    return (struct pr_raw_step){group, step->bin, (int64_t)((uint64_t)step->bytes - (uint64_t)before->bytes),
                                (int64_t)((uint64_t)step->count - (uint64_t)before->count)};
}

/* Each step becomes what it changes, under the number of its group. Facts without a group are left out. */
static size_t make_changes(struct pr_raw_step *steps, size_t count, const uint32_t *group)
{
    size_t made = 0;
    struct pr_raw_step before = {0};
    for (size_t i = 0; i < count; i++) {
        const struct pr_raw_step step = steps[i];
        if (!i || step.fact != before.fact)
            before = (struct pr_raw_step){.fact = step.fact};
        if (group[step.fact] != PR_NO_ID)
            steps[made++] = change_of(group[step.fact], &before, &step);
        before = step;
    }
    return made;
}

static bool are_sorted(const struct pr_raw_step *at, size_t count)
{
    size_t i = 1;
    while (i < count && compare_steps(&at[i - 1], &at[i], NULL) <= 0)
        i++;
    return i >= count;
}

/* Sorts the changes and adds up those of a group in a bin; returns how many there are then. SIZE_MAX: no memory. */
static size_t unite_changes(struct pr_raw_step *at, size_t count)
{
    size_t made = 0;
    if (!are_sorted(at, count) && !pr_sort(at, count, sizeof *at, compare_steps, NULL))
        return SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        struct pr_raw_step *last = made ? &at[made - 1] : NULL;
        if (last && !compare_steps(last, &at[i], NULL)) {
            add(&last->bytes, at[i].bytes);
            add(&last->count, at[i].count);
        } else {
            at[made++] = at[i];
        }
    }
    return made;
}

/* The changes of BINS from BEGIN on become steps, in place. What cancels out makes no step. False: out of memory. */
static bool sum_up_changes(struct pr_bins *bins, size_t begin)
{
    if (bins->step_count == begin)
        return true;
    struct pr_raw_step *at = bins->steps + begin, now = {0};
    const size_t count = unite_changes(at, bins->step_count - begin);
    if (count == SIZE_MAX)
        return false;
    bins->step_count = begin;
    for (size_t i = 0; i < count; i++) {
        if (!i || at[i].fact != now.fact)
            now = (struct pr_raw_step){.fact = at[i].fact};
        const bool differs = at[i].bytes || at[i].count;
        now.bin = at[i].bin;
        add(&now.bytes, at[i].bytes);
        add(&now.count, at[i].count);
        if (differs)
            bins->steps[bins->step_count++] = now;
    }
    return true;
}

/* The steps, by fact and bin, become steps of the groups. False: out of memory. */
static bool group_steps(struct pr_bins *bins, const uint32_t *group)
{
    bins->step_count = make_changes(bins->steps, bins->step_count, group);
    return sum_up_changes(bins, 0);
}

/* ---- into a profile */

_Static_assert(sizeof(struct pr_step) == sizeof(struct pr_raw_step), "a step becomes another in its place");
_Static_assert(sizeof(struct pr_lifetime) == sizeof(struct pr_raw_lifetime), "and so does a move");

/* Counts become where each fact begins. */
static void add_up(size_t *first, size_t fact_count)
{
    for (size_t fact = 0; fact < fact_count; fact++)
        first[fact + 1] += first[fact];
}

/* ARRAY, which has COUNT elements of SIZE bytes now, belongs to the profile from now on. NULL: out of memory. */
static void *give(struct pr_profile *profile, void *array, size_t count, size_t size)
{
    void *exact = realloc(array, (count + !count) * size);
    if (!exact) {
        free(array);
        return NULL;
    }
    return pr_arena_take(&profile->arena, exact) ? exact : NULL;
}

/* The steps as the profile has them, in the array in which they are. False: out of memory. */
static bool give_steps(struct pr_profile *profile, struct pr_bins *bins)
{
    size_t *first = pr_arena_array(&profile->arena, profile->fact_count + 1, sizeof *first);
    char *steps = (char *)bins->steps;
    if (!first)
        return false;
    for (size_t i = 0; i < bins->step_count; i++) {
        const struct pr_raw_step raw = bins->steps[i];
        const struct pr_step step = {raw.bin, pr_shown_sum(raw.bytes), pr_shown_sum(raw.count)};
        memcpy(steps + i * sizeof step, &step, sizeof step);
        first[raw.fact + 1]++;
    }
    add_up(first, profile->fact_count);
    profile->fact_first_step = first;
    bins->steps = NULL;
    profile->steps = give(profile, steps, bins->step_count, sizeof *profile->steps);
    bins->step_count = bins->step_capacity = 0;
    return profile->steps;
}

/* The same of the moves. */
static bool give_moves(struct pr_profile *profile, struct pr_lifetimes *from)
{
    size_t *first = pr_arena_array(&profile->arena, profile->fact_count + 1, sizeof *first);
    char *moves = (char *)from->sorted;
    if (!first)
        return false;
    for (size_t i = 0; i < from->sorted_count; i++) {
        const struct pr_raw_lifetime raw = from->sorted[i];
        const uint32_t to = pr_lifetime_to(raw.key);
        const struct pr_lifetime move = {pr_lifetime_from(raw.key), to == PR_LIFETIME_NEVER ? PR_NEVER : to,
                                         pr_shown_sum(raw.bytes), pr_shown_sum(raw.count)};
        memcpy(moves + i * sizeof move, &move, sizeof move);
        first[pr_lifetime_fact(raw.key) + 1]++;
    }
    add_up(first, profile->fact_count);
    profile->fact_first_lifetime = first;
    from->sorted = NULL;
    profile->moves = give(profile, moves, from->sorted_count, sizeof *profile->moves);
    from->sorted_count = from->sorted_capacity = 0;
    return profile->moves;
}

static bool copy_bins(struct pr_profile *profile, const struct pr_bins *bins)
{
    struct pr_bin *copy = pr_arena_array(&profile->arena, bins->count, sizeof *copy);
    if (!copy)
        return false;
    for (uint32_t i = 0; i < bins->count; i++)
        copy[i] = (struct pr_bin){bins->bin[i].start_ms, bins->bin[i].end_ms, bins->bin[i].peak_bytes};
    profile->bins = copy;
    profile->bin_count = bins->count;
    return true;
}

enum pr_status pr_history_finish(const struct pr_stack_table *builder, struct pr_heap_analysis *memory,
                                 struct pr_error *err)
{
    struct pr_profile *profile = builder->profile;
    const bool good = group_steps(&memory->bins, builder->merged) && give_steps(profile, &memory->bins) &&
                      pr_lifetimes_group(&memory->moves, builder->merged) && give_moves(profile, &memory->moves) &&
                      copy_bins(profile, &memory->bins);
    return good ? PR_OK : pr_fail_memory(err);
}

/* ---- out of a profile */

static bool take_bins(const struct pr_profile *profile, struct pr_bins *bins)
{
    bins->bin = malloc(profile->bin_count * sizeof *bins->bin);
    if (!bins->bin)
        return false;
    for (uint32_t i = 0; i < profile->bin_count; i++) {
        const struct pr_bin *bin = &profile->bins[i];
        bins->bin[i] = (struct pr_raw_bin){bin->start_ms, bin->end_ms, bin->peak_bytes, 0, {0, 0}};
    }
    bins->count = profile->bin_count;
    bins->bin_capacity = profile->bin_count;
    return true;
}

/* Facts in the order of their groups. Those without one are left out. */
struct members {
    uint32_t *fact;
    uint32_t *first; /* [group_count + 2] of a group, and of the one after it, in FACT; then one to count with */
};

static bool find_members(const uint32_t *group, size_t fact_count, uint32_t group_count, struct members *members)
{
    uint32_t *first = members->first = calloc(group_count + (size_t)2, sizeof *first);
    members->fact = malloc((fact_count + 1) * sizeof *members->fact);
    if (!first || !members->fact)
        return false;
    for (size_t fact = 0; fact < fact_count; fact++) {
        if (group[fact] != PR_NO_ID)
            first[group[fact] + (size_t)2]++;
    }
    for (size_t i = 2; i <= group_count; i++)
        first[i + 1] += first[i];
    for (size_t fact = 0; fact < fact_count; fact++) {
        if (group[fact] != PR_NO_ID)
            members->fact[first[group[fact] + (size_t)1]++] = (uint32_t)fact;
    }
    return true;
}

static void members_clear(struct members *members)
{
    free(members->fact);
    free(members->first);
}

/*
 * Room for one more change of a group that begins at BEGIN: what it has is added up first, as its facts may be many and
 * its bins few. False: out of memory.
 */
static bool room_for_change(struct pr_bins *bins, size_t begin)
{
    if (bins->step_count < bins->step_capacity)
        return true;
    const size_t count = bins->step_count - begin, united = count ? unite_changes(bins->steps + begin, count) : 0;
    if (united == SIZE_MAX)
        return false;
    bins->step_count = begin + united;
    return united < count / 2 ||
           pr_grow(&bins->steps, &bins->step_capacity, bins->step_count + 1, sizeof *bins->steps);
}

/* No more steps will come. False: out of memory. */
static bool drop_room(struct pr_bins *bins)
{
    const size_t count = bins->step_count + !bins->step_count;
    struct pr_raw_step *exact = realloc(bins->steps, count * sizeof *exact);
    if (!exact)
        return false;
    bins->steps = exact;
    bins->step_capacity = count;
    return true;
}

/* False: out of memory. */
static bool take_changes(const struct pr_profile *profile, uint32_t fact, uint32_t group, size_t begin,
                         struct pr_bins *bins)
{
    struct pr_raw_step before = {0};
    for (size_t i = profile->fact_first_step[fact]; i < profile->fact_first_step[fact + (size_t)1]; i++) {
        const struct pr_step *of_fact = &profile->steps[i];
        const struct pr_raw_step step = {fact, of_fact->bin, of_fact->bytes, of_fact->count};
        if (!room_for_change(bins, begin))
            return false;
        bins->steps[bins->step_count++] = change_of(group, &before, &step);
        before = step;
    }
    return true;
}

/* A group after the other, so that no more than one has changes of several facts at a time. False: out of memory. */
static bool take_steps(const struct pr_profile *profile, const struct members *members, uint32_t group_count,
                       struct pr_bins *bins)
{
    for (uint32_t group = 0; group < group_count; group++) {
        const size_t begin = bins->step_count;
        for (uint32_t i = members->first[group]; i < members->first[group + (size_t)1]; i++) {
            if (!take_changes(profile, members->fact[i], group, begin, bins))
                return false;
        }
        if (!sum_up_changes(bins, begin))
            return false;
    }
    return drop_room(bins);
}

/* False: out of memory. */
static bool take_moves_of(const struct pr_profile *profile, uint32_t fact, uint32_t group, size_t begin,
                          struct pr_lifetimes *moves)
{
    for (size_t i = profile->fact_first_lifetime[fact]; i < profile->fact_first_lifetime[fact + (size_t)1]; i++) {
        const struct pr_lifetime *move = &profile->moves[i];
        const uint64_t key =
            pr_lifetime_key(group, move->from, move->to == PR_NEVER ? PR_LIFETIME_NEVER : move->to);
        if (!pr_lifetimes_append(moves, begin, &(struct pr_raw_lifetime){key, move->bytes, move->count}))
            return false;
    }
    return true;
}

/* As take_steps. */
static bool take_moves(const struct pr_profile *profile, const struct members *members, uint32_t group_count,
                       struct pr_lifetimes *moves)
{
    for (uint32_t group = 0; group < group_count; group++) {
        const size_t begin = moves->sorted_count;
        for (uint32_t i = members->first[group]; i < members->first[group + (size_t)1]; i++) {
            if (!take_moves_of(profile, members->fact[i], group, begin, moves))
                return false;
        }
        if (!pr_lifetimes_unite(moves, begin))
            return false;
    }
    return true;
}

enum pr_status pr_history_group(const struct pr_profile *profile, const uint32_t *group, uint32_t group_count,
                                enum pr_history_parts parts, struct pr_history *history, struct pr_error *err)
{
    *history = (struct pr_history){.group_count = group_count};
    if (!profile->bin_count)
        return PR_OK;
    history->bins.noted = calloc(group_count + (size_t)1, sizeof *history->bins.noted);
    history->bins.noted_capacity = group_count;
    struct members members = {0};
    const bool good = history->bins.noted && take_bins(profile, &history->bins) &&
                      find_members(group, profile->fact_count, group_count, &members) &&
                      (!(parts & PR_HISTORY_STEPS) ||
                       take_steps(profile, &members, group_count, &history->bins)) &&
                      (!(parts & PR_HISTORY_MOVES) ||
                       take_moves(profile, &members, group_count, &history->moves));
    members_clear(&members);
    return good ? PR_OK : pr_fail_memory(err);
}

enum pr_status pr_history_halve(struct pr_history *history, struct pr_error *err)
{
    bool good = pr_bins_merge(&history->bins, history->group_count) && pr_lifetimes_halve(&history->moves);
    return good ? PR_OK : pr_fail_memory(err);
}

enum pr_status pr_history_give(struct pr_history *history, struct pr_profile *profile, struct pr_error *err)
{
    const bool good = give_steps(profile, &history->bins) && give_moves(profile, &history->moves) &&
                      copy_bins(profile, &history->bins);
    return good ? PR_OK : pr_fail_memory(err);
}

void pr_history_clear(struct pr_history *history)
{
    pr_bins_clear(&history->bins);
    pr_lifetimes_clear(&history->moves);
    *history = (struct pr_history){0};
}
