/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names replaced by others that say nothing, always the same ones under the same key.
 *
 *     pr_pseudonym_of_name(&key, &out, name);          // "f_q3k7x2mzt4ab"
 *     pr_pseudonym_of_path(&key, &out, path, 0);       // "/p_.../p_.../lib/python3.12/p_....py"
 *
 * A path is replaced part by part, so that everything that compares paths (which file lies below which folder, which
 * files of two machines are the same) gives the same answer before and after. Parts that only show how an environment
 * is laid out ("lib", "site-packages", "venv") stay, and so do endings such as ".py". What is a pseudonym already stays
 * unchanged: doing it twice changes nothing.
 */
#ifndef PR_CAPTURE_MODEL_PSEUDONYM_H
#define PR_CAPTURE_MODEL_PSEUDONYM_H

#include "profrender/buf.h"
#include "profrender/hide_names.h"
#include "profrender/string_table.h"

/* Appends the pseudonym of NAME: 60 bits of its HMAC-SHA-256. The empty name stays empty. */
void pr_pseudonym_of_name(const struct pr_name_key *key, struct pr_buf *out, struct pr_text name);

/* Appends PATH with pseudonyms for its parts; those from the offset KEEP on, if it is not 0, stay as they are. */
void pr_pseudonym_of_path(const struct pr_name_key *key, struct pr_buf *out, struct pr_text path, uint32_t keep);

#endif
