/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a merge: what was added up, in an order that does not depend on the order in which it came. Strings are
 * sorted by their bytes, frames by their names and lines, nodes by depth first and their frames, threads and facts by
 * their numbers; what nothing refers to is left out.
 */
#include "capture/heap/alloc_stats.h"
#include "capture/compose/run_facts.h"
#include "profrender/buf.h"
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/compose/merge_internal.h"

#include <inttypes.h>
#include <stdio.h>

/* Numbers of the merger become numbers of the profile; PR_NO_ID: left out. All owned. */
struct finish {
    struct pr_merger *m;
    struct pr_profile *profile;
    struct pr_merged_metric **metrics; /* [metric_count] that stay, in their order */
    uint32_t metric_count;
    struct pr_metric *made; /* [metric_count] those of the profile, not owned */
    pr_str *string;         /* [strings] */
    pr_frame_id *frame;     /* [frames] */
    pr_node_id *node;       /* [nodes] */
    uint32_t *thread;       /* [threads] */
    uint32_t *order;        /* scratch: numbers of the merger in the order of the profile */
    pr_str *root_name;      /* [processes] the name of the frame above a process */
};

static uint32_t most_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static bool finish_init(struct finish *f)
{
    struct pr_merger *m = f->m;
    const uint32_t numbers = most_of(m->threads.count, m->exact.count);
    const size_t most = most_of(most_of(m->frames.count, m->nodes.count), most_of(m->facts.count, numbers));
    f->metrics = calloc(m->metric_count + (size_t)1, sizeof(struct pr_merged_metric *));
    f->frame = calloc(m->frames.count + (size_t)1, sizeof *f->frame);
    f->node = calloc(m->nodes.count + (size_t)1, sizeof *f->node);
    f->thread = calloc(m->threads.count + (size_t)1, sizeof *f->thread);
    f->order = calloc(most + 1, sizeof *f->order);
    f->root_name = calloc(m->process_count + (size_t)1, sizeof *f->root_name);
    return f->metrics && f->frame && f->node && f->thread && f->order && f->root_name;
}

static void finish_clear(struct finish *f)
{
    free(f->metrics);
    free(f->string);
    free(f->frame);
    free(f->node);
    free(f->thread);
    free(f->order);
    free(f->root_name);
}

/* ---- what the merger has ---------------------------------------------------------------------------------------- */

static struct pr_frame frame_at(const struct finish *f, pr_frame_id id)
{
    const uint64_t *key = &f->m->frames.keys[(size_t)id * 2], name = f->m->names.keys[pr_high(key[0])];
    return (struct pr_frame){.function = pr_high(name),
                             .file = pr_low(name),
                             .line = (int32_t)pr_low(key[0]),
                             .kind = pr_low(key[1]),
                             .definition_line = (int32_t)pr_high(key[1])};
}

static pr_node_id node_parent(const struct finish *f, pr_node_id node)
{
    return pr_high(f->m->nodes.keys[node]);
}

static pr_frame_id node_frame(const struct finish *f, pr_node_id node)
{
    return pr_low(f->m->nodes.keys[node]);
}

struct fact {
    pr_node_id leaf, hybrid;
    uint32_t thread;
    uint8_t allocator;
};

static struct fact fact_at(const struct finish *f, uint32_t fact)
{
    const uint64_t *key = &f->m->facts.keys[(size_t)fact * 2];
    return (struct fact){pr_high(key[0]), pr_high(key[1]), pr_low(key[0]), (uint8_t)key[1]};
}

static bool has_value(const struct finish *f, uint32_t fact)
{
    for (uint32_t i = 0; i < f->metric_count; i++) {
        if (f->metrics[i]->value[fact] || (f->metrics[i]->count_name && f->metrics[i]->count[fact]))
            return true;
    }
    return false;
}

static bool has_exact(const struct finish *f)
{
    for (uint32_t i = 0; i < f->metric_count; i++) {
        if (f->metrics[i]->has_exact)
            return true;
    }
    return false;
}

/* ---- metrics ---------------------------------------------------------------------------------------------------- */

