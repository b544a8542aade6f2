/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope's file format: frames once, then profiles of samples with weights, or of frames that open and close.
 * Source: speedscope 1.23, src/lib/file-format-spec.ts.
 */
#include "cli/export/export_formats.h"

#include "capture/base/checked.h"
#include "cli/reports/document_parts.h"
#include "render/words/units.h"

#include <inttypes.h>
#include <stdio.h>

struct writer {
    struct pr_json_writer json;
    const struct pr_exchange *what;
    const struct pr_profile *profile;
    uint32_t *number; /* [frame_count] in the file + 1; 0 = not there */
    pr_node_id *path; /* from the leaf, or of the open frames from the root */
    size_t path_capacity, open_count;
    bool failed;
};

static const char *unit_of(const struct pr_metric *metric)
{
    const bool is_known = metric->unit == PR_UNIT_NANOSECONDS || metric->unit == PR_UNIT_BYTES;
    return pr_units_key(is_known ? metric->unit : PR_UNIT_NONE);
}

/* Whether the record belongs to a profile of THREAD; UINT32_MAX: of all threads. The format has no values below 0. */
static bool is_of(const struct pr_record *record, uint32_t thread)
{
    return record->value > 0 && (thread == UINT32_MAX || record->thread == thread);
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

static void mark(struct writer *w, pr_node_id leaf)
{
    for (pr_node_id node = leaf; node != PR_ROOT; node = w->profile->tree.parent[node])
        w->number[w->profile->tree.frame[node]] = 1;
}

static void write_frames(struct writer *w)
{
    const struct pr_profile *profile = w->profile;
    struct pr_json_writer *json = &w->json;
    uint32_t count = 0;
    for (size_t i = 0; i < w->what->records->count; i++) {
        if (is_of(&w->what->records->record[i], UINT32_MAX))
            mark(w, pr_exchange_leaf(&w->what->records->record[i]));
    }
    pr_json_put_key(json, "frames");
    pr_json_put_lines(json, '[');
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        const struct pr_frame *frame = &profile->frames[i];
        if (!w->number[i])
            continue;
        w->number[i] = ++count;
        pr_json_put_open(json, '{');
        pr_json_put_key(json, "name");
        pr_document_string(json, profile, frame->function);
        if (frame->file) {
            pr_json_put_key(json, "file");
            pr_document_string(json, profile, frame->file);
        }
        if (frame->line > 0) {
            pr_json_put_key(json, "line");
            pr_json_put_int(json, frame->line);
        }
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
}

static void push(struct writer *w, size_t at, pr_node_id node)
{
    if (!pr_grow(&w->path, &w->path_capacity, at + 1, sizeof *w->path))
        w->failed = true;
    else
        w->path[at] = node;
}

/* ---- profiles of samples ---------------------------------------------------------------------------------------- */

static void write_sample(struct writer *w, pr_node_id leaf)
{
    size_t depth = 0;
    for (pr_node_id node = leaf; node != PR_ROOT && !w->failed; node = w->profile->tree.parent[node])
        push(w, depth++, node);
    pr_json_put_open(&w->json, '[');
    while (depth && !w->failed)
        pr_json_put_uint(&w->json, w->number[w->profile->tree.frame[w->path[--depth]]] - 1);
    pr_json_put_close(&w->json, ']');
}

static int64_t sum_of(const struct pr_records *records, uint32_t thread)
{
    int64_t sum = 0;
    for (size_t i = 0; i < records->count; i++)
        sum = pr_add_saturated(sum, is_of(&records->record[i], thread) ? records->record[i].value : 0);
    return sum;
}

/* The name of a profile: that of its thread. */
static void write_name(struct writer *w, uint32_t thread)
{
    char text[40];
    pr_json_put_key(&w->json, "name");
    if (thread == UINT32_MAX) {
        pr_json_put_text(&w->json, w->what->metric->title);
    } else if (w->profile->threads[thread].name) {
        pr_document_string(&w->json, w->profile, w->profile->threads[thread].name);
    } else {
        snprintf(text, sizeof text, "thread %" PRIu64, w->profile->threads[thread].tid);
        pr_json_put_text(&w->json, text);
    }
}

static void open_profile(struct writer *w, const char *type, uint32_t thread, int64_t start, int64_t end)
{
    struct pr_json_writer *json = &w->json;
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "type");
    pr_json_put_text(json, type);
    write_name(w, thread);
    pr_json_put_key(json, "unit");
    pr_json_put_text(json, unit_of(w->what->metric));
    pr_json_put_key(json, "startValue");
    pr_json_put_fixed(json, start, w->what->metric->decimals);
    pr_json_put_key(json, "endValue");
    pr_json_put_fixed(json, end, w->what->metric->decimals);
}

static void write_samples(struct writer *w, uint32_t thread)
{
    const struct pr_records *records = w->what->records;
    struct pr_json_writer *json = &w->json;
    open_profile(w, "sampled", thread, 0, sum_of(records, thread));
    pr_json_put_key(json, "samples");
    pr_json_put_lines(json, '[');
    for (size_t i = 0; i < records->count && !w->failed; i++) {
        if (is_of(&records->record[i], thread))
            write_sample(w, pr_exchange_leaf(&records->record[i]));
    }
    pr_json_put_close(json, ']');
    pr_json_put_key(json, "weights");
    pr_json_put_open(json, '[');
    for (size_t i = 0; i < records->count; i++) {
        if (is_of(&records->record[i], thread))
            pr_json_put_fixed(json, records->record[i].value, w->what->metric->decimals);
    }
    pr_json_put_close(json, ']');
    pr_json_put_close(json, '}');
}

