/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that only the machine that recorded knows: those of its kernel, and those that a program wrote itself.
 *
 * Source: Linux tools/perf/util/symbol.c, symbol_type__filter, symbols__fixup_end, symbols__fixup_duplicate,
 * dso__load_perf_map.
 */
#ifndef PR_CAPTURE_PERF_DATA_PERF_MACHINE_H
#define PR_CAPTURE_PERF_DATA_PERF_MACHINE_H

#include "profrender/buf.h"
#include "capture/base/spans.h"

#include <stdint.h>

struct pr_perf_symbols {
    struct pr_spans spans; /* of functions; their number is where the name begins */
    struct pr_buf names;   /* each ends with a NUL */
    uint64_t moved;        /* the kernel's own functions are now so much higher than when it was recorded */
};

/* What is known of the kernel that was recorded. */
struct pr_perf_kernel {
    const char *build_id; /* hexadecimal; "" = unknown */
    const char *release;  /* of uname; "" = unknown */
    uint64_t text;        /* where its first function was */
};

/*
 * The functions of the kernel (/proc/kallsyms), if it is the one that was recorded: by build id, or by release where
 * that is not known. Modules are named only if nothing has moved. False: it is another one, or it hides its addresses.
 */
bool pr_perf_machine_kernel(struct pr_perf_symbols *symbols, const struct pr_perf_kernel *kernel);

/* The same from the list at PATH, laid out as /proc/kallsyms, whatever kernel runs here. False: it tells nothing. */
bool pr_perf_machine_list(struct pr_perf_symbols *symbols, const struct pr_perf_kernel *kernel, const char *path);

/* The functions that process PID wrote itself and listed in /tmp/perf-PID.map. False: there is no list. */
bool pr_perf_machine_jit(struct pr_perf_symbols *symbols, uint32_t pid);

/* The name of the function at ADDRESS, or NULL; *START is where it begins. */
const char *pr_perf_symbols_find(const struct pr_perf_symbols *symbols, uint64_t address, uint64_t *start);

void pr_perf_symbols_clear(struct pr_perf_symbols *symbols);

#endif
