/* SPDX-License-Identifier: Apache-2.0 */
/* One table of rules, each of which knows one form of a secret; a text is scanned from left to right. */
#include "capture/base/redact.h"
#include "capture/base/text.h"

#include "capture/base/ascii.h"
#include "capture/base/redact_names.h"

#include <string.h>

/* Bounds on what is scanned from one place: no text costs more than its length times these. */
enum { MOST_USER = 128, MOST_PASSWORD = 512, MOST_GAP = 8, MOST_BEFORE = 256, MOST_LETTERS = 8 };

/* Where a text is from. */
enum place {
    ARGUMENT, /* one word of a command line, blanks and all */
    LINE,     /* a command line whose words are separated by blanks */
    LOG       /* lines of a program, or of a shell script */
};

struct scan {
    struct pr_text text;
    enum place place;
};

/* The secret in a text: from its first byte to just past its last. */
struct hit {
    size_t from, to;
};

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static bool is_blank(char c)
{
    return pr_is_blank(c) || c == '\0';
}

static bool is_space(char c)
{
    return is_blank(c) || c == '\n' || c == '\r';
}

static bool is_name_byte(char c)
{
    return pr_is_alphanumeric(c) || c == '_' || c == '-' || c == '.';
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

static char at_or_nul(struct pr_text text, size_t at)
{
    return at < text.length ? text.bytes[at] : '\0';
}

static bool starts_with(struct pr_text text, size_t at, const char *word)
{
    const size_t length = strlen(word);
    return at <= text.length && text.length - at >= length && pr_ascii_same(text.bytes + at, word, length);
}

static size_t find_text(struct pr_text text, size_t from, const char *part)
{
    const char *found =
        from < text.length ? memmem(text.bytes + from, text.length - from, part, strlen(part)) : NULL;
    return found ? (size_t)(found - text.bytes) : text.length;
}

static size_t end_of_line(struct pr_text text, size_t at)
{
    while (at < text.length && text.bytes[at] != '\n' && text.bytes[at] != '\r')
        at++;
    return at;
}

static size_t end_of_word(struct pr_text text, size_t at)
{
    while (at < text.length && !is_space(text.bytes[at]))
        at++;
    return at;
}

static size_t skip_blanks(struct pr_text text, size_t at)
{
    for (size_t most = at + MOST_GAP; at < text.length && at < most && is_blank(text.bytes[at]);)
        at++;
    return at;
}

/* "\n" as two characters, as JSON has it, ends a word as a real one does; so does %22 in an address. */
static bool is_after_escape(struct pr_text text, size_t at)
{
    if (at >= 3 && text.bytes[at - 3] == '%')
        return pr_hex_digit(text.bytes[at - 2]) < 16 && pr_hex_digit(text.bytes[at - 1]) < 16;
    return at >= 2 && text.bytes[at - 2] == '\\' && memchr("nrt", text.bytes[at - 1], 3);
}

static bool begins_name(struct pr_text text, size_t at)
{
    return at == 0 || !is_name_byte(text.bytes[at - 1]) || is_after_escape(text, at);
}

static bool begins_word(struct pr_text text, size_t at)
{
    return at == 0 || is_space(text.bytes[at - 1]) || is_quote(text.bytes[at - 1]) || text.bytes[at - 1] == '(';
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* The end of a quoted value, whose closing quote looks like the opening one: with or without a backslash before it. */
static size_t end_of_quoted(struct pr_text text, size_t at, char quote, bool is_escaped)
{
    const char triple[] = {quote, quote, quote, '\0'};
    if (!is_escaped && starts_with(text, at, triple + 1)) /* """ of TOML and Python */
        return find_text(text, at + 2, triple);
    for (; at < text.length; at++) {
        if (is_escaped && text.bytes[at] == '\\' && at_or_nul(text, at + 1) == quote)
            return at;
        if (!is_escaped && text.bytes[at] == '\\')
            at++;
        else if (!is_escaped && text.bytes[at] == quote)
            return at;
    }
    return text.length;
}

/* The end of a list or an object; without its closing bracket, the end of the line. */
static size_t end_of_brackets(struct pr_text text, size_t at)
{
    const size_t most = end_of_line(text, at);
    size_t depth = 0;
    for (size_t i = at; i < most; i++) {
        depth += memchr("[{(", text.bytes[i], 3) != NULL;
        if (memchr("]})", text.bytes[i], 3) && --depth == 0)
            return i + 1;
    }
    return most;
}

/* A value without quotes ends where shells, addresses and lists of settings end it. */
static size_t end_of_bare(struct pr_text text, size_t at)
{
    const size_t from = at;
    for (; at < text.length && !is_space(text.bytes[at]) && !memchr("&;|\"'`<>", text.bytes[at], 8); at++) {
        if (text.bytes[at] == '\\' && at + 1 < text.length && !is_quote(text.bytes[at + 1]))
            at++;
        if (at >= text.length)
            return text.length;
    }
    while (at > from && memchr(",)]}", text.bytes[at - 1], 4))
        at--;
    return at;
}

static bool is_hidden(struct pr_text value)
{
    static const char hidden[] = PR_REDACTED;
    return value.length >= sizeof hidden - 1 && !memcmp(value.bytes, hidden, sizeof hidden - 1);
}

/* SecretStr("X"): the value of a class instance is in quotes. */
static bool begins_class(struct pr_text text, size_t at, size_t to)
{
    return to > at && to < text.length && text.bytes[to - 1] == '(' && is_quote(text.bytes[to]) &&
           pr_is_upper(text.bytes[at]);
}

/* How far the line that AT is in is indented; the dashes of a YAML list count, as its items are below them. */
static size_t indentation_of(struct pr_text text, size_t at)
{
    size_t line = at, indented = 0;
    while (line > 0 && at - line < MOST_BEFORE && text.bytes[line - 1] != '\n')
        line--;
    while (line + indented < at && (is_blank(text.bytes[line + indented]) || text.bytes[line + indented] == '-'))
        indented++;
    return indented;
}

/* "password: |" and the lines below it that are indented further: a block of YAML. AT is at the "|" or ">". */
static bool find_block(struct pr_text text, size_t at, struct hit *hit)
{
    const size_t indented = indentation_of(text, at);
    size_t next = at + 1;
    while (next < text.length && (pr_is_digit(text.bytes[next]) || memchr("+-", text.bytes[next], 2)))
        next++;
    next = skip_blanks(text, next);
    if (at_or_nul(text, next) == '#')
        next = end_of_line(text, next);
    next += at_or_nul(text, next) == '\r';
    if (at_or_nul(text, next) != '\n')
        return false;
    hit->from = hit->to = 0;
    for (next++; next < text.length; next++) {
        size_t first = next;
        while (first < text.length && is_blank(text.bytes[first]))
            first++;
        const size_t end = end_of_line(text, first);
        if (end > first && first - next <= indented)
            break;
        if (end > first) {
            hit->from = hit->from ? hit->from : first;
            hit->to = end;
        }
        next = end + (at_or_nul(text, end) == '\r' && at_or_nul(text, end + 1) == '\n');
    }
    return hit->to > hit->from && !is_hidden(pr_text_part(text, hit->from, hit->to));
}

/* The value at AT. False: none, or only a placeholder. */
static bool find_value(const struct scan *scan, size_t at, struct hit *hit)
{
    const struct pr_text text = scan->text;
    const bool is_escaped = at_or_nul(text, at) == '\\' && is_quote(at_or_nul(text, at + 1));
    if (memchr("bBrRuUfF", at_or_nul(text, at), 8) && is_quote(at_or_nul(text, at + 1)))
        at++; /* a Python literal */
    const char c = at_or_nul(text, at + is_escaped);
    hit->from = at;
    if (at >= text.length)
        return false;
    struct hit block;
    if ((c == '|' || c == '>') && scan->place != LINE && find_block(text, at, &block)) {
        *hit = block;
        return true;
    }
    if (is_quote(c)) {
        hit->from = at + 1 + is_escaped;
        hit->to = end_of_quoted(text, hit->from, c, is_escaped);
    } else if (is_hidden(pr_text_part(text, at, text.length))) {
        hit->to = at + sizeof PR_REDACTED - 1;
        return true;
    } else if (c == '[' || c == '{') {
        hit->to = end_of_brackets(text, at);
        const struct pr_text value = pr_text_part(text, hit->from, hit->to);
        return !pr_secrecy_is_no_value(value) && value.length > 2;
    } else {
        hit->to = end_of_bare(text, at);
    }
    if (scan->place == LOG && begins_class(text, at, hit->to)) {
        hit->from = hit->to + 1;
        hit->to = end_of_quoted(text, hit->from, text.bytes[hit->to], false);
    }
    const struct pr_text value = pr_text_part(text, hit->from, hit->to);
    const bool calls = memchr(value.bytes, '(', value.length) && !is_quote(c); /* get_password(): code, not a value */
    return hit->to > hit->from && !starts_with(text, at, "//") &&
           (scan->place == LINE || (!pr_secrecy_is_no_value(value) && !(calls && scan->place == LOG)));
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

/* From the first line of a private key to its last; one that is cut off goes to the end of the text. */
static bool find_private_key(const struct scan *scan, size_t at, struct hit *hit)
{
    enum { MOST_TITLE = 64 };
    const struct pr_text text = scan->text;
    if (!starts_with(text, at, "-----BEGIN ") && !starts_with(text, at, "---- BEGIN "))
        return false;
    size_t title = at + 11;
    while (title < text.length && title < at + MOST_TITLE && text.bytes[title] != '-')
        title++;
    if (find_text(pr_text_part(text, at, title), 0, "PRIVATE KEY") == title - at)
        return false;
    hit->from = title;
    while (hit->from < text.length && text.bytes[hit->from] == '-')
        hit->from++;
    hit->to = find_text(text, hit->from, text.bytes[at + 4] == '-' ? "-----END " : "---- END ");
    return hit->to > hit->from;
}

/* scheme://user:password@host. A '@' in the path does not count; a user alone is often the token itself. */
static bool find_address_password(const struct scan *scan, size_t at, struct hit *hit)
{
    const struct pr_text text = scan->text;
    if (memcmp(at_or_nul(text, at) == ':' && text.length - at > 3 ? text.bytes + at : "   ", "://", 3) != 0)
        return false;
    size_t host = at + 3, colon = 0, found = 0;
    for (size_t i = host; i < text.length && i < host + MOST_PASSWORD; i++) {
        const char c = text.bytes[i];
        if (is_space(c) || is_quote(c) || memchr("/?#\\<>", c, 6))
            break;
        if (c == ':' && !colon)
            colon = i;
        if (c == '@')
            found = i;
    }
    hit->from = colon && colon < found ? colon + 1 : host;
    hit->to = found;
    const struct pr_text value = pr_text_part(text, hit->from, found > hit->from ? found : hit->from);
    const bool is_plain_user = !(colon && colon < found) && value.length == 3 && pr_ascii_same(value.bytes, "git", 3);
    return value.length > 0 && !is_plain_user;
}

/* jdbc:oracle:thin:user/password@host. */
static bool find_oracle_password(const struct scan *scan, size_t at, struct hit *hit)
{
    const struct pr_text text = scan->text;
    if (!starts_with(text, at, ":thin:") && !starts_with(text, at, ":oci:"))
        return false;
    const size_t user = at + (starts_with(text, at, ":thin:") ? 6 : 5);
    size_t slash = user, host;
    while (slash < text.length && slash < user + MOST_USER && is_name_byte(text.bytes[slash]))
        slash++;
    for (host = slash; host < text.length && host < slash + MOST_PASSWORD && !is_space(text.bytes[host]); host++)
        if (text.bytes[host] == '@')
            break;
    *hit = (struct hit){slash + 1, host};
    return slash > user && at_or_nul(text, slash) == '/' && at_or_nul(text, host) == '@' && host > slash + 1;
}

/* user:password@host without a scheme. */
static bool find_login_at_host(const struct scan *scan, size_t at, struct hit *hit)
{
    static const char *const schemes[] = {"mailto", "npm", "pkg", "file", "workspace", "github", "gitlab", "sip",
                                          "xmpp",   "docker", "sha256", "bitbucket", "gist", "link", "portal", "patch",
                                          "jdbc"};
    const struct pr_text text = scan->text;
    size_t colon = 0, end = at;
    if (at > 0 && !begins_word(text, at) && text.bytes[at - 1] != '=')
        return false;
    for (; end < text.length && end < at + MOST_USER + MOST_PASSWORD && text.bytes[end] != '@'; end++) {
        const char c = text.bytes[end];
        if (is_space(c) || is_quote(c) || memchr("/\\<>(),;=", c, 9))
            return false;
        if (c == ':' && !colon)
            colon = end;
    }
    if (at_or_nul(text, end) != '@' || !colon || colon == at || colon + 1 == end ||
        !pr_is_alphanumeric(at_or_nul(text, end + 1)) || starts_with(text, end + 1, "sha"))
        return false;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strlen(schemes[i]) == colon - at && starts_with(text, at, schemes[i]))
            return false;
    *hit = (struct hit){colon + 1, end};
    return true;
}

/* "Bearer X": a scheme and what looks like a credential, even without the name of the header. */
static size_t end_of_scheme(struct pr_text text, size_t at)
{
    static const char *const schemes[] = {"bearer", "basic", "digest", "negotiate", "ntlm", "token", "apikey",
                                          "aws4-hmac-sha256", "hawk", "splunk", "geniekey", "key"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        const size_t end = at + strlen(schemes[i]);
        if (starts_with(text, at, schemes[i]) && is_blank(at_or_nul(text, end)) && end < text.length)
            return skip_blanks(text, end);
    }
    return at;
}

static bool find_bearer(const struct scan *scan, size_t at, struct hit *hit)
{
    enum { LEAST = 8 };
    const struct pr_text text = scan->text;
    if (!begins_name(text, at) || !(starts_with(text, at, "bearer ") || starts_with(text, at, "basic ")))
        return false;
    bool has_other = false;
    hit->from = hit->to = end_of_scheme(text, at);
    for (; hit->to < text.length; hit->to++) {
        const char c = text.bytes[hit->to];
        if (!pr_is_alphanumeric(c) && !memchr("-._~+/=", c, 7))
            break;
        has_other = has_other || !pr_is_lower(c);
    }
    while (hit->to > hit->from && text.bytes[hit->to - 1] == '.')
        hit->to--;
    return hit->to >= hit->from + LEAST && has_other;
}

/* All of a header, except for the scheme. Where only blanks separate words, one word, or all of a cookie. */
static bool find_header_value(const struct scan *scan, size_t at, bool is_quoted, struct hit *hit)
{
    const struct pr_text text = scan->text;
    const size_t scheme = end_of_scheme(text, at);
    hit->from = scheme;
    const size_t quote = at + (at_or_nul(text, at) == '\\');
    if (is_quoted && is_quote(at_or_nul(text, quote))) {
        if (!find_value(scan, at, hit))
            return false;
        hit->from = end_of_scheme(pr_text_part(text, 0, hit->to), hit->from);
        return hit->to > hit->from;
    }
    if (scan->place == LINE) {
        hit->to = end_of_word(text, scheme);
        while (hit->to < text.length && text.bytes[hit->to - 1] == ';')
            hit->to = end_of_word(text, skip_blanks(text, hit->to) + 1 < text.length ? skip_blanks(text, hit->to)
                                                                                      : text.length);
    } else {
        hit->to = end_of_line(text, scheme);
        for (size_t i = scheme; i < hit->to; i++)
            if (is_quote(text.bytes[i]))
                hit->to = i;
    }
    while (hit->to > hit->from && text.bytes[hit->to - 1] == '\\')
        hit->to--;
    const struct pr_text value = pr_text_part(text, hit->from, hit->to);
    return hit->to > hit->from && !pr_secrecy_is_no_value(value);
}

/* What separates a name from its value. */
struct separator {
    size_t end;      /* after it and its blanks; 0: none */
    bool is_colon;
    bool is_quoted;  /* the name was: JSON or similar */
};

static struct separator find_separator(const struct scan *scan, size_t name, size_t at)
{
    const struct pr_text text = scan->text;
    struct separator separator = {.end = 0};
    for (unsigned i = 0; i < 3 && memchr("]\\\"'`", at_or_nul(text, at), 5) && at < text.length; i++) {
        separator.is_quoted = separator.is_quoted || is_quote(text.bytes[at]);
        at++;
    }
    if (starts_with(text, at, "%22")) { /* JSON in an address */
        separator.is_quoted = true;
        at += 3;
    }
    if (scan->place != LINE)
        at = skip_blanks(text, at);
    const char c = at_or_nul(text, at), next = at_or_nul(text, at + 1);
    separator.is_colon = c == ':' && next != '=';
    if (c == '=' && next != '=')
        at += next == '>' ? 2 : 1;
    else if (c == ':' && next != ':')
        at += next == '=' ? 2 : 1;
    else if (c == '-' && next == '>')
        at += 2;
    else if (starts_with(text, at, "%3") && memchr("AaDd", at_or_nul(text, at + 2), 4)) /* ':' or '=', escaped */
        at += starts_with(text, at + 3, "%22") ? 6 : 3;
    else if (c == '>' && name > 0 && text.bytes[name - 1] == '<')
        at++;
    else
        return separator;
    separator.end = scan->place == LINE && !separator.is_colon ? at : skip_blanks(text, at);
    return separator;
}

/* Whether an ambiguous name means a secret here. */
static bool counts_here(const struct scan *scan, size_t name, size_t end, const struct separator *separator)
{
    const struct pr_text text = scan->text;
    const char before = name ? text.bytes[name - 1] : '\0';
    const bool is_key = end - name == 3 && starts_with(text, name, "key");
    const bool is_code = end - name == 4 && starts_with(text, name, "code");
    const bool is_option = text.bytes[name] == '-';
    const bool is_short_password = (end - name == 4 && starts_with(text, name, "pass")) ||
                                   (end - name == 2 && starts_with(text, name, "pw"));
    if (before == '?' || before == '&')
        return true;
    if (is_code)
        return false;
    if (is_option || (scan->place == LINE && !separator->is_colon))
        return true;
    if (is_short_password && !separator->is_colon && separator->end == end + 1)
        return !pr_is_digit(at_or_nul(text, separator->end)); /* pass=12 counts tests */
    if (separator->is_quoted)
        return !is_key;
    for (size_t i = name; i < end; i++) /* AUTH=x is a variable */
        if (pr_is_lower(text.bytes[i]))
            return separator->is_colon && memchr(text.bytes + name, '-', end - name) && !is_key;
    return !separator->is_colon;
}

static size_t end_of_name(struct pr_text text, size_t at)
{
    const size_t most = at + PR_SECRET_NAME_MAX + 4;
    while (at < text.length && at < most && is_name_byte(text.bytes[at]))
        at++;
    return at;
}

/* "api key" with a blank: the word before makes it one name. */
static bool is_kind_of_key(struct pr_text text, size_t name, size_t end)
{
    static const char *const kinds[] = {"api", "access", "secret", "private", "account"};
    if (end - name != 3 || !starts_with(text, name, "key"))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i]) + 1;
        if (name >= length && is_blank(text.bytes[name - 1]) && starts_with(text, name - length, kinds[i]))
            return true;
    }
    return false;
}

