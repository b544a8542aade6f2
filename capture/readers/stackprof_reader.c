/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stackprof, Ruby's sampling profiler: a dump (Marshal), or what `stackprof --json` prints.
 *
 *     {version: 1.2, mode: :cpu, interval: 1000, samples: 26, gc_samples: 4, missed_samples: 0, metadata: {...},
 *      frames: {139714902945400 => {name: "Shop.carts", file: "/app/shop.rb", line: 20, total_samples: 3, samples: 0,
 *                                   edges: {139714958461720 => 3}, lines: {22 => [9, 0]}}, ...},
 *      raw: [2, 139714902945400, 139714958461720, 3, ...], raw_lines: [...], raw_timestamp_deltas: [27697, ...]}
 *
 * - `raw` has stacks, outermost first, each after its number of frames and before how many samples in turn had it. A
 *   delta for each sample is the microseconds since the sample before it. `raw_lines` (0.2.24) has the lines that ran
 *   in the places of frames; the line of a frame is that of its definition.
 * - Without `raw: true` there are no stacks: samples of each function, and of its calls. That is a graph, like pstats.
 * - The number of samples is what was measured. In modes wall and cpu the interval is what was asked for: the timers of
 *   many systems are slower than that, so that samples times interval is no time. The time between samples is; in mode
 *   cpu it contains what the program waited.
 * - Garbage collections are samples of stacks of their own: (garbage collection), (marking), (sweeping).
 * - Several files that stackprof added up have no stacks, and SHA-256 sums instead of numbers of frames.
 *
 * Source: stackprof 0.2.21 to 0.2.27, ext/stackprof/stackprof.c and lib/stackprof/report.rb.
 */
#include "capture/base/checked.h"
#include "capture/base/ms_text.h"
#include "capture/base/text.h"
#include "capture/builder/call_graph.h"
#include "capture/builder/reader.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/json_peek.h"
#include "capture/readers/stackprof_document.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NS_PER_US = 1000, LOOK_BYTES = 64 * 1024 };

#define OF_STRING (UINT64_C(1) << 63)

struct known_frame {
    pr_str name, file;
    int64_t line;
    pr_frame_id frame; /* PR_NO_ID = not made yet */
    struct pr_exact row;
};

/* Stacks of one kind in turn. */
struct run {
    uint32_t fact;
    int64_t samples;
};

struct list {
    int64_t *numbers; /* [count] */
    size_t count, capacity;
};

struct stackprof {
    struct pr_profile_builder c;
    struct pr_stackprof_document d;
    struct pr_idset frame_ids; /* the file's numbers, or OF_STRING and a string */
    struct known_frame *frames; /* [frame_ids.count] */
    size_t frame_capacity;
    struct pr_call_graph_call *calls;
    size_t call_count, call_capacity;
    struct list raw, raw_lines, deltas;
    struct run *runs;
    size_t run_count, run_capacity;
    pr_str mode;
    int64_t interval, samples, gc_samples, missed;
    bool has_raw, has_samples;
};

static unsigned probe(struct pr_source *src)
{
    static const char magic[] = "\4\b{", key[] = "missed_samples";
    struct pr_json_peek peek;
    const struct pr_source view = pr_source_view(src, LOOK_BYTES);
    const size_t length = (size_t)(view.end - view.at);
    if (length >= sizeof magic - 1 && !memcmp(view.at, magic, sizeof magic - 1))
        return memmem(view.at, length, key, sizeof key - 1) ? 8 * (sizeof magic - 1 + sizeof key - 1) : 0;
    pr_json_peek(src, &peek);
    return pr_json_evidence(&peek, key, '0') && pr_json_evidence(&peek, "frames", '{')
               ? pr_json_evidence(&peek, key, '0') + pr_json_evidence(&peek, "frames", '{')
               : 0;
}

/* ---- what the file has ------------------------------------------------------------------------------------------ */

