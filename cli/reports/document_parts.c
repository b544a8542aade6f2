/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/document_parts.h"

#include "capture/base/text.h"
#include "capture/model/nameless.h"
#include "cli/io/terminal_names.h"
#include "profrender/owner.h"
#include "render/words/units.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_SAMPLES = 10000 };

void pr_document_string(struct pr_json_writer *json, const struct pr_profile *profile, pr_str string)
{
    pr_json_put_name(json, pr_profile_text(profile, string));
}

/* Each kind of damage that there is. */
static void write_damage(struct pr_json_writer *json, const struct pr_damage *damage)
{
    pr_json_put_key(json, "damage");
    pr_json_put_open(json, '[');
    for (int kind = 0; kind < PR_DAMAGE_KINDS; kind++) {
        if (!damage->kind[kind].count)
            continue;
        pr_json_put_open(json, '{');
        pr_json_put_key(json, "kind");
        pr_json_put_text(json, pr_damage_name((enum pr_damage_kind)kind));
        pr_json_put_key(json, "count");
        pr_json_put_uint(json, damage->kind[kind].count);
        pr_json_put_key(json, "offset");
        if (damage->kind[kind].offset == PR_NO_OFFSET)
            pr_json_put_null(json);
        else
            pr_json_put_uint(json, damage->kind[kind].offset);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
}

void pr_document_state(struct pr_json_writer *json, const struct pr_profile *profile)
{
    write_damage(json, &profile->damage);
    pr_json_put_key(json, "complete");
    pr_json_put_bool(json, profile->complete);
    pr_json_put_key(json, "problem");
    if (profile->complete) {
        pr_json_put_null(json);
        return;
    }
    const struct pr_error *problem = &profile->problem;
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "offset");
    if (problem->offset == PR_NO_OFFSET)
        pr_json_put_null(json);
    else
        pr_json_put_uint(json, problem->offset);
    pr_json_put_key(json, "text");
    pr_json_put_text(json, problem->text);
    pr_json_put_close(json, '}');
}

static void write_time(struct pr_json_writer *json, struct pr_maybe ms, bool iso)
{
    if (!ms.known)
        pr_json_put_null(json);
    else if (iso)
        pr_json_put_text(json, pr_units_iso_time(ms.value).text);
    else
        pr_json_put_int(json, ms.value);
}

/* What memray alone has; null where the input is from another tool. */
static void write_memray_metadata(struct pr_json_writer *json, const struct pr_profile *profile)
{
    const struct pr_meta *meta = &profile->meta;
    pr_json_put_key(json, "main_thread_id");
    pr_json_put_uint(json, meta->main_tid);
    pr_json_put_key(json, "python_allocator");
    pr_json_put_text(json, meta->python_allocator);
    pr_json_put_key(json, "has_native_traces");
    pr_json_put_bool(json, meta->has_native_traces);
    pr_json_put_key(json, "trace_python_allocators");
    pr_json_put_bool(json, meta->trace_python_allocators);
    pr_json_put_key(json, "file_format");
    pr_json_put_text(json, meta->aggregated ? "AGGREGATED_ALLOCATIONS" : "ALL_ALLOCATIONS");
}

int64_t pr_document_peak(const struct pr_profile *profile)
{
    const int peak = profile->origin.runs > 1 ? pr_profile_metric(profile, "peak") : -1;
    return peak < 0 ? profile->peak_bytes : profile->metrics[peak].total_value;
}

static void write_memray_totals(struct pr_json_writer *json, const struct pr_profile *profile)
{
    pr_json_put_key(json, "total_allocations");
    pr_json_put_uint(json, profile->records.allocations + profile->records.frees);
    pr_json_put_key(json, "total_frames");
    /* The count of the header: 0 until the file is finished, and always from version 12 on. */
    pr_json_put_uint(json, profile->meta.format_version < 12 && profile->complete ? profile->records.frames : 0);
    pr_json_put_key(json, "peak_memory");
    pr_json_put_int(json, pr_document_peak(profile));
}

static void write_nulls(struct pr_json_writer *json, const char *const *keys)
{
    for (; *keys; keys++) {
        pr_json_put_key(json, *keys);
        pr_json_put_null(json);
    }
}

/* As the file has it: memray shows what was written when it was opened, though nobody knew the end then. */
static struct pr_maybe written_end_ms(const struct pr_meta *meta)
{
    if (!meta->end_is_last_sample)
        return meta->end_ms;
    return meta->written_end_ms ? (struct pr_maybe){true, meta->written_end_ms} : meta->start_ms;
}