/* PWD=/home/me is where a shell is. */
static bool is_folder_of_shell(struct pr_text text, size_t name, size_t end, size_t value)
{
    return at_or_nul(text, value) == '/' && end - name >= 3 && memcmp(text.bytes + end - 3, "PWD", 3) == 0 &&
           (end - name == 3 || (end - name == 6 && memcmp(text.bytes + name, "OLD", 3) == 0));
}

/* name=value, name: value, "name": "value", <name>value, in all their forms. */
static bool find_member(const struct scan *scan, size_t at, struct hit *hit)
{
    const struct pr_text text = scan->text;
    if (!begins_name(text, at) || !is_name_byte(at_or_nul(text, at)))
        return false;
    const size_t end = end_of_name(text, at);
    enum pr_secrecy secrecy = pr_secrecy_of(pr_text_part(text, at, end));
    if (secrecy == PR_SECRECY_WEAK && is_kind_of_key(text, at, end))
        secrecy = PR_SECRECY_STRONG;
    if (secrecy == PR_SECRECY_NONE)
        return false;
    const struct separator separator = find_separator(scan, at, end);
    if (!separator.end || is_folder_of_shell(text, at, end, separator.end) ||
        (secrecy == PR_SECRECY_WEAK && !counts_here(scan, at, end, &separator)))
        return false;
    if (secrecy == PR_SECRECY_HEADER && separator.end < text.length)
        return find_header_value(scan, separator.end, separator.is_quoted, hit);
    return find_value(scan, separator.end, hit);
}

