/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scalene's JSON: what each line of a program took, in percent of the run.
 *
 *     {"elapsed_time_sec": 4.37, "files": {"/app/tiny.py": {"functions": [{"line": "hot", "lineno": 1, ...}],
 *      "lines": [{"lineno": 3, "start_function_line": 1, "n_cpu_percent_python": 15.03, "n_cpu_percent_c": 2.2,
 *                 "n_sys_percent": 24.16, "n_malloc_mb": 0, "n_peak_mb": 0, ...}]}}}
 *
 * - It has lines, not stacks: each line is a stack of one frame, in the function that begins at start_function_line.
 *   The figures of `functions` are not the sums of their lines, and only their names are taken.
 * - Percentages become times of the run: Python, native and system time, and the three together. Megabytes are of 2^20.
 * - `stacks` and `combined_stacks` are a few samples of another clock, and left out; a note has their number.
 *
 * Source: Scalene 2.4.0 scalene_json.py; the file of the collection.
 */
#include "capture/builder/profile_builder.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/json_peek.h"
#include "capture/parse/json_stream.h"
#include "capture/builder/reader.h"

#include "capture/base/checked.h"

#include <inttypes.h>
#include <stdlib.h>

/* The metrics of a line. */
enum { PYTHON, NATIVE, SYSTEM, ALLOCATED, PEAK, MEASURES };

static const char *const measure_keys[MEASURES] = {"n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent",
                                                   "n_malloc_mb", "n_peak_mb"};

struct line {
    pr_str file;
    int64_t number, function_line;
    struct pr_decimal measure[MEASURES];
};

struct scalene {
    struct pr_profile_builder c;
    struct pr_json_stream json;
    struct line *lines;
    size_t line_count, line_capacity;
    struct pr_idset function_ids; /* file, line of the definition */
    pr_str *functions;
    size_t function_capacity;
    struct pr_decimal elapsed; /* seconds */
    bool has_memory, has_elapsed;
    uint64_t stacks; /* that were left out */
};

/* ---- the document ----------------------------------------------------------------------------------------------- */

static void add_function(struct scalene *r, pr_str file, pr_str name, int64_t line)
{
    const uint64_t key[2] = {file, (uint64_t)line};
    uint32_t number = PR_NO_ID;
    if (pr_grow(&r->functions, &r->function_capacity, r->function_ids.count + (size_t)1, sizeof *r->functions))
        number = pr_idset_add(&r->function_ids, key, 2);
    if (number == PR_NO_ID)
        pr_build_no_memory(&r->c);
    else
        r->functions[number] = name;
}

static void read_function(struct scalene *r, pr_str file)
{
    pr_str name = 0;
    int64_t line = 0;
    while (pr_json_key(&r->json)) {
        if (pr_json_is(&r->json, "line")) {
            pr_json_next(&r->json);
            if (r->json.token == PR_JSON_STRING)
                name = pr_build_string(&r->c, r->json.text.bytes, r->json.text.length);
            pr_json_skip(&r->json);
        } else if (pr_json_is(&r->json, "lineno")) {
            line = pr_json_value(&r->json, 0).value;
        } else {
            pr_json_skip(&r->json);
        }
    }
    if (name && line > 0)
        add_function(r, file, name, line);
}

/* The index of the measure that the current key names; MEASURES = none. */
static unsigned find_measure(const struct pr_json_stream *json)
{
    unsigned i = 0;
    while (i < MEASURES && !pr_text_is(json->text, measure_keys[i]))
        i++;
    return i;
}

static void read_line(struct scalene *r, pr_str file)
{
    struct line line = {.file = file};
    bool any = false;
    while (pr_json_key(&r->json)) {
        unsigned measure = find_measure(&r->json);
        if (measure < MEASURES) {
            pr_json_next(&r->json);
            if (pr_json_number(&r->json, &line.measure[measure]) && line.measure[measure].digits) {
                any = true;
                const int64_t billionths = pr_decimal_scaled(line.measure[measure], 9);
                pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, billionths == INT64_MAX);
                if (billionths < 0) { /* no share and no size is below 0 */
                    line.measure[measure] = (struct pr_decimal){0};
                    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
                }
                r->has_memory = r->has_memory || measure >= ALLOCATED;
            }
            pr_json_skip(&r->json);
        } else if (pr_json_is(&r->json, "lineno")) {
            line.number = pr_json_value(&r->json, 0).value;
        } else if (pr_json_is(&r->json, "start_function_line")) {
            line.function_line = pr_json_value(&r->json, 0).value;
        } else {
            pr_json_skip(&r->json);
        }
    }
    if (!any)
        return;
    if (!pr_grow(&r->lines, &r->line_capacity, r->line_count + 1, sizeof *r->lines))
        pr_build_no_memory(&r->c);
    else
        r->lines[r->line_count++] = line;
}

static void read_list(struct scalene *r, pr_str file, void (*read_item)(struct scalene *r, pr_str file))
{
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    while (pr_build_going(&r->c) && pr_json_object(&r->json))
        read_item(r, file);
}

static void read_file(struct scalene *r, pr_str file)
{
    if (!pr_json_enter(&r->json, PR_JSON_OBJECT))
        return;
    while (r->c.status == PR_OK && pr_json_key(&r->json)) {
        if (pr_json_is(&r->json, "functions"))
            read_list(r, file, read_function);
        else if (pr_json_is(&r->json, "lines"))
            read_list(r, file, read_line);
        else
            pr_json_skip(&r->json);
    }
}

static void count_stacks(struct scalene *r)
{
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    for (; pr_json_item(&r->json); r->stacks++)
        pr_json_skip(&r->json);
}

