/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/hash_sample.h"

#include "capture/base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { SMALLEST = 64, LARGEST = 2 * PR_SAMPLE_MOST, LARGE_PAGE = 1 << 21 };

static bool is_left_out(const struct pr_hash_sample *sample, uint64_t hash)
{
    return (hash & ((UINT64_C(1) << sample->shift) - 1)) != 0;
}

/* By the highest bits, so that a table of another size has its hashes in the same order. */
static size_t first_slot(const struct pr_hash_sample *sample, uint64_t hash)
{
    return (size_t)(pr_hash_u64(hash ^ sample->salt) >> sample->unused_bits);
}

static size_t slot_of(const struct pr_hash_sample *sample, uint64_t hash)
{
    size_t at = first_slot(sample, hash);
    while (sample->hashes[at] && sample->hashes[at] != hash)
        at = (at + 1) & (sample->capacity - 1);
    return at;
}

/* ---- counts ----------------------------------------------------------------------------------------------------- */

static uint32_t count_at(const struct pr_hash_sample *sample, size_t slot)
{
    if (sample->counts)
        return sample->counts[slot];
    return 1 + (uint32_t)(sample->again[slot / 64] >> slot % 64 & 1);
}

static void set_count(struct pr_hash_sample *sample, size_t slot, uint32_t count)
{
    const uint64_t bit = UINT64_C(1) << slot % 64;
    if (sample->counts)
        sample->counts[slot] = count;
    else if (count > 1)
        sample->again[slot / 64] |= bit;
    else
        sample->again[slot / 64] &= ~bit;
}

static void put(struct pr_hash_sample *sample, uint64_t hash, uint32_t count)
{
    const size_t slot = slot_of(sample, hash);
    sample->hashes[slot] = hash;
    set_count(sample, slot, count);
    sample->kept += count;
    sample->used++;
}

/*
 * Its places are visited in no order, so a large table is in large pages where the system has them: most visits would
 * have to look up their page otherwise.
 */
static uint64_t *new_hashes(size_t capacity)
{
    const size_t size = capacity * sizeof(uint64_t);
    uint64_t *hashes = size < LARGE_PAGE ? calloc(1, size) : aligned_alloc(LARGE_PAGE, size);
    if (!hashes || size < LARGE_PAGE)
        return hashes;
#if defined(MADV_HUGEPAGE)
    madvise(hashes, size, MADV_HUGEPAGE);
#endif
    return memset(hashes, 0, size);
}

/* ---- room ------------------------------------------------------------------------------------------------------- */

static bool widen(struct pr_hash_sample *sample, size_t capacity)
{
    struct pr_hash_sample new = *sample;
    new.hashes = new_hashes(capacity);
    new.counts = sample->has_no_counts ? NULL : malloc(capacity * sizeof *new.counts);
    new.again = sample->has_no_counts ? calloc(capacity / 64, sizeof *new.again) : NULL;
    new.capacity = capacity;
    new.unused_bits = 64 - (unsigned)__builtin_ctzll(capacity);
    new.used = 0;
    new.kept = 0;
    if (!new.hashes || (!new.counts && !new.again)) {
        free(new.hashes);
        free(new.counts);
        free(new.again);
        return false;
    }
    for (size_t i = 0; i < sample->capacity; i++)
        if (sample->hashes[i])
            put(&new, sample->hashes[i], count_at(sample, i));
    free(sample->hashes);
    free(sample->counts);
    free(sample->again);
    *sample = new;
    return true;
}

/*
 * Takes out those that are left out now, in the same table. From a free slot on, no value lies before its first slot:
 * each that stays finds its place at or before the one that it had.
 */
static void thin(struct pr_hash_sample *sample)
{
    size_t start = 0;
    while (sample->hashes[start])
        start++;
    sample->used = 0;
    sample->kept = 0;
    for (size_t i = 1; i < sample->capacity; i++) {
        const size_t slot = (start + i) & (sample->capacity - 1);
        const uint64_t hash = sample->hashes[slot];
        const uint32_t count = count_at(sample, slot);
        if (!hash)
            continue;
        sample->hashes[slot] = 0;
        if (!is_left_out(sample, hash))
            put(sample, hash, count);
    }
}

