/* SPDX-License-Identifier: Apache-2.0 */
/* In single quotes, unless no shell would change it. */
#include "render/words/shell_word.h"

#include <string.h>

static bool is_plain_word(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@%-";
    return *text && *text != '-' && strspn(text, plain) == strlen(text);
}

void pr_shell_word(const char *name, struct pr_buf *out)
{
    if (is_plain_word(name)) {
        pr_buf_text(out, name);
        return;
    }
    pr_buf_text(out, *name == '-' ? "'./" : "'");
    for (; *name; name++) {
        if (*name == '\'')
            pr_buf_text(out, "'\\''");
        else
            pr_buf_byte(out, (unsigned char)*name);
    }
    pr_buf_byte(out, '\'');
}