/* name: TOKEN, value: X: the two members of a variable in a list of them, as containers have it. */
static bool find_paired(const struct scan *scan, size_t at, struct hit *hit)
{
    static const char *const names[] = {"name", "key"};
    const struct pr_text text = scan->text;
    if (!begins_name(text, at) || !starts_with(text, at, "value") || is_name_byte(at_or_nul(text, at + 5)))
        return false;
    const struct separator separator = find_separator(scan, at, at + 5);
    for (size_t from = at; separator.end && from > 0 && at - from < MOST_BEFORE; from--) {
        if (memchr("{}", text.bytes[from - 1], 2))
            return false; /* of another variable */
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const size_t end = from - 1 + strlen(names[i]);
            if (!starts_with(text, from - 1, names[i]) || !begins_name(text, from - 1))
                continue;
            const struct separator before = find_separator(scan, from - 1, end);
            const size_t name = before.end + is_quote(at_or_nul(text, before.end));
            if (before.end)
                return pr_secrecy_of(pr_text_part(text, name, end_of_name(text, name))) == PR_SECRECY_STRONG &&
                       find_value(scan, separator.end, hit);
        }
    }
    return false;
}

/* --name value in a line. What begins with a dash is the next option; VALUE in capitals is from a usage message. */
static bool find_option(const struct scan *scan, size_t at, struct hit *hit)
{
    const struct pr_text text = scan->text;
    if (at_or_nul(text, at) != '-' || at_or_nul(text, at + 1) != '-' || !begins_name(text, at))
        return false;
    const size_t end = end_of_name(text, at);
    const size_t value = skip_blanks(text, end);
    if (value == end || at_or_nul(text, value) == '-' ||
        pr_secrecy_of(pr_text_part(text, at, end)) == PR_SECRECY_NONE || !find_value(scan, value, hit))
        return false;
    bool is_usage = scan->place == LOG;
    for (size_t i = hit->from; i < hit->to; i++)
        is_usage = is_usage && (pr_is_upper(text.bytes[i]) || memchr("_]", text.bytes[i], 2));
    return !is_usage;
}

