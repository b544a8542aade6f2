/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Massif's output: snapshots of the heap, some of them with a tree of who allocated it.
 *
 *     snapshot=65
 *     time=23377232
 *     mem_heap_B=295923
 *     mem_heap_extra_B=280141
 *     heap_tree=peak
 *     n2: 295923 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 *      n1: 216024 0x109245: put (hashtab.c:9)
 *       n0: 216024 0x1093C4: main (hashtab.c:13)
 *
 * - The tree is upside down: below the allocation are its callers, one more blank for each level. Small places are
 *   merged: `in 3 places, all below massif's threshold`.
 * - The profile is the tree of the peak, in files without one the last tree. It has the bytes that were requested; what
 *   malloc keeps for itself (mem_heap_extra_B) and stacks have no places.
 * - No tree at all: the program freed nothing, so the heap had no peak before its end, and made fewer snapshots than
 *   --detailed-freq; or the file was cut between two snapshots, which nothing in it shows. The largest snapshot is then
 *   bytes without a stack.
 * - Times are milliseconds, instructions or bytes allocated; only the first make a history.
 *
 * Source: Valgrind 3.19 massif/ms_main.c and docs/ms-manual; the file of the collection.
 */
#include "capture/builder/profile_builder.h"
#include "capture/parse/lines.h"
#include "capture/builder/reader.h"
#include "capture/readers/valgrind_frame.h"

#include "capture/base/checked.h"
#include "capture/base/size_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 /* of --depth */ };

/* A line of the current tree. */
struct tree_line {
    uint32_t parent; /* index; of line 0: itself */
    uint32_t depth;
    uint64_t children, found; /* lines right below it: announced, and found */
    int64_t bytes, left; /* left: not in any line below */
    pr_frame_id frame;
};

struct snapshot {
    int64_t time, heap, extra, stacks;
};

struct massif {
    struct pr_profile_builder c;
    struct tree_line *tree;
    size_t tree_count, tree_capacity;
    size_t path[MAX_DEPTH + 1]; /* the last line of each depth */
    struct snapshot *snapshots;
    size_t snapshot_count, snapshot_capacity;
    struct snapshot at_tree; /* when the current tree was made */
    size_t tree_number;      /* its snapshot, the first being 1 */
    bool in_milliseconds, has_peak, keeps_tree; /* of the tree that is being read */
    bool is_open;                               /* more of this snapshot must follow */
    bool awaits_tree, awaits_peak;              /* which replaces the one before when it begins */
};

/* ---- trees ------------------------------------------------------------------------------------------------------ */

static pr_str intern(struct massif *r, struct pr_text text)
{
    return pr_build_string(&r->c, text.bytes, text.length);
}

/* A place in code, or words for several places. */
static pr_frame_id make_frame(struct massif *r, struct pr_text text)
{
    struct pr_place place;
    if (!pr_valgrind_place(&r->c, text, &place))
        place = (struct pr_place){.function = intern(r, text), .kind = PR_FRAME_OTHER};
    return pr_build_frame(&r->c, &place);
}

/* A line is at most one level deeper than the one before, and only the first one is the root. */
static bool fits(const struct massif *r, uint32_t depth)
{
    if (!r->tree_count)
        return depth == 0;
    return depth > 0 && depth <= r->tree[r->tree_count - 1].depth + 1;
}

static void add_tree_line(struct massif *r, uint32_t depth, uint64_t children, int64_t bytes, struct pr_text text)
{
    if (depth > MAX_DEPTH || !fits(r, depth)) {
        pr_build_damage(&r->c, PR_DAMAGE_LINES, 1);
        return;
    }
    if (!pr_grow(&r->tree, &r->tree_capacity, r->tree_count + 1, sizeof *r->tree)) {
        pr_build_no_memory(&r->c);
        return;
    }
    struct tree_line line = {.depth = depth, .children = children, .bytes = bytes, .left = bytes};
    if (depth) {
        line.parent = (uint32_t)r->path[depth - 1];
        line.frame = make_frame(r, text);
        struct tree_line *parent = &r->tree[line.parent];
        parent->left = parent->left > bytes ? parent->left - bytes : 0;
        parent->found++;
    }
    r->path[depth] = r->tree_count;
    r->tree[r->tree_count++] = line;
}

static void begin_tree(struct massif *r)
{
    r->awaits_tree = false;
    r->has_peak = r->awaits_peak;
    r->tree_count = 0;
    r->tree_number = r->snapshot_count;
    r->at_tree = r->snapshots[r->snapshot_count - 1];
}

