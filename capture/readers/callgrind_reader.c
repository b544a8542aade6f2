/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callgrind's text, which yappi and many converters write too: what each function cost, and what its calls cost.
 *
 *     events: Ir
 *     fl=(1) /app/a.c
 *     fn=(1) main
 *     16 400
 *     cfn=(2) work
 *     calls=3 25
 *     16 90000
 *
 * - A cost line is positions, as many as `positions:` names, then a cost for each event; costs that are missing are 0.
 *   After `calls=` it is what the calls cost with all below, and not part of the caller's own cost.
 * - Names have numbers: `(1) main` once, `(1)` from then on, separately for objects, files and functions. A callee is
 *   in the current file and object unless `cfi=` or `cfl=`, `cob=` precede it. A jump (`jfi=`, --collect-jumps) may
 *   be where a file gets its number.
 * - A function is identified by name, file and object. What was inlined into it from another file (`fi=`, `fe=`) is
 *   kept apart, and counts as called by it. Several parts in one file add up.
 * - A function's total is what the calls to it cost; one that was never called has its own and that of its calls.
 * - Events keep their names and are metrics; only those of callgrind itself, of Xdebug and of pprofile have a unit.
 *   yappi calls its microseconds Ticks. `event: sysTime : sysTime (elapsed ns)` precedes the list that has it
 *   (--collect-systime).
 * - pprofile: how often lines ran, their microseconds, and microseconds per hit, which have no sum; the time is 0 where
 *   it sampled (--statistic). Both are left out unless nothing else is there. A function has its first line: `load:12`.
 * - Callgrind ends with `totals:`, Cachegrind, which names no creator, and Xdebug with `summary:`. The second number of
 *   Xdebug's is the peak of memory, not a sum.
 * - yappi has the place in the name: `run /lib/threading.py:971`.
 * - It is a graph, like pstats: see call_graph.h. Indirect recursion has functions of its own (`walk'2`).
 *
 * Source: Valgrind 3.19 docs/cl-format.html, callgrind/dump.c and callgrind_annotate; yappi 1.7.6 yappi.py;
 * pprofile 2.2; profiles of Xdebug 3.2.
 */
#include "capture/base/ascii.h"
#include "capture/builder/call_graph.h"
#include "capture/builder/profile_builder.h"
#include "capture/parse/words.h"
#include "capture/parse/frame_text.h"
#include "capture/builder/reader.h"

#include "capture/base/checked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_BYTES = 64 * 1024, MAX_EVENTS = 24, MAX_TIMES = 4 };

/* Names with numbers. */
struct names {
    struct pr_idset ids;
    pr_str *name;
    size_t capacity;
};

struct event {
    const char *name, *title;
    enum pr_unit unit;
    int digits; /* costs are multiplied by 10 so many times */
    bool is_of_a_hit; /* has no sum */
};

struct callgrind {
    struct pr_profile_builder c;
    struct names objects, files, functions;
    pr_str object, file, function, home; /* current ones; the file that the function began in */
    pr_str called_object, called_file, called_function; /* of the next call; object and file: 0 = the current ones */
    bool has_function, after_calls;
    uint32_t function_number; /* of the current function; PR_NO_ID = it has no cost yet */
    int64_t call_count;       /* of calls= */