/* The place of a frame among the known ones, made when it is new; PR_NO_ID without memory. */
static uint32_t frame_at(struct stackprof *r, uint64_t number)
{
    const uint32_t known = r->frame_ids.count;
    uint32_t at = PR_NO_ID;
    if (pr_grow(&r->frames, &r->frame_capacity, known + (size_t)1, sizeof *r->frames))
        at = pr_idset_add(&r->frame_ids, &number, 1);
    if (at == PR_NO_ID)
        pr_build_no_memory(&r->c);
    else if (at == known)
        r->frames[at] = (struct known_frame){.frame = PR_NO_ID};
    return at;
}

static bool key_is(struct stackprof *r, pr_str key, const char *word)
{
    return pr_text_is(pr_profile_text(r->c.profile, key), word);
}

/* The next key, as the number of a frame. */
static bool next_frame(struct stackprof *r, uint64_t *number)
{
    pr_str key;
    bool has_number;
    if (!pr_build_going(&r->c) || !pr_stackprof_key(&r->d, &key, &has_number, number))
        return false;
    if (!has_number)
        *number = OF_STRING | key;
    return true;
}

/* {callee => samples in which it was called} */
static void read_edges(struct stackprof *r, uint32_t caller)
{
    uint64_t number;
    int64_t samples;
    if (!pr_stackprof_hash(&r->d))
        return;
    while (next_frame(r, &number)) {
        const uint32_t callee = frame_at(r, number);
        if (!pr_stackprof_integer(&r->d, &samples) || samples < 0)
            pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        else if (callee != PR_NO_ID && !pr_grow(&r->calls, &r->call_capacity, r->call_count + 1, sizeof *r->calls))
            pr_build_no_memory(&r->c);
        else if (callee != PR_NO_ID)
            r->calls[r->call_count++] =
                (struct pr_call_graph_call){.caller = caller, .callee = callee, .total = samples, .self = -1,
                                            .count = samples};
    }
}

static void read_count(struct stackprof *r, int64_t *count)
{
    if (!pr_stackprof_integer(&r->d, count) || *count < 0) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        *count = 0;
    }
}

static void read_frame(struct stackprof *r, uint32_t at)
{
    struct known_frame frame = {.frame = PR_NO_ID};
    pr_str key;
    bool has_number;
    uint64_t number;
    if (!pr_stackprof_hash(&r->d)) {
        pr_build_damage(&r->c, PR_DAMAGE_FRAMES, 1);
        return;
    }
    while (pr_stackprof_key(&r->d, &key, &has_number, &number)) {
        if (key_is(r, key, "name"))
            pr_stackprof_string(&r->d, &frame.name);
        else if (key_is(r, key, "file"))
            pr_stackprof_string(&r->d, &frame.file);
        else if (key_is(r, key, "line"))
            pr_stackprof_integer(&r->d, &frame.line);
        else if (key_is(r, key, "samples"))
            read_count(r, &frame.row.self);
        else if (key_is(r, key, "total_samples"))
            read_count(r, &frame.row.total);
        else if (key_is(r, key, "edges"))
            read_edges(r, at);
        else
            pr_stackprof_skip(&r->d);
    }
    r->frames[at] = frame;
}

static void read_frames(struct stackprof *r)
{
    uint64_t number;
    if (!pr_stackprof_hash(&r->d))
        return;
    while (next_frame(r, &number)) {
        const uint32_t at = frame_at(r, number);
        if (at != PR_NO_ID)
            read_frame(r, at);
    }
}

/* What is not a number is kept as -1, so that the rest stays in its places. */
static void read_list(struct stackprof *r, struct list *list)
{
    int64_t number;
    pr_str string;
    if (!pr_stackprof_list(&r->d))
        return;
    while (pr_build_going(&r->c) && pr_stackprof_part(&r->d)) {
        if (r->d.is_json ? r->d.json.token == PR_JSON_STRING : r->d.ruby.token == PR_RUBY_STRING)
            number = pr_stackprof_string(&r->d, &string) ? (int64_t)(OF_STRING | string) : -1;
        else if (!pr_stackprof_integer(&r->d, &number))
            number = -1;
        if (!pr_grow(&list->numbers, &list->capacity, list->count + 1, sizeof *list->numbers))
            pr_build_no_memory(&r->c);
        else
            list->numbers[list->count++] = number;
    }
}

