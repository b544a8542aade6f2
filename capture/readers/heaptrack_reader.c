/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heaptrack's interpreted output: every allocation and every free, as lines of hexadecimal numbers.
 *
 *     v 10400 3                  version of heaptrack, of the file
 *     X ./hashtab 3              command
 *     I 1000 5e298f              size of a page, pages of the machine
 *     s 4 main                   a string (its length first since file version 3); the first one is number 1, 0 is none
 *     i 55e0fe6733c4 1 14 15 d   an instruction: address, module, then function, file and line, innermost first
 *     t 8 7                      a stack: its instruction, and the stack of the caller
 *     a 18 9                     a kind of allocation: size and stack; the first one is number 0
 *     + 1, - 1                   an allocation, a free of that kind
 *     c 1c9, R 44d               milliseconds since the start; resident pages
 *
 * - Metrics are those of heaptrack: what was in use at the peak (its first moment), what was never freed, the number of
 *   allocations, what they allocated in all, and of temporary ones: those that the very next event freed. Its figures
 *   count a free of kind 0 after another free as one of those; so do ours, which must match.
 * - Its thread writes the time each 10 ms, so what is allocated has the time that was written before it.
 * - What the preloaded library writes has addresses only (`m`, no strings): `heaptrack --interpret` makes this of it.
 *
 * Source: heaptrack 1.4 src/interpret/heaptrack_interpret.cpp, src/analyze/accumulatedtracedata.cpp.
 */
#include "capture/builder/profile_builder.h"
#include "capture/symbols/demangle.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/lines.h"
#include "capture/builder/reader.h"

#include "capture/base/checked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST_VERSION = 1, NEWEST_VERSION = 3, WITH_LENGTHS = 3, APART_NS = 10000000 /* lines with a time */ };

/* An instruction: its frames are [first, first + count) of `frames`, innermost first. */
struct instruction {
    size_t first;
    uint32_t count;
};

/* A kind of allocation. */
struct kind {
    int64_t size, live, at_peak, allocations, temporary;
    uint64_t changed; /* number of the last event of this kind */
    pr_node_id leaf;
    int64_t recent_ms, recent; /* the time of its last allocations, and their bytes that are in no moment yet */
};

struct point {
    int64_t at_ms, heap;
};

struct heaptrack {
    struct pr_profile_builder c;
    unsigned version;
    bool raw; /* lines that only an uninterpreted file has */
    pr_str *strings;
    size_t string_count, string_capacity;
    struct instruction *instructions;
    size_t instruction_count, instruction_capacity;
    pr_frame_id *frames;
    size_t frame_count, frame_capacity;
    pr_node_id *traces; /* the leaf of each */
    size_t trace_count, trace_capacity;
    struct kind *kinds;
    size_t kind_count, kind_capacity;
    int64_t heap, peak, high; /* `high`: since the last time stamp */
    uint64_t event, peak_event; /* events are counted from 1; that of the peak */
    uint64_t last_allocated;    /* kind; 0 = also: the last event was not one */
    uint32_t thread;
    bool has_moments;
    int64_t page_bytes, now_ms;
    struct point *heap_points, *rss_points;
    size_t heap_count, heap_capacity, rss_count, rss_capacity;
};

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* Takes the next hexadecimal number off TEXT. */
static bool take_hex(struct pr_text *text, uint64_t *number)
{
    while (text->length && *text->bytes == ' ')
        *text = pr_text_from(*text, 1);
    const uint32_t digits = pr_text_hex(*text, number);
    *text = pr_text_from(*text, digits);
    return digits && (!text->length || *text->bytes == ' ');
}

static pr_str string_at(struct heaptrack *r, uint64_t number)
{
    pr_build_damage(&r->c, PR_DAMAGE_FRAMES, number > r->string_count);
    return number && number <= r->string_count ? r->strings[number - 1] : 0;
}

/* ---- stacks ----------------------------------------------------------------------------------------------------- */

static bool take_string(struct heaptrack *r, struct pr_text text)
{
    uint64_t length;
    struct pr_buf name = {0};
    if (r->version >= WITH_LENGTHS) {
        if (!take_hex(&text, &length))
            return false;
        text = pr_text_from(text, text.length != 0);
        text.length = length < text.length ? (uint32_t)length : text.length;
    }
    pr_str string;
    if (pr_text_starts(text, "_Z") || pr_text_starts(text, "_R")) {
        pr_demangle(pr_profile_text(r->c.profile, pr_build_string(&r->c, text.bytes, text.length)).bytes, &name);
        string = pr_build_buf(&r->c, &name);
    } else {
        string = pr_build_string(&r->c, text.bytes, text.length);
    }
    if (!pr_grow(&r->strings, &r->string_capacity, r->string_count + 1, sizeof *r->strings))
        pr_build_no_memory(&r->c);
    else
        r->strings[r->string_count++] = string;
    return true;
}