    unsigned event_count, position_count, time_count;
    struct event_time {
        pr_str name;
        int digits; /* to nanoseconds */
    } times[MAX_TIMES]; /* events that are times; their definitions come before the list of all */
    struct event events[MAX_EVENTS];
    struct pr_idset function_ids; /* name and file, object */
    struct function {
        pr_frame_id frame;
        uint32_t home; /* the function that this was inlined into, or its own number */
    } *functions_made;
    int64_t *self;                /* [functions * event_count] */
    size_t made_capacity, self_capacity;
    struct pr_idset call_ids;     /* caller and callee */
    int64_t *counts;              /* by call */
    int64_t *costs;               /* [calls * event_count] */
    size_t count_capacity, cost_capacity;
    bool has_creator, by_yappi, by_pprofile;
    const char *last_key; /* of the line that ends what Valgrind and Xdebug write, until it was read */
};

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* `(12) name`, `(12)` or `name`. */
static pr_str take_name(struct callgrind *r, struct names *names, struct pr_text text)
{
    uint64_t id;
    uint32_t length = 1;
    while (length < text.length && pr_is_digit(text.bytes[length]))
        length++;
    bool numbered = length > 1 && *text.bytes == '(' && length < text.length && text.bytes[length] == ')' &&
                    pr_text_number(pr_text_from(text, 1), &id);
    if (!numbered)
        return pr_build_string(&r->c, text.bytes, text.length);
    struct pr_text name = pr_text_trim(pr_text_from(text, length + (size_t)1));
    uint32_t known = names->ids.count, number = PR_NO_ID;
    names->ids.words = 1;
    if (pr_grow(&names->name, &names->capacity, known + (size_t)1, sizeof *names->name))
        number = pr_idset_add(&names->ids, &id, 1);
    if (number == PR_NO_ID) {
        pr_build_no_memory(&r->c);
        return 0;
    }
    if (number == known) {
        names->name[number] = 0;
        pr_build_damage(&r->c, PR_DAMAGE_FRAMES, !name.length); /* a number is given with its name first */
    }
    if (name.length)
        names->name[number] = pr_build_string(&r->c, name.bytes, name.length);
    return names->name[number];
}

static bool is_known(struct pr_text name)
{
    return name.length && !pr_text_is(name, "???") && !pr_text_is(name, "~");
}

/* If the file is not known, the object is shown instead. */
static pr_frame_id make_frame(struct callgrind *r, pr_str function, pr_str file, pr_str object)
{
    struct pr_text name = pr_profile_text(r->c.profile, function), path = pr_profile_text(r->c.profile, file);
    struct pr_place place = {.function = function, .file = file};
    if (!is_known(path)) {
        path = pr_profile_text(r->c.profile, object);
        place.file = is_known(path) ? object : 0;
    }
    uint64_t line;
    const char *colon = name.length ? memrchr(name.bytes, ':', name.length) : NULL;
    size_t end = colon ? (size_t)(colon - name.bytes) : 0, start = end > path.length ? end - path.length : 0;
    bool has_place = start > 1 && path.length && name.bytes[start - 1] == ' ' &&
                     !memcmp(name.bytes + start, path.bytes, path.length) &&
                     pr_text_number(pr_text_from(name, end + 1), &line) && line <= INT32_MAX;
    if (has_place) {
        place.function = pr_build_string(&r->c, name.bytes, start - 1);
        place.definition_line = (int64_t)line;
    }
    if (r->by_pprofile && end && pr_text_number(pr_text_from(name, end + 1), &line) && line <= INT32_MAX) {
        place.function = pr_build_string(&r->c, name.bytes, end); /* "load:12" */
        place.definition_line = (int64_t)line;
    }
    place.kind = pr_frame_kind_of(name, path);
    return pr_build_frame(&r->c, &place);
}

/* Makes *ARRAY have COUNT rows of costs; new ones are 0. */
static bool grow_costs(struct callgrind *r, int64_t **array, size_t *capacity, size_t count)
{
    size_t known = *capacity, need;
    if (!pr_mul_size(count, r->event_count, &need) || !pr_grow(array, capacity, need, sizeof **array)) {
        pr_build_no_memory(&r->c);
        return false;
    }
    if (*capacity > known)
        memset(*array + known, 0, (*capacity - known) * sizeof **array);
    return true;
}

/* The number of a function; PR_NO_ID: no memory. */
static uint32_t number_of(struct callgrind *r, pr_str function, pr_str file, pr_str object)
{
    const uint64_t key[2] = {pr_pair(function, file), object};
    uint32_t known = r->function_ids.count;
    uint32_t number = pr_idset_add(&r->function_ids, key, 2);
    if (number == PR_NO_ID ||
        !pr_grow(&r->functions_made, &r->made_capacity, number + (size_t)1, sizeof *r->functions_made)) {
        pr_build_no_memory(&r->c);
        return PR_NO_ID;
    }
    if (!grow_costs(r, &r->self, &r->self_capacity, number + (size_t)1))
        return PR_NO_ID;
    if (number == known)
        r->functions_made[number] = (struct function){make_frame(r, function, file, object), number};
    return number;
}

