/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as a stream: documents of any size in no memory, the same bytes for the same calls.
 *
 *     struct pr_json_writer json = pr_json_writer_start(&out, false);
 *     pr_json_put_open(&json, '{');
 *     pr_json_put_key(&json, "total");  pr_json_put_int(&json, 42);
 *     pr_json_put_key(&json, "rows");   pr_json_put_lines(&json, '[');     // each element on a line of its own
 *     ...
 *     pr_json_put_close(&json, ']');
 *     pr_json_put_close(&json, '}');
 *
 * Strings are bytes. What is not UTF-8 in them becomes U+FFFD exactly as in Python's bytes.decode("utf-8", "replace"),
 * or with raw names `\udcXX` for each byte, as in its "surrogateescape". Control characters and those that hide or
 * reverse text are escaped, so that a document shown on a terminal does nothing to it.
 */
#ifndef PR_CLI_IO_JSON_WRITER_H
#define PR_CLI_IO_JSON_WRITER_H

#include "profrender/string_table.h"
#include "cli/io/output.h"

enum { PR_JSON_WRITER_MAX_DEPTH = 16 };

struct pr_json_writer {
    struct pr_output *out;
    bool raw_names;
    bool after_key;
    unsigned depth;
    bool has_items[PR_JSON_WRITER_MAX_DEPTH]; /* by depth */
    bool lines[PR_JSON_WRITER_MAX_DEPTH];     /* each item is on its own line */
};

struct pr_json_writer pr_json_writer_start(struct pr_output *out, bool raw_names);

void pr_json_put_open(struct pr_json_writer *json, char bracket);  /* '{' or '[' */
void pr_json_put_lines(struct pr_json_writer *json, char bracket); /* the same, each item on its own line */
void pr_json_put_close(struct pr_json_writer *json, char bracket); /* '}' or ']' */

void pr_json_put_key(struct pr_json_writer *json, const char *key);
void pr_json_put_name(struct pr_json_writer *json, struct pr_text name);
void pr_json_put_buf(struct pr_json_writer *json, const char *key, struct pr_buf *text); /* a whole member; clears it */
void pr_json_put_text(struct pr_json_writer *json, const char *text); /* NULL: null */
void pr_json_put_int(struct pr_json_writer *json, int64_t value);
void pr_json_put_uint(struct pr_json_writer *json, uint64_t value);
void pr_json_put_bool(struct pr_json_writer *json, bool value);
void pr_json_put_null(struct pr_json_writer *json);

/* As few digits as give the same double when they are read; null for what is not a finite number. */
void pr_json_put_real(struct pr_json_writer *json, double value);

/* VALUE in 10^-PLACES (at most 18), without zeros at its end: with 9 places, 1500000000 is 1.5. */
void pr_json_put_fixed(struct pr_json_writer *json, int64_t value, unsigned places);

/* The same as text, for other formats. */
enum { PR_FIXED_SIZE = 48 };
const char *pr_fixed_text(char text[PR_FIXED_SIZE], int64_t value, unsigned places);

#endif
