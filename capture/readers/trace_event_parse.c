/* SPDX-License-Identifier: Apache-2.0 */
/* An array of objects, or an object with one; fields come in any order. */
#include "capture/readers/trace_event_parse.h"

#include "capture/base/ascii.h"
#include "capture/base/hash.h"
#include "capture/base/text.h"

#include <string.h>

enum pr_status pr_trace_document_begin(struct pr_trace_document *r)
{
    struct pr_profile_builder *c = r->c;
    pr_json_begin(&r->json, c->src, &c->options->limits, c->err);
    r->json.damage = &c->profile->damage;
    pr_trace_v8_begin(&r->v8, c, &r->json);
    return pr_strings_init(&r->texts, c->err);
}

void pr_trace_document_end(struct pr_trace_document *r)
{
    pr_strings_clear(&r->texts);
    pr_trace_v8_end(&r->v8);
    pr_json_end(&r->json);
}

static bool is_decimal(struct pr_text text)
{
    for (uint32_t i = 0; i < text.length; i++)
        if (!pr_is_digit(text.bytes[i]))
            return false;
    return true;
}

/* The current pid or tid, a number or a name. PyTorch 1.8 has the same ones as numbers and as strings of digits. */
static void read_id(struct pr_trace_document *r, uint64_t *number, pr_str *name)
{
    pr_json_next(&r->json);
    if (r->json.token == PR_JSON_STRING && is_decimal(r->json.text) && pr_text_number(r->json.text, number))
        *name = 0;
    else if (r->json.token == PR_JSON_STRING)
        *name = pr_build_string(r->c, r->json.text.bytes, r->json.text.length);
    else if (r->json.token == PR_JSON_NUMBER)
        *number = (uint64_t)pr_json_scaled(&r->json, 0, 0);
    else
        pr_json_skip(&r->json);
}

static pr_str read_string(struct pr_trace_document *r)
{
    pr_json_next(&r->json);
    if (r->json.token == PR_JSON_STRING)
        return pr_build_string(r->c, r->json.text.bytes, r->json.text.length);
    pr_json_skip(&r->json);
    return 0;
}

static int64_t read_number(struct pr_trace_document *r, int32_t exponent)
{
    pr_json_next(&r->json);
    int64_t number = pr_json_scaled(&r->json, exponent, 0);
    pr_json_skip(&r->json);
    return number;
}

/* Microseconds as nanoseconds. */
static struct pr_maybe read_time(struct pr_trace_document *r)
{
    struct pr_maybe time = {false, 0};
    pr_json_next(&r->json);
    if (r->json.token == PR_JSON_NUMBER)
        time = pr_json_maybe(&r->json, 3);
    pr_json_skip(&r->json);
    return time;
}

/* A number from 0 on, or -1 for none. */
static int64_t read_whole(struct pr_trace_document *r)
{
    pr_json_next(&r->json);
    int64_t number = pr_json_scaled(&r->json, 0, -1);
    pr_json_skip(&r->json);
    return number;
}

/* The same, which XLA writes as a string of digits. */
static int64_t read_digits(struct pr_trace_document *r)
{
    uint64_t number;
    pr_json_next(&r->json);
    const bool good = r->json.token == PR_JSON_STRING && pr_text_number(r->json.text, &number) && number <= INT64_MAX;
    pr_json_skip(&r->json);
    return good ? (int64_t)number : -1;
}

