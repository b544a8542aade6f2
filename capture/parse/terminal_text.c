/* SPDX-License-Identifier: Apache-2.0 */
/* An escape sequence is skipped whole, by its first letter. */
#include "capture/parse/terminal_text.h"

#include <string.h>

enum { ESC = 0x1B, BEL = 0x07 };

bool pr_plain_needed(struct pr_text text)
{
    return text.length && memchr(text.bytes, ESC, text.length);
}

/* Past the control sequence whose parameters begin at AT. */
static uint32_t skip_control(struct pr_text text, uint32_t at)
{
    while (at < text.length && text.bytes[at] >= 0x20 && text.bytes[at] < 0x40)
        at++;
    return at < text.length && text.bytes[at] >= 0x40 && text.bytes[at] < 0x7F ? at + 1 : at;
}

/* Past a string, such as a title or a link. */
static uint32_t skip_string(struct pr_text text, uint32_t at)
{
    for (; at < text.length && text.bytes[at] != '\n'; at++) {
        if (text.bytes[at] == BEL)
            return at + 1;
        if (text.bytes[at] == ESC && at + 1 < text.length && text.bytes[at + 1] == '\\')
            return at + 2;
    }
    return at;
}

/* Past the sequence whose ESC is at AT. */
static uint32_t skip_sequence(struct pr_text text, uint32_t at)
{
    at++;
    if (at == text.length || text.bytes[at] == '\n')
        return at;
    if (text.bytes[at] == '[')
        return skip_control(text, at + 1);
    if (strchr("]PX^_", text.bytes[at]) && text.bytes[at])
        return skip_string(text, at + 1);
    while (at < text.length && text.bytes[at] >= 0x20 && text.bytes[at] < 0x30) /* as in "ESC ( B" */
        at++;
    return at < text.length && text.bytes[at] != '\n' ? at + 1 : at;
}

void pr_plain_add(struct pr_buf *out, struct pr_text text)
{
    for (uint32_t at = 0; at < text.length;) {
        const char *escape = memchr(text.bytes + at, ESC, text.length - at);
        const uint32_t end = escape ? (uint32_t)(escape - text.bytes) : text.length;
        pr_buf_add(out, text.bytes + at, end - at);
        at = escape ? skip_sequence(text, end) : end;
    }
}
