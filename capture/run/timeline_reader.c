/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A resource timeline: JSON lines, as our recorder writes them, or the samples of a Metaflow profile card alone.
 *
 *     {"type": "start", "version": 1, "t": 1795249143.621, "argv": ["python", "etl.py"], "pid": 12, "ncpu": 8, ...}
 *     {"ts": 0.5, "cpu_pct": 28.4, "rss_mb": 48.06, ...}
 *     {"type": "mark", "ts": 0.7, "mark": "load"}
 *     {"type": "end", "t": ..., "wall": 1.2, "exit": 1, "signal": null, "rusage": {...}, "oom": {...}, ...}
 *
 * - Lines without a type are samples; `ts` counts from the start. Without a start record there is no date.
 * - A mark names the phase that begins there. Of more than 500 the others are left out, and counted.
 * - A start without an end: the recorder was killed too. What it wrote is good, and reported as incomplete.
 * - Lines may come in any order of time, with NaN for numbers, with unknown members. What is not JSON is skipped and
 *   counted; the last line may be half a line.
 *
 * Source: doc/formats/timeline.md; the two files of the collection.
 */
#include "capture/builder/mark_list.h"
#include "capture/builder/profile_builder.h"
#include "capture/parse/json_peek.h"
#include "capture/parse/lines.h"
#include "capture/builder/reader.h"
#include "capture/run/timeline_sample.h"
#include "capture/run/traceback.h"

#include "capture/base/checked.h"

#include <inttypes.h>
#include <string.h>

enum { BLOCK_BYTES = 512, NEWEST_VERSION = 1 };

struct timeline {
    struct pr_profile_builder c;
    struct pr_timeline t;
    struct pr_timeline_sample sample;
    struct pr_json_stream json; /* of the line */
    struct pr_failure failure;
    struct pr_mark_list marks;
    pr_str mark; /* of the line; 0 = none */
    int64_t last_ms; /* of the last sample, after the start */
    uint64_t records, version;
    bool started, ended, half_line;
};

/* ---- the start -------------------------------------------------------------------------------------------------- */

/* Words joined by spaces, as in captures. */
static void read_argv(struct timeline *r)
{
    struct pr_buf line = {0};
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    while (pr_json_item(&r->json)) {
        if (r->json.token == PR_JSON_STRING) {
            pr_buf_text(&line, line.length ? " " : "");
            pr_buf_add(&line, r->json.text.bytes, r->json.text.length);
        }
        pr_json_skip(&r->json);
    }
    r->c.profile->meta.command_line = pr_build_buf(&r->c, &line);
}

/* Cores as a number, or `200000 100000`: microseconds of each period, as the kernel shows it. */
static struct pr_maybe cpu_limit(const struct pr_json_stream *json)
{
    struct pr_decimal quota, period;
    if (json->token != PR_JSON_STRING)
        return pr_json_maybe(json, 3);
    const size_t taken = pr_decimal_parse(json->text.bytes, json->text.length, &quota);
    const struct pr_text rest = {json->text.bytes + taken, json->text.length - (uint32_t)taken};
    const struct pr_text second = pr_text_trim(rest);
    if (!taken || !pr_decimal_parse(second.bytes, second.length, &period) || pr_decimal_scaled(period, 0) <= 0)
        return (struct pr_maybe){false, 0};
    const double cores = (double)pr_decimal_scaled(quota, 0) / (double)pr_decimal_scaled(period, 0);
    return (struct pr_maybe){true, pr_double_scaled(cores, 1000)};
}

