/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pyinstrument: the session it saves (`-r session`), and its rendered JSON (`-r json`).
 *
 *     {"start_time": 1.7e9, "duration": 2.8, "sample_count": 94, "start_call_stack": [...],
 *      "target_description": "Program: x", "frame_records": [[["main\0etl.py\05\1l12\1cJob", ...], 0.012], ...]}
 *     {..., "root_frame": {"function", "file_path", "line_no", "time", "children": [...]}}
 *
 * - A frame is `function NUL file NUL line of the definition`, followed by attributes, each led by 0x01: `l` the line
 *   that ran, `c` the class, `h` whether tracebacks hide it. The stack begins with the thread: its file is `<thread>`,
 *   its line the thread's number.
 * - Records are in order of time, and add up to a little less than the duration.
 * - Frames without a file are not functions: `[await]`, `[out-of-context]`; `[self]` is its caller's own time.
 * - The rendered form has lost the order of time and what its processors merged; a frame's time holds its children's.
 *
 * Source: pyinstrument 5.1.3 session.py, frame_info.py, low_level/stat_profile.c, renderers/jsonrenderer.py.
 */
#include "capture/builder/profile_builder.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/json_peek.h"
#include "capture/parse/json_stream.h"
#include "capture/parse/lines.h"
#include "capture/builder/reader.h"

#include "capture/base/checked.h"
#include "capture/base/time.h"
#include "capture/base/textmap.h"

#include <stdlib.h>
#include <string.h>

enum { NS_OF_S = 9, MS_OF_S = 3 };

/* A frame of the rendered tree that is open. */
struct open_frame {
    pr_node_id node;
    uint64_t number; /* of the forward frame: keys come in any order */
    struct pr_place place;
    int64_t time_ns, children_ns;
    bool in_children;
};

struct pyinstrument {
    struct pr_profile_builder c;
    struct pr_json_stream json;
    struct pr_textmap frames; /* of sessions, by their texts */
    unsigned metric;
    uint32_t process, thread; /* of the current stack */
    int64_t at_ns;
    struct pr_decimal start_s, duration_s;
    struct open_frame *open; /* [depth] */
    size_t depth, open_capacity;
    uint64_t frame_count;
};

static unsigned probe(struct pr_source *src)
{
    struct pr_json_peek peek;
    pr_json_peek(src, &peek);
    unsigned bits = pr_json_evidence(&peek, "frame_records", '[') + pr_json_evidence(&peek, "start_call_stack", '[') +
                    pr_json_evidence(&peek, "root_frame.function", '"');
    if (peek.first != '{' || !bits)
        return 0;
    return bits + pr_json_evidence(&peek, "target_description", '"') + pr_json_evidence(&peek, "sample_count", '0');
}

/* ---- sessions --------------------------------------------------------------------------------------------------- */

/* Takes what is before the next SEPARATOR off TEXT, and the separator. */
static struct pr_text take(struct pr_text *text, char separator)
{
    const char *end = memchr(text->bytes, separator, text->length);
    size_t length = end ? (size_t)(end - text->bytes) : text->length;
    struct pr_text part = {text->bytes, (uint32_t)length};
    *text = pr_text_from(*text, end ? length + 1 : length);
    return part;
}

static int64_t line_of(struct pr_text text)
{
    uint64_t line;
    return pr_text_number(text, &line) && line <= INT32_MAX ? (int64_t)line : 0;
}

static enum pr_frame_kind kind_of(struct pr_text function, struct pr_text file)
{
    return pr_text_is(file, "<built-in>") ? PR_FRAME_NATIVE : pr_frame_kind_of(function, file);
}

static pr_frame_id make_frame(struct pyinstrument *r, struct pr_text text)
{
    struct pr_text identity = take(&text, '\1');
    struct pr_text function = take(&identity, '\0'), file = take(&identity, '\0');
    struct pr_place place = {.function = pr_build_string(&r->c, function.bytes, function.length),
                             .file = pr_build_string(&r->c, file.bytes, file.length),
                             .definition_line = line_of(identity),
                             .kind = kind_of(function, file)};
    while (text.length) {
        struct pr_text attribute = take(&text, '\1');
        if (pr_text_starts(attribute, "l"))
            place.line = line_of(pr_text_from(attribute, 1));
    }
    return pr_build_frame(&r->c, &place);
}

/* The first frame of a stack may be its thread. */
static bool take_thread(struct pyinstrument *r, struct pr_text text)
{
    struct pr_text name = take(&text, '\0'), file = take(&text, '\0');
    uint64_t tid;
    if (!pr_text_is(file, "<thread>") || !pr_text_number(text, &tid))
        return false;
    r->thread = pr_build_thread(&r->c, r->process, tid);
    pr_build_name_thread(&r->c, r->thread, pr_build_string(&r->c, name.bytes, name.length));
    return true;
}

