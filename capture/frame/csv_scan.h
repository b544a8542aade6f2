/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a field ends: the next separator, line end or end of the text, eight bytes at a time; or, of a record whose
 * fields have no quotes, 64 bytes at a time:
 *
 *     struct pr_csv_marks marks = {.end = end, .separator = ','};
 *     pr_csv_marks_from(&marks, at);
 *     while ((at = pr_csv_marks_next(&marks))) ...              // each separator, \n and \r
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

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

/* ---- separators and line ends ----------------------------------------------------------------------------------- */

/* A bit for each of 64 bytes that is SEPARATOR, \n or \r, the first byte's the lowest; for any processor. */
uint64_t pr_csv_marks_plain(const char bytes[64], char separator);

#if defined(__SSE2__)

/* The same, 16 bytes at a time. */
static inline uint64_t pr_csv_marks_of(const char bytes[64], char separator)
{
    const __m128i separators = _mm_set1_epi8(separator), lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
    uint64_t marks = 0;
    for (unsigned i = 0; i < 64; i += 16) {
        const __m128i text = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
        const __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(text, lf), _mm_cmpeq_epi8(text, cr));
        const __m128i found = _mm_or_si128(ends, _mm_cmpeq_epi8(text, separators));
        marks |= (uint64_t)(unsigned)_mm_movemask_epi8(found) << i;
    }
    return marks;
}

#else

static inline uint64_t pr_csv_marks_of(const char bytes[64], char separator)
{
    return pr_csv_marks_plain(bytes, separator);
}

#endif

/* A walk over them. */
struct pr_csv_marks {
    const char *end; /* of the text; set it first, and the separator */
    char separator;
    const char *block; /* up to 64 bytes */
    uint64_t left;     /* marks of it that were not passed */
};

/* The marks of the block at AT, which is before END or there. */
void pr_csv_marks_begin(struct pr_csv_marks *marks, const char *at);

/* On from AT, which is not before the last one that was found. */
static inline void pr_csv_marks_from(struct pr_csv_marks *marks, const char *at)
{
    if (marks->block && at >= marks->block && at - marks->block < 64)
        marks->left &= ~UINT64_C(0) << (at - marks->block);
    else
        pr_csv_marks_begin(marks, at);
}

/* The next one; NULL: there are none before the end. */
static inline const char *pr_csv_marks_next(struct pr_csv_marks *marks)
{
    while (!marks->left) {
        if (marks->end - marks->block <= 64)
            return NULL;
        pr_csv_marks_begin(marks, marks->block + 64);
    }
    const char *found = marks->block + __builtin_ctzll(marks->left);
    marks->left &= marks->left - 1;
    return found;
}

/* ---- fields ----------------------------------------------------------------------------------------------------- */

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
