/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The most frequent values of a column and how often they occur: exactly while the different values fit, then within a
 * bound.
 *
 * When the table is full, the median of its counts is subtracted from all, and values that have nothing left are
 * dropped. From then on a value that is not in the table has to pass first: its hash chooses a counter, and only when
 * that has reached `bar` it goes into the table. A counter has at least all occurrences of each value that it let pass,
 * and few values among millions of different ones come so far. With what was subtracted, the bar is `error`: a value
 * that is in the table occurred `count` times or more and `count + error` times at most, one that is not at most
 * `error` times. The bar is raised where the counters show that many values wait; among few, it would stop each for
 * nothing.
 *
 * Source: Misra and Gries, "Finding repeated elements", 1982; Anderson and others, "A High-Performance Algorithm for
 *         Identifying Frequent Items in Data Streams", 2017; Homem and Carvalho, "Finding top-k elements in data
 *         streams", 2010, for the counters before the table.
 */
#ifndef PR_CAPTURE_FRAME_FREQUENT_H
#define PR_CAPTURE_FRAME_FREQUENT_H

#include "profrender/data_frame.h"

#define PR_FREQUENT_NOWHERE SIZE_MAX

enum {
    PR_FREQUENT_MOST = 8192,
    PR_FREQUENT_WAITING = 1 << 15,
    PR_FREQUENT_BYTES = 256 /* of a longer value, its beginning: those with the same length and hash are one value */
};

struct pr_frequent_item {
    uint64_t hash, count;
    size_t at;             /* of its bytes */
    uint32_t length, kept; /* of the value; and how many of its bytes are kept */
};

struct pr_frequent {
    struct pr_frequent_item *items; /* [count], in the order of their first occurrence */
    size_t count, capacity;
    uint32_t *slots; /* number of an item + 1, and bits of its hash; 0 = free */
    size_t slot_count;
    char *bytes;
    size_t bytes_used, bytes_capacity;
    uint64_t error, salt;
    uint16_t *waiting; /* [PR_FREQUENT_WAITING] none is above BAR; NULL: no value has to wait */
    uint64_t waited, bar; /* WAITED: the sum of WAITING */
    size_t last; /* place among ITEMS of the value that was added last; PR_FREQUENT_NOWHERE: it waits */
};

/* A value with this hash is added soon: its slot is fetched from memory meanwhile. */
void pr_frequent_expect(const struct pr_frequent *frequent, uint64_t hash);

/* One more of the value of LENGTH bytes at TEXT, of which HASH is the hash. False: no memory. */
bool pr_frequent_add(struct pr_frequent *frequent, const char *text, uint32_t length, uint64_t hash);

/* The same TIMES times. */
bool pr_frequent_add_times(struct pr_frequent *frequent, const char *text, uint32_t length, uint64_t hash,
                           uint64_t times);

/*
 * Adds COUNT values of eight bytes; a table that counts these has no others. The hashes of values that the table had
 * fewer than two occurrences of are moved to the front of HASHES: there are *RARE. False: no memory.
 */
bool pr_frequent_add_numbers(struct pr_frequent *frequent, const uint64_t *keys, uint64_t *hashes, size_t count,
                             size_t *rare);

/* The place of a value among ITEMS; `count` where it is not there. */
size_t pr_frequent_place(const struct pr_frequent *frequent, const char *text, uint32_t length, uint64_t hash);

/* As if COUNT values had been added that nothing is known of. */
void pr_frequent_skip(struct pr_frequent *frequent, uint64_t count);

void pr_frequent_clear(struct pr_frequent *frequent);

#endif
