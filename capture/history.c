/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging histories: the steps of several facts become differences, are sorted by (fact, bin) and summed up again; moves
 * are sorted by (fact, from, to) and added up.
 */
#include "capture/history.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <stdlib.h>

/* One entry of either kind, under the number of the profile's fact. */
struct entry {
    uint32_t fact, first, second; /* bin and 0, or from and to */
    int64_t bytes, count;
};

struct entries {
    struct entry *at;
    size_t count;
};

static int compare(const void *a, const void *b, const void *context)
{
    const struct entry *x = a, *y = b;
    (void)context;
    if (x->fact != y->fact)
        return PR_ORDER(x->fact, y->fact);
    return x->first != y->first ? PR_ORDER(x->first, y->first) : PR_ORDER(x->second, y->second);
}

/* Sorts, then adds up neighbours with the same key. False: out of memory. */
static bool unite(struct entries *entries)
{
    if (!pr_sort(entries->at, entries->count, sizeof *entries->at, compare, NULL))
        return false;
    size_t made = 0;
    for (size_t i = 0; i < entries->count; i++) {
        struct entry *last = made ? &entries->at[made - 1] : NULL;
        if (last && !compare(last, &entries->at[i], NULL)) {
            last->bytes = (int64_t)((uint64_t)last->bytes + (uint64_t)entries->at[i].bytes);
            last->count += entries->at[i].count;
        } else {
            entries->at[made++] = entries->at[i];
        }
    }
    entries->count = made;
    return true;
}

/* first[i] .. first[i + 1]: the entries of fact i. NULL: out of memory. */
static size_t *index_by_fact(struct pr_profile *profile, const struct entries *entries)
{
    size_t *first = pr_arena_array(&profile->arena, profile->fact_count + 1, sizeof *first);
    if (!first)
        return NULL;
    for (size_t i = 0; i < entries->count; i++)
        first[entries->at[i].fact + 1]++;
    for (size_t fact = 0; fact < profile->fact_count; fact++)
        first[fact + 1] += first[fact];
    return first;
}

static bool make_steps(const struct pr_builder *builder, const struct pr_bins *bins, struct entries *entries)
{
    entries->at = malloc((bins->step_count + 1) * sizeof *entries->at);
    if (!entries->at)
        return false;
    int64_t bytes = 0, count = 0;
    for (size_t i = 0; i < bins->step_count; i++) {
        const struct pr_raw_step *step = &bins->steps[i];
        if (!i || step->fact != step[-1].fact)
            bytes = count = 0;
        if (builder->merged[step->fact] != PR_NO_ID)
            entries->at[entries->count++] = (struct entry){builder->merged[step->fact], step->bin, 0,
                                                           (int64_t)((uint64_t)step->bytes - (uint64_t)bytes),
                                                           step->count - count};
        bytes = step->bytes;
        count = step->count;
    }
    return unite(entries);
}

static bool copy_steps(struct pr_profile *profile, const struct entries *entries)
{
    struct pr_step *steps = pr_arena_array(&profile->arena, entries->count, sizeof *steps);
    profile->fact_first_step = index_by_fact(profile, entries);
    if (!steps || !profile->fact_first_step)
        return false;
    int64_t bytes = 0, count = 0;
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->at[i];
        if (!i || entry->fact != entry[-1].fact)
            bytes = count = 0;
        bytes = (int64_t)((uint64_t)bytes + (uint64_t)entry->bytes);
        count += entry->count;
        steps[i] = (struct pr_step){entry->first, pr_shown_sum(bytes), count};
    }
    profile->steps = steps;
    return true;
}

static bool make_moves(const struct pr_builder *builder, const struct pr_moves *moves, struct entries *entries)
{
    entries->at = malloc((moves->sorted_count + 1) * sizeof *entries->at);
    if (!entries->at)
        return false;
    for (size_t i = 0; i < moves->sorted_count; i++) {
        const struct pr_raw_move *move = &moves->sorted[i];
        uint32_t fact = builder->merged[pr_move_fact(move->key)], to = pr_move_to(move->key);
        if (fact != PR_NO_ID)
            entries->at[entries->count++] = (struct entry){fact, pr_move_from(move->key), to == PR_MOVE_NEVER ? PR_NEVER : to,
                                                           move->bytes, move->count};
    }
    return unite(entries);
}

static bool copy_moves(struct pr_profile *profile, const struct entries *entries)
{
    struct pr_move *moves = pr_arena_array(&profile->arena, entries->count, sizeof *moves);
    profile->fact_first_move = index_by_fact(profile, entries);
    if (!moves || !profile->fact_first_move)
        return false;
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->at[i];
        moves[i] = (struct pr_move){entry->first, entry->second, pr_shown_sum(entry->bytes), entry->count};
    }
    profile->moves = moves;
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

enum pr_status pr_history_finish(const struct pr_builder *builder, const struct pr_memory *memory, struct pr_error *err)
{
    struct pr_profile *profile = builder->profile;
    struct entries steps = {0}, moves = {0};
    bool good = make_steps(builder, &memory->bins, &steps) && copy_steps(profile, &steps) &&
                make_moves(builder, &memory->moves, &moves) && copy_moves(profile, &moves) &&
                copy_bins(profile, &memory->bins);
    free(steps.at);
    free(moves.at);
    return good ? PR_OK : pr_fail_memory(err);
}
