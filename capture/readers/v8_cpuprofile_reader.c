/* SPDX-License-Identifier: Apache-2.0 */
/*
 * V8's CPU profile (.cpuprofile): nodes, and the node of each sample.
 *
 * - timeDeltas[i], in microseconds, is from sample i - 1 to sample i, the first one from startTime. A sample lasts
 *   until the next one. What is before the first and after the last one, until endTime, is the profiler's start and
 *   stop: nothing was seen there, and it is left out. Deltas may be negative: samples are sorted first.
 * - (idle) is not work: it is left out, and its time is reported. (garbage collector) runs on top of what it
 *   interrupted. (program) is native code; (root) belongs to no code.
 * - Without samples there is only hitCount, each hit with an equal share of the run's time.
 * - The form before 2016 nests nodes in `head` and has times in seconds.
 *
 * Source: the DevTools protocol, Profiler.Profile; node 20.20 --cpu-prof; speedscope 1.25.0 src/import/chrome.ts for
 * the collector's place.
 */
#include "capture/parse/json_peek.h"
#include "capture/parse/json_stream.h"
#include "capture/base/time.h"
#include "capture/builder/reader.h"
#include "capture/readers/v8_nodes.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <inttypes.h>
#include <stdlib.h>

struct sample {
    uint64_t id;    /* of the node */
    int64_t at_us;  /* since startTime; while reading: since the sample before */
};

struct cpuprofile {
    struct pr_profile_builder c;
    struct pr_json_stream json;
    struct pr_v8_nodes nodes;
    struct sample *samples;
    size_t sample_count, delta_count, capacity; /* entries whose id or delta is known */
    struct pr_decimal start, end;
    bool has_start, has_end, nested;
    int64_t idle_ns;
};

/* ---- the document ----------------------------------------------------------------------------------------------- */

/* The numbers of an array, into one member of the samples. */
static void read_numbers(struct cpuprofile *r, bool ids)
{
    size_t *count = ids ? &r->sample_count : &r->delta_count;
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, *count); /* if the list is there twice, the last one counts */
    *count = 0;
    while (pr_build_going(&r->c) && pr_json_item(&r->json)) {
        size_t known = r->capacity;
        if (!pr_grow(&r->samples, &r->capacity, *count + 1, sizeof *r->samples)) {
            pr_build_no_memory(&r->c);
            return;
        }
        for (; known < r->capacity; known++)
            r->samples[known] = (struct sample){0};
        pr_build_damage(&r->c, PR_DAMAGE_NOT_NUMBERS, r->json.token == PR_JSON_NULL);
        int64_t number = pr_json_scaled(&r->json, 0, 0);
        if (ids)
            r->samples[(*count)++].id = (uint64_t)number;
        else
            r->samples[(*count)++].at_us = number;
        pr_json_skip(&r->json);
    }
}

static bool read_time(struct cpuprofile *r, struct pr_decimal *time)
{
    pr_json_next(&r->json);
    bool known = pr_json_number(&r->json, time);
    pr_json_skip(&r->json);
    return known;
}

static enum pr_status read_document(struct cpuprofile *r)
{
    struct pr_json_stream *json = &r->json;
    if (pr_json_next(json) != PR_JSON_OBJECT)
        return pr_json_unexpected(json, "an object");
    while (r->c.status == PR_OK && pr_json_key(json)) {
        if (pr_json_is(json, "nodes")) {
            pr_v8_nodes_read_list(&r->nodes);
        } else if (pr_json_is(json, "head")) {
            r->nested = true;
            pr_v8_nodes_read_nested(&r->nodes);
        } else if (pr_json_is(json, "samples")) {
            read_numbers(r, true);
        } else if (pr_json_is(json, "timeDeltas")) {
            read_numbers(r, false);
        } else if (pr_json_is(json, "startTime")) {
            r->has_start = read_time(r, &r->start);
        } else if (pr_json_is(json, "endTime")) {
            r->has_end = read_time(r, &r->end);
        } else {
            pr_json_skip(json);
        }
    }
    return pr_json_finish(json);
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

static int64_t microseconds(int64_t us)
{
    return us > INT64_MAX / 1000 ? INT64_MAX : us < 0 ? 0 : us * 1000;
}

static int compare_samples(const void *a, const void *b, const void *context)
{
    const struct sample *x = a, *y = b;
    (void)context;
    return PR_ORDER(x->at_us, y->at_us);
}

/* Deltas become times, and times are sorted. */
static bool order_samples(struct cpuprofile *r)
{
    int64_t at = 0;
    bool ordered = true;
    for (size_t i = 0; i < r->sample_count; i++) {
        ordered = ordered && r->samples[i].at_us >= 0;
        pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, pr_add_bounded(&at, r->samples[i].at_us));
        r->samples[i].at_us = at;
    }
    return ordered || pr_sort(r->samples, r->sample_count, sizeof *r->samples, compare_samples, NULL);
}

