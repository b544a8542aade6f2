/* SPDX-License-Identifier: Apache-2.0 */
/* Moves: radix sort of what is new, one merge into what is old. */
#include "capture/heap/lifetimes.h"

#include "capture/base/checked.h"
#include "capture/base/idset.h"
#include "capture/base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_FRESH = 1 << 10, MOST_MOVES = 1 << 20, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

bool pr_lifetimes_init(struct pr_lifetimes *moves)
{
    *moves = (struct pr_lifetimes){.sorted_most = MOST_MOVES, .fresh_most = PR_LIFETIMES_FRESH};
    return pr_lifetimes_make_room(moves);
}

void pr_lifetimes_bound(struct pr_lifetimes *moves, size_t most)
{
    moves->sorted_most = most < MOST_MOVES ? most : MOST_MOVES;
    while (moves->fresh_most > FIRST_FRESH && moves->fresh_most > most / 2)
        moves->fresh_most /= 2;
}

void pr_lifetimes_clear(struct pr_lifetimes *moves)
{
    free(moves->sorted);
    free(moves->fresh);
    *moves = (struct pr_lifetimes){0};
}

/*
 * Sorts COUNT moves by key, least significant digit first; digits in which no two keys differ are skipped. *MOVES may
 * become another array with the same CAPACITY.
 */
static bool sort(struct pr_raw_lifetime **moves, size_t count, size_t capacity)
{
    uint64_t differs = 0;
    bool is_sorted = true;
    struct pr_raw_lifetime *from = *moves;
    for (size_t i = 1; i < count; i++) {
        differs |= from[i].key ^ from[0].key;
        is_sorted = is_sorted && from[i - 1].key <= from[i].key;
    }
    if (is_sorted)
        return true;
    struct pr_raw_lifetime *to = malloc(capacity * sizeof *to);
    if (!to)
        return false;
    for (unsigned shift = 0; shift < 64 && differs >> shift; shift += DIGIT_BITS) {
        if (!(differs >> shift & (DIGITS - 1)))
            continue;
        size_t start[DIGITS] = {0}, sum = 0;
        for (size_t i = 0; i < count; i++)
            start[from[i].key >> shift & (DIGITS - 1)]++;
        for (size_t digit = 0; digit < DIGITS; digit++) {
            size_t here = start[digit];
            start[digit] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++)
            to[start[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
        struct pr_raw_lifetime *swap = from;
        from = to;
        to = swap;
    }
    free(to);
    *moves = from;
    return true;
}

static void add(struct pr_raw_lifetime *sum, const struct pr_raw_lifetime *move)
{
    sum->bytes = (int64_t)((uint64_t)sum->bytes + (uint64_t)move->bytes);
    sum->count += move->count;
}

/* Adds up neighbours with the same key, in place. */
static size_t unite(struct pr_raw_lifetime *moves, size_t count)
{
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        if (made && moves[made - 1].key == moves[i].key)
            add(&moves[made - 1], &moves[i]);
        else
            moves[made++] = moves[i];
    }
    return made;
}

/*
 * FRESH into SORTED, which has room for both; each has a key once. From the end on, so that what is moved makes room
 * for what is not. Returns how many there are then.
 */
static size_t merge(struct pr_raw_lifetime *sorted, size_t sorted_count, const struct pr_raw_lifetime *fresh,
                    size_t fresh_count)
{
    const size_t end = sorted_count + fresh_count;
    size_t at = end;
    while (fresh_count) {
        const struct pr_raw_lifetime *last = &fresh[fresh_count - 1];
        if (sorted_count && sorted[sorted_count - 1].key >= last->key) {
            sorted[--at] = sorted[--sorted_count];
            if (sorted[at].key != last->key)
                continue;
            add(&sorted[at], last);
        } else {
            sorted[--at] = *last;
        }
        fresh_count--;
    }
    if (at > sorted_count)
        memmove(&sorted[sorted_count], &sorted[at], (end - at) * sizeof *sorted);
    return sorted_count + (end - at);
}

bool pr_lifetimes_settle(struct pr_lifetimes *moves)
{
    if (!moves->fresh_count)
        return true;
    if (!sort(&moves->fresh, moves->fresh_count, moves->fresh_capacity))
        return false;
    const size_t fresh_count = unite(moves->fresh, moves->fresh_count), all = moves->sorted_count + fresh_count;
    /* By half, not exactly: an array that moves each time leaves holes that are as large as itself. */
    if (!pr_grow(&moves->sorted, &moves->sorted_capacity, all, sizeof *moves->sorted))
        return false;
    moves->sorted_count = merge(moves->sorted, moves->sorted_count, moves->fresh, fresh_count);
    moves->fresh_count = 0;
    return true;
}

bool pr_lifetimes_end(struct pr_lifetimes *moves)
{
    const bool settled = pr_lifetimes_settle(moves);
    free(moves->fresh);
    moves->fresh = NULL;
    moves->fresh_count = moves->fresh_capacity = 0;
    return settled;
}

bool pr_lifetimes_make_room(struct pr_lifetimes *moves)
{
    if (moves->fresh_capacity >= moves->fresh_most)
        return pr_lifetimes_settle(moves);
    size_t need = moves->fresh_capacity ? moves->fresh_capacity * 2 : FIRST_FRESH;
    return pr_grow(&moves->fresh, &moves->fresh_capacity, need, sizeof *moves->fresh);
}

bool pr_lifetimes_halve(struct pr_lifetimes *moves)
{
    if (!pr_lifetimes_settle(moves))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < moves->sorted_count; i++) {
        struct pr_raw_lifetime move = moves->sorted[i];
        uint32_t from = pr_lifetime_from(move.key) / 2, to = pr_lifetime_to(move.key);
        to = to == PR_LIFETIME_NEVER ? PR_LIFETIME_NEVER : to / 2;
        move.key = pr_lifetime_key(pr_lifetime_fact(move.key), from, to);
        if (from != to)
            moves->sorted[kept++] = move;
    }
    /* Within a fact, halving keeps the order by `from`, but not that by `to` where two `from` are now the same. */
    if (!sort(&moves->sorted, kept, moves->sorted_capacity))
        return false;
    moves->sorted_count = unite(moves->sorted, kept);
    return true;
}

