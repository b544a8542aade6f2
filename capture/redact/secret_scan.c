/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/redact/secret_scan.h"

#include "capture/base/ascii.h"
#include "capture/redact/redact.h"
#include "capture/redact/secret_names.h"

#include <string.h>

enum { ESCAPE = 0x1B };

/* "\n" as two characters, as JSON has it, ends a word as a real one does; so does %22 in an address. */
bool pr_scan_is_after_escape(struct pr_text text, size_t at)
{
    if (at >= 3 && text.bytes[at - 3] == '%')
        return pr_hex_digit(text.bytes[at - 2]) < 16 && pr_hex_digit(text.bytes[at - 1]) < 16;
    return at >= 2 && text.bytes[at - 2] == '\\' && memchr("nrt", text.bytes[at - 1], 3);
}

/* ESC [ 31 m, as terminals are told colours: its last letter is not one of the word after it. */
static bool is_after_color(struct pr_text text, size_t at)
{
    size_t from = at > 0 && text.bytes[at - 1] == 'm' ? at - 1 : 0;
    while (from > 0 && at - from < PR_SCAN_MOST_COLOR &&
           (pr_is_digit(text.bytes[from - 1]) || text.bytes[from - 1] == ';'))
        from--;
    return from >= 2 && text.bytes[from - 1] == '[' && text.bytes[from - 2] == ESCAPE;
}

size_t pr_scan_skip_color(struct pr_text text, size_t at)
{
    size_t end = at;
    if (pr_scan_at(text, at) != ESCAPE || pr_scan_at(text, at + 1) != '[')
        return at;
    for (end = at + 2; end - at < PR_SCAN_MOST_COLOR && (pr_is_digit(pr_scan_at(text, end)) ||
                                                        pr_scan_at(text, end) == ';');)
        end++;
    return pr_scan_at(text, end) == 'm' ? end + 1 : at;
}

bool pr_scan_begins_name(struct pr_text text, size_t at)
{
    return at == 0 || !pr_scan_is_name(text.bytes[at - 1]) || pr_scan_is_after_escape(text, at) ||
           is_after_color(text, at);
}

bool pr_scan_begins_word(struct pr_text text, size_t at)
{
    return at == 0 || pr_scan_is_space(text.bytes[at - 1]) || pr_scan_is_quote(text.bytes[at - 1]) ||
           text.bytes[at - 1] == '(';
}

/* The end of a quoted value, whose closing quote looks like the opening one: with or without a backslash before it. */
size_t pr_scan_quoted_end(struct pr_text text, size_t at, char quote, bool is_escaped)
{
    const char triple[] = {quote, quote, quote, '\0'};
    if (!is_escaped && pr_scan_starts(text, at, triple + 1)) /* """ of TOML and Python */
        return pr_scan_find(text, at + 2, triple);
    for (; at < text.length; at++) {
        if (is_escaped && text.bytes[at] == '\\' && pr_scan_at(text, at + 1) == quote)
            return at;
        if (!is_escaped && text.bytes[at] == '\\')
            at++;
        else if (!is_escaped && text.bytes[at] == quote)
            return at;
    }
    return text.length;
}

static bool ends_hidden(struct pr_text value)
{
    static const char hidden[] = PR_REDACTED;
    const size_t length = sizeof hidden - 1;
    return value.length >= length && !memcmp(value.bytes + value.length - length, hidden, length);
}

/* A value without quotes ends where shells, addresses and lists of settings end it. */
size_t pr_scan_bare_end(struct pr_text text, size_t at)
{
    const size_t from = at;
    for (; at < text.length && !pr_scan_is_space(text.bytes[at]) && !memchr("&;|\"'`<>", text.bytes[at], 8); at++) {
        if (text.bytes[at] == '\\' && at + 1 < text.length && !pr_scan_is_quote(text.bytes[at + 1]))
            at++;
        if (at >= text.length)
            return text.length;
    }
    while (at > from && memchr(",)]}", text.bytes[at - 1], 4) && !ends_hidden(pr_text_part(text, from, at)))
        at--;
    return at;
}

/* The end of a list or an object; without its closing bracket, the end of the line. */
static size_t end_of_brackets(struct pr_text text, size_t at)
{
    const size_t most = pr_scan_line_end(text, at);
    size_t depth = 0;
    for (size_t i = at; i < most; i++) {
        depth += memchr("[{(", text.bytes[i], 3) != NULL;
        if (memchr("]})", text.bytes[i], 3) && --depth == 0)
            return i + 1;
    }
    return most;
}

/* SecretStr("X"): the value of a class instance is in quotes. */
static bool begins_class(struct pr_text text, size_t at, size_t to)
{
    return to > at && to < text.length && text.bytes[to - 1] == '(' && pr_scan_is_quote(text.bytes[to]) &&
           pr_is_upper(text.bytes[at]);
}

