/* SPDX-License-Identifier: Apache-2.0 */
/* Writing columns: LEB128, zigzag, differences. */
#include "render/payload/payload_columns.h"

#include <inttypes.h>

void pr_columns_begin(struct pr_columns *columns)
{
    columns->start = columns->bytes.length;
    columns->count = 0;
    columns->last = 0;
}

void pr_columns_u8(struct pr_columns *columns, uint8_t value)
{
    columns->count++;
    pr_buf_byte(&columns->bytes, value);
}

void pr_columns_end(struct pr_columns *columns, const char *name, const char *type)
{
    pr_buf_printf(&columns->list, "%s[\"%s\",\"%s\",%" PRIu64 ",%zu]", columns->list.length ? "," : "", name, type,
                  columns->count, columns->bytes.length - columns->start);
}

void pr_columns_raw(struct pr_columns *columns, const char *name, const struct pr_buf *bytes)
{
    pr_columns_begin(columns);
    pr_buf_add(&columns->bytes, bytes->bytes, bytes->length);
    columns->count = bytes->length;
    pr_columns_end(columns, name, "raw");
}

void pr_columns_join(const struct pr_buf *head, const struct pr_columns *columns, struct pr_buf *bytes)
{
    static const char before[] = ",\"columns\":[", after[] = "]}";
    const struct pr_buf *list = &columns->list;
    const size_t length = head->length + sizeof before - 1 + list->length + sizeof after - 1;
    bytes->length = 0;
    for (unsigned shift = 0; shift < 32; shift += 8)
        pr_buf_byte(bytes, (unsigned)(length >> shift) & 0xFF);
    pr_buf_add(bytes, head->bytes, head->length);
    pr_buf_text(bytes, before);
    pr_buf_add(bytes, list->bytes, list->length);
    pr_buf_text(bytes, after);
    pr_buf_add(bytes, columns->bytes.bytes, columns->bytes.length);
    bytes->failed |= head->failed | list->failed | columns->bytes.failed;
}

void pr_columns_clear(struct pr_columns *columns)
{
    pr_buf_clear(&columns->bytes);
    pr_buf_clear(&columns->list);
    *columns = (struct pr_columns){0};
}
