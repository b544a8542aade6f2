/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch of rows as Arrow has them in memory: an array for each column, whose buffers are unpacked and checked.
 *
 * All that a value can point to is checked before the batch is given out: that buffers are as long as their rows ask
 * for, that offsets ascend and stay in what they point into, that every index is in its dictionary. So values are read
 * without a check (arrow_value.h), with one exception, which that file handles: a dictionary within another one's
 * values may be replaced by a shorter one later.
 *
 * Source: arrow.apache.org, "Arrow Columnar Format" 1.5, for layouts; format/Message.fbs for batches.
 */
#ifndef PR_CAPTURE_ARROW_ARROW_BATCH_H
#define PR_CAPTURE_ARROW_ARROW_BATCH_H

#include "capture/arrow/arrow_schema.h"
#include "capture/input/unpack_budget.h"

struct pr_arrow_bytes {
    const uint8_t *at;
    uint64_t size;
};

struct pr_arrow_array {
    const struct pr_arrow_field *field;
    bool is_index; /* its values are numbers of values of a dictionary, of field->index_bits */
    uint64_t length, missing;
    const uint8_t *validity; /* bits; NULL: all are there */
    const uint8_t *data;     /* values; offsets; views; type ids of a union */
    const uint8_t *more;     /* bytes that offsets point into; sizes of a list view; offsets of a dense union */
    uint64_t more_size;
    const struct pr_arrow_bytes *parts; /* what views point into */
    uint32_t part_count;
    struct pr_arrow_array *children;
    const struct pr_arrow_dictionary *dictionary; /* of an index */
};

/* The values of a dictionary: those of its first batch, and of each that added to it. */
struct pr_arrow_part {
    struct pr_arena arena;
    struct pr_arrow_array values;
    uint64_t first;
};

struct pr_arrow_dictionary {
    int64_t id;
    const struct pr_arrow_field *field; /* of one of the columns that have it */
    struct pr_arrow_part *parts;        /* [count] */
    size_t count, capacity;
    uint64_t length;
};

struct pr_arrow_dictionaries {
    struct pr_arrow_dictionary *list; /* [count], in the order of their ids; each has its place for good */
    size_t count;
};

/* NULL: no column has it. */
struct pr_arrow_dictionary *pr_arrow_dictionary_of(const struct pr_arrow_dictionaries *dictionaries, int64_t id);

struct pr_arrow_batch {
    struct pr_arena arena; /* what was unpacked, and the arrays */
    uint64_t rows;
    struct pr_arrow_array *columns; /* [count] */
    uint64_t bytes;                 /* of its buffers, unpacked */
};

/* What a batch is made of. */
struct pr_arrow_parcel {
    struct pr_flat_table table; /* RecordBatch */
    struct pr_arrow_bytes body; /* borrowed as long as the batch is used */
    const struct pr_arrow_field *fields;
    uint32_t field_count;
    bool of_dictionary; /* its one field's values, not its indices */
    bool is_version_4;
    const struct pr_arrow_dictionaries *dictionaries;
    struct pr_unpack_budget *budget;
};

/* PR_FAILED: damaged, or no memory; the batch must be cleared then as well. */
enum pr_status pr_arrow_batch_read(struct pr_arrow_batch *batch, const struct pr_arrow_parcel *parcel,
                                   struct pr_error *err);

void pr_arrow_batch_clear(struct pr_arrow_batch *batch);

/* Whether row I is there in ARRAY itself: what an index or a run leads to may still be missing. */
static inline bool pr_arrow_bit(const uint8_t *bits, uint64_t i)
{
    return bits[i / 8] >> i % 8 & 1;
}

/* Offset number I of an array with offsets. */
uint64_t pr_arrow_offset(const struct pr_arrow_array *array, uint64_t i);

/* Element I of INTEGERS of BITS. */
int64_t pr_arrow_integer(const uint8_t *integers, unsigned bits, bool is_signed, uint64_t i);

/* Says what is wrong with FIELD's part of the message. Returns PR_FAILED. */
enum pr_status pr_arrow_refuse(const struct pr_arrow_field *field, struct pr_error *err, const char *what);

#endif
