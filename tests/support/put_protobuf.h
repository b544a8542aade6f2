/* SPDX-License-Identifier: Apache-2.0 */
/* Fields and messages of protobuf, for tests of the formats that are made of them. */
#ifndef PR_TESTS_SUPPORT_PUT_PROTOBUF_H
#define PR_TESTS_SUPPORT_PUT_PROTOBUF_H

#include "profrender/buf.h"

static inline void put_varint(struct pr_buf *buf, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        pr_buf_byte(buf, (unsigned)(value & 0x7f) | 0x80);
    pr_buf_byte(buf, (unsigned)value);
}

static inline void put_number(struct pr_buf *buf, unsigned field, uint64_t value)
{
    put_varint(buf, field << 3);
    put_varint(buf, value);
}

static inline void put_bytes(struct pr_buf *buf, unsigned field, const void *bytes, size_t length)
{
    put_varint(buf, field << 3 | 2);
    put_varint(buf, length);
    pr_buf_add(buf, bytes, length);
}

/* A message of numbers: pairs of field and value, which a field 0 ends. Field 100 + n is n, packed as a list of one. */
static inline void put_message(struct pr_buf *buf, unsigned field, const uint64_t (*pairs)[2])
{
    struct pr_buf message = {0};
    for (; (*pairs)[0]; pairs++) {
        struct pr_buf list = {0};
        put_varint(&list, (*pairs)[1]);
        if ((*pairs)[0] > 100)
            put_bytes(&message, (unsigned)(*pairs)[0] - 100, list.bytes, list.length);
        else
            put_number(&message, (unsigned)(*pairs)[0], (*pairs)[1]);
        pr_buf_clear(&list);
    }
    put_bytes(buf, field, message.bytes, message.length);
    pr_buf_clear(&message);
}

#define MESSAGE(buf, field, ...) put_message(buf, field, (const uint64_t[][2]){__VA_ARGS__, {0, 0}})

#endif
