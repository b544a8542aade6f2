/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/nettrace/nettrace_bytes.h"

#include "capture/base/utf8.h"
#include "capture/base/varint.h"

static bool has(struct pr_nettrace_bytes *bytes, uint64_t count)
{
    bytes->failed |= count > (uint64_t)(bytes->end - bytes->at);
    return !bytes->failed;
}

uint64_t pr_nettrace_number(struct pr_nettrace_bytes *bytes, unsigned count)
{
    uint64_t number = 0;
    if (!has(bytes, count))
        return 0;
    for (unsigned i = 0; i < count; i++)
        number |= (uint64_t)*bytes->at++ << 8 * i;
    return number;
}

uint64_t pr_nettrace_varint(struct pr_nettrace_bytes *bytes)
{
    uint64_t number;
    const size_t length = bytes->failed ? 0 : pr_varint_get(bytes->at, bytes->end, &number);
    bytes->failed |= !length;
    bytes->at += length;
    return length ? number : 0;
}

struct pr_nettrace_bytes pr_nettrace_part(struct pr_nettrace_bytes *bytes, uint64_t count)
{
    struct pr_nettrace_bytes part = {bytes->at, bytes->at, !has(bytes, count)};
    if (!part.failed)
        bytes->at = part.end += count;
    return part;
}

void pr_nettrace_utf16(struct pr_nettrace_bytes *bytes, struct pr_buf *out)
{
    uint32_t high = 0, unit;
    while ((unit = (uint32_t)pr_nettrace_number(bytes, 2)))
        if (out)
            pr_utf8_add_utf16(out, &high, unit);
    if (out)
        pr_utf8_end_utf16(out, high);
}

void pr_nettrace_utf8(struct pr_nettrace_bytes *bytes, struct pr_buf *out)
{
    const uint64_t length = pr_nettrace_varint(bytes);
    const struct pr_nettrace_bytes text = pr_nettrace_part(bytes, length);
    if (out)
        pr_buf_add(out, text.at, (size_t)(text.end - text.at));
}
