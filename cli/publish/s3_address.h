/* SPDX-License-Identifier: Apache-2.0 */
/* Where an object lies: from "s3://bucket/prefix" to the URL that is asked for. No network here. */
#ifndef PR_CLI_PUBLISH_S3_ADDRESS_H
#define PR_CLI_PUBLISH_S3_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

enum { PR_S3_URL = 4096 };

struct pr_s3_address {
    char base[PR_S3_URL]; /* URL of the bucket, with a slash at its end */
    char prefix[1025];    /* of the keys; "" or with a slash at its end */
    char region[64];
};

/*
 * From TO and, if not NULL, the URL of a server that is not AWS, whose buckets are folders. False with *WHY: TO is no
 * such address.
 */
bool pr_s3_address(const char *to, const char *endpoint, const char *region, struct pr_s3_address *address,
                   const char **why);

/*
 * The URL of the object NAME below the prefix. Each byte but letters, digits and -._~/ is percent-encoded, as it is in
 * what is signed. False: too long.
 */
bool pr_s3_url(const struct pr_s3_address *address, const char *name, char url[PR_S3_URL]);

#endif