/* ---- the head --------------------------------------------------------------------------------------------------- */

static enum pr_unit unit_of(struct pr_text event)
{
    static const char *const counted[] = {"Ir",   "Dr", "Dw",  "I1mr", "D1mr", "D1mw", "ILmr", "DLmr",    "DLmw",
                                          "Bc",   "Bcm", "Bi", "Bim",  "Ge",   "I2mr", "D2mr", "sysCount"};
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (pr_text_is(event, counted[i]))
            return PR_UNIT_COUNT;
    return PR_UNIT_NONE;
}

/* `sysTime : sysTime (elapsed ns)`, by --collect-systime. */
static void take_definition(struct callgrind *r, struct pr_text rest)
{
    static const struct {
        const char *ending;
        int digits;
    } units[] = {{" ns)", 0}, {" us)", 3}, {" ms)", 6}};
    const struct pr_text name = pr_fields_word(&rest);
    rest = pr_text_trim(rest);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (pr_text_ends(rest, units[i].ending) && r->time_count < MAX_TIMES)
            r->times[r->time_count++] = (struct event_time){pr_build_string(&r->c, name.bytes, name.length),
                                                            units[i].digits};
}

static const char *title_of(struct callgrind *r, struct pr_text word)
{
    static const char *const titles[][2] = {{"Ir", "Instructions"},
                                            {"sysCount", "System calls"},
                                            {"sysTime", "Time in system calls"},
                                            {"sysCpuTime", "CPU time in system calls"}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (pr_text_is(word, titles[i][0]))
            return titles[i][1];
    return pr_build_word(&r->c, word);
}

static struct event event_of(struct callgrind *r, struct pr_text word)
{
    /* Xdebug's have units in their names. */
    static const struct event time = {"time", "Time", PR_UNIT_NANOSECONDS, 1, false},
                              memory = {"memory", "Memory", PR_UNIT_BYTES, 0, false};
    if (pr_text_is(word, "Time_(10ns)"))
        return time;
    if (pr_text_is(word, "Memory_(bytes)"))
        return memory;
    const char *name = pr_build_word(&r->c, word), *title = title_of(r, word);
    for (unsigned i = 0; i < r->time_count; i++)
        if (!pr_text_compare(pr_profile_text(r->c.profile, r->times[i].name), word))
            return (struct event){name, title, PR_UNIT_NANOSECONDS, r->times[i].digits, false};
    return (struct event){.name = name, .title = title, .unit = unit_of(word)};
}

static struct event event_of_pprofile(struct callgrind *r, struct pr_text word)
{
    if (pr_text_is(word, "microseconds"))
        return (struct event){"time", "Time", PR_UNIT_NANOSECONDS, 3, false};
    if (pr_text_is(word, "usphit"))
        return (struct event){"usphit", "Microseconds per hit", PR_UNIT_NONE, 0, true};
    return (struct event){pr_build_word(&r->c, word), "Lines run", PR_UNIT_COUNT, 0, false};
}

/* Only the first list counts: costs are in its order. */
static void take_events(struct callgrind *r, struct pr_text rest)
{
    struct pr_text word;
    if (r->event_count)
        return;
    while (r->event_count < MAX_EVENTS && (word = pr_fields_word(&rest)).length) {
        r->events[r->event_count++] = r->by_pprofile ? event_of_pprofile(r, word) : event_of(r, word);
    }
}

static void take_positions(struct callgrind *r, struct pr_text rest)
{
    r->position_count = 0;
    while (r->position_count < 4 && pr_fields_word(&rest).length)
        r->position_count++;
}

static void take_creator(struct callgrind *r, struct pr_text creator)
{
    r->has_creator = true;
    r->by_yappi = pr_text_is(creator, "yappi");
    r->by_pprofile = pr_text_is(creator, "pprofile");
    if (pr_text_starts(creator, "callgrind-"))
        r->last_key = "totals";
    else if (pr_text_starts(creator, "xdebug "))
        r->last_key = "summary";
}

/* `key: value`. True if it was one. */
static bool take_head(struct callgrind *r, struct pr_text line)
{
    const char *colon = memchr(line.bytes, ':', line.length);
    struct pr_text key = {line.bytes, colon ? (uint32_t)(colon - line.bytes) : 0};
    struct pr_meta *meta = &r->c.profile->meta;
    if (!colon || !key.length || key.bytes[0] < 'a' || key.bytes[0] > 'z' || memchr(key.bytes, '=', key.length))
        return false;
    struct pr_text value = pr_text_trim(pr_text_from(line, key.length + (size_t)1));
    uint64_t pid;
    if (pr_text_is(key, "events"))
        take_events(r, value);
    else if (pr_text_is(key, "event"))
        take_definition(r, value);
    else if (pr_text_is(key, "positions"))
        take_positions(r, value);
    else if (pr_text_is(key, "creator"))
        take_creator(r, value);
    else if (r->last_key && pr_text_is(key, r->last_key))
        r->last_key = NULL;
    else if (pr_text_is(key, "desc") && pr_text_starts(value, "I1 cache:") && !r->has_creator)
        r->last_key = "summary";
    else if (pr_text_is(key, "cmd"))
        meta->command_line = pr_build_string(&r->c, value.bytes, value.length);
    else if (pr_text_is(key, "pid") && pr_text_number(value, &pid) && pid <= INT64_MAX)
        meta->pid = (struct pr_maybe){true, (int64_t)pid};
    return true;
}

/* ---- the body --------------------------------------------------------------------------------------------------- */

static void begin_function(struct callgrind *r, pr_str function)
{
    r->function = function;
    r->home = r->file;
    r->has_function = true;
    r->function_number = PR_NO_ID;
    r->called_object = r->called_file = r->called_function = 0;
}

/* Code of the current function from another file has a row of its own. */
static void change_file(struct callgrind *r, pr_str file)
{
    r->file = file;
    r->function_number = PR_NO_ID;
}

/* `calls=3 25`: the line of costs that follows is theirs. */
static bool take_calls(struct callgrind *r, struct pr_text value)
{
    struct pr_decimal number;
    r->after_calls = pr_fields_number(&value, &number);
    r->call_count = r->after_calls ? pr_decimal_scaled(number, 0) : 0;
    return r->after_calls;
}

/* Where jumps go has no figures, but may be where the name of a number is given. True if it was one. */
static bool take_jump(struct callgrind *r, struct pr_text key, struct pr_text value)
{
    if (pr_text_is(key, "jfi"))
        take_name(r, &r->files, value);
    else if (pr_text_is(key, "jfn"))
        take_name(r, &r->functions, value);
    else
        return pr_text_is(key, "jump") || pr_text_is(key, "jcnd");
    return true;
}

/* `fn=main`. True if it was one of these. */
static bool take_assignment(struct callgrind *r, struct pr_text line)
{
    const char *equals = memchr(line.bytes, '=', line.length < 8 ? line.length : 8);
    struct pr_text key = {line.bytes, equals ? (uint32_t)(equals - line.bytes) : 0};
    if (!equals)
        return false;
    struct pr_text value = pr_text_trim(pr_text_from(line, key.length + (size_t)1));
    if (pr_text_is(key, "fn"))
        begin_function(r, take_name(r, &r->functions, value));
    else if (pr_text_is(key, "fl") || pr_text_is(key, "fi") || pr_text_is(key, "fe"))
        change_file(r, take_name(r, &r->files, value));
    else if (pr_text_is(key, "ob"))
        r->object = take_name(r, &r->objects, value);
    else if (pr_text_is(key, "cfn"))
        r->called_function = take_name(r, &r->functions, value);
    else if (pr_text_is(key, "cfl") || pr_text_is(key, "cfi"))
        r->called_file = take_name(r, &r->files, value);
    else if (pr_text_is(key, "cob"))
        r->called_object = take_name(r, &r->objects, value);
    else if (pr_text_is(key, "calls"))
        return take_calls(r, value);
    else
        return take_jump(r, key, value);
    return true;
}

/* The costs of a line, however many. False: not a line of costs. */
static bool parse_costs(struct callgrind *r, struct pr_text line, int64_t *cost)
{
    for (unsigned i = 0; i < r->position_count; i++) {
        struct pr_text word = pr_fields_word(&line);
        if (!word.length || !strchr("0123456789+-*", *word.bytes))
            return false;
    }
    for (unsigned i = 0; i < r->event_count; i++) {
        struct pr_text word = pr_fields_word(&line);
        struct pr_decimal number;
        cost[i] = 0;
        if (word.length && pr_decimal_parse(word.bytes, word.length, &number) != word.length)
            return false;
        if (word.length && !number.negative)
            cost[i] = pr_decimal_scaled(number, r->events[i].digits);
        pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, word.length && number.negative && number.digits);
    }
    return true;
}

