/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grouping: the steps of several facts become differences, are sorted by (group, bin) and summed up again; moves are
 * added up by their key.
 */
#include "capture/heap/history.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <stdlib.h>

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

/* What each step changes, under the number of its group. Facts without a group are left out. */
static size_t make_changes(const struct pr_raw_step *steps, size_t count, const uint32_t *group,
                           struct pr_raw_step *changes)
{
    size_t made = 0;
    struct pr_raw_step before = {0};
    for (size_t i = 0; i < count; i++) {
        if (!i || steps[i].fact != before.fact)
            before = (struct pr_raw_step){.fact = steps[i].fact};
        if (group[steps[i].fact] != PR_NO_ID)
            changes[made++] = (struct pr_raw_step){group[steps[i].fact], steps[i].bin,
                                                   (int64_t)((uint64_t)steps[i].bytes - (uint64_t)before.bytes),
                                                   (int64_t)((uint64_t)steps[i].count - (uint64_t)before.count)};
        before = steps[i];
    }
    return made;
}

/* Sorted changes become steps, in place; returns how many. What cancels out makes no step. */
static size_t sum_up_changes(struct pr_raw_step *at, size_t count)
{
    size_t made = 0;
    struct pr_raw_step now = {0};
    for (size_t i = 0; i < count;) {
        if (!i || at[i].fact != now.fact)
            now = (struct pr_raw_step){.fact = at[i].fact};
        const struct pr_raw_step before = now;
        for (now.bin = at[i].bin; i < count && at[i].fact == now.fact && at[i].bin == now.bin; i++) {
            add(&now.bytes, at[i].bytes);
            add(&now.count, at[i].count);
        }
        if (now.bytes != before.bytes || now.count != before.count)
            at[made++] = now;
    }
    return made;
}

/* STEPS, by fact and bin, as steps of the groups, in OUT. False: out of memory. */
static bool group_steps(const struct pr_raw_step *steps, size_t count, const uint32_t *group, struct pr_bins *out)
{
    out->steps = malloc((count + 1) * sizeof *out->steps);
    if (!out->steps)
        return false;
    out->step_capacity = count + 1;
    const size_t changes = make_changes(steps, count, group, out->steps);
    if (!pr_sort(out->steps, changes, sizeof *out->steps, compare_steps, NULL))
        return false;
    out->step_count = sum_up_changes(out->steps, changes);
    return true;
}

static bool add_move(struct pr_lifetimes *out, uint32_t group, uint32_t from, uint32_t to, int64_t bytes, int64_t count)
{
    return group == PR_NO_ID || pr_lifetimes_add(out, group, from, to, (uint64_t)bytes, count);
}

static bool group_moves(const struct pr_lifetimes *moves, const uint32_t *group, struct pr_lifetimes *out)
{
    if (!pr_lifetimes_init(out))
        return false;
    pr_lifetimes_bound(out, moves->sorted_most);
    for (size_t i = 0; i < moves->sorted_count; i++) {
        const struct pr_raw_lifetime *move = &moves->sorted[i];
        if (!add_move(out, group[pr_lifetime_fact(move->key)], pr_lifetime_from(move->key), pr_lifetime_to(move->key),
                      move->bytes, move->count))
            return false;
    }
    return pr_lifetimes_settle(out);
}

/* ---- into a profile */

static bool copy_steps(struct pr_profile *profile, const struct pr_bins *bins)
{
    struct pr_step *steps = pr_arena_array(&profile->arena, bins->step_count, sizeof *steps);
    size_t *first = pr_arena_array(&profile->arena, profile->fact_count + 1, sizeof *first);
    if (!steps || !first)
        return false;
    for (size_t i = 0; i < bins->step_count; i++) {
        const struct pr_raw_step *step = &bins->steps[i];
        steps[i] = (struct pr_step){step->bin, pr_shown_sum(step->bytes), pr_shown_sum(step->count)};
        first[step->fact + 1]++;
    }
    for (size_t fact = 0; fact < profile->fact_count; fact++)
        first[fact + 1] += first[fact];
    profile->steps = steps;
    profile->fact_first_step = first;
    return true;
}

