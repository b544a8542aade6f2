/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a field ends: the next separator, line end or end of the text, eight bytes at a time.
 *
 * Source: RFC 4180; for what it leaves open as pandas and Excel do: a lone \r ends a line, text after a closing quote
 *         belongs to the field.
 */
#ifndef PR_CAPTURE_FRAME_CSV_SCAN_H
#define PR_CAPTURE_FRAME_CSV_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PR_EACH_BYTE UINT64_C(0x0101010101010101)

/* In each byte of WORD that is 0: its highest bit; above the first such byte, others may have it too. */
static inline uint64_t pr_zero_bytes(uint64_t word)
{
    return (word - PR_EACH_BYTE) & ~word & (PR_EACH_BYTE << 7);
}

/* The first SEPARATOR, \n or \r from AT on; END if there is none. Numbers in memory are little endian everywhere. */
static inline const char *pr_csv_field_end(const char *at, const char *end, char separator)
{
    const uint64_t separators = PR_EACH_BYTE * (unsigned char)separator;
    for (; end - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        const uint64_t found = pr_zero_bytes(word ^ separators) | pr_zero_bytes(word ^ (PR_EACH_BYTE * '\n')) |
                               pr_zero_bytes(word ^ (PR_EACH_BYTE * '\r'));
        if (found)
            return at + (__builtin_ctzll(found) >> 3);
    }
    while (at < end && *at != separator && *at != '\n' && *at != '\r')
        at++;
    return at;
}

enum pr_csv_end {
    PR_CSV_FIELD,  /* a separator: another field follows */
    PR_CSV_RECORD, /* a line end */
    PR_CSV_CUT     /* the text ends */
};

struct pr_csv_field {
    const char *text; /* what is between the quotes, where there are any */
    size_t length;
    const char *next; /* what follows the field and its end */
    enum pr_csv_end end;
    bool is_quoted, has_quotes; /* HAS_QUOTES: quotes in it have to be taken out: pr_csv_unquote */
    bool is_open;               /* its quote is not closed */
    bool is_odd;                /* something follows the closing quote */
};

/* The field at AT. TAKES_QUOTES: a quote at its beginning is one. */
struct pr_csv_field pr_csv_next(const char *at, const char *end, char separator, bool takes_quotes);

/* The text of a field with quotes in it, without them, at OUT, which has room for field->length; how long it is. */
size_t pr_csv_unquote(const struct pr_csv_field *field, char *out);

#endif
