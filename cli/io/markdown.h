/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Markdown as GitHub and GitLab show it, with untrusted names in it: they appear as they are, in code, and can neither
 * end a cell of a table nor become a link, a mention or HTML.
 */
#ifndef PR_CLI_IO_MARKDOWN_H
#define PR_CLI_IO_MARKDOWN_H

#include "profrender/buf.h"
#include "profrender/string_table.h"

/*
 * Appends NAME as code, cut to COLUMNS; what a terminal would obey is escaped (cli/io/terminal_names.h). Empty:
 * nothing.
 */
void pr_markdown_code(struct pr_buf *buf, struct pr_text name, size_t columns);

/* The same for a place: a path, cut in its middle, and a line if there is one (above 0). */
void pr_markdown_place(struct pr_buf *buf, struct pr_text file, int32_t line, size_t columns);

/* The same for the path of an input. Of an absolute one only the name: its folders are those of another machine. */
void pr_markdown_file(struct pr_buf *buf, const char *path, size_t columns);

/* A sentence with such names in it: all of it is text. */
void pr_markdown_text(struct pr_buf *buf, struct pr_text text);

/* Lines as they are, for between <pre> and </pre>; what a terminal would obey is escaped already. */
void pr_markdown_pre(struct pr_buf *buf, struct pr_text lines);

/* The same as text of its own: no sign in them is Markdown's. */
void pr_markdown_lines(struct pr_buf *buf, struct pr_text lines);

#endif
