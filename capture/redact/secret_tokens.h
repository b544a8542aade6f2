/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens of well-known services, known by their form.
 *
 * Source: forms as their issuers document them, and as the rules of gitleaks and detect-secrets list them.
 */
#ifndef PR_CAPTURE_REDACT_SECRET_TOKENS_H
#define PR_CAPTURE_REDACT_SECRET_TOKENS_H

#include "profrender/string_table.h"

/* The length of the token of a well-known service at the start of TEXT; 0: none. */
size_t pr_secret_token(struct pr_text text);

#endif
