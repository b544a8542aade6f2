/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256, for names and keys that no stranger can make collide. Source: FIPS 180-4. */
#ifndef PR_CLI_PUBLISH_SHA256_H
#define PR_CLI_PUBLISH_SHA256_H

#include <stddef.h>

enum { PR_SHA256_HEX = 65 };

/* The hash of LENGTH bytes in lower-case hexadecimal digits, with a NUL. */
void pr_sha256(const void *bytes, size_t length, char hex[PR_SHA256_HEX]);

#endif
