/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of files: little endian, wherever they begin. */
#ifndef PR_CAPTURE_BASE_LITTLE_ENDIAN_H
#define PR_CAPTURE_BASE_LITTLE_ENDIAN_H

#include <stdint.h>

/* The number in 4 BYTES. */
static inline uint32_t pr_le32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* The number in 8 BYTES. */
static inline uint64_t pr_le64(const uint8_t *bytes)
{
    return (uint64_t)pr_le32(bytes) | (uint64_t)pr_le32(bytes + 4) << 32;
}

#endif