static int compare_keys(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(((const struct pr_raw_lifetime *)a)->key, ((const struct pr_raw_lifetime *)b)->key);
}

static bool are_sorted(const struct pr_raw_lifetime *moves, size_t count)
{
    size_t i = 1;
    while (i < count && moves[i - 1].key <= moves[i].key)
        i++;
    return i >= count;
}

bool pr_lifetimes_unite(struct pr_lifetimes *moves, size_t begin)
{
    const size_t count = moves->sorted_count - begin;
    if (count < 2)
        return true;
    struct pr_raw_lifetime *at = moves->sorted + begin;
    if (!are_sorted(at, count) && !pr_sort(at, count, sizeof *at, compare_keys, NULL))
        return false;
    moves->sorted_count = begin + unite(at, count);
    return true;
}

bool pr_lifetimes_append(struct pr_lifetimes *moves, size_t begin, const struct pr_raw_lifetime *move)
{
    if (moves->sorted_count == moves->sorted_capacity) {
        const size_t count = moves->sorted_count - begin;
        if (!pr_lifetimes_unite(moves, begin))
            return false;
        if (moves->sorted_count - begin >= count / 2 &&
            !pr_grow(&moves->sorted, &moves->sorted_capacity, moves->sorted_count + 1, sizeof *moves->sorted))
            return false;
    }
    moves->sorted[moves->sorted_count++] = *move;
    return true;
}

bool pr_lifetimes_group(struct pr_lifetimes *moves, const uint32_t *group)
{
    size_t kept = 0;
    for (size_t i = 0; i < moves->sorted_count; i++) {
        struct pr_raw_lifetime move = moves->sorted[i];
        const uint32_t fact = group[pr_lifetime_fact(move.key)];
        move.key = pr_lifetime_key(fact, pr_lifetime_from(move.key), pr_lifetime_to(move.key));
        if (fact != PR_NO_ID)
            moves->sorted[kept++] = move;
    }
    if (!sort(&moves->sorted, kept, moves->sorted_capacity))
        return false;
    moves->sorted_count = unite(moves->sorted, kept);
    return true;
}

bool pr_lifetimes_are_full(const struct pr_lifetimes *moves)
{
    return moves->sorted_count > moves->sorted_most;
}
