/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/log_commands.h"

#include "capture/base/ascii.h"

static bool is_word(char byte)
{
    return pr_is_letter(byte) || byte == '-' || byte == '_';
}

/* "::WORD::" or "::WORD " begins at TEXT. */
static bool is_line_command(const char *text, size_t length)
{
    size_t at = 2;
    if (length < 4 || text[0] != ':' || text[1] != ':')
        return false;
    while (at < length && is_word(text[at]))
        at++;
    return at > 2 && at < length && (text[at] == ':' || text[at] == ' ');
}

/* "##[" or "##WORD[" begins at TEXT. */
static bool is_bracket_command(const char *text, size_t length)
{
    size_t at = 2;
    if (length < 3 || text[0] != '#' || text[1] != '#')
        return false;
    while (at < length && is_word(text[at]))
        at++;
    return at < length && text[at] == '[';
}

void pr_add_uncommanding(struct pr_buf *buf, const char *text, size_t length)
{
    size_t done = 0;
    for (size_t at = 0; at < length; at++) {
        if (text[at] != ':' && text[at] != '#') /* most text has neither */
            continue;
        const bool may_begin_line = at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t' || text[at - 1] == '\n';
        const char *escape = is_bracket_command(text + at, length - at)                ? "\\x23"
                             : may_begin_line && is_line_command(text + at, length - at) ? "\\x3a"
                                                                                         : NULL;
        if (!escape)
            continue;
        pr_buf_add(buf, text + done, at - done);
        pr_buf_text(buf, escape);
        done = at + 1;
    }
    pr_buf_add(buf, text + done, length - done);
}
