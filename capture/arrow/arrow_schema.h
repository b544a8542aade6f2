/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of an Arrow table, as the schema message of a stream or file has them.
 *
 * Source: apache/arrow format/Schema.fbs and format/Message.fbs, version 1.5 of the columnar format.
 */
#ifndef PR_CAPTURE_ARROW_ARROW_SCHEMA_H
#define PR_CAPTURE_ARROW_ARROW_SCHEMA_H

#include "capture/arrow/flat_buffer.h"
#include "profrender/arena.h"
#include "profrender/error.h"

enum { PR_ARROW_MOST_FIELDS = 200000, PR_ARROW_MOST_DEPTH = 32 };

enum pr_arrow_kind {
    PR_ARROW_NULL,
    PR_ARROW_BOOLEAN,
    PR_ARROW_INTEGER, /* bits, is_signed */
    PR_ARROW_REAL,    /* bits: 16, 32, 64 */
    PR_ARROW_DECIMAL, /* bits, precision, scale */
    PR_ARROW_DATE,    /* bits: 32, days; 64, milliseconds */
    PR_ARROW_TIME,    /* bits, unit */
    PR_ARROW_MOMENT,  /* unit, has_zone: else it is a local time */
    PR_ARROW_DURATION,
    PR_ARROW_INTERVAL, /* unit: enum pr_arrow_interval */
    PR_ARROW_BYTES,    /* is_text, is_large or is_view */
    PR_ARROW_FIXED_BYTES,
    PR_ARROW_LIST, /* is_large, is_view, is_map */
    PR_ARROW_FIXED_LIST,
    PR_ARROW_STRUCT,
    PR_ARROW_UNION,
    PR_ARROW_RUNS /* children: the ends of runs, and their values */
};

enum pr_arrow_unit { PR_ARROW_SECONDS, PR_ARROW_MILLISECONDS, PR_ARROW_MICROSECONDS, PR_ARROW_NANOSECONDS };
enum pr_arrow_interval { PR_ARROW_MONTHS, PR_ARROW_DAYS_AND_MS, PR_ARROW_MONTHS_DAYS_NS };

struct pr_arrow_field {
    struct pr_text name;
    enum pr_arrow_kind kind;
    uint16_t bits; /* of a value, where it has as many in each row */
    bool is_signed, is_text, is_large, is_view, is_map, is_dense, has_zone, is_uuid;
    int unit;
    int32_t precision, scale;
    int32_t size;          /* bytes of FIXED_BYTES, elements of FIXED_LIST */
    const int8_t *members; /* [128] of a union: the child that each type id chooses; -1: none */

    /* A dictionary has the values, and the column says which. */
    bool has_dictionary, index_is_signed;
    uint16_t index_bits;
    int64_t dictionary_id;

    struct pr_arrow_field *children;
    uint32_t child_count;
};

struct pr_arrow_schema {
    struct pr_arena arena;
    struct pr_arrow_field *fields;
    uint32_t field_count;
    uint32_t all; /* fields at every depth */
};

/* Reads the table Schema. PR_FAILED: damaged, big endian, with a type that is not known, or no memory. */
enum pr_status pr_arrow_schema_read(struct pr_arrow_schema *schema, struct pr_flat_table table, struct pr_error *err);

void pr_arrow_schema_clear(struct pr_arrow_schema *schema);

#endif
