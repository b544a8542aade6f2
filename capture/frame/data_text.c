/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/data_text.h"

#include "capture/base/utf8.h"
#include "profrender/buf.h"

/* Source: Unicode, Public/MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252.TXT; the five that it leaves out as in ISO-8859-1. */
uint32_t pr_data_character_of_1252(unsigned char byte)
{
    static const uint16_t differing[32] = {0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                           0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                                           0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                           0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};
    return byte >= 0x80 && byte < 0xA0 ? differing[byte - 0x80] : byte;
}

static struct pr_text copy_of(struct pr_arena *arena, const char *bytes, size_t length, bool *failed)
{
    const char *copy = pr_arena_copy(arena, length ? bytes : "", length);
    *failed |= !copy;
    return copy ? (struct pr_text){copy, (uint32_t)length} : (struct pr_text){"", 0};
}

struct pr_text pr_data_text(struct pr_arena *arena, const char *bytes, uint32_t length, bool from_1252, bool *failed)
{
    struct pr_buf buf = {0};
    if (!from_1252)
        return copy_of(arena, bytes, length, failed);
    for (uint32_t i = 0; i < length; i++)
        pr_utf8_add(&buf, pr_data_character_of_1252((unsigned char)bytes[i]));
    *failed |= buf.failed;
    const struct pr_text text = copy_of(arena, buf.bytes, buf.length, failed);
    pr_buf_clear(&buf);
    return text;
}

uint32_t pr_data_whole_characters(const char *bytes, uint32_t length)
{
    uint32_t end = length;
    while (end && length - end < 3 && ((unsigned char)bytes[end - 1] & 0xC0) == 0x80)
        end--;
    if (!end || (unsigned char)bytes[end - 1] < 0xC0)
        return length;
    size_t size;
    return pr_utf8_next(bytes + end - 1, length - end + 1, &size) == PR_UTF8_BAD ? end - 1 : length;
}