/* "The password is X", "password 'X'", "IDENTIFIED BY 'X'", "login U password X". */
static bool find_spoken(const struct scan *scan, size_t at, struct hit *hit)
{
    const struct pr_text text = scan->text;
    if (!begins_name(text, at))
        return false;
    if (starts_with(text, at, "identified by "))
        return find_value(scan, at + 14, hit);
    if (starts_with(text, at, "convertto-securestring ") && is_quote(at_or_nul(text, skip_blanks(text, at + 22))))
        return find_value(scan, skip_blanks(text, at + 22), hit);
    if (!starts_with(text, at, "pass") && !starts_with(text, at, "secret") && !starts_with(text, at, "token") &&
        !starts_with(text, at, "key") && !starts_with(text, at, "api"))
        return false;
    const size_t end = end_of_name(text, at);
    const size_t next = skip_blanks(text, end);
    const bool is_key = is_kind_of_key(text, at, end);
    if (next == end || (!is_key && pr_secrecy_of(pr_text_part(text, at, end)) != PR_SECRECY_STRONG))
        return false;
    if (starts_with(text, next, "is ") || starts_with(text, next, "was "))
        return find_value(scan, skip_blanks(text, next + 2 + (text.bytes[next] == 'w')), hit);
    const bool is_token = starts_with(text, at, "token");
    if (is_quote(at_or_nul(text, next)) && !is_token)
        return find_value(scan, next, hit);
    const size_t line = at > MOST_BEFORE ? at - MOST_BEFORE : 0;
    const char *before = scan->place == ARGUMENT ? "machine " : "login "; /* a message may speak of a login page */
    return find_text(pr_text_part(text, line, at), 0, before) < at - line && find_value(scan, next, hit);
}

