/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FlatBuffers, read without a schema: every offset is checked before it is followed.
 *
 *     struct pr_flat flat = {bytes, size, false};
 *     struct pr_flat_table root = pr_flat_root(&flat);
 *     int64_t rows = pr_flat_number(root, 0, 8, 0);
 *     if (flat.is_broken) ...
 *
 * What is absent has its default; what points out of the buffer has it too, and sets `is_broken`. So a caller may read
 * all that it wants and ask once. A buffer may point to the same table many times, or in a circle: callers bound depth
 * and number of what they visit.
 *
 * Source: flatbuffers.dev, "FlatBuffer Internals": tables, vtables, vectors, strings.
 */
#ifndef PR_CAPTURE_ARROW_FLAT_BUFFER_H
#define PR_CAPTURE_ARROW_FLAT_BUFFER_H

#include "profrender/string_table.h"

struct pr_flat {
    const uint8_t *bytes; /* borrowed */
    uint32_t size;
    bool is_broken;
};

struct pr_flat_table {
    struct pr_flat *flat; /* NULL: absent, all its fields have their defaults */
    uint32_t at, vtable;
    uint16_t field_count, size;
};

struct pr_flat_vector {
    struct pr_flat *flat;
    uint32_t at, count;
};

struct pr_flat_table pr_flat_root(struct pr_flat *flat);

static inline bool pr_flat_is_there(struct pr_flat_table table)
{
    return table.flat != NULL;
}

/* The signed number of WIDTH (1, 2, 4 or 8) bytes in FIELD. */
int64_t pr_flat_number(struct pr_flat_table table, unsigned field, unsigned width, int64_t fallback);

struct pr_flat_table pr_flat_child(struct pr_flat_table table, unsigned field);

/* Borrowed from the buffer; empty when absent. */
struct pr_text pr_flat_text(struct pr_flat_table table, unsigned field);

/* A vector of elements of ELEMENT_BYTES: structs and numbers as they are, tables as offsets of 4 bytes. */
struct pr_flat_vector pr_flat_vector(struct pr_flat_table table, unsigned field, unsigned element_bytes);

/* Table number INDEX, which must be below the vector's count. */
struct pr_flat_table pr_flat_element(struct pr_flat_vector vector, uint32_t index);

#endif
