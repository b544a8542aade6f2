/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines without their secrets: what is shown to others must not hand out a password that stood in argv.
 *
 * Hidden are the values of options and variables whose name says secret (--password X, --api-key=X, TOKEN=X,
 * Authorization: Bearer X), the password in a URL (https://user:X@host), and words that look like the access tokens of
 * well-known services. Names, paths and everything else stay, so that the line still tells what ran.
 *
 * Source: shared rules for recorded command lines; captures hold the words joined by spaces, without quotes.
 */
#ifndef PR_CAPTURE_BASE_REDACT_H
#define PR_CAPTURE_BASE_REDACT_H

#include "profrender/buf.h"
#include "profrender/string_table.h"

/* What stands in the place of a secret. */
#define PR_REDACTED "[redacted]"

/* Appends LINE to OUT. Errors: OUT->failed when there is no memory. */
void pr_redact(struct pr_buf *out, struct pr_text line);

#endif
