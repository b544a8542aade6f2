/* SPDX-License-Identifier: Apache-2.0 */
/* In an entry of runs.json: who holds most of the heap at its peak, so that the index can name who grew. */
#ifndef PR_CLI_PUBLISH_PUBLISH_HOLDERS_H
#define PR_CLI_PUBLISH_PUBLISH_HOLDERS_H

#include "profrender/profile.h"
#include "render/index/index.h"

#include <jansson.h>

/* The list for an entry, largest first. NULL: no heap was traced by call stack, or no memory. Owner: the caller. */
json_t *pr_publish_holders(const struct pr_profile *profile);

/* A copy of VALUE with visible names and numbers in range; NULL if it is no such list. Owner: the caller. */
json_t *pr_publish_copy_holders(const json_t *value);

/* Reads the list of an entry of pr_publish_entry into RUN, which borrows its texts. */
void pr_publish_read_holders(const json_t *value, struct pr_index_run *run);

#endif
