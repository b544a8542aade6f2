/* SPDX-License-Identifier: Apache-2.0 */
/* Functions by address, whoever listed them. */
#include "capture/perf_data/perf_machine.h"

const char *pr_perf_symbols_find(const struct pr_perf_symbols *symbols, uint64_t address, uint64_t *start)
{
    const struct pr_span *span = pr_spans_find(&symbols->spans, address);
    if (!span || symbols->names.failed)
        return NULL;
    *start = span->start;
    return symbols->names.bytes + span->number;
}

void pr_perf_symbols_clear(struct pr_perf_symbols *symbols)
{
    pr_spans_clear(&symbols->spans);
    pr_buf_clear(&symbols->names);
}