static bool copy_moves(struct pr_profile *profile, const struct pr_lifetimes *from)
{
    struct pr_lifetime *moves = pr_arena_array(&profile->arena, from->sorted_count, sizeof *moves);
    size_t *first = pr_arena_array(&profile->arena, profile->fact_count + 1, sizeof *first);
    if (!moves || !first)
        return false;
    for (size_t i = 0; i < from->sorted_count; i++) {
        const struct pr_raw_lifetime *move = &from->sorted[i];
        const uint32_t to = pr_lifetime_to(move->key);
        moves[i] = (struct pr_lifetime){pr_lifetime_from(move->key), to == PR_LIFETIME_NEVER ? PR_NEVER : to,
                                        pr_shown_sum(move->bytes), pr_shown_sum(move->count)};
        first[pr_lifetime_fact(move->key) + 1]++;
    }
    for (size_t fact = 0; fact < profile->fact_count; fact++)
        first[fact + 1] += first[fact];
    profile->moves = moves;
    profile->fact_first_lifetime = first;
    return true;
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

static bool finish_steps(const struct pr_stack_table *builder, struct pr_bins *bins)
{
    struct pr_bins grouped = {0};
    bool good = group_steps(bins->steps, bins->step_count, builder->merged, &grouped);
    pr_bins_drop_steps(bins);
    good = good && copy_steps(builder->profile, &grouped);
    pr_bins_clear(&grouped);
    return good;
}

static bool finish_moves(const struct pr_stack_table *builder, struct pr_lifetimes *moves)
{
    struct pr_lifetimes grouped;
    bool good = group_moves(moves, builder->merged, &grouped);
    pr_lifetimes_clear(moves);
    good = good && copy_moves(builder->profile, &grouped);
    pr_lifetimes_clear(&grouped);
    return good;
}

enum pr_status pr_history_finish(const struct pr_stack_table *builder, struct pr_heap_analysis *memory,
                                 struct pr_error *err)
{
    bool good = finish_steps(builder, &memory->bins) && finish_moves(builder, &memory->moves) &&
                copy_bins(builder->profile, &memory->bins);
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

static bool take_steps(const struct pr_profile *profile, const uint32_t *group, struct pr_bins *bins)
{
    const size_t count = profile->fact_first_step[profile->fact_count];
    struct pr_raw_step *raw = malloc((count + 1) * sizeof *raw);
    if (!raw)
        return false;
    for (size_t fact = 0; fact < profile->fact_count; fact++) {
        for (size_t i = profile->fact_first_step[fact]; i < profile->fact_first_step[fact + 1]; i++)
            raw[i] = (struct pr_raw_step){(uint32_t)fact, profile->steps[i].bin, profile->steps[i].bytes,
                                          profile->steps[i].count};
    }
    bool good = group_steps(raw, count, group, bins);
    free(raw);
    return good;
}

static bool take_moves(const struct pr_profile *profile, const uint32_t *group, struct pr_lifetimes *moves)
{
    if (!pr_lifetimes_init(moves))
        return false;
    for (size_t fact = 0; fact < profile->fact_count; fact++) {
        for (size_t i = profile->fact_first_lifetime[fact]; i < profile->fact_first_lifetime[fact + 1]; i++) {
            const struct pr_lifetime *move = &profile->moves[i];
            if (!add_move(moves, group[fact], move->from, move->to == PR_NEVER ? PR_LIFETIME_NEVER : move->to,
                          move->bytes, move->count))
                return false;
        }
    }
    return pr_lifetimes_settle(moves);
}

enum pr_status pr_history_group(const struct pr_profile *profile, const uint32_t *group, uint32_t group_count,
                                struct pr_history *history, struct pr_error *err)
{
    *history = (struct pr_history){.group_count = group_count};
    if (!profile->bin_count)
        return PR_OK;
    history->bins.noted = calloc(group_count + (size_t)1, sizeof *history->bins.noted);
    history->bins.noted_capacity = group_count;
    bool good = history->bins.noted && take_bins(profile, &history->bins) &&
                take_steps(profile, group, &history->bins) && take_moves(profile, group, &history->moves);
    return good ? PR_OK : pr_fail_memory(err);
}

enum pr_status pr_history_halve(struct pr_history *history, struct pr_error *err)
{
    bool good = pr_bins_merge(&history->bins, history->group_count) && pr_lifetimes_halve(&history->moves);
    return good ? PR_OK : pr_fail_memory(err);
}

enum pr_status pr_history_give(const struct pr_history *history, struct pr_profile *profile, struct pr_error *err)
{
    bool good = copy_steps(profile, &history->bins) && copy_moves(profile, &history->moves) &&
                copy_bins(profile, &history->bins);
    return good ? PR_OK : pr_fail_memory(err);
}

void pr_history_clear(struct pr_history *history)
{
    pr_bins_clear(&history->bins);
    pr_lifetimes_clear(&history->moves);
    *history = (struct pr_history){0};
}