/* ` n1: 216024 0x109245: put (hashtab.c:9)`. False: not a line of a tree. */
static bool take_tree_line(struct massif *r, struct pr_text line)
{
    uint32_t depth = 0;
    uint64_t children, bytes;
    while (depth < line.length && line.bytes[depth] == ' ')
        depth++;
    struct pr_text rest = pr_text_from(line, depth);
    if (!pr_text_starts(rest, "n") || !pr_text_number(pr_text_from(rest, 1), &children))
        return false;
    const char *colon = memchr(rest.bytes, ':', rest.length);
    if (!colon)
        return false;
    rest = pr_text_trim(pr_text_from(rest, (size_t)(colon - rest.bytes) + 1));
    if (!pr_text_number(rest, &bytes))
        return false;
    const char *space = memchr(rest.bytes, ' ', rest.length);
    struct pr_text text = pr_text_trim(pr_text_from(rest, space ? (size_t)(space - rest.bytes) : rest.length));
    r->is_open = false;
    if (r->awaits_tree)
        begin_tree(r);
    if (r->keeps_tree)
        add_tree_line(r, depth, children, pr_signed_saturated(bytes), text);
    return true;
}

/*
 * The stack of a line begins with the line itself, and ends at the allocation. Lines whose bytes are all below them
 * need no stack: in a deep tree those would be most of the nodes.
 */
static void collect_tree(struct massif *r, uint32_t thread, unsigned metric)
{
    for (size_t i = 0; i < r->tree_count && r->c.status == PR_OK; i++) {
        pr_node_id node = PR_ROOT;
        if (!r->tree[i].left)
            continue;
        for (size_t at = i; r->tree[at].depth; at = r->tree[at].parent)
            node = pr_build_child(&r->c, node, r->tree[at].frame);
        pr_build_add(&r->c, pr_build_fact(&r->c, node, thread), metric, r->tree[i].left, 0);
    }
}