static void add_frame(struct heaptrack *r, uint64_t address, pr_str function, pr_str file, uint64_t line, pr_str module)
{
    char name[24];
    struct pr_place place = {.function = function, .file = file ? file : module,
                             .line = line > INT32_MAX ? 0 : (int64_t)line, .kind = PR_FRAME_NATIVE};
    if (!function)
        place.function = pr_build_string(&r->c, name, (size_t)snprintf(name, sizeof name, "0x%" PRIx64, address));
    if (!pr_grow(&r->frames, &r->frame_capacity, r->frame_count + 1, sizeof *r->frames))
        pr_build_no_memory(&r->c);
    else
        r->frames[r->frame_count++] = pr_build_frame(&r->c, &place);
}

static bool take_instruction(struct heaptrack *r, struct pr_text text)
{
    struct instruction instruction = {.first = r->frame_count};
    uint64_t address, module = 0, function, file, line;
    if (!take_hex(&text, &address))
        return false;
    take_hex(&text, &module);
    for (bool first = true; first || text.length; first = false) {
        function = file = line = 0;
        bool any = take_hex(&text, &function);
        any = any && take_hex(&text, &file);
        bool whole = any && take_hex(&text, &line);
        if (!first && !whole)
            break;
        add_frame(r, address, string_at(r, function), string_at(r, file), line, string_at(r, module));
    }
    instruction.count = (uint32_t)(r->frame_count - instruction.first);
    if (!pr_grow(&r->instructions, &r->instruction_capacity, r->instruction_count + 1, sizeof *r->instructions))
        pr_build_no_memory(&r->c);
    else
        r->instructions[r->instruction_count++] = instruction;
    return true;
}

static bool take_trace(struct heaptrack *r, struct pr_text text)
{
    uint64_t number, parent;
    if (!take_hex(&text, &number) || !take_hex(&text, &parent))
        return false;
    pr_build_damage(&r->c, PR_DAMAGE_FRAMES, (parent > r->trace_count) + (uint64_t)(number > r->instruction_count));
    pr_node_id node = parent && parent <= r->trace_count ? r->traces[parent - 1] : PR_ROOT;
    if (number && number <= r->instruction_count) {
        const struct instruction *instruction = &r->instructions[number - 1];
        for (uint32_t i = instruction->count; i-- > 0 && r->c.status == PR_OK;)
            node = pr_build_child(&r->c, node, r->frames[instruction->first + i]);
    }
    if (!pr_grow(&r->traces, &r->trace_capacity, r->trace_count + 1, sizeof *r->traces))
        pr_build_no_memory(&r->c);
    else
        r->traces[r->trace_count++] = node;
    return true;
}

/* ---- allocations ------------------------------------------------------------------------------------------------ */

static bool take_kind(struct heaptrack *r, struct pr_text text)
{
    uint64_t size, trace;
    if (!take_hex(&text, &size) || !take_hex(&text, &trace))
        return false;
    pr_build_damage(&r->c, PR_DAMAGE_FRAMES, trace > r->trace_count);
    pr_node_id leaf = trace && trace <= r->trace_count ? r->traces[trace - 1] : PR_ROOT;
    if (!pr_grow(&r->kinds, &r->kind_capacity, r->kind_count + 1, sizeof *r->kinds))
        pr_build_no_memory(&r->c);
    else
        r->kinds[r->kind_count++] = (struct kind){.size = pr_signed_saturated(size), .leaf = leaf};
    return true;
}

/* What KIND had at the peak is what it had before its first event after the peak. */
static void settle_peak(const struct heaptrack *r, struct kind *kind)
{
    if (kind->changed <= r->peak_event)
        kind->at_peak = kind->live;
}

static void add_recent(struct heaptrack *r, const struct kind *kind)
{
    if (kind->recent && r->has_moments)
        pr_build_moment(&r->c, pr_build_fact(&r->c, kind->leaf, r->thread), kind->recent_ms * 1000000, kind->recent);
}

/* What a kind allocates from one time to the next is one moment. */
static void take_moment(struct heaptrack *r, struct kind *kind)
{
    if (kind->recent_ms != r->now_ms) {
        add_recent(r, kind);
        kind->recent = 0;
        kind->recent_ms = r->now_ms;
    }
    pr_add_to(&kind->recent, kind->size);
}

