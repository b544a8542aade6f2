/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a protobuf message, as they are in its bytes: what a number of a field means is for the caller to know.
 *
 *     struct pr_protobuf_field field;
 *     bool damaged = false;
 *     while (pr_protobuf_next(&message, &field, &damaged))
 *         if (field.number == 2 && field.wire == PR_WIRE_BYTES)
 *             read_inner(field.bytes);
 *
 * Source: protobuf.dev, "Encoding".
 */
#ifndef PR_CAPTURE_PARSE_PROTOBUF_H
#define PR_CAPTURE_PARSE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pr_wire { PR_WIRE_VARINT = 0, PR_WIRE_FIXED64 = 1, PR_WIRE_BYTES = 2, PR_WIRE_FIXED32 = 5 };

enum { PR_PROTOBUF_HEAD_BYTES = 20 }; /* of the longest key and number */

/* A part of a message that is in memory; borrowed. */
struct pr_protobuf_span {
    const uint8_t *at, *end;
};

struct pr_protobuf_field {
    uint32_t number;   /* above 0 */
    enum pr_wire wire;
    uint64_t value;    /* of a number that is a varint; the length of bytes; 0 for numbers of fixed size */
    struct pr_protobuf_span bytes; /* set by pr_protobuf_next */
};

/* Key and number of a field, without the bytes that follow a length. Returns its length; 0 = damaged or too short. */
size_t pr_protobuf_head(struct pr_protobuf_span span, struct pr_protobuf_field *field);

/* The next field of MESSAGE, which moves past it. False: no more. *DAMAGED is then set if something was left. */
bool pr_protobuf_next(struct pr_protobuf_span *message, struct pr_protobuf_field *field, bool *damaged);

#endif
