/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processed format of profiler.firefox.com, version 48: tables of a thread of its own, which Vernier writes and the
 * profiler brings up to date as it reads them.
 * Source: firefox-profiler src/types/profile.ts and docs-developer/CHANGELOG-formats.md; Vernier
 * lib/vernier/output/firefox.rb.
 */
#include "cli/export/export_formats.h"

#include "capture/base/checked.h"
#include "capture/base/idset.h"
#include "capture/model/run_times.h"
#include "cli/reports/document_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MS_PLACES = 6 }; /* of a time in ns */

/* What the tables of a thread have, in the order of their rows; numbers in them are indexes + 1, 0 = none yet. */
struct list {
    uint32_t *of; /* [count] nodes or frames */
    size_t count, capacity;
};

struct writer {
    struct pr_json_writer json;
    const struct pr_exchange *what;
    const struct pr_profile *profile;
    uint32_t *stack_number; /* [node_count + 1] */
    uint32_t *frame_number; /* [frame_count + 1] */
    struct list stacks, frames, path;
    struct pr_idset functions; /* name, file */
    struct pr_idset strings;   /* pr_str */
    struct pr_slices slices;         /* if in_order, and the metric has some */
    const struct pr_moment *moments; /* [moment_count] */
    size_t moment_count;
    bool failed;
    int64_t slices_from_ns; /* when the first may begin, where 0 is the start of the run */
};

static void append(struct writer *w, struct list *list, uint32_t value)
{
    if (pr_grow(&list->of, &list->capacity, list->count + 1, sizeof *list->of))
        list->of[list->count++] = value;
    else
        w->failed = true;
}

