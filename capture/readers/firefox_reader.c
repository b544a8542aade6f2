/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of Firefox's profiler: the processed format (samply, Vernier, the profiler itself) and Gecko's own (Firefox,
 * `perf script report gecko`), both JSON, and alike but for the layout of their tables.
 *
 * Source: doc/formats/firefox.md.
 */
#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/base/time.h"
#include "capture/builder/reader.h"
#include "capture/parse/json_peek.h"
#include "capture/readers/firefox_stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Processes of Gecko's format are profiles within the profile, with the same layout. */
enum { MAX_PROCESS_DEPTH = 8 };

#define YEAR_2000_MS INT64_C(946684800000)

struct thread {
    uint64_t pid, tid;
    pr_str name, process_name;
    int64_t offset_ns; /* of its clock from that of the first profile */
    struct pr_firefox_columns columns;
    struct pr_firefox_stacks stacks;
};

struct firefox {
    struct pr_profile_builder c;
    struct pr_json_stream json;
    struct pr_strings texts;
    struct pr_firefox_libs libs;
    struct pr_firefox_columns shared_columns;
    struct pr_firefox_stacks shared;
    struct thread *waiting; /* [waiting_count] for the tables that threads share, which come after them */
    size_t waiting_count, waiting_capacity;
    uint32_t thread_count;
    struct pr_maybe start_ns;     /* of the first profile */
    int64_t offset_ns;            /* of the profile in hand */
    int64_t interval_ns;
    char cpu_unit;                /* of CPU deltas: 'n', 'u', 'c' (cycles); 0: not given */
    unsigned depth;               /* of profiles in profiles */
    uint64_t freed;               /* allocation samples that are frees */
    uint64_t idle;                /* samples without a stack */
    bool has_no_times;            /* the axis of the samples is not time */
    bool has_moments;
    unsigned moment_metric;       /* whose times of allocations are kept, if has_moments: the first one with any */
};

/* ---- what a thread measured ------------------------------------------------------------------------------------- */

static pr_node_id node_of(struct firefox *r, const struct pr_firefox_stacks *stacks, int64_t stack)
{
    if (stack >= 0 && (uint64_t)stack < stacks->node_count)
        return stacks->nodes[stack];
    pr_build_damage(&r->c, PR_DAMAGE_FRAMES, 1);
    return PR_ROOT;
}

/* Times of samples from their deltas. */
static void add_deltas(struct firefox *r, struct pr_firefox_columns *columns)
{
    struct pr_firefox_column *deltas = &columns->of[PR_FIREFOX_SAMPLE_DELTA];
    struct pr_firefox_column *times = &columns->of[PR_FIREFOX_SAMPLE_TIME];
    int64_t at = 0;
    if (times->count || !deltas->count)
        return;
    for (size_t i = 0; i < deltas->count; i++) {
        const int64_t delta = deltas->value[i] == PR_FIREFOX_NONE ? 0 : deltas->value[i];
        pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, pr_add_bounded(&at, delta));
        deltas->value[i] = at;
    }
    const struct pr_firefox_column none = *times;
    *times = *deltas;
    *deltas = none;
}

/* From sample I to the next one of the thread; the last one lasts as long as the sampler's interval. */
static int64_t lasts_ns(const struct firefox *r, const struct pr_firefox_columns *columns, size_t i)
{
    const int64_t at = pr_firefox_cell(columns, PR_FIREFOX_SAMPLE_TIME, (int64_t)i),
                  next = pr_firefox_cell(columns, PR_FIREFOX_SAMPLE_TIME, (int64_t)i + 1);
    if (at == PR_FIREFOX_NONE)
        return 0;
    return next == PR_FIREFOX_NONE ? r->interval_ns : next > at ? pr_subtract_saturated(next, at) : 0;
}

static void add_cpu(struct firefox *r, uint32_t fact, int64_t delta)
{
    if (delta == PR_FIREFOX_NONE || !r->cpu_unit)
        return;
    if (delta < 0) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return;
    }
    if (r->cpu_unit == 'c') {
        pr_build_add(&r->c, fact, pr_build_metric(&r->c, "cycles", "CPU cycles", PR_UNIT_CYCLES, NULL),
                     delta / PR_FIREFOX_ONE, 0);
        return;
    }
    const int64_t parts = r->cpu_unit == 'u' ? PR_FIREFOX_ONE / 1000 : PR_FIREFOX_ONE;
    pr_build_add(&r->c, fact, pr_build_metric(&r->c, "cpu", "CPU time", PR_UNIT_NANOSECONDS, NULL), delta / parts, 0);
}

