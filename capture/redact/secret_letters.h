/* SPDX-License-Identifier: Apache-2.0 */
/* Options of one letter that take a password, by program: mysql -pX, curl -u user:X. */
#ifndef PR_CAPTURE_REDACT_SECRET_LETTERS_H
#define PR_CAPTURE_REDACT_SECRET_LETTERS_H

#include "profrender/string_table.h"

/* What a short option means to a program that takes passwords by letter. */
struct pr_password_letters {
    const char *program;    /* its name begins with this; "": any */
    const char *separate;   /* the next argument is the password */
    const char *glued;      /* the rest of this argument is */
    const char *login;      /* user:password */
    const char *separators; /* of user and password; NULL: ':', else '%' */
};

/* By number from 0, ended by a NULL program. */
extern const struct pr_password_letters pr_password_letters[];

/* The number + 1 for the path or name of a PROGRAM; 0: unknown. */
unsigned pr_password_letters_of(struct pr_text program);

/*
 * Where the password begins in a WORD of the program of this number + 1 that has more before it than a dash and a
 * letter: rar -hpX, xfreerdp /p:X. 0: it is not such a word.
 */
size_t pr_password_prefix(unsigned program, struct pr_text word);

#endif
