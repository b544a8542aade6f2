/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets known by the program and its option: -pX, -p X, -u user:X. */
#include "capture/redact/secret_rules.h"

#include "capture/base/ascii.h"

#include <string.h>

enum { MOST_LETTERS = 8 };

/* user:X after -u, or user%X: neither the numbers of a user and a group, nor a host and its port. */
bool pr_find_login(struct pr_text text, size_t from, size_t to, const char *separators, struct pr_hit *hit)
{
    const char *colon = NULL;
    for (const char *separator = separators ? separators : ":%"; *separator && !colon; separator++)
        if (*separator != '%' || pr_is_alphanumeric(pr_scan_at(text, from)))
            colon = memchr(text.bytes + from, *separator, to - from);
    const size_t at = colon ? (size_t)(colon - text.bytes) + 1 : to;
    bool is_number = true;
    for (size_t i = at; i < to; i++)
        is_number = is_number && pr_is_digit(text.bytes[i]);
    if (at >= to || at == from + 1 || pr_scan_starts(text, at, "//") || text.bytes[at] == '\\')
        return false;
    const bool is_user_number = pr_is_digit(text.bytes[from]);
    const bool is_host = memchr(text.bytes + from, '.', at - from) || pr_scan_starts(text, from, "localhost:");
    *hit = (struct pr_hit){at, to};
    return !(is_number && (is_user_number || is_host));
}

/* The program whose command AT is in: searched as far back as the command goes. */
static unsigned program_before(struct pr_text text, size_t at)
{
    size_t from = pr_scan_command_start(text, at);
    unsigned program = 0;
    while (from < at) {
        const size_t end = pr_scan_word_end(text, from);
        const unsigned known = pr_password_letters_of(pr_text_part(text, from, end < at ? end : at));
        program = known ? known : program;
        from = end + 1;
    }
    return program;
}

bool pr_has_letter(const char *letters, char c)
{
    return c && strchr(letters, c) != NULL;
}

/* -pX, -p X and -u user:X of a program that is named before. */
bool pr_find_letter(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    const char letter = pr_scan_at(text, at + 1);
    if (scan->place == PR_SCAN_ARGUMENT || pr_scan_at(text, at) != '-' || !pr_scan_begins_word(text, at) ||
        !pr_is_alphanumeric(letter) || !memchr("paPwbuU", letter, 7))
        return false;
    const unsigned program = program_before(text, at);
    const struct pr_password_letters *letters = program ? &pr_password_letters[program - 1] : NULL;
    const size_t next = pr_scan_skip(text, at + 2), from = next + pr_scan_is_quote(pr_scan_at(text, next));
    const size_t to =
        from > next ? pr_scan_quoted_end(text, from, text.bytes[next], false) : pr_scan_word_end(text, from);
    *hit = (struct pr_hit){from, to};
    if (next >= text.length || from >= to)
        return false;
    if (letters && pr_has_letter(next > at + 2 ? letters->separate : letters->glued, letter))
        return true;
    const bool is_login = letters ? pr_has_letter(letters->login, letter) : letter == 'u' && next > at + 2;
    return is_login && pr_find_login(text, from, to, letters ? letters->separators : NULL, hit);
}

/* -hpX, /p:X and /p:"X" of a program that is named before; '/p:X' too. */
bool pr_find_prefixed(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    const char first = pr_scan_at(text, at);
    if (scan->place == PR_SCAN_ARGUMENT || (first != '-' && first != '/') || !pr_scan_begins_word(text, at) ||
        !memchr("hpg", pr_scan_at(text, at + 1), 3))
        return false;
    const size_t prefix = pr_password_prefix(program_before(text, at), pr_text_part(text, at, text.length));
    const char around = at ? text.bytes[at - 1] : '\0', inside = pr_scan_at(text, at + prefix);
    const bool is_around = pr_scan_is_quote(around), is_inside = !is_around && pr_scan_is_quote(inside);
    hit->from = at + prefix + is_inside;
    hit->to = is_around || is_inside ? pr_scan_quoted_end(text, hit->from, is_around ? around : inside, false)
                                     : pr_scan_word_end(text, hit->from);
    return prefix && hit->to > hit->from;
}

/* -sSu: several letters in one, of which the last takes user:X. */
bool pr_ends_with_login(const struct pr_password_letters *letters, struct pr_text word)
{
    bool are_letters = word.length > 2 && word.length <= MOST_LETTERS && word.bytes[0] == '-';
    for (size_t i = 1; i < word.length && are_letters; i++)
        are_letters =
            pr_is_letter(word.bytes[i]) && (i + 1 == word.length || !pr_has_letter(letters->login, word.bytes[i]));
    return are_letters && pr_has_letter(letters->login, word.bytes[word.length - 1]);
}

/* -sSu user:X of a program that is named before. */
bool pr_find_letters(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    if (scan->place == PR_SCAN_ARGUMENT || pr_scan_at(text, at) != '-' || !pr_scan_begins_word(text, at))
        return false;
    size_t end = at + 1;
    while (end < at + MOST_LETTERS && pr_is_letter(pr_scan_at(text, end)))
        end++;
    const size_t next = pr_scan_skip(text, end), from = next + pr_scan_is_quote(pr_scan_at(text, next));
    const unsigned program = next > end ? program_before(text, at) : 0;
    if (!program || !pr_ends_with_login(&pr_password_letters[program - 1], pr_text_part(text, at, end)))
        return false;
    const size_t to =
        from > next ? pr_scan_quoted_end(text, from, text.bytes[next], false) : pr_scan_word_end(text, from);
    return from < to && pr_find_login(text, from, to, NULL, hit);
}

/* Whether TEXT has the name of an option there that takes user:X, up to END. */
bool pr_is_login_option(struct pr_text text, size_t at, size_t *end)
{
    static const char *const names[] = {"--user", "--proxy-user"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *end = at + strlen(names[i]);
        if (pr_scan_starts(text, at, names[i]) && !pr_is_alphanumeric(pr_scan_at(text, *end)) &&
            pr_scan_at(text, *end) != '-')
            return true;
    }
    return false;
}

/* --user=user:X, and --user user:X in a line. */
bool pr_find_login_option(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    const struct pr_text text = scan->text;
    size_t end;
    if (!pr_scan_begins_word(text, at) || !pr_is_login_option(text, at, &end))
        return false;
    const bool is_joined = pr_scan_at(text, end) == '=';
    if (!is_joined && scan->place == PR_SCAN_ARGUMENT)
        return false;
    const size_t next = is_joined ? end + 1 : pr_scan_skip(text, end),
                 from = next + pr_scan_is_quote(pr_scan_at(text, next));
    const size_t to = scan->place == PR_SCAN_ARGUMENT ? text.length
                      : from > next                   ? pr_scan_quoted_end(text, from, text.bytes[next], false)
                                                      : pr_scan_word_end(text, from);
    return from < to && pr_find_login(text, from, to, NULL, hit);
}
