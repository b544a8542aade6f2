/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/quantile_sketch.h"

#include "capture/base/sort.h"

#include <stdlib.h>
#include <string.h>

/*
 * So many digits below the bits that are the same tell most values apart; the few that they leave in disorder are
 * moved. A file can have values that they do not tell apart: these are sorted by all digits.
 */
enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS, PASSES = 3 };

uint64_t pr_double_key(double value)
{
    uint64_t bits;
    value += 0.0; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double value_of(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* One pass by the digit at SHIFT. False: all keys have the same digit there, and nothing was done. */
static bool sort_pass(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
    size_t starts[RADIX] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        starts[from[i] >> shift & (RADIX - 1)]++;
    if (starts[from[0] >> shift & (RADIX - 1)] == count)
        return false;
    for (size_t i = 0; i < RADIX; i++) {
        const size_t here = starts[i];
        starts[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[from[i] >> shift & (RADIX - 1)]++] = from[i];
    return true;
}

/* By the digits from SHIFT on, into *KEYS or *SPARE, of which *KEYS then is the sorted one. */
static void sort_from(uint64_t **keys, uint64_t **spare, size_t count, unsigned shift)
{
    for (; shift < 64; shift += RADIX_BITS) {
        if (!sort_pass(*keys, *spare, count, shift))
            continue;
        uint64_t *const swapped = *keys;
        *keys = *spare;
        *spare = swapped;
    }
}

/* Moves each key that is lower than those before it to its place. False: they are too many, and all are still there. */
static bool insert_all(uint64_t *keys, size_t count)
{
    enum { MOVES = 2 };
    size_t moves = 0;
    for (size_t i = 1; i < count; i++) {
        const uint64_t key = keys[i];
        size_t at = i;
        for (; at && keys[at - 1] > key && moves <= MOVES * count; at--, moves++)
            keys[at] = keys[at - 1];
        keys[at] = key;
        if (moves > MOVES * count)
            return false;
    }
    return true;
}

/* The lowest bit of the digits that are worth a pass each: below the bits that all keys have the same. */
static unsigned first_digit(const uint64_t *keys, size_t count)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < count; i++)
        differ |= keys[i] ^ keys[0];
    const unsigned bits = differ ? 64 - (unsigned)__builtin_clzll(differ) : 0;
    return bits > PASSES * RADIX_BITS ? bits - PASSES * RADIX_BITS : 0;
}

bool pr_sort_doubles(double *values, size_t count)
{
    if (count < 2)
        return true;
    uint64_t *keys = malloc(2 * count * sizeof *keys);
    if (!keys)
        return false;
    uint64_t *from = keys, *to = keys + count;
    for (size_t i = 0; i < count; i++)
        from[i] = pr_double_key(values[i]);
    const unsigned first = first_digit(from, count);
    sort_from(&from, &to, count, first);
    if (first && !insert_all(from, count))
        sort_from(&from, &to, count, 0);
    for (size_t i = 0; i < count; i++)
        values[i] = value_of(from[i]);
    free(keys);
    return true;
}

/* Two runs in order, of which the lower value is taken next. */
struct runs {
    const double *a, *a_end, *b, *b_end;
};

static double take_lower(struct runs *runs)
{
    const bool is_b = runs->a == runs->a_end || (runs->b < runs->b_end && *runs->b < *runs->a);
    return is_b ? *runs->b++ : *runs->a++;
}

/*
 * Moves every second value of the full buffer of LEVEL, in their order, to the next level, which has room for them. The
 * lowest level is sorted; the others have two halves that came in order.
 */
static bool halve(struct pr_quantile_sketch *sketch, unsigned level)
{
    enum { HALF = PR_SKETCH_BUFFER / 2 };
    double *const from = sketch->buffer[level], *const to = sketch->buffer[level + 1] + sketch->used[level + 1];
    struct runs runs = {from, from + HALF, from + HALF, from + PR_SKETCH_BUFFER};
    const bool odd = sketch->odd[level];
    if (!level && !pr_sort_doubles(from, PR_SKETCH_BUFFER))
        return false;
    for (size_t i = 0; i < HALF; i++) {
        const double first = take_lower(&runs), second = take_lower(&runs);
        to[i] = odd ? second : first;
    }
    sketch->odd[level] = !odd;
    sketch->used[level + 1] += HALF;
    sketch->used[level] = 0;
    sketch->error += UINT64_C(1) << level;
    return true;
}

/* Room in the buffer of level 0. */
static bool make_room(struct pr_quantile_sketch *sketch)
{
    unsigned full = 0;
    while (full < PR_SKETCH_LEVELS && sketch->used[full] == PR_SKETCH_BUFFER)
        full++;
    if (full == PR_SKETCH_LEVELS)
        return false; /* 2^52 values */
    for (unsigned level = 0; level <= full; level++)
        if (!sketch->buffer[level] && !(sketch->buffer[level] = malloc(PR_SKETCH_BUFFER * sizeof(double))))
            return false;
    while (full-- > 0)
        if (!halve(sketch, full))
            return false;
    return true;
}

bool pr_quantile_sketch_add(struct pr_quantile_sketch *sketch, const double *values, size_t count)
{
    while (count) {
        if ((!sketch->buffer[0] || sketch->used[0] == PR_SKETCH_BUFFER) && !make_room(sketch))
            return false;
        const size_t room = PR_SKETCH_BUFFER - sketch->used[0], taken = count < room ? count : room;
        memcpy(sketch->buffer[0] + sketch->used[0], values, taken * sizeof *values);
        sketch->used[0] += (uint32_t)taken;
        sketch->count += taken;
        values += taken;
        count -= taken;
    }
    return true;
}

static int by_value(const void *a, const void *b, const void *context)
{
    const double x = ((const struct pr_weighted *)a)->value, y = ((const struct pr_weighted *)b)->value;
    (void)context;
    return PR_ORDER(x, y);
}

struct pr_weighted *pr_quantile_sketch_values(const struct pr_quantile_sketch *sketch, size_t *count)
{
    size_t all = 0, at = 0;
    for (unsigned level = 0; level < PR_SKETCH_LEVELS; level++)
        all += sketch->used[level];
    struct pr_weighted *values = malloc((all ? all : 1) * sizeof *values);
    for (unsigned level = 0; values && level < PR_SKETCH_LEVELS; level++)
        for (uint32_t i = 0; i < sketch->used[level]; i++)
            values[at++] = (struct pr_weighted){sketch->buffer[level][i], UINT64_C(1) << level};
    if (values && !pr_sort(values, all, sizeof *values, by_value, NULL)) {
        free(values);
        values = NULL;
    }
    *count = all;
    return values;
}

void pr_quantile_sketch_clear(struct pr_quantile_sketch *sketch)
{
    for (unsigned level = 0; level < PR_SKETCH_LEVELS; level++)
        free(sketch->buffer[level]);
    *sketch = (struct pr_quantile_sketch){0};
}