static void read_value(struct stackprof *r, pr_str key)
{
    if (key_is(r, key, "mode")) {
        pr_stackprof_string(&r->d, &r->mode);
    } else if (key_is(r, key, "interval")) {
        pr_stackprof_integer(&r->d, &r->interval);
    } else if (key_is(r, key, "samples")) {
        r->has_samples = pr_stackprof_integer(&r->d, &r->samples);
    } else if (key_is(r, key, "gc_samples")) {
        pr_stackprof_integer(&r->d, &r->gc_samples);
    } else if (key_is(r, key, "missed_samples")) {
        pr_stackprof_integer(&r->d, &r->missed);
    } else if (key_is(r, key, "frames")) {
        read_frames(r);
    } else if (key_is(r, key, "raw")) {
        r->has_raw = true;
        read_list(r, &r->raw);
    } else if (key_is(r, key, "raw_lines")) {
        read_list(r, &r->raw_lines);
    } else if (key_is(r, key, "raw_timestamp_deltas")) {
        read_list(r, &r->deltas);
    } else {
        pr_stackprof_skip(&r->d);
    }
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

static struct pr_place place_of(struct stackprof *r, const struct known_frame *known, int64_t line)
{
    const struct pr_text name = pr_profile_text(r->c.profile, known->name);
    const struct pr_text file = pr_profile_text(r->c.profile, known->file);
    const bool is_c = pr_text_is(file, "<cfunc>");
    const bool is_collector = !file.length && pr_text_starts(name, "(");
    return (struct pr_place){.function = known->name,
                             .file = is_c ? 0 : known->file,
                             .line = line,
                             .definition_line = is_c ? 0 : known->line,
                             .kind = is_c           ? PR_FRAME_NATIVE
                                     : is_collector ? PR_FRAME_OTHER
                                                    : pr_frame_kind_of(name, file)};
}

static pr_frame_id make_frame(struct stackprof *r, uint32_t at, int64_t line)
{
    struct known_frame *known = &r->frames[at];
    if (line <= 0 && known->frame != PR_NO_ID)
        return known->frame;
    if (!known->name)
        known->name = pr_build_text(&r->c, "(unknown)");
    const struct pr_place place = place_of(r, known, line);
    const pr_frame_id frame = pr_build_frame(&r->c, &place);
    if (line <= 0)
        known->frame = frame;
    return frame;
}

/* ---- stacks ----------------------------------------------------------------------------------------------------- */

static void add_run(struct stackprof *r, struct run run)
{
    if (!pr_grow(&r->runs, &r->run_capacity, r->run_count + 1, sizeof *r->runs))
        pr_build_no_memory(&r->c);
    else
        r->runs[r->run_count++] = run;
}

/* The stack of COUNT frames at AT, from the outermost on. */
static pr_node_id stack_of(struct stackprof *r, size_t at, size_t count, bool has_lines)
{
    pr_node_id leaf = PR_ROOT;
    for (size_t i = at; i < at + count; i++) {
        const uint32_t frame = frame_at(r, (uint64_t)r->raw.numbers[i]);
        if (frame == PR_NO_ID)
            return PR_ROOT;
        leaf = pr_build_child(&r->c, leaf, make_frame(r, frame, has_lines ? r->raw_lines.numbers[i] : 0));
    }
    return leaf;
}

/* Returns how many samples have stacks. */
static int64_t add_stacks(struct stackprof *r, uint32_t thread, unsigned metric)
{
    const bool has_lines = r->raw_lines.count >= r->raw.count;
    int64_t sum = 0;
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, r->raw_lines.count && !has_lines);
    for (size_t at = 0; at < r->raw.count && pr_build_going(&r->c);) {
        const int64_t length = r->raw.numbers[at++];
        const size_t left = r->raw.count - at;
        if (length < 0 || (uint64_t)length >= left || (uint64_t)length > r->c.options->limits.max_depth) {
            pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
            break;
        }
        const int64_t samples = r->raw.numbers[at + (size_t)length];
        const pr_node_id leaf = stack_of(r, at, (size_t)length, has_lines);
        at += (size_t)length + 1;
        if (samples <= 0) {
            pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
            continue;
        }
        const struct run run = {pr_build_fact(&r->c, leaf, thread), samples};
        pr_build_add(&r->c, run.fact, metric, samples, 0);
        add_run(r, run);
        sum = pr_add_saturated(sum, samples);
    }
    return sum;
}

