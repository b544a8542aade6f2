/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baselines by branch in a bucket: s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or az://CONTAINER/PREFIX, with what is below
 * it as in a site. The user's own tool copies them, started without a shell and with the user's own configuration: this
 * program opens no connection and sees no key.
 */
#ifndef PR_CLI_CHECK_REMOTE_STORE_H
#define PR_CLI_CHECK_REMOTE_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether TEXT is an address and no path. */
bool pr_remote_is_address(const char *text);

/*
 * Copies the baselines of BRANCH into a new FOLDER, a store by itself: pr_remote_forget removes it. Returns 0, or
 * PR_EXIT_INPUT with the reason reported; FOLDER is then "".
 */
int pr_remote_fetch(const char *address, const char *branch, char folder[PATH_MAX]);

/* Adds a file NAME to the baselines of BRANCH. Returns 0, or PR_EXIT_OUTPUT with the reason reported. */
int pr_remote_send(const char *address, const char *branch, const char *name, const void *bytes, size_t length);

/* FOLDER may be "". */
void pr_remote_forget(const char *folder);

#endif
