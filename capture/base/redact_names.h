/* SPDX-License-Identifier: Apache-2.0 */
/* What a name says about its value: "github-token" is secret, "max-tokens", "next_token" and "token_file" are not. */
#ifndef PR_CAPTURE_BASE_REDACT_NAMES_H
#define PR_CAPTURE_BASE_REDACT_NAMES_H

#include "profrender/string_table.h"

enum pr_secrecy {
    PR_SECRECY_NONE,
    PR_SECRECY_WEAK,   /* "key", "auth": only where an option, a variable or a query is likely */
    PR_SECRECY_STRONG, /* "password" */
    PR_SECRECY_HEADER  /* "authorization": all of the line */
};

enum { PR_SECRET_NAME_MAX = 128 };

enum pr_secrecy pr_secrecy_of(struct pr_text name);

/* Whether VALUE is what people and programs write where a secret would be: "None", "required", "${TOKEN}", "***". */
bool pr_secrecy_is_no_value(struct pr_text value);

/* What a short option means to a program that takes passwords by letter. */
struct pr_password_letters {
    const char *program;  /* its name begins with this; "": any */
    const char *separate; /* the next argument is the password */
    const char *glued;    /* the rest of this argument is */
    const char *login;    /* user:password */
};

/* By number from 0, ended by a NULL program. */
extern const struct pr_password_letters pr_password_letters[];

/* The number + 1 for the path or name of a PROGRAM; 0: unknown. */
unsigned pr_password_letters_of(struct pr_text program);

/* The length of the token of a well-known service at the start of TEXT; 0: none. */
size_t pr_secret_token(struct pr_text text);

#endif