static void add_call(struct callgrind *r, const int64_t *cost)
{
    uint32_t callee = number_of(r, r->called_function, r->called_file ? r->called_file : r->file,
                                r->called_object ? r->called_object : r->object);
    const uint64_t key = pr_pair(r->function_number, callee);
    uint32_t known = r->call_ids.count, number = PR_NO_ID;
    r->called_object = r->called_file = r->called_function = 0;
    r->after_calls = false;
    if (callee == PR_NO_ID)
        return;
    if (pr_grow(&r->counts, &r->count_capacity, known + (size_t)1, sizeof *r->counts))
        number = pr_idset_add(&r->call_ids, &key, 1);
    if (number == PR_NO_ID) {
        pr_build_no_memory(&r->c);
        return;
    }
    if (!grow_costs(r, &r->costs, &r->cost_capacity, number + (size_t)1))
        return;
    if (number == known)
        r->counts[number] = 0;
    pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, pr_add_bounded(&r->counts[number], r->call_count));
    for (unsigned i = 0; i < r->event_count; i++) {
        int64_t *sum = &r->costs[(size_t)number * r->event_count + i];
        pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, pr_add_bounded(sum, cost[i]));
    }
}

/* The number of the current function, or of its part from the current file. False: no memory. */
static bool settle_function(struct callgrind *r)
{
    uint32_t known = r->function_ids.count;
    uint32_t number = number_of(r, r->function, r->file, r->object);
    bool is_new = number == known;
    uint32_t home = r->home == r->file ? number : number_of(r, r->function, r->home, r->object);
    if (number == PR_NO_ID || home == PR_NO_ID)
        return false;
    if (is_new)
        r->functions_made[number].home = home;
    r->function_number = number;
    return true;
}

