/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256, for names and keys that no stranger can make collide; and HMAC with it, for codes that only the owner of
 * the key can make or check.
 *
 * Source: FIPS 180-4; RFC 2104 and its test vectors in RFC 4231.
 */
#ifndef PR_CAPTURE_BASE_SHA256_H
#define PR_CAPTURE_BASE_SHA256_H

#include <stddef.h>

enum { PR_SHA256_SIZE = 32, PR_SHA256_HEX = 65 };

/* The hash of LENGTH bytes. */
void pr_sha256_bytes(const void *bytes, size_t length, unsigned char hash[PR_SHA256_SIZE]);

/* The same in lower-case hexadecimal digits, with a NUL. */
void pr_sha256(const void *bytes, size_t length, char hex[PR_SHA256_HEX]);

/* The code of LENGTH bytes under KEY. Keys have the size of a hash: make one of a longer or shorter secret. */
void pr_hmac_sha256(const unsigned char key[PR_SHA256_SIZE], const void *bytes, size_t length,
                    unsigned char code[PR_SHA256_SIZE]);

#endif
