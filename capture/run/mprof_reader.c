/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of mprof (memory_profiler), a line for each event:
 *
 *     CMDLINE /usr/bin/python etl.py
 *     MEM 25.320312 1795249144.1009                     MiB of the process, or with -C of the whole tree
 *     CHLD 29225 7.906250 1795250767.4772               with -M: of one child
 *     FUNC main.load 8.05 1795249143.67 23.1 1795249143.94     a decorated function: memory and time, at its start, end
 *
 * - Functions become stacks by how they are nested: their time, and the memory they added.
 * - Lines with other words come from newer releases, or are labels: skipped.
 *
 * Source: memory_profiler 0.61, mprof.py, memory_profiler.py (TimeStamper.show_results); the three files of the
 * collection.
 */
#include "capture/builder/profile_builder.h"
#include "capture/base/time.h"
#include "capture/parse/words.h"
#include "capture/builder/reader.h"
#include "capture/builder/series_builder.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LOOK_BYTES = 4096, MAX_CHILDREN = 64, NANOSECONDS = 9 };

struct call {
    pr_str function;
    int64_t start_ns, end_ns, start_bytes, end_bytes;
    size_t order; /* in the file */
};

struct mprof {
    struct pr_profile_builder c;
    struct pr_timeline t;
    uint64_t samples, left_out, children;
    struct call *calls;
    size_t call_count, call_capacity;
};

/* `25.320312 1795249144.1009` */
static bool read_point(struct pr_text *rest, int64_t *bytes, int64_t *at_ms)
{
    struct pr_decimal mib, at;
    if (!pr_fields_number(rest, &mib) || !pr_fields_number(rest, &at))
        return false;
    *bytes = pr_mib_to_bytes(mib);
    *at_ms = pr_decimal_scaled(at, 3);
    return true;
}

static bool read_memory(struct mprof *r, struct pr_text rest)
{
    int64_t bytes, at_ms;
    if (!read_point(&rest, &bytes, &at_ms))
        return false;
    pr_timeline_add(&r->t, pr_timeline_series(&r->t, "rss", "RSS", PR_UNIT_BYTES), at_ms, bytes);
    r->samples++;
    return true;
}

static bool read_child(struct mprof *r, struct pr_text rest)
{
    uint64_t pid;
    int64_t bytes, at_ms;
    char name[40], title[60];
    struct pr_text word = pr_fields_word(&rest);
    if (!pr_text_number(word, &pid) || !read_point(&rest, &bytes, &at_ms))
        return false;
    snprintf(name, sizeof name, "rss_%" PRIu64, pid);
    snprintf(title, sizeof title, "RSS of %" PRIu64, pid);
    const uint32_t known = r->t.count;
    if (r->children == MAX_CHILDREN) {
        r->left_out++;
        return true;
    }
    pr_timeline_add(&r->t, pr_timeline_series(&r->t, name, title, PR_UNIT_BYTES), at_ms, bytes);
    r->children += r->t.count > known;
    return true;
}

/* The name may hold anything but spaces. */
static bool read_function(struct mprof *r, struct pr_text rest)
{
    const struct pr_text name = pr_fields_word(&rest);
    struct pr_decimal number[4];
    for (unsigned i = 0; i < 4; i++)
        if (!pr_fields_number(&rest, &number[i]))
            return false;
    if (!pr_grow(&r->calls, &r->call_capacity, r->call_count + 1, sizeof *r->calls)) {
        pr_build_no_memory(&r->c);
        return true;
    }
    struct call call = {pr_build_string(&r->c, name.bytes, name.length),
                        pr_decimal_scaled(number[1], NANOSECONDS),
                        pr_decimal_scaled(number[3], NANOSECONDS),
                        pr_mib_to_bytes(number[0]),
                        pr_mib_to_bytes(number[2]),
                        r->call_count};
    const bool makes_sense = call.end_ns >= call.start_ns && call.start_ns >= 0 && call.end_ns < INT64_MAX;
    if (makes_sense)
        r->calls[r->call_count++] = call;
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, !makes_sense);
    return true;
}