/* user:X after -u, or user%X: neither the numbers of a user and a group, nor a host and its port. */
static bool find_login(struct pr_text text, size_t from, size_t to, struct hit *hit)
{
    const char *colon = memchr(text.bytes + from, ':', to - from);
    if (!colon && pr_is_alphanumeric(at_or_nul(text, from)))
        colon = memchr(text.bytes + from, '%', to - from);
    const size_t at = colon ? (size_t)(colon - text.bytes) + 1 : to;
    bool is_number = true;
    for (size_t i = at; i < to; i++)
        is_number = is_number && pr_is_digit(text.bytes[i]);
    if (at >= to || at == from + 1 || starts_with(text, at, "//") || text.bytes[at] == '\\')
        return false;
    const bool is_user_number = pr_is_digit(text.bytes[from]);
    const bool is_host = memchr(text.bytes + from, '.', at - from) || starts_with(text, from, "localhost:");
    *hit = (struct hit){at, to};
    return !(is_number && (is_user_number || is_host));
}

/* The program whose command AT is in: searched as far back as the command goes. */
static unsigned program_before(struct pr_text text, size_t at)
{
    size_t from = at;
    unsigned program = 0;
    while (from > 0 && at - from < MOST_BEFORE && !memchr("\n;|&", text.bytes[from - 1], 4))
        from--;
    while (from < at) {
        const size_t end = end_of_word(text, from);
        const unsigned known = pr_password_letters_of(pr_text_part(text, from, end < at ? end : at));
        program = known ? known : program;
        from = end + 1;
    }
    return program;
}

static bool has_letter(const char *letters, char c)
{
    return c && strchr(letters, c) != NULL;
}

