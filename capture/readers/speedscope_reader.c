/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope's JSON, as py-spy, pyinstrument, speedscope itself and many others write it.
 *
 *     {"$schema": ..., "shared": {"frames": [{"name", "file", "line", "col"}]}, "exporter": "py-spy@0.4.3",
 *      "profiles": [{"type": "sampled", "name", "unit", "startValue", "endValue", "samples": [[0, 1]],
 *                    "weights": [0.01]},
 *                   {"type": "evented", ..., "events": [{"type": "O", "frame": 0, "at": 0.5}, {"type": "C", ...}]}]}
 *
 * - Keys come in any order: py-spy has the profiles before the frames. Only events need their unit before them. Stacks
 *   are numbers of frames, outermost first.
 * - Without `weights` each sample counts 1, without a unit. Where there are fewer weights than samples, or more, the
 *   rest is left out: its time is unknown. If a list is there twice, the last one counts.
 * - Events nest; `at` never falls. A close that does not match closes down to its frame; one that is not open is left
 *   out. `endValue` may be after the last event: that is time without a stack.
 * - Profiles are threads: `Thread 24685 "name"`, `Process 1 Thread 2 "name"` (py-spy); else their name is the thread's.
 *   Profiles in different units are different metrics.
 * - The line of a frame is the one that ran (py-spy) or that of the definition (pyinstrument); the format does not say.
 *   Where one function has several lines they are lines that ran.
 * - `[self]` of pyinstrument is its caller's own time.
 * - Every version of speedscope, 0.0.1 too, writes `profiles`. A document that is itself a profile, with its frames in
 *   `shared` or next to it, is accepted too.
 *
 * Source: speedscope 0.0.1 file-format.ts, 1.25 src/lib/file-format-spec.ts; py-spy 0.4.3 src/speedscope.rs;
 * pyinstrument 5.1.3 renderers/speedscope.py.
 */
#include "capture/builder/profile_builder.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/json_peek.h"
#include "capture/parse/json_stream.h"
#include "capture/parse/lines.h"
#include "capture/builder/reader.h"

#include "capture/base/checked.h"

#include <stdlib.h>
#include <string.h>

#define NO_FRAME UINT64_MAX

struct shared_frame {
    pr_str name, file;
    int64_t line;
};

struct open_frame {
    uint64_t number;
    pr_node_id node;
};

struct speedscope {
    struct pr_profile_builder c;
    struct pr_json_stream json;
    struct shared_frame *frames;
    size_t frame_count, frame_capacity;
    bool lines_of_definitions; /* the exporter is known to write them */
    bool lines_that_ran;
    uint32_t process, profile_count;
    bool is_bare; /* the document itself is the profile */

    /* Of the current profile. */
    struct {
        uint32_t thread;
        enum pr_unit unit;
        int32_t exponent; /* of a time in ns; else 0 */
        struct pr_decimal start, end;
        bool has_end;
        uint32_t *facts;     /* [fact_count] a sample each */
        size_t fact_count, fact_capacity;
        struct pr_decimal *weights; /* [weight_count] */
        size_t weight_count, weight_capacity;
        struct open_frame *open; /* [depth] of events */
        size_t depth, open_capacity;
        struct pr_decimal last;  /* `at` of the last event */
        bool has_events, has_weights;
    } now;
};