static bool make_room(struct pr_hash_sample *sample)
{
    if (!sample->capacity) {
        sample->salt = pr_hash_new_salt();
        return widen(sample, SMALLEST);
    }
    if (sample->used < sample->capacity / 2)
        return true;
    if (sample->capacity < LARGEST)
        return widen(sample, sample->capacity * 2);
    while (sample->used >= PR_SAMPLE_MOST && sample->shift < 63) {
        sample->shift++;
        thin(sample);
    }
    return true;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

void pr_hash_sample_expect(const struct pr_hash_sample *sample, uint64_t hash)
{
    if (!sample->capacity || is_left_out(sample, hash))
        return;
    const size_t slot = first_slot(sample, hash + !hash);
    __builtin_prefetch(&sample->hashes[slot], 1);
    if (sample->counts)
        __builtin_prefetch(&sample->counts[slot], 1);
    else
        __builtin_prefetch(&sample->again[slot / 64], 1);
}

bool pr_hash_sample_add(struct pr_hash_sample *sample, uint64_t hash, uint32_t count)
{
    sample->now = 0;
    if (is_left_out(sample, hash))
        return true;
    hash += !hash; /* 0 is for free slots */
    if (!make_room(sample))
        return false;
    if (is_left_out(sample, hash))
        return true;
    const size_t slot = slot_of(sample, hash);
    const bool is_new = !sample->hashes[slot];
    const uint32_t before = is_new ? 0 : count_at(sample, slot), most = sample->counts ? UINT32_MAX : 2;
    sample->now = count > most - before ? most : before + count;
    if (is_new) {
        sample->hashes[slot] = hash;
        sample->used++;
    }
    if (sample->now != before)
        set_count(sample, slot, sample->now);
    sample->kept += sample->counts ? count : sample->now - before;
    return true;
}

bool pr_hash_sample_add_all(struct pr_hash_sample *sample, const uint64_t *hashes, size_t count)
{
    enum { PART = 1024, AHEAD = 48 };
    uint64_t kept[PART];
    for (size_t first = 0; first < count; first += PART) {
        const size_t end = count - first < PART ? count : first + PART;
        size_t kept_count = 0;
        for (size_t i = first; i < end; i++) { /* without a branch, as nobody can guess which are kept */
            kept[kept_count] = hashes[i];
            kept_count += !is_left_out(sample, hashes[i]);
        }
        for (size_t i = 0; i < kept_count && i < AHEAD; i++)
            pr_hash_sample_expect(sample, kept[i]);
        for (size_t i = 0; i < kept_count; i++) {
            if (i + AHEAD < kept_count)
                pr_hash_sample_expect(sample, kept[i + AHEAD]);
            if (!pr_hash_sample_add(sample, kept[i], 1))
                return false;
        }
    }
    return true;
}

void pr_hash_sample_clear(struct pr_hash_sample *sample)
{
    free(sample->hashes);
    free(sample->counts);
    free(sample->again);
    *sample = (struct pr_hash_sample){0};
}

/* FOUND in the sample, times what it is a part of; at most MOST. */
static struct pr_data_count scaled(const struct pr_hash_sample *sample, uint64_t found, uint64_t most)
{
    if (!sample->shift)
        return (struct pr_data_count){found, found, found};
    const double factor = (double)(UINT64_C(1) << sample->shift);
    const double value = (double)found * factor, spread = 3 * factor * sqrt((double)found + 1);
    const double low = value - spread, high = value + spread;
    struct pr_data_count count = {.value = value < (double)most ? (uint64_t)value : most, .high = most};
    count.low = low > (double)found ? (uint64_t)low : found;
    if (high < (double)most)
        count.high = (uint64_t)high;
    if (count.low > count.value)
        count.low = count.value;
    return count;
}

struct pr_data_count pr_hash_sample_distinct(const struct pr_hash_sample *sample)
{
    return scaled(sample, sample->used, UINT64_MAX);
}

struct pr_data_count pr_hash_sample_repeated(const struct pr_hash_sample *sample, uint64_t all)
{
    return scaled(sample, sample->kept - sample->used, all);
}

bool pr_hash_sample_is_unique(const struct pr_hash_sample *sample)
{
    return sample->kept == sample->used;
}
