/* SPDX-License-Identifier: Apache-2.0 */
/* Characters as bytes. */
#include "capture/base/utf8.h"

#include "profrender/buf.h"

void pr_utf8_add(struct pr_buf *out, uint32_t code)
{
    if (code < 0x80) {
        pr_buf_byte(out, code);
    } else if (code < 0x800) {
        pr_buf_byte(out, 0xC0 | code >> 6);
        pr_buf_byte(out, 0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        pr_buf_byte(out, 0xE0 | code >> 12);
        pr_buf_byte(out, 0x80 | (code >> 6 & 0x3F));
        pr_buf_byte(out, 0x80 | (code & 0x3F));
    } else {
        pr_buf_byte(out, 0xF0 | code >> 18);
        pr_buf_byte(out, 0x80 | (code >> 12 & 0x3F));
        pr_buf_byte(out, 0x80 | (code >> 6 & 0x3F));
        pr_buf_byte(out, 0x80 | (code & 0x3F));
    }
}

void pr_utf8_add_utf16(struct pr_buf *out, uint32_t *high, uint32_t unit)
{
    if (!*high && (unit & 0xf800) != 0xd800) {
        pr_utf8_add(out, unit);
        return;
    }
    const bool is_high = unit >= 0xd800 && unit < 0xdc00, is_low = unit >= 0xdc00 && unit < 0xe000;
    if (*high)
        pr_utf8_add(out, is_low ? 0x10000 + ((*high - 0xd800) << 10) + (unit - 0xdc00) : 0xfffd);
    if (!is_high && !(is_low && *high))
        pr_utf8_add(out, is_low ? 0xfffd : unit);
    *high = is_high ? unit : 0;
}

void pr_utf8_end_utf16(struct pr_buf *out, uint32_t high)
{
    if (high)
        pr_utf8_add(out, 0xfffd);
}