static int64_t whole(int64_t scaled)
{
    return scaled / PR_FIREFOX_ONE + scaled % PR_FIREFOX_ONE * 2 / PR_FIREFOX_ONE;
}

/* The moments of a profile are of one metric. */
static void add_moment(struct firefox *r, uint32_t fact, unsigned metric, const struct thread *thread, int64_t at,
                       int64_t value)
{
    if (at == PR_FIREFOX_NONE || r->has_no_times || value <= 0)
        return;
    if (!r->has_moments)
        r->moment_metric = metric;
    r->has_moments = true;
    if (metric == r->moment_metric)
        pr_build_moment(&r->c, fact, pr_add_saturated(at, thread->offset_ns), value);
}

static void add_bytes(struct firefox *r, uint32_t fact, const struct thread *thread, int64_t at, int64_t value)
{
    const unsigned metric = pr_build_metric(&r->c, "bytes", "Bytes", PR_UNIT_BYTES, "samples");
    pr_build_add(&r->c, fact, metric, value, 1);
    add_moment(r, fact, metric, thread, at, value);
}

static void add_sample(struct firefox *r, const struct thread *thread, uint32_t index, pr_node_id node, size_t i)
{
    const struct pr_firefox_columns *columns = &thread->columns;
    const int64_t given = pr_firefox_cell(columns, PR_FIREFOX_SAMPLE_WEIGHT, (int64_t)i),
                  at = pr_firefox_cell(columns, PR_FIREFOX_SAMPLE_TIME, (int64_t)i);
    const int64_t weight = given == PR_FIREFOX_NONE ? PR_FIREFOX_ONE : given;
    const bool traced = columns->weight_type == 't';
    const uint32_t fact = pr_build_fact(&r->c, node, index);
    if (columns->weight_type == 'b') {
        add_bytes(r, fact, thread, at, whole(weight));
        return;
    }
    if (!traced)
        pr_build_add(&r->c, fact, pr_build_metric(&r->c, "samples", "Samples", PR_UNIT_COUNT, NULL), whole(weight), 0);
    const int64_t ns = traced ? weight > 0 ? weight : 0 : lasts_ns(r, columns, i);
    pr_build_add(&r->c, fact, pr_build_metric(&r->c, "time", "Time", PR_UNIT_NANOSECONDS, "samples"), ns, 1);
    if (at != PR_FIREFOX_NONE && !r->has_no_times)
        pr_build_slice(&r->c, fact, pr_add_saturated(at, thread->offset_ns), ns);
    add_cpu(r, fact, pr_firefox_cell(columns, PR_FIREFOX_SAMPLE_CPU, (int64_t)i));
}

/* A column that is there has a value for each sample. */
static void count_unlike(struct firefox *r, const struct pr_firefox_column *stack,
                         const struct pr_firefox_column *column)
{
    if (column->count && column->count < stack->count)
        pr_build_damage(&r->c, PR_DAMAGE_ASSUMED, stack->count - column->count);
    else if (column->count > stack->count)
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, column->count - stack->count);
}

static void add_samples(struct firefox *r, struct thread *thread, uint32_t index,
                        const struct pr_firefox_stacks *stacks)
{
    struct pr_firefox_columns *columns = &thread->columns;
    const struct pr_firefox_column *stack = &columns->of[PR_FIREFOX_SAMPLE_STACK];
    add_deltas(r, columns);
    count_unlike(r, stack, &columns->of[PR_FIREFOX_SAMPLE_WEIGHT]);
    count_unlike(r, stack, &columns->of[PR_FIREFOX_SAMPLE_TIME]);
    if (r->cpu_unit)
        count_unlike(r, stack, &columns->of[PR_FIREFOX_SAMPLE_CPU]);
    for (size_t i = 0; i < stack->count && pr_build_going(&r->c); i++) {
        if (stack->value[i] == PR_FIREFOX_NONE)
            r->idle++; /* not seen then, or asleep: the profiler shows it in no stack either */
        else
            add_sample(r, thread, index, node_of(r, stacks, stack->value[i]), i);
    }
}

