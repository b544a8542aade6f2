/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text from a source, line by line.
 *
 *     struct pr_lines lines = pr_lines_begin(src, err);
 *     while (pr_lines_next(&lines))
 *         use(lines.text, lines.offset);
 *     return pr_lines_status(&lines);
 */
#ifndef PR_CAPTURE_PARSE_LINES_H
#define PR_CAPTURE_PARSE_LINES_H

#include "capture/base/text.h"
#include "capture/input/source.h"

struct pr_lines {
    struct pr_source *src;
    struct pr_error *err;
    struct pr_text text; /* the line without its end (\n or \r\n), not closed by a NUL; borrowed until the next call */
    uint64_t offset;     /* where it begins */
    bool ended;          /* a newline ended it; the last line of a text may have none, because the text was cut there */
    bool failed;         /* err is filled: the input breaks, or a line is too long (64 MiB) */
    size_t skip;         /* for lines.c alone */
    size_t longest;      /* set it after pr_lines_begin: lines beyond about so many bytes are left out; 0: they fail */
    uint64_t left_out;   /* lines that were, since the caller last set it to 0 */
};

struct pr_lines pr_lines_begin(struct pr_source *src, struct pr_error *err);

/* The next line; empty ones are lines too. False: no more. */
bool pr_lines_next(struct pr_lines *lines);

/* PR_END, or PR_CUT with err filled. */
enum pr_status pr_lines_status(const struct pr_lines *lines);

#endif
