/* SPDX-License-Identifier: Apache-2.0 */
/* Word by word: is it a secret, does it hold one, does it announce one? */
#include "capture/base/redact.h"

#include <string.h>
#include <strings.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0';
}

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool ends_with(struct pr_text text, const char *end)
{
    size_t length = strlen(end);
    return text.length >= length && !strncasecmp(text.bytes + text.length - length, end, length);
}

static bool starts_with(struct pr_text text, const char *start)
{
    size_t length = strlen(start);
    return text.length >= length && !memcmp(text.bytes, start, length);
}

static bool contains(struct pr_text text, const char *part)
{
    size_t length = strlen(part);
    for (size_t at = 0; at + length <= text.length; at++) {
        if (!strncasecmp(text.bytes + at, part, length))
            return true;
    }
    return false;
}

/* NAME as in --NAME or NAME=: "github-token" is secret, "max-tokens", "tokenizer" and "monkey" are not. */
static bool is_secret_name(struct pr_text name)
{
    static const char *const anywhere[] = {"password", "passwd", "passphrase", "secret", "credential"};
    static const char *const at_end[] = {"token", "pwd", "apikey", "accesskey", "privatekey", "authorization"};
    static const char *const last_word[] = {"key", "auth", "pass"};
    for (size_t i = 0; i < sizeof anywhere / sizeof *anywhere; i++) {
        if (contains(name, anywhere[i]))
            return true;
    }
    for (size_t i = 0; i < sizeof at_end / sizeof *at_end; i++) {
        if (ends_with(name, at_end[i]))
            return true;
    }
    for (size_t i = 0; i < sizeof last_word / sizeof *last_word; i++) {
        size_t length = strlen(last_word[i]);
        if (ends_with(name, last_word[i]) &&
            (name.length == length || !is_name_character(name.bytes[name.length - length - 1])))
            return true;
    }
    return false;
}

/* A whole word in the form of an access token. */
static bool is_known_token(struct pr_text word)
{
    static const struct {
        const char *start;
        uint32_t min_length;
    } forms[] = {{"ghp_", 36},  {"gho_", 36}, {"ghs_", 36},     {"github_pat_", 40}, {"glpat-", 20}, {"xoxb-", 20},
                 {"xoxp-", 20}, {"sk-", 24},  {"sk_live_", 20}, {"AKIA", 20},        {"ASIA", 20},   {"AIza", 35},
                 {"eyJ", 40},   {"hf_", 30},  {"npm_", 36},     {"pypi-", 40}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (word.length >= forms[i].min_length && starts_with(word, forms[i].start))
            return true;
    }
    return false;
}

static struct pr_text part_of(struct pr_text text, size_t from, size_t to)
{
    return (struct pr_text){text.bytes + from, (uint32_t)(to - from)};
}

static size_t find(struct pr_text text, size_t from, char c)
{
    const char *at = from < text.length ? memchr(text.bytes + from, c, text.length - from) : NULL;
    return at ? (size_t)(at - text.bytes) : text.length;
}

/* Where the password of scheme://user:password@host lies. A '@' behind the first '/' of the path is none of it. */
static bool find_url_password(struct pr_text word, size_t *from, size_t *to)
{
    size_t colon = find(word, 0, ':');
    if (colon + 2 >= word.length || memcmp(word.bytes + colon, "://", 3))
        return false;
    size_t host = colon + 3, end = find(word, host, '/'), at = end;
    for (size_t i = host; i < end; i++) {
        if (word.bytes[i] == '@')
            at = i;
    }
    if (at == end)
        return false;
    size_t separator = find(word, host, ':');
    *from = separator < at ? separator + 1 : host; /* a user alone is often the token itself */
    *to = at;
    return *from < *to;
}

static void add_text(struct pr_buf *out, struct pr_text text)
{
    pr_buf_add(out, text.bytes, text.length);
}

static void add_value(struct pr_buf *out, struct pr_text value)
{
    size_t from, to;
    if (is_known_token(value)) {
        pr_buf_text(out, PR_REDACTED);
    } else if (find_url_password(value, &from, &to)) {
        add_text(out, part_of(value, 0, from));
        pr_buf_text(out, PR_REDACTED);
        add_text(out, part_of(value, to, value.length));
    } else {
        add_text(out, value);
    }
}

/* How many words on the secret follows that this one announces: 1 is the next word, 0 none. */
static unsigned add_word(struct pr_buf *out, struct pr_text word)
{
    size_t dashes = 0;
    while (dashes < word.length && word.bytes[dashes] == '-')
        dashes++;
    size_t equals = find(word, dashes, '='), colon = find(word, dashes, ':');
    struct pr_text name = part_of(word, dashes, equals < word.length ? equals : word.length);
    if (equals < word.length && is_secret_name(name)) {
        add_text(out, part_of(word, 0, equals + 1));
        if (equals + 1 < word.length)
            pr_buf_text(out, PR_REDACTED);
        return 0;
    }
    if (equals < word.length) {
        add_text(out, part_of(word, 0, equals + 1));
        add_value(out, part_of(word, equals + 1, word.length));
        return 0;
    }
    add_value(out, word);
    if (colon + 1 == word.length) { /* a header: "X-Api-Key: K"; "Authorization: Basic K" has the scheme first */
        if (ends_with(word, "authorization:"))
            return 2;
        return is_secret_name(part_of(word, 0, colon));
    }
    return dashes && is_secret_name(name);
}

void pr_redact(struct pr_buf *out, struct pr_text line)
{
    unsigned until_secret = 0;
    for (size_t at = 0; at < line.length;) {
        size_t end = at;
        while (end < line.length && is_space(line.bytes[end]))
            end++;
        add_text(out, part_of(line, at, end));
        at = end;
        while (end < line.length && !is_space(line.bytes[end]))
            end++;
        struct pr_text word = part_of(line, at, end);
        if (until_secret == 1 && word.length && *word.bytes != '-') {
            pr_buf_text(out, PR_REDACTED);
            until_secret = 0;
        } else if (word.length) {
            unsigned announced = add_word(out, word);
            until_secret = announced ? announced : until_secret == 2;
        }
        at = end;
    }
}