static bool take_costs(struct callgrind *r, struct pr_text line)
{
    int64_t cost[MAX_EVENTS];
    if (!r->has_function || !r->event_count || !parse_costs(r, line, cost))
        return false;
    if (r->function_number == PR_NO_ID && !settle_function(r))
        return true;
    if (r->after_calls) {
        add_call(r, cost);
        return true;
    }
    for (unsigned i = 0; i < r->event_count; i++) {
        int64_t *sum = &r->self[(size_t)r->function_number * r->event_count + i];
        pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, pr_add_bounded(sum, cost[i]));
    }
    return true;
}

/* Costs begin with a position, absolute or relative to the one before. */
static bool is_costs(struct pr_text line)
{
    return strchr("0123456789+-*", *line.bytes) != NULL;
}

/* The costs of a call are missing: what comes next is not theirs. */
static void forget_calls(struct callgrind *r)
{
    r->after_calls = false;
    r->called_object = r->called_file = r->called_function = 0;
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
}

static enum pr_status read_lines(struct callgrind *r)
{
    struct pr_lines lines = pr_lines_begin(r->c.src, r->c.err);
    while (pr_build_going(&r->c) && pr_lines_next(&lines)) {
        struct pr_text line = pr_text_trim(lines.text);
        if (!line.length || *line.bytes == '#')
            continue;
        if (!lines.ended && !r->by_yappi) /* a number may be cut short; yappi ends its files like this */
            return pr_cut(r->c.err, PR_ERR_TRUNCATED, lines.offset, "callgrind line", "the input ends in a line");
        if (r->after_calls && !is_costs(line))
            forget_calls(r);
        if (!take_assignment(r, line) && !take_head(r, line) && !take_costs(r, line))
            pr_build_damage_at(&r->c, PR_DAMAGE_LINES, lines.offset);
    }
    if (r->after_calls)
        forget_calls(r);
    const enum pr_status status = pr_lines_status(&lines);
    if (status != PR_END || !r->last_key)
        return status;
    return pr_cut(r->c.err, PR_ERR_TRUNCATED, lines.offset, "callgrind line", "the input ends before its totals");
}

