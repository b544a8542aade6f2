/* SPDX-License-Identifier: Apache-2.0 */
/* Lives of Python objects: a live set, and a histogram for each fact. */
#include "capture/heap/object_lives.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <stdlib.h>

bool pr_object_lives_init(struct pr_object_lives *o)
{
    *o = (struct pr_object_lives){.kinds = {.words = 1}};
    return pr_liveset_init(&o->live);
}

void pr_object_lives_clear(struct pr_object_lives *o)
{
    pr_liveset_clear(&o->live);
    pr_idset_clear(&o->kinds);
    free(o->lives);
    free(o->created);
    free(o->alive);
    *o = (struct pr_object_lives){0};
}

void pr_object_lives_sample(struct pr_object_lives *o, uint64_t ms)
{
    o->samples++;
    o->now_ms = ms > o->now_ms ? ms : o->now_ms;
}

static bool grow_column(int64_t **column, size_t old, size_t capacity)
{
    size_t has = old;
    if (!pr_grow(column, &has, capacity, sizeof **column))
        return false;
    for (size_t i = old; i < capacity; i++)
        (*column)[i] = 0;
    return true;
}

bool pr_object_lives_reach(struct pr_object_lives *o, uint32_t count)
{
    if (count <= o->fact_capacity)
        return true;
    const size_t old = o->fact_capacity, capacity = old * 2 > count ? old * 2 : count + (size_t)256;
    if (!grow_column(&o->created, old, capacity) || !grow_column(&o->alive, old, capacity))
        return false;
    o->fact_capacity = capacity;
    return true;
}

/* MS with all but its first digits 0. */
static uint32_t rounded(uint64_t ms)
{
    if (ms > UINT32_MAX)
        ms = UINT32_MAX;
    unsigned dropped = 0;
    while (ms >> dropped >= (uint64_t)1 << PR_LIFE_DIGITS)
        dropped++;
    return (uint32_t)(ms >> dropped << dropped);
}

static bool count_life(struct pr_object_lives *o, uint32_t fact, uint64_t ms)
{
    const uint32_t lived_ms = rounded(ms), longest_ms = ms > UINT32_MAX ? UINT32_MAX : (uint32_t)ms;
    const uint64_t key = pr_pair(fact, lived_ms);
    const uint32_t before = o->kinds.count, number = pr_idset_add(&o->kinds, &key, 1);
    if (number == PR_NO_ID || !pr_grow(&o->lives, &o->life_capacity, (size_t)number + 1, sizeof *o->lives))
        return false;
    if (number == before)
        o->lives[number] = (struct pr_life){.lived_ms = lived_ms};
    o->lives[number].count++;
    if (longest_ms > o->lives[number].longest_ms)
        o->lives[number].longest_ms = longest_ms;
    return true;
}

bool pr_object_lives_create(struct pr_object_lives *o, uint32_t fact, uint64_t address)
{
    const struct pr_live entry = {address, o->now_ms, fact + 1, 0};
    struct pr_live old;
    if (!pr_object_lives_reach(o, fact + 1) || !pr_liveset_put(&o->live, &entry, &old))
        return false;
    if (old.fact) { /* its end was not recorded */
        o->replaced++;
        o->alive[old.fact - 1]--;
    }
    o->created[fact]++;
    o->alive[fact]++;
    return true;
}

bool pr_object_lives_destroy(struct pr_object_lives *o, uint64_t address)
{
    struct pr_live old;
    if (!pr_liveset_take(&o->live, address, &old)) {
        o->older++;
        return true;
    }
    o->destroyed++;
    o->alive[old.fact - 1]--;
    return count_life(o, old.fact - 1, o->now_ms - old.size);
}

/* ---- into a profile */

static int compare_lives(const void *a, const void *b, const void *context)
{
    const struct pr_life *x = a, *y = b;
    (void)context;
    return x->fact != y->fact ? PR_ORDER(x->fact, y->fact) : PR_ORDER(x->lived_ms, y->lived_ms);
}

/* Lives under the numbers of the profile's facts, one of each length. Returns how many. */
static size_t take_lives(const struct pr_object_lives *o, const uint32_t *merged, struct pr_life *out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < o->kinds.count; i++) {
        const uint32_t fact = merged[pr_high(o->kinds.keys[i])];
        if (fact == PR_NO_ID)
            continue;
        out[count] = o->lives[i];
        out[count++].fact = fact;
    }
    return count;
}

static size_t unite(struct pr_life *lives, size_t count)
{
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        struct pr_life *last = made ? &lives[made - 1] : NULL;
        if (!last || compare_lives(last, &lives[i], NULL)) {
            lives[made++] = lives[i];
            continue;
        }
        last->count += lives[i].count;
        if (lives[i].longest_ms > last->longest_ms)
            last->longest_ms = lives[i].longest_ms;
    }
    return made;
}

bool pr_object_lives_finish(const struct pr_object_lives *o, const struct pr_stack_table *builder)
{
    struct pr_profile *profile = builder->profile;
    struct pr_life *lives = pr_arena_array(&profile->arena, o->kinds.count, sizeof *lives);
    if (!lives)
        return false;
    size_t count = take_lives(o, builder->merged, lives);
    if (!pr_sort(lives, count, sizeof *lives, compare_lives, NULL))
        return false;
    count = unite(lives, count);
    profile->objects = (struct pr_objects){
        .known = true, .alive = o->live.count, .destroyed = o->destroyed, .replaced = o->replaced, .older = o->older,
        .created = o->destroyed + o->replaced + o->live.count,
        .step_ms = o->samples ? (uint32_t)(o->now_ms / o->samples) : 0, .life_count = count, .lives = lives};
    return true;
}
