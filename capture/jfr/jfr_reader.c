/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings of Java Flight Recorder: JDK 11 and later, async-profiler.
 *
 * A recording is a sequence of chunks, each with its own types, constants and clock. Each is read as a whole, in four
 * walks over its events: types, constants, settings, the rest. A chunk that is cut before its types has those of the
 * chunk before, as one JVM numbers its types the same.
 *
 * Source: doc/formats/jfr.md.
 */
#include "capture/builder/reader.h"

#include "capture/base/time.h"
#include "capture/jfr/jfr_events.h"
#include "capture/jfr/jfr_native_memory.h"
#include "capture/jfr/jfr_notes.h"
#include "capture/jfr/jfr_stacks.h"
#include "capture/jfr/jfr_timings.h"

#include <stdlib.h>

enum { TYPES_EVENT = 0, CONSTANTS_EVENT = 1 };

static void damaged_at(struct pr_jfr *r, const uint8_t *at)
{
    pr_build_damage_at(&r->c, PR_DAMAGE_RECORDS, r->chunk.offset + (uint64_t)(at - r->chunk.bytes));
}

/* The last description of the chunk has the types of all that came before it, too. */
static void read_types(struct pr_jfr *r)
{
    struct pr_jfr_bytes rest = pr_jfr_chunk_events(&r->chunk);
    struct pr_jfr_event event;
    struct pr_jfr_types types;
    while (r->c.status == PR_OK && pr_jfr_next_event(&rest, &event)) {
        if (event.type != TYPES_EVENT)
            continue;
        if (pr_jfr_types_read(&types, event.bytes)) {
            pr_jfr_types_clear(&r->types);
            r->types = types;
            r->has_types = true;
            continue;
        }
        if (types.no_memory)
            pr_build_no_memory(&r->c);
        damaged_at(r, event.bytes.at);
        pr_jfr_types_clear(&types);
    }
    if (rest.failed && r->chunk.finished && r->chunk.length == r->chunk.size)
        damaged_at(r, rest.at);
}

static void read_constants(struct pr_jfr *r)
{
    struct pr_jfr_bytes rest = pr_jfr_chunk_events(&r->chunk);
    struct pr_jfr_event event;
    while (r->c.status == PR_OK && pr_jfr_next_event(&rest, &event)) {
        if (event.type != CONSTANTS_EVENT || pr_jfr_pools_add(&r->pools, &r->types, event.bytes))
            continue;
        if (r->pools.no_memory)
            pr_build_no_memory(&r->c);
        damaged_at(r, event.bytes.at);
    }
}

static void widen(struct pr_maybe *end, int64_t ns)
{
    if (ns > 0 && (!end->known || ns / PR_NS_PER_MS > end->value))
        *end = (struct pr_maybe){true, ns / PR_NS_PER_MS};
}

static void take_chunk(struct pr_jfr *r)
{
    struct pr_meta *meta = &r->c.profile->meta;
    int64_t end_ns;
    meta->format_version = meta->format_version ? meta->format_version : (int)r->chunk.major;
    if (r->chunk.start_ns > 0 && (!meta->start_ms.known || r->chunk.start_ns / PR_NS_PER_MS < meta->start_ms.value))
        meta->start_ms = (struct pr_maybe){true, r->chunk.start_ns / PR_NS_PER_MS};
    r->c.slices_epoch_ns.known |= r->chunk.start_ns > 0;
    read_types(r);
    if (!r->has_types)
        return;
    read_constants(r);
    pr_jfr_layout_find(r);
    pr_jfr_take_events(r);
    pr_jfr_forget(r);
    if (r->chunk.finished && !__builtin_add_overflow(r->chunk.start_ns, r->chunk.duration_ns, &end_ns))
        widen(&meta->end_ms, end_ns);
    widen(&meta->end_ms, r->facts.last_ns);
}

/* A JVM writes the types of a chunk to its end, and from time to time since JDK 14: a cut one may have none. */
static enum pr_status without_types(const struct pr_jfr *r, enum pr_status status, struct pr_error *err)
{
    const bool is_cut = status == PR_CUT && err && err->code == PR_ERR_TRUNCATED;
    if (r->c.status == PR_FAILED || (status == PR_CUT && !is_cut))
        return PR_FAILED;
    if (err)
        *err = (struct pr_error){0};
    return pr_fail(err, is_cut ? PR_ERR_TRUNCATED : PR_ERR_DAMAGED, pr_source_offset(r->c.src), "recording",
                   "%s the types of its events, without which none can be read",
                   is_cut ? "the input ends before it describes" : "it does not describe");
}

static enum pr_status read_chunks(struct pr_jfr *r, struct pr_error *err)
{
    enum pr_status status = PR_OK;
    while (status == PR_OK && r->c.status == PR_OK) {
        status = pr_jfr_chunk_read(&r->chunk, r->c.src, err);
        if (status != PR_FAILED && r->chunk.length)
            take_chunk(r);
    }
    if (status == PR_END)
        status = PR_OK;
    return status != PR_FAILED && !r->has_types ? without_types(r, status, err) : status;
}

static void clear(struct pr_jfr *r)
{
    pr_jfr_forget(r);
    pr_jfr_types_clear(&r->types);
    pr_jfr_chunk_clear(&r->chunk);
    pr_idset_clear(&r->cache.keys);
    free(r->cache.numbers);
    pr_idset_clear(&r->systems.keys);
    free(r->systems.numbers);
    pr_jfr_native_clear(r);
    pr_jfr_timings_clear(r);
    free(r->methods);
    free(r->stack);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct pr_jfr r = {.types = {.ids = {.words = 1}},
                       .pools = {.keys = {.words = 2}},
                       .cache = {.keys = {.words = 2}},
                       .systems = {.keys = {.words = 2}},
                       .timings = {.facts = {.words = 1}}};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    pr_timeline_init(&r.timeline, profile);
    r.process = pr_build_process(&r.c, 0, 0);
    if (status == PR_OK)
        status = read_chunks(&r, err);
    if (status != PR_FAILED) {
        if (profile->meta.pid.known)
            r.c.processes[r.process].pid = (uint64_t)profile->meta.pid.value;
        pr_jfr_native_finish(&r);
        pr_jfr_timings_finish(&r);
        pr_jfr_order_metrics(&r);
        pr_jfr_add_notes(&r);
    }
    if (pr_timeline_finish(&r.timeline, err) == PR_FAILED)
        status = PR_FAILED;
    clear(&r);
    return pr_build_finish(&r.c, status);
}

/* The magic, and a version below 256. */
static unsigned probe(struct pr_source *src)
{
    if (!pr_source_need(src, 8) || !pr_jfr_is_chunk(src->at) || src->at[4] || src->at[6])
        return 0;
    return 8 * 6;
}

const struct pr_reader pr_jfr_reader = {"jfr", "Java Flight Recording", probe, read};