/* The main metric of all, then memray's in their order, then the others by name. */
static int metric_rank(const struct pr_merger *m, const char *name)
{
    static const char *const known[] = {"peak", "leaked", "temporary", "allocated"};
    enum { KNOWN = sizeof known / sizeof *known };
    if (m->main_metric && !strcmp(m->main_metric, name))
        return -1;
    for (int i = 0; i < KNOWN; i++) {
        if (!strcmp(known[i], name))
            return i;
    }
    return KNOWN;
}

static int compare_metrics(const void *a, const void *b, const void *context)
{
    const struct pr_merged_metric *x, *y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    const int before = metric_rank(context, x->name), behind = metric_rank(context, y->name);
    return before != behind ? PR_ORDER(before, behind) : strcmp(x->name, y->name);
}

static enum pr_status choose_metrics(struct finish *f, struct pr_error *err)
{
    for (uint32_t i = 0; i < f->m->metric_count; i++) {
        if (!f->m->metrics[i].left_out)
            f->metrics[f->metric_count++] = &f->m->metrics[i];
    }
    if (!f->metric_count && f->m->metric_count)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "they have no metric in common, so there is "
                       "nothing to add up");
    return pr_sort(f->metrics, f->metric_count, sizeof *f->metrics, compare_metrics, f->m) ? PR_OK
                                                                                           : pr_fail_memory(err);
}

static bool fill_metric(struct finish *f, const struct pr_merged_metric *sum, struct pr_metric *metric)
{
    struct pr_arena *arena = &f->profile->arena;
    const size_t count = f->profile->fact_count;
    int64_t *value = pr_arena_array(arena, count, sizeof *value);
    int64_t *counted = sum->count_name ? pr_arena_array(arena, count, sizeof *counted) : NULL;
    *metric = (struct pr_metric){.name = pr_arena_copy(arena, sum->name, strlen(sum->name)),
                                 .title = pr_arena_copy(arena, sum->title, strlen(sum->title)),
                                 .unit = sum->unit,
                                 .decimals = sum->decimals,
                                 .part = f->m->input_count ? sum->input : 0,
                                 .value = value,
                                 .count = counted};
    if (sum->count_name)
        metric->count_name = pr_arena_copy(arena, sum->count_name, strlen(sum->count_name));
    if (!value || !metric->name || !metric->title || (sum->count_name && (!counted || !metric->count_name)))
        return false;
    for (size_t i = 0; i < count; i++) {
        value[i] = sum->value[f->order[i]];
        metric->total_value = pr_add_saturated(metric->total_value, value[i]);
        if (counted) {
            counted[i] = sum->count[f->order[i]];
            metric->total_count = pr_add_saturated(metric->total_count, counted[i]);
        }
    }
    return true;
}

/* ---- processes -------------------------------------------------------------------------------------------------- */

static bool is_pid_unique(const struct pr_merger *m, uint32_t process)
{
    for (uint32_t i = 0; i < m->process_count; i++) {
        if (i != process && m->processes[i].pid == m->processes[process].pid)
            return false;
    }
    return m->processes[process].pid > 0;
}

static bool is_name_taken(const struct finish *f, uint32_t before, pr_str name)
{
    for (uint32_t i = 0; i < before; i++) {
        if (f->root_name[i] == name)
            return true;
    }
    return false;
}

/* "process 1234"; if that is not unique, with the name of its file; if still not, with a number. */
static pr_str name_process(const struct finish *f, uint32_t process, unsigned again)
{
    const struct pr_merger *m = f->m;
    const struct pr_text file = pr_strings_get(&m->strings, m->roots[process].name);
    struct pr_buf text = {0};
    if (m->processes[process].pid)
        pr_buf_printf(&text, "process %" PRIu64, m->processes[process].pid);
    if (!is_pid_unique(m, process) && file.length) {
        pr_buf_text(&text, text.length ? ", " : "");
        pr_buf_add(&text, file.bytes, file.length);
    }
    if (!text.length)
        pr_buf_text(&text, "process");
    if (again)
        pr_buf_printf(&text, " (%u)", again + 1);
    const pr_str name = text.failed ? PR_NO_STR : pr_strings_add(&f->m->strings, text.bytes, text.length);
    pr_buf_clear(&text);
    return name;
}

