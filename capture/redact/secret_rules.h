/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules: each knows one form of a secret. pr_find_X() says whether at byte AT of a text a secret of its form
 * begins, or what announces one (a name, an option, a scheme), and where it is: *HIT, which is undefined after false.
 *
 *     for (size_t at = 0; at < scan.text.length; at++)
 *         if (pr_find_member(&scan, at, &hit))
 *             ...
 */
#ifndef PR_CAPTURE_REDACT_SECRET_RULES_H
#define PR_CAPTURE_REDACT_SECRET_RULES_H

#include "capture/redact/secret_letters.h"
#include "capture/redact/secret_scan.h"

typedef bool pr_find_secret(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit);

/* By form (secret_forms.c). */
pr_find_secret pr_find_private_key, pr_find_token, pr_find_address_password, pr_find_oracle_password,
    pr_find_login_at_host, pr_find_bearer, pr_find_pgpass, pr_find_path_token;

/* By name (secret_members.c). */
pr_find_secret pr_find_member, pr_find_paired, pr_find_option, pr_find_spoken, pr_find_foreign;

/* By program and option (secret_logins.c). */
pr_find_secret pr_find_letter, pr_find_prefixed, pr_find_login_option, pr_find_letters;

/* By command (secret_commands.c). */
pr_find_secret pr_find_piped, pr_find_positional, pr_find_literal_option;

/* Where the value of "Bearer X" begins, whose scheme is at AT; AT: there is no scheme. */
size_t pr_scheme_end(struct pr_text text, size_t at);

/* The end of the name that begins at AT. */
size_t pr_secret_name_end(struct pr_text text, size_t at);

/* NAME=X, --NAME=X, NAME:X of an argument: all that follows, blanks and separators too, is the value. */
bool pr_find_whole_value(struct pr_text word, struct pr_hit *hit);

/*
 * user:X from FROM to TO: neither the numbers of a user and a group, nor a host and its port. SEPARATORS: what may be
 * between the two, the first that occurs; NULL: ':', else '%'.
 */
bool pr_find_login(struct pr_text text, size_t from, size_t to, const char *separators, struct pr_hit *hit);

/* NAME=X at AT, up to the end of the word: all of X, whatever the name. */
bool pr_find_literal(struct pr_text text, size_t at, struct pr_hit *hit);

/* Whether an option that takes user:X is at AT; *END: just past its name. */
bool pr_is_login_option(struct pr_text text, size_t at, size_t *end);

/* -sSu: several letters in one word, of which the last takes user:X. */
bool pr_ends_with_login(const struct pr_password_letters *letters, struct pr_text word);

/* Whether C is one of LETTERS. */
bool pr_has_letter(const char *letters, char c);

/* Appends TEXT to OUT without what any rule finds. Errors: OUT->failed. */
void pr_redact_part(struct pr_buf *out, struct pr_text text, enum pr_scan_place place);

#endif