/* -pX, -p X and -u user:X of a program that is named before. */
static bool find_letter(const struct scan *scan, size_t at, struct hit *hit)
{
    const struct pr_text text = scan->text;
    const char letter = at_or_nul(text, at + 1);
    if (scan->place == ARGUMENT || at_or_nul(text, at) != '-' || !begins_word(text, at) ||
        !pr_is_alphanumeric(letter) || !memchr("paPwbuU", letter, 7))
        return false;
    const unsigned program = program_before(text, at);
    const struct pr_password_letters *letters = program ? &pr_password_letters[program - 1] : NULL;
    const size_t next = skip_blanks(text, at + 2), from = next + is_quote(at_or_nul(text, next));
    const size_t to = from > next ? end_of_quoted(text, from, text.bytes[next], false) : end_of_word(text, from);
    *hit = (struct hit){from, to};
    if (next >= text.length || from >= to)
        return false;
    if (letters && has_letter(next > at + 2 ? letters->separate : letters->glued, letter))
        return true;
    const bool is_login = letters ? has_letter(letters->login, letter) : letter == 'u' && next > at + 2;
    return is_login && find_login(text, from, to, hit);
}

/* -sSu: several letters in one, of which the last takes user:X. */
static bool ends_with_login(const struct pr_password_letters *letters, struct pr_text word)
{
    bool are_letters = word.length > 2 && word.length <= MOST_LETTERS && word.bytes[0] == '-';
    for (size_t i = 1; i < word.length && are_letters; i++)
        are_letters =
            pr_is_letter(word.bytes[i]) && (i + 1 == word.length || !has_letter(letters->login, word.bytes[i]));
    return are_letters && has_letter(letters->login, word.bytes[word.length - 1]);
}

/* -sSu user:X of a program that is named before. */
static bool find_letters(const struct scan *scan, size_t at, struct hit *hit)
{
    const struct pr_text text = scan->text;
    if (scan->place == ARGUMENT || at_or_nul(text, at) != '-' || !begins_word(text, at))
        return false;
    size_t end = at + 1;
    while (end < at + MOST_LETTERS && pr_is_letter(at_or_nul(text, end)))
        end++;
    const size_t next = skip_blanks(text, end), from = next + is_quote(at_or_nul(text, next));
    const unsigned program = next > end ? program_before(text, at) : 0;
    if (!program || !ends_with_login(&pr_password_letters[program - 1], pr_text_part(text, at, end)))
        return false;
    const size_t to = from > next ? end_of_quoted(text, from, text.bytes[next], false) : end_of_word(text, from);
    return from < to && find_login(text, from, to, hit);
}

/* Whether TEXT has the name of an option there that takes user:X, up to END. */
static bool is_login_option(struct pr_text text, size_t at, size_t *end)
{
    static const char *const names[] = {"--user", "--proxy-user"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *end = at + strlen(names[i]);
        if (starts_with(text, at, names[i]) && !pr_is_alphanumeric(at_or_nul(text, *end)) &&
            at_or_nul(text, *end) != '-')
            return true;
    }
    return false;
}

/* --user=user:X, and --user user:X in a line. */
static bool find_login_option(const struct scan *scan, size_t at, struct hit *hit)
{
    const struct pr_text text = scan->text;
    size_t end;
    if (!begins_word(text, at) || !is_login_option(text, at, &end))
        return false;
    const bool is_joined = at_or_nul(text, end) == '=';
    if (!is_joined && scan->place == ARGUMENT)
        return false;
    const size_t next = is_joined ? end + 1 : skip_blanks(text, end), from = next + is_quote(at_or_nul(text, next));
    const size_t to = scan->place == ARGUMENT ? text.length
                      : from > next           ? end_of_quoted(text, from, text.bytes[next], false)
                                              : end_of_word(text, from);
    return from < to && find_login(text, from, to, hit);
}

/* Whether a command of the words FROM to TO reads a password from its standard input. */
static bool reads_password(struct pr_text text, size_t from, size_t to)
{
    bool is_sudo = false, reads = false;
    while (from < to) {
        const size_t end = end_of_word(text, from);
        const struct pr_text word = pr_text_part(text, from, end < to ? end : to), name = pr_text_file_name(word);
        is_sudo = is_sudo || pr_text_is(name, "sudo") || pr_text_is(name, "su") || pr_text_is(name, "passwd");
        reads = reads || pr_text_is(word, "--password-stdin") || pr_text_is(name, "chpasswd") ||
                (pr_text_is(word, "--stdin") && is_sudo) || (pr_text_starts(word, "--pass") && word.length > 6 &&
                                                             !memcmp(word.bytes + word.length - 6, "-stdin", 6));
        for (uint32_t i = 1; is_sudo && word.length > 1 && word.bytes[0] == '-' && word.bytes[1] != '-' &&
                             i < word.length;
             i++)
            reads = reads || word.bytes[i] == 'S';
        from = end + 1;
    }
    return reads;
}

/* Where the command at FROM ends: at the next pipe, semicolon or line. */
static size_t end_of_command(struct pr_text text, size_t from)
{
    size_t at = from;
    while (at < text.length && at < from + MOST_BEFORE && !memchr("\n;|&", text.bytes[at], 4))
        at++;
    return at;
}

/* A word for a shell at AT, in quotes or not. False: a variable, or none. */
static bool find_word(struct pr_text text, size_t at, struct hit *hit)
{
    const bool is_quoted = is_quote(at_or_nul(text, at));
    if (is_hidden(pr_text_part(text, at + is_quoted, text.length)))
        return false;
    hit->from = at + is_quoted;
    hit->to = is_quoted ? end_of_quoted(text, hit->from, text.bytes[at], false) : end_of_bare(text, at);
    return hit->to > hit->from && !pr_secrecy_is_no_value(pr_text_part(text, hit->from, hit->to));
}

