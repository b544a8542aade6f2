/* SPDX-License-Identifier: Apache-2.0 */
/* For capture/base/processors.c: POSIX cannot limit a process to some processors. */
#include "capture/base/processors.h"

#include <unistd.h>

unsigned pr_processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (unsigned)count : 1;
}
