/* SPDX-License-Identifier: Apache-2.0 */
/* memray: the reader. Header, then the records in the file's form, then the profile. */
#include "capture/heap/alloc_stats.h"
#include "capture/heap/history.h"
#include "capture/memray/hybrid_stacks.h"
#include "capture/memray/memray.h"
#include "capture/model/run_times.h"
#include "capture/base/size_text.h"
#include "capture/builder/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A fraction of what others may have: of a page, this is up to a megabyte. */
enum { MOST_MOMENTS = PR_MOST_MOMENTS / 4 };

/* 7 bytes of magic. A version that we cannot read bids too: its error says which it is. */
static unsigned probe(struct pr_source *src)
{
    return pr_memray_has_magic(src) ? 56 : 0;
}

static void clear(struct pr_memray *r)
{
    pr_native_clear(&r->native);
    for (size_t i = 0; i < r->thread_capacity; i++)
        free(r->threads[i].stack);
    free(r->threads);
    pr_memray_codes_clear(&r->codes);
    pr_memray_frames_clear(&r->frames);
    pr_alloc_counters_clear(&r->tally);
    pr_time_moments_clear(&r->moments);
    pr_object_lives_clear(&r->objects);
    pr_stacks_clear(&r->builder);
}

/*
 * A file that was never finished gives the moment of its opening as its end: the last memory sample is the best known
 * end. The same goes for a file that says it is finished but has samples after its end.
 */
static void settle_times(const struct pr_memray *r, bool complete)
{
    struct pr_meta *meta = &r->profile->meta;
    const struct pr_series *series = r->profile->series;
    struct pr_maybe last = {false, 0};
    meta->written_end_ms = r->header.end_ms;
    if (r->profile->series_count && series->count)
        last = (struct pr_maybe){true, series->at_ms[series->count - 1]};
    const bool has_end = r->header.finished && r->header.end_ms > r->header.start_ms;
    if (complete || (has_end && (!last.known || last.value <= r->header.end_ms)))
        return;
    meta->end_is_last_sample = true;
    meta->end_ms = last;
}

static struct pr_fact_column object_metric(const char *name, const char *title, const int64_t *value)
{
    return (struct pr_fact_column){.name = name, .title = title, .unit = PR_UNIT_COUNT, .value = value};
}

static void settle_peak(const struct pr_heap_analysis *memory, struct pr_profile *profile)
{
    profile->peak_bytes = memory->run_peak_bytes;
    profile->peak_bin = memory->run_peak_bin;
    if (memory->run_peak_bytes)
        profile->peak_at_ms = (struct pr_maybe){true, pr_times_peak_of_bin_ms(profile, memory->run_peak_bin)};
}

/* The profile's tree and facts, with hybrid stacks where the capture has native ones. */
static enum pr_status finish_stacks(struct pr_memray *r, const struct pr_fact_column *metrics, uint32_t metric_count,
                                    struct pr_error *err)
{
    const struct pr_memray_header *header = &r->header;
    struct pr_native_places places;
    const struct pr_hybrid hybrid = {
        .native = &r->native,
        .places = &places,
        .from_innermost = !header->version->has_main_thread, /* these versions record nothing above the tracker */
        .drops_cython = header->version->version == 8,
    };
    const struct pr_splice splice = {pr_hybrid_run, &hybrid};
    if (r->native.ignored)
        return pr_stacks_finish(&r->builder, header->main_tid, header->skipped_frames, metrics, metric_count, err);
    enum pr_status status = pr_native_places_init(&places, &r->native, &r->builder, r->options, err);
    if (status == PR_OK) {
        r->builder.splice = &splice;
        status = pr_stacks_finish(&r->builder, header->main_tid, header->skipped_frames, metrics, metric_count, err);
        r->builder.splice = NULL;
    }
    pr_native_places_clear(&places);
    return status;
}