/* ---- profiles in the order of time ------------------------------------------------------------------------------ */

static void write_event(struct writer *w, const char *type, pr_node_id node, int64_t at_ns)
{
    struct pr_json_writer *json = &w->json;
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "type");
    pr_json_put_text(json, type);
    pr_json_put_key(json, "frame");
    pr_json_put_uint(json, w->number[w->profile->tree.frame[node]] - 1);
    pr_json_put_key(json, "at");
    pr_json_put_int(json, at_ns);
    pr_json_put_close(json, '}');
}

static void close_to(struct writer *w, size_t depth, int64_t at_ns)
{
    while (w->open_count > depth)
        write_event(w, "C", w->path[--w->open_count], at_ns);
}

static size_t depth_of(const struct pr_tree *tree, pr_node_id node)
{
    size_t depth = 0;
    for (; node != PR_ROOT; node = tree->parent[node])
        depth++;
    return depth;
}

/* Closes what is not on the stack of LEAF, and opens what is on it and not open. The path holds the open frames. */
static void open_stack(struct writer *w, pr_node_id leaf, int64_t at_ns)
{
    const struct pr_tree *tree = &w->profile->tree;
    const size_t depth = depth_of(tree, leaf);
    size_t same = depth;
    pr_node_id node = leaf;
    for (; same && !(same <= w->open_count && w->path[same - 1] == node); node = tree->parent[node])
        same--;
    close_to(w, same, at_ns);
    if (depth > same)
        push(w, depth - 1, leaf); /* makes room for all of them */
    node = leaf;
    for (size_t i = depth; i > same && !w->failed; i--, node = tree->parent[node])
        w->path[i - 1] = node;
    for (; w->open_count < depth && !w->failed; w->open_count++)
        write_event(w, "O", w->path[w->open_count], at_ns);
}

/* The slices of one thread. */
static void write_events(struct writer *w, const struct pr_slice *slices, size_t count)
{
    const struct pr_profile *profile = w->profile;
    const uint32_t thread = profile->fact_thread[slices->fact];
    int64_t end_ns = 0;
    open_profile(w, "evented", w->what->split_threads ? thread : UINT32_MAX, slices->start_ns,
                 slices[count - 1].start_ns + slices[count - 1].duration_ns);
    pr_json_put_key(&w->json, "events");
    pr_json_put_lines(&w->json, '[');
    for (size_t i = 0; i < count && !w->failed; i++) {
        open_stack(w, profile->fact_leaf[slices[i].fact], slices[i].start_ns);
        end_ns = slices[i].start_ns + slices[i].duration_ns;
    }
    close_to(w, 0, end_ns);
    pr_json_put_close(&w->json, ']');
    pr_json_put_close(&w->json, '}');
}

static void write_in_order(struct writer *w)
{
    const uint32_t *thread = w->profile->fact_thread;
    const struct pr_slices slices = pr_exchange_slices(w->what);
    for (size_t first = 0, last; first < slices.count; first = last) {
        for (last = first + 1; last < slices.count; last++) {
            if (thread[slices.slice[last].fact] != thread[slices.slice[first].fact])
                break;
        }
        write_events(w, slices.slice + first, last - first);
    }
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static void write_threads(struct writer *w)
{
    if (!w->what->split_threads) {
        write_samples(w, UINT32_MAX);
        return;
    }
    for (uint32_t thread = 0; thread < w->profile->thread_count; thread++) {
        if (sum_of(w->what->records, thread))
            write_samples(w, thread);
    }
}

static void write_file(struct writer *w)
{
    struct pr_json_writer *json = &w->json;
    pr_json_put_lines(json, '{');
    pr_json_put_key(json, "$schema");
    pr_json_put_text(json, "https://www.speedscope.app/file-format-schema.json");
    pr_json_put_key(json, "exporter");
    pr_json_put_text(json, "profrender");
    pr_json_put_key(json, "shared");
    pr_json_put_open(json, '{');
    write_frames(w);
    pr_json_put_close(json, '}');
    pr_json_put_key(json, "profiles");
    pr_json_put_lines(json, '[');
    if (w->what->in_order)
        write_in_order(w);
    else
        write_threads(w);
    pr_json_put_close(json, ']');
    pr_json_put_close(json, '}');
}

enum pr_status pr_exchange_speedscope(struct pr_output *out, const struct pr_exchange *what, struct pr_error *err)
{
    struct writer w = {.json = pr_json_writer_start(out, what->raw_names), .what = what, .profile = what->profile};
    w.number = calloc(what->profile->frame_count + (size_t)1, sizeof *w.number);
    w.failed = !w.number;
    if (!w.failed)
        write_file(&w);
    const bool failed = w.failed;
    free(w.number);
    free(w.path);
    return failed ? pr_fail_memory(err) : PR_OK;
}
