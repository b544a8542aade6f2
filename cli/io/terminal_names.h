/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names on a terminal: visibly escaped (`\x1b`, `\u202e`, `\xff`), so that a name can neither move the cursor nor
 * reverse text, nor command the log that it ends in (log_commands.h); and cut to columns, not to bytes.
 */
#ifndef PR_CLI_IO_TERMINAL_NAMES_H
#define PR_CLI_IO_TERMINAL_NAMES_H

#include "profrender/buf.h"
#include "profrender/string_table.h"

/* Makes the width of characters known, whatever the user's locale is; call it once. */
void pr_text_init(void);

/* Columns of text that is already visible: UTF-8 without control characters. */
size_t pr_text_columns(const char *visible, size_t length);

/* Bytes at the beginning of visible text that fit into COLUMNS, at least one character. */
size_t pr_text_fitting(const char *visible, size_t length, size_t columns);

/* Appends the name. */
void pr_text_add(struct pr_buf *buf, struct pr_text name);

/* Appends the name, cut at its end to at most COLUMNS (the last one is then an ellipsis). */
void pr_text_cut_end(struct pr_buf *buf, struct pr_text name, size_t columns);

/*
 * Appends the name of a function: what a qualified name begins with is left out ("…RequestEngine.doPeriodic"), as many
 * functions share it. One that is still too long, or has no such parts, is cut at its end.
 */
void pr_text_cut_function(struct pr_buf *buf, struct pr_text name, size_t columns);

/*
 * Appends a path, cut in the middle: its end stays, and if it is a relative one its first folder. Whole folders are
 * left out, unless the file's own name is too long.
 */
void pr_text_cut_path(struct pr_buf *buf, struct pr_text path, size_t columns);

/* The same for a place in the code, "features.py:12"; a LINE of 0 or less is unknown. Nothing without a file. */
void pr_text_cut_place(struct pr_buf *buf, struct pr_text file, int32_t line, size_t columns);

#endif
