/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/records_document.h"

#include "cli/io/csv_writer.h"
#include "cli/reports/document_parts.h"
#include "cli/reports/temporal_document.h"

#include <string.h>

static const struct pr_thread *thread_of(const struct pr_records_out *what, uint32_t thread)
{
    return thread == UINT32_MAX ? NULL : &what->profile->threads[thread];
}

static void write_thread(const struct pr_records_out *what, struct pr_json_writer *json, uint32_t index)
{
    const struct pr_thread *thread = thread_of(what, index);
    pr_json_put_key(json, "tid");
    pr_json_put_uint(json, thread ? thread->tid : 0);
    pr_json_put_key(json, "thread");
    if (thread)
        pr_document_string(json, what->profile, thread->name);
    else
        pr_json_put_text(json, "");
    if (thread)
        pr_document_process(json, what->profile, index);
}

static void write_stacks(const struct pr_records_out *what, struct pr_json_writer *json, pr_node_id leaf,
                         pr_node_id hybrid)
{
    pr_document_stack(json, what->profile, "stack", leaf);
    if (hybrid != PR_NO_NODE)
        pr_document_stack(json, what->profile, "hybrid_stack", hybrid);
}

/* What the count of a metric is called: files name it as they like, and names of fields must not depend on them. */
static const char *count_field(const struct pr_metric *metric)
{
    return strcmp(metric->count_name, "samples") == 0 ? "samples" : "count";
}

/* A record of samples, calls or another tool's totals. */
static void write_sample_record(const struct pr_records_out *what, struct pr_json_writer *json,
                                const struct pr_record *record)
{
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "self");
    pr_document_value(json, what->metric, record->value);
    if (what->metric->count) {
        pr_json_put_key(json, count_field(what->metric));
        pr_json_put_int(json, record->count);
    }
    write_thread(what, json, record->thread);
    write_stacks(what, json, record->leaf, record->hybrid);
    pr_json_put_close(json, '}');
}

static void write_record(const struct pr_records_out *what, struct pr_json_writer *json, const struct pr_record *record)
{
    if (!pr_metric_has_allocations(what->profile, what->metric)) {
        write_sample_record(what, json, record);
        return;
    }
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "allocator");
    pr_json_put_text(json, pr_allocator_name(record->allocator));
    pr_json_put_key(json, "n_allocations");
    pr_json_put_int(json, record->count);
    pr_json_put_key(json, "size");
    pr_document_value(json, what->metric, record->value);
    write_thread(what, json, record->thread);
    write_stacks(what, json, record->leaf, record->hybrid);
    pr_json_put_close(json, '}');
}

static void write_temporal_record(const struct pr_records_out *what, struct pr_json_writer *json,
                                  const struct pr_temporal_record *record)
{
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "allocator");
    pr_json_put_text(json, pr_allocator_name(record->allocator));
    pr_write_intervals(json, what->temporal, record);
    write_thread(what, json, record->thread);
    write_stacks(what, json, record->leaf, record->hybrid);
    pr_json_put_close(json, '}');
}

static void write_totals(const struct pr_records_out *what, struct pr_json_writer *json)
{
    if (!pr_metric_has_allocations(what->profile, what->metric)) {
        pr_json_put_key(json, "total_weight");
        pr_document_value(json, what->metric, what->records->total_value);
        pr_json_put_key(json, "count_name");
        pr_json_put_text(json, what->metric->count ? what->metric->count_name : NULL);
        return;
    }
    pr_json_put_key(json, "total_size");
    if (what->records)
        pr_document_value(json, what->metric, what->records->total_value);
    else
        pr_json_put_null(json);
    pr_json_put_key(json, "total_allocations");
    if (what->records)
        pr_json_put_int(json, what->records->total_count);
    else
        pr_json_put_null(json);
}

