/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets known by their form, whatever they are called. */
#include "capture/redact/secret_rules.h"

#include "capture/base/ascii.h"
#include "capture/redact/secret_tokens.h"

#include <string.h>

/* From the first line of a private key to its last; one that is cut off goes to the end of the text. */
bool pr_find_private_key(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    enum { MOST_TITLE = 64 };
    const struct pr_text text = scan->text;
    if (!pr_scan_starts(text, at, "-----BEGIN ") && !pr_scan_starts(text, at, "---- BEGIN "))
        return false;
    size_t title = at + 11;
    while (title < text.length && title < at + MOST_TITLE && text.bytes[title] != '-')
        title++;
    if (pr_scan_find(pr_text_part(text, at, title), 0, "PRIVATE KEY") == title - at)
        return false;
    hit->from = title;
    while (hit->from < text.length && text.bytes[hit->from] == '-')
        hit->from++;
    hit->to = pr_scan_find(text, hit->from, text.bytes[at + 4] == '-' ? "-----END " : "---- END ");
    return hit->to > hit->from;
}

enum { ESCAPED = 3 }; /* bytes of one character in an address: a percent sign and two digits */

static bool is_escaped(struct pr_text text, size_t at, const char *digits)
{
    return pr_scan_at(text, at) == '%' && pr_scan_starts(text, at + 1, digits);
}

/* "://", escaped. */
static bool is_escaped_scheme(struct pr_text text, size_t at)
{
    return is_escaped(text, at, "3A") && is_escaped(text, at + ESCAPED, "2F") &&
           is_escaped(text, at + 2 * ESCAPED, "2F");
}

/* An address in another one: scheme, user, password and host, with all that separates them escaped. */
static bool find_escaped_password(struct pr_text text, size_t at, struct pr_hit *hit)
{
    const size_t user = at + (size_t)3 * ESCAPED, most = user + PR_SCAN_MOST_USER + PR_SCAN_MOST_PASSWORD;
    size_t colon = 0, end = user;
    for (; end < text.length && end < most && !is_escaped(text, end, "40"); end++) {
        if (!colon && is_escaped(text, end, "3A"))
            colon = end + ESCAPED;
        if (pr_scan_is_space(text.bytes[end]) || memchr("/&?#\\\"'", text.bytes[end], 7) ||
            is_escaped(text, end, "2F"))
            return false;
    }
    *hit = (struct pr_hit){colon ? colon : user, end};
    return is_escaped(text, end, "40") && hit->to > hit->from;
}