/* echo X | sudo -S, printf '%s' X | docker login --password-stdin, sudo -S <<< X. */
static bool find_piped(const struct scan *scan, size_t at, struct hit *hit)
{
    const struct pr_text text = scan->text;
    const bool is_echo = starts_with(text, at, "echo "), is_printf = starts_with(text, at, "printf ");
    if (starts_with(text, at, "<<<")) {
        size_t from = at;
        while (from > 0 && at - from < MOST_BEFORE && !memchr("\n;|&", text.bytes[from - 1], 4))
            from--;
        return reads_password(text, from, at) && find_word(text, skip_blanks(text, at + 3), hit);
    }
    if ((!is_echo && !is_printf) || !begins_word(text, at))
        return false;
    size_t value = skip_blanks(text, at + (is_echo ? 5 : 7));
    while (at_or_nul(text, value) == '-' && value < text.length)
        value = skip_blanks(text, end_of_word(text, value));
    if (is_printf && is_quote(at_or_nul(text, value)) && at_or_nul(text, value + 1) == '%')
        value = skip_blanks(text, end_of_quoted(text, value + 1, text.bytes[value], false) + 1);
    if (value >= text.length || !find_word(text, value, hit))
        return false;
    const size_t pipe = skip_blanks(text, hit->to + is_quote(at_or_nul(text, value)));
    return at_or_nul(text, pipe) == '|' && reads_password(text, pipe + 1, end_of_command(text, pipe + 1));
}

static bool find_token(const struct scan *scan, size_t at, struct hit *hit)
{
    const struct pr_text text = scan->text;
    const char before = at ? text.bytes[at - 1] : '\0';
    if ((pr_is_alphanumeric(before) || before == '_') && !is_after_escape(text, at))
        return false;
    const size_t length = pr_secret_token(pr_text_part(text, at, text.length));
    *hit = (struct hit){at, at + length};
    return length > 0;
}

static bool (*const rules[])(const struct scan *scan, size_t at, struct hit *hit) = {
    find_private_key, find_token,  find_address_password, find_oracle_password, find_login_at_host, find_member,
    find_paired,      find_option, find_spoken,           find_bearer,          find_letter,        find_login_option,
    find_letters,     find_piped};

/* ---- texts ------------------------------------------------------------------------------------------------------ */

static void add_part(struct pr_buf *out, struct pr_text text, size_t from, size_t to)
{
    if (to > from)
        pr_buf_add(out, text.bytes + from, to - from);
}

static bool find_any(const struct scan *scan, size_t at, struct hit *hit)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i](scan, at, hit))
            return true;
    return false;
}

static void redact(struct pr_buf *out, struct pr_text text, enum place place)
{
    const struct scan scan = {text, place};
    size_t kept = 0;
    for (size_t at = 0; at < text.length;) {
        struct hit hit;
        if (!find_any(&scan, at, &hit)) {
            at++;
            continue;
        }
        add_part(out, text, kept, hit.from);
        pr_buf_text(out, PR_REDACTED);
        kept = at = hit.to;
    }
    add_part(out, text, kept, text.length);
}

void pr_redact(struct pr_buf *out, struct pr_text line)
{
    redact(out, line, LINE);
}

/* The end of a private key whose beginning is not in TEXT; 0: none. */
static size_t end_of_cut_key(struct pr_text text)
{
    const size_t end = find_text(text, 0, "-----END "), begin = find_text(text, 0, "-----BEGIN ");
    const size_t key = find_text(text, end, "PRIVATE KEY");
    return end < begin && key < text.length && key < end + 64 ? end : 0;
}

void pr_redact_log(struct pr_buf *out, struct pr_text text)
{
    const size_t cut = end_of_cut_key(text);
    if (cut)
        pr_buf_text(out, PR_REDACTED "\n");
    redact(out, pr_text_part(text, cut, text.length), LOG);
}

/* ---- arguments -------------------------------------------------------------------------------------------------- */

/* What the next argument is. */
enum { NEXT_ANY, NEXT_SECRET, NEXT_LOGIN, NEXT_SCRIPT, NEXT_SCHEME, NEXT_NAME };

static void add_hidden(struct pr_buf *out, struct pr_text word, struct hit hit)
{
    add_part(out, word, 0, hit.from);
    pr_buf_text(out, PR_REDACTED);
    redact(out, pr_text_part(word, hit.to, word.length), ARGUMENT);
}

/* NAME=X, --NAME=X, NAME:X: all that follows, blanks and separators too, is the value. */
static bool find_whole_value(struct pr_text word, struct hit *hit)
{
    const struct scan scan = {word, ARGUMENT};
    size_t name = 0;
    while (at_or_nul(word, name) == '-' && name < word.length)
        name++;
    const size_t end = end_of_name(word, name);
    const enum pr_secrecy secrecy = pr_secrecy_of(pr_text_part(word, name, end));
    const char c = at_or_nul(word, end);
    const bool is_bare_key = end - name == 3 && starts_with(word, name, "key");
    const bool is_code = end - name == 4 && starts_with(word, name, "code");
    if (secrecy == PR_SECRECY_NONE || end == name || is_code || (c != '=' && (c != ':' || is_bare_key)))
        return false;
    const size_t value = skip_blanks(word, end + 1);
    if (value >= word.length || is_folder_of_shell(word, name, end, value) || starts_with(word, value, "//"))
        return false;
    if (secrecy == PR_SECRECY_HEADER)
        return find_header_value(&scan, value, false, hit);
    *hit = (struct hit){value, word.length};
    return true;
}