void pr_records_json(const struct pr_records_out *what)
{
    const struct pr_profile *profile = what->profile;
    struct pr_json_writer json = pr_json_writer_start(what->out, what->raw_names);
    pr_json_put_lines(&json, '{');
    pr_json_put_key(&json, "schema");
    pr_json_put_text(&json, "profrender/records/1");
    pr_json_put_key(&json, "source");
    pr_json_put_text(&json, profile->part_count ? profile->parts[what->metric->part].format : profile->meta.format);
    pr_json_put_key(&json, "view");
    pr_json_put_text(&json, what->view);
    pr_json_put_key(&json, "unit");
    pr_json_put_text(&json, pr_document_unit(what->metric));
    pr_json_put_key(&json, "threads");
    pr_json_put_text(&json, what->split_threads ? "split" : "merge");
    pr_document_state(&json, profile);
    if (what->metric->exact) {
        pr_json_put_key(&json, "estimated");
        pr_json_put_bool(&json, true);
    }
    if (what->part)
        pr_write_window(&json, "window", &what->part->when);
    if (what->temporal)
        pr_write_bins(&json, profile);
    write_totals(what, &json);
    pr_json_put_key(&json, "records");
    pr_json_put_lines(&json, '[');
    for (size_t i = 0; what->records && i < what->records->count; i++)
        write_record(what, &json, &what->records->record[i]);
    for (size_t i = 0; what->temporal && i < what->temporal->count; i++)
        write_temporal_record(what, &json, &what->temporal->record[i]);
    pr_json_put_close(&json, ']');
    pr_json_put_close(&json, '}');
}

/* "function;file;line|function;file;line", innermost first, as memray's CSV has it. */
static void write_csv_stack(struct pr_csv *csv, const struct pr_profile *profile, pr_node_id leaf)
{
    pr_csv_open(csv);
    for (pr_node_id node = leaf; node != PR_ROOT; node = profile->tree.parent[node]) {
        const struct pr_frame *frame = &profile->frames[profile->tree.frame[node]];
        if (node != leaf)
            pr_output_byte(csv->out, '|');
        pr_csv_part(csv, pr_profile_text(profile, frame->function));
        pr_output_byte(csv->out, ';');
        pr_csv_part(csv, pr_profile_text(profile, frame->file));
        pr_output_printf(csv->out, ";%d", (int)frame->line);
    }
    pr_csv_close(csv);
}

/* The columns of `memray transform csv`; for other profiles, those that they have. */
void pr_records_csv(const struct pr_records_out *what)
{
    const bool allocations = pr_metric_has_allocations(what->profile, what->metric);
    const struct pr_metric *metric = what->metric;
    const char *const first[] = {allocations ? "allocator" : NULL,
                                 allocations     ? "num_allocations"
                                 : metric->count ? count_field(metric)
                                                 : NULL,
                                 allocations ? "size" : "self"};
    static const char *const last[] = {"tid", "thread_name", "stack_trace"};
    struct pr_csv csv = pr_csv_start(what->out, what->raw);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (first[i])
            pr_csv_text(&csv, first[i]);
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        pr_csv_text(&csv, last[i]);
    pr_csv_end_line(&csv);
    for (size_t i = 0; i < what->records->count; i++) {
        const struct pr_record *record = &what->records->record[i];
        const struct pr_thread *thread = thread_of(what, record->thread);
        char value[PR_FIXED_SIZE];
        if (first[0])
            pr_csv_text(&csv, pr_allocator_name(record->allocator));
        if (first[1])
            pr_csv_int(&csv, record->count);
        pr_csv_text(&csv, pr_fixed_text(value, record->value, pr_document_places(metric)));
        pr_csv_uint(&csv, thread ? thread->tid : 0);
        pr_csv_name(&csv, thread ? pr_profile_text(what->profile, thread->name) : (struct pr_text){"", 0});
        write_csv_stack(&csv, what->profile, record->leaf);
        pr_csv_end_line(&csv);
    }
}
