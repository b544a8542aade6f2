/* SPDX-License-Identifier: Apache-2.0 */
/* The order of lanes. */
#include "capture/model/series.h"

#include "capture/base/sort.h"

#include <string.h>

/* In the order of lanes; others follow, as they came. */
static unsigned rank(const char *name)
{
    static const char *const order[] = {"cpu",
                                        "host_cpu",
                                        "rss",
                                        "rss_captured",
                                        "pss",
                                        "uss",
                                        "heap",
                                        "rss_file",
                                        "rss_anon",
                                        "rss_shmem",
                                        "cgroup_memory",
                                        "host_memory",
                                        "swap",
                                        "virtual_memory",
                                        "threads",
                                        "processes",
                                        "disk_read",
                                        "disk_write",
                                        "net_recv",
                                        "net_sent",
                                        "gpu",
                                        "gpu_memory"};
    const unsigned count = sizeof order / sizeof *order;
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(order[i], name))
            return i;
    return count;
}

static int compare_lanes(const void *a, const void *b, const void *context)
{
    const struct pr_series *x = a, *y = b;
    (void)context;
    return PR_ORDER(rank(x->name), rank(y->name));
}

bool pr_series_sort(struct pr_series *series, size_t count)
{
    return pr_sort(series, count, sizeof *series, compare_lanes, NULL);
}
