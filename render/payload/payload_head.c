/* SPDX-License-Identifier: Apache-2.0 */
/* The head of the payload: what there is, in JSON. */
#include "render/payload/payload_internal.h"

#include "render/html/html.h"
#include "render/model/series_notes.h"
#include "render/model/views.h"
#include "render/words/units.h"
#include "render/words/ending.h"

#include "profrender/heap_words.h"
#include "profrender/phases.h"

#include <inttypes.h>

static void add_member(struct pr_buf *head, const char *name, const char *value)
{
    pr_buf_printf(head, "\"%s\":", name);
    pr_json_string(head, value);
}

static void add_metrics(struct pr_buf *head, const struct pr_profile *profile)
{
    pr_buf_text(head, ",\"metrics\":[");
    for (unsigned i = 0; i < profile->metric_count; i++) {
        const struct pr_metric *metric = &profile->metrics[i];
        pr_buf_text(head, i ? ",{" : "{");
        add_member(head, "name", metric->name);
        pr_buf_byte(head, ',');
        add_member(head, "title", pr_view_heading(profile, metric));
        pr_buf_byte(head, ',');
        if (metric->decimals)
            pr_buf_printf(head, "\"unit\":\"none.%u\"", metric->decimals);
        else
            add_member(head, "unit", pr_units_key(metric->unit));
        if (metric->count) {
            pr_buf_byte(head, ',');
            add_member(head, "countName", metric->count_name ? metric->count_name : "");
            pr_buf_printf(head, ",\"totalCount\":%" PRId64, metric->total_count);
        }
        if (profile->fact_allocator && !pr_metric_has_allocations(profile, metric))
            pr_buf_text(head, ",\"allocators\":false");
        if (metric->base)
            pr_buf_printf(head, ",\"base\":%" PRIu32, metric->base - 1);
        pr_buf_printf(head, ",\"total\":%" PRId64 "}", metric->total_value);
    }
    pr_buf_byte(head, ']');
}

static void add_threads(struct pr_buf *head, struct pr_encoder *encoder)
{
    const struct pr_profile *profile = encoder->profile;
    pr_buf_text(head, ",\"threads\":[");
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        const struct pr_thread *thread = &profile->threads[i];
        pr_buf_printf(head, "%s{\"tid\":\"%" PRIu64 "\",\"name\":%" PRIu32 ",\"process\":%" PRIu32 "}", i ? "," : "",
                      thread->tid, pr_number_of(&encoder->strings, thread->name), thread->process);
    }
    pr_buf_text(head, "],\"processes\":[");
    for (uint32_t i = 0; i < profile->process_count; i++) {
        const struct pr_process *process = &profile->processes[i];
        pr_buf_printf(head, "%s{\"pid\":\"%" PRIu64 "\",\"name\":%" PRIu32 "}", i ? "," : "", process->pid,
                      pr_number_of(&encoder->strings, process->name));
    }
    pr_buf_byte(head, ']');
}

static void add_series_list(struct pr_buf *head, const struct pr_profile *profile)
{
    pr_buf_text(head, ",\"series\":[");
    for (unsigned i = 0; i < profile->series_count; i++) {
        pr_buf_text(head, i ? ",{" : "{");
        add_member(head, "name", profile->series[i].name);
        pr_buf_byte(head, ',');
        add_member(head, "title", profile->series[i].title);
        pr_buf_byte(head, ',');
        add_member(head, "unit", pr_units_key(profile->series[i].unit));
        pr_buf_byte(head, ',');
        add_member(head, "note", pr_series_note_note(&profile->series[i]));
        const char *short_name, *lane = pr_series_note_lane(&profile->series[i], &short_name);
        if (*lane) {
            pr_buf_byte(head, ',');
            add_member(head, "lane", lane);
            pr_buf_byte(head, ',');
            add_member(head, "short", short_name);
        }
        if (pr_series_note_is_quiet(&profile->series[i]))
            pr_buf_text(head, ",\"quiet\":true");
        const struct pr_maybe limit = pr_series_note_limit(profile, &profile->series[i]);
        if (limit.known)
            pr_buf_printf(head, ",\"limit\":%" PRId64, limit.value);
        const struct pr_maybe unknown = pr_series_note_unknown_from(profile, &profile->series[i]);
        if (unknown.known)
            pr_buf_printf(head, ",\"unknownFrom\":%" PRId64, unknown.value);
        pr_buf_byte(head, '}');
    }
    pr_buf_byte(head, ']');
}

static void add_time(struct pr_buf *head, const char *name, struct pr_maybe time)
{
    if (time.known)
        pr_buf_printf(head, ",\"%s\":%" PRId64, name, time.value);
    else
        pr_buf_printf(head, ",\"%s\":null", name);
}

/* The string that names the exception which ended the run; 0: it failed in another way. */
static void add_failure(struct pr_buf *head, struct pr_encoder *encoder)
{
    const struct pr_failure *failure = &encoder->profile->run.failure;
    if (!pr_failure_is_one(failure))
        return;
    const struct pr_exception *exception = pr_ending_exception(failure);
    pr_buf_printf(head, ",\"failure\":%" PRIu32, pr_number_of(&encoder->strings, exception ? exception->type : 0));
}

static void add_phases(struct pr_buf *head, struct pr_encoder *encoder)
{
    const uint32_t count = pr_phase_count(encoder->profile);
    if (!count)
        return;
    pr_buf_text(head, ",\"phases\":[");
    for (uint32_t i = 0; i < count; i++) {
        const struct pr_phase phase = pr_phase_at(encoder->profile, i);
        pr_buf_printf(head, "%s{\"name\":%" PRIu32 ",\"from\":%" PRId64 ",\"to\":%" PRId64 "}", i ? "," : "",
                      pr_number_of(&encoder->strings, phase.name), phase.from_ms, phase.to_ms);
    }
    pr_buf_byte(head, ']');
}

void pr_payload_add_head(struct pr_encoder *encoder)
{
    const struct pr_profile *profile = encoder->profile;
    struct pr_buf *head = &encoder->head;
    pr_buf_text(head, PR_PAYLOAD_HEAD);
    add_metrics(head, profile);
    add_threads(head, encoder);
    pr_buf_text(head, ",\"allocators\":[");
    for (unsigned i = 0; i < PR_ALLOC_COUNT; i++) {
        pr_buf_text(head, i ? "," : "");
        pr_json_string(head, pr_allocator_name(i));
    }
    pr_buf_byte(head, ']');
    add_series_list(head, profile);
    add_time(head, "startMs", profile->meta.no_date ? (struct pr_maybe){true, 0} : profile->meta.start_ms);
    add_time(head, "endMs", profile->meta.end_ms);
    if (profile->peak_at_ms.known)
        pr_buf_printf(head, ",\"heapPeak\":{\"value\":%" PRId64 ",\"atMs\":%" PRId64 "}", profile->peak_bytes,
                      profile->peak_at_ms.value);
    else
        pr_buf_text(head, ",\"heapPeak\":null");
    add_failure(head, encoder);
    add_phases(head, encoder);
    pr_buf_printf(head, ",\"binsRecorded\":%" PRIu32, profile->bin_count);
    pr_buf_printf(head, ",\"nodeCount\":%" PRIu32 ",\"rootLabel\":\"%s\",\"folded\":%s", encoder->fold->count,
                  profile->metric_count && pr_metric_is_of_objects(&profile->metrics[0]) ? "all" : "all threads",
                  encoder->fold->folded_frames ? "true" : "false");
}
