/* SPDX-License-Identifier: Apache-2.0 */
/* As Linux schedules this process. */
#include "capture/base/processors.h"

#include <sched.h>
#include <unistd.h>

unsigned pr_processors(void)
{
    cpu_set_t set;
    const long count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (unsigned)count : 1; /* a failed call: more of them than a cpu_set_t has room for */
}
