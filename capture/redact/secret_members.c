/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets known by their name: --password X, token=X, "api_key": "X", "the password is X". */
#include "capture/redact/secret_rules.h"

#include "capture/base/ascii.h"
#include "capture/redact/secret_names.h"

#include <string.h>

/* "Bearer X": a scheme and what looks like a credential, even without the name of the header. */
size_t pr_scheme_end(struct pr_text text, size_t at)
{
    static const char *const schemes[] = {"bearer",           "basic", "digest", "negotiate", "ntlm", "token", "apikey",
                                          "aws4-hmac-sha256", "hawk",  "splunk", "geniekey",  "key"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        const size_t end = at + strlen(schemes[i]);
        if (pr_scan_starts(text, at, schemes[i]) && pr_scan_is_blank(pr_scan_at(text, end)) && end < text.length)
            return pr_scan_skip(text, end);
    }
    return at;
}

/* All of a header, except for the scheme. Where only blanks separate words, one word, or all of a cookie. */
static bool find_header_value(const struct pr_secret_scan *scan, size_t at, bool is_quoted, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    const size_t scheme = pr_scheme_end(text, at);
    hit->from = scheme;
    const size_t quote = at + (pr_scan_at(text, at) == '\\');
    if (is_quoted && pr_scan_is_quote(pr_scan_at(text, quote))) {
        if (!pr_scan_value(scan, at, hit))
            return false;
        hit->from = pr_scheme_end(pr_text_part(text, 0, hit->to), hit->from);
        return hit->to > hit->from;
    }
    if (scan->place == PR_SCAN_LINE) {
        hit->to = pr_scan_word_end(text, scheme);
        while (hit->to < text.length && text.bytes[hit->to - 1] == ';')
            hit->to = pr_scan_word_end(text, pr_scan_skip(text, hit->to) + 1 < text.length ? pr_scan_skip(text, hit->to)
                                                                                           : text.length);
    } else {
        hit->to = pr_scan_line_end(text, scheme);
        for (size_t i = scheme; i < hit->to; i++) {
            if (!pr_scan_is_quote(text.bytes[i]))
                continue;
            const bool is_parameter = i > scheme && text.bytes[i - 1] == '='; /* response="X" */
            const size_t end = is_parameter ? pr_scan_quoted_end(text, i + 1, text.bytes[i], false) : hit->to;
            if (end < hit->to)
                i = end;
            else
                hit->to = i;
        }
    }
    while (hit->to > hit->from && text.bytes[hit->to - 1] == '\\')
        hit->to--;
    const struct pr_text value = pr_text_part(text, hit->from, hit->to);
    return hit->to > hit->from && !pr_secrecy_is_no_value(value);
}

/* What separates a name from its value. */
struct separator {
    size_t end; /* after it and its blanks; 0: none */
    bool is_colon;
    bool is_quoted; /* the name was: JSON or similar */
    bool is_code;   /* a comparison, or arguments of a call */
};

/* password[0]=X: past the brackets. */
static size_t skip_index(struct pr_text text, size_t at)
{
    enum { MOST = 32 };
    size_t end = at;
    if (pr_scan_at(text, at) != '[')
        return at;
    while (end < text.length && end < at + MOST && text.bytes[end] != ']' && text.bytes[end] != '\n')
        end++;
    return pr_scan_at(text, end) == ']' ? end + 1 : at;
}

/* ": str =", the type of a variable: past it. */
static size_t skip_type(struct pr_text text, size_t at)
{
    enum { MOST = 32 };
    size_t end = at;
    while (end < text.length && end < at + MOST &&
           (pr_scan_is_name(text.bytes[end]) || memchr("[]|", text.bytes[end], 3)))
        end++;
    const size_t equals = pr_scan_skip(text, end), value = pr_scan_skip(text, equals + 1);
    const bool is_type = end > at && pr_scan_at(text, equals) == '=' && pr_scan_is_quote(pr_scan_at(text, value));
    return is_type ? value : at;
}

/*
 * What separates a name from its value in code, rather than in data: if password == "X", ("password", "X"),
 * set_password("X"). AT is past the name and its closing quote. Returns where the quoted value is; 0: none.
 */
