/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the facts adds up all metrics of all threads. */
#include "cli/reports/threads_report.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "cli/reports/document_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What a profile has of its threads. Members are NULL if there are none, or no memory. */
struct totals {
    bool *is_lane;  /* [thread_count] */
    int64_t *value; /* [thread_count * metric_count], by thread */
};

static struct totals add_up(const struct pr_profile *profile)
{
    const uint32_t metrics = profile->metric_count;
    struct totals totals = {pr_profile_find_lanes(profile),
                            calloc((size_t)profile->thread_count * metrics + 1, sizeof *totals.value)};
    for (uint32_t m = 0; totals.value && m < metrics; m++)
        for (size_t i = 0; i < profile->fact_count; i++)
            pr_add_to(&totals.value[(size_t)profile->fact_thread[i] * metrics + m], profile->metrics[m].value[i]);
    return totals;
}

static void clear(struct totals *totals)
{
    free(totals->is_lane);
    free(totals->value);
}

/* ---- as a document ---------------------------------------------------------------------------------------------- */

static void write_totals(struct pr_json_writer *json, const struct pr_profile *profile, const int64_t *value)
{
    pr_json_put_key(json, "totals");
    pr_json_put_open(json, '{');
    for (uint32_t m = 0; m < profile->metric_count; m++) {
        pr_json_put_key(json, profile->metrics[m].name);
        pr_document_value(json, &profile->metrics[m], value[m]);
    }
    pr_json_put_close(json, '}');
}

void pr_threads_json(struct pr_json_writer *json, const struct pr_profile *profile)
{
    struct totals totals = add_up(profile);
    pr_json_put_key(json, "threads");
    pr_json_put_lines(json, '[');
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        pr_json_put_open(json, '{');
        pr_json_put_key(json, "tid");
        pr_json_put_uint(json, profile->threads[i].tid);
        pr_json_put_key(json, "name");
        pr_document_string(json, profile, profile->threads[i].name);
        pr_document_process(json, profile, i);
        if (totals.is_lane && totals.is_lane[i]) {
            pr_json_put_key(json, "lane");
            pr_json_put_bool(json, true);
        }
        if (totals.value)
            write_totals(json, profile, totals.value + (size_t)i * profile->metric_count);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
    clear(&totals);
}

/* ---- in the terminal -------------------------------------------------------------------------------------------- */

/* Formats without threads have one all the same, without number and name. */
static bool has_threads(const struct pr_profile *profile)
{
    return profile->thread_count > 1 ||
           (profile->thread_count && (profile->threads[0].tid || profile->threads[0].name));
}

/* "pid 7, worker" */
static void add_name(struct pr_buf *text, const struct pr_profile *profile, uint32_t number)
{
    const struct pr_thread *thread = &profile->threads[number];
    struct pr_text name = pr_profile_text(profile, thread->name);
    if (pr_profile_has_allocations(profile) && thread->tid == profile->meta.main_tid && !name.length)
        name = pr_text_of("main");
    if (profile->process_count > 1 && pr_thread_pid(profile, number))
        pr_buf_printf(text, "pid %" PRIu64 "%s", pr_thread_pid(profile, number), name.length ? ", " : "");
    pr_buf_add(text, name.bytes, name.length);
}

/* ": Time 900 ms, With the GIL 345 ms", the first metrics that the thread has anything of. */
static void add_figures(struct pr_buf *text, const struct pr_profile *profile, const int64_t *value)
{
    enum { MOST = 4 };
    for (uint32_t m = 0, count = 0; m < profile->metric_count && count < MOST; m++) {
        const struct pr_metric *metric = &profile->metrics[m];
        if (value[m])
            pr_buf_printf(text, "%s%s %s", count++ ? ", " : text->length ? ": " : "", metric->title,
                          pr_report_figure(metric, false, value[m]).text);
    }
}

static void report_thread(struct pr_report *report, const struct pr_profile *profile, uint32_t number,
                          const int64_t *value)
{
    char label[24];
    struct pr_buf text = {0};
    snprintf(label, sizeof label, "%" PRIu64, profile->threads[number].tid);
    add_name(&text, profile, number);
    if (value && profile->thread_count > 1 && !pr_profile_has_allocations(profile))
        add_figures(&text, profile, value + (size_t)number * profile->metric_count);
    pr_report_name(report, label, text.length ? (struct pr_text){text.bytes, (uint32_t)text.length}
                                              : pr_text_of("-"));
    pr_output_needs(report->out, &text);
    pr_buf_clear(&text);
}

/* Those that are lanes, or those that are not. */
static void report_those(struct pr_report *report, const struct pr_profile *profile, const struct totals *totals,
                         bool lanes)
{
    enum { MOST = 20 };
    uint32_t count = 0;
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        if ((totals->is_lane && totals->is_lane[i]) != lanes)
            continue;
        if (!count)
            pr_report_heading(report, lanes ? "Asynchronous spans" : "Threads");
        if (++count <= MOST)
            report_thread(report, profile, i, totals->value);
    }
    if (count > MOST)
        pr_output_printf(report->out, "  and %u more\n", count - MOST);
}

void pr_threads_report(struct pr_report *report, const struct pr_profile *profile)
{
    if (!has_threads(profile))
        return;
    struct totals totals = add_up(profile);
    report_those(report, profile, &totals, false);
    report_those(report, profile, &totals, true);
    clear(&totals);
}