/* Amounts are known from one memory sample to the next. */
static bool finish_moments(struct pr_memray *r)
{
    struct pr_time_moments *moments = &r->moments;
    const double samples = (double)r->records.samples, ns_per_ms = 1e6, far_ns = 1e18;
    const double each_ns = r->records.samples ? (double)r->sample_ms / samples * ns_per_ms : 0;
    const int64_t apart_ns = (int64_t)(each_ns < far_ns ? each_ns : far_ns);
    moments->resolution_ns = moments->resolution_ns > apart_ns ? moments->resolution_ns : apart_ns;
    return pr_time_moments_finish(moments, r->builder.merged, 0, r->profile);
}

static enum pr_status make_profile(struct pr_memray *r, struct pr_heap_analysis *memory, struct pr_error *err)
{
    const struct pr_fact_column allocated = pr_alloc_counters_allocated(&r->tally);
    const int64_t peak[] = {memory->run_peak.bytes, memory->run_peak.count};
    struct pr_fact_column metrics[] = {
        memory->peak,
        memory->leaked,
        pr_alloc_counters_temporary(&r->tally),
        allocated,
        object_metric("objects", "Objects", r->objects.created),
        object_metric("objects_alive", "Objects alive", r->objects.alive),
    };
    const uint32_t count = sizeof metrics / sizeof *metrics, of_objects = 2;
    if (memory->peak_is_total)
        metrics[0].total = peak;
    if (finish_stacks(r, metrics, r->keeps_objects ? count : count - of_objects, err) == PR_FAILED)
        return PR_FAILED;
    pr_heap_drop_columns(memory);
    if (pr_alloc_stats_make(&r->builder, &allocated, &r->tally.sizes, err) == PR_FAILED)
        return PR_FAILED;
    pr_alloc_counters_clear(&r->tally);
    if (!finish_moments(r) || (r->keeps_objects && !pr_object_lives_finish(&r->objects, &r->builder)))
        return pr_fail_memory(err);
    if (pr_memory_samples_finish(&memory->samples, true, r->profile, err) == PR_FAILED)
        return PR_FAILED;
    return pr_history_finish(&r->builder, memory, err);
}

/* Adds what made the profile incomplete after the file was read; a problem of the file itself comes first. */
static enum pr_status with_later(enum pr_status status, const struct pr_error *later, struct pr_error *err)
{
    if (status == PR_CUT || later->code == PR_ERR_NONE)
        return status;
    *err = *later;
    return PR_CUT;
}

/* COMPLETE: what was read ends at the header's end. Else the last bin ends at the last memory sample. */
static enum pr_status finish_history(struct pr_memray *r, struct pr_heap_analysis *memory, bool complete,
                                     struct pr_error *err)
{
    const uint32_t facts = r->builder.facts.count;
    pr_stacks_close(&r->builder);
    if (!pr_memray_note_sample(r, r->sample_ms) || !pr_alloc_counters_settle(&r->tally, facts) ||
        (r->keeps_objects && !pr_object_lives_reach(&r->objects, facts)))
        return pr_fail_memory(err);
    if (pr_heap_end(memory, facts, complete ? r->header.end_ms : r->header.start_ms, err) == PR_FAILED)
        return PR_FAILED;
    return make_profile(r, memory, err);
}

static enum pr_status read_history(struct pr_memray *r, struct pr_error *err)
{
    struct pr_heap_analysis memory;
    const unsigned unneeded = r->options->unneeded;
    pr_alloc_counters_init(&r->tally, !(unneeded & PR_UNNEEDED_TEMPORARY), r->options->temporary_threshold,
                           !(unneeded & PR_UNNEEDED_MOMENTS));
    r->keeps_objects = r->profile->meta.track_object_lifetimes;
    if (!pr_object_lives_init(&r->objects))
        return pr_fail_memory(err);
    enum pr_status status = pr_heap_init(&memory, r->options, r->header.start_ms, err);
    const unsigned threads = r->options->max_memory_bytes ? 1 : r->options->threads;
    struct pr_pipeline pipeline = {.produce = r->header.version->produce, .producer = r};
    pr_heap_stages(&memory, pr_pipeline_threads(threads), &pipeline);
    if (status == PR_OK)
        status = pr_pipeline_run(&pipeline, err);
    struct pr_error later = {0};
    if (status != PR_FAILED && finish_history(r, &memory, status == PR_END, &later) == PR_FAILED) {
        *err = later;
        status = PR_FAILED;
    }
    if (status != PR_FAILED) {
        settle_times(r, status == PR_END);
        settle_peak(&memory, r->profile);
        status = with_later(status, &later, err);
    }
    pr_heap_clear(&memory);
    return status;
}