/* ---- the graph -------------------------------------------------------------------------------------------------- */

/* Self figures, and totals as if there were no calls. */
static void fill_functions(const struct callgrind *r, unsigned event, struct pr_call_graph_function *functions)
{
    for (uint32_t i = 0; i < r->function_ids.count; i++) {
        int64_t self = r->self[(size_t)i * r->event_count + event];
        functions[i] = (struct pr_call_graph_function){r->functions_made[i].frame, {.self = self, .total = self}};
    }
    for (uint32_t i = 0; i < r->call_ids.count; i++) {
        uint32_t caller = pr_high(r->call_ids.keys[i]), callee = pr_low(r->call_ids.keys[i]);
        struct pr_exact *called = &functions[callee].row, *calling = &functions[caller].row;
        called->self_count = pr_add_saturated(called->self_count, r->counts[i]);
        if (caller == callee)
            continue;
        called->total_count = pr_add_saturated(called->total_count, r->counts[i]);
        calling->total = pr_add_saturated(calling->total, r->costs[(size_t)i * r->event_count + event]);
    }
}

/* Calls, including those of inlined code; returns their number. */
static size_t fill_calls(const struct callgrind *r, unsigned event, struct pr_call_graph_function *functions,
                         struct pr_call_graph_call *calls)
{
    size_t count = 0;
    for (uint32_t i = 0; i < r->call_ids.count; i++) {
        uint32_t caller = pr_high(r->call_ids.keys[i]), callee = pr_low(r->call_ids.keys[i]);
        int64_t cost = r->costs[(size_t)i * r->event_count + event];
        calls[count++] = (struct pr_call_graph_call){caller, callee, cost > 0 ? cost : 0, -1, r->counts[i]};
    }
    for (uint32_t i = 0; i < r->function_ids.count; i++) {
        const uint32_t home = r->functions_made[i].home;
        const int64_t cost = functions[i].row.total;
        if (home == i)
            continue;
        calls[count++] = (struct pr_call_graph_call){home, i, cost > 0 ? cost : 0, -1, 0};
        functions[home].row.total = pr_add_saturated(functions[home].row.total, cost);
    }
    return count;
}

/* Totals of functions that were called by others are what these calls cost. CALLED: an element for each function. */
static void settle_totals(struct pr_call_graph_function *functions, const struct pr_call_graph_call *calls,
                          size_t count, bool *called)
{
    for (size_t i = 0; i < count; i++) {
        struct pr_exact *row = &functions[calls[i].callee].row;
        if (calls[i].caller == calls[i].callee)
            continue;
        row->total = pr_add_saturated(called[calls[i].callee] ? row->total : 0, calls[i].total);
        called[calls[i].callee] = true;
    }
}

/* `walk'2`: a function below itself. */
static bool recurs(const struct callgrind *r, pr_frame_id frame)
{
    const struct pr_text name = pr_profile_text(r->c.profile, pr_stacks_frame_get(&r->c.builder, frame).function);
    const char *quote = memrchr(name.bytes, '\'', name.length);
    uint64_t number;
    return quote && pr_text_number(pr_text_from(name, (size_t)(quote + 1 - name.bytes)), &number);
}

/* Costs of calls are added up though some ran within others, as callgrind_annotate does. */
static void note_recursion(struct callgrind *r, const struct pr_call_graph_function *functions, size_t count)
{
    int64_t whole = 0;
    for (size_t i = 0; i < count; i++)
        whole = pr_add_saturated(whole, functions[i].row.self);
    for (size_t i = 0; i < count; i++)
        if (functions[i].row.total > whole && recurs(r, functions[i].frame)) {
            pr_build_note(&r->c, "a recursive function's total counts its inner calls again, and can exceed 100 %%");
            return;
        }
}

/* pprofile's time comes after its counts, but is what is asked for first. */
static unsigned in_turn(const struct callgrind *r, unsigned turn)
{
    return r->by_pprofile && turn < 2 && r->event_count > 1 ? 1 - turn : turn;
}