static size_t value_in_code(struct pr_text text, size_t name, size_t at, bool is_quoted)
{
    const size_t next = pr_scan_skip(text, at);
    size_t value = 0;
    if (pr_scan_starts(text, next, "==") || pr_scan_starts(text, next, "!="))
        value = pr_scan_skip(text, next + (pr_scan_at(text, next + 2) == '=' ? 3 : 2));
    else if (is_quoted && pr_scan_at(text, next) == ',' && name > 1 && text.bytes[name - 2] == '(')
        value = pr_scan_skip(text, next + 1);
    else if (!is_quoted && pr_scan_at(text, at) == '(' && pr_scan_starts(text, name, "set"))
        value = at + 1;
    return value && value < text.length && pr_scan_is_quote(text.bytes[value]) ? value : 0;
}

static struct separator find_separator(const struct pr_secret_scan *scan, size_t name, size_t at)
{
    const struct pr_text text = scan->text;
    struct separator separator = {.end = 0};
    const size_t index = skip_index(text, at);
    const bool is_item = index > at; /* token[-1] == X compares characters */
    at = pr_scan_skip_color(text, index);
    for (unsigned i = 0; i < 3 && memchr("]\\\"'`", pr_scan_at(text, at), 5) && at < text.length; i++) {
        separator.is_quoted = separator.is_quoted || pr_scan_is_quote(text.bytes[at]);
        at++;
    }
    if (pr_scan_starts(text, at, "%22")) { /* JSON in an address */
        separator.is_quoted = true;
        at += 3;
    }
    if (scan->place != PR_SCAN_LINE) {
        separator.end = is_item ? 0 : value_in_code(text, name, at, separator.is_quoted);
        separator.is_code = separator.end > 0;
        if (separator.is_code)
            return separator;
        at = pr_scan_skip_color(text, pr_scan_skip(text, at));
    }
    const char c = pr_scan_at(text, at), next = pr_scan_at(text, at + 1);
    separator.is_colon = c == ':' && next != '=';
    if (c == '=' && next != '=')
        at += next == '>' ? 2 : 1;
    else if (c == ':' && next != ':')
        at += next == '=' ? 2 : 1;
    else if (c == '-' && next == '>')
        at += 2;
    else if (pr_scan_starts(text, at, "%3") && memchr("AaDd", pr_scan_at(text, at + 2), 4)) /* ':' or '=', escaped */
        at += pr_scan_starts(text, at + 3, "%22") ? 6 : 3;
    else if (c == '>' && name > 0 && text.bytes[name - 1] == '<')
        at++;
    else
        return separator;
    separator.end = scan->place == PR_SCAN_LINE && !separator.is_colon ? at : pr_scan_skip(text, at);
    const size_t color = pr_scan_skip_color(text, separator.end);
    separator.end = color > separator.end ? pr_scan_skip(text, color) : separator.end;
    if (separator.is_colon)
        separator.end = skip_type(text, separator.end);
    return separator;
}

/* Whether an ambiguous name means a secret here. */
static bool counts_here(const struct pr_secret_scan *scan, size_t name, size_t end, const struct separator *separator)
{
    const struct pr_text text = scan->text;
    const char before = name ? text.bytes[name - 1] : '\0';
    const bool is_key = end - name == 3 && pr_scan_starts(text, name, "key");
    const bool is_code = pr_secrecy_is_of_code(pr_text_part(text, name, end));
    const bool is_option = text.bytes[name] == '-';
    const bool is_short_password = (end - name == 4 && pr_scan_starts(text, name, "pass")) ||
                                   (end - name == 2 && pr_scan_starts(text, name, "pw"));
    if (before == '?' || before == '&')
        return true;
    if (is_code || separator->is_code)
        return false;
    if (is_option || (scan->place == PR_SCAN_LINE && !separator->is_colon))
        return true;
    if (is_short_password && !separator->is_colon && separator->end == end + 1)
        return !pr_is_digit(pr_scan_at(text, separator->end)); /* pass=12 counts tests */
    if (separator->is_quoted)
        return !is_key;
    for (size_t i = name; i < end; i++) /* AUTH=x is a variable */
        if (pr_is_lower(text.bytes[i]))
            return separator->is_colon && memchr(text.bytes + name, '-', end - name) && !is_key;
    return !separator->is_colon;
}