/* Lines that others announce and that are missing. */
static void count_missing(struct massif *r)
{
    for (size_t i = 0; i < r->tree_count; i++)
        if (r->tree[i].children > r->tree[i].found)
            pr_build_damage(&r->c, PR_DAMAGE_RECORDS, r->tree[i].children - r->tree[i].found);
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

static bool take_value(struct pr_text line, const char *key, int64_t *value)
{
    uint64_t number;
    if (!pr_text_starts(line, key) || !pr_text_number(pr_text_from(line, strlen(key)), &number))
        return false;
    *value = pr_signed_saturated(number);
    return true;
}

static bool take_figure(struct pr_text line, struct snapshot *snapshot)
{
    return take_value(line, "time=", &snapshot->time) || take_value(line, "mem_heap_B=", &snapshot->heap) ||
           take_value(line, "mem_heap_extra_B=", &snapshot->extra) ||
           take_value(line, "mem_stacks_B=", &snapshot->stacks);
}

static void begin_snapshot(struct massif *r)
{
    r->keeps_tree = false;
    if (!pr_grow(&r->snapshots, &r->snapshot_capacity, r->snapshot_count + 1, sizeof *r->snapshots))
        pr_build_no_memory(&r->c);
    else
        r->snapshots[r->snapshot_count++] = (struct snapshot){0};
}

/* A peak is final; of the others the last one counts. */
static void await_tree(struct massif *r, struct pr_text kind)
{
    r->awaits_peak = pr_text_is(kind, "peak");
    r->keeps_tree = r->awaits_tree = r->awaits_peak || (pr_text_is(kind, "detailed") && !r->has_peak);
    r->is_open = r->awaits_peak || pr_text_is(kind, "detailed");
}

static void take_line(struct massif *r, struct pr_text line)
{
    struct snapshot none, *now = r->snapshot_count ? &r->snapshots[r->snapshot_count - 1] : &none;
    r->is_open |= line.length && *line.bytes == '#';
    if (!line.length || *line.bytes == '#' || pr_text_starts(line, "desc:"))
        return;
    if (pr_text_starts(line, "cmd:")) {
        r->c.profile->meta.command_line = intern(r, pr_text_trim(pr_text_from(line, strlen("cmd:"))));
    } else if (pr_text_starts(line, "time_unit:")) {
        r->in_milliseconds = pr_text_is(pr_text_trim(pr_text_from(line, strlen("time_unit:"))), "ms");
    } else if (pr_text_starts(line, "snapshot=")) {
        begin_snapshot(r);
    } else if (pr_text_starts(line, "heap_tree=") && r->snapshot_count) {
        await_tree(r, pr_text_from(line, strlen("heap_tree=")));
    } else if (!take_figure(line, now) && !take_tree_line(r, line)) {
        pr_build_damage(&r->c, PR_DAMAGE_LINES, 1);
    }
}

static enum pr_status read_lines(struct massif *r)
{
    struct pr_lines lines = pr_lines_begin(r->c.src, r->c.err);
    while (pr_build_going(&r->c) && pr_lines_next(&lines)) {
        if (lines.text.length && !lines.ended) /* a number may be cut short */
            return pr_cut(r->c.err, PR_ERR_TRUNCATED, lines.offset, "massif line", "the input ends in a line");
        take_line(r, lines.text);
    }
    if (r->is_open && r->snapshot_count && pr_lines_status(&lines) == PR_END)
        return pr_cut(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(r->c.src), "massif snapshot",
                      "the input ends in a snapshot");
    return pr_lines_status(&lines);
}

/* ---- history ---------------------------------------------------------------------------------------------------- */

static void add_series(struct massif *r, struct pr_series *series, const char *name, const char *title, size_t member)
{
    struct pr_arena *arena = &r->c.profile->arena;
    int64_t *at = pr_arena_array(arena, r->snapshot_count, sizeof *at);
    int64_t *value = pr_arena_array(arena, r->snapshot_count, sizeof *value);
    if (!at || !value) {
        pr_build_no_memory(&r->c);
        return;
    }
    for (size_t i = 0; i < r->snapshot_count; i++) {
        at[i] = r->snapshots[i].time;
        memcpy(&value[i], (const char *)&r->snapshots[i] + member, sizeof *value);
    }
    *series = (struct pr_series){name, title, PR_UNIT_BYTES, r->snapshot_count, at, value};
}

static void collect_history(struct massif *r)
{
    struct pr_series *series = pr_arena_array(&r->c.profile->arena, 2, sizeof *series);
    if (!series) {
        pr_build_no_memory(&r->c);
        return;
    }
    add_series(r, &series[0], "heap", "Heap", offsetof(struct snapshot, heap));
    add_series(r, &series[1], "heap_extra", "Kept by malloc", offsetof(struct snapshot, extra));
    r->c.profile->series = series;
    r->c.profile->series_count = 2;
}

/* There is at least one. */
static const struct snapshot *largest_snapshot(const struct massif *r)
{
    const struct snapshot *largest = r->snapshots;
    for (size_t i = 1; i < r->snapshot_count; i++)
        largest = r->snapshots[i].heap > largest->heap ? &r->snapshots[i] : largest;
    return largest;
}

/* The largest snapshot, as there is no tree of any. */
static void collect_treeless(struct massif *r, uint32_t thread, unsigned metric)
{
    const struct snapshot *largest = r->snapshot_count ? largest_snapshot(r) : &r->at_tree;
    if (!largest->heap)
        return;
    r->at_tree = *largest;
    pr_build_add(&r->c, pr_build_fact(&r->c, PR_ROOT, thread), metric, largest->heap, 0);
    pr_build_note(&r->c,
                  "no snapshot has a tree of who allocated: this is the largest of %" PRIu64 " snapshots, without "
                  "stacks; massif makes trees with --detailed-freq=1, or the file ends before the first",
                  (uint64_t)r->snapshot_count);
}

static void collect(struct massif *r)
{
    const uint32_t thread = pr_build_thread(&r->c, pr_build_process(&r->c, 0, 0), 0);
    const unsigned metric = r->has_peak ? pr_build_metric(&r->c, "peak", "Peak", PR_UNIT_BYTES, NULL)
                                        : pr_build_metric(&r->c, "heap", "Heap", PR_UNIT_BYTES, NULL);
    if (r->tree_count)
        collect_tree(r, thread, metric);
    else
        collect_treeless(r, thread, metric);
}

static void tell(struct massif *r)
{
    if (!r->in_milliseconds)
        pr_build_note(&r->c, "no timeline: its snapshots have no clock; massif records one with --time-unit=ms");
    if (!r->has_peak && r->tree_count)
        pr_build_note(&r->c,
                      "the file has no tree of the peak; this is snapshot %" PRIu64 " of %" PRIu64
                      ", and the largest has %s",
                      (uint64_t)r->tree_number, (uint64_t)r->snapshot_count,
                      pr_size_text((uint64_t)largest_snapshot(r)->heap).text);
    if (r->at_tree.extra > 0)
        pr_build_note(&r->c, "at that moment, malloc itself used another %s",
                      pr_size_text((uint64_t)r->at_tree.extra).text);
    if (r->at_tree.stacks > 0)
        pr_build_note(&r->c, "at that moment, stacks took %s", pr_size_text((uint64_t)r->at_tree.stacks).text);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct massif r = {.tree_count = 0};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    r.c.skips_allocators = true;
    if (status == PR_OK)
        status = read_lines(&r);
    if (status == PR_CUT && !r.snapshot_count)
        status = PR_FAILED;
    if (status == PR_END && !r.snapshot_count && r.c.status == PR_OK)
        status = pr_fail(err, PR_ERR_DAMAGED, 0, "massif line", "it has no snapshots");
    if (status == PR_END)
        count_missing(&r);
    if (status != PR_FAILED) {
        collect(&r);
        if (r.in_milliseconds && r.c.status == PR_OK)
            collect_history(&r);
        tell(&r);
    }
    free(r.tree);
    free(r.snapshots);
    return pr_build_finish(&r.c, status);
}

/* Three keys in their order, 19 bytes. */
static unsigned probe(struct pr_source *src)
{
    static const char *const keys[] = {"desc:", "cmd:", "time_unit:"};
    struct pr_source view = pr_source_view(src, 64 * 1024);
    struct pr_lines lines = pr_lines_begin(&view, NULL);
    unsigned found = 0;
    while (found < 3 && pr_lines_next(&lines)) {
        if (pr_text_starts(lines.text, keys[found]))
            found++;
        else if (!found || !pr_text_starts(lines.text, keys[found - 1]))
            return 0; /* there may be several of one */
    }
    return found == 3 ? 8 * 19 : 0;
}

const struct pr_reader pr_massif_reader = {"massif", "massif snapshots", probe, read};