static void read_args(struct pr_trace_document *r, struct pr_trace_event *event)
{
    if (!pr_json_enter(&r->json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(&r->json)) {
        if (pr_json_is(&r->json, "filename"))
            event->file = read_string(r);
        else if (pr_json_is(&r->json, "line"))
            event->line = read_number(r, 0);
        else if (pr_json_is(&r->json, "name"))
            event->given_name = read_string(r);
        else if (pr_json_is(&r->json, "labels"))
            event->labels = read_string(r);
        else if (pr_json_is(&r->json, "data"))
            pr_trace_v8_read(&r->v8);
        else if (pr_json_is(&r->json, "step"))
            event->step = read_string(r);
        else if (pr_json_is(&r->json, "correlation"))
            event->correlation = read_whole(r);
        else if (pr_json_is(&r->json, "correlation_id"))
            event->xla_correlation = read_digits(r);
        else if (pr_json_is(&r->json, "device"))
            event->device = read_whole(r);
        else if (pr_json_is(&r->json, "Python id"))
            event->number = read_whole(r);
        else if (pr_json_is(&r->json, "Python parent id"))
            event->caller = read_whole(r);
        else
            pr_json_skip(&r->json);
    }
}

static void read_name(struct pr_trace_document *r, struct pr_trace_event *event)
{
    if (pr_json_next(&r->json) == PR_JSON_STRING) {
        event->has_name = true;
        event->name = pr_json_intern(&r->json, &r->texts);
        if (event->name == PR_NO_STR) {
            pr_build_no_memory(r->c);
            event->name = 0;
        }
    } else {
        pr_json_skip(&r->json);
    }
}

/* Most events have the category of the one before. */
static void know_category(struct pr_trace_document *r)
{
    static const struct {
        const char *name;
        enum pr_trace_category category;
    } known[] = {{"python_function", PR_TRACE_FUNCTION},
                 {"cpu_op", PR_TRACE_OPERATOR},
                 {"user_annotation", PR_TRACE_OPERATOR},
                 {"cuda_runtime", PR_TRACE_LAUNCH},
                 {"cuda_driver", PR_TRACE_LAUNCH},
                 {"Operator", PR_TRACE_OPERATOR},
                 {"Runtime", PR_TRACE_LAUNCH},
                 {"kernel", PR_TRACE_KERNEL},
                 {"Kernel", PR_TRACE_KERNEL},
                 {"gpu_memcpy", PR_TRACE_COPY},
                 {"gpu_memset", PR_TRACE_COPY},
                 {"Memcpy", PR_TRACE_COPY},
                 {"Memset", PR_TRACE_COPY},
                 {"gpu_user_annotation", PR_TRACE_ASIDE},
                 {"overhead", PR_TRACE_COST},
                 {"Trace", PR_TRACE_SPAN},
                 {"py-spy", PR_TRACE_SAMPLE}};
    const pr_str text = pr_json_intern(&r->json, &r->texts);
    if (text == PR_NO_STR) {
        pr_build_no_memory(r->c);
        return;
    }
    r->last.text = text;
    r->last.category = PR_TRACE_PLAIN;
    r->last.is_annotation = pr_text_is(r->json.text, "user_annotation");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (pr_text_is(r->json.text, known[i].name))
            r->last.category = known[i].category;
}

/* A process "CPU functions" may have come first: only a category that is known replaces what it says. */
static void read_category(struct pr_trace_document *r, struct pr_trace_event *event)
{
    if (pr_json_next(&r->json) != PR_JSON_STRING) {
        pr_json_skip(&r->json);
        return;
    }
    if (!r->json.text.length)
        return;
    const struct pr_text last = pr_strings_get(&r->texts, r->last.text);
    if (last.length != r->json.text.length || memcmp(last.bytes, r->json.text.bytes, last.length))
        know_category(r);
    event->category_text = r->last.text;
    event->is_annotation = r->last.is_annotation;
    event->category = r->last.category != PR_TRACE_PLAIN ? r->last.category : event->category;
}

/* A string or a number. */
static void read_span_id(struct pr_trace_document *r, struct pr_trace_event *event)
{
    pr_json_next(&r->json);
    event->has_id = r->json.token == PR_JSON_STRING || r->json.token == PR_JSON_NUMBER;
    if (event->has_id)
        event->id_hash = pr_hash_bytes(r->json.text.bytes, r->json.text.length);
    pr_json_skip(&r->json);
}

static void read_scoped_id(struct pr_trace_document *r, struct pr_trace_event *event)
{
    if (!pr_json_enter(&r->json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(&r->json)) {
        const bool is_local = pr_json_is(&r->json, "local");
        if (!is_local && !pr_json_is(&r->json, "global")) {
            pr_json_skip(&r->json);
            continue;
        }
        read_span_id(r, event);
        event->is_local = is_local;
    }
}

static void read_field(struct pr_trace_document *r, struct pr_trace_event *event)
{
    struct pr_json_stream *json = &r->json;
    if (pr_json_is(json, "name")) {
        read_name(r, event);
    } else if (pr_json_is(json, "ph")) {
        pr_json_next(json);
        event->phase = json->token == PR_JSON_STRING && json->text.length == 1 ? *json->text.bytes : '\0';
        pr_json_skip(json);
    } else if (pr_json_is(json, "ts")) {
        event->ts = read_time(r);
    } else if (pr_json_is(json, "dur")) {
        event->has_duration = true;
        event->duration = read_time(r);
    } else if (pr_json_is(json, "pid")) {
        read_id(r, &event->pid, &event->pid_name);
        if (json->token == PR_JSON_STRING && pr_json_is(json, "CPU functions")) { /* no name of a program */
            event->category = PR_TRACE_OPERATOR;
            event->pid_name = 0;
        }
    } else if (pr_json_is(json, "tid")) {
        read_id(r, &event->tid, &event->tid_name);
    } else if (pr_json_is(json, "cat")) {
        read_category(r, event);
    } else if (pr_json_is(json, "id")) {
        read_span_id(r, event);
    } else if (pr_json_is(json, "id2")) {
        read_scoped_id(r, event);
    } else if (pr_json_is(json, "scope")) {
        event->scope = read_string(r);
    } else if (pr_json_is(json, "args")) {
        read_args(r, event);
    } else {
        pr_json_skip(json);
    }
}

/* The items of the array that was entered. */
static void read_events(struct pr_trace_document *r)
{
    while (pr_build_going(r->c) && pr_json_item(&r->json)) {
        struct pr_trace_event event = {
            .number = -1, .caller = -1, .correlation = -1, .xla_correlation = -1, .device = -1};
        if (r->json.token != PR_JSON_OBJECT) {
            pr_build_damage(r->c, PR_DAMAGE_RECORDS, r->json.token != PR_JSON_NULL);
            pr_json_skip(&r->json);
            continue;
        }
        while (pr_json_key(&r->json))
            read_field(r, &event);
        if (r->json.token != PR_JSON_CLOSE)
            break;
        if (event.phase)
            r->take(r->context, &event);
        else if (event.has_name || event.ts.known)
            pr_build_damage(r->c, PR_DAMAGE_RECORDS, 1);
        pr_trace_v8_forget(&r->v8); /* unless it was taken */
    }
}

static void read_viztracer(struct pr_trace_document *r)
{
    if (!pr_json_enter(&r->json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(&r->json)) {
        bool overflow = pr_json_is(&r->json, "overflow");
        pr_json_next(&r->json);
        r->overflow = r->overflow || (overflow && r->json.token == PR_JSON_TRUE);
        pr_json_skip(&r->json);
    }
}

static void read_object(struct pr_trace_document *r)
{
    while (r->c->status == PR_OK && pr_json_key(&r->json)) {
        if (pr_json_is(&r->json, "traceEvents")) {
            if (pr_json_enter(&r->json, PR_JSON_ARRAY))
                read_events(r);
        } else if (pr_json_is(&r->json, "baseTimeNanoseconds")) {
            r->base_ns = read_whole(r);
            r->base_ns = r->base_ns < 0 ? 0 : r->base_ns;
        } else if (pr_json_is(&r->json, "viztracer_metadata")) {
            read_viztracer(r);
        } else {
            pr_json_skip(&r->json);
        }
    }
}

enum pr_status pr_trace_document_read(struct pr_trace_document *r)
{
    switch (pr_json_next(&r->json)) {
    case PR_JSON_OBJECT:
        read_object(r);
        break;
    case PR_JSON_ARRAY:
        r->is_array = true;
        read_events(r);
        break;
    default:
        return pr_json_unexpected(&r->json, "an array or an object");
    }
    if (r->c->status == PR_OK && r->json.token == PR_JSON_CLOSE)
        pr_json_next(&r->json);
    if (pr_json_status(&r->json) == PR_OK || !r->is_array || !r->json.ended_between || r->json.depth != 1)
        return pr_json_status(&r->json);
    if (r->c->err) /* the format allows that the array is not closed */
        *r->c->err = (struct pr_error){0};
    return PR_OK;
}