static uint32_t number_in(struct writer *w, struct pr_idset *set, const uint64_t *key, unsigned words)
{
    const uint32_t number = pr_idset_add(set, key, words);
    w->failed |= number == PR_NO_ID;
    return number;
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

/* Gives the nodes of a stack their rows, callers first. */
static void take_stack(struct writer *w, pr_node_id leaf)
{
    const struct pr_tree *tree = &w->profile->tree;
    w->path.count = 0;
    for (pr_node_id node = leaf; node != PR_ROOT && !w->stack_number[node] && !w->failed; node = tree->parent[node])
        append(w, &w->path, node);
    while (w->path.count && !w->failed) {
        const pr_node_id node = w->path.of[--w->path.count];
        const pr_frame_id frame = tree->frame[node];
        append(w, &w->stacks, node);
        w->stack_number[node] = (uint32_t)w->stacks.count;
        if (w->frame_number[frame])
            continue;
        append(w, &w->frames, frame);
        w->frame_number[frame] = (uint32_t)w->frames.count;
    }
}

static void clear_tables(struct writer *w)
{
    for (size_t i = 0; i < w->stacks.count; i++)
        w->stack_number[w->stacks.of[i]] = 0;
    for (size_t i = 0; i < w->frames.count; i++)
        w->frame_number[w->frames.of[i]] = 0;
    w->stacks.count = w->frames.count = 0;
    pr_idset_clear(&w->functions);
    pr_idset_clear(&w->strings);
    w->functions = (struct pr_idset){.words = 2};
    w->strings = (struct pr_idset){.words = 1};
}

static uint32_t function_of(struct writer *w, pr_frame_id id)
{
    const struct pr_frame *frame = &w->profile->frames[id];
    const uint64_t key[2] = {frame->function, frame->file};
    return number_in(w, &w->functions, key, 2);
}

static void open_column(struct writer *w, const char *name)
{
    pr_json_put_key(&w->json, name);
    pr_json_put_open(&w->json, '[');
}

/* A column with the same value in each row; INT64_MIN: null. */
static void put_constant(struct writer *w, const char *name, size_t count, int64_t value)
{
    open_column(w, name);
    for (size_t i = 0; i < count; i++) {
        if (value == INT64_MIN)
            pr_json_put_null(&w->json);
        else
            pr_json_put_int(&w->json, value);
    }
    pr_json_put_close(&w->json, ']');
}

static void put_length(struct writer *w, size_t count)
{
    pr_json_put_key(&w->json, "length");
    pr_json_put_uint(&w->json, count);
    pr_json_put_close(&w->json, '}');
}

static void open_table(struct writer *w, const char *name)
{
    pr_json_put_key(&w->json, name);
    pr_json_put_open(&w->json, '{');
}

static void put_stacks(struct writer *w)
{
    const struct pr_tree *tree = &w->profile->tree;
    open_table(w, "stackTable");
    open_column(w, "frame");
    for (size_t i = 0; i < w->stacks.count; i++)
        pr_json_put_uint(&w->json, w->frame_number[tree->frame[w->stacks.of[i]]] - 1);
    pr_json_put_close(&w->json, ']');
    open_column(w, "prefix");
    for (size_t i = 0; i < w->stacks.count; i++) {
        const pr_node_id parent = tree->parent[w->stacks.of[i]];
        if (parent == PR_ROOT)
            pr_json_put_null(&w->json);
        else
            pr_json_put_uint(&w->json, w->stack_number[parent] - 1);
    }
    pr_json_put_close(&w->json, ']');
    put_constant(w, "category", w->stacks.count, 0);
    put_constant(w, "subcategory", w->stacks.count, 0);
    put_length(w, w->stacks.count);
}

static void put_frames(struct writer *w)
{
    const size_t count = w->frames.count;
    open_table(w, "frameTable");
    open_column(w, "func");
    for (size_t i = 0; i < count; i++)
        pr_json_put_uint(&w->json, function_of(w, w->frames.of[i]));
    pr_json_put_close(&w->json, ']');
    open_column(w, "line");
    for (size_t i = 0; i < count; i++) {
        const int64_t line = w->profile->frames[w->frames.of[i]].line;
        if (line > 0)
            pr_json_put_int(&w->json, line);
        else
            pr_json_put_null(&w->json);
    }
    pr_json_put_close(&w->json, ']');
    put_constant(w, "address", count, -1);
    put_constant(w, "inlineDepth", count, 0);
    put_constant(w, "category", count, 0);
    put_constant(w, "subcategory", count, 0);
    put_constant(w, "nativeSymbol", count, INT64_MIN);
    put_constant(w, "innerWindowID", count, INT64_MIN);
    put_constant(w, "implementation", count, INT64_MIN);
    put_constant(w, "column", count, INT64_MIN);
    put_length(w, count);
}

/* PART of the functions' keys: their names, or their files, of which there may be none. */
static void put_strings_of(struct writer *w, const char *name, unsigned part)
{
    open_column(w, name);
    for (uint32_t i = 0; i < w->functions.count; i++) {
        const uint64_t string = w->functions.keys[2 * (size_t)i + part];
        if (part && !string)
            pr_json_put_null(&w->json);
        else
            pr_json_put_uint(&w->json, number_in(w, &w->strings, &string, 1));
    }
    pr_json_put_close(&w->json, ']');
}

static void put_functions(struct writer *w)
{
    const uint32_t count = w->functions.count;
    open_table(w, "funcTable");
    put_strings_of(w, "name", 0);
    put_strings_of(w, "fileName", 1);
    for (unsigned i = 0; i < 2; i++) {
        open_column(w, i ? "relevantForJS" : "isJS");
        for (uint32_t each = 0; each < count; each++)
            pr_json_put_bool(&w->json, false);
        pr_json_put_close(&w->json, ']');
    }
    put_constant(w, "resource", count, -1);
    put_constant(w, "lineNumber", count, INT64_MIN);
    put_constant(w, "columnNumber", count, INT64_MIN);
    put_length(w, count);
}

static void put_empty(struct writer *w, const char *name, const char *const *columns)
{
    open_table(w, name);
    for (; *columns; columns++) {
        open_column(w, *columns);
        pr_json_put_close(&w->json, ']');
    }
    put_length(w, 0);
}

static void put_tables(struct writer *w)
{
    static const char *const markers[] = {"data", "name", "startTime", "endTime", "phase", "category", NULL};
    static const char *const resources[] = {"lib", "name", "host", "type", NULL};
    static const char *const symbols[] = {"libIndex", "address", "name", "functionSize", NULL};
    put_stacks(w);
    put_frames(w);
    put_functions(w);
    put_empty(w, "markers", markers);
    put_empty(w, "resourceTable", resources);
    put_empty(w, "nativeSymbols", symbols);
    open_column(w, "stringArray");
    for (uint32_t i = 0; i < w->strings.count; i++)
        pr_document_string(&w->json, w->profile, (pr_str)w->strings.keys[i]);
    pr_json_put_close(&w->json, ']');
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

struct sample {
    pr_node_id leaf;
    int64_t start_ns, value;
};

/* The next slice or moment of THREAD from *AT on. */
static bool next_in_order(const struct writer *w, uint32_t thread, size_t *at, struct sample *sample)
{
    const struct pr_profile *profile = w->profile;
    const bool slices = w->slices.count > 0;
    while (*at < (slices ? w->slices.count : w->moment_count)) {
        const struct pr_slice *slice = slices ? &w->slices.slice[*at] : NULL;
        const struct pr_moment *moment = slices ? NULL : &w->moments[*at];
        const uint32_t fact = slice ? slice->fact : moment->fact;
        ++*at;
        if (thread != UINT32_MAX && profile->fact_thread[fact] != thread)
            continue;
        sample->leaf = profile->fact_leaf[fact];
        sample->start_ns = slice ? pr_add_saturated(slice->start_ns, w->slices_from_ns) : moment->at_ns;
        sample->value = slice ? slice->duration_ns : moment->bytes;
        return true;
    }
    return false;
}

/*
 * The next sample of THREAD (UINT32_MAX: of all) from *AT on. Where the order is not known, each begins where the one
 * before it ends, or a millisecond after it where values are no times.
 */
static bool next_sample(const struct writer *w, uint32_t thread, size_t *at, struct sample *sample)
{
    enum { NS_PER_MS = 1000000 };
    const struct pr_records *records = w->what->records;
    const bool is_time = w->what->metric->unit == PR_UNIT_NANOSECONDS;
    if (w->what->in_order)
        return next_in_order(w, thread, at, sample);
    while (*at < records->count) {
        const struct pr_record *record = &records->record[(*at)++];
        if (!record->value || (thread != UINT32_MAX && record->thread != thread))
            continue;
        sample->start_ns = pr_add_saturated(sample->start_ns, !is_time             ? NS_PER_MS
                                                              : sample->value > 0 ? sample->value
                                                                                  : 0);
        sample->leaf = pr_exchange_leaf(record);
        sample->value = record->value;
        return true;
    }
    return false;
}

static void put_samples(struct writer *w, uint32_t thread)
{
    enum { STACK, TIME, WEIGHT, COLUMNS };
    static const char *const names[COLUMNS] = {"stack", "time", "weight"};
    const struct pr_metric *metric = w->what->metric;
    const bool is_time = metric->unit == PR_UNIT_NANOSECONDS;
    size_t count = 0;
    open_table(w, "samples");
    pr_json_put_key(&w->json, "weightType");
    pr_json_put_text(&w->json, is_time ? "tracing-ms" : metric->unit == PR_UNIT_BYTES ? "bytes" : "samples");
    for (unsigned column = 0; column < COLUMNS; column++) {
        struct sample sample = {0};
        count = 0;
        open_column(w, names[column]);
        for (size_t at = 0; next_sample(w, thread, &at, &sample); count++) {
            if (column == TIME)
                pr_json_put_fixed(&w->json, sample.start_ns, MS_PLACES);
            else if (column == WEIGHT)
                pr_json_put_fixed(&w->json, sample.value, is_time ? MS_PLACES : metric->decimals);
            else if (sample.leaf == PR_ROOT)
                pr_json_put_null(&w->json);
            else
                pr_json_put_uint(&w->json, w->stack_number[sample.leaf] - 1);
        }
        pr_json_put_close(&w->json, ']');
    }
    put_length(w, count);
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

static void put_number(struct writer *w, const char *key, uint64_t number)
{
    pr_json_put_key(&w->json, key);
    pr_json_put_uint(&w->json, number);
}

static void put_names(struct writer *w, uint32_t thread)
{
    const struct pr_profile *profile = w->profile;
    const struct pr_thread *of = thread == UINT32_MAX ? NULL : &profile->threads[thread];
    const bool has_process = of && of->process < profile->process_count;
    char text[40] = "all threads";
    if (of)
        snprintf(text, sizeof text, "thread %" PRIu64, of->tid);
    pr_json_put_key(&w->json, "name");
    if (of && of->name)
        pr_document_string(&w->json, profile, of->name);
    else
        pr_json_put_text(&w->json, text);
    pr_json_put_key(&w->json, "processType");
    pr_json_put_text(&w->json, "default");
    if (has_process && profile->processes[of->process].name) {
        pr_json_put_key(&w->json, "processName");
        pr_document_string(&w->json, profile, profile->processes[of->process].name);
    }
    put_number(w, "pid", has_process ? profile->processes[of->process].pid : 0);
    put_number(w, "tid", of ? of->tid : 0);
}

/* False: the thread has no samples. */
static bool take_tables(struct writer *w, uint32_t thread)
{
    struct sample sample = {0};
    bool has_samples = false;
    clear_tables(w);
    for (size_t at = 0; next_sample(w, thread, &at, &sample) && !w->failed; has_samples = true)
        take_stack(w, sample.leaf);
    return has_samples;
}

static void put_thread(struct writer *w, uint32_t thread)
{
    if (!take_tables(w, thread) || w->failed)
        return;
    pr_json_put_open(&w->json, '{');
    put_names(w, thread);
    pr_json_put_key(&w->json, "isMainThread");
    pr_json_put_bool(&w->json, true);
    put_number(w, "processStartupTime", 0);
    pr_json_put_key(&w->json, "processShutdownTime");
    pr_json_put_null(&w->json);
    put_number(w, "registerTime", 0);
    pr_json_put_key(&w->json, "unregisterTime");
    pr_json_put_null(&w->json);
    open_column(w, "pausedRanges");
    pr_json_put_close(&w->json, ']');
    put_samples(w, thread);
    put_tables(w);
    pr_json_put_close(&w->json, '}');
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* The profiler shows meta.extra with the profile's other facts. */
static void put_no_clock(struct writer *w)
{
    struct pr_json_writer *json = &w->json;
    const bool has_order = w->what->in_order;
    pr_json_put_key(json, "sampleTimes");
    pr_json_put_text(json, has_order ? "order" : "none");
    open_column(w, "extra");
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "label");
    pr_json_put_text(json, "Time");
    open_column(w, "entries");
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "label");
    pr_json_put_text(json, "Axis");
    pr_json_put_key(json, "format");
    pr_json_put_text(json, "string");
    pr_json_put_key(json, "value");
    pr_json_put_text(json, has_order ? "The order of samples, without a clock" : "Not time: the heaviest stacks first");
    pr_json_put_close(json, '}');
    pr_json_put_close(json, ']');
    pr_json_put_close(json, '}');
    pr_json_put_close(json, ']');
}

static void put_meta(struct writer *w)
{
    struct pr_json_writer *json = &w->json;
    const struct pr_maybe start_ms = w->profile->meta.start_ms;
    open_table(w, "meta");
    put_number(w, "version", 28);
    put_number(w, "preprocessedProfileVersion", 48);
    put_number(w, "interval", 1);
    put_number(w, "startTime", start_ms.known && start_ms.value > 0 ? (uint64_t)start_ms.value : 0);
    put_number(w, "processType", 0);
    put_number(w, "stackwalk", 1);
    pr_json_put_key(json, "product");
    pr_json_put_text(json, "profrender");
    pr_json_put_key(json, "symbolicated");
    pr_json_put_bool(json, true);
    pr_json_put_key(json, "sourceCodeIsNotOnSearchfox");
    pr_json_put_bool(json, true);
    if (!w->what->in_order || w->profile->slices_lack_clock)
        put_no_clock(w);
    open_column(w, "markerSchema");
    pr_json_put_close(json, ']');
    open_column(w, "categories");
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "name");
    pr_json_put_text(json, "Other");
    pr_json_put_key(json, "color");
    pr_json_put_text(json, "grey");
    open_column(w, "subcategories");
    pr_json_put_text(json, "Other");
    pr_json_put_close(json, ']');
    pr_json_put_close(json, '}');
    pr_json_put_close(json, ']');
    pr_json_put_close(json, '}');
}

static void put_file(struct writer *w)
{
    pr_json_put_lines(&w->json, '{');
    put_meta(w);
    open_column(w, "libs");
    pr_json_put_close(&w->json, ']');
    pr_json_put_key(&w->json, "threads");
    pr_json_put_lines(&w->json, '[');
    if (!w->what->split_threads)
        put_thread(w, UINT32_MAX);
    for (uint32_t thread = 0; w->what->split_threads && thread < w->profile->thread_count; thread++)
        put_thread(w, thread);
    pr_json_put_close(&w->json, ']');
    pr_json_put_close(&w->json, '}');
}

enum pr_status pr_exchange_firefox(struct pr_output *out, const struct pr_exchange *what, struct pr_error *err)
{
    struct writer w = {.json = pr_json_writer_start(out, what->raw_names), .what = what, .profile = what->profile};
    w.slices = pr_exchange_slices(what);
    w.slices_from_ns = pr_times_of_slices_ns(what->profile).value;
    w.moments = pr_exchange_moments(what, &w.moment_count);
    w.stack_number = calloc(what->profile->tree.count + (size_t)1, sizeof *w.stack_number);
    w.frame_number = calloc(what->profile->frame_count + (size_t)1, sizeof *w.frame_number);
    w.failed = !w.stack_number || !w.frame_number;
    if (!w.failed)
        put_file(&w);
    clear_tables(&w);
    free(w.stack_number);
    free(w.frame_number);
    free(w.stacks.of);
    free(w.frames.of);
    free(w.path.of);
    return w.failed ? pr_fail_memory(err) : PR_OK;
}
