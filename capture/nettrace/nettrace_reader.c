/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of .NET's EventPipe, *.nettrace: dotnet-trace, dotnet-monitor, DOTNET_EnableEventPipe=1; .NET Core 3.1 and
 * later.
 *
 * One pass. Stacks are addresses of code, and which method has which code comes at the end (the rundown): frames are
 * numbered by their address until then.
 *
 * Source: doc/formats/nettrace.md.
 */
#include "capture/builder/reader.h"

#include "capture/base/checked.h"
#include "capture/base/date.h"
#include "capture/base/time.h"
#include "capture/nettrace/nettrace.h"

#include <stdlib.h>
#include <string.h>

/* A SYSTEMTIME of Windows; 0: it makes no sense. */
static int64_t read_date_ms(struct pr_nettrace_bytes *bytes)
{
    enum { YEAR, MONTH, WEEKDAY, DAY, HOUR, MINUTE, SECOND, MS, PARTS };
    uint16_t part[PARTS];
    for (unsigned i = 0; i < PARTS; i++)
        part[i] = (uint16_t)pr_nettrace_number(bytes, 2);
    const bool is_date = part[YEAR] >= 1970 && part[YEAR] <= 2200 && part[MONTH] >= 1 && part[MONTH] <= 12 && part[DAY];
    if (bytes->failed || !is_date)
        return 0;
    const int64_t days = pr_days_of_date(part[YEAR], part[MONTH], part[DAY]);
    return (((days * 24 + part[HOUR]) * 60 + part[MINUTE]) * 60 + part[SECOND]) * 1000 + part[MS];
}

/* "ProcessId" and other pairs of texts, version 6. */
static uint64_t read_process_id(struct pr_nettrace *r, struct pr_nettrace_bytes *bytes)
{
    uint64_t pid = 0;
    struct pr_buf text = {0};
    for (uint64_t left = pr_nettrace_number(bytes, 4); left > 0 && !bytes->failed; left--) {
        text.length = 0;
        pr_nettrace_utf8(bytes, &text);
        const bool is_pid = text.length == 9 && !memcmp(text.bytes, "ProcessId", 9);
        text.length = 0;
        pr_nettrace_utf8(bytes, &text);
        pr_buf_byte(&text, 0);
        if (is_pid && !text.failed)
            pid = strtoull(text.bytes, NULL, 10);
    }
    if (text.failed)
        pr_build_no_memory(&r->c);
    pr_buf_clear(&text);
    return pid;
}

static enum pr_status take_trace(struct pr_nettrace *r, struct pr_error *err)
{
    struct pr_nettrace_bytes bytes = r->block.bytes;
    struct pr_meta *meta = &r->c.profile->meta;
    const int64_t start_ms = read_date_ms(&bytes);
    r->sync_ticks = pr_nettrace_number(&bytes, 8);
    r->ticks_per_second = pr_nettrace_number(&bytes, 8);
    r->pointer_bytes = (unsigned)pr_nettrace_number(&bytes, 4);
    const uint64_t pid = r->stream.version == 6 ? read_process_id(r, &bytes) : pr_nettrace_number(&bytes, 4);
    if (bytes.failed || !r->ticks_per_second || r->ticks_per_second > INT64_MAX ||
        (r->pointer_bytes != 4 && r->pointer_bytes != 8))
        return pr_fail(err, PR_ERR_DAMAGED, r->block.offset, "trace",
                       "its clock or its size of addresses makes no sense");
    meta->format_version = (int)r->stream.version;
    if (start_ms > 0)
        meta->start_ms = (struct pr_maybe){true, start_ms};
    if (pid && pid < INT32_MAX) {
        meta->pid = (struct pr_maybe){true, (int64_t)pid};
        r->c.processes[r->process].pid = pid;
    }
    r->sync_ns = start_ms * PR_NS_PER_MS;
    r->c.slices_epoch_ns.known = start_ms > 0;
    r->has_trace = true;
    return PR_OK;
}

static enum pr_status take_block(struct pr_nettrace *r, struct pr_error *err)
{
    if (r->block.kind == PR_NETTRACE_TRACE)
        return r->block.is_cut || r->has_trace ? PR_OK : take_trace(r, err);
    if (!r->has_trace)
        return pr_fail(err, PR_ERR_DAMAGED, r->block.offset, "trace",
                       "it does not begin with the description of its clock");
    switch (r->block.kind) {
    case PR_NETTRACE_EVENTS:
        pr_nettrace_take_events(r);
        break;
    case PR_NETTRACE_METADATA:
        pr_nettrace_take_metadata(r);
        break;
    case PR_NETTRACE_STACKS:
        pr_nettrace_take_stacks(r);
        break;
    case PR_NETTRACE_SEQUENCE_POINT:
        pr_nettrace_forget_stacks(r);
        break;
    case PR_NETTRACE_THREADS:
        pr_nettrace_take_threads(r);
        break;
    default:
        break;
    }
    return PR_OK;
}

static enum pr_status read_blocks(struct pr_nettrace *r, struct pr_error *err)
{
    enum pr_status status = pr_nettrace_open(&r->stream, r->c.src, err);
    while (status == PR_OK && pr_build_going(&r->c)) {
        status = pr_nettrace_next(&r->stream, &r->block, err);
        if (r->block.bytes.at && take_block(r, status == PR_CUT ? NULL : err) == PR_FAILED)
            status = PR_FAILED;
    }
    if (status == PR_CUT && !r->has_trace)
        status = PR_FAILED;
    return status == PR_END ? PR_OK : status;
}

static void clear(struct pr_nettrace *r)
{
    pr_idset_clear(&r->metadata.ids);
    free(r->metadata.what);
    pr_idset_clear(&r->stacks.ids);
    free(r->stacks.stacks);
    pr_buf_clear(&r->stacks.bytes);
    pr_spans_clear(&r->methods.spans);
    free(r->methods.methods);
    pr_idset_clear(&r->methods.module_ids);
    free(r->methods.modules);
    pr_buf_clear(&r->methods.texts);
    pr_idset_clear(&r->thread_ids);
    free(r->threads);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct pr_nettrace r = {.metadata = {.ids = {.words = 1}},
                            .stacks = {.ids = {.words = 1}},
                            .methods = {.module_ids = {.words = 1}},
                            .thread_ids = {.words = 1}};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    r.process = pr_build_process(&r.c, 0, 0);
    if (status == PR_OK)
        status = read_blocks(&r, err);
    if (status != PR_FAILED) {
        pr_nettrace_finish(&r);
        pr_nettrace_name_frames(&r);
        pr_nettrace_add_notes(&r);
        if (r.facts.last_ns > 0)
            profile->meta.end_ms = (struct pr_maybe){true, r.facts.last_ns / PR_NS_PER_MS};
    }
    clear(&r);
    return pr_build_finish(&r.c, status);
}

static unsigned probe(struct pr_source *src)
{
    const bool is_trace = pr_source_need(src, PR_NETTRACE_MAGIC_BYTES) &&
                          !memcmp(src->at, PR_NETTRACE_MAGIC, PR_NETTRACE_MAGIC_BYTES);
    return is_trace ? 8 * PR_NETTRACE_MAGIC_BYTES : 0;
}

const struct pr_reader pr_nettrace_reader = {"nettrace", ".NET trace", probe, read};
