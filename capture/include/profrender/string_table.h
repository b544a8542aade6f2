/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of strings, each kept once.
 *
 * A string is its number; equal strings have equal numbers; number 0 is the empty string. Bytes and length stay as they
 * came, NUL and bad UTF-8 included: code that shows them must make them safe.
 *
 * Stable: changes with the number of the shared library only.
 */
#ifndef PR_API_STRING_TABLE_H
#define PR_API_STRING_TABLE_H

#include "profrender/arena.h"
#include "profrender/error.h"

PR_DECLS_BEGIN

typedef uint32_t pr_str;

#define PR_NO_STR UINT32_MAX

struct pr_text {
    const char *bytes; /* `length` bytes and a final NUL */
    uint32_t length;
};

struct pr_string_slot {
    uint32_t number; /* + 1; 0 = free */
    uint32_t hash;   /* its low bits: it rules out most other strings, and a larger table is filled from it */
};

struct pr_strings {
    struct pr_arena arena;
    struct pr_text *text; /* [count] */
    uint32_t count;
    size_t capacity;
    struct pr_string_slot *slots; /* open addressing */
    uint32_t slot_count;
    uint64_t salt; /* of the hashes: no file can know it */
};

/* Makes TABLE hold the empty string only. PR_FAILED: out of memory. */
enum pr_status pr_strings_init(struct pr_strings *table, struct pr_error *err);

/*
 * The number of the string of LENGTH bytes, which is copied if it is new; PR_NO_STR when memory or numbers run out.
 * BYTES may be NULL when LENGTH is 0.
 */
pr_str pr_strings_add(struct pr_strings *table, const void *bytes, size_t length);

/* The string, borrowed until the table is cleared; the empty string for a number that does not exist. */
PR_API struct pr_text pr_strings_get(const struct pr_strings *table, pr_str string);

void pr_strings_clear(struct pr_strings *table);

/* Below 0, 0 or above 0, as A comes before, equals, or comes after B: by bytes, a prefix before the longer text. */
int pr_text_compare(struct pr_text a, struct pr_text b);

PR_DECLS_END

#endif