static pr_node_id read_stack(struct pyinstrument *r)
{
    pr_node_id node = PR_ROOT;
    bool first = true;
    for (; pr_json_item(&r->json); first = false) {
        if (r->json.token != PR_JSON_STRING) {
            pr_build_damage(&r->c, PR_DAMAGE_FRAMES, 1);
            pr_json_skip(&r->json);
            continue;
        }
        if (first && take_thread(r, r->json.text))
            continue;
        uint32_t *frame = pr_textmap_at(&r->frames, r->json.text.bytes, r->json.text.length);
        if (!frame) {
            pr_build_no_memory(&r->c);
            break;
        }
        if (*frame == PR_TEXTMAP_NEW)
            *frame = make_frame(r, r->json.text);
        node = pr_build_child(&r->c, node, *frame);
    }
    return node;
}

/* [[frame, ...], seconds] */
static void read_record(struct pyinstrument *r)
{
    struct pr_json_stream *json = &r->json;
    pr_node_id node = PR_ROOT;
    int64_t ns = -1;
    if (json->token != PR_JSON_ARRAY) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        pr_json_skip(json);
        return;
    }
    r->thread = PR_NO_ID;
    while (pr_json_item(json)) {
        if (json->token == PR_JSON_ARRAY) {
            node = read_stack(r);
            continue;
        }
        ns = pr_json_scaled(json, NS_OF_S, ns);
        pr_json_skip(json);
    }
    if (json->token != PR_JSON_CLOSE)
        return;
    if (ns < 0) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return;
    }
    if (r->thread == PR_NO_ID)
        r->thread = pr_build_thread(&r->c, r->process, 0);
    uint32_t fact = pr_build_fact(&r->c, node, r->thread);
    pr_build_add(&r->c, fact, r->metric, ns, 1);
    pr_build_slice(&r->c, fact, r->at_ns, ns);
    r->at_ns = pr_add_saturated(r->at_ns, ns);
}

static void read_records(struct pyinstrument *r)
{
    r->metric = pr_build_metric(&r->c, "cpu", "Time", PR_UNIT_NANOSECONDS, "samples");
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    while (pr_build_going(&r->c) && pr_json_item(&r->json))
        read_record(r);
}

/* ---- the rendered tree ------------------------------------------------------------------------------------------ */

static void push(struct pyinstrument *r)
{
    if (!pr_grow(&r->open, &r->open_capacity, r->depth + 1, sizeof *r->open)) {
        pr_build_no_memory(&r->c);
        return;
    }
    pr_node_id above = r->depth ? r->open[r->depth - 1].node : PR_ROOT;
    uint64_t number = r->frame_count++;
    r->open[r->depth++] =
        (struct open_frame){.node = pr_build_child(&r->c, above, pr_build_forward(&r->c, number)), .number = number};
}

static void pop(struct pyinstrument *r)
{
    const struct open_frame *frame = &r->open[--r->depth];
    const struct pr_strings *strings = &r->c.profile->strings;
    struct pr_text function = pr_strings_get(strings, frame->place.function);
    struct pr_text file = pr_strings_get(strings, frame->place.file);
    struct pr_place place = frame->place;
    int64_t self_ns = frame->time_ns - frame->children_ns;
    place.kind = kind_of(function, file);
    bool is_thread = !r->depth && pr_text_is(file, "<thread>");
    if (is_thread)
        pr_build_name_thread(&r->c, r->thread, place.function);
    pr_build_define(&r->c, frame->number, is_thread || pr_text_is(function, "[self]") ? NULL : &place);
    if (self_ns > 0)
        pr_build_add(&r->c, pr_build_fact(&r->c, frame->node, r->thread), r->metric, self_ns, 0);
    if (r->depth) {
        int64_t *sum = &r->open[r->depth - 1].children_ns;
        *sum = pr_add_saturated(*sum, frame->time_ns);
    }
}

/* A key of the innermost open frame and its value; for its children, the opening bracket. */
static void read_frame_key(struct pyinstrument *r, struct open_frame *frame)
{
    struct pr_json_stream *json = &r->json;
    struct pr_strings *strings = &r->c.profile->strings;
    if (pr_json_is(json, "children")) {
        frame->in_children = pr_json_enter(json, PR_JSON_ARRAY);
    } else if (pr_json_is(json, "function")) {
        pr_json_next(json);
        frame->place.function = pr_json_intern(json, strings);
        pr_json_skip(json);
    } else if (pr_json_is(json, "file_path")) {
        pr_json_next(json);
        frame->place.file = pr_json_intern(json, strings);
        pr_json_skip(json);
    } else if (pr_json_is(json, "line_no")) {
        pr_json_next(json);
        frame->place.definition_line = pr_json_scaled(json, 0, 0);
        pr_json_skip(json);
    } else if (pr_json_is(json, "time")) {
        pr_json_next(json);
        frame->time_ns = pr_json_scaled(json, NS_OF_S, 0);
        pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, frame->time_ns < 0);
        if (frame->time_ns < 0)
            frame->time_ns = 0;
        pr_json_skip(json);
    } else {
        pr_json_skip(json);
    }
}

