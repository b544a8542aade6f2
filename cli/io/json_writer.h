/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as a stream: documents of any size in no memory, the same bytes for the same calls.
 *
 *     struct pr_json json = pr_json_start(&out, false);
 *     pr_write_open(&json, '{');
 *     pr_write_key(&json, "total");  pr_write_int(&json, 42);
 *     pr_write_key(&json, "rows");   pr_write_lines(&json, '[');     // its elements stand on a line each
 *     ...
 *     pr_write_close(&json, ']');
 *     pr_write_close(&json, '}');
 *
 * Strings are bytes. What is not UTF-8 in them becomes U+FFFD exactly as in Python's bytes.decode("utf-8", "replace"),
 * or with raw names `\udcXX` for each byte, as in its "surrogateescape". Control characters and those that hide or
 * turn text around are escaped, so that a document shown on a terminal does nothing to it.
 */
#ifndef PR_JSON_OUT_H
#define PR_JSON_OUT_H

#include "profrender/string_table.h"
#include "cli/io/output.h"

enum { PR_JSON_MAX_DEPTH = 16 };

struct pr_json {
    struct pr_output *out;
    bool raw_names;
    bool after_key;
    unsigned depth;
    bool has_items[PR_JSON_MAX_DEPTH]; /* by depth */
    bool lines[PR_JSON_MAX_DEPTH];     /* items stand on a line each */
};

struct pr_json pr_json_start(struct pr_output *out, bool raw_names);

void pr_write_open(struct pr_json *json, char bracket);  /* '{' or '[' */
void pr_write_lines(struct pr_json *json, char bracket); /* the same, each item on its own line */
void pr_write_close(struct pr_json *json, char bracket); /* '}' or ']' */

void pr_write_key(struct pr_json *json, const char *key);
void pr_write_name(struct pr_json *json, struct pr_text name);
void pr_write_text(struct pr_json *json, const char *text); /* NULL: null */
void pr_write_int(struct pr_json *json, int64_t value);
void pr_write_uint(struct pr_json *json, uint64_t value);
void pr_write_bool(struct pr_json *json, bool value);
void pr_write_null(struct pr_json *json);

/* VALUE in 10^-PLACES (at most 18), without zeros at its end: with 9 places, 1500000000 is 1.5. */
void pr_write_fixed(struct pr_json *json, int64_t value, unsigned places);

/* The same as text, for other formats. */
enum { PR_FIXED_SIZE = 48 };
const char *pr_fixed_text(char text[PR_FIXED_SIZE], int64_t value, unsigned places);

#endif
