/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/hash_sample.h"

#include "capture/base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 64, LARGEST = 2 * PR_SAMPLE_MOST };

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

/* Into a table of CAPACITY, without those that are left out now. */
static bool rebuild(struct pr_hash_sample *sample, size_t capacity)
{
    struct pr_hash_sample new = *sample;
    new.hashes = calloc(capacity, sizeof *new.hashes);
    new.counts = malloc(capacity * sizeof *new.counts);
    new.capacity = capacity;
    new.unused_bits = 64 - (unsigned)__builtin_ctzll(capacity);
    new.used = 0;
    new.kept = 0;
    if (!new.hashes || !new.counts) {
        free(new.hashes);
        free(new.counts);
        return false;
    }
    for (size_t i = 0; i < sample->capacity; i++) {
        if (!sample->hashes[i] || is_left_out(&new, sample->hashes[i]))
            continue;
        const size_t slot = slot_of(&new, sample->hashes[i]);
        new.hashes[slot] = sample->hashes[i];
        new.counts[slot] = sample->counts[i];
        new.kept += sample->counts[i];
        new.used++;
    }
    free(sample->hashes);
    free(sample->counts);
    *sample = new;
    return true;
}

static bool make_room(struct pr_hash_sample *sample)
{
    if (!sample->capacity) {
        sample->salt = pr_hash_new_salt();
        return rebuild(sample, SMALLEST);
    }
    if (sample->used < sample->capacity / 2)
        return true;
    if (sample->capacity < LARGEST)
        return rebuild(sample, sample->capacity * 2);
    while (sample->used >= PR_SAMPLE_MOST && sample->shift < 63) {
        sample->shift++;
        if (!rebuild(sample, sample->capacity))
            return false;
    }
    return true;
}

void pr_hash_sample_expect(const struct pr_hash_sample *sample, uint64_t hash)
{
    if (!sample->capacity || is_left_out(sample, hash))
        return;
    const size_t slot = first_slot(sample, hash + !hash);
    __builtin_prefetch(&sample->hashes[slot], 1);
    __builtin_prefetch(&sample->counts[slot], 1);
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
    if (!sample->hashes[slot]) {
        sample->hashes[slot] = hash;
        sample->counts[slot] = 0;
        sample->used++;
    }
    sample->counts[slot] = sample->counts[slot] > UINT32_MAX - count ? UINT32_MAX : sample->counts[slot] + count;
    sample->now = sample->counts[slot];
    sample->kept += count;
    return true;
}

void pr_hash_sample_clear(struct pr_hash_sample *sample)
{
    free(sample->hashes);
    free(sample->counts);
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