/* Allocations of JavaScript and Ruby, and of native code; those below 0 are frees, sampled on their own. */
static void add_allocations(struct firefox *r, const struct thread *thread, uint32_t index,
                            const struct pr_firefox_stacks *stacks, bool native)
{
    const struct pr_firefox_columns *columns = &thread->columns;
    const enum pr_firefox_name stack_name = native ? PR_FIREFOX_NATIVE_STACK : PR_FIREFOX_JS_STACK;
    const enum pr_firefox_name weight_name = native ? PR_FIREFOX_NATIVE_WEIGHT : PR_FIREFOX_JS_WEIGHT;
    const enum pr_firefox_name time_name = native ? PR_FIREFOX_NATIVE_TIME : PR_FIREFOX_JS_TIME;
    const bool bytes = native || columns->js_type == 'b';
    for (size_t i = 0; i < columns->of[weight_name].count && pr_build_going(&r->c); i++) {
        const int64_t weight = columns->of[weight_name].value[i];
        const int64_t stack = pr_firefox_cell(columns, stack_name, (int64_t)i);
        if (weight == PR_FIREFOX_NONE || weight < 0) {
            r->freed += weight != PR_FIREFOX_NONE;
            continue;
        }
        const pr_node_id node = stack == PR_FIREFOX_NONE ? PR_ROOT : node_of(r, stacks, stack);
        const unsigned metric =
            native  ? pr_build_metric(&r->c, "native_allocated", "Native allocations", PR_UNIT_BYTES, "samples")
            : bytes ? pr_build_metric(&r->c, "allocated", "Allocations", PR_UNIT_BYTES, "samples")
                    : pr_build_metric(&r->c, "allocations", "Allocations", PR_UNIT_COUNT, "samples");
        const uint32_t fact = pr_build_fact(&r->c, node, index);
        pr_build_add(&r->c, fact, metric, whole(weight), 1);
        add_moment(r, fact, metric, thread, pr_firefox_cell(columns, time_name, (int64_t)i), whole(weight));
    }
}

static void add_thread(struct firefox *r, struct thread *thread)
{
    const bool own = thread->columns.of[PR_FIREFOX_STACK_FRAME].count > 0;
    struct pr_firefox_stacks *stacks = own ? &thread->stacks : &r->shared;
    if (own && !thread->stacks.string_count) { /* versions 56 to 59 of the format share only the strings */
        free(thread->stacks.strings);
        thread->stacks.strings = r->shared.strings;
        thread->stacks.string_count = r->shared.string_count;
    }
    pr_firefox_make_stacks(&r->c, own ? &thread->columns : &r->shared_columns, stacks, &r->libs);
    const uint32_t process = pr_build_process(&r->c, thread->pid, thread->process_name);
    const uint32_t index = pr_build_thread(&r->c, process, UINT64_MAX - r->thread_count++);
    pr_build_number_thread(&r->c, index, process, thread->tid);
    pr_build_name_thread(&r->c, index, thread->name);
    add_samples(r, thread, index, stacks);
    add_allocations(r, thread, index, stacks, false);
    add_allocations(r, thread, index, stacks, true);
    if (own && thread->stacks.strings == r->shared.strings)
        thread->stacks.strings = NULL;
}

static void clear_thread(struct thread *thread)
{
    pr_firefox_columns_clear(&thread->columns);
    pr_firefox_stacks_clear(&thread->stacks);
}

/* ---- the document ----------------------------------------------------------------------------------------------- */

/* "4711", 4711, or samply's "4711.1" for one that has the number of an earlier one. */
static uint64_t read_id(struct firefox *r)
{
    uint64_t number = 0;
    pr_json_next(&r->json);
    if (r->json.token == PR_JSON_STRING)
        pr_text_number(r->json.text, &number);
    else
        pr_json_index(&r->json, &number);
    pr_json_skip(&r->json);
    return number;
}

static pr_str read_text(struct firefox *r)
{
    pr_json_next(&r->json);
    const pr_str text = r->json.token == PR_JSON_STRING
                            ? pr_build_string(&r->c, r->json.text.bytes, r->json.text.length) : 0;
    pr_json_skip(&r->json);
    return text;
}

static void read_thread_key(struct firefox *r, struct thread *thread)
{
    if (pr_firefox_read_table(&r->c, &r->json, &thread->columns))
        return;
    if (pr_json_is(&r->json, "stringArray") || pr_json_is(&r->json, "stringTable"))
        pr_firefox_read_strings(&r->c, &r->json, &thread->stacks);
    else if (pr_json_is(&r->json, "pid"))
        thread->pid = read_id(r);
    else if (pr_json_is(&r->json, "tid"))
        thread->tid = read_id(r);
    else if (pr_json_is(&r->json, "name"))
        thread->name = read_text(r);
    else if (pr_json_is(&r->json, "processName"))
        thread->process_name = read_text(r);
    else
        pr_json_skip(&r->json);
}

