/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of texts, borrowed from the whole: nothing is copied.
 *
 *     struct pr_text rest = pr_text_trim(line);
 *     if (pr_text_starts(rest, "cmd:"))
 *         rest = pr_text_trim(pr_text_from(rest, 4));
 */
#ifndef PR_CAPTURE_BASE_TEXT_H
#define PR_CAPTURE_BASE_TEXT_H

#include "capture/base/ascii.h"
#include "profrender/string_table.h"

#include <stdbool.h>
#include <string.h>

/* TEXT as a text; it must not be NULL. */
static inline struct pr_text pr_text_of(const char *text)
{
    return (struct pr_text){text, (uint32_t)strnlen(text, UINT32_MAX)};
}

/* LINE without spaces and tabs at both ends. */
struct pr_text pr_text_trim(struct pr_text line);

/* Whether LINE begins with BEGINNING. */
bool pr_text_starts(struct pr_text line, const char *beginning);

/* Whether TEXT ends with END. */
bool pr_text_ends(struct pr_text text, const char *end);

/* The whole number at the beginning of TEXT, decimal, or hexadecimal with 0x. False: none, or over 64 bits. */
bool pr_text_number(struct pr_text text, uint64_t *number);

/* The value of a hexadecimal digit; 16 = not one. */
static inline unsigned pr_hex_digit(char c)
{
    const char small = (char)(c | 0x20);
    if (pr_is_digit(c))
        return (unsigned)(c - '0');
    return small >= 'a' && small <= 'f' ? (unsigned)(small - 'a' + 10) : 16;
}

/* How many digits the hexadecimal number at the beginning of TEXT has, without 0x; at most 16 are taken; 0 = none. */
static inline uint32_t pr_text_hex(struct pr_text text, uint64_t *number)
{
    uint32_t at = 0;
    *number = 0;
    for (unsigned digit; at < text.length && at < 16 && (digit = pr_hex_digit(text.bytes[at])) < 16; at++)
        *number = *number << 4 | digit;
    return at;
}

/* Whether TEXT is WORD. */
bool pr_text_is(struct pr_text text, const char *word);

/* Whether TEXT is one of the COUNT words, none of which is empty. */
bool pr_text_is_one_of(struct pr_text text, const char *const *words, size_t count);

/* Whether TEXT begins with one of the COUNT words. */
bool pr_text_starts_with_one(struct pr_text text, const char *const *words, size_t count);

/* TEXT without its first COUNT bytes. */
static inline struct pr_text pr_text_from(struct pr_text text, size_t count)
{
    return (struct pr_text){text.bytes + count, text.length - (uint32_t)count};
}

/* What TEXT has from the byte FROM up to the byte TO. */
static inline struct pr_text pr_text_part(struct pr_text text, size_t from, size_t to)
{
    return (struct pr_text){text.bytes + from, (uint32_t)(to - from)};
}

/* What follows the last slash of a Unix path: where the program ran, not where its files are read. */
static inline struct pr_text pr_text_file_name(struct pr_text path)
{
    size_t start = path.length;
    while (start && path.bytes[start - 1] != '/')
        start--;
    return pr_text_from(path, start);
}

/* The same where the program may have run on Windows: what follows the last slash of either kind. */
struct pr_text pr_text_file_name_anywhere(struct pr_text path);

/*
 * Whether the FILE is a library that is mapped into programs, by its name: "libz.so.1", "a.dylib", "a.dll"; one that
 * was replaced since is "libz.so.1 (deleted)", proc_pid_maps(5).
 */
bool pr_text_is_shared_object(struct pr_text file);

/*
 * The name of the program that the mapped FILE is, in the same forms: "app" of "/usr/bin/app (deleted)". Empty: a
 * library, or no file, as "[vdso]".
 */
struct pr_text pr_text_mapped_program(struct pr_text file);

/* What follows the last slash of PATH, as a string; borrowed. */
const char *pr_path_last_part(const char *path);

/* Whether TEXT ends with END. */
bool pr_string_ends(const char *text, const char *end);

#endif
