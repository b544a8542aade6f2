/* SPDX-License-Identifier: Apache-2.0 */
/* Samples on top of the builder: threads with processes, columns that grow by fact, metrics, exact rows, notes. */
#include "capture/builder/profile_builder_internal.h"

#include "profrender/buf.h"
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/base/utf8.h"
#include "capture/parse/lines.h"
#include "capture/model/time_slices.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_A_REPORT = 4 << 20, MAX_METRICS = 256, MAX_DECIMALS = 9, MAX_NOTES = 16 };

enum pr_status pr_build_init(struct pr_profile_builder *c, struct pr_source *src, const struct pr_load_options *options,
                             struct pr_profile *profile, struct pr_error *err)
{
    const uint64_t most = options->limits.max_threads;
    const uint32_t limit = most && most < UINT32_MAX - 1 ? (uint32_t)most : UINT32_MAX - 1;
    *c = (struct pr_profile_builder){
        .profile = profile,
        .src = src,
        .options = options,
        .err = err,
        .thread_ids = {.words = 2, .limit = limit},
        .process_ids = {.words = 1, .limit = limit},
        .forward_ids = {.words = 1},
        .exact_ids = {.words = 1},
    };
    c->status = pr_stacks_init(&c->builder, profile, &options->limits, err);
    c->builder.facts.words = 1;
    pr_stacks_bound(&c->builder, options->max_memory_bytes);
    return c->status;
}

void pr_build_damage(struct pr_profile_builder *c, enum pr_damage_kind kind, uint64_t count)
{
    if (count)
        pr_damage_add(&c->profile->damage, kind, count, pr_source_offset(c->src));
}

void pr_build_damage_at(struct pr_profile_builder *c, enum pr_damage_kind kind, uint64_t offset)
{
    pr_damage_add(&c->profile->damage, kind, 1, offset);
}

static void add_bounded(struct pr_profile_builder *c, int64_t *sum, int64_t more)
{
    pr_build_damage(c, PR_DAMAGE_BOUNDED, pr_add_bounded(sum, more));
}

void pr_build_no_memory(struct pr_profile_builder *c)
{
    if (c->status == PR_OK)
        c->status = pr_fail_memory(c->err);
}

/* An id was PR_NO_ID: the set is at its limit, or memory ran out. */
static void no_room(struct pr_profile_builder *c, const struct pr_idset *set, const char *what)
{
    if (c->status != PR_OK)
        return;
    const bool folds = c->builder.fold.most && (set == &c->builder.nodes || set == &c->builder.facts);
    if (set->limit && set->count >= set->limit && !folds)
        c->status = pr_cut(c->err, PR_ERR_LIMIT, pr_source_offset(c->src), NULL, "more than %u %s", set->limit, what);
    else
        pr_build_no_memory(c);
}

bool pr_build_going(struct pr_profile_builder *c)
{
    if (c->status != PR_OK || !c->options->progress)
        return c->status == PR_OK;
    uint64_t offset = pr_source_offset(c->src);
    if (offset - c->reported_bytes < BYTES_A_REPORT)
        return true;
    uint64_t done, size;
    c->reported_bytes = offset;
    pr_source_progress(c->src, &done, &size);
    if (!c->options->progress(c->options->progress_context, done, size))
        c->status = pr_fail(c->err, PR_ERR_IO, offset, NULL, "interrupted");
    return c->status == PR_OK;
}

/* ---- frames, nodes, threads -------------------------------------------------------------------------------------- */

pr_str pr_build_string(struct pr_profile_builder *c, const void *bytes, size_t length)
{
    if (c->status != PR_OK)
        return 0;
    pr_str string = pr_strings_add(&c->profile->strings, bytes, length);
    if (string != PR_NO_STR)
        return string;
    pr_build_no_memory(c);
    return 0;
}

pr_str pr_build_text(struct pr_profile_builder *c, const char *text)
{
    return pr_build_string(c, text, strlen(text));
}

pr_str pr_build_buf(struct pr_profile_builder *c, struct pr_buf *text)
{
    if (text->failed)
        pr_build_no_memory(c);
    const pr_str string = text->failed ? 0 : pr_build_string(c, text->bytes, text->length);
    pr_buf_clear(text);
    return string;
}

const char *pr_build_word(struct pr_profile_builder *c, struct pr_text text)
{
    struct pr_buf copy = {0};
    pr_buf_add(&copy, text.bytes, text.length);
    if (!copy.failed)
        pr_utf8_make_plain(copy.bytes, copy.length);
    return pr_profile_text(c->profile, pr_build_buf(c, &copy)).bytes;
}

static int32_t line_of(int64_t line, int32_t most)
{
    return line > 0 && line <= most ? (int32_t)line : 0;
}

