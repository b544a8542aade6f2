/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of runs.json: what one may contain. The list of a site is as hostile as a capture: somebody may have put it
 * into the bucket, the cache or the branch that the site comes back from.
 */
#ifndef PR_CLI_PUBLISH_PUBLISH_ENTRIES_H
#define PR_CLI_PUBLISH_PUBLISH_ENTRIES_H

#include "render/index/index.h"

#include <jansson.h>

/*
 * A copy of ENTRY with the fields that schemas/runs.schema.json names, as it defines them: visible texts, numbers in
 * range. Any other field is left out. NULL, with WHY, when that is a required one: the card is not a name of
 * pr_site_is_card, or the status, name or source is missing.
 *
 * Owner: the caller.
 */
json_t *pr_publish_entry(const json_t *entry, const char **why);

/* The word for a status, and the status of an entry of pr_publish_entry. */
const char *pr_publish_status_word(enum pr_run_status status);
enum pr_run_status pr_publish_status(const json_t *entry);

/* The text KEY of an entry; "" = none. Borrowed. */
const char *pr_publish_text(const json_t *entry, const char *key);

/* What the index shows of an entry. Borrows its texts. */
struct pr_index_run pr_publish_row(const json_t *entry);

/* Whether it is about a file that is neither capture nor profile. */
bool pr_publish_is_ignored(const json_t *entry);

/* Whether an entry (NULL: none) has a card in the site. */
bool pr_publish_has_card(const json_t *entry);

#endif