size_t pr_secret_name_end(struct pr_text text, size_t at)
{
    const size_t most = at + PR_SECRET_NAME_MAX + 4;
    while (at < text.length && at < most && pr_scan_is_name(text.bytes[at]))
        at++;
    return at;
}

/* "api key" with a blank: the word before makes it one name. */
static bool is_kind_of_key(struct pr_text text, size_t name, size_t end)
{
    static const char *const kinds[] = {"api", "access", "secret", "private", "account"};
    if (end - name != 3 || !pr_scan_starts(text, name, "key"))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i]) + 1;
        if (name >= length && pr_scan_is_blank(text.bytes[name - 1]) && pr_scan_starts(text, name - length, kinds[i]))
            return true;
    }
    return false;
}

/* PWD=/home/me is where a shell is. */
static bool is_folder_of_shell(struct pr_text text, size_t name, size_t end, size_t value)
{
    return pr_scan_at(text, value) == '/' && end - name >= 3 && memcmp(text.bytes + end - 3, "PWD", 3) == 0 &&
           (end - name == 3 || (end - name == 6 && memcmp(text.bytes + name, "OLD", 3) == 0));
}

/* What a name at AT says; addresses may have escaped the '_', '-' or '.' in it. *END: just past it. */
static enum pr_secrecy secrecy_at(struct pr_text text, size_t at, size_t *end)
{
    static const char escaped[] = "5F_5f_2D-2d-2E.2e."; /* what follows a '%', and what that means */
    char name[PR_SECRET_NAME_MAX + 4];
    uint32_t length = 0;
    for (*end = at; *end < text.length && length < sizeof name; length++) {
        size_t escape = text.bytes[*end] == '%' && text.length - *end >= 3 ? 0 : sizeof escaped - 1;
        while (escape < sizeof escaped - 1 && memcmp(text.bytes + *end + 1, escaped + escape, 2) != 0)
            escape += 3;
        const bool is_escape = escape < sizeof escaped - 1;
        if (!is_escape && !pr_scan_is_name(text.bytes[*end]))
            break;
        name[length] = is_escape ? escaped[escape + 2] : text.bytes[*end];
        *end += is_escape ? 3 : 1;
    }
    return pr_secrecy_of((struct pr_text){name, length});
}

/* Whether a name of digits and letters, with a few brackets and quotes before it, is at AT. */
static bool begins_with_random(struct pr_text text, size_t at)
{
    enum { LEAST = 8 };
    size_t from = at, to;
    while (from < text.length && from < at + PR_SCAN_MOST_GAP && !pr_is_alphanumeric(text.bytes[from]))
        from++;
    to = from;
    while (to < text.length && to < from + PR_SCAN_MOST_BEFORE && pr_scan_is_name(text.bytes[to]))
        to++;
    return to - from >= LEAST && pr_scan_has_digit_and_letter(pr_text_part(text, from, to));
}

/* "tokens": ["X1y2z3w4", ...]: a list of what looks random; models have lists of words under that name. */
static bool find_tokens(const struct pr_secret_scan *scan, size_t at, size_t end, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    if (end - at < 6 || !pr_scan_starts(text, end - 6, "tokens"))
        return false;
    const size_t list = find_separator(scan, at, end).end;
    return list && pr_scan_at(text, list) == '[' && begins_with_random(text, list + 1) &&
           pr_scan_value(scan, list, hit);
}

/* "password:" and the value alone on the next line, which is indented: in quotes, or what looks random. */
static bool find_on_next_line(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    at += pr_scan_at(scan->text, at) == '\r';
    const size_t value = pr_scan_skip(scan->text, at + 1);
    if (scan->place == PR_SCAN_LINE || pr_scan_at(scan->text, at) != '\n' || value == at + 1)
        return false;
    const struct pr_text text = pr_text_part(scan->text, 0, pr_scan_line_end(scan->text, value));
    const struct pr_secret_scan line = {text, scan->place, scan->command};
    if (!pr_scan_value(&line, value, hit))
        return false;
    const bool is_quoted = hit->from > value;
    size_t rest = hit->to + is_quoted;
    while (rest < text.length && memchr(",;) ", text.bytes[rest], 4))
        rest++;
    return rest >= text.length &&
           (is_quoted || pr_scan_has_digit_and_letter(pr_text_part(text, hit->from, hit->to)));
}

