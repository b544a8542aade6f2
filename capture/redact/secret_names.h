/* SPDX-License-Identifier: Apache-2.0 */
/* What a name says about its value: "github-token" is secret, "max-tokens", "next_token" and "token_file" are not. */
#ifndef PR_CAPTURE_REDACT_SECRET_NAMES_H
#define PR_CAPTURE_REDACT_SECRET_NAMES_H

#include "profrender/string_table.h"

enum pr_secrecy {
    PR_SECRECY_NONE,
    PR_SECRECY_WEAK,   /* "key", "auth": only where an option, a variable or a query is likely */
    PR_SECRECY_STRONG, /* "password" */
    PR_SECRECY_HEADER  /* "authorization": all of the line */
};

enum { PR_SECRET_NAME_MAX = 128 };

enum pr_secrecy pr_secrecy_of(struct pr_text name);

/* Whether NAME, without dashes before it, is "code": a secret in the query of an address, a status everywhere else. */
bool pr_secrecy_is_of_code(struct pr_text name);

/* Whether VALUE is what people and programs write where a secret would be: "None", "required", "${TOKEN}", "***". */
bool pr_secrecy_is_no_value(struct pr_text value);

#endif
