/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects in a store that speaks S3, by libcurl, which signs the requests (AWS Signature Version 4). libcurl is opened
 * when it is needed: a program that sends nothing has no network code in it.
 *
 *     struct pr_s3 *s3 = NULL;
 *     if (!pr_s3_open(&address, &keys, &s3, text)) complain(text);
 *     switch (pr_s3_put(s3, "index.html", bytes, length, "text/html; charset=utf-8", text)) ...
 *     pr_s3_close(s3);
 *
 * A handle is for one process.
 */
#ifndef PR_CLI_PUBLISH_S3_H
#define PR_CLI_PUBLISH_S3_H

#include "cli/publish/s3_address.h"

enum { PR_S3_TEXT = 512 };

struct pr_s3;

struct pr_s3_keys {
    const char *id, *secret; /* borrowed until pr_s3_close */
    const char *session;     /* of temporary keys, or NULL */
};

enum pr_s3_sent {
    PR_S3_SAME, /* the store has these bytes */
    PR_S3_SENT,
    PR_S3_FAILED
};

/* False, with the reason in TEXT: this machine has no libcurl that signs. ADDRESS is borrowed until pr_s3_close. */
bool pr_s3_open(const struct pr_s3_address *address, const struct pr_s3_keys *keys, struct pr_s3 **s3,
                char text[PR_S3_TEXT]);

/*
 * Sends the object unless the store has the same bytes under that name, which it is asked first: each object carries
 * the SHA-256 of its bytes. What may pass is tried again up to four times, waiting longer each time. Nothing is ever
 * deleted.
 */
enum pr_s3_sent pr_s3_put(struct pr_s3 *s3, const char *name, const void *bytes, size_t length, const char *type,
                          char text[PR_S3_TEXT]);

void pr_s3_close(struct pr_s3 *s3);

#endif