static unsigned probe(struct pr_source *src)
{
    struct pr_json_peek peek;
    pr_json_peek(src, &peek);
    unsigned bits = pr_json_evidence_string(&peek, "$schema", "https://www.speedscope.app/");
    bits += pr_json_evidence_string(&peek, "profiles.type", "sampled");
    bits += pr_json_evidence_string(&peek, "profiles.type", "evented");
    bits += pr_json_evidence_string(&peek, "type", "sampled");
    bits += pr_json_evidence_string(&peek, "type", "evented");
    bits += pr_json_evidence(&peek, "shared.frames", '[');
    return peek.first == '{' ? bits : 0;
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

static void read_frame(struct speedscope *r)
{
    struct pr_json_stream *json = &r->json;
    struct shared_frame frame = {0};
    if (json->token != PR_JSON_OBJECT) {
        pr_build_damage(&r->c, PR_DAMAGE_FRAMES, 1);
        pr_json_skip(json);
    } else {
        while (pr_json_key(json)) {
            enum { NAME, FILE_NAME, LINE, OTHER } key = pr_json_is(json, "name")   ? NAME
                                                        : pr_json_is(json, "file") ? FILE_NAME
                                                        : pr_json_is(json, "line") ? LINE
                                                                                   : OTHER;
            pr_json_next(json);
            if (key == NAME)
                frame.name = pr_json_intern(json, &r->c.profile->strings);
            else if (key == FILE_NAME)
                frame.file = pr_json_intern(json, &r->c.profile->strings);
            else if (key == LINE)
                frame.line = pr_json_scaled(json, 0, 0);
            pr_json_skip(json);
        }
    }
    if (!pr_grow(&r->frames, &r->frame_capacity, r->frame_count + 1, sizeof *r->frames))
        pr_build_no_memory(&r->c);
    else
        r->frames[r->frame_count++] = frame;
}

/* The value of the current key, a list. */
static void read_list(struct speedscope *r, void (*read_item)(struct speedscope *))
{
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    while (pr_build_going(&r->c) && pr_json_item(&r->json))
        read_item(r);
}

static void read_shared(struct speedscope *r)
{
    struct pr_json_stream *json = &r->json;
    if (!pr_json_enter(json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(json)) {
        if (pr_json_is(json, "frames"))
            read_list(r, read_frame);
        else
            pr_json_skip(json);
    }
}

/* If one function of a file has several lines, they are those that ran. */
static void decide_lines(struct speedscope *r)
{
    struct pr_idset functions = {.words = 2};
    int64_t *line = calloc(r->frame_count + 1, sizeof *line);
    bool done = line != NULL;
    for (size_t i = 0; done && i < r->frame_count && !r->lines_of_definitions; i++) {
        const uint64_t key[2] = {r->frames[i].name, r->frames[i].file};
        const uint32_t known = functions.count, function = pr_idset_add(&functions, key, 2);
        done = function != PR_NO_ID;
        if (done && function == known)
            line[function] = r->frames[i].line;
        else if (done && line[function] != r->frames[i].line)
            r->lines_that_ran = true;
    }
    if (!done)
        pr_build_no_memory(&r->c);
    pr_idset_clear(&functions);
    free(line);
}

static void define_frames(struct speedscope *r)
{
    decide_lines(r);
    for (size_t i = 0; i < r->frame_count; i++) {
        const struct shared_frame *frame = &r->frames[i];
        struct pr_text name = pr_profile_text(r->c.profile, frame->name);
        struct pr_text file = pr_profile_text(r->c.profile, frame->file);
        const struct pr_place place = {.function = frame->name,
                                       .file = frame->file,
                                       .line = r->lines_that_ran ? frame->line : 0,
                                       .definition_line = r->lines_that_ran ? 0 : frame->line,
                                       .kind = pr_frame_kind_of(name, file)};
        pr_build_define(&r->c, i, !file.length && pr_text_is(name, "[self]") ? NULL : &place);
    }
}

/* ---- one profile ------------------------------------------------------------------------------------------------ */

/* "Thread 24685 \"waiter\"", "Process 1 Thread 2 \"\"", or any name. */
static void set_thread(struct speedscope *r, struct pr_text name)
{
    struct pr_text rest = name;
    uint64_t number;
    uint32_t process = r->process;
    if (pr_text_starts(rest, "Process ") && pr_text_number(pr_text_from(rest, strlen("Process ")), &number)) {
        const char *space = memmem(rest.bytes, rest.length, " Thread ", strlen(" Thread "));
        if (space) {
            process = pr_build_process(&r->c, number, 0);
            rest = pr_text_from(rest, (size_t)(space - rest.bytes) + 1);
        }
    }
    if (pr_text_starts(rest, "Thread ") && pr_text_number(pr_text_from(rest, strlen("Thread ")), &number)) {
        const char *quote = memchr(rest.bytes, '"', rest.length);
        pr_build_number_thread(&r->c, r->now.thread, process, number);
        if (quote && rest.bytes[rest.length - 1] == '"' && quote + 1 < rest.bytes + rest.length)
            name = (struct pr_text){quote + 1, (uint32_t)(rest.bytes + rest.length - quote) - 2};
        else
            name.length = 0;
    }
    pr_build_name_thread(&r->c, r->now.thread, pr_build_string(&r->c, name.bytes, name.length));
}

static void set_unit(struct speedscope *r)
{
    static const struct {
        const char *name;
        int32_t exponent;
    } times[] = {{"seconds", 9}, {"milliseconds", 6}, {"microseconds", 3}, {"nanoseconds", 0}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (pr_text_is(r->json.text, times[i].name)) {
            r->now.exponent = times[i].exponent;
            r->now.unit = PR_UNIT_NANOSECONDS;
        }
    }
    if (pr_text_is(r->json.text, "bytes"))
        r->now.unit = PR_UNIT_BYTES;
}

/* The metric of the unit, made when something is added to it. Events are not samples. */
static unsigned metric_of(struct speedscope *r, bool samples)
{
    const char *count_name = samples ? "samples" : NULL;
    switch (r->now.unit) {
    case PR_UNIT_NANOSECONDS:
        return pr_build_metric(&r->c, "cpu", "Time", PR_UNIT_NANOSECONDS, count_name);
    case PR_UNIT_BYTES:
        return pr_build_metric(&r->c, "bytes", "Bytes", PR_UNIT_BYTES, count_name);
    default:
        return pr_build_metric(&r->c, "weight", "Weight", PR_UNIT_NONE, count_name);
    }
}

/* The current frame; an impossible number becomes that of an undefined frame. */
static pr_frame_id read_number_of_frame(struct speedscope *r)
{
    uint64_t number;
    if (!pr_json_index(&r->json, &number))
        number = NO_FRAME;
    return pr_build_forward(&r->c, number);
}

/* Adds VALUE, in the unit of the profile, to a fact; returns a time in ns, else 0. */
static int64_t add(struct speedscope *r, uint32_t fact, struct pr_decimal value, bool sample)
{
    unsigned metric = metric_of(r, sample);
    if (r->now.unit == PR_UNIT_NONE) {
        pr_build_add_decimal(&r->c, fact, metric, value, sample);
        return 0;
    }
    int64_t scaled = pr_decimal_scaled(value, r->now.exponent);
    pr_build_add(&r->c, fact, metric, scaled, sample);
    return r->now.unit == PR_UNIT_NANOSECONDS ? scaled : 0;
}

static void read_sample(struct speedscope *r)
{
    struct pr_json_stream *json = &r->json;
    pr_node_id node = PR_ROOT;
    if (json->token == PR_JSON_ARRAY) {
        while (pr_json_item(json)) {
            node = pr_build_child(&r->c, node, read_number_of_frame(r));
            pr_json_skip(json);
        }
    } else {
        node = pr_build_child(&r->c, node, pr_build_forward(&r->c, NO_FRAME));
        pr_json_skip(json);
    }
    if (!pr_grow(&r->now.facts, &r->now.fact_capacity, r->now.fact_count + 1, sizeof *r->now.facts))
        pr_build_no_memory(&r->c);
    else
        r->now.facts[r->now.fact_count++] = pr_build_fact(&r->c, node, r->now.thread);
}

static void read_weight(struct speedscope *r)
{
    struct pr_decimal weight;
    pr_build_damage(&r->c, PR_DAMAGE_NOT_NUMBERS, r->json.token == PR_JSON_NULL); /* how NaN is written in JSON */
    pr_json_number(&r->json, &weight);
    pr_json_skip(&r->json);
    if (!pr_grow(&r->now.weights, &r->now.weight_capacity, r->now.weight_count + 1, sizeof *r->now.weights))
        pr_build_no_memory(&r->c);
    else
        r->now.weights[r->now.weight_count++] = weight;
}

static void add_samples(struct speedscope *r)
{
    const struct pr_decimal one = {.digits = 1};
    const size_t samples = r->now.fact_count, weights = r->now.has_weights ? r->now.weight_count : samples;
    int64_t at_ns = pr_decimal_scaled(r->now.start, r->now.exponent);
    /* A sampler that leaves out idle samples, as py-spy does, cannot say when the others were. */
    r->c.slices_lack_clock |= samples && !r->now.start.digits;
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, samples > weights ? samples - weights : weights - samples);
    if (!r->now.has_weights && r->now.unit != PR_UNIT_NONE && samples) {
        pr_build_damage(&r->c, PR_DAMAGE_ASSUMED, samples);
        r->now.unit = PR_UNIT_NONE;
    }
    for (size_t i = 0; i < samples && i < weights && pr_build_going(&r->c); i++) {
        const struct pr_decimal weight = r->now.has_weights ? r->now.weights[i] : one;
        if (weight.negative && weight.digits && r->now.unit == PR_UNIT_NANOSECONDS) {
            pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
            continue;
        }
        int64_t ns = add(r, r->now.facts[i], weight, true);
        pr_build_slice(&r->c, r->now.facts[i], at_ns, ns);
        at_ns = pr_add_saturated(at_ns, ns);
    }
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

/* A - B, exact as far as both fit with their decimals. */
static struct pr_decimal difference(struct pr_decimal a, struct pr_decimal b)
{
    enum { MOST_PLACES = 9 };
    uint32_t places = pr_decimal_places(a), others = pr_decimal_places(b);
    places = places > others ? places : others;
    places = places < MOST_PLACES ? places : MOST_PLACES;
    int64_t x = pr_decimal_scaled(a, (int32_t)places), y = pr_decimal_scaled(b, (int32_t)places);
    for (; places && (x == INT64_MAX || y == INT64_MAX); places--) { /* a clock that began long ago */
        x = pr_decimal_scaled(a, (int32_t)places - 1);
        y = pr_decimal_scaled(b, (int32_t)places - 1);
    }
    bool negative = x < y;
    uint64_t digits = negative ? (uint64_t)y - (uint64_t)x : (uint64_t)x - (uint64_t)y;
    return (struct pr_decimal){.digits = digits, .exponent = -(int32_t)places, .negative = negative};
}

/* The time from the last event to AT belongs to the open frames. */
static void pass_time(struct speedscope *r, struct pr_decimal at)
{
    if (!r->now.has_events)
        r->now.last = r->now.start;
    r->now.has_events = true;
    struct pr_decimal passed = difference(at, r->now.last);
    if (passed.negative) {
        pr_build_damage(&r->c, PR_DAMAGE_ORDER, 1);
        return;
    }
    pr_node_id node = r->now.depth ? r->now.open[r->now.depth - 1].node : PR_ROOT;
    uint32_t fact = pr_build_fact(&r->c, node, r->now.thread);
    int64_t ns = add(r, fact, passed, false);
    pr_build_slice(&r->c, fact, pr_decimal_scaled(r->now.last, r->now.exponent), ns);
    r->now.last = at;
}

static void open_event(struct speedscope *r, uint64_t number)
{
    pr_node_id above = r->now.depth ? r->now.open[r->now.depth - 1].node : PR_ROOT;
    if (!pr_grow(&r->now.open, &r->now.open_capacity, r->now.depth + 1, sizeof *r->now.open)) {
        pr_build_no_memory(&r->c);
        return;
    }
    r->now.open[r->now.depth++] =
        (struct open_frame){number, pr_build_child(&r->c, above, pr_build_forward(&r->c, number))};
}

static void close_event(struct speedscope *r, uint64_t number)
{
    size_t at = r->now.depth;
    while (at && r->now.open[at - 1].number != number)
        at--;
    pr_build_damage(&r->c, PR_DAMAGE_ORDER, at != r->now.depth);
    if (at)
        r->now.depth = at - 1;
}

static void read_event(struct speedscope *r)
{
    struct pr_json_stream *json = &r->json;
    struct pr_decimal at = r->now.last;
    bool has_frame = false;
    uint64_t frame = NO_FRAME;
    char type = 0;
    if (json->token != PR_JSON_OBJECT) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        pr_json_skip(json);
        return;
    }
    while (pr_json_key(json)) {
        enum { TYPE, FRAME, AT, OTHER } key = pr_json_is(json, "type")    ? TYPE
                                              : pr_json_is(json, "frame") ? FRAME
                                              : pr_json_is(json, "at")    ? AT
                                                                          : OTHER;
        pr_json_next(json);
        if (key == TYPE && json->token == PR_JSON_STRING && json->text.length == 1)
            type = *json->text.bytes;
        else if (key == FRAME)
            has_frame = pr_json_index(json, &frame);
        else if (key == AT) {
            pr_build_damage(&r->c, PR_DAMAGE_NOT_NUMBERS, json->token == PR_JSON_NULL);
            pr_json_number(json, &at);
        }
        pr_json_skip(json);
    }
    if (json->token != PR_JSON_CLOSE)
        return;
    if (!has_frame || (type != 'O' && type != 'C')) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return;
    }
    pass_time(r, at);
    if (type == 'O')
        open_event(r, frame);
    else
        close_event(r, frame);
}

