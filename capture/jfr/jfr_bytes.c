/* SPDX-License-Identifier: Apache-2.0 */
/* Each value is checked against the end of the bytes before it is read. */
#include "capture/jfr/jfr_bytes.h"

#include "capture/base/utf8.h"

static bool has(struct pr_jfr_bytes *bytes, uint64_t count)
{
    if (!bytes->failed && count <= (uint64_t)(bytes->end - bytes->at))
        return true;
    bytes->failed = true;
    bytes->at = bytes->end;
    return false;
}

uint8_t pr_jfr_u8(struct pr_jfr_bytes *bytes)
{
    return has(bytes, 1) ? *bytes->at++ : 0;
}

uint64_t pr_jfr_big_endian(struct pr_jfr_bytes *bytes, unsigned count)
{
    uint64_t value = 0;
    if (!has(bytes, count))
        return 0;
    for (unsigned i = 0; i < count; i++)
        value = value << 8 | *bytes->at++;
    return value;
}

static int64_t compressed(struct pr_jfr_bytes *bytes)
{
    enum { LAST_SHIFT = 56 };
    uint64_t value = 0;
    if (bytes->at < bytes->end && *bytes->at < 0x80)
        return *bytes->at++; /* most are small */
    for (unsigned shift = 0; shift < LAST_SHIFT; shift += 7) {
        const uint8_t byte = pr_jfr_u8(bytes);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return (int64_t)value;
    }
    return (int64_t)(value | (uint64_t)pr_jfr_u8(bytes) << LAST_SHIFT);
}

int64_t pr_jfr_integer(struct pr_jfr_bytes *bytes, unsigned size)
{
    if (bytes->compressed)
        return compressed(bytes);
    const unsigned unused = 64 - 8 * size;
    return (int64_t)(pr_jfr_big_endian(bytes, size) << unused) >> unused;
}

uint32_t pr_jfr_count(struct pr_jfr_bytes *bytes)
{
    const int64_t count = pr_jfr_integer(bytes, 4);
    if (count < 0 || count > UINT32_MAX || !has(bytes, (uint64_t)count)) {
        bytes->failed = true;
        return 0;
    }
    return (uint32_t)count;
}

void pr_jfr_skip(struct pr_jfr_bytes *bytes, uint64_t count)
{
    if (has(bytes, count))
        bytes->at += count;
}

struct pr_jfr_string pr_jfr_string(struct pr_jfr_bytes *bytes)
{
    struct pr_jfr_string string = {.encoding = PR_JFR_NULL, .text = *bytes};
    const uint8_t encoding = pr_jfr_u8(bytes);
    if (encoding >= PR_JFR_ENCODINGS) {
        bytes->failed = true;
        return string;
    }
    string.encoding = encoding;
    if (encoding == PR_JFR_CONSTANT)
        string.key = pr_jfr_integer(bytes, 8);
    const uint32_t count = encoding > PR_JFR_CONSTANT ? pr_jfr_count(bytes) : 0;
    string.text.at = bytes->at;
    for (uint32_t i = 0; i < count && encoding == PR_JFR_UTF16; i++)
        pr_jfr_integer(bytes, 2);
    if (encoding != PR_JFR_UTF16)
        pr_jfr_skip(bytes, count);
    string.text.end = bytes->at;
    return string;
}

static void add_utf16(struct pr_jfr_bytes text, struct pr_buf *out)
{
    uint32_t high = 0;
    while (text.at < text.end)
        pr_utf8_add_utf16(out, &high, (uint32_t)pr_jfr_integer(&text, 2) & 0xffff);
    pr_utf8_end_utf16(out, high);
}

void pr_jfr_string_add(const struct pr_jfr_string *string, struct pr_buf *out)
{
    const struct pr_jfr_bytes text = string->text;
    if (string->encoding == PR_JFR_UTF8)
        pr_buf_add(out, text.at, (size_t)(text.end - text.at));
    else if (string->encoding == PR_JFR_UTF16)
        add_utf16(text, out);
    for (const uint8_t *at = text.at; at < text.end && string->encoding == PR_JFR_LATIN1; at++)
        pr_utf8_add(out, *at);
}