/* scheme://user:password@host. A '@' in the path does not count; a user alone is often the token itself. */
bool pr_find_address_password(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    if (is_escaped_scheme(text, at))
        return find_escaped_password(text, at, hit);
    if (memcmp(pr_scan_at(text, at) == ':' && text.length - at > 3 ? text.bytes + at : "   ", "://", 3) != 0)
        return false;
    size_t host = at + 3, colon = 0, found = 0;
    for (size_t i = host; i < text.length && i < host + PR_SCAN_MOST_PASSWORD; i++) {
        const char c = text.bytes[i];
        if (pr_scan_is_space(c) || pr_scan_is_quote(c) || memchr("/?#\\<>", c, 6))
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
bool pr_find_oracle_password(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    if (!pr_scan_starts(text, at, ":thin:") && !pr_scan_starts(text, at, ":oci:"))
        return false;
    const size_t user = at + (pr_scan_starts(text, at, ":thin:") ? 6 : 5);
    size_t slash = user, host;
    while (slash < text.length && slash < user + PR_SCAN_MOST_USER && pr_scan_is_name(text.bytes[slash]))
        slash++;
    for (host = slash;
         host < text.length && host < slash + PR_SCAN_MOST_PASSWORD && !pr_scan_is_space(text.bytes[host]); host++)
        if (text.bytes[host] == '@')
            break;
    *hit = (struct pr_hit){slash + 1, host};
    return slash > user && pr_scan_at(text, slash) == '/' && pr_scan_at(text, host) == '@' && host > slash + 1;
}

/* user:password@host without a scheme. */
bool pr_find_login_at_host(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    static const char *const schemes[] = {"mailto", "npm",  "pkg",    "file",   "workspace", "github",
                                          "gitlab", "sip",  "xmpp",   "docker", "sha256",    "bitbucket",
                                          "gist",   "link", "portal", "patch",  "jdbc"};
    const struct pr_text text = scan->text;
    size_t colon = 0, end = at;
    if (at > 0 && !pr_scan_begins_word(text, at) && text.bytes[at - 1] != '=')
        return false;
    for (; end < text.length && end < at + PR_SCAN_MOST_USER + PR_SCAN_MOST_PASSWORD && text.bytes[end] != '@'; end++) {
        const char c = text.bytes[end];
        if (pr_scan_is_space(c) || pr_scan_is_quote(c) || memchr("/\\<>(),;=", c, 9))
            return false;
        if (c == ':' && !colon)
            colon = end;
    }
    if (pr_scan_at(text, end) != '@' || !colon || colon == at || colon + 1 == end ||
        !pr_is_alphanumeric(pr_scan_at(text, end + 1)) || pr_scan_starts(text, end + 1, "sha"))
        return false;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strlen(schemes[i]) == colon - at && pr_scan_starts(text, at, schemes[i]))
            return false;
    *hit = (struct pr_hit){colon + 1, end};
    return true;
}

/* The end of a field of a line of .pgpass, which has no blanks; *IS_NUMBER: it has digits only. 0: none. */
static size_t end_of_field(struct pr_text text, size_t at, bool *is_number)
{
    const size_t from = at;
    *is_number = true;
    while (at < text.length && at < from + PR_SCAN_MOST_USER &&
           (pr_scan_is_name(text.bytes[at]) || text.bytes[at] == '*')) {
        *is_number = *is_number && pr_is_digit(text.bytes[at]);
        at++;
    }
    return at > from && pr_scan_at(text, at) == ':' ? at : 0;
}

/* host:port:database:user:X, each of the first four a name or "*": a line of .pgpass. */
bool pr_find_pgpass(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    enum { FIELDS = 4, PORT = 1, LEAST_PORT = 2, MOST_PORT = 5 };
    const struct pr_text text = scan->text;
    size_t from = at;
    if (!pr_scan_begins_word(text, at))
        return false;
    for (unsigned field = 0; field < FIELDS; field++) {
        bool is_number;
        const size_t end = end_of_field(text, from, &is_number);
        if (!end)
            return false;
        const bool is_star = end == from + 1 && text.bytes[from] == '*';
        const bool is_port = is_star || (is_number && end - from >= LEAST_PORT && end - from <= MOST_PORT);
        if (field == PORT ? !is_port : is_number)
            return false;
        from = end + 1;
    }
    *hit = (struct pr_hit){from, pr_scan_bare_end(text, from)};
    return hit->to > hit->from && text.bytes[from] != ':';
}

/* https://host/api/token/X/: a segment that looks random after one that says what it is. */
bool pr_find_path_token(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    static const char *const names[] = {"/token/", "/tokens/", "/apikey/", "/api-key/", "/api_key/", "/api-keys/"};
    enum { LEAST = 8 };
    const struct pr_text text = scan->text;
    if (pr_scan_at(text, at) != '/')
        return false;
    size_t from = 0, scheme = at;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pr_scan_starts(text, at, names[i]))
            from = at + strlen(names[i]);
    while (scheme > 0 && at - scheme < PR_SCAN_MOST_BEFORE && !pr_scan_is_space(text.bytes[scheme - 1]))
        scheme--;
    if (!from || pr_scan_find(pr_text_part(text, scheme, at), 0, "://") == at - scheme)
        return false;
    *hit = (struct pr_hit){from, from};
    while (hit->to < text.length && (pr_scan_is_name(text.bytes[hit->to]) || text.bytes[hit->to] == '~'))
        hit->to++;
    return hit->to - from >= LEAST && pr_scan_has_digit_and_letter(pr_text_part(text, from, hit->to));
}

/* "Bearer X" without the name of its header: what looks like a credential. */
bool pr_find_bearer(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    enum { LEAST = 8 };
    const struct pr_text text = scan->text;
    if (!pr_scan_begins_name(text, at) || !(pr_scan_starts(text, at, "bearer ") || pr_scan_starts(text, at, "basic ")))
        return false;
    bool has_other = false;
    hit->from = hit->to = pr_scheme_end(text, at);
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

bool pr_find_token(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    const char before = at ? text.bytes[at - 1] : '\0';
    if ((pr_is_alphanumeric(before) || before == '_') && !pr_scan_begins_name(text, at))
        return false;
    const size_t length = pr_secret_token(pr_text_part(text, at, text.length));
    *hit = (struct pr_hit){at, at + length};
    return length > 0;
}