/* ---- the document ----------------------------------------------------------------------------------------------- */

static void begin_profile(struct speedscope *r)
{
    r->process = pr_build_process(&r->c, 0, 0);
    r->now.thread = pr_build_thread(&r->c, r->process, ++r->profile_count);
    r->now.unit = PR_UNIT_NONE;
    r->now.exponent = 0;
    r->now.has_end = r->now.has_events = r->now.has_weights = false;
    r->now.start = r->now.end = r->now.last = (struct pr_decimal){0};
    r->now.fact_count = r->now.weight_count = r->now.depth = 0;
}

static void end_profile(struct speedscope *r)
{
    if (r->json.token != PR_JSON_BAD)
        pr_build_damage(&r->c, PR_DAMAGE_ORDER, r->now.depth);
    if (r->json.token != PR_JSON_BAD && r->now.has_events && r->now.has_end) {
        r->now.depth = 0;
        if (pr_decimal_scaled(difference(r->now.end, r->now.last), 9) > 0)
            pass_time(r, r->now.end);
    }
    add_samples(r);
}

/* A key of a profile and its value. */
static void read_profile_key(struct speedscope *r)
{
    struct pr_json_stream *json = &r->json;
    if (pr_json_is(json, "samples")) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, r->now.fact_count);
        r->now.fact_count = 0;
        read_list(r, read_sample);
    } else if (pr_json_is(json, "weights")) {
        r->now.has_weights = true;
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, r->now.weight_count);
        r->now.weight_count = 0;
        read_list(r, read_weight);
    } else if (pr_json_is(json, "events")) {
        read_list(r, read_event);
    } else if (pr_json_is(json, "unit")) {
        if (pr_json_next(json) == PR_JSON_STRING)
            set_unit(r);
        pr_json_skip(json);
    } else if (pr_json_is(json, "name")) {
        if (pr_json_next(json) == PR_JSON_STRING)
            set_thread(r, json->text);
        pr_json_skip(json);
    } else if (pr_json_is(json, "startValue")) {
        pr_json_next(json);
        pr_json_number(json, &r->now.start);
        pr_json_skip(json);
    } else if (pr_json_is(json, "endValue")) {
        pr_json_next(json);
        r->now.has_end = pr_json_number(json, &r->now.end);
        pr_json_skip(json);
    } else {
        pr_json_skip(json);
    }
}