static bool name_processes(struct finish *f)
{
    for (uint32_t i = 0; i < f->m->process_count; i++) {
        unsigned again = 0;
        if (f->m->roots[i].frame == PR_NO_ID)
            continue;
        do
            f->root_name[i] = name_process(f, i, again++);
        while (is_name_taken(f, i, f->root_name[i]) && f->root_name[i] != PR_NO_STR);
        if (f->root_name[i] == PR_NO_STR)
            return false;
    }
    return true;
}

/* The final frame: those above processes now have their names. */
static struct pr_frame named_frame(const struct finish *f, pr_frame_id id)
{
    struct pr_frame frame = frame_at(f, id);
    if (frame.line < 0) {
        frame.function = f->root_name[-1 - (int64_t)frame.line];
        frame.line = 0;
    }
    return frame;
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

/* Nodes with a fact on or below them, and their frames: marked by 1. */
static void mark_used(struct finish *f)
{
    for (uint32_t fact = 0; fact < f->m->facts.count; fact++) {
        if (has_value(f, fact))
            f->node[fact_at(f, fact).leaf] = f->node[fact_at(f, fact).hybrid] = 1;
    }
    for (pr_node_id node = f->m->nodes.count; --node > 0;) {
        if (f->node[node]) {
            f->node[node_parent(f, node)] = 1;
            f->frame[node_frame(f, node)] = 1;
        }
    }
    f->node[PR_ROOT] = 1;
    for (uint32_t i = 0; has_exact(f) && i < f->m->exact.count; i++)
        f->frame[pr_high(f->m->exact.keys[i])] = 1;
}

static void mark_strings(struct finish *f, bool *used)
{
    const struct pr_merger *m = f->m;
    const struct pr_meta *meta = &m->meta;
    used[meta->command_line] = used[meta->stdlib_path] = used[meta->native_unnamed_file] = true;
    for (uint32_t i = 0; i < meta->site_packages_count; i++)
        used[meta->site_packages[i]] = true;
    for (uint32_t i = 0; i < meta->sys_path_count; i++)
        used[meta->sys_path[i]] = true;
    for (uint32_t i = 0; i < m->input_count; i++)
        used[m->inputs[i].name] = true;
    for (uint32_t i = 0; i < m->process_count; i++)
        used[m->processes[i].name] = true;
    for (uint32_t i = 0; i < m->threads.count; i++)
        used[pr_low(m->threads.keys[(size_t)i * 2])] = true;
    for (pr_frame_id i = 0; i < m->frames.count; i++) {
        const struct pr_frame frame = named_frame(f, i);
        if (f->frame[i])
            used[frame.function] = used[frame.file] = true;
    }
}

static int compare_strings(const void *a, const void *b, const void *context)
{
    const struct pr_strings *strings = context;
    pr_str x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return pr_text_compare(pr_strings_get(strings, x), pr_strings_get(strings, y));
}

/* Numbers in the order of bytes, so that comparing numbers compares names. */
static bool make_strings(struct finish *f)
{
    const struct pr_strings *strings = &f->m->strings;
    bool *used = calloc(strings->count, sizeof *used);
    pr_str *order = calloc(strings->count, sizeof *order);
    f->string = calloc(strings->count, sizeof *f->string);
    bool good = used && order && f->string;
    size_t count = 0;
    if (good)
        mark_strings(f, used);
    for (pr_str i = 1; good && i < strings->count; i++) {
        if (used[i])
            order[count++] = i;
    }
    good = good && pr_sort(order, count, sizeof *order, compare_strings, strings);
    for (size_t i = 0; good && i < count; i++) {
        const struct pr_text text = pr_strings_get(strings, order[i]);
        f->string[order[i]] = pr_strings_add(&f->profile->strings, text.bytes, text.length);
        good = f->string[order[i]] != PR_NO_STR;
    }
    free(used);
    free(order);
    return good;
}

/* ---- frames, nodes ---------------------------------------------------------------------------------------------- */

static struct pr_frame new_frame(const struct finish *f, pr_frame_id id)
{
    struct pr_frame frame = named_frame(f, id);
    frame.function = f->string[frame.function];
    frame.file = f->string[frame.file];
    return frame;
}

static int compare_frames(const void *a, const void *b, const void *context)
{
    pr_frame_id x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    const struct pr_frame left = new_frame(context, x), right = new_frame(context, y);
    if (left.function != right.function)
        return PR_ORDER(left.function, right.function);
    if (left.file != right.file)
        return PR_ORDER(left.file, right.file);
    if (left.line != right.line)
        return PR_ORDER(left.line, right.line);
    return left.kind != right.kind ? PR_ORDER(left.kind, right.kind)
                                   : PR_ORDER(left.definition_line, right.definition_line);
}

static bool make_frames(struct finish *f)
{
    uint32_t count = 0;
    for (pr_frame_id i = 0; i < f->m->frames.count; i++) {
        if (f->frame[i])
            f->order[count++] = i;
    }
    struct pr_frame *frames = pr_arena_array(&f->profile->arena, count, sizeof *frames);
    if (!frames || !pr_sort(f->order, count, sizeof *f->order, compare_frames, f))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        frames[i] = new_frame(f, f->order[i]);
        f->frame[f->order[i]] = i;
    }
    f->profile->frames = frames;
    f->profile->frame_count = count;
    return true;
}

