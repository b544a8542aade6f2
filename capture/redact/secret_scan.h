/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What rules that look for secrets share: where words, lines and values of a text begin and end.
 *
 *     struct pr_secret_scan scan = {text, PR_SCAN_LOG};
 *     struct pr_hit hit;
 *     if (pr_scan_value(&scan, at, &hit))
 *         ...                              // bytes hit.from to hit.to - 1 may be secret
 *
 * Positions are bytes from the start of the text; one past its end is allowed wherever one is passed. Nothing here
 * keeps or changes a text, and none costs more than its length times the bounds below.
 */
#ifndef PR_CAPTURE_REDACT_SECRET_SCAN_H
#define PR_CAPTURE_REDACT_SECRET_SCAN_H

#include "capture/base/ascii.h"
#include "capture/base/text.h"
#include "capture/redact/redact.h"

#include <stdbool.h>
#include <string.h>

/* Bounds on what is scanned from one place, in bytes. */
enum { PR_SCAN_MOST_USER = 128, PR_SCAN_MOST_PASSWORD = 512, PR_SCAN_MOST_GAP = 8, PR_SCAN_MOST_BEFORE = 256,
       PR_SCAN_MOST_COLOR = 16 };

/* Where a text is from. */
enum pr_scan_place {
    PR_SCAN_ARGUMENT, /* one word of a command line, blanks and all */
    PR_SCAN_LINE,     /* a command line whose words are separated by blanks */
    PR_SCAN_LOG       /* lines of a program, or of a shell script */
};

/* The command that is scanned, as far as it was read; begins as {0}. */
struct pr_scan_command {
    size_t next; /* what comes after the words that were read */
    struct pr_positions positions;
};

struct pr_secret_scan {
    struct pr_text text;
    enum pr_scan_place place;
    struct pr_scan_command *command; /* written by rules, which are asked from left to right */
};

/* The secret in a text: from its first byte to just past its last. */
struct pr_hit {
    size_t from, to;
};

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static inline bool pr_scan_is_blank(char c)
{
    return pr_is_blank(c) || c == '\0';
}

static inline bool pr_scan_is_space(char c)
{
    return pr_scan_is_blank(c) || c == '\n' || c == '\r';
}

static inline bool pr_scan_is_name(char c)
{
    return pr_is_alphanumeric(c) || c == '_' || c == '-' || c == '.';
}

static inline bool pr_scan_is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

static inline char pr_scan_at(struct pr_text text, size_t at)
{
    return at < text.length ? text.bytes[at] : '\0';
}

static inline bool pr_scan_starts(struct pr_text text, size_t at, const char *word)
{
    const size_t length = strlen(word);
    return at <= text.length && text.length - at >= length && pr_ascii_same(text.bytes + at, word, length);
}

static inline size_t pr_scan_find(struct pr_text text, size_t from, const char *part)
{
    const char *found = from < text.length ? memmem(text.bytes + from, text.length - from, part, strlen(part)) : NULL;
    return found ? (size_t)(found - text.bytes) : text.length;
}

static inline size_t pr_scan_line_end(struct pr_text text, size_t at)
{
    while (at < text.length && text.bytes[at] != '\n' && text.bytes[at] != '\r')
        at++;
    return at;
}

static inline size_t pr_scan_word_end(struct pr_text text, size_t at)
{
    while (at < text.length && !pr_scan_is_space(text.bytes[at]))
        at++;
    return at;
}

/* Where the command that AT is in begins; at most so far back. */
static inline size_t pr_scan_command_start(struct pr_text text, size_t at)
{
    size_t from = at;
    while (from > 0 && at - from < PR_SCAN_MOST_BEFORE && !memchr("\n;|&", text.bytes[from - 1], 4))
        from--;
    return from;
}

static inline size_t pr_scan_skip(struct pr_text text, size_t at)
{
    for (size_t most = at + PR_SCAN_MOST_GAP; at < text.length && at < most && pr_scan_is_blank(text.bytes[at]);)
        at++;
    return at;
}

/* What is random has both, a word has not. */
static inline bool pr_scan_has_digit_and_letter(struct pr_text text)
{
    bool digit = false, letter = false;
    for (size_t i = 0; i < text.length; i++) {
        digit = digit || pr_is_digit(text.bytes[i]);
        letter = letter || pr_is_letter(text.bytes[i]);
    }
    return digit && letter;
}

static inline bool pr_scan_is_hidden(struct pr_text value)
{
    static const char hidden[] = PR_REDACTED;
    return value.length >= sizeof hidden - 1 && !memcmp(value.bytes, hidden, sizeof hidden - 1);
}

/* ---- places ----------------------------------------------------------------------------------------------------- */

/* Whether AT follows an escape that ends a word: "\n" as two characters, as JSON has it, or %22 in an address. */
bool pr_scan_is_after_escape(struct pr_text text, size_t at);

/* Past the colour of a terminal at AT; AT: there is none. */
size_t pr_scan_skip_color(struct pr_text text, size_t at);

/* Whether a name, or a word of a shell, may begin at AT. */
bool pr_scan_begins_name(struct pr_text text, size_t at);
bool pr_scan_begins_word(struct pr_text text, size_t at);

/* ---- values ----------------------------------------------------------------------------------------------------- */

/*
 * The end of a quoted value that begins at AT, after its QUOTE; IS_ESCAPED: there is a backslash before each quote.
 * Without a closing quote it is the end of the text.
 */
size_t pr_scan_quoted_end(struct pr_text text, size_t at, char quote, bool is_escaped);

/* The end of a value without quotes: where shells, addresses and lists of settings end it. */
size_t pr_scan_bare_end(struct pr_text text, size_t at);

/* The value at AT: quoted, bare, in brackets, or a block of YAML. False: none, or only a placeholder. */
bool pr_scan_value(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit);

/* A word for a shell at AT, in quotes or not. False: a variable, hidden already, or none. */
bool pr_scan_word(struct pr_text text, size_t at, struct pr_hit *hit);

#endif