/* -pX of an unknown program: not a number, path, port or plain word. */
static bool is_unknown_password(struct pr_text rest)
{
    bool has_special = false, has_number = false, is_number = true;
    for (size_t i = 0; i < rest.length; i++) {
        const char c = rest.bytes[i];
        if (c == '/' || c == '=')
            return false;
        has_special = has_special || memchr("!@#$%^*+~?", c, 10);
        has_number = has_number || pr_is_digit(c);
        is_number = is_number && (pr_is_digit(c) || memchr(".:,-", c, 4));
    }
    const bool has_capital = rest.length && pr_is_upper(*rest.bytes);
    return rest.length >= 4 && !is_number && *rest.bytes != '.' && (has_special || has_number || has_capital);
}

/* Options of one letter. Returns whether all of WORD has been written. */
static bool add_letter(struct pr_redactor *redactor, struct pr_buf *out, struct pr_text word)
{
    static const struct pr_password_letters unknown = {"", "", "", "uU"};
    const struct pr_password_letters *letters =
        redactor->program ? &pr_password_letters[redactor->program - 1] : &unknown;
    const char letter = word.bytes[1];
    struct hit hit = {2, word.length};
    if (word.length == 2) {
        redactor->next = has_letter(letters->separate, letter) ? NEXT_SECRET
                         : has_letter(letters->login, letter)  ? NEXT_LOGIN
                         : letter == 'c'                       ? NEXT_SCRIPT
                                                               : NEXT_ANY;
        return false;
    }
    if (letters != &unknown && ends_with_login(letters, word)) {
        redactor->next = NEXT_LOGIN;
        return false;
    }
    const bool is_password = has_letter(letters->glued, letter) ||
                             (letters == &unknown && letter == 'p' && is_unknown_password(pr_text_from(word, 2)));
    const bool is_login = has_letter(letters->login, letter) && letters != &unknown;
    if (!is_password && !(is_login && find_login(word, 2, word.length, &hit)))
        return false;
    add_hidden(out, word, hit);
    return true;
}

/* What an option, or the name of a header, says about the argument after it. */
static unsigned announced_by(struct pr_text word)
{
    size_t from = 0, login;
    while (from < word.length && word.bytes[from] == '-')
        from++;
    const size_t end = end_of_name(word, from);
    const enum pr_secrecy secrecy = pr_secrecy_of(pr_text_part(word, from, end));
    if (is_login_option(word, 0, &login) && login == word.length)
        return NEXT_LOGIN;
    if (word.length == 3 && starts_with(word, 0, "set"))
        return NEXT_NAME;
    if (secrecy == PR_SECRECY_NONE || (end - from == 4 && starts_with(word, from, "code")))
        return NEXT_ANY;
    if (end + 1 == word.length && word.bytes[end] == ':')
        return secrecy == PR_SECRECY_HEADER ? NEXT_SCHEME : NEXT_SECRET;
    return from && end == word.length ? NEXT_SECRET : NEXT_ANY;
}

static bool add_expected(struct pr_redactor *redactor, struct pr_buf *out, struct pr_text word, unsigned expected)
{
    struct hit hit = {0, word.length};
    if (expected == NEXT_SCRIPT) {
        redact(out, word, LOG);
        return true;
    }
    if (expected == NEXT_SCHEME) {
        char with_blank[32];
        if (word.length + 1 < sizeof with_blank) {
            memcpy(with_blank, word.bytes, word.length);
            memcpy(with_blank + word.length, " ", 2);
            if (end_of_scheme((struct pr_text){with_blank, word.length + 2}, 0)) {
                redactor->next = NEXT_SECRET;
                return false;
            }
        }
        expected = NEXT_SECRET;
    }
    if (expected == NEXT_NAME) { /* `config set db_password X` */
        redactor->next = pr_secrecy_of(word) == PR_SECRECY_STRONG ? NEXT_SECRET : NEXT_ANY;
        return false;
    }
    if (expected == NEXT_ANY || !word.length || (expected == NEXT_LOGIN && !find_login(word, 0, word.length, &hit)))
        return false;
    add_hidden(out, word, hit);
    return true;
}

void pr_redact_word(struct pr_redactor *redactor, struct pr_buf *out, struct pr_text word)
{
    struct hit hit;
    const unsigned expected = redactor->next, program = pr_password_letters_of(word);
    redactor->next = NEXT_ANY;
    if (add_expected(redactor, out, word, expected))
        return;
    redactor->program = program ? program : redactor->program;
    if (word.length >= 2 && word.bytes[0] == '-' && pr_is_alphanumeric(word.bytes[1]) &&
        add_letter(redactor, out, word))
        return;
    if (redactor->next == NEXT_ANY)
        redactor->next = announced_by(word);
    if (find_whole_value(word, &hit))
        add_hidden(out, word, hit);
    else
        redact(out, word, ARGUMENT);
}

static pr_str intern(struct pr_strings *strings, struct pr_buf *buf)
{
    pr_str string = buf->failed ? PR_NO_STR : pr_strings_add(strings, buf->bytes, buf->length);
    pr_buf_clear(buf);
    return string;
}

pr_str pr_redacted_line(struct pr_strings *strings, struct pr_text line)
{
    struct pr_buf buf = {0};
    pr_redact(&buf, line);
    return intern(strings, &buf);
}

pr_str pr_redacted_log(struct pr_strings *strings, struct pr_text text)
{
    struct pr_buf buf = {0};
    pr_redact_log(&buf, text);
    return intern(strings, &buf);
}
