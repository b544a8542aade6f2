/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over our own HTML; names in it are escaped, so every < begins a tag. Names are left unchanged. */
#include "render/html/nonbreaking.h"

#include "capture/base/ascii.h"

#include <string.h>

static bool is_end(char c)
{
    return !pr_is_alphanumeric(c) && !((unsigned char)c & 0x80);
}

/* Whether a unit begins at TEXT. */
static bool is_unit(const char *text, size_t length)
{
    static const char *const units[] = {"%",  "B",           "KiB", "MiB", "GiB", "TiB", "PiB",
                                        "ns", "\xC2\xB5s", "ms",  "s",   "min", "h",   "d"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t size = strlen(units[i]);
        if (length >= size && !memcmp(text, units[i], size) && (length == size || is_end(text[size])))
            return true;
    }
    return false;
}

static bool begins(const char *html, size_t length, const char *what)
{
    const size_t size = strlen(what);
    return length >= size && !memcmp(html, what, size);
}

void pr_together_add(struct pr_buf *out, const char *html, size_t length)
{
    bool in_tag = false, in_name = false;
    for (size_t i = 0; i < length; i++) {
        in_tag = html[i] == '<' || (in_tag && html[i] != '>');
        in_name = (in_name || begins(html + i, length - i, "<code")) && !begins(html + i, length - i, "</code");
        const bool joins = !in_tag && !in_name && html[i] == ' ' && i && pr_is_digit(html[i - 1]) &&
                           is_unit(html + i + 1, length - i - 1);
        if (joins)
            pr_buf_text(out, "\xC2\xA0");
        else
            pr_buf_byte(out, (unsigned char)html[i]);
    }
}