/* Samples that have no stack are the rest of all samples. */
static void add_rest(struct stackprof *r, uint32_t thread, unsigned metric, int64_t with_stack)
{
    if (r->has_samples && r->samples > with_stack)
        pr_build_add(&r->c, pr_build_fact(&r->c, PR_ROOT, thread), metric, r->samples - with_stack, 0);
}

static bool mode_is(struct stackprof *r, const char *mode)
{
    return key_is(r, r->mode, mode);
}

/* The time before each sample is its stack's, as in other profiles of samples. */
static void add_times(struct stackprof *r)
{
    int64_t now_ns = 0;
    size_t run = 0;
    int64_t left = r->run_count ? r->runs[0].samples : 0;
    const unsigned metric = pr_build_metric(&r->c, "time", "Time between samples", PR_UNIT_NANOSECONDS, "samples");
    for (size_t i = 0; i < r->deltas.count && run < r->run_count && pr_build_going(&r->c); i++) {
        const int64_t us = r->deltas.numbers[i];
        const int64_t ns = us <= 0 ? 0 : us > INT64_MAX / NS_PER_US ? INT64_MAX : us * NS_PER_US;
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, us < 0);
        pr_build_add(&r->c, r->runs[run].fact, metric, ns, 1);
        pr_build_slice(&r->c, r->runs[run].fact, now_ns, ns);
        now_ns = pr_add_saturated(now_ns, ns);
        if (!--left && ++run < r->run_count)
            left = r->runs[run].samples;
    }
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, run < r->run_count); /* samples whose time is not known */
}

/* ---- totals ----------------------------------------------------------------------------------------------------- */

/*
 * Two frames of one place, such as the program and the file that it loads, both "<main>", are one function: in one
 * stack or not is not known, so its total is that of the larger one. Returns how many functions there are; NUMBER has
 * that of each frame.
 */
static uint32_t merge_frames(struct stackprof *r, struct pr_call_graph_function *functions, uint32_t *number)
{
    struct pr_idset places = {.words = 1};
    for (uint32_t i = 0; i < r->frame_ids.count; i++) {
        const uint64_t frame = make_frame(r, i, 0);
        const struct pr_exact *row = &r->frames[i].row;
        const uint32_t known = places.count;
        number[i] = pr_idset_add(&places, &frame, 1);
        if (number[i] == PR_NO_ID) {
            pr_build_no_memory(&r->c);
            break;
        }
        struct pr_call_graph_function *function = &functions[number[i]];
        if (number[i] == known)
            *function = (struct pr_call_graph_function){.frame = (pr_frame_id)frame};
        pr_add_to(&function->row.self, row->self);
        function->row.total = function->row.total > row->total ? function->row.total : row->total;
        function->row.self_count = function->row.total; /* more than it was called in: the rest is its own stack */
    }
    const uint32_t count = places.count;
    pr_idset_clear(&places);
    return count;
}

static int64_t sum_of_selfs(const struct stackprof *r)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < r->frame_ids.count; i++)
        pr_add_to(&sum, r->frames[i].row.self);
    return sum;
}

static void add_graph(struct stackprof *r, uint32_t thread, unsigned metric)
{
    const size_t most = r->frame_ids.count + (size_t)1;
    struct pr_call_graph_function *functions = malloc(most * sizeof *functions);
    uint32_t *number = malloc(most * sizeof *number);
    if (functions && number) {
        const uint32_t count = merge_frames(r, functions, number);
        for (size_t i = 0; r->c.status != PR_FAILED && i < r->call_count; i++) {
            r->calls[i].caller = number[r->calls[i].caller];
            r->calls[i].callee = number[r->calls[i].callee];
        }
        struct pr_call_graph graph = {functions, count, r->calls, r->call_count};
        if (r->c.status != PR_FAILED)
            pr_call_graph_collect(&r->c, thread, metric, &graph);
    } else {
        pr_build_no_memory(&r->c);
    }
    free(functions);
    free(number);
}

