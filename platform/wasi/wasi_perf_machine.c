/* SPDX-License-Identifier: Apache-2.0 */
/* For capture/perf_data/perf_machine.c: what was recorded was another machine, and another kernel. */
#include "capture/perf_data/perf_machine.h"

bool pr_perf_machine_kernel(struct pr_perf_symbols *symbols, const struct pr_perf_kernel *kernel)
{
    (void)symbols;
    (void)kernel;
    return false;
}

bool pr_perf_machine_jit(struct pr_perf_symbols *symbols, uint32_t pid)
{
    (void)symbols;
    (void)pid;
    return false;
}