pr_frame_id pr_build_frame(struct pr_profile_builder *c, const struct pr_place *place)
{
    if (c->status != PR_OK || place->function == PR_NO_STR || place->file == PR_NO_STR) {
        pr_build_no_memory(c);
        return 0;
    }
    int32_t definition = line_of(place->definition_line, PR_MAX_DEFINITION_LINE);
    int32_t line = line_of(place->line, INT32_MAX);
    pr_frame_id frame = pr_stacks_defined_frame(&c->builder, place->function, place->file, line ? line : definition,
                                                place->kind, definition);
    if (frame != PR_NO_ID)
        return frame;
    no_room(c, &c->builder.frames, "frames");
    return 0;
}

/* The index of the number, added if it is new; PR_NO_ID after a failure. */
static uint32_t forward_of(struct pr_profile_builder *c, uint64_t number)
{
    if (c->status != PR_OK)
        return PR_NO_ID;
    uint32_t known = c->forward_ids.count, index = PR_NO_ID;
    if (pr_grow(&c->defined, &c->defined_capacity, known + (size_t)1, sizeof *c->defined))
        index = pr_idset_add(&c->forward_ids, &number, 1);
    if (index == PR_NO_ID)
        no_room(c, &c->forward_ids, "frames");
    else if (index == known)
        c->defined[index] = PR_NO_ID;
    return index;
}

/* Where the frame of a low number is remembered: no table is searched for it again. NULL: not a low number. */
static pr_frame_id *low_forward(struct pr_profile_builder *c, uint64_t number)
{
    enum { MAX_LOW = 1 << 20 };
    size_t known = c->low_capacity;
    if (number >= MAX_LOW || !pr_grow(&c->low_forward, &c->low_capacity, (size_t)number + 1, sizeof *c->low_forward))
        return NULL;
    for (; known < c->low_capacity; known++)
        c->low_forward[known] = PR_NO_ID;
    return &c->low_forward[number];
}

static pr_frame_id make_forward(struct pr_profile_builder *c, uint64_t number)
{
    const uint64_t key[2] = {forward_of(c, number), PR_FORWARD_KEY};
    if (key[0] == PR_NO_ID)
        return 0;
    pr_frame_id frame = pr_idset_add(&c->builder.frames, key, 2);
    if (frame != PR_NO_ID)
        return frame;
    no_room(c, &c->builder.frames, "frames");
    return 0;
}

pr_frame_id pr_build_forward(struct pr_profile_builder *c, uint64_t number)
{
    pr_frame_id *low = low_forward(c, number);
    if (!low)
        return make_forward(c, number);
    if (*low == PR_NO_ID)
        *low = make_forward(c, number);
    return *low;
}

void pr_build_define(struct pr_profile_builder *c, uint64_t number, const struct pr_place *place)
{
    uint32_t index = forward_of(c, number);
    if (index != PR_NO_ID)
        c->defined[index] = place ? pr_build_frame(c, place) : PR_SEEN_THROUGH;
}

/* Where the first child of PARENT is remembered, PR_ROOT = it has none; NULL: no memory. */
static pr_node_id *first_child_of(struct pr_profile_builder *c, pr_node_id parent)
{
    if (parent < c->first_child_count)
        return &c->first_child[parent];
    const size_t known = c->first_child_count;
    if (!pr_grow(&c->first_child, &c->first_child_capacity, parent + (size_t)1, sizeof *c->first_child))
        return NULL;
    c->first_child_count = c->first_child_capacity;
    memset(c->first_child + known, 0, (c->first_child_count - known) * sizeof *c->first_child);
    return &c->first_child[parent];
}

pr_node_id pr_build_child(struct pr_profile_builder *c, pr_node_id parent, pr_frame_id frame)
{
    if (c->status != PR_OK)
        return PR_ROOT;
    struct pr_stack_table *b = &c->builder;
    pr_node_id *first = first_child_of(c, parent), node;
    if (!first) {
        pr_build_no_memory(c);
        return PR_ROOT;
    }
    if (*first == PR_ROOT)
        node = pr_stacks_first_child(b, parent, frame);
    else if (pr_stacks_node_frame(b, *first) == frame)
        return *first;
    else
        node = pr_stacks_node(b, parent, frame, false);
    if (node == PR_NO_ID) {
        no_room(c, &b->nodes, "nodes in the call tree");
        return PR_ROOT;
    }
    if (*first == PR_ROOT && !pr_stacks_is_folded(b, node))
        *first = node;
    return node;
}

uint32_t pr_build_process(struct pr_profile_builder *c, uint64_t pid, pr_str name)
{
    if (c->status != PR_OK)
        return 0;
    uint32_t known = c->process_ids.count, process = PR_NO_ID;
    if (pr_grow(&c->processes, &c->process_capacity, known + (size_t)1, sizeof *c->processes))
        process = pr_idset_add(&c->process_ids, &pid, 1);
    if (process == PR_NO_ID) {
        no_room(c, &c->process_ids, "processes");
        return 0;
    }
    if (process == known)
        c->processes[process] = (struct pr_process){pid, 0};
    if (name)
        c->processes[process].name = name;
    return process;
}