void pr_document_metadata(struct pr_json_writer *json, const struct pr_profile *profile, bool iso_times)
{
    static const char *const totals[] = {"total_allocations", "total_frames", "peak_memory", NULL};
    static const char *const rest[] = {"main_thread_id",          "python_allocator", "has_native_traces",
                                       "trace_python_allocators", "file_format",      NULL};
    const struct pr_meta *meta = &profile->meta;
    const bool memray = pr_profile_has_allocations(profile);
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "start_time");
    write_time(json, meta->start_ms, iso_times);
    pr_json_put_key(json, "end_time");
    write_time(json, written_end_ms(meta), iso_times);
    if (memray)
        write_memray_totals(json, profile);
    else
        write_nulls(json, totals);
    pr_json_put_key(json, "command_line");
    pr_document_string(json, profile, meta->command_line);
    pr_json_put_key(json, "pid");
    if (meta->pid.known)
        pr_json_put_int(json, meta->pid.value);
    else
        pr_json_put_null(json);
    if (memray)
        write_memray_metadata(json, profile);
    else
        write_nulls(json, rest);
    pr_json_put_close(json, '}');
}

const char *pr_document_unit(const struct pr_metric *metric)
{
    switch (metric->unit) {
    case PR_UNIT_NANOSECONDS:
        return "seconds"; /* with nine decimals */
    case PR_UNIT_PERCENT:
        return "thousandths of a percent";
    case PR_UNIT_BYTES_PER_SECOND:
        return "bytes/s";
    case PR_UNIT_CORES:
        return "thousandths of a core";
    default:
        return pr_units_key(metric->unit);
    }
}

unsigned pr_document_places(const struct pr_metric *metric)
{
    return metric->unit == PR_UNIT_NANOSECONDS ? 9 : metric->decimals;
}

void pr_document_value(struct pr_json_writer *json, const struct pr_metric *metric, int64_t value)
{
    pr_json_put_fixed(json, value, pr_document_places(metric));
}

void pr_document_metric(struct pr_json_writer *json, const struct pr_metric *metric)
{
    pr_json_put_key(json, "metric");
    pr_json_put_text(json, metric->name);
    pr_json_put_key(json, "unit");
    pr_json_put_text(json, pr_document_unit(metric));
}

void pr_document_total(struct pr_json_writer *json, const struct pr_metric *metric)
{
    pr_json_put_key(json, "total");
    pr_document_value(json, metric, metric->total_value);
    pr_document_count(json, metric, "total_count", metric->total_count);
}

void pr_document_metrics(struct pr_json_writer *json, const struct pr_profile *profile)
{
    pr_json_put_key(json, "metrics");
    pr_json_put_lines(json, '[');
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        const struct pr_metric *metric = &profile->metrics[i];
        pr_json_put_open(json, '{');
        pr_json_put_key(json, "name");
        pr_json_put_text(json, metric->name);
        pr_json_put_key(json, "title");
        pr_json_put_text(json, metric->title);
        pr_json_put_key(json, "unit");
        pr_json_put_text(json, pr_document_unit(metric));
        pr_json_put_key(json, "total");
        pr_document_value(json, metric, metric->total_value);
        pr_json_put_key(json, "count_name");
        pr_json_put_text(json, metric->count ? metric->count_name : NULL);
        pr_document_count(json, metric, "total_count", metric->total_count);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
}

void pr_document_notes(struct pr_json_writer *json, const struct pr_profile *profile)
{
    pr_json_put_key(json, "notes");
    pr_json_put_lines(json, '[');
    for (uint32_t i = 0; i < profile->note_count; i++)
        pr_json_put_text(json, profile->notes[i]);
    pr_json_put_close(json, ']');
}

void pr_document_place(struct pr_json_writer *json, const struct pr_profile *profile, pr_str function, pr_str file,
                       int32_t line)
{
    struct pr_text path = pr_profile_text(profile, file);
    pr_json_put_key(json, "function");
    pr_document_string(json, profile, function);
    pr_json_put_key(json, "file");
    if (path.length)
        pr_json_put_name(json, path);
    else
        pr_json_put_null(json);
    pr_json_put_key(json, "line");
    if (line > 0)
        pr_json_put_int(json, line);
    else
        pr_json_put_null(json);
}

void pr_document_owner(struct pr_json_writer *json, const struct pr_profile *profile, pr_frame_id frame)
{
    pr_json_put_key(json, "owner");
    pr_json_put_text(json, frame < profile->frame_count ? pr_owner_name(pr_owner_of(profile, frame)) : NULL);
}

void pr_document_enclosing(struct pr_json_writer *json, const struct pr_profile *profile, pr_frame_id frame)
{
    const struct pr_text around =
        frame < profile->frame_count ? pr_function_around(profile, frame) : (struct pr_text){"", 0};
    if (!around.length)
        return;
    pr_json_put_key(json, "enclosing");
    pr_json_put_name(json, around);
}

