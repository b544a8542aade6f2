/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of numbers as the payload holds them: see doc/formats/payload.md, "Columns". A column is begun, filled and
 * ended; ending it adds it to the list in the head.
 */
#ifndef PR_RENDER_PAYLOAD_PAYLOAD_COLUMNS_H
#define PR_RENDER_PAYLOAD_PAYLOAD_COLUMNS_H

#include "capture/base/varint.h"
#include "profrender/buf.h"

struct pr_columns {
    struct pr_buf bytes; /* of all columns, one after the other */
    struct pr_buf list;  /* JSON: ["name", "type", count, bytes], ... */
    size_t start;        /* of the column being filled, in bytes */
    uint64_t count;      /* of its values so far */
    int64_t last;        /* its last value, for dv */
};

void pr_columns_begin(struct pr_columns *columns);

void pr_columns_u8(struct pr_columns *columns, uint8_t value);

static inline void pr_columns_uv(struct pr_columns *columns, uint64_t value)
{
    uint8_t *bytes = (uint8_t *)pr_buf_room(&columns->bytes, PR_VARINT_BYTES);
    columns->count++;
    if (bytes)
        pr_buf_use(&columns->bytes, (size_t)(pr_varint_put(bytes, value) - bytes));
}

static inline void pr_columns_sv(struct pr_columns *columns, int64_t value)
{
    pr_columns_uv(columns, pr_zigzag(value));
}

/* The difference wraps as two's complement does. */
static inline void pr_columns_dv(struct pr_columns *columns, int64_t value)
{
    const uint64_t difference = (uint64_t)value - (uint64_t)columns->last;
    columns->last = value;
    pr_columns_sv(columns, (int64_t)difference);
}

/* NAME is one of our own: it goes into the JSON unchanged. */
void pr_columns_end(struct pr_columns *columns, const char *name, const char *type);

/* BYTES as one column, COUNT = its length. */
void pr_columns_raw(struct pr_columns *columns, const char *name, const struct pr_buf *bytes);

/* A pack: the length of its head, HEAD, which lacks the list of columns and its end, the list, the columns. */
void pr_columns_join(const struct pr_buf *head, const struct pr_columns *columns, struct pr_buf *bytes);

void pr_columns_clear(struct pr_columns *columns);

#endif