uint32_t pr_build_thread(struct pr_profile_builder *c, uint32_t process, uint64_t tid)
{
    if (c->status != PR_OK)
        return 0;
    const uint64_t key[2] = {process, tid};
    uint32_t known = c->thread_ids.count, thread = PR_NO_ID;
    if (pr_grow(&c->threads, &c->thread_capacity, known + (size_t)1, sizeof *c->threads))
        thread = pr_idset_add(&c->thread_ids, key, 2);
    if (thread == PR_NO_ID) {
        no_room(c, &c->thread_ids, "threads");
        return 0;
    }
    if (thread == known)
        c->threads[thread] = (struct pr_thread){tid, 0, process};
    return thread;
}

void pr_build_number_thread(struct pr_profile_builder *c, uint32_t thread, uint32_t process, uint64_t tid)
{
    if (c->status != PR_OK)
        return;
    c->threads[thread].process = process;
    c->threads[thread].tid = tid;
}

void pr_build_name_thread(struct pr_profile_builder *c, uint32_t thread, pr_str name)
{
    if (c->status == PR_OK && name)
        c->threads[thread].name = name;
}

/* ---- metrics and facts ------------------------------------------------------------------------------------------ */

unsigned pr_build_metric(struct pr_profile_builder *c, const char *name, const char *title, enum pr_unit unit,
                         const char *count_name)
{
    if (c->status != PR_OK)
        return 0;
    for (unsigned i = 0; i < c->metric_count; i++)
        if (!strcmp(c->metrics[i].name, name))
            return i;
    if (c->metric_count == MAX_METRICS) {
        c->status = pr_cut(c->err, PR_ERR_LIMIT, pr_source_offset(c->src), NULL, "more than %d metrics", MAX_METRICS);
        return 0;
    }
    if (!pr_grow(&c->metrics, &c->metric_capacity, c->metric_count + (size_t)1, sizeof *c->metrics)) {
        pr_build_no_memory(c);
        return 0;
    }
    c->metrics[c->metric_count] =
        (struct pr_built_metric){.name = name, .title = title, .unit = unit, .count_name = count_name};
    return c->metric_count++;
}

void pr_build_uncounted(struct pr_profile_builder *c, unsigned metric)
{
    if (metric < c->metric_count)
        c->metrics[metric].count_name = NULL;
}

uint32_t pr_build_fact(struct pr_profile_builder *c, pr_node_id leaf, uint32_t thread)
{
    if (c->status != PR_OK)
        return 0;
    uint32_t fact = pr_stacks_plain_fact(&c->builder, leaf, thread);
    if (fact != PR_NO_ID)
        return fact;
    no_room(c, &c->builder.facts, "stacks");
    return 0;
}

uint32_t pr_build_fact_in_turn(struct pr_profile_builder *c, pr_node_id leaf, uint32_t thread)
{
    const uint64_t key = pr_pair(leaf, thread);
    if (c->status != PR_OK)
        return 0;
    if (!pr_grow(&c->last_fact, &c->last_fact_capacity, leaf + (size_t)1, sizeof *c->last_fact)) {
        pr_build_no_memory(c);
        return 0;
    }
    for (; c->last_fact_count <= leaf; c->last_fact_count++)
        c->last_fact[c->last_fact_count] = PR_NO_ID;
    uint32_t fact = c->last_fact[leaf];
    if (fact != PR_NO_ID && c->builder.facts.keys[fact] == key)
        return fact;
    fact = pr_idset_append(&c->builder.facts, &key);
    if (fact == PR_NO_ID && c->builder.fold.most)
        fact = pr_stacks_fold_fact(&c->builder, &key);
    c->last_fact[leaf] = fact;
    if (fact != PR_NO_ID)
        return fact;
    no_room(c, &c->builder.facts, "stacks");
    return 0;
}

bool pr_build_reach(struct pr_profile_builder *c, struct pr_built_metric *metric, uint32_t facts)
{
    if (facts <= metric->facts)
        return true;
    if (!pr_grow(&metric->value, &metric->value_capacity, facts, sizeof *metric->value) ||
        (metric->count_name && !pr_grow(&metric->count, &metric->count_capacity, facts, sizeof *metric->count))) {
        pr_build_no_memory(c);
        return false;
    }
    for (; metric->facts < facts; metric->facts++) {
        metric->value[metric->facts] = 0;
        if (metric->count_name)
            metric->count[metric->facts] = 0;
    }
    return true;
}

