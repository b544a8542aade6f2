/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of Metaflow's profile card, as the flow stores it:
 *
 *     {"step_failed": false, "data": {"backend": "pyinstrument", "duration": 1.53, "call_tree": {"name": "root",
 *      "value": 481.57, "children": [...]}, "memory_tree": {...}, "timeline": [{"ts": 0.135, "cpu_pct": 28.4, ...}]}}
 *     {"error": {"type": "ValueError", "message": "...", "traceback": "..."}}
 *
 * - Values of the call tree are milliseconds, of the memory tree MiB; both are totals: what the children do not account
 *   for is a node's own. Names are `function (file:line)`; the first node is everything and is left out.
 * - There is no date: `ts` counts from the start of the step.
 *
 * Source: metaflow-profiler 0.1.0; the file of the collection.
 */
#include "capture/builder/profile_builder.h"
#include "capture/parse/json_peek.h"
#include "capture/builder/reader.h"
#include "capture/run/timeline_sample.h"
#include "capture/redact/redact.h"
#include "capture/run/traceback.h"

#include "capture/base/checked.h"
#include "capture/parse/frame_text.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 1 << 15, NS_EXPONENT = 6 };

/* A node whose children are being read. */
struct open_node {
    pr_node_id node;
    int64_t value, inner; /* total; that of its children */
};

struct metaflow_log {
    struct pr_profile_builder c;
    struct pr_timeline t;
    struct pr_timeline_sample sample;
    struct pr_json_stream json;
    struct pr_failure failure;
    struct open_node *open;
    size_t depth, capacity;
    uint64_t parts; /* known ones that were read */
    bool step_failed;
};

/* ---- trees ------------------------------------------------------------------------------------------------------ */

/* `run_step_from_cli (step_cmd.py:181)` */
static pr_node_id child_of(struct metaflow_log *r, pr_node_id parent, struct pr_text name)
{
    struct pr_place place = {0};
    const char *open = name.length ? memrchr(name.bytes, '(', name.length) : NULL;
    const char *colon = open ? memrchr(open, ':', name.length - (size_t)(open - name.bytes)) : NULL;
    uint64_t line;
    if (open && open > name.bytes && colon && name.bytes[name.length - 1] == ')' &&
        pr_text_number(pr_text_from(name, (size_t)(colon - name.bytes) + 1), &line)) {
        place.function = pr_build_string(&r->c, name.bytes, (size_t)(open - name.bytes) - (open[-1] == ' '));
        place.file = pr_build_string(&r->c, open + 1, (size_t)(colon - open) - 1);
        place.line = line < INT32_MAX ? (int64_t)line : 0;
    } else {
        place.function = pr_build_string(&r->c, name.bytes, name.length);
    }
    return pr_build_child(&r->c, parent, pr_build_frame(&r->c, &place));
}

static bool push(struct metaflow_log *r)
{
    const pr_node_id parent = r->depth ? r->open[r->depth - 1].node : PR_ROOT;
    if (r->depth == MAX_DEPTH)
        return false;
    if (!pr_grow(&r->open, &r->capacity, r->depth + 1, sizeof *r->open)) {
        pr_build_no_memory(&r->c);
        return false;
    }
    r->open[r->depth++] = (struct open_node){.node = parent};
    return true;
}

/* Closes a node: what is its own becomes a fact. */
static void pop(struct metaflow_log *r, uint32_t thread, unsigned metric)
{
    const struct open_node *node = &r->open[--r->depth];
    const int64_t own = pr_subtract_saturated(node->value, node->inner);
    pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, node->value < 0);
    pr_build_add(&r->c, pr_build_fact(&r->c, node->node, thread), metric, own > 0 ? own : 0, 0);
    if (r->depth)
        r->open[r->depth - 1].inner = pr_add_saturated(r->open[r->depth - 1].inner, node->value);
}

/* Reads members of the innermost open node, up to its end or to a child; false: it ended. */
static bool read_members(struct metaflow_log *r, bool is_time)
{
    struct pr_json_stream *json = &r->json;
    struct open_node *node = &r->open[r->depth - 1];
    while (pr_json_key(json)) {
        if (pr_json_is(json, "name")) {
            pr_json_next(json);
            if (r->depth > 1 && json->token == PR_JSON_STRING) /* the first one is everything */
                node->node = child_of(r, node->node, json->text);
            pr_json_skip(json);
        } else if (pr_json_is(json, "value")) {
            struct pr_decimal value;
            pr_build_damage(&r->c, PR_DAMAGE_NOT_NUMBERS, pr_json_next(json) == PR_JSON_NULL);
            if (pr_json_number(json, &value))
                node->value = is_time ? pr_decimal_scaled(value, NS_EXPONENT) : pr_mib_to_bytes(value);
            pr_json_skip(json);
        } else if (pr_json_is(json, "children")) {
            if (pr_json_enter(json, PR_JSON_ARRAY))
                return true;
        } else {
            pr_json_skip(json);
        }
    }
    return false;
}

