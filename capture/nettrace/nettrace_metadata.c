/* SPDX-License-Identifier: Apache-2.0 */
/* Events are known by their provider and their number there, as ClrEtwAll.man of the runtime numbers them. */
#include "capture/nettrace/nettrace.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"

#define RUNTIME "Microsoft-Windows-DotNETRuntime"
#define RUNDOWN "Microsoft-Windows-DotNETRuntimeRundown"

static enum pr_nettrace_what what_of(struct pr_text provider, uint64_t number)
{
    static const struct {
        const char *provider;
        uint64_t number;
        enum pr_nettrace_what what;
    } kinds[] = {
        {"Microsoft-DotNETCore-SampleProfiler", 0, PR_NETTRACE_SAMPLE},
        {"Microsoft-DotNETCore-EventPipe", 1, PR_NETTRACE_PROCESS},
        {RUNTIME, 3, PR_NETTRACE_RESUME},          /* GCRestartEEEnd */
        {RUNTIME, 9, PR_NETTRACE_SUSPEND},         /* GCSuspendEEBegin */
        {RUNTIME, 10, PR_NETTRACE_ALLOCATION},     /* GCAllocationTick */
        {RUNTIME, 80, PR_NETTRACE_EXCEPTION},      /* ExceptionThrown */
        {RUNTIME, 91, PR_NETTRACE_CONTENTION},     /* ContentionStop */
        {RUNTIME, 143, PR_NETTRACE_METHOD},        /* MethodLoadVerbose */
        {RUNTIME, 151, PR_NETTRACE_DOMAIN_MODULE}, /* DomainModuleLoad */
        {RUNTIME, 152, PR_NETTRACE_MODULE},        /* ModuleLoad */
        {RUNDOWN, 143, PR_NETTRACE_METHOD},        /* MethodDCStartVerbose */
        {RUNDOWN, 144, PR_NETTRACE_METHOD},        /* MethodDCEndVerbose */
        {RUNDOWN, 151, PR_NETTRACE_DOMAIN_MODULE}, /* DomainModuleDCStart */
        {RUNDOWN, 152, PR_NETTRACE_DOMAIN_MODULE}, /* DomainModuleDCEnd */
        {RUNDOWN, 153, PR_NETTRACE_MODULE},        /* ModuleDCStart */
        {RUNDOWN, 154, PR_NETTRACE_MODULE},        /* ModuleDCEnd */
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].number == number && pr_text_is(provider, kinds[i].provider))
            return kinds[i].what;
    return PR_NETTRACE_IGNORED;
}

static void define(struct pr_nettrace *r, uint64_t id, enum pr_nettrace_what what)
{
    struct pr_nettrace_metadata *m = &r->metadata;
    const bool room = pr_grow(&m->what, &m->capacity, m->ids.count + (size_t)1, sizeof *m->what);
    const uint32_t at = room ? pr_idset_add(&m->ids, &id, 1) : PR_NO_ID;
    if (at == PR_NO_ID)
        pr_build_no_memory(&r->c);
    else
        m->what[at] = (uint8_t)what;
}

/* A number, its provider and its number there, in one of two forms. */
static void take_row(struct pr_nettrace *r, struct pr_nettrace_bytes row)
{
    struct pr_buf provider = {0};
    const bool is_new = r->stream.version == 6;
    const uint64_t id = is_new ? pr_nettrace_varint(&row) : pr_nettrace_number(&row, 4);
    if (is_new)
        pr_nettrace_utf8(&row, &provider);
    else
        pr_nettrace_utf16(&row, &provider);
    const uint64_t number = is_new ? pr_nettrace_varint(&row) : pr_nettrace_number(&row, 4);
    const struct pr_text name = {provider.length ? provider.bytes : "", (uint32_t)provider.length};
    if (provider.failed)
        pr_build_no_memory(&r->c);
    else if (row.failed)
        pr_nettrace_damaged(r, &row);
    else
        define(r, id, what_of(name, number));
    pr_buf_clear(&provider);
}

static void take_rows(struct pr_nettrace *r)
{
    struct pr_nettrace_bytes rest = r->block.bytes;
    pr_nettrace_part(&rest, pr_nettrace_number(&rest, 2));
    while (!rest.failed && rest.at < rest.end && pr_build_going(&r->c)) {
        const struct pr_nettrace_bytes row = pr_nettrace_part(&rest, pr_nettrace_number(&rest, 2));
        if (!rest.failed)
            take_row(r, row);
    }
    if (rest.failed)
        pr_nettrace_damaged(r, &rest);
}

void pr_nettrace_take_metadata(struct pr_nettrace *r)
{
    struct pr_nettrace_events events;
    struct pr_nettrace_event event;
    if (r->stream.version == 6) {
        take_rows(r);
        return;
    }
    events = pr_nettrace_events_of(&r->block, r->stream.version);
    while (pr_build_going(&r->c) && pr_nettrace_next_event(&events, &event))
        take_row(r, event.payload);
    if (events.rest.failed)
        pr_nettrace_damaged(r, &events.rest);
}

enum pr_nettrace_what pr_nettrace_what_is(const struct pr_nettrace *r, uint64_t metadata)
{
    const uint32_t at = pr_idset_find(&r->metadata.ids, &metadata, 1);
    return at == PR_NO_ID ? PR_NETTRACE_IGNORED : (enum pr_nettrace_what)r->metadata.what[at];
}
