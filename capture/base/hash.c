/* SPDX-License-Identifier: Apache-2.0 */
/* Salts from the system. */
#include "capture/base/hash.h"

#include <sys/random.h>

uint64_t pr_hash_new_salt(void)
{
    uint64_t salt;
    return getrandom(&salt, sizeof salt, GRND_NONBLOCK) == (ssize_t)sizeof salt ? salt : 0;
}
