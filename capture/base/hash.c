/* SPDX-License-Identifier: Apache-2.0 */
/* Salts from the system. */
#include "capture/base/hash.h"

#include <unistd.h>

uint64_t pr_hash_new_salt(void)
{
    uint64_t salt;
    return getentropy(&salt, sizeof salt) == 0 ? salt : 0;
}
