/* SPDX-License-Identifier: Apache-2.0 */
/* A command line whose words are known: what one argument says about the next. */
#include "capture/redact/redact.h"
#include "capture/redact/secret_rules.h"

#include "capture/base/ascii.h"
#include "capture/redact/secret_names.h"
#include "capture/redact/secret_positions.h"

#include <string.h>

/* What the next argument is. */
enum {
    NEXT_ANY,
    NEXT_SECRET,
    NEXT_MAYBE, /* after --auth: a secret, unless it is "none" or "false" */
    NEXT_LOGIN,
    NEXT_SCRIPT,
    NEXT_SCHEME,
    NEXT_NAME,
    NEXT_LITERAL /* NAME=X, whatever its name */
};

static void add_hidden(struct pr_buf *out, struct pr_text word, struct pr_hit hit)
{
    if (hit.from)
        pr_buf_add(out, word.bytes, hit.from);
    pr_buf_text(out, PR_REDACTED);
    pr_redact_part(out, pr_text_part(word, hit.to, word.length), PR_SCAN_ARGUMENT);
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
    static const struct pr_password_letters unknown = {"", "", "", "uU", NULL};
    const struct pr_password_letters *letters =
        redactor->program ? &pr_password_letters[redactor->program - 1] : &unknown;
    const char letter = word.bytes[1];
    struct pr_hit hit = {2, word.length};
    if (word.length == 2) {
        redactor->next = pr_has_letter(letters->separate, letter) ? NEXT_SECRET
                         : pr_has_letter(letters->login, letter)  ? NEXT_LOGIN
                         : letter == 'c'                          ? NEXT_SCRIPT
                                                                  : NEXT_ANY;
        return false;
    }
    if (letters != &unknown && pr_ends_with_login(letters, word)) {
        redactor->next = NEXT_LOGIN;
        return false;
    }
    const bool is_password = pr_has_letter(letters->glued, letter) ||
                             (letters == &unknown && letter == 'p' && is_unknown_password(pr_text_from(word, 2)));
    const bool is_login = pr_has_letter(letters->login, letter) && letters != &unknown;
    if (!is_password && !(is_login && pr_find_login(word, 2, word.length, letters->separators, &hit)))
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
    const size_t end = pr_secret_name_end(word, from);
    const enum pr_secrecy secrecy = pr_secrecy_of(pr_text_part(word, from, end));
    if (pr_is_login_option(word, 0, &login) && login == word.length)
        return NEXT_LOGIN;
    if (pr_text_is(word, "set") || pr_text_is(word, "config"))
        return NEXT_NAME;
    if (pr_text_is(word, "--from-literal"))
        return NEXT_LITERAL;
    if (secrecy == PR_SECRECY_NONE || pr_secrecy_is_of_code(pr_text_part(word, from, end)))
        return NEXT_ANY;
    if (end + 1 == word.length && word.bytes[end] == ':')
        return secrecy == PR_SECRECY_HEADER ? NEXT_SCHEME : NEXT_SECRET;
    if (!from || end != word.length)
        return NEXT_ANY;
    return secrecy == PR_SECRECY_WEAK ? NEXT_MAYBE : NEXT_SECRET;
}

static const char *separators_of(const struct pr_redactor *redactor)
{
    return redactor->program ? pr_password_letters[redactor->program - 1].separators : NULL;
}

static bool add_expected(struct pr_redactor *redactor, struct pr_buf *out, struct pr_text word, unsigned expected)
{
    struct pr_hit hit = {0, word.length};
    if (expected == NEXT_SCRIPT) {
        pr_redact_part(out, word, PR_SCAN_LOG);
        return true;
    }
    if (expected == NEXT_SCHEME) {
        char with_blank[32];
        if (word.length + 1 < sizeof with_blank) {
            memcpy(with_blank, word.bytes, word.length);
            memcpy(with_blank + word.length, " ", 2);
            if (pr_scheme_end((struct pr_text){with_blank, word.length + 2}, 0)) {
                redactor->next = NEXT_SECRET;
                return false;
            }
        }
        expected = NEXT_SECRET;
    }
    if (expected == NEXT_NAME) {                           /* `config set db_password X` */
        const bool is_option = pr_scan_at(word, 0) == '-'; /* `git config --global` */
        redactor->next = is_option ? NEXT_NAME : pr_secrecy_of(word) == PR_SECRECY_STRONG ? NEXT_SECRET : NEXT_ANY;
        return false;
    }
    if (expected == NEXT_ANY || !word.length || (expected == NEXT_LITERAL && !pr_find_literal(word, 0, &hit)) ||
        (expected == NEXT_LOGIN && !pr_find_login(word, 0, word.length, separators_of(redactor), &hit)) ||
        (expected == NEXT_MAYBE && pr_secrecy_is_no_value(word)))
        return false;
    add_hidden(out, word, hit);
    return true;
}

void pr_redact_word(struct pr_redactor *redactor, struct pr_buf *out, struct pr_text word)
{
    struct pr_hit hit, part;
    const unsigned expected = redactor->next, program = pr_password_letters_of(word);
    const bool is_positional = pr_secret_position(&redactor->positions, word, &part);
    redactor->next = NEXT_ANY;
    if (add_expected(redactor, out, word, expected))
        return;
    if (is_positional) {
        add_hidden(out, word, part);
        return;
    }
    redactor->program = program ? program : redactor->program;
    if (word.length >= 2 && word.bytes[0] == '-' && pr_is_alphanumeric(word.bytes[1]) &&
        add_letter(redactor, out, word))
        return;
    const size_t prefix = pr_password_prefix(redactor->program, word);
    if (prefix) {
        add_hidden(out, word, (struct pr_hit){prefix, word.length});
        return;
    }
    if (redactor->next == NEXT_ANY)
        redactor->next = announced_by(word);
    if (pr_find_whole_value(word, &hit))
        add_hidden(out, word, hit);
    else
        pr_redact_part(out, word, PR_SCAN_ARGUMENT);
}