/* name=value, name: value, "name": "value", <name>value, in all their forms. */
bool pr_find_member(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    if (!pr_scan_begins_name(text, at) || !pr_scan_is_name(pr_scan_at(text, at)))
        return false;
    size_t end;
    enum pr_secrecy secrecy = secrecy_at(text, at, &end);
    if (secrecy == PR_SECRECY_WEAK && is_kind_of_key(text, at, end))
        secrecy = PR_SECRECY_STRONG;
    if (secrecy == PR_SECRECY_NONE)
        return find_tokens(scan, at, end, hit);
    const struct separator separator = find_separator(scan, at, end);
    if (!separator.end || is_folder_of_shell(text, at, end, separator.end) ||
        (secrecy == PR_SECRECY_WEAK && !counts_here(scan, at, end, &separator)))
        return false;
    if (secrecy == PR_SECRECY_HEADER && separator.end < text.length)
        return find_header_value(scan, separator.end, separator.is_quoted, hit);
    if (separator.is_colon && find_on_next_line(scan, separator.end, hit))
        return true;
    const size_t scheme = pr_scheme_end(text, separator.end); /* token: Bearer X */
    if (scheme > separator.end && pr_scan_value(scan, scheme, hit))
        return true;
    return pr_scan_value(scan, separator.end, hit) &&
           (secrecy != PR_SECRECY_WEAK || !pr_secrecy_is_no_value(pr_text_part(text, hit->from, hit->to)));
}

/* name: TOKEN, value: X: the two members of a variable in a list of them, as containers have it. */
bool pr_find_paired(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    static const char *const names[] = {"name", "key"};
    const struct pr_text text = scan->text;
    if (!pr_scan_begins_name(text, at) || !pr_scan_starts(text, at, "value") ||
        pr_scan_is_name(pr_scan_at(text, at + 5)))
        return false;
    const struct separator separator = find_separator(scan, at, at + 5);
    for (size_t from = at; separator.end && from > 0 && at - from < PR_SCAN_MOST_BEFORE; from--) {
        if (memchr("{}", text.bytes[from - 1], 2))
            return false; /* of another variable */
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const size_t end = from - 1 + strlen(names[i]);
            if (!pr_scan_starts(text, from - 1, names[i]) || !pr_scan_begins_name(text, from - 1))
                continue;
            const struct separator before = find_separator(scan, from - 1, end);
            const size_t name = before.end + pr_scan_is_quote(pr_scan_at(text, before.end));
            if (before.end)
                return pr_secrecy_of(pr_text_part(text, name, pr_secret_name_end(text, name))) == PR_SECRECY_STRONG &&
                       pr_scan_value(scan, separator.end, hit);
        }
    }
    return false;
}

/* --name value in a line. What begins with a dash is the next option; VALUE in capitals is from a usage message. */
bool pr_find_option(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    if (pr_scan_at(text, at) != '-' || pr_scan_at(text, at + 1) != '-' || !pr_scan_begins_name(text, at))
        return false;
    const size_t end = pr_secret_name_end(text, at);
    const size_t value = pr_scan_skip(text, end);
    const struct pr_text name = pr_text_part(text, at, end);
    if (value == end || pr_scan_at(text, value) == '-' || pr_secrecy_of(name) == PR_SECRECY_NONE ||
        pr_secrecy_is_of_code(name) || !pr_scan_value(scan, value, hit))
        return false;
    bool is_usage = scan->place == PR_SCAN_LOG;
    for (size_t i = hit->from; i < hit->to; i++)
        is_usage = is_usage && (pr_is_upper(text.bytes[i]) || memchr("_]", text.bytes[i], 2));
    return !is_usage;
}

