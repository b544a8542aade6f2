/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tar archive as a stream: its members one after another, each as a source, in memory that does not grow with them.
 *
 *     while ((status = pr_tar_next(&tar, err)) == PR_OK) {
 *         struct pr_source *member = pr_tar_open(&tar);      // may be read in part, or not at all
 *         ...
 *         pr_source_close(member);
 *     }
 *
 * It reads ustar, its pax headers (path, size) and GNU's long names and binary sizes; only ordinary files have content.
 *
 * Source: POSIX.1-2017 pax, "ustar Interchange Format" and "pax Extended Header"; GNU tar 1.34, "Basic Tar Format".
 */
#ifndef PR_CAPTURE_INPUT_TAR_H
#define PR_CAPTURE_INPUT_TAR_H

#include "capture/input/source.h"

enum { PR_TAR_NAME = 256 };

struct pr_tar {
    struct pr_source *src;
    char name[PR_TAR_NAME]; /* of the member at hand, cut where it is longer */
    uint64_t size_bytes;    /* of it */
    uint64_t next_offset;   /* where the next header is */
};

/* Whether SRC, of which nothing was read, begins with a tar header. Only peeks. */
bool pr_tar_is_one(struct pr_source *src);

struct pr_tar pr_tar_begin(struct pr_source *src);

/*
 * The next member: PR_OK; PR_SKIPPED: its name is here, but it is a link or a device, and has no content; PR_END after
 * the last; PR_CUT with ERR where the archive breaks. Folders are not members.
 */
enum pr_status pr_tar_next(struct pr_tar *tar, struct pr_error *err);

/*
 * The content of the member at hand. Owner: the caller closes it before going on; the archive stays open. NULL: no
 * memory.
 */
struct pr_source *pr_tar_open(struct pr_tar *tar);

#endif