/* Children of the same node by their frames; numbers of frames are those of the profile. */
static int compare_nodes(const void *a, const void *b, const void *context)
{
    const struct finish *f = context;
    pr_node_id x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    const pr_node_id left = node_parent(f, x), right = node_parent(f, y);
    if (left != right)
        return PR_ORDER(left, right);
    return PR_ORDER(f->frame[node_frame(f, x)], f->frame[node_frame(f, y)]);
}

/* FIRST[node]: where in f->order its children begin; nodes that are left out have no children. */
static bool sort_children(struct finish *f, uint32_t *first, uint32_t *count)
{
    *count = 0;
    for (pr_node_id node = 1; node < f->m->nodes.count; node++) {
        if (f->node[node])
            f->order[(*count)++] = node;
    }
    if (!pr_sort(f->order, *count, sizeof *f->order, compare_nodes, f))
        return false;
    for (uint32_t i = 0; i < *count; i++)
        first[node_parent(f, f->order[i]) + 1]++;
    for (pr_node_id node = 0; node < f->m->nodes.count; node++)
        first[node + 1] += first[node];
    return true;
}

/* Depth first: the stack holds nodes whose numbers come later, those with the last numbers at its bottom. */
static void number_nodes(struct finish *f, const uint32_t *first, pr_node_id *stack, pr_node_id *parent,
                         pr_frame_id *frame)
{
    size_t depth = 0;
    uint32_t made = 0;
    stack[depth++] = PR_ROOT;
    while (depth) {
        const pr_node_id node = stack[--depth];
        f->node[node] = made;
        if (node != PR_ROOT) {
            parent[made] = f->node[node_parent(f, node)];
            frame[made] = f->frame[node_frame(f, node)];
        }
        made++;
        for (uint32_t i = first[node + 1]; i-- > first[node];)
            stack[depth++] = f->order[i];
    }
}

static bool make_nodes(struct finish *f)
{
    struct pr_arena *arena = &f->profile->arena;
    uint32_t count = 0, *first = calloc(f->m->nodes.count + (size_t)1, sizeof *first);
    pr_node_id *stack = calloc(f->m->nodes.count + (size_t)1, sizeof *stack);
    bool good = first && stack && sort_children(f, first, &count);
    pr_node_id *parent = pr_arena_array(arena, count + (size_t)1, sizeof *parent);
    pr_frame_id *frame = pr_arena_array(arena, count + (size_t)1, sizeof *frame);
    good = good && parent && frame;
    if (good)
        number_nodes(f, first, stack, parent, frame);
    f->profile->tree = (struct pr_tree){count + 1, parent, frame};
    free(first);
    free(stack);
    return good;
}

/* ---- threads, facts --------------------------------------------------------------------------------------------- */

static struct pr_thread new_thread(const struct finish *f, uint32_t thread)
{
    const uint64_t *key = &f->m->threads.keys[(size_t)thread * 2];
    return (struct pr_thread){key[1], f->string[pr_low(key[0])], pr_high(key[0])};
}