static bool read_line(struct mprof *r, struct pr_text line)
{
    struct pr_text rest = line, word = pr_fields_word(&rest);
    if (pr_text_is(word, "MEM"))
        return read_memory(r, rest);
    if (pr_text_is(word, "CHLD"))
        return read_child(r, rest);
    if (pr_text_is(word, "FUNC"))
        return read_function(r, rest);
    if (pr_text_is(word, "CMDLINE")) {
        const struct pr_text command = pr_text_trim(rest);
        r->c.profile->meta.command_line = pr_build_string(&r->c, command.bytes, command.length);
        return true;
    }
    return !word.length;
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

/* By start; the one that ends later is outside, and of equal ones the one written later, as it ended later. */
static int compare_calls(const void *a, const void *b, const void *context)
{
    const struct call *x = a, *y = b;
    (void)context;
    const int by_start = PR_ORDER(x->start_ns, y->start_ns), by_end = PR_ORDER(y->end_ns, x->end_ns);
    return by_start ? by_start : by_end ? by_end : PR_ORDER(y->order, x->order);
}

struct open_call {
    const struct call *call;
    pr_node_id node;
    int64_t inner_ns, inner_bytes; /* of the calls directly inside */
};

static void close_call(struct mprof *r, const struct open_call *open, uint32_t thread, const unsigned metric[2])
{
    const struct call *call = open->call;
    const uint32_t fact = pr_build_fact(&r->c, open->node, thread);
    const int64_t ns = call->end_ns - call->start_ns - open->inner_ns;
    const int64_t bytes = pr_subtract_saturated(pr_subtract_saturated(call->end_bytes, call->start_bytes),
                                                open->inner_bytes);
    pr_build_add(&r->c, fact, metric[0], ns > 0 ? ns : 0, 1);
    pr_build_add(&r->c, fact, metric[1], bytes > 0 ? bytes : 0, 0);
}

/* Keeps a stack of the open calls; each call is below the innermost one that encloses it. */
static void add_calls(struct mprof *r)
{
    struct open_call *open = calloc(r->call_count + 1, sizeof *open);
    size_t depth = 0;
    if (!open || !pr_sort(r->calls, r->call_count, sizeof *r->calls, compare_calls, NULL)) {
        pr_build_no_memory(&r->c);
        free(open);
        return;
    }
    const uint32_t thread = pr_build_thread(&r->c, pr_build_process(&r->c, 0, 0), 0);
    const unsigned metric[2] = {pr_build_metric(&r->c, "time", "Time", PR_UNIT_NANOSECONDS, "calls"),
                                pr_build_metric(&r->c, "growth", "Memory added", PR_UNIT_BYTES, NULL)};
    for (size_t i = 0; i < r->call_count; i++) {
        const struct call *call = &r->calls[i];
        while (depth && open[depth - 1].call->end_ns < call->end_ns)
            close_call(r, &open[--depth], thread, metric);
        const struct pr_place place = {.function = call->function};
        const pr_node_id parent = depth ? open[depth - 1].node : PR_ROOT;
        if (depth) {
            struct open_call *outer = &open[depth - 1];
            outer->inner_ns = pr_add_saturated(outer->inner_ns, call->end_ns - call->start_ns);
            outer->inner_bytes = pr_add_saturated(outer->inner_bytes,
                                                  pr_subtract_saturated(call->end_bytes, call->start_bytes));
        }
        open[depth++] = (struct open_call){call, pr_build_child(&r->c, parent, pr_build_frame(&r->c, &place)), 0, 0};
    }
    while (depth)
        close_call(r, &open[--depth], thread, metric);
    free(open);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static enum pr_status read_lines(struct mprof *r)
{
    struct pr_lines lines = pr_lines_begin(r->c.src, r->c.err);
    while (pr_build_going(&r->c) && pr_lines_next(&lines)) {
        if (!lines.ended) /* a number without its last digits is one, too */
            return pr_cut(r->c.err, PR_ERR_TRUNCATED, lines.offset, "line", "the last line is incomplete");
        if (read_line(r, lines.text))
            continue;
        pr_build_damage_at(&r->c, PR_DAMAGE_LINES, lines.offset);
    }
    return pr_lines_status(&lines);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct mprof r = {.samples = 0};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    pr_timeline_init(&r.t, profile);
    if (status == PR_OK)
        status = read_lines(&r);
    if (r.call_count)
        add_calls(&r);
    if (status != PR_FAILED && !r.samples && !r.call_count)
        status = pr_fail(err, PR_ERR_DAMAGED, 0, "sample", "it has no memory samples");
    pr_build_damage(&r.c, PR_DAMAGE_RECORDS, r.left_out);
    if (r.left_out)
        pr_build_note(&r.c, "only the first %d child processes are shown", MAX_CHILDREN);
    if (pr_timeline_finish(&r.t, err) == PR_FAILED)
        status = PR_FAILED;
    free(r.calls);
    return pr_build_finish(&r.c, status);
}

/* `CMDLINE `, or a line of memory: bits for the words and for each number. */
static unsigned probe(struct pr_source *src)
{
    enum { BITS_A_LINE = 32 };
    struct pr_source view = pr_source_view(src, LOOK_BYTES);
    struct pr_lines lines = pr_lines_begin(&view, NULL);
    unsigned bits = 0;
    for (unsigned i = 0; i < 2 && pr_lines_next(&lines); i++) {
        struct pr_text rest = lines.text, word = pr_fields_word(&rest);
        int64_t bytes, at_ms;
        if (pr_text_is(word, "CMDLINE"))
            bits += BITS_A_LINE;
        else if (pr_text_is(word, "MEM") && read_point(&rest, &bytes, &at_ms))
            bits += BITS_A_LINE;
        else
            break;
    }
    return bits;
}

const struct pr_reader pr_mprof_reader = {"mprof", "mprof record", probe, read};