static void wait_for_tables(struct firefox *r, const struct thread *thread)
{
    if (!pr_grow(&r->waiting, &r->waiting_capacity, r->waiting_count + 1, sizeof *r->waiting)) {
        struct thread lost = *thread;
        clear_thread(&lost);
        pr_build_no_memory(&r->c);
    } else {
        r->waiting[r->waiting_count++] = *thread;
    }
}

static void read_thread(struct firefox *r)
{
    struct thread thread = {.offset_ns = r->offset_ns,
                            .columns = {.weight_type = 's'},
                            .stacks = {.texts = &r->texts}};
    if (r->json.token != PR_JSON_OBJECT) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        pr_json_skip(&r->json);
        return;
    }
    while (pr_build_going(&r->c) && pr_json_key(&r->json))
        read_thread_key(r, &thread);
    wait_for_tables(r, &thread);
}

static void read_lib(struct firefox *r)
{
    pr_str name = 0, path = 0;
    if (r->json.token != PR_JSON_OBJECT)
        pr_json_skip(&r->json);
    else
        while (pr_json_key(&r->json)) {
            if (pr_json_is(&r->json, "name"))
                name = read_text(r);
            else if (pr_json_is(&r->json, "path"))
                path = read_text(r);
            else
                pr_json_skip(&r->json);
        }
    if (!pr_grow(&r->libs.names, &r->libs.capacity, r->libs.count + 1, sizeof *r->libs.names))
        pr_build_no_memory(&r->c);
    else
        r->libs.names[r->libs.count++] = path ? path : name;
}

