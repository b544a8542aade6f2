/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, numbers, lengths. */
#include "capture/parse/protobuf.h"

#include "capture/base/varint.h"

size_t pr_protobuf_head(struct pr_protobuf_span span, struct pr_protobuf_field *field)
{
    *field = (struct pr_protobuf_field){0};
    uint64_t key;
    size_t length = pr_varint_get(span.at, span.end, &key), taken = 0;
    if (!length || key >> 3 == 0 || key >> 3 > UINT32_MAX)
        return 0;
    span.at += length;
    field->number = (uint32_t)(key >> 3);
    field->wire = (enum pr_wire)(key & 7);
    if (field->wire == PR_WIRE_VARINT || field->wire == PR_WIRE_BYTES)
        taken = pr_varint_get(span.at, span.end, &field->value);
    else if (field->wire == PR_WIRE_FIXED64 || field->wire == PR_WIRE_FIXED32)
        taken = field->wire == PR_WIRE_FIXED64 ? 8 : 4;
    return taken && taken <= (size_t)(span.end - span.at) ? length + taken : 0;
}

bool pr_protobuf_next(struct pr_protobuf_span *message, struct pr_protobuf_field *field, bool *damaged)
{
    if (message->at == message->end)
        return false;
    size_t taken = pr_protobuf_head(*message, field);
    message->at += taken;
    uint64_t rest = (uint64_t)(message->end - message->at), length = field->wire == PR_WIRE_BYTES ? field->value : 0;
    if (!taken || length > rest) {
        *damaged = true;
        return false;
    }
    field->bytes = (struct pr_protobuf_span){message->at, message->at + length};
    message->at += length;
    return true;
}
