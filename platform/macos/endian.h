/* SPDX-License-Identifier: Apache-2.0 */
/* The header that Linux and FreeBSD have and macOS has not. Every processor of macOS stores the low byte first. */
#ifndef PR_PLATFORM_MACOS_ENDIAN_H
#define PR_PLATFORM_MACOS_ENDIAN_H

#include <stdint.h>

static inline uint32_t le32toh(uint32_t number)
{
    return number;
}

static inline uint64_t le64toh(uint64_t number)
{
    return number;
}

#endif