void pr_build_add(struct pr_profile_builder *c, uint32_t fact, unsigned metric, int64_t value, int64_t count)
{
    if (c->status != PR_OK)
        return;
    struct pr_built_metric *m = &c->metrics[metric];
    if (fact >= m->facts && !pr_build_reach(c, m, fact + 1))
        return;
    add_bounded(c, &m->value[fact], value);
    if (m->count_name)
        add_bounded(c, &m->count[fact], count);
}

/* The values of METRIC in 10^-(decimals + 1), if all of them still fit. */
static bool raise_decimals(struct pr_built_metric *metric)
{
    int64_t most = INT64_MAX / 1000; /* leaves room for later values, and for sums */
    for (uint32_t i = 0; i < metric->facts; i++)
        if (metric->value[i] > most || metric->value[i] < -most)
            return false;
    for (uint32_t i = 0; i < metric->facts; i++)
        metric->value[i] *= 10;
    metric->decimals++;
    return true;
}

void pr_build_add_decimal(struct pr_profile_builder *c, uint32_t fact, unsigned metric, struct pr_decimal value,
                          int64_t count)
{
    if (c->status != PR_OK)
        return;
    struct pr_built_metric *m = &c->metrics[metric];
    uint32_t places = pr_decimal_places(value);
    while (m->decimals < places && m->decimals < MAX_DECIMALS && raise_decimals(m))
        continue;
    pr_build_add(c, fact, metric, pr_decimal_scaled(value, (int32_t)m->decimals), count);
}

/* ---- time, graphs, notes ---------------------------------------------------------------------------------------- */

void pr_build_slice(struct pr_profile_builder *c, uint32_t fact, int64_t start_ns, int64_t duration_ns)
{
    pr_build_slice_of(c, 0, fact, start_ns, duration_ns);
}

void pr_build_slice_of(struct pr_profile_builder *c, uint32_t layer, uint32_t fact, int64_t start_ns,
                       int64_t duration_ns)
{
    if (c->status != PR_OK || duration_ns <= 0)
        return;
    struct pr_slice *last = c->slice_count ? &c->slices[c->slice_count - 1] : NULL;
    if (last && last->fact == fact && last->layer == layer &&
        pr_add_saturated(last->start_ns, last->duration_ns) == start_ns) {
        last->duration_ns = pr_add_saturated(last->duration_ns, duration_ns);
        return;
    }
    bool done = c->slice_count < PR_MAX_SLICES ||
                pr_slices_thin(c->slices, &c->slice_count, &c->slice_resolution_ns, pr_build_thread_of, &c->builder);
    if (!done || !pr_grow(&c->slices, &c->slice_capacity, c->slice_count + 1, sizeof *c->slices)) {
        pr_build_no_memory(c);
        return;
    }
    c->slices[c->slice_count++] = (struct pr_slice){start_ns, duration_ns, fact, layer};
}

void pr_build_moment(struct pr_profile_builder *c, uint32_t fact, int64_t at_ns, int64_t bytes)
{
    c->moments.most = c->moments.most ? c->moments.most : PR_MOST_MOMENTS;
    if (c->status == PR_OK && !pr_time_moments_add(&c->moments, fact, at_ns, bytes))
        pr_build_no_memory(c);
}

void pr_build_exact(struct pr_profile_builder *c, pr_frame_id frame, uint32_t thread, unsigned metric,
                    struct pr_exact row)
{
    if (c->status != PR_OK)
        return;
    const uint64_t key = pr_pair(frame, thread);
    struct pr_built_metric *m = &c->metrics[metric];
    uint32_t at = pr_idset_add(&c->exact_ids, &key, 1);
    if (at == PR_NO_ID || !pr_grow(&m->exact, &m->exact_capacity, at + (size_t)1, sizeof *m->exact)) {
        pr_build_no_memory(c);
        return;
    }
    for (; m->exact_rows <= at; m->exact_rows++)
        m->exact[m->exact_rows] = (struct pr_exact){0};
    struct pr_exact *sum = &m->exact[at];
    sum->self = pr_add_saturated(sum->self, row.self);
    sum->total = pr_add_saturated(sum->total, row.total);
    sum->self_count = pr_add_saturated(sum->self_count, row.self_count);
    sum->total_count = pr_add_saturated(sum->total_count, row.total_count);
}

void pr_build_note(struct pr_profile_builder *c, const char *format, ...)
{
    char text[400];
    va_list args;
    if (c->status == PR_FAILED || c->note_count == MAX_NOTES)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *note = pr_arena_copy(&c->profile->arena, text, strlen(text));
    if (!note || !pr_grow(&c->notes, &c->note_capacity, c->note_count + (size_t)1, sizeof *c->notes)) {
        pr_build_no_memory(c);
        return;
    }
    c->notes[c->note_count++] = note;
}