/* Without recursion: in a node the members are read, in an array of children the next node is entered. */
static void read_tree(struct metaflow_log *r, bool is_time)
{
    const uint32_t thread = pr_build_thread(&r->c, pr_build_process(&r->c, 0, 0), 0);
    if (!pr_json_enter(&r->json, PR_JSON_OBJECT))
        return;
    const unsigned metric = is_time ? pr_build_metric(&r->c, "cpu", "Time", PR_UNIT_NANOSECONDS, NULL)
                                    : pr_build_metric(&r->c, "memory", "Memory", PR_UNIT_BYTES, NULL);
    bool in_children = false;
    push(r);
    while (r->depth && r->json.token != PR_JSON_BAD && pr_build_going(&r->c)) {
        if (in_children) {
            in_children = false;
            if (pr_json_object(&r->json) && !push(r)) {
                pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1); /* too deep */
                pr_json_skip(&r->json);
            }
        } else if (read_members(r, is_time)) {
            in_children = true;
        } else if (r->json.token == PR_JSON_CLOSE) {
            pop(r, thread, metric);
            in_children = r->depth > 0;
        }
    }
    while (r->depth) /* cut: what came before stays */
        pop(r, thread, metric);
    r->parts++;
}

/* ---- the rest --------------------------------------------------------------------------------------------------- */

static void read_samples(struct metaflow_log *r)
{
    struct pr_json_stream *json = &r->json;
    if (!pr_json_enter(json, PR_JSON_ARRAY))
        return;
    while (pr_build_going(&r->c) && pr_json_object(json)) {
        while (pr_json_key(json))
            if (!pr_timeline_sample_member(&r->sample, &r->t, json))
                pr_json_skip(json);
        pr_timeline_sample_add(&r->sample, &r->t, 0);
    }
    r->parts++;
}

/* `{"type": ..., "message": ..., "traceback": ...}`: the traceback, if present, has everything. */
static void read_error(struct metaflow_log *r)
{
    struct pr_json_stream *json = &r->json;
    struct pr_exception *exception = pr_arena_alloc(&r->c.profile->arena, sizeof *exception);
    if (!exception)
        pr_build_no_memory(&r->c);
    if (!exception || !pr_json_enter(json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(json)) {
        const bool is_type = pr_json_is(json, "type"), is_message = pr_json_is(json, "message"),
                   is_traceback = pr_json_is(json, "traceback");
        pr_json_next(json);
        if (json->token == PR_JSON_STRING && (is_type || is_message)) {
            const pr_str text = pr_redacted_log(&r->c.profile->strings, json->text);
            if (text == PR_NO_STR)
                pr_build_no_memory(&r->c);
            else
                *(is_type ? &exception->type : &exception->message) = text;
        } else if (json->token == PR_JSON_STRING && is_traceback &&
                   pr_traceback_read(r->c.profile, json->text, &r->failure, r->c.err) == PR_FAILED) {
            r->c.status = PR_FAILED;
        }
        pr_json_skip(json);
    }
    if (!r->failure.exception_count && exception->type) {
        r->failure.exceptions = exception;
        r->failure.exception_count = 1;
    }
    r->parts++;
}

/* Members of the object and of its `data`, which have no names in common. */
static void read_object(struct metaflow_log *r, bool outer)
{
    struct pr_json_stream *json = &r->json;
    while (r->c.status == PR_OK && pr_json_key(json)) {
        if (outer && pr_json_is(json, "data")) {
            if (pr_json_enter(json, PR_JSON_OBJECT))
                read_object(r, false);
        } else if (pr_json_is(json, "call_tree")) {
            read_tree(r, true);
        } else if (pr_json_is(json, "memory_tree")) {
            read_tree(r, false);
        } else if (pr_json_is(json, "timeline")) {
            read_samples(r);
        } else if (pr_json_is(json, "error")) {
            read_error(r);
        } else if (pr_json_is(json, "duration")) {
            r->c.profile->run.wall_ns = pr_json_value(json, 9);
        } else if (pr_json_is(json, "step_failed")) {
            r->step_failed = pr_json_next(json) == PR_JSON_TRUE;
        } else {
            pr_json_skip(json);
        }
    }
}

static enum pr_status read_document(struct metaflow_log *r)
{
    if (pr_json_next(&r->json) != PR_JSON_OBJECT)
        return pr_json_unexpected(&r->json, "an object");
    read_object(r, true);
    return pr_json_finish(&r->json);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct metaflow_log r = {.depth = 0};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    pr_timeline_init(&r.t, profile);
    profile->meta.no_date = true;
    pr_json_begin(&r.json, src, &options->limits, err);
    r.json.damage = &profile->damage;
    if (status == PR_OK)
        status = read_document(&r);
    pr_json_end(&r.json);
    if (status == PR_CUT && !r.parts)
        status = PR_FAILED;
    pr_timeline_sample_finish(&r.t);
    if (pr_timeline_finish(&r.t, err) == PR_FAILED)
        status = PR_FAILED;
    if (r.step_failed && !pr_failure_is_one(&r.failure))
        r.failure.exit = (struct pr_maybe){true, 1};
    pr_failure_settle(&r.failure);
    profile->run.failure = r.failure;
    free(r.open);
    return pr_build_finish(&r.c, status);
}

static unsigned probe(struct pr_source *src)
{
    struct pr_json_peek peek;
    pr_json_peek(src, &peek);
    if (peek.first != '{')
        return 0;
    const unsigned data = pr_json_evidence(&peek, "data.call_tree", '{') +
                          pr_json_evidence(&peek, "data.memory_tree", '{') +
                          pr_json_evidence(&peek, "data.timeline", '['),
                   failed = pr_json_evidence(&peek, "step_failed", 0),
                   error = pr_json_evidence(&peek, "error.type", '"') + pr_json_evidence(&peek, "error.traceback", '"');
    return data || (failed && error) ? data + failed + error : error > 16 * 8 ? error : 0;
}

const struct pr_reader pr_metaflow_reader = {"metaflow", "Metaflow profile card", probe, read};
