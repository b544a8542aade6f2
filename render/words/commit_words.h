/* SPDX-License-Identifier: Apache-2.0 */
/* The version of the code that a run was of. Whoever wrote it down may have written anything. */
#ifndef PR_RENDER_WORDS_COMMIT_WORDS_H
#define PR_RENDER_WORDS_COMMIT_WORDS_H

#include "profrender/string_table.h"

#include <stdbool.h>

/* Whether git could call an object so: 7 to 64 hexadecimal digits, and nothing that means more in an address. */
bool pr_commit_is_hash(struct pr_text commit);

/* As people name it: the first ten digits of a hash, anything else unchanged. */
struct pr_text pr_commit_short(struct pr_text commit);

#endif
