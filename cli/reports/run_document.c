/* SPDX-License-Identifier: Apache-2.0 */
/* What render/words/ending.c says, and the facts that it is based on. */
#include "cli/reports/run_document.h"

#include "cli/reports/document_parts.h"
#include "cli/io/terminal_names.h"
#include "render/words/ending.h"
#include "render/words/units.h"

#include <inttypes.h>
#include <stdio.h>

static void write_maybe(struct pr_json_writer *json, const char *key, struct pr_maybe value)
{
    pr_json_put_key(json, key);
    if (value.known)
        pr_json_put_int(json, value.value);
    else
        pr_json_put_null(json);
}

/* Frames innermost first, as in all documents. */
static void write_exception(struct pr_json_writer *json, const struct pr_profile *profile,
                            const struct pr_exception *exception)
{
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "type");
    pr_document_string(json, profile, exception->type);
    pr_json_put_key(json, "message");
    pr_document_string(json, profile, exception->message);
    pr_json_put_key(json, "frames");
    pr_json_put_open(json, '[');
    for (uint32_t i = exception->frame_count; i-- > 0;) {
        const struct pr_trace_frame *frame = &exception->frames[i];
        pr_document_frame(json, profile, frame->function, frame->file, frame->line);
    }
    pr_json_put_close(json, ']');
    pr_json_put_close(json, '}');
}

void pr_run_json(struct pr_json_writer *json, const struct pr_profile *profile)
{
    const struct pr_failure *failure = &profile->run.failure;
    const struct pr_exception *exception = pr_ending_exception(failure);
    if (!pr_run_is_known(&profile->run))
        return;
    write_maybe(json, "exit", failure->exit);
    const bool none = failure->signal.known && !failure->signal.value;
    write_maybe(json, "signal", none ? (struct pr_maybe){false, 0} : failure->signal);
    pr_json_put_key(json, "oom");
    if (failure->oom == PR_OOM_UNKNOWN)
        pr_json_put_null(json);
    else
        pr_json_put_bool(json, failure->oom != PR_OOM_NO);
    pr_json_put_key(json, "exception");
    if (exception)
        write_exception(json, profile, exception);
    else
        pr_json_put_null(json);
}

static void report_text(struct pr_report *report, const char *label, struct pr_buf *text)
{
    pr_output_needs(report->out, text);
    if (text->length)
        pr_report_long_name(report, label, (struct pr_text){text->bytes, (uint32_t)text->length});
    pr_buf_clear(text);
}

static void report_maybe(struct pr_report *report, const char *label, enum pr_unit unit, struct pr_maybe value)
{
    if (value.known)
        pr_report_field(report, label, pr_units_value(unit, value.value).text, pr_units_exact(unit, value.value).text);
}

static void report_exception(struct pr_report *report, const struct pr_profile *profile)
{
    const struct pr_exception *exception = pr_ending_exception(&profile->run.failure);
    struct pr_buf line = {0};
    if (!exception)
        return;
    const struct pr_text type = pr_profile_text(profile, exception->type),
                         message = pr_profile_text(profile, exception->message);
    pr_buf_add(&line, type.bytes, type.length);
    pr_buf_text(&line, message.length ? ": " : "");
    pr_buf_add(&line, message.bytes, message.length);
    report_text(report, "Exception", &line);
    if (!exception->frame_count)
        return;
    const struct pr_trace_frame *frame = &exception->frames[exception->frame_count - 1];
    const struct pr_text function = pr_profile_text(profile, frame->function),
                         file = pr_profile_text(profile, frame->file);
    pr_buf_add(&line, function.bytes, function.length);
    pr_buf_text(&line, function.length ? ", " : "");
    pr_buf_add(&line, file.bytes, file.length);
    if (frame->line)
        pr_buf_printf(&line, ":%" PRId32, frame->line);
    report_text(report, "Raised in", &line);
}

void pr_run_report(struct pr_report *report, const struct pr_profile *profile)
{
    const struct pr_run *run = &profile->run;
    struct pr_buf words = {0};
    if (!pr_run_is_known(run))
        return;
    pr_report_heading(report, "End");
    pr_ending_words(&run->failure, &words);
    if (!words.length)
        pr_buf_text(&words, run->cut_off ? "unknown: the recorder was stopped before the end" : "not recorded");
    report_text(report, "Ended", &words);
    pr_ending_memory(&run->failure, &words);
    report_text(report, "Memory", &words);
    report_exception(report, profile);
    report_maybe(report, "Wall time", PR_UNIT_NANOSECONDS, run->wall_ns);
    report_maybe(report, "CPU time, user", PR_UNIT_NANOSECONDS, run->user_ns);
    report_maybe(report, "CPU time, system", PR_UNIT_NANOSECONDS, run->system_ns);
    report_maybe(report, "Largest process", PR_UNIT_BYTES, run->max_rss_bytes);
    report_maybe(report, "Memory limit", PR_UNIT_BYTES, run->memory_limit_bytes);
}
