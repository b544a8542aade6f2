/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many different values there are among many: exactly while they fit, then by those of a part of all hashes.
 *
 * A set of hashes. When it is full, every hash whose lowest bit is set leaves it, and from then on stays out; when it
 * is full again, those with the next bit set. What remains are the values of one hash in 2^shift, each with all its
 * occurrences. So the number of different values is 2^shift times theirs, and how many occur once or again is known for
 * a sample that was chosen by value, not by row: two equal rows are both in it, or both are not.
 *
 * Bound: how many of the values are left is binomial, so 3 * sqrt(M) of the M that are, times 2^shift, is beyond three
 * standard deviations. With 131,072 left or more that is below 0.9 %. It is a bound for values that were not chosen to
 * defeat it.
 *
 * Source: Flajolet, "On Adaptive Sampling", 1990 (Wegman's algorithm).
 */
#ifndef PR_CAPTURE_FRAME_HASH_SAMPLE_H
#define PR_CAPTURE_FRAME_HASH_SAMPLE_H

#include "profrender/data_frame.h"

enum { PR_SAMPLE_MOST = 1 << 18 };

struct pr_hash_sample {
    bool has_no_counts; /* set it first: only whether a value occurs again is known, in a bit */
    uint64_t *hashes;   /* [capacity], 0 = free */
    uint32_t *counts;   /* [capacity] */
    uint64_t *again;    /* [capacity / 64] without counts */
    size_t capacity, used;
    unsigned shift;
    unsigned unused_bits; /* of a hash, for its place: 64 less those of CAPACITY */
    uint64_t kept;        /* occurrences of the values that are in it; without counts, up to two of each */
    uint64_t salt;
    uint32_t now; /* how often the value that was added last was there; 0: it is not in the sample */
};

/* HASH is added soon: its place is fetched from memory meanwhile. */
void pr_hash_sample_expect(const struct pr_hash_sample *sample, uint64_t hash);

/* False: no memory. */
bool pr_hash_sample_add(struct pr_hash_sample *sample, uint64_t hash, uint32_t count);

/* COUNT of them, in their order. */
bool pr_hash_sample_add_all(struct pr_hash_sample *sample, const uint64_t *hashes, size_t count);

void pr_hash_sample_clear(struct pr_hash_sample *sample);

/* Different values. */
struct pr_data_count pr_hash_sample_distinct(const struct pr_hash_sample *sample);

/* Of ALL occurrences, those that are not the first of their value; of a sample with counts. */
struct pr_data_count pr_hash_sample_repeated(const struct pr_hash_sample *sample, uint64_t all);

/* Whether no value of the sample occurred twice. */
bool pr_hash_sample_is_unique(const struct pr_hash_sample *sample);

#endif
