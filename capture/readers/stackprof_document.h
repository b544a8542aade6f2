/* SPDX-License-Identifier: Apache-2.0 */
/* A dump of stackprof, Ruby's Marshal or what `stackprof --json` prints: the same hashes, lists and numbers. */
#ifndef PR_CAPTURE_READERS_STACKPROF_DOCUMENT_H
#define PR_CAPTURE_READERS_STACKPROF_DOCUMENT_H

#include "capture/parse/json_stream.h"
#include "capture/parse/ruby_marshal.h"

struct pr_stackprof_document {
    bool is_json;
    struct pr_json_stream json;
    struct pr_ruby ruby;
    struct pr_strings *strings;
    bool no_memory; /* for a string */
};

/* All pointers are borrowed until pr_stackprof_end. */
void pr_stackprof_begin(struct pr_stackprof_document *d, struct pr_source *src, struct pr_strings *strings,
                        const struct pr_limits *limits, struct pr_damage *damage, struct pr_error *err);
void pr_stackprof_end(struct pr_stackprof_document *d);

/* Enters the document, or the value at hand. False: it is not a hash, or not a list, and was skipped. */
bool pr_stackprof_root(struct pr_stackprof_document *d);
bool pr_stackprof_hash(struct pr_stackprof_document *d);
bool pr_stackprof_list(struct pr_stackprof_document *d);

/* The next key of a hash, then its value is at hand; the next part of a list. False: it is closed, or damaged. */
bool pr_stackprof_key(struct pr_stackprof_document *d, pr_str *key, bool *has_number, uint64_t *number);
bool pr_stackprof_part(struct pr_stackprof_document *d);

/* What is at hand, if it is that; containers are skipped. False: it is something else. */
bool pr_stackprof_integer(struct pr_stackprof_document *d, int64_t *integer);
bool pr_stackprof_string(struct pr_stackprof_document *d, pr_str *string);
void pr_stackprof_skip(struct pr_stackprof_document *d);

enum pr_status pr_stackprof_status(const struct pr_stackprof_document *d);

#endif