static int compare_threads(const void *a, const void *b, const void *context)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    const struct pr_thread left = new_thread(context, x), right = new_thread(context, y);
    if (left.process != right.process)
        return PR_ORDER(left.process, right.process);
    return left.tid != right.tid ? PR_ORDER(left.tid, right.tid) : PR_ORDER(left.name, right.name);
}

static bool make_threads(struct finish *f)
{
    const uint32_t count = f->m->threads.count;
    struct pr_arena *arena = &f->profile->arena;
    struct pr_thread *threads = pr_arena_array(arena, count, sizeof *threads);
    struct pr_process *processes = pr_arena_array(arena, f->m->process_count + (size_t)1, sizeof *processes);
    for (uint32_t i = 0; i < count; i++)
        f->order[i] = i;
    if (!threads || !processes || !pr_sort(f->order, count, sizeof *f->order, compare_threads, f))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        threads[i] = new_thread(f, f->order[i]);
        f->thread[f->order[i]] = i;
    }
    for (uint32_t i = 0; i < f->m->process_count; i++)
        processes[i] = (struct pr_process){f->m->processes[i].pid, f->string[f->m->processes[i].name]};
    f->profile->threads = threads;
    f->profile->thread_count = count;
    f->profile->processes = processes;
    f->profile->process_count = f->m->process_count ? f->m->process_count : 1;
    return true;
}

static struct fact new_fact(const struct finish *f, uint32_t fact)
{
    const struct fact old = fact_at(f, fact);
    return (struct fact){f->node[old.leaf], f->node[old.hybrid], f->thread[old.thread], old.allocator};
}

static int compare_facts(const void *a, const void *b, const void *context)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    const struct fact left = new_fact(context, x), right = new_fact(context, y);
    if (left.leaf != right.leaf)
        return PR_ORDER(left.leaf, right.leaf);
    if (left.hybrid != right.hybrid)
        return PR_ORDER(left.hybrid, right.hybrid);
    return left.thread != right.thread ? PR_ORDER(left.thread, right.thread)
                                       : PR_ORDER(left.allocator, right.allocator);
}

static bool fill_facts(struct finish *f, size_t count)
{
    struct pr_profile *profile = f->profile;
    pr_node_id *leaf = pr_arena_array(&profile->arena, count, sizeof *leaf);
    pr_node_id *hybrid = pr_arena_array(&profile->arena, count, sizeof *hybrid);
    uint32_t *thread = pr_arena_array(&profile->arena, count, sizeof *thread);
    uint8_t *allocator = pr_arena_array(&profile->arena, count, sizeof *allocator);
    struct pr_metric *metrics = f->made = pr_arena_array(&profile->arena, f->metric_count, sizeof *metrics);
    if (!leaf || !hybrid || !thread || !allocator || !metrics)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct fact fact = new_fact(f, f->order[i]);
        leaf[i] = fact.leaf;
        hybrid[i] = fact.hybrid;
        thread[i] = fact.thread;
        allocator[i] = fact.allocator;
    }
    profile->fact_count = count;
    profile->fact_leaf = leaf;
    profile->fact_hybrid = f->m->has_hybrid ? hybrid : NULL;
    profile->fact_thread = thread;
    profile->fact_allocator = f->m->has_allocators ? allocator : NULL;
    profile->metrics = metrics;
    profile->metric_count = f->metric_count;
    for (uint32_t i = 0; i < f->metric_count; i++) {
        if (!fill_metric(f, f->metrics[i], &metrics[i]))
            return false;
    }
    return true;
}

static bool make_facts(struct finish *f)
{
    size_t count = 0;
    for (uint32_t i = 0; i < f->m->facts.count; i++) {
        if (has_value(f, i))
            f->order[count++] = i;
    }
    return pr_sort(f->order, count, sizeof *f->order, compare_facts, f) && fill_facts(f, count);
}

/* ---- functions with figures of their own ------------------------------------------------------------------------ */

/* By thread, then frame, as numbered in the profile. */
static int compare_exact(const void *a, const void *b, const void *context)
{
    const struct finish *f = context;
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    const uint64_t left = f->m->exact.keys[x], right = f->m->exact.keys[y];
    const uint32_t left_thread = f->thread[pr_low(left)], right_thread = f->thread[pr_low(right)];
    if (left_thread != right_thread)
        return PR_ORDER(left_thread, right_thread);
    return PR_ORDER(f->frame[pr_high(left)], f->frame[pr_high(right)]);
}