/* EVENT is one of pprofile's that tells nothing: it has no sum, or is a time where only samples were counted. */
static bool tells_nothing(const struct callgrind *r, unsigned event)
{
    if (!r->by_pprofile || r->events[event].unit != PR_UNIT_NANOSECONDS)
        return r->events[event].is_of_a_hit;
    for (uint32_t i = 0; i < r->function_ids.count; i++)
        if (r->self[(size_t)i * r->event_count + event])
            return false;
    return true;
}

static void collect_graphs(struct callgrind *r)
{
    uint32_t thread = pr_build_thread(&r->c, pr_build_process(&r->c, 0, 0), 0);
    const size_t count = r->function_ids.count;
    struct pr_call_graph_function *functions = calloc(count + 1, sizeof *functions);
    struct pr_call_graph_call *calls = calloc(count + r->call_ids.count + 1, sizeof *calls);
    bool *called = malloc(count + 1);
    if (!functions || !calls || !called)
        pr_build_no_memory(&r->c);
    for (unsigned turn = 0; turn < r->event_count && r->c.status != PR_FAILED; turn++) {
        const unsigned i = in_turn(r, turn);
        const struct event *event = &r->events[i];
        const bool is_needed = !r->c.metric_count && turn + 1 == r->event_count;
        if (tells_nothing(r, i) && !is_needed)
            continue;
        const unsigned metric = pr_build_metric(&r->c, event->name, event->title, event->unit, "calls");
        if (!r->call_ids.count)
            pr_build_uncounted(&r->c, metric); /* cachegrind's */
        memset(called, 0, count + 1);
        fill_functions(r, i, functions);
        struct pr_call_graph graph = {functions, (uint32_t)count, calls, fill_calls(r, i, functions, calls)};
        settle_totals(functions, calls, graph.call_count, called);
        if (turn == 0)
            note_recursion(r, functions, count);
        pr_call_graph_collect(&r->c, thread, metric, &graph);
    }
    free(functions);
    free(calls);
    free(called);
}

static void clear_names(struct names *names)
{
    pr_idset_clear(&names->ids);
    free(names->name);
}

static void clear(struct callgrind *r)
{
    clear_names(&r->objects);
    clear_names(&r->files);
    clear_names(&r->functions);
    pr_idset_clear(&r->function_ids);
    pr_idset_clear(&r->call_ids);
    free(r->functions_made);
    free(r->self);
    free(r->counts);
    free(r->costs);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct callgrind r = {.position_count = 1, .function_ids = {.words = 2}, .call_ids = {.words = 1}};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    if (status == PR_OK)
        status = read_lines(&r);
    bool nothing = !r.event_count || !r.function_ids.count;
    if (nothing && status == PR_CUT)
        status = PR_FAILED;
    if (nothing && status == PR_END && r.c.status == PR_OK)
        status = pr_fail(err, PR_ERR_DAMAGED, 0, "callgrind line", "no function has a cost");
    if (status != PR_FAILED) {
        collect_graphs(&r);
    }
    clear(&r);
    return pr_build_finish(&r.c, status);
}

/* ---- probing ---------------------------------------------------------------------------------------------------- */

/* The first line that callgrind writes, 18 bytes; else a list of events and a function, 10 bytes. */
static unsigned probe(struct pr_source *src)
{
    static const char first[] = "# callgrind format";
    struct pr_source view = pr_source_view(src, LOOK_BYTES);
    struct pr_lines lines = pr_lines_begin(&view, NULL);
    bool events = false, function = false;
    for (unsigned number = 0; pr_lines_next(&lines) && !(events && function); number++) {
        if (number == 0 && pr_text_starts(lines.text, first))
            return 8 * (sizeof first - 1);
        events = events || pr_text_starts(lines.text, "events:");
        function = function || (events && (pr_text_starts(lines.text, "fn=") || pr_text_starts(lines.text, "fl=")));
        bool may_be = !lines.text.length || *lines.text.bytes == '#' ||
                      memchr(lines.text.bytes, ':', lines.text.length) ||
                      memchr(lines.text.bytes, '=', lines.text.length);
        if (!events && !may_be)
            return 0;
    }
    return events && function ? 8 * 10 : 0;
}

const struct pr_reader pr_callgrind_reader = {"callgrind", "callgrind profile", probe, read};
