/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only place that escapes. Names from a capture are a stranger's bytes: whatever they hold, the page shows it as
 * text and runs none of it.
 *
 *     pr_html(out, "<td title='%s'>%.*s</td>", tip, PR_TEXT(name));
 *
 * Markup can only come from a format, which the compiler sees; there is no way to paste a string unescaped.
 *
 * Two steps make bytes safe. First they become *visible*: what is not UTF-8 is shown as \xNN, controls, line and
 * paragraph separators, direction marks and invisible characters as \n, \x1b or \u202e. Then what has a meaning in
 * HTML is escaped, the same way for text and for attributes, which must be in quotes of either kind.
 *
 * Errors: as with pr_buf, `failed` is set when there is no memory.
 */
#ifndef PR_RENDER_HTML_HTML_H
#define PR_RENDER_HTML_HTML_H

#include "profrender/buf.h"
#include "profrender/string_table.h"

/* The two arguments of "%.*s". Texts over 2 GiB cannot come this far: pr_limits.max_string_bytes. */
#define PR_TEXT(text) (int)(text).length, (text).bytes

/*
 * FORMAT is HTML; what is put into it is escaped. It knows %s, %.*s (all LENGTH bytes, NULs too), integers (%d, %u,
 * %zu, PRId64, ...) and %%.
 */
void pr_html(struct pr_buf *out, const char *format, ...) PR_PRINTF(2, 3);

/*
 * A name or path with places to break at: it wraps on a page without styles too. If it would fill screens, its first
 * 1,000 characters and how many bytes follow; the payload has all of it.
 */
void pr_html_name(struct pr_buf *out, struct pr_text text);

/* At most MAX_CHARACTERS of the text, then an ellipsis. */
void pr_html_cut(struct pr_buf *out, struct pr_text text, size_t max_characters);

/* The first step alone, for what is not HTML: the strings of the payload. The result is UTF-8. */
void pr_visible(struct pr_buf *out, struct pr_text text);

/* The text as a JSON string, visible, in quotes. */
void pr_json_string(struct pr_buf *out, const char *text);

#endif