static bool fill_exact(struct finish *f, const struct pr_merged_metric *sum, struct pr_metric *metric)
{
    struct pr_exact *exact = pr_arena_array(&f->profile->arena, f->profile->exact_count, sizeof *exact);
    for (size_t i = 0; exact && i < f->profile->exact_count; i++) {
        exact[i] = sum->exact[f->order[i]];
        if (!sum->count_name)
            exact[i].self_count = exact[i].total_count = 0;
    }
    metric->exact = exact;
    return exact;
}

static bool make_exact(struct finish *f)
{
    const uint32_t count = f->m->exact.count;
    struct pr_profile *profile = f->profile;
    profile->tree_estimated = f->m->tree_estimated;
    if (!has_exact(f))
        return true;
    pr_frame_id *frame = pr_arena_array(&profile->arena, count, sizeof *frame);
    uint32_t *thread = pr_arena_array(&profile->arena, count, sizeof *thread);
    for (uint32_t i = 0; i < count; i++)
        f->order[i] = i;
    if (!frame || !thread || !pr_sort(f->order, count, sizeof *f->order, compare_exact, f))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t key = f->m->exact.keys[f->order[i]];
        frame[i] = f->frame[pr_high(key)];
        thread[i] = f->thread[pr_low(key)];
    }
    profile->exact_count = count;
    profile->exact_frame = frame;
    profile->exact_thread = thread;
    for (uint32_t i = 0; i < f->metric_count; i++) {
        if (f->metrics[i]->has_exact && !fill_exact(f, f->metrics[i], &f->made[i]))
            return false;
    }
    return true;
}

/* ---- what exists once ------------------------------------------------------------------------------------------- */

static const pr_str *new_list(struct finish *f, const pr_str *list, uint32_t count)
{
    pr_str *made = pr_arena_array(&f->profile->arena, count, sizeof *made);
    for (uint32_t i = 0; made && i < count; i++)
        made[i] = f->string[list[i]];
    return made;
}

static const char *new_words(struct finish *f, const char *words)
{
    return words ? pr_arena_copy(&f->profile->arena, words, strlen(words)) : NULL;
}

static bool make_meta(struct finish *f)
{
    struct pr_meta *meta = &f->profile->meta;
    const struct pr_meta *old = &f->m->meta;
    *meta = *old;
    meta->format = new_words(f, old->format ? old->format : "");
    meta->format_title = new_words(f, old->format_title ? old->format_title : "");
    meta->python_allocator = new_words(f, old->python_allocator ? old->python_allocator : "");
    meta->compression = new_words(f, old->compression);
    meta->command_line = f->string[old->command_line];
    meta->stdlib_path = f->string[old->stdlib_path];
    meta->native_unnamed_file = f->string[old->native_unnamed_file];
    meta->site_packages = new_list(f, old->site_packages, old->site_packages_count);
    meta->sys_path = new_list(f, old->sys_path, old->sys_path_count);
    return meta->format && meta->format_title && meta->python_allocator && (meta->compression || !old->compression) &&
           meta->site_packages && meta->sys_path;
}

static bool make_inputs(struct finish *f)
{
    struct pr_part *inputs = pr_arena_array(&f->profile->arena, f->m->input_count, sizeof *inputs);
    bool good = inputs != NULL;
    for (uint32_t i = 0; i < f->m->input_count && good; i++) {
        const struct pr_part *old = &f->m->inputs[i];
        inputs[i] = *old;
        inputs[i].name = f->string[old->name];
        inputs[i].format = new_words(f, old->format);
        inputs[i].format_title = new_words(f, old->format_title);
        inputs[i].compression = new_words(f, old->compression);
        good = inputs[i].format && inputs[i].format_title && (inputs[i].compression || !old->compression);
    }
    f->profile->parts = inputs;
    f->profile->part_count = f->m->input_count;
    return good;
}

static int compare_words(const void *a, const void *b, const void *context)
{
    const char *x, *y;
    (void)context;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return strcmp(x, y);
}

