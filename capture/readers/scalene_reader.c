/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scalene's JSON: what each line of a program took, in percent of the run.
 *
 *     {"elapsed_time_sec": 4.37, "files": {"/app/tiny.py": {"functions": [{"line": "hot", "lineno": 1, ...}],
 *      "lines": [{"lineno": 3, "start_function_line": 1, "n_cpu_percent_python": 15.03, "n_cpu_percent_c": 2.2,
 *                 "n_sys_percent": 24.16, "n_malloc_mb": 0, "n_peak_mb": 0, ...}]}}}
 *
 * - Figures are of lines, in the function that begins at start_function_line. Those of `functions` are not the sums of
 *   their lines, and only their names are taken.
 * - Percentages become times of the run: Python, native and system time, and all three. Megabytes are of 2^20.
 * - Scalene 1.5 does not say where the function of a line begins: its name is that of a stack that ends in the line.
 * - Who called a line is in `stacks`, for its times, and in `memory_stacks`: its figures are divided among the stacks
 *   that end in it by their shares. A line in which none ends has the callers of its function's most frequent stack;
 *   without one, the line is a stack of one frame.
 * - `combined_stacks`, with native frames, are samples of another clock, and left out; a note has their number.
 *
 * Source: Scalene 2.4.0 scalene_json.py; the file of the collection.
 */
#include "capture/builder/profile_builder.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/json_peek.h"
#include "capture/parse/json_stream.h"
#include "capture/builder/reader.h"
#include "capture/readers/scalene_stacks.h"

#include "capture/base/checked.h"

#include <inttypes.h>
#include <stdlib.h>

/* The metrics of a line. */
enum { PYTHON, NATIVE, SYSTEM, ALLOCATED, PEAK, MEASURES };

enum { NOT_GIVEN = -1 };

static const char *const measure_keys[MEASURES] = {"n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent",
                                                   "n_malloc_mb", "n_peak_mb"};

struct line {
    pr_str file;
    int64_t number, function_line; /* 0 = outside of functions; NOT_GIVEN in Scalene 1.5 */
    struct pr_decimal measure[MEASURES];
};