static void read_profile(struct speedscope *r)
{
    if (r->json.token != PR_JSON_OBJECT) {
        pr_json_skip(&r->json);
        return;
    }
    begin_profile(r);
    while (pr_build_going(&r->c) && pr_json_key(&r->json))
        read_profile_key(r);
    end_profile(r);
}

static void read_exporter(struct speedscope *r)
{
    if (pr_json_next(&r->json) == PR_JSON_STRING) {
        r->lines_that_ran = pr_text_starts(r->json.text, "py-spy");
        r->lines_of_definitions = pr_text_starts(r->json.text, "pyinstrument");
    }
    pr_json_skip(&r->json);
}

static void read_profiles(struct speedscope *r)
{
    r->is_bare = false;
    read_list(r, read_profile);
}

/* A key of a profile where the document has one that is not in a list. */
static bool begins_bare(const struct pr_json_stream *json)
{
    return pr_json_is(json, "type") || pr_json_is(json, "unit") || pr_json_is(json, "events") ||
           pr_json_is(json, "samples");
}

static void read_bare_key(struct speedscope *r)
{
    if (!r->is_bare)
        begin_profile(r);
    r->is_bare = true;
    read_profile_key(r);
}

static enum pr_status read_document(struct speedscope *r)
{
    struct pr_json_stream *json = &r->json;
    if (pr_json_next(json) != PR_JSON_OBJECT)
        return pr_json_unexpected(json, "an object");
    while (pr_build_going(&r->c) && pr_json_key(json)) {
        if (pr_json_is(json, "shared"))
            read_shared(r);
        else if (pr_json_is(json, "profiles"))
            read_profiles(r);
        else if (pr_json_is(json, "exporter"))
            read_exporter(r);
        else if (pr_json_is(json, "frames"))
            read_list(r, read_frame);
        else if (r->is_bare || (!r->profile_count && begins_bare(json)))
            read_bare_key(r);
        else
            pr_json_skip(json);
    }
    if (r->is_bare)
        end_profile(r);
    return pr_json_finish(json);
}

static void clear(struct speedscope *r)
{
    pr_json_end(&r->json);
    free(r->frames);
    free(r->now.facts);
    free(r->now.weights);
    free(r->now.open);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct speedscope *r = calloc(1, sizeof *r);
    if (!r)
        return pr_fail_memory(err);
    enum pr_status status = pr_build_init(&r->c, src, options, profile, err);
    pr_json_begin(&r->json, src, &options->limits, err);
    r->json.damage = &profile->damage;
    if (status == PR_OK)
        status = read_document(r);
    if (status == PR_CUT && !r->c.metric_count) /* nothing came before */
        status = PR_FAILED;
    if (status != PR_FAILED) {
        define_frames(r);
        if (!r->c.metric_count) /* no profiles, or empty ones */
            metric_of(r, true);
    }
    status = pr_build_finish(&r->c, status);
    clear(r);
    free(r);
    return status;
}

const struct pr_reader pr_speedscope_reader = {"speedscope", "speedscope profile", probe, read};