void pr_document_frame(struct pr_json_writer *json, const struct pr_profile *profile, pr_str function, pr_str file,
                       int32_t line)
{
    pr_json_put_open(json, '[');
    pr_document_string(json, profile, function);
    pr_document_string(json, profile, file);
    pr_json_put_int(json, line);
    pr_json_put_close(json, ']');
}

void pr_document_stack(struct pr_json_writer *json, const struct pr_profile *profile, const char *key, pr_node_id leaf)
{
    pr_json_put_key(json, key);
    pr_json_put_open(json, '[');
    for (pr_node_id node = leaf; node != PR_ROOT && node != PR_NO_NODE; node = profile->tree.parent[node]) {
        const struct pr_frame *frame = &profile->frames[profile->tree.frame[node]];
        pr_document_frame(json, profile, frame->function, frame->file, frame->line);
    }
    pr_json_put_close(json, ']');
}

void pr_document_count(struct pr_json_writer *json, const struct pr_metric *metric, const char *key, int64_t count)
{
    pr_json_put_key(json, key);
    if (metric->count)
        pr_json_put_int(json, count);
    else
        pr_json_put_null(json);
}

struct pr_text pr_thread_name(const struct pr_profile *profile, uint32_t thread, char text[24])
{
    if (thread == PR_ALL_THREADS)
        return (struct pr_text){"", 0};
    struct pr_text name = pr_profile_text(profile, profile->threads[thread].name);
    if (name.length)
        return name;
    return (struct pr_text){text, (uint32_t)snprintf(text, 24, "%" PRIu64, profile->threads[thread].tid)};
}

uint64_t pr_thread_pid(const struct pr_profile *profile, uint32_t thread)
{
    if (thread == PR_ALL_THREADS || profile->threads[thread].process >= profile->process_count)
        return 0;
    return profile->processes[profile->threads[thread].process].pid;
}

void pr_thread_label(struct pr_buf *buf, const struct pr_profile *profile, uint32_t thread)
{
    char number[24];
    const uint64_t pid = profile->process_count > 1 ? pr_thread_pid(profile, thread) : 0;
    struct pr_text name = pr_thread_name(profile, thread, number);
    if (pr_text_is(name, "0"))
        name = pr_text_of("not recorded");
    if (pid)
        pr_buf_printf(buf, "pid %" PRIu64 ", ", pid);
    pr_buf_add(buf, name.bytes, name.length);
}

void pr_document_process(struct pr_json_writer *json, const struct pr_profile *profile, uint32_t thread)
{
    const uint64_t pid = pr_thread_pid(profile, thread);
    pr_json_put_key(json, "pid");
    if (pid)
        pr_json_put_uint(json, pid);
    else
        pr_json_put_null(json);
}

void pr_document_thread(struct pr_json_writer *json, const struct pr_profile *profile, uint32_t thread)
{
    char number[24];
    pr_json_put_key(json, "tid");
    pr_json_put_uint(json, thread == PR_ALL_THREADS ? 0 : profile->threads[thread].tid);
    pr_json_put_key(json, "thread");
    pr_json_put_name(json, pr_thread_name(profile, thread, number));
    pr_document_process(json, profile, thread);
}

void pr_document_row(struct pr_json_writer *json, const struct pr_profile *profile, const struct pr_metric *metric,
                     const struct pr_row *row)
{
    const bool is_code = !row->no_stack && row->node != PR_ROOT && row->node < profile->tree.count;
    pr_document_place(json, profile, row->function, row->file, row->line);
    const pr_frame_id frame = is_code ? profile->tree.frame[row->node] : PR_NO_FRAME;
    pr_document_owner(json, profile, frame);
    pr_document_enclosing(json, profile, frame);
    pr_json_put_key(json, "self");
    pr_document_value(json, metric, row->self);
    pr_json_put_key(json, "total");
    pr_document_value(json, metric, row->total);
    pr_document_count(json, metric, "self_count", row->self_count);
    pr_document_count(json, metric, "total_count", row->total_count);
    pr_document_thread(json, profile, row->thread);
}

size_t pr_document_stride(size_t count)
{
    return count > MAX_SAMPLES ? (count + MAX_SAMPLES - 1) / MAX_SAMPLES : 1;
}

void pr_document_touch(struct pr_json_writer *json, bool is_known, enum pr_touch touch)
{
    static const char *const names[] = {[PR_UNTOUCHED] = "no", [PR_TOUCHED_FILE] = "file", [PR_TOUCHED_LINE] = "line"};
    pr_json_put_key(json, "changed");
    pr_json_put_text(json, is_known ? names[touch] : NULL);
}