/* An allocation or a free. */
static bool take_event(struct heaptrack *r, struct pr_text text, bool allocated)
{
    uint64_t number;
    if (!take_hex(&text, &number) || number >= r->kind_count)
        return false;
    struct kind *kind = &r->kinds[number];
    if (!allocated && !kind->live)
        return true; /* of something that was there before the recording began */
    settle_peak(r, kind);
    kind->changed = ++r->event;
    kind->live += allocated ? 1 : -1;
    kind->allocations += allocated;
    kind->temporary += !allocated && r->last_allocated == number;
    r->last_allocated = allocated ? number : 0;
    r->heap = pr_add_saturated(r->heap, allocated ? kind->size : -kind->size /* never below 0 */);
    r->high = r->heap > r->high ? r->heap : r->high;
    if (allocated)
        take_moment(r, kind);
    if (r->heap > r->peak) {
        r->peak = r->heap;
        r->peak_event = r->event;
    }
    return true;
}

static bool add_point(struct heaptrack *r, struct point **points, size_t *count, size_t *capacity, int64_t value)
{
    if (!pr_grow(points, capacity, *count + 1, sizeof **points))
        pr_build_no_memory(&r->c);
    else
        (*points)[(*count)++] = (struct point){r->now_ms, value};
    return true;
}

static bool take_time(struct heaptrack *r, struct pr_text text)
{
    uint64_t ms;
    if (!take_hex(&text, &ms))
        return false;
    r->now_ms = ms < INT64_MAX / 1000000 ? (int64_t)ms : INT64_MAX / 1000000; /* it is nanoseconds too */
    const int64_t high = r->high;
    r->high = r->heap;
    return add_point(r, &r->heap_points, &r->heap_count, &r->heap_capacity, high);
}

/* What was used behind the last time stamp counts for that one. */
static void end_times(struct heaptrack *r)
{
    if (r->heap_count && r->heap_points[r->heap_count - 1].heap < r->high)
        r->heap_points[r->heap_count - 1].heap = r->high;
}