static void read_limits(struct timeline *r)
{
    struct pr_run *run = &r->c.profile->run;
    const int64_t no_limit = INT64_MAX / 2; /* cgroup v1 writes a number near 2^63 for no limit */
    if (!pr_json_enter(&r->json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(&r->json)) {
        const bool is_memory = pr_json_is(&r->json, "memory_max"), is_cpu = pr_json_is(&r->json, "cpu_max"),
                   is_address = pr_json_is(&r->json, "address_space_max");
        pr_json_next(&r->json);
        if (is_memory)
            run->memory_limit_bytes = pr_json_maybe(&r->json, 0);
        else if (is_cpu)
            run->cpu_limit_millicores = cpu_limit(&r->json);
        else if (is_address)
            r->failure.address_limit_bytes = pr_json_maybe(&r->json, 0);
        pr_json_skip(&r->json);
    }
    if (run->memory_limit_bytes.value <= 0 || run->memory_limit_bytes.value > no_limit)
        run->memory_limit_bytes.known = false;
    if (r->failure.address_limit_bytes.value <= 0 || r->failure.address_limit_bytes.value > no_limit)
        r->failure.address_limit_bytes.known = false;
    if (run->cpu_limit_millicores.value <= 0)
        run->cpu_limit_millicores.known = false;
}

static void read_host(struct timeline *r)
{
    if (pr_json_next(&r->json) == PR_JSON_STRING)
        r->c.profile->run.host = pr_build_string(&r->c, r->json.text.bytes, r->json.text.length);
    else
        pr_json_skip(&r->json);
}

static bool read_start_member(struct timeline *r)
{
    struct pr_profile *profile = r->c.profile;
    struct pr_json_stream *json = &r->json;
    if (pr_json_is(json, "argv"))
        read_argv(r);
    else if (pr_json_is(json, "limits"))
        read_limits(r);
    else if (pr_json_is(json, "host"))
        read_host(r);
    else if (pr_json_is(json, "pid"))
        profile->meta.pid = pr_json_value(json, 0);
    else if (pr_json_is(json, "ncpu"))
        profile->run.machine_cpus = pr_json_value(json, 0);
    else if (pr_json_is(json, "version"))
        r->version = (uint64_t)pr_json_value(json, 0).value;
    else
        return false;
    return true;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static void read_usage(struct timeline *r)
{
    struct pr_run *run = &r->c.profile->run;
    struct pr_json_stream *json = &r->json;
    if (!pr_json_enter(json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(json)) {
        if (pr_json_is(json, "utime"))
            run->user_ns = pr_json_value(json, 9);
        else if (pr_json_is(json, "stime"))
            run->system_ns = pr_json_value(json, 9);
        else if (pr_json_is(json, "maxrss_kb"))
            run->max_rss_bytes = pr_maybe_times(pr_json_value(json, 0), 1024);
        else if (pr_json_is(json, "majflt"))
            run->major_faults = pr_json_value(json, 0);
        else if (pr_json_is(json, "inblock"))
            run->read_bytes = pr_maybe_times(pr_json_value(json, 0), BLOCK_BYTES);
        else if (pr_json_is(json, "oublock"))
            run->written_bytes = pr_maybe_times(pr_json_value(json, 0), BLOCK_BYTES);
        else
            pr_json_skip(json);
    }
}

static void read_verdict(struct timeline *r)
{
    pr_json_next(&r->json);
    if (r->json.token == PR_JSON_STRING)
        r->failure.told = pr_json_is(&r->json, "oom")      ? PR_OOM_YES
                          : pr_json_is(&r->json, "likely") ? PR_OOM_LIKELY
                                                           : PR_OOM_UNKNOWN;
    pr_json_skip(&r->json);
}

static void read_oom(struct timeline *r)
{
    struct pr_json_stream *json = &r->json;
    if (!pr_json_enter(json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(json)) {
        if (pr_json_is(json, "cgroup_oom_kill"))
            r->failure.oom_kills = pr_json_value(json, 0);
        else if (pr_json_is(json, "host_oom_kill"))
            r->failure.host_oom_kills = pr_json_value(json, 0);
        else if (pr_json_is(json, "peak_bytes"))
            r->failure.peak_bytes = pr_json_value(json, 0);
        else if (pr_json_is(json, "limit_bytes"))
            r->failure.limit_bytes = pr_json_value(json, 0);
        else if (pr_json_is(json, "verdict"))
            read_verdict(r);
        else
            pr_json_skip(json);
    }
}

static void read_last_words(struct timeline *r)
{
    pr_json_next(&r->json);
    if (r->json.token == PR_JSON_STRING &&
        pr_traceback_read(r->c.profile, r->json.text, &r->failure, r->c.err) == PR_FAILED)
        r->c.status = PR_FAILED;
    pr_json_skip(&r->json);
}

/* Processes, marks or lines that the recorder knew of, and that are not here. */
static void read_left_out(struct timeline *r)
{
    const struct pr_maybe count = pr_json_value(&r->json, 0);
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, count.known && count.value > 0 ? (uint64_t)count.value : 0);
}

static bool read_end_member(struct timeline *r)
{
    struct pr_json_stream *json = &r->json;
    if (pr_json_is(json, "exit")) {
        r->failure.exit = pr_json_value(json, 0);
    } else if (pr_json_is(json, "signal")) {
        r->failure.signal = pr_json_value(json, 0);
    } else if (pr_json_is(json, "core")) {
        r->failure.core = pr_json_next(json) == PR_JSON_TRUE;
        pr_json_skip(json);
    } else if (pr_json_is(json, "wall")) {
        r->c.profile->run.wall_ns = pr_json_value(json, 9);
    } else if (pr_json_is(json, "rusage")) {
        read_usage(r);
    } else if (pr_json_is(json, "oom")) {
        read_oom(r);
    } else if (pr_json_is(json, "stderr_tail")) {
        read_last_words(r);
    } else if (pr_json_is(json, "left_out") || pr_json_is(json, "marks_left_out") || pr_json_is(json, "lines_lost")) {
        read_left_out(r);
    } else {
        return false;
    }
    return true;
}

/* ---- marks ------------------------------------------------------------------------------------------------------ */

static bool read_mark_member(struct timeline *r)
{
    if (!pr_json_is(&r->json, "mark"))
        return false;
    pr_json_next(&r->json);
    if (r->json.token == PR_JSON_STRING)
        r->mark = pr_build_string(&r->c, r->json.text.bytes, r->json.text.length);
    pr_json_skip(&r->json);
    return true;
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* A record's type, and the moment it names. */
struct record {
    bool is_start, is_end;
    struct pr_maybe t_ms;
};

static void read_type(struct timeline *r, struct record *record)
{
    pr_json_next(&r->json);
    record->is_start = r->json.token == PR_JSON_STRING && pr_json_is(&r->json, "start");
    record->is_end = r->json.token == PR_JSON_STRING && pr_json_is(&r->json, "end");
    pr_json_skip(&r->json);
}

static bool read_record(struct timeline *r, struct record *record)
{
    if (pr_json_next(&r->json) != PR_JSON_OBJECT)
        return false;
    while (pr_json_key(&r->json)) {
        if (pr_json_is(&r->json, "type"))
            read_type(r, record);
        else if (pr_json_is(&r->json, "t"))
            record->t_ms = pr_json_value(&r->json, 3);
        else if (!read_mark_member(r) && !pr_timeline_sample_member(&r->sample, &r->t, &r->json) &&
                 !read_start_member(r) && !read_end_member(r))
            pr_json_skip(&r->json);
    }
    return r->json.token == PR_JSON_CLOSE && pr_json_next(&r->json) == PR_JSON_END;
}

static void use_record(struct timeline *r, const struct record *record)
{
    struct pr_meta *meta = &r->c.profile->meta;
    if (record->is_start) {
        r->started = true;
        meta->start_ms = record->t_ms;
    } else if (record->is_end) {
        r->ended = true;
        meta->end_ms = record->t_ms;
    } else if (r->sample.timed) {
        r->last_ms = r->sample.ts_ms > r->last_ms ? r->sample.ts_ms : r->last_ms;
    }
    if (r->mark && r->sample.timed &&
        !pr_mark_list_add(&r->marks, pr_add_saturated(meta->start_ms.value, r->sample.ts_ms), r->mark))
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
    r->records += record->is_start || record->is_end || r->sample.timed;
    pr_timeline_sample_add(&r->sample, &r->t, meta->start_ms.value);
}

static void read_line(struct timeline *r, const struct pr_lines *lines)
{
    struct pr_source line = pr_source_view(r->c.src, lines->text.length);
    struct pr_error problem = {0};
    struct record record = {0};
    pr_json_begin(&r->json, &line, &r->c.options->limits, &problem);
    if (read_record(r, &record))
        use_record(r, &record);
    else if (problem.code == PR_ERR_MEMORY || pr_json_status(&r->json) == PR_FAILED)
        pr_build_no_memory(&r->c);
    else if (lines->ended)
        pr_build_damage_at(&r->c, PR_DAMAGE_LINES, lines->offset);
    else
        r->half_line = true;
    r->sample.timed = false;
    r->sample.count = 0;
    r->mark = 0;
    pr_json_end(&r->json);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

/* The sampled peak of memory: that of the cgroup, which counts against the limit, else that of the processes. */
static void find_peak(struct timeline *r)
{
    const struct pr_profile *profile = r->c.profile;
    int series = pr_profile_series(profile, "cgroup_memory");
    series = series < 0 ? pr_profile_series(profile, "rss") : series;
    if (r->failure.peak_bytes.known) /* the recorder knows it from the system */
        return;
    for (size_t i = 0; series >= 0 && i < profile->series[series].count; i++) {
        const int64_t value = profile->series[series].value[i];
        if (!r->failure.peak_bytes.known || value > r->failure.peak_bytes.value)
            r->failure.peak_bytes = (struct pr_maybe){true, value};
    }
}

static enum pr_status settle(struct timeline *r)
{
    struct pr_profile *profile = r->c.profile;
    find_peak(r);
    if (pr_mark_list_finish(&r->marks, r->c.profile, r->c.err) == PR_FAILED)
        pr_build_no_memory(&r->c);
    if (!r->failure.limit_bytes.known)
        r->failure.limit_bytes = profile->run.memory_limit_bytes;
    pr_failure_settle(&r->failure);
    profile->run.failure = r->failure;
    if (!r->sample.gpus_differ)
        profile->run.gpu_memory_bytes = r->sample.gpu_memory_bytes;
    if (r->version > NEWEST_VERSION)
        pr_build_note(&r->c, "the recording is of version %" PRIu64 ", newer than this program", r->version);
    if (!r->started || r->ended)
        return r->half_line ? pr_cut(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(r->c.src), "line",
                                     "the last line is incomplete")
                            : PR_OK;
    profile->run.cut_off = true;
    return pr_cut(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(r->c.src), NULL,
                  "it has no end record: the recorder was stopped after %" PRId64 ".%03d s", r->last_ms / 1000,
                  (int)(r->last_ms % 1000));
}

static enum pr_status read_lines(struct timeline *r)
{
    struct pr_lines lines = pr_lines_begin(r->c.src, r->c.err);
    while (pr_build_going(&r->c) && pr_lines_next(&lines))
        if (pr_text_trim(lines.text).length)
            read_line(r, &lines);
    return pr_lines_status(&lines);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct timeline r = {.records = 0};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    pr_timeline_init(&r.t, profile);
    if (status == PR_OK)
        status = read_lines(&r);
    if (status == PR_END || status == PR_CUT) {
        pr_timeline_sample_finish(&r.t);
        profile->meta.no_date = !profile->meta.start_ms.known;
        if (!r.records)
            status = pr_fail(err, PR_ERR_DAMAGED, 0, "record", "it has neither samples nor a record of a run");
    }
    if (pr_timeline_finish(&r.t, err) == PR_FAILED)
        status = PR_FAILED;
    if (status == PR_END)
        status = settle(&r);
    else if (status == PR_CUT)
        settle(&r);
    return pr_build_finish(&r.c, status);
}

static unsigned probe(struct pr_source *src)
{
    struct pr_json_peek peek;
    pr_json_peek(src, &peek);
    if (peek.first != '{')
        return 0;
    if (pr_json_evidence_string(&peek, "type", "start") && pr_json_evidence(&peek, "t", '0'))
        return pr_json_evidence_string(&peek, "type", "start") + pr_json_evidence(&peek, "argv", '[') +
               pr_json_evidence(&peek, "interval", '0') + pr_json_evidence(&peek, "ncpu", '0');
    return pr_timeline_sample_evidence(&peek, "");
}

const struct pr_reader pr_timeline_reader = {"timeline", "resource timeline", probe, read};
