/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a site. It may come from anywhere: a bucket, the cache of a CI, a branch of a repository. So nothing in
 * it is followed: a link is never read, never written through, and only regular files of the folder itself count.
 *
 *     struct pr_site site;
 *     int status = pr_site_open(&site, "public");        // makes it, and waits while another one works on it
 *     status = pr_site_write(&site, "cards/x.html", bytes, length);
 *     pr_site_close(&site);
 *
 * A NAME is "index.html", "runs.json" or one of a card, "cards/x.html". A file appears whole or not at all.
 */
#ifndef PR_CLI_PUBLISH_SITE_FOLDER_H
#define PR_CLI_PUBLISH_SITE_FOLDER_H

#include "profrender/buf.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct pr_site {
    char path[PATH_MAX];          /* as the user named it, without a slash at its end */
    int folder_fd, cards_fd, lock_fd; /* -1: not open */
};

enum pr_site_found { PR_SITE_FOUND, PR_SITE_ABSENT, PR_SITE_UNREADABLE };

/*
 * Makes PATH and PATH/cards where they are missing, and locks the site until pr_site_close: two programs never work on
 * it at once. Unfinished files of programs that were killed are removed. Returns 0, or PR_EXIT_OUTPUT with the reason
 * reported; pr_site_close also then.
 */
int pr_site_open(struct pr_site *site, const char *path);
void pr_site_close(struct pr_site *site);

/* In a child process: what it keeps open is the parent's site, but not the lock. */
void pr_site_leave_lock(struct pr_site *site);

/* Whether it is a name for a card: "cards/", letters, digits, "." "_" and "-", ".html"; no ".." and no "." in front. */
bool pr_site_is_card(const char *name);

/* Whether NAME is a regular file of the site. */
bool pr_site_has(const struct pr_site *site, const char *name);

/*
 * Appends a regular file of at most MOST_BYTES to TEXT. PR_SITE_UNREADABLE sets errno: as pr_open_beneath, or EFBIG if
 * there is more.
 */
enum pr_site_found pr_site_read(const struct pr_site *site, const char *name, size_t most_bytes, struct pr_buf *text);

/*
 * Writes a file; a link of that name is replaced, not followed. Returns 0, or PR_EXIT_OUTPUT with the reason
 * reported.
 */
int pr_site_write(const struct pr_site *site, const char *name, const void *bytes, size_t length);

/* Removes a regular file. */
void pr_site_remove(const struct pr_site *site, const char *name);

/* ---- a copy to be sent: site_stage.c ----------------------------------------------------------------------------- */

#define PR_SITE_STAGE ".profrender-sending"

/*
 * Makes an empty copy, PATH/PR_SITE_STAGE: cards go into its folder "cards", other files into "list". Returns 0, or
 * PR_EXIT_OUTPUT with the reason reported.
 */
int pr_site_open_stage(const struct pr_site *site);

/* Puts a regular file of the site into the copy. Not PR_SITE_FOUND: it is not one, or cannot be copied. */
enum pr_site_found pr_site_stage(const struct pr_site *site, const char *name);

/* Removes the copy, also one that a killed program left there. */
void pr_site_remove_stage(const struct pr_site *site);

#endif