static enum pr_status read_totals(struct pr_memray *r, struct pr_error *err)
{
    struct pr_memray_totals totals = {0};
    enum pr_status status = pr_memray_read_aggregated(r, &totals, err);
    if (status != PR_FAILED) {
        const struct pr_fact_column metrics[] = {
            pr_allocations_column("peak", "Peak", totals.peak_bytes, totals.peak_count, 1),
            pr_allocations_column("leaked", "Not freed", totals.leaked_bytes, totals.leaked_count, 1),
        };
        struct pr_error later = {0};
        if (finish_stacks(r, metrics, sizeof metrics / sizeof *metrics, &later) == PR_FAILED ||
            pr_memory_samples_finish(&totals.samples, true, r->profile, &later) == PR_FAILED) {
            *err = later;
            status = PR_FAILED;
        } else {
            settle_times(r, status == PR_END);
            r->profile->peak_bytes = r->profile->metrics[0].total_value;
            status = with_later(status, &later, err);
        }
    }
    pr_memray_totals_clear(&totals);
    return status;
}

/* That native frames were left out. False: none was. */
static bool native_words(const struct pr_memray *r, char text[PR_FOLD_WORDS])
{
    if (!r->native.left_out)
        return false;
    snprintf(text, PR_FOLD_WORDS,
             PR_BOUND_WORDS " %s of memory, %" PRIu64 " native frames are left out: stacks with one of them have Python"
             " frames only; totals are exact", pr_size_text(r->options->max_memory_bytes).text, r->native.left_out);
    return true;
}

/* False: out of memory. */
static bool note_what_is_folded(const struct pr_memray *r)
{
    struct pr_profile *profile = r->profile;
    char words[2][PR_FOLD_WORDS];
    const bool is_said[2] = {pr_stacks_fold_words(&r->builder, words[0]), native_words(r, words[1])};
    const char **notes = pr_arena_array(&profile->arena, 2, sizeof *notes);
    uint32_t count = 0;
    for (unsigned i = 0; notes && i < 2; i++) {
        if (is_said[i] && !(notes[count++] = pr_arena_copy(&profile->arena, words[i], strlen(words[i]))))
            return false;
    }
    profile->notes = notes;
    profile->note_count = count;
    return notes;
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct pr_memray r = {
        .src = src, .options = options, .profile = profile, .thread = PR_NO_ID, .moments.most = MOST_MOMENTS};
    if (pr_memray_read_header(src, &options->limits, profile, &r.header, err) == PR_FAILED)
        return PR_FAILED;
    r.codes.python_version = profile->meta.python_version;
    const bool unwanted = options->native == PR_NATIVE_OFF || options->native == PR_NATIVE_OFFSETS;
    r.native.ignored = !r.header.native_traces || unwanted;
    r.native.max_frames = options->limits.max_nodes;
    if (r.native.ignored && options->native == PR_NATIVE_REQUIRE)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL,
                       "it has no native frames; `memray run --native` records them");
    enum pr_status status = pr_stacks_init(&r.builder, profile, &options->limits, err);
    pr_stacks_bound(&r.builder, options->max_memory_bytes);
    if (options->max_memory_bytes && !r.native.ignored)
        r.native.room = pr_stacks_share(&r.builder);
    if (status == PR_OK)
        status = r.header.aggregated ? read_totals(&r, err) : read_history(&r, err);
    profile->records = r.records;
    if (status != PR_FAILED && !note_what_is_folded(&r))
        status = pr_fail_memory(err);
    clear(&r);
    return status == PR_END ? PR_OK : status;
}

const struct pr_reader pr_memray_reader = {"memray", "memray capture", probe, read};