static void add_sample(struct cpuprofile *r, uint32_t thread, unsigned metric, pr_node_id *running, size_t i)
{
    const struct sample *sample = &r->samples[i];
    int64_t next_us = i + 1 < r->sample_count ? r->samples[i + 1].at_us : sample->at_us;
    int64_t us = pr_subtract_saturated(next_us, sample->at_us);
    uint32_t index = pr_v8_nodes_find(&r->nodes, sample->id);
    if (index == PR_NO_ID) {
        pr_build_damage(&r->c, PR_DAMAGE_FRAMES, 1);
        return;
    }
    const struct pr_v8_node *node = &r->nodes.node[index];
    pr_node_id leaf = node->node;
    if (node->mark == PR_V8_IDLE) {
        r->idle_ns = pr_add_saturated(r->idle_ns, microseconds(us));
        *running = PR_ROOT;
        return;
    }
    if (node->mark == PR_V8_GC)
        leaf = pr_build_child(&r->c, *running, node->frame);
    else
        *running = node->mark == PR_V8_CODE ? leaf : PR_ROOT;
    uint32_t fact = pr_build_fact(&r->c, leaf, thread);
    pr_build_add(&r->c, fact, metric, microseconds(us), 1);
    pr_build_slice(&r->c, fact, microseconds(sample->at_us), microseconds(us));
}

static void add_samples(struct cpuprofile *r, uint32_t thread)
{
    pr_node_id running = PR_ROOT;
    unsigned metric = pr_build_metric(&r->c, "cpu", "Time", PR_UNIT_NANOSECONDS, "samples");
    if (r->delta_count < r->sample_count)
        pr_build_damage(&r->c, PR_DAMAGE_ASSUMED, r->sample_count - r->delta_count);
    else
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, r->delta_count - r->sample_count);
    if (!order_samples(r))
        pr_build_no_memory(&r->c);
    for (size_t i = 0; i < r->sample_count && pr_build_going(&r->c); i++)
        add_sample(r, thread, metric, &running, i);
}

/* ---- hit counts ------------------------------------------------------------------------------------------------- */

/* PART of WHOLE of TIME, without overflow; the error of a double is far below that of a sample. */
static int64_t share(int64_t time, int64_t part, int64_t whole)
{
    return pr_double_scaled((double)time, (double)part / (double)whole);
}

/* How long the run took, by its own clock; 0 = not known. */
static int64_t run_us(const struct cpuprofile *r)
{
    int64_t start = pr_decimal_scaled(r->start, 0), end = pr_decimal_scaled(r->end, 0);
    return r->has_start && r->has_end && end > start && start >= 0 ? end - start : 0;
}

/* Nodes with their hits; each hit has the same share of the run's time, where that is known. */
static void add_hits(struct cpuprofile *r, uint32_t thread)
{
    int64_t hits = 0, run_ns = microseconds(run_us(r));
    if (r->nested && r->has_start && r->has_end) /* in seconds, with decimals */
        run_ns = pr_subtract_saturated(pr_decimal_scaled(r->end, 9), microseconds(pr_decimal_scaled(r->start, 6)));
    for (size_t i = 0; i < r->nodes.count; i++)
        hits = pr_add_saturated(hits, r->nodes.node[i].self > 0 ? r->nodes.node[i].self : 0);
    bool timed = run_ns > 0 && hits > 0;
    unsigned metric = timed ? pr_build_metric(&r->c, "cpu", "Time", PR_UNIT_NANOSECONDS, "samples")
                            : pr_build_metric(&r->c, "samples", "Samples", PR_UNIT_COUNT, NULL);
    for (size_t i = 0; i < r->nodes.count && pr_build_going(&r->c); i++) {
        const struct pr_v8_node *node = &r->nodes.node[i];
        if (node->self <= 0)
            continue;
        int64_t value = timed ? share(run_ns, node->self, hits) : node->self;
        if (node->mark == PR_V8_IDLE)
            r->idle_ns = pr_add_saturated(r->idle_ns, timed ? value : 0);
        else
            pr_build_add(&r->c, pr_build_fact(&r->c, node->node, thread), metric, value, node->self);
    }
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct cpuprofile r = {.sample_count = 0};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    r.nodes = (struct pr_v8_nodes){.c = &r.c, .json = &r.json};
    pr_json_begin(&r.json, src, &options->limits, err);
    r.json.damage = &profile->damage;
    if (status == PR_OK)
        status = read_document(&r);
    if (status == PR_CUT && !r.nodes.count)
        status = PR_FAILED;
    if (status != PR_FAILED) {
        uint32_t thread = pr_build_thread(&r.c, pr_build_process(&r.c, 0, 0), 0);
        pr_v8_nodes_link(&r.nodes);
        if (r.sample_count && r.delta_count)
            add_samples(&r, thread);
        else
            add_hits(&r, thread);
        const int64_t idle_ms = pr_nearest_ms(r.idle_ns);
        if (r.idle_ns)
            pr_build_note(&r.c, "%" PRId64 ".%03d s of idle time are left out", idle_ms / 1000, (int)(idle_ms % 1000));
    }
    pr_v8_nodes_clear(&r.nodes);
    free(r.samples);
    pr_json_end(&r.json);
    return pr_build_finish(&r.c, status);
}

static unsigned probe(struct pr_source *src)
{
    struct pr_json_peek peek;
    pr_json_peek(src, &peek);
    unsigned listed = pr_json_evidence(&peek, "nodes.callFrame", '{'),
             nested = pr_json_evidence(&peek, "head.functionName", '"');
    if (listed)
        return listed + pr_json_evidence(&peek, "nodes.hitCount", '0');
    return nested ? nested + pr_json_evidence(&peek, "head.hitCount", '0') : 0;
}

const struct pr_reader pr_cpuprofile_reader = {"cpuprofile", "V8 CPU profile", probe, read};
