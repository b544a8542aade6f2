/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts without their secrets: what is shown to others must not hand out a password.
 *
 *     struct pr_redactor redactor = {0};               // a command line whose words are known: argument by argument
 *     for (size_t i = 0; argv[i]; i++)
 *         pr_redact_word(&redactor, &out, word);
 *     pr_redact(&out, line);                           // one that was joined by blanks
 *     pr_redact_log(&out, text);                       // what a program wrote
 *
 * These are hidden: values whose name says secret (--password X, API_KEY=X, "token": "X", ?sig=X, X-Api-Key: X; in code
 * password == "X", ("password", "X") and set_password("X"); in colour, in a table, on the next line; mot de passe : X),
 * credentials of headers, users' passwords (-u user:X, scheme://user:X@host), private keys, and whatever has the form
 * of a token of a well-known service. Names, paths, numbers and hashes stay, so that the text still says what ran. What
 * is already hidden is unchanged: redacting twice changes nothing.
 *
 * A secret is recognised by its form, its name, or the program that takes it (vault login X, htpasswd -b F U X). One
 * that has none of these, such as the positional password of an unknown program, is not found.
 *
 * Source: forms of tokens as their issuers document them, and as the rules of gitleaks and detect-secrets list them.
 */
#ifndef PR_CAPTURE_REDACT_REDACT_H
#define PR_CAPTURE_REDACT_REDACT_H

#include "profrender/buf.h"
#include "profrender/string_table.h"

/* What is written instead of a secret. */
#define PR_REDACTED "[redacted]"

/* A command whose words are secret by their position, as far as it was read; begins as {0}. */
struct pr_positions {
    unsigned program, row; /* of the table in secret_positions.c, + 1; 0: none */
    unsigned seen;         /* words since the command */
    bool has_letter, skips;
};

/* What the arguments so far say about the next one; begins as {0}. */
struct pr_redactor {
    unsigned next;    /* what the next argument is */
    unsigned program; /* whose letters have a meaning, + 1; 0: unknown */
    struct pr_positions positions;
};

/* Appends the argument WORD to OUT. Errors, of all functions here: OUT->failed, out of memory. */
void pr_redact_word(struct pr_redactor *redactor, struct pr_buf *out, struct pr_text word);

/* Appends LINE, a command line of words separated by blanks or NULs: where quotes are lost, a value is one word. */
void pr_redact(struct pr_buf *out, struct pr_text line);

/*
 * Appends TEXT, lines that a program wrote. Only values that are more than a word of plain language are hidden:
 * "password is wrong" stays. A private key whose beginning is cut off is recognised by its last line.
 */
void pr_redact_log(struct pr_buf *out, struct pr_text text);

/* The same as strings of STRINGS: a command line, or what a program wrote. PR_NO_STR: out of memory. */
pr_str pr_redacted_line(struct pr_strings *strings, struct pr_text line);
pr_str pr_redacted_log(struct pr_strings *strings, struct pr_text text);

#endif