static enum pr_status read_document(struct scalene *r)
{
    struct pr_json_stream *json = &r->json;
    if (pr_json_next(json) != PR_JSON_OBJECT)
        return pr_json_unexpected(json, "an object");
    while (r->c.status == PR_OK && pr_json_key(json)) {
        if (pr_json_is(json, "files")) {
            if (!pr_json_enter(json, PR_JSON_OBJECT))
                continue;
            while (r->c.status == PR_OK && pr_json_key(json))
                read_file(r, pr_build_string(&r->c, json->text.bytes, json->text.length));
        } else if (pr_json_is(json, "combined_stacks")) {
            count_stacks(r);
        } else if (pr_json_is(json, "elapsed_time_sec")) {
            pr_json_next(json);
            r->has_elapsed = pr_json_number(json, &r->elapsed);
            if (r->elapsed.negative && r->elapsed.digits) {
                r->has_elapsed = false;
                r->elapsed = (struct pr_decimal){0};
                pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
            }
            pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, pr_decimal_scaled(r->elapsed, 9) == INT64_MAX);
            pr_json_skip(json);
        } else {
            pr_json_skip(json);
        }
    }
    return pr_json_finish(json);
}

/* ---- the profile ------------------------------------------------------------------------------------------------ */

static double value_of(struct pr_decimal number)
{
    int64_t billionths = pr_decimal_scaled(number, 9);
    return (double)billionths / 1e9;
}

static pr_frame_id frame_of(struct scalene *r, const struct line *line)
{
    const uint64_t key[2] = {line->file, (uint64_t)line->function_line};
    uint32_t found = pr_idset_find(&r->function_ids, key, 2);
    const struct pr_place place = {.function =
                                       found == PR_NO_ID ? pr_build_text(&r->c, "<module>") : r->functions[found],
                                   .file = line->file,
                                   .line = line->number,
                                   .definition_line = found == PR_NO_ID ? 0 : line->function_line,
                                   .kind = PR_FRAME_PYTHON};
    return pr_build_frame(&r->c, &place);
}

static void add_time(struct scalene *r, uint32_t fact, const struct line *line)
{
    static const char *const names[] = {"python", "native", "system"};
    static const char *const titles[] = {"Python time", "Native time", "System time"};
    unsigned sum = pr_build_metric(&r->c, "cpu", "Time", PR_UNIT_NANOSECONDS, NULL);
    for (unsigned i = PYTHON; i <= SYSTEM; i++) {
        int64_t ns = pr_double_scaled(value_of(r->elapsed) * value_of(line->measure[i]), 1e9 / 100);
        pr_build_add(&r->c, fact, sum, ns, 0);
        pr_build_add(&r->c, fact, pr_build_metric(&r->c, names[i], titles[i], PR_UNIT_NANOSECONDS, NULL), ns, 0);
    }
}

static void add_memory(struct scalene *r, uint32_t fact, const struct line *line)
{
    unsigned allocated = pr_build_metric(&r->c, "allocated", "Allocated", PR_UNIT_BYTES, NULL);
    unsigned peak = pr_build_metric(&r->c, "peak", "Peak of the line", PR_UNIT_BYTES, NULL);
    pr_build_add(&r->c, fact, allocated, pr_double_scaled(value_of(line->measure[ALLOCATED]), 1 << 20), 0);
    pr_build_add(&r->c, fact, peak, pr_double_scaled(value_of(line->measure[PEAK]), 1 << 20), 0);
}

static void collect_lines(struct scalene *r)
{
    uint32_t thread = pr_build_thread(&r->c, pr_build_process(&r->c, 0, 0), 0);
    pr_build_metric(&r->c, "cpu", "Time", PR_UNIT_NANOSECONDS, NULL);
    pr_build_damage(&r->c, PR_DAMAGE_ASSUMED, r->line_count && !r->has_elapsed); /* shares of an unknown time */
    for (size_t i = 0; i < r->line_count && r->c.status == PR_OK; i++) {
        const struct line *line = &r->lines[i];
        pr_node_id leaf = pr_build_child(&r->c, PR_ROOT, frame_of(r, line));
        uint32_t fact = pr_build_fact(&r->c, leaf, thread);
        add_time(r, fact, line);
        if (r->has_memory)
            add_memory(r, fact, line);
    }
    pr_build_note(&r->c, "Scalene's figures are of lines, not of stacks");
    if (r->stacks)
        pr_build_note(&r->c, "%" PRIu64 " stack%s that Scalene sampled %s left out", r->stacks,
                      r->stacks == 1 ? "" : "s", r->stacks == 1 ? "was" : "were");
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct scalene r = {.function_ids = {.words = 2}};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    pr_json_begin(&r.json, src, &options->limits, err);
    r.json.damage = &profile->damage;
    if (status == PR_OK)
        status = read_document(&r);
    if (status == PR_CUT && !r.line_count)
        status = PR_FAILED;
    if (status != PR_FAILED)
        collect_lines(&r);
    pr_idset_clear(&r.function_ids);
    free(r.lines);
    free(r.functions);
    pr_json_end(&r.json);
    return pr_build_finish(&r.c, status);
}

/* Keys are in alphabetical order: only this tool has the first ones. */
static unsigned probe(struct pr_source *src)
{
    static const char *const keys[] = {"alloc_samples", "async_profile", "combined_stacks", "elapsed_time_sec",
                                       "entrypoint_dir", "growth_rate", "max_footprint_mb"};
    struct pr_json_peek peek;
    unsigned bits = 0;
    pr_json_peek(src, &peek);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        bits += pr_json_evidence(&peek, keys[i], 0);
    return peek.first == '{' && bits > 160 ? bits : 0;
}

const struct pr_reader pr_scalene_reader = {"scalene", "Scalene profile", probe, read};
