/* SPDX-License-Identifier: Apache-2.0 */
/* Lines in place, in the source's window. */
#include "capture/parse/lines.h"

#include <string.h>

struct pr_lines pr_lines_begin(struct pr_source *src, struct pr_error *err)
{
    return (struct pr_lines){.src = src, .err = err};
}

/* The line of LENGTH bytes at the source's `at`. */
static bool take(struct pr_lines *lines, size_t length, bool ended)
{
    const char *bytes = (const char *)lines->src->at;
    lines->skip = length + ended;
    lines->ended = ended;
    if (length && bytes[length - 1] == '\r')
        length--;
    lines->text = (struct pr_text){bytes, (uint32_t)length};
    return true;
}

/* Skips the line that is longer than the caller wants. */
static void leave_out(struct pr_lines *lines)
{
    struct pr_source *src = lines->src;
    const uint8_t *newline = NULL;
    lines->left_out++;
    while (!newline && pr_source_need(src, 1)) {
        newline = memchr(src->at, '\n', (size_t)(src->end - src->at));
        pr_source_skip(src, newline ? (size_t)(newline + 1 - src->at) : (size_t)(src->end - src->at));
    }
    lines->offset = pr_source_offset(src);
}

bool pr_lines_next(struct pr_lines *lines)
{
    struct pr_source *src = lines->src;
    size_t searched = 0;
    pr_source_skip(src, lines->skip);
    lines->skip = 0;
    lines->offset = pr_source_offset(src);
    while (!lines->failed) {
        size_t have = (size_t)(src->end - src->at);
        const uint8_t *newline = have > searched ? memchr(src->at + searched, '\n', have - searched) : NULL;
        const size_t length = newline ? (size_t)(newline - src->at) : have;
        const bool is_long = lines->longest && length >= lines->longest;
        if (newline && !is_long)
            return take(lines, length, true);
        searched = have;
        if (is_long) {
            leave_out(lines);
            searched = 0;
            continue;
        }
        if (pr_source_need(src, have + 1))
            continue;
        if (src->error.code != PR_ERR_NONE) {
            pr_cut(lines->err, src->error.code, lines->offset, "line", "%s", src->error.text);
            lines->failed = true;
        }
        return have && !lines->failed && take(lines, have, false);
    }
    return false;
}

enum pr_status pr_lines_status(const struct pr_lines *lines)
{
    return lines->failed ? PR_CUT : PR_END;
}