static void read_tree(struct pyinstrument *r)
{
    r->metric = pr_build_metric(&r->c, "cpu", "Time", PR_UNIT_NANOSECONDS, NULL);
    if (!pr_json_enter(&r->json, PR_JSON_OBJECT))
        return;
    r->thread = pr_build_thread(&r->c, r->process, 0);
    push(r);
    while (r->depth && pr_build_going(&r->c) && pr_json_next(&r->json) != PR_JSON_BAD) {
        struct open_frame *frame = &r->open[r->depth - 1];
        if (r->json.token == PR_JSON_KEY)
            read_frame_key(r, frame);
        else if (r->json.token == PR_JSON_OBJECT)
            push(r);
        else if (r->json.token == PR_JSON_CLOSE && frame->in_children)
            frame->in_children = false;
        else if (r->json.token == PR_JSON_CLOSE)
            pop(r);
        else
            pr_json_skip(&r->json);
    }
    while (r->depth)
        pop(r);
    pr_build_note(&r->c, "this is a rendered profile: pyinstrument merged its frames, so their order in time is lost");
}

/* ---- the document ----------------------------------------------------------------------------------------------- */

static void read_target(struct pyinstrument *r)
{
    static const char program[] = "Program: ";
    if (pr_json_next(&r->json) == PR_JSON_STRING && pr_text_starts(r->json.text, program)) {
        struct pr_text command = pr_text_from(r->json.text, sizeof program - 1);
        r->c.profile->meta.command_line = pr_build_string(&r->c, command.bytes, command.length);
    }
    pr_json_skip(&r->json);
}

static void read_number(struct pyinstrument *r, struct pr_decimal *number)
{
    pr_json_next(&r->json);
    pr_json_number(&r->json, number);
    pr_json_skip(&r->json);
}

static enum pr_status read_document(struct pyinstrument *r)
{
    struct pr_json_stream *json = &r->json;
    if (pr_json_next(json) != PR_JSON_OBJECT)
        return pr_json_unexpected(json, "an object");
    while (pr_build_going(&r->c) && pr_json_key(json)) {
        if (pr_json_is(json, "frame_records"))
            read_records(r);
        else if (pr_json_is(json, "root_frame"))
            read_tree(r);
        else if (pr_json_is(json, "start_time"))
            read_number(r, &r->start_s);
        else if (pr_json_is(json, "duration"))
            read_number(r, &r->duration_s);
        else if (pr_json_is(json, "target_description"))
            read_target(r);
        else
            pr_json_skip(json);
    }
    return pr_json_finish(json);
}

static void set_times(struct pyinstrument *r)
{
    struct pr_meta *meta = &r->c.profile->meta;
    int64_t start_ms = pr_decimal_scaled(r->start_s, MS_OF_S), span_ms = pr_decimal_scaled(r->duration_s, MS_OF_S);
    if (start_ms <= 0)
        return;
    meta->start_ms = (struct pr_maybe){true, start_ms};
    r->c.slices_epoch_ns = pr_maybe_times(meta->start_ms, PR_NS_PER_MS);
    if (span_ms > 0)
        meta->end_ms = (struct pr_maybe){true, pr_add_saturated(start_ms, span_ms)};
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct pyinstrument *r = calloc(1, sizeof *r);
    if (!r)
        return pr_fail_memory(err);
    enum pr_status status = pr_build_init(&r->c, src, options, profile, err);
    pr_json_begin(&r->json, src, &options->limits, err);
    r->json.damage = &profile->damage;
    r->process = pr_build_process(&r->c, 0, 0);
    if (status == PR_OK)
        status = pr_textmap_init(&r->frames, err);
    if (status == PR_OK)
        status = read_document(r);
    if (status == PR_CUT && !r->c.metric_count) /* no record came before */
        status = PR_FAILED;
    if (status != PR_FAILED) {
        pr_build_metric(&r->c, "cpu", "Time", PR_UNIT_NANOSECONDS, "samples"); /* also of a profile without records */
        set_times(r);
    }
    status = pr_build_finish(&r->c, status);
    pr_json_end(&r->json);
    pr_textmap_clear(&r->frames);
    free(r->open);
    free(r);
    return status;
}

const struct pr_reader pr_pyinstrument_reader = {"pyinstrument", "pyinstrument session", probe, read};