static bool make_notes(struct finish *f)
{
    const uint32_t count = f->m->notes.count - 1; /* the first one is empty */
    const char **notes = pr_arena_array(&f->profile->arena, count, sizeof *notes);
    for (uint32_t i = 0; notes && i < count; i++) {
        notes[i] = new_words(f, pr_strings_get(&f->m->notes, i + 1).bytes);
        if (!notes[i])
            return false;
    }
    f->profile->notes = notes;
    f->profile->note_count = count;
    return notes && pr_sort(notes, count, sizeof *notes, compare_words, NULL);
}

/* What is known of a run if it is the only one: then no other one failed. */
static bool make_run(struct finish *f)
{
    struct pr_run_facts attach = {.to = f->profile, .from = f->m->single};
    if (!f->m->single)
        return true;
    pr_run_facts_run(&attach);
    pr_failure_settle(&f->profile->run.failure);
    if (pr_failure_is_one(&f->profile->run.failure))
        f->m->origin.failed_runs--;
    return !attach.no_memory;
}

static void make_origin(struct finish *f)
{
    struct pr_origin *origin = &f->profile->origin;
    *origin = f->m->origin;
    for (uint32_t i = 0; i < f->metric_count; i++)
        origin->temporary_threshold = most_of(origin->temporary_threshold, f->metrics[i]->threshold);
    f->profile->records = f->m->records;
    f->profile->peak_bytes = f->m->peak_bytes;
    f->profile->damage = f->m->damage;
    f->profile->complete = !origin->incomplete_runs;
    if (!f->profile->complete)
        pr_cut(&f->profile->problem, PR_ERR_TRUNCATED, PR_NO_OFFSET, NULL,
               "%" PRIu64 " of %" PRIu64 " inputs are not complete", origin->incomplete_runs, origin->runs);
}

static enum pr_status make_stats(struct finish *f, struct pr_error *err)
{
    struct pr_profile *profile = f->profile;
    const int metric = pr_profile_metric(profile, "allocated");
    if (!f->m->stats.known || metric < 0 || !profile->metrics[metric].count)
        return PR_OK;
    const struct pr_stacks stacks = {profile->frame_count, profile->frames, profile->tree, profile->fact_count,
                                     profile->fact_leaf};
    profile->stats = f->m->stats;
    profile->stats.histogram_count = pr_sizes_histogram(&f->m->sizes, profile->stats.histogram);
    if (!pr_sizes_list(&f->m->sizes, &profile->arena, &profile->stats.sizes, &profile->stats.size_count))
        return pr_fail_memory(err);
    return pr_alloc_stats_tops(profile, &stacks, profile->metrics[metric].value, profile->metrics[metric].count, err);
}

static enum pr_status make_profile(struct finish *f, struct pr_error *err)
{
    if (!finish_init(f))
        return pr_fail_memory(err);
    if (choose_metrics(f, err) == PR_FAILED)
        return PR_FAILED;
    mark_used(f);
    if (!name_processes(f) || !make_strings(f) || !make_frames(f) || !make_nodes(f) || !make_threads(f) ||
        !make_facts(f) || !make_exact(f) || !make_meta(f) || !make_inputs(f) || !make_notes(f) || !make_run(f))
        return pr_fail_memory(err);
    make_origin(f);
    if (pr_merge_series_finish(f->m, f->profile, err) == PR_FAILED)
        return PR_FAILED;
    return make_stats(f, err);
}

enum pr_status pr_merger_finish(struct pr_merger *merger, struct pr_profile **profile, struct pr_error *err)
{
    struct finish f = {.m = merger};
    *profile = NULL;
    if (!merger->added)
        return pr_fail(err, PR_ERR_EMPTY, PR_NO_OFFSET, NULL, "there is nothing to merge");
    f.profile = calloc(1, sizeof *f.profile);
    if (!f.profile)
        return pr_fail_memory(err);
    const bool good = pr_strings_init(&f.profile->strings, err) == PR_OK && make_profile(&f, err) != PR_FAILED;
    finish_clear(&f);
    if (!good) {
        pr_profile_free(f.profile);
        return PR_FAILED;
    }
    *profile = f.profile;
    return PR_OK;
}
