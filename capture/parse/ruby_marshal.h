/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ruby's Marshal 4.8, as far as it holds data, token by token: documents of any size in the memory of their strings and
 * of one number for each object. Nothing is loaded and nothing is called: an object of any class is what is in it.
 *
 *     struct pr_ruby ruby;
 *     pr_ruby_begin(&ruby, src, &profile->strings, limits, err);
 *     if (pr_ruby_next(&ruby) == PR_RUBY_HASH)
 *         while (pr_ruby_next(&ruby) != PR_RUBY_CLOSE && !ruby.scan.failed) {  // a key, then its value
 *             ...
 *         }
 *     enum pr_status status = pr_scan_status(&ruby.scan);
 *     pr_ruby_end(&ruby);
 *
 * - A hash has its keys and values in turn, an object and a struct the names and values of its fields.
 * - Links to numbers and strings are what they lead to. A link to anything else is PR_RUBY_OTHER: one list in many
 *   places would make a small file huge.
 * - Encodings, other instance variables of a string or list, defaults of hashes, and what a class dumped by itself are
 *   read and not shown.
 * - After the end mark anything may follow, as Ruby has it.
 *
 * Source: Ruby marshal.c (w_object, r_object_for), 2.1 to 3.4; doc/marshal.rdoc.
 */
#ifndef PR_CAPTURE_PARSE_RUBY_MARSHAL_H
#define PR_CAPTURE_PARSE_RUBY_MARSHAL_H

#include "capture/parse/binary_scan.h"
#include "profrender/load_options.h"

enum pr_ruby_token {
    PR_RUBY_BAD,   /* damaged, cut or over a limit: scan.failed */
    PR_RUBY_END,   /* the document is complete */
    PR_RUBY_CLOSE, /* of the innermost hash or array */
    PR_RUBY_OTHER, /* nil, true, false, or what is not shown */
    PR_RUBY_INTEGER,
    PR_RUBY_FLOAT,
    PR_RUBY_STRING, /* or a symbol */
    PR_RUBY_ARRAY,
    PR_RUBY_HASH
};

enum { PR_RUBY_MAX_DEPTH = 1024, PR_RUBY_MAX_OBJECTS = 1 << 27 };

/* What is open: COUNT more objects are in it. */
struct pr_ruby_open {
    uint64_t count;
    bool is_hidden;    /* it is read and not shown */
    bool has_default;  /* one more object follows, which is the hash's default */
    bool has_fields;   /* instance variables follow */
    bool is_numbered_at_end;
};

struct pr_ruby {
    struct pr_scan scan;      /* scan.failed: err is filled */
    enum pr_ruby_token token; /* of the last call */
    int64_t integer;          /* longer ones are held at the ends of the range */
    double real;              /* perhaps not finite */
    pr_str string;

    /* For ruby_marshal.c alone. */
    struct pr_strings *strings;
    uint64_t max_string_bytes;
    bool has_begun;
    uint32_t depth, hidden;
    struct pr_ruby_open open[PR_RUBY_MAX_DEPTH];
    pr_str *symbols;
    size_t symbol_count, symbol_capacity;
    uint64_t *values; /* of numbered objects: an integer, the bits of a float, a string */
    uint8_t *kinds;   /* enum pr_ruby_token */
    size_t object_count, value_capacity, kind_capacity;
};

/* All pointers are borrowed until pr_ruby_end. */
void pr_ruby_begin(struct pr_ruby *ruby, struct pr_source *src, struct pr_strings *strings,
                   const struct pr_limits *limits, struct pr_error *err);
void pr_ruby_end(struct pr_ruby *ruby);

/* The next token, which is also ruby->token. */
enum pr_ruby_token pr_ruby_next(struct pr_ruby *ruby);

/* After an opening token, all up to the one that closes it; after others nothing. */
void pr_ruby_skip(struct pr_ruby *ruby);

#endif