struct scalene {
    struct pr_profile_builder c;
    struct pr_json_stream json;
    struct line *lines;
    size_t line_count, line_capacity;
    uint32_t thread; /* the one for all: lines have none */
    struct pr_idset function_ids; /* file, line of the definition */
    pr_str *functions;
    size_t function_capacity;
    struct pr_idset place_ids; /* file, line: of all lines */
    int64_t *definitions;      /* [place_ids.count] where the line's function begins */
    size_t definition_capacity;
    struct pr_scalene_stacks times, memory;
    struct pr_idset caller_ids; /* file, line of the definition: of the functions in which a stack ends */
    uint32_t *frequent;         /* [caller_ids.count] the stack of `times` with the largest share */
    size_t frequent_capacity;
    struct pr_decimal elapsed; /* seconds */
    bool has_memory, has_elapsed;
    uint64_t stacks; /* with native frames, which are left out */
    uint64_t guessed; /* lines in which no stack ends, with callers */
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

static void add_place(struct scalene *r, const struct line *line)
{
    const uint64_t key[2] = {line->file, (uint64_t)line->number};
    uint32_t number = PR_NO_ID;
    if (pr_grow(&r->definitions, &r->definition_capacity, r->place_ids.count + (size_t)1, sizeof *r->definitions))
        number = pr_idset_add(&r->place_ids, key, 2);
    if (number == PR_NO_ID)
        pr_build_no_memory(&r->c);
    else
        r->definitions[number] = line->function_line;
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
    struct line line = {.file = file, .function_line = NOT_GIVEN};
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
    if (line.function_line > 0)
        add_place(r, &line);
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
        } else if (pr_json_is(json, "stacks")) {
            pr_scalene_read_stacks(&r->c, json, &r->times);
        } else if (pr_json_is(json, "memory_stacks")) {
            pr_scalene_read_stacks(&r->c, json, &r->memory);
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

/* Where the function of a line begins; 0 = not known. */
static int64_t definition_of(const struct scalene *r, pr_str file, int64_t line)
{
    const uint64_t key[2] = {file, (uint64_t)line};
    const uint32_t found = pr_idset_find(&r->place_ids, key, 2);
    return found == PR_NO_ID ? 0 : r->definitions[found];
}

/* Whether the function that Scalene lists is the one of a stack, where older versions leave out its class. */
static bool is_same_function(const struct scalene *r, pr_str listed, pr_str stacked)
{
    const struct pr_text name = pr_profile_text(r->c.profile, listed), end = pr_profile_text(r->c.profile, stacked);
    return listed == stacked || (pr_text_ends(name, end.bytes) && name.bytes[name.length - end.length - 1] == '.');
}

/*
 * A line of the function that begins at DEFINITION. What a stack calls it, if STACKED is not 0, counts more than what
 * Scalene lists: a comprehension has lines of the function that it is in.
 */
static pr_frame_id frame_of(struct scalene *r, pr_str file, int64_t line, int64_t definition, pr_str stacked)
{
    const uint64_t key[2] = {file, (uint64_t)definition};
    const uint32_t found = pr_idset_find(&r->function_ids, key, 2);
    const bool is_listed = found != PR_NO_ID && (!stacked || is_same_function(r, r->functions[found], stacked));
    const char *outside = definition == NOT_GIVEN ? "(unknown)" : "<module>";
    const struct pr_place place = {.function = is_listed ? r->functions[found]
                                               : stacked ? stacked
                                                         : pr_build_text(&r->c, outside),
                                   .file = file,
                                   .line = line,
                                   .definition_line = is_listed ? definition : 0,
                                   .kind = PR_FRAME_PYTHON};
    return pr_build_frame(&r->c, &place);
}

static pr_frame_id frame_in_stack(struct scalene *r, const struct pr_scalene_frame *frame)
{
    return frame_of(r, frame->file, frame->line, definition_of(r, frame->file, frame->line), frame->function);
}

/* The stack without its innermost frame. */
static pr_node_id caller_of(struct scalene *r, struct pr_scalene_stacks *s, uint32_t number)
{
    struct pr_scalene_stack *stack = &s->stacks[number];
    if (stack->caller != PR_NO_ID)
        return stack->caller;
    stack->caller = PR_ROOT;
    for (uint32_t i = 0; i + 1 < stack->count; i++)
        stack->caller = pr_build_child(&r->c, stack->caller, frame_in_stack(r, &s->frames[stack->first + i]));
    return stack->caller;
}

static void find_frequent(struct scalene *r)
{
    const struct pr_scalene_stacks *s = &r->times;
    for (size_t i = 0; i < s->stack_count; i++) {
        const struct pr_scalene_frame *leaf = &s->frames[s->stacks[i].first + s->stacks[i].count - 1];
        const uint64_t key[2] = {leaf->file, (uint64_t)definition_of(r, leaf->file, leaf->line)};
        const uint32_t before = r->caller_ids.count;
        uint32_t id = PR_NO_ID;
        if (pr_grow(&r->frequent, &r->frequent_capacity, before + (size_t)1, sizeof *r->frequent))
            id = pr_idset_add(&r->caller_ids, key, 2);
        if (id == PR_NO_ID) {
            pr_build_no_memory(&r->c);
            return;
        }
        if (id == before || s->stacks[i].share > s->stacks[r->frequent[id]].share)
            r->frequent[id] = (uint32_t)i;
    }
}

/* The caller of a line in which no stack ends. */
static pr_node_id likely_caller(struct scalene *r, const struct line *line)
{
    const uint64_t key[2] = {line->file, (uint64_t)line->function_line};
    const uint32_t found = line->function_line > 0 ? pr_idset_find(&r->caller_ids, key, 2) : PR_NO_ID;
    return found == PR_NO_ID ? PR_ROOT : caller_of(r, &r->times, r->frequent[found]);
}

typedef void add_figures(struct scalene *r, uint32_t fact, const int64_t *figures);

static void add_time(struct scalene *r, uint32_t fact, const int64_t *ns)
{
    static const char *const names[] = {"python", "native", "system"};
    static const char *const titles[] = {"Python time", "Native time", "System time"};
    const unsigned sum = pr_build_metric(&r->c, "cpu", "Time", PR_UNIT_NANOSECONDS, NULL);
    for (unsigned i = PYTHON; i <= SYSTEM; i++) {
        pr_build_add(&r->c, fact, sum, ns[i], 0);
        pr_build_add(&r->c, fact, pr_build_metric(&r->c, names[i], titles[i], PR_UNIT_NANOSECONDS, NULL), ns[i], 0);
    }
}

static void add_memory(struct scalene *r, uint32_t fact, const int64_t *bytes)
{
    const unsigned allocated = pr_build_metric(&r->c, "allocated", "Allocated", PR_UNIT_BYTES, NULL);
    const unsigned peak = pr_build_metric(&r->c, "peak", "Peak of the line", PR_UNIT_BYTES, NULL);
    pr_build_add(&r->c, fact, allocated, bytes[ALLOCATED], 0);
    pr_build_add(&r->c, fact, peak, bytes[PEAK], 0);
}

/* The part of the figures up to SHARE of 1, without those that were GIVEN before, which it is added to. */
static void next_part(const int64_t *figures, double share, int64_t *given, int64_t *part)
{
    for (unsigned i = 0; i < MEASURES; i++) {
        const int64_t end = share >= 1 ? figures[i] : pr_double_scaled((double)figures[i], share);
        part[i] = end > given[i] ? end - given[i] : 0;
        given[i] += part[i];
    }
}

/* The figures of a line in which no stack ends. */
static void add_alone(struct scalene *r, const struct line *line, const int64_t *figures, add_figures *add)
{
    const pr_frame_id leaf = frame_of(r, line->file, line->number, line->function_line, 0);
    const pr_node_id caller = likely_caller(r, line);
    const bool has_time = figures[PYTHON] > 0 || figures[NATIVE] > 0 || figures[SYSTEM] > 0;
    r->guessed += caller != PR_ROOT && add == add_time && has_time;
    add(r, pr_build_fact(&r->c, pr_build_child(&r->c, caller, leaf), r->thread), figures);
}

/* Divides the figures of a line among the stacks of S that end in it. */
static void divide(struct scalene *r, struct pr_scalene_stacks *s, const struct line *line, const int64_t *figures,
                   add_figures *add)
{
    const uint32_t first = pr_scalene_find_stack(s, line->file, line->number);
    double sum = 0, seen = 0;
    int64_t given[MEASURES] = {0}, part[MEASURES];
    if (first == PR_NO_ID)
        add_alone(r, line, figures, add);
    for (uint32_t i = first; i != PR_NO_ID; i = s->stacks[i].next)
        sum += s->stacks[i].share;
    for (uint32_t i = first; i != PR_NO_ID; i = s->stacks[i].next) {
        const struct pr_scalene_stack *stack = &s->stacks[i];
        seen += stack->share;
        next_part(figures, stack->next == PR_NO_ID ? 1 : seen / sum, given, part);
        const pr_frame_id leaf = frame_in_stack(r, &s->frames[stack->first + stack->count - 1]);
        const pr_node_id node = pr_build_child(&r->c, caller_of(r, s, i), leaf);
        add(r, pr_build_fact(&r->c, node, r->thread), part);
    }
}

static void collect_lines(struct scalene *r)
{
    r->thread = pr_build_thread(&r->c, pr_build_process(&r->c, 0, 0), 0);
    pr_build_metric(&r->c, "cpu", "Time", PR_UNIT_NANOSECONDS, NULL);
    pr_build_damage(&r->c, PR_DAMAGE_ASSUMED, r->line_count && !r->has_elapsed); /* shares of an unknown time */
    find_frequent(r);
    for (size_t i = 0; i < r->line_count && r->c.status == PR_OK; i++) {
        const struct line *line = &r->lines[i];
        int64_t figures[MEASURES];
        for (unsigned m = PYTHON; m <= SYSTEM; m++)
            figures[m] = pr_double_scaled(value_of(r->elapsed) * value_of(line->measure[m]), 1e9 / 100);
        for (unsigned m = ALLOCATED; m <= PEAK; m++)
            figures[m] = pr_double_scaled(value_of(line->measure[m]), 1 << 20);
        divide(r, &r->times, line, figures, add_time);
        if (r->has_memory)
            divide(r, &r->memory, line, figures, add_memory);
    }
    if (r->times.stack_count)
        pr_build_note(&r->c, "Scalene's figures are of lines; their callers are those of %zu sampled stack%s",
                      r->times.stack_count, r->times.stack_count == 1 ? "" : "s");
    else
        pr_build_note(&r->c, "Scalene's figures are of lines, not of stacks");
    if (r->guessed)
        pr_build_note(&r->c, "%" PRIu64 " line%s, in which no sampled stack ends, %s function's most frequent stack",
                      r->guessed, r->guessed == 1 ? "" : "s",
                      r->guessed == 1 ? "has the callers of its" : "have the callers of their");
    if (r->stacks)
        pr_build_note(&r->c, "%" PRIu64 " stack%s with native frames %s left out", r->stacks,
                      r->stacks == 1 ? "" : "s", r->stacks == 1 ? "was" : "were");
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct scalene r = {.function_ids = {.words = 2}, .place_ids = {.words = 2}, .caller_ids = {.words = 2},
                        .times = {.lines = {.words = 2}}, .memory = {.lines = {.words = 2}}};
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
    pr_idset_clear(&r.place_ids);
    pr_idset_clear(&r.caller_ids);
    pr_scalene_stacks_clear(&r.times);
    pr_scalene_stacks_clear(&r.memory);
    free(r.lines);
    free(r.functions);
    free(r.definitions);
    free(r.frequent);
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