/* "ns", "µs", "variable CPU cycles" */
static void read_units(struct firefox *r)
{
    if (!pr_json_enter(&r->json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(&r->json)) {
        const bool cpu = pr_json_is(&r->json, "threadCPUDelta");
        pr_json_next(&r->json);
        if (cpu && r->json.token == PR_JSON_STRING)
            r->cpu_unit = pr_json_is(&r->json, "ns")                    ? 'n'
                          : pr_text_starts(r->json.text, "\xc2\xb5")    ? 'u'
                          : pr_text_starts(r->json.text, "variable CPU") ? 'c'
                                                                         : '\0';
        pr_json_skip(&r->json);
    }
}

static void take_start(struct firefox *r, struct pr_maybe ns)
{
    if (!ns.known)
        return;
    if (!r->start_ns.known)
        r->start_ns = ns;
    r->offset_ns = pr_subtract_saturated(ns.value, r->start_ns.value);
    if (r->start_ns.value / PR_NS_PER_MS >= YEAR_2000_MS)
        r->c.slices_epoch_ns = r->start_ns;
    if (!r->depth && ns.value / PR_NS_PER_MS >= YEAR_2000_MS) /* Vernier has the clock of the system here */
        r->c.profile->meta.start_ms = (struct pr_maybe){true, ns.value / PR_NS_PER_MS};
}

/* What our own export writes where its axis is not a clock: "order" or "none". */
static void read_sample_times(struct firefox *r)
{
    pr_json_next(&r->json);
    r->c.slices_lack_clock |= pr_json_is(&r->json, "order");
    r->has_no_times |= pr_json_is(&r->json, "none");
    pr_json_skip(&r->json);
}

static void read_meta(struct firefox *r)
{
    if (!pr_json_enter(&r->json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(&r->json)) {
        if (pr_json_is(&r->json, "startTime")) {
            take_start(r, pr_json_value(&r->json, 6));
        } else if (pr_json_is(&r->json, "interval")) {
            const struct pr_maybe interval = pr_json_value(&r->json, 6);
            r->interval_ns = interval.known && interval.value > 0 ? interval.value : 0;
            pr_build_damage(&r->c, PR_DAMAGE_RECORDS, interval.known && interval.value < 0);
        } else if (pr_json_is(&r->json, "sampleUnits")) {
            read_units(r);
        } else if (pr_json_is(&r->json, "sampleTimes")) {
            read_sample_times(r);
        } else {
            pr_json_skip(&r->json);
        }
    }
}

static void read_list(struct firefox *r, void (*read_item)(struct firefox *))
{
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    while (pr_build_going(&r->c) && pr_json_item(&r->json))
        read_item(r);
}

static void read_shared(struct firefox *r)
{
    if (!pr_json_enter(&r->json, PR_JSON_OBJECT))
        return;
    while (pr_build_going(&r->c) && pr_json_key(&r->json)) {
        if (pr_json_is(&r->json, "stringArray"))
            pr_firefox_read_strings(&r->c, &r->json, &r->shared);
        else if (!pr_firefox_read_table(&r->c, &r->json, &r->shared_columns))
            pr_json_skip(&r->json);
    }
}

static void read_process(struct firefox *r);

static void read_key(struct firefox *r)
{
    if (pr_json_is(&r->json, "meta"))
        read_meta(r);
    else if (pr_json_is(&r->json, "libs") && !r->depth)
        read_list(r, read_lib);
    else if (pr_json_is(&r->json, "shared"))
        read_shared(r);
    else if (pr_json_is(&r->json, "threads"))
        read_list(r, read_thread);
    else if (pr_json_is(&r->json, "processes"))
        read_list(r, read_process);
    else
        pr_json_skip(&r->json);
}

static void read_process(struct firefox *r)
{
    const int64_t offset_ns = r->offset_ns;
    if (r->json.token != PR_JSON_OBJECT || r->depth == MAX_PROCESS_DEPTH) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        pr_json_skip(&r->json);
        return;
    }
    r->depth++;
    while (pr_build_going(&r->c) && pr_json_key(&r->json))
        read_key(r);
    r->depth--;
    r->offset_ns = offset_ns;
}

static enum pr_status read_document(struct firefox *r)
{
    if (pr_json_next(&r->json) != PR_JSON_OBJECT)
        return pr_json_unexpected(&r->json, "an object");
    while (pr_build_going(&r->c) && pr_json_key(&r->json))
        read_key(r);
    return pr_json_finish(&r->json);
}

static void add_notes(struct firefox *r)
{
    if (r->idle)
        pr_build_note(&r->c, "%" PRIu64 " sample%s without a stack %s left out", r->idle, r->idle == 1 ? "" : "s",
                      r->idle == 1 ? "is" : "are");
    if (r->freed)
        pr_build_note(&r->c, "%" PRIu64 " sampled frees are left out: they are sampled separately from the allocations",
                      r->freed);
    if (r->libs.unnamed)
        pr_build_note(&r->c, "%" PRIu64 " frame%s without a function: samply load FILE looks the names up, and the "
                             "page that it opens saves them",
                      r->libs.unnamed, r->libs.unnamed == 1 ? " is" : "s are");
}

static void take_threads(struct firefox *r)
{
    for (size_t i = 0; i < r->waiting_count; i++)
        add_thread(r, &r->waiting[i]);
    if (!r->c.metric_count)
        pr_build_metric(&r->c, "samples", "Samples", PR_UNIT_COUNT, NULL);
}

static void clear(struct firefox *r)
{
    for (size_t i = 0; i < r->waiting_count; i++)
        clear_thread(&r->waiting[i]);
    free(r->waiting);
    pr_firefox_columns_clear(&r->shared_columns);
    pr_firefox_stacks_clear(&r->shared);
    free(r->libs.names);
    pr_strings_clear(&r->texts);
    pr_json_end(&r->json);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct firefox *r = calloc(1, sizeof *r);
    if (!r)
        return pr_fail_memory(err);
    enum pr_status status = pr_build_init(&r->c, src, options, profile, err);
    r->shared.texts = &r->texts;
    r->interval_ns = PR_NS_PER_MS;
    pr_json_begin(&r->json, src, &options->limits, err);
    r->json.damage = &profile->damage;
    if (status == PR_OK)
        status = pr_strings_init(&r->texts, err);
    if (status == PR_OK)
        status = read_document(r);
    if (status == PR_CUT && !r->waiting_count)
        status = PR_FAILED;
    if (status != PR_FAILED) {
        take_threads(r);
        add_notes(r);
    }
    clear(r);
    status = pr_build_finish(&r->c, status);
    free(r);
    return status;
}

static unsigned probe(struct pr_source *src)
{
    struct pr_json_peek peek;
    pr_json_peek(src, &peek);
    unsigned bits = pr_json_evidence(&peek, "meta.preprocessedProfileVersion", '0');
    bits += pr_json_evidence(&peek, "meta.stackwalk", '0');
    bits += pr_json_evidence(&peek, "threads.stackTable", '{');
    bits += pr_json_evidence(&peek, "shared.stackTable", '{');
    return peek.first == '{' ? bits : 0;
}

const struct pr_reader pr_firefox_reader = {"firefox", "Firefox profile", probe, read};