/* ---- notes ------------------------------------------------------------------------------------------------------ */

static void add_notes(struct stackprof *r)
{
    if (mode_is(r, "object") && r->interval > 1)
        pr_build_note(&r->c, "one of %" PRId64 " new objects was recorded, with the stack that created it",
                      r->interval);
    else if (mode_is(r, "object"))
        pr_build_note(&r->c, "every new object was recorded, with the stack that created it");
    else if (mode_is(r, "custom"))
        pr_build_note(&r->c, "the program took its samples itself");
    else if (r->interval > 0 && r->interval <= INT64_MAX / NS_PER_US)
        pr_build_note(&r->c, "a sample was due every %s of %s; timers may be slower than that",
                      pr_ms_text(r->interval * NS_PER_US).text, mode_is(r, "cpu") ? "processor time" : "elapsed time");
    if (r->gc_samples > 0)
        pr_build_note(&r->c, "%" PRId64 " of %" PRId64 " samples %s in garbage collection", r->gc_samples, r->samples,
                      r->gc_samples == 1 ? "is" : "are");
    if (r->missed > 0 && !mode_is(r, "object"))
        pr_build_note(&r->c, "%" PRId64 " more sample%s could not be taken", r->missed, r->missed == 1 ? "" : "s");
    if (!r->has_raw)
        pr_build_note(&r->c, "it was recorded without raw: true, so it has neither stacks nor sample times");
    else if (mode_is(r, "cpu") && r->deltas.count)
        pr_build_note(&r->c, "the time between samples includes waiting; samples count processor time only");
}

static enum pr_status read_document(struct stackprof *r)
{
    pr_str key;
    bool has_number;
    uint64_t number;
    if (!pr_stackprof_root(&r->d)) {
        if (pr_stackprof_status(&r->d) == PR_OK)
            return pr_cut(r->c.err, PR_ERR_DAMAGED, 0, "dump of stackprof", "it is not a hash");
    } else {
        while (pr_build_going(&r->c) && pr_stackprof_key(&r->d, &key, &has_number, &number))
            read_value(r, key);
    }
    return pr_stackprof_status(&r->d);
}

static void add_profile(struct stackprof *r, enum pr_status status)
{
    const uint32_t thread = pr_build_thread(&r->c, pr_build_process(&r->c, 0, 0), 0);
    const unsigned metric = pr_build_metric(&r->c, "samples", mode_is(r, "object") ? "Recorded objects" : "Samples",
                                            PR_UNIT_COUNT, NULL);
    if (r->raw.count) {
        const int64_t with_stack = add_stacks(r, thread, metric);
        if (status == PR_OK)
            add_rest(r, thread, metric, with_stack);
        if (r->deltas.count && !mode_is(r, "object"))
            add_times(r);
    } else {
        add_graph(r, thread, metric);
        if (status == PR_OK)
            add_rest(r, thread, metric, sum_of_selfs(r));
    }
    add_notes(r);
}

static void clear(struct stackprof *r)
{
    pr_stackprof_end(&r->d);
    pr_idset_clear(&r->frame_ids);
    free(r->frames);
    free(r->calls);
    free(r->raw.numbers);
    free(r->raw_lines.numbers);
    free(r->deltas.numbers);
    free(r->runs);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct stackprof r = {.frame_ids = {.words = 1}};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    pr_stackprof_begin(&r.d, src, &profile->strings, &options->limits, &profile->damage, err);
    if (status == PR_OK) {
        status = read_document(&r);
        if (status != PR_FAILED)
            add_profile(&r, status);
    }
    clear(&r);
    return pr_build_finish(&r.c, status);
}

const struct pr_reader pr_stackprof_reader = {"stackprof", "stackprof dump", probe, read};