/* "with password X1y2z3", and as a column: what looks random, after blanks or a line of a table. */
static bool find_column(struct pr_text text, size_t at, struct pr_hit *hit)
{
    enum { LEAST = 6 };
    size_t next = pr_scan_skip(text, at);
    if (pr_scan_at(text, next) == '|')
        next = pr_scan_skip(text, next + 1);
    *hit = (struct pr_hit){next, pr_scan_bare_end(text, next)};
    return hit->to >= hit->from + LEAST && pr_scan_has_digit_and_letter(pr_text_part(text, hit->from, hit->to)) &&
           !memchr("([{/", text.bytes[next], 4);
}

/* "The password is X", "password 'X'", "IDENTIFIED BY 'X'", "login U password X". */
bool pr_find_spoken(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    if (!pr_scan_begins_name(text, at))
        return false;
    if (pr_scan_starts(text, at, "identified by "))
        return pr_scan_value(scan, at + 14, hit);
    if (pr_scan_starts(text, at, "convertto-securestring ") &&
        pr_scan_is_quote(pr_scan_at(text, pr_scan_skip(text, at + 22))))
        return pr_scan_value(scan, pr_scan_skip(text, at + 22), hit);
    if (!pr_scan_starts(text, at, "pass") && !pr_scan_starts(text, at, "secret") &&
        !pr_scan_starts(text, at, "token") && !pr_scan_starts(text, at, "key") && !pr_scan_starts(text, at, "api"))
        return false;
    const size_t end = pr_secret_name_end(text, at);
    const size_t next = pr_scan_skip(text, end);
    const bool is_key = is_kind_of_key(text, at, end);
    if (next == end || (!is_key && pr_secrecy_of(pr_text_part(text, at, end)) != PR_SECRECY_STRONG))
        return false;
    if (pr_scan_starts(text, next, "is ") || pr_scan_starts(text, next, "was "))
        return pr_scan_value(scan, pr_scan_skip(text, next + 2 + (text.bytes[next] == 'w')), hit);
    const bool is_token = pr_scan_starts(text, at, "token");
    if (pr_scan_is_quote(pr_scan_at(text, next)) && !is_token)
        return pr_scan_value(scan, next, hit);
    const bool is_phrase = pr_scan_starts(text, at, "passphrase"); /* no command, as `passwd user1` is */
    if (!is_token && !is_key && (scan->place == PR_SCAN_LOG || is_phrase) && find_column(text, end, hit))
        return true;
    const size_t line = at > PR_SCAN_MOST_BEFORE ? at - PR_SCAN_MOST_BEFORE : 0;
    const char *before =
        scan->place == PR_SCAN_ARGUMENT ? "machine " : "login "; /* a message may speak of a login page */
    return pr_scan_find(pr_text_part(text, line, at), 0, before) < at - line && pr_scan_value(scan, next, hit);
}

/* NAME=X, --NAME=X, NAME:X: all that follows, blanks and separators too, is the value. */
bool pr_find_whole_value(struct pr_text word, struct pr_hit *hit)
{
    const struct pr_secret_scan scan = {word, PR_SCAN_ARGUMENT, NULL};
    size_t name = 0;
    while (pr_scan_at(word, name) == '-' && name < word.length)
        name++;
    const size_t end = pr_secret_name_end(word, name);
    const enum pr_secrecy secrecy = pr_secrecy_of(pr_text_part(word, name, end));
    const char c = pr_scan_at(word, end);
    const bool is_bare_key = end - name == 3 && pr_scan_starts(word, name, "key");
    const bool is_code = pr_secrecy_is_of_code(pr_text_part(word, name, end));
    if (secrecy == PR_SECRECY_NONE || end == name || is_code || (c != '=' && (c != ':' || is_bare_key)))
        return false;
    const size_t value = pr_scan_skip(word, end + 1);
    if (value >= word.length || is_folder_of_shell(word, name, end, value) || pr_scan_starts(word, value, "//"))
        return false;
    if (secrecy == PR_SECRECY_HEADER)
        return find_header_value(&scan, value, false, hit);
    *hit = (struct pr_hit){value, word.length};
    return secrecy != PR_SECRECY_WEAK || !pr_secrecy_is_no_value(pr_text_part(word, value, word.length));
}