static bool take_pages(struct heaptrack *r, struct pr_text text)
{
    uint64_t pages;
    if (!take_hex(&text, &pages) || r->page_bytes <= 0 || pages > (uint64_t)(INT64_MAX / r->page_bytes))
        return false;
    return add_point(r, &r->rss_points, &r->rss_count, &r->rss_capacity, (int64_t)pages * r->page_bytes);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static bool take_line(struct heaptrack *r, struct pr_text line)
{
    uint64_t number;
    struct pr_text rest = pr_text_from(line, line.length > 1 ? 2 : 1);
    switch (*line.bytes) {
    case 's': return take_string(r, rest);
    case 'i': return take_instruction(r, rest);
    case 't': return take_trace(r, rest);
    case 'a': return take_kind(r, rest);
    case '+': return take_event(r, rest, true);
    case '-': return take_event(r, rest, false);
    case 'c': return take_time(r, rest);
    case 'R': return take_pages(r, rest);
    case 'X':
        r->c.profile->meta.command_line = pr_build_string(&r->c, rest.bytes, rest.length);
        return true;
    case 'I':
        if (take_hex(&rest, &number))
            r->page_bytes = pr_signed_saturated(number);
        return true;
    case 'm':
    case 'x': r->raw = true; return true;
    case '#':
    case 'A': /* attached to a running process */
    case 'S': /* a suppression */
        return true;
    default: return false;
    }
}

/* `v 10400 3` */
static enum pr_status take_version(struct heaptrack *r, struct pr_text line)
{
    uint64_t tool, version = 0;
    struct pr_text rest = pr_text_from(line, pr_text_starts(line, "v ") ? 2 : 0);
    if (rest.length == line.length || !take_hex(&rest, &tool))
        return pr_fail(r->c.err, PR_ERR_UNKNOWN, 0, "heaptrack version", "the first line is not that of heaptrack");
    take_hex(&rest, &version);
    if (version < OLDEST_VERSION || version > NEWEST_VERSION)
        return pr_fail(r->c.err, PR_ERR_UNSUPPORTED, 0, "heaptrack version",
                       "version %" PRIu64 "; this build reads %d to %d", version, OLDEST_VERSION, NEWEST_VERSION);
    r->version = (unsigned)version;
    r->c.profile->meta.format_version = (int)version;
    return PR_OK;
}

static enum pr_status read_lines(struct heaptrack *r)
{
    struct pr_lines lines = pr_lines_begin(r->c.src, r->c.err);
    if (!pr_lines_next(&lines) || take_version(r, lines.text) == PR_FAILED)
        return pr_fail(r->c.err, PR_ERR_TRUNCATED, 0, "heaptrack version", "the input ends in the first line");
    while (pr_build_going(&r->c) && pr_lines_next(&lines)) {
        if (lines.text.length && !lines.ended) /* a number may be cut short */
            return pr_cut(r->c.err, PR_ERR_TRUNCATED, lines.offset, "heaptrack line", "the input ends in a line");
        if (lines.text.length && !take_line(r, lines.text))
            pr_build_damage_at(&r->c, PR_DAMAGE_LINES, lines.offset);
    }
    if (r->raw && !r->string_count)
        return pr_fail(r->c.err, PR_ERR_UNSUPPORTED, 0, "heaptrack file",
                       "it was not interpreted: use `heaptrack --interpret`");
    return pr_lines_status(&lines);
}

/* ---- the profile ------------------------------------------------------------------------------------------------ */

static int64_t bytes_of(int64_t count, int64_t size)
{
    return size && count > INT64_MAX / size ? INT64_MAX : count * size;
}

static void collect_kinds(struct heaptrack *r)
{
    unsigned peak = pr_build_metric(&r->c, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    unsigned leaked = pr_build_metric(&r->c, "leaked", "Not freed", PR_UNIT_BYTES, "allocations");
    unsigned allocations = pr_build_metric(&r->c, "allocations", "Allocations", PR_UNIT_COUNT, NULL);
    unsigned temporary = pr_build_metric(&r->c, "temporary", "Temporary", PR_UNIT_COUNT, NULL);
    unsigned allocated = pr_build_metric(&r->c, "allocated", "Allocated", PR_UNIT_BYTES, "allocations");
    for (size_t i = 0; i < r->kind_count && r->c.status == PR_OK; i++) {
        struct kind *kind = &r->kinds[i];
        settle_peak(r, kind);
        add_recent(r, kind);
        uint32_t fact = pr_build_fact(&r->c, kind->leaf, r->thread);
        pr_build_add(&r->c, fact, peak, bytes_of(kind->at_peak, kind->size), kind->at_peak);
        pr_build_add(&r->c, fact, leaked, bytes_of(kind->live, kind->size), kind->live);
        pr_build_add(&r->c, fact, allocations, kind->allocations, 0);
        pr_build_add(&r->c, fact, temporary, kind->temporary, 0);
        pr_build_add(&r->c, fact, allocated, bytes_of(kind->allocations, kind->size), kind->allocations);
    }
}

static void add_series(struct heaptrack *r, const char *name, const char *title, const struct point *points,
                       size_t count)
{
    struct pr_profile *profile = r->c.profile;
    int64_t *at = pr_arena_array(&profile->arena, count, sizeof *at);
    int64_t *value = pr_arena_array(&profile->arena, count, sizeof *value);
    struct pr_series *series = pr_arena_array(&profile->arena, profile->series_count + (size_t)1, sizeof *series);
    if (!at || !value || !series) {
        pr_build_no_memory(&r->c);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        at[i] = points[i].at_ms;
        value[i] = points[i].heap;
    }
    for (uint32_t i = 0; i < profile->series_count; i++)
        series[i] = profile->series[i];
    series[profile->series_count++] = (struct pr_series){name, title, PR_UNIT_BYTES, count, at, value};
    profile->series = series;
}

static void clear(struct heaptrack *r)
{
    free(r->strings);
    free(r->instructions);
    free(r->frames);
    free(r->traces);
    free(r->kinds);
    free(r->heap_points);
    free(r->rss_points);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct heaptrack r = {.has_moments = !(options->unneeded & PR_UNNEEDED_MOMENTS)};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    r.c.skips_allocators = true;
    if (status == PR_OK) {
        r.thread = pr_build_thread(&r.c, pr_build_process(&r.c, 0, 0), 0);
        status = read_lines(&r);
    }
    if (status != PR_FAILED) {
        collect_kinds(&r);
        end_times(&r);
        r.c.moments.resolution_ns = r.c.moments.resolution_ns > APART_NS ? r.c.moments.resolution_ns : APART_NS;
        if (r.heap_count && r.c.status == PR_OK)
            add_series(&r, "heap", "Heap", r.heap_points, r.heap_count);
        if (r.rss_count && r.c.status == PR_OK)
            add_series(&r, "rss", "Resident memory", r.rss_points, r.rss_count);
    }
    clear(&r);
    return pr_build_finish(&r.c, status);
}

/* The version, of which 3 bytes are always the same and the others digits; then a line of one letter. */
static unsigned probe(struct pr_source *src)
{
    struct pr_source view = pr_source_view(src, 1024);
    struct pr_lines lines = pr_lines_begin(&view, NULL);
    uint64_t number;
    if (!pr_lines_next(&lines) || !lines.ended || !pr_text_starts(lines.text, "v "))
        return 0;
    struct pr_text rest = pr_text_from(lines.text, 2);
    if (!take_hex(&rest, &number) || !take_hex(&rest, &number) || rest.length || number > 255)
        return 0;
    return 24 + (pr_lines_next(&lines) && pr_text_starts(lines.text, "X ") ? 16 : 0);
}

const struct pr_reader pr_heaptrack_reader = {"heaptrack", "heaptrack recording", probe, read};