/* How far the line that AT is in is indented; the dashes of a YAML list count, as its items are below them. */
static size_t indentation_of(struct pr_text text, size_t at)
{
    size_t line = at, indented = 0;
    while (line > 0 && at - line < PR_SCAN_MOST_BEFORE && text.bytes[line - 1] != '\n')
        line--;
    while (line + indented < at &&
           (pr_scan_is_blank(text.bytes[line + indented]) || text.bytes[line + indented] == '-'))
        indented++;
    return indented;
}

/* "password: |" and the lines below it that are indented further: a block of YAML. AT is at the "|" or ">". */
static bool find_block(struct pr_text text, size_t at, struct pr_hit *hit)
{
    const size_t indented = indentation_of(text, at);
    size_t next = at + 1;
    while (next < text.length && (pr_is_digit(text.bytes[next]) || memchr("+-", text.bytes[next], 2)))
        next++;
    next = pr_scan_skip(text, next);
    if (pr_scan_at(text, next) == '#')
        next = pr_scan_line_end(text, next);
    next += pr_scan_at(text, next) == '\r';
    if (pr_scan_at(text, next) != '\n')
        return false;
    hit->from = hit->to = 0;
    for (next++; next < text.length; next++) {
        size_t first = next;
        while (first < text.length && pr_scan_is_blank(text.bytes[first]))
            first++;
        const size_t end = pr_scan_line_end(text, first);
        if (end > first && first - next <= indented)
            break;
        if (end > first) {
            hit->from = hit->from ? hit->from : first;
            hit->to = end;
        }
        next = end + (pr_scan_at(text, end) == '\r' && pr_scan_at(text, end + 1) == '\n');
    }
    return hit->to > hit->from && !pr_scan_is_hidden(pr_text_part(text, hit->from, hit->to));
}

/* The value at AT. False: none, or only a placeholder. */
bool pr_scan_value(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    const bool is_escaped = pr_scan_at(text, at) == '\\' && pr_scan_is_quote(pr_scan_at(text, at + 1));
    if (memchr("bBrRuUfF", pr_scan_at(text, at), 8) && pr_scan_is_quote(pr_scan_at(text, at + 1)))
        at++; /* a Python literal */
    const char c = pr_scan_at(text, at + is_escaped);
    hit->from = at;
    if (at >= text.length)
        return false;
    struct pr_hit block;
    if ((c == '|' || c == '>') && scan->place != PR_SCAN_LINE && find_block(text, at, &block)) {
        *hit = block;
        return true;
    }
    if (pr_scan_is_quote(c)) {
        hit->from = at + 1 + is_escaped;
        hit->to = pr_scan_quoted_end(text, hit->from, c, is_escaped);
    } else if (pr_scan_is_hidden(pr_text_part(text, at, text.length))) {
        hit->to = at + sizeof PR_REDACTED - 1;
        return true;
    } else if (c == '[' || c == '{') {
        hit->to = end_of_brackets(text, at);
        const struct pr_text value = pr_text_part(text, hit->from, hit->to);
        return !pr_secrecy_is_no_value(value) && value.length > 2;
    } else {
        hit->to = pr_scan_bare_end(text, at);
    }
    if (scan->place == PR_SCAN_LOG && begins_class(text, at, hit->to)) {
        hit->from = hit->to + 1;
        hit->to = pr_scan_quoted_end(text, hit->from, text.bytes[hit->to], false);
    }
    const struct pr_text value = pr_text_part(text, hit->from, hit->to);
    const bool calls =
        memchr(value.bytes, '(', value.length) && !pr_scan_is_quote(c); /* get_password(): code, not a value */
    return hit->to > hit->from && !pr_scan_starts(text, at, "//") &&
           (scan->place == PR_SCAN_LINE || (!pr_secrecy_is_no_value(value) && !(calls && scan->place == PR_SCAN_LOG)));
}

/* A word for a shell at AT, in quotes or not. False: a variable, or none. */
bool pr_scan_word(struct pr_text text, size_t at, struct pr_hit *hit)
{
    const bool is_quoted = pr_scan_is_quote(pr_scan_at(text, at));
    if (pr_scan_is_hidden(pr_text_part(text, at + is_quoted, text.length)))
        return false;
    hit->from = at + is_quoted;
    hit->to = is_quoted ? pr_scan_quoted_end(text, hit->from, text.bytes[at], false) : pr_scan_bare_end(text, at);
    return hit->to > hit->from && !pr_secrecy_is_no_value(pr_text_part(text, hit->from, hit->to));
}
