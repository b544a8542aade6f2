/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings are sorted by their bytes, frames by their names and lines, nodes depth first by their frames; what nothing
 * refers to is left out.
 */
#include "capture/base/sort.h"
#include "capture/compose/merge_finish.h"
#include "profrender/buf.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- processes -------------------------------------------------------------------------------------------------- */

static bool is_pid_unique(const struct pr_merger *m, uint32_t process)
{
    for (uint32_t i = 0; i < m->process_count; i++) {
        if (i != process && m->processes[i].pid == m->processes[process].pid)
            return false;
    }
    return m->processes[process].pid > 0;
}

static bool is_name_taken(const struct pr_merge_finish *f, uint32_t before, pr_str name)
{
    for (uint32_t i = 0; i < before; i++) {
        if (f->root_name[i] == name)
            return true;
    }
    return false;
}

/* "process 1234"; if that is not unique, with the name of its file; if still not, with a number. */
static pr_str name_process(const struct pr_merge_finish *f, uint32_t process, unsigned again)
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

static bool name_processes(struct pr_merge_finish *f)
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
static struct pr_frame named_frame(const struct pr_merge_finish *f, pr_frame_id id)
{
    struct pr_frame frame = pr_frame_table_get(&f->m->numbers.frames, id);
    if (frame.line < 0) {
        frame.function = f->root_name[-1 - (int64_t)frame.line];
        frame.line = 0;
    }
    return frame;
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

/* Nodes with a fact on or below them, and their frames: marked by 1. */
static void mark_used(struct pr_merge_finish *f)
{
    for (uint32_t fact = 0; fact < f->m->facts.count; fact++) {
        if (pr_merge_has_value(f, fact))
            f->node[pr_merge_fact_at(f, fact).leaf] = f->node[pr_merge_fact_at(f, fact).hybrid] = 1;
    }
    for (pr_node_id node = f->m->numbers.nodes.count; --node > 0;) {
        if (f->node[node]) {
            f->node[pr_numbers_parent(&f->m->numbers, node)] = 1;
            f->frame[pr_numbers_frame(&f->m->numbers, node)] = 1;
        }
    }
    f->node[PR_ROOT] = 1;
    for (uint32_t i = 0; pr_merge_has_exact(f) && i < f->m->exact.count; i++)
        f->frame[pr_high(f->m->exact.keys[i])] = 1;
}

static void mark_strings(struct pr_merge_finish *f, bool *used)
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
    for (uint32_t i = 0; i < m->numbers.threads.count; i++)
        used[pr_numbers_thread(&m->numbers, i).name] = true;
    for (pr_frame_id i = 0; i < m->numbers.frames.frames.count; i++) {
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
static bool make_strings(struct pr_merge_finish *f)
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

static struct pr_frame new_frame(const struct pr_merge_finish *f, pr_frame_id id)
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

static bool make_frames(struct pr_merge_finish *f)
{
    uint32_t count = 0;
    for (pr_frame_id i = 0; i < f->m->numbers.frames.frames.count; i++) {
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
    const struct pr_merge_finish *f = context;
    pr_node_id x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    const pr_node_id left = pr_numbers_parent(&f->m->numbers, x), right = pr_numbers_parent(&f->m->numbers, y);
    if (left != right)
        return PR_ORDER(left, right);
    return PR_ORDER(f->frame[pr_numbers_frame(&f->m->numbers, x)], f->frame[pr_numbers_frame(&f->m->numbers, y)]);
}

/* FIRST[node]: where in f->order its children begin; nodes that are left out have no children. */
static bool sort_children(struct pr_merge_finish *f, uint32_t *first, uint32_t *count)
{
    *count = 0;
    for (pr_node_id node = 1; node < f->m->numbers.nodes.count; node++) {
        if (f->node[node])
            f->order[(*count)++] = node;
    }
    if (!pr_sort(f->order, *count, sizeof *f->order, compare_nodes, f))
        return false;
    for (uint32_t i = 0; i < *count; i++)
        first[pr_numbers_parent(&f->m->numbers, f->order[i]) + 1]++;
    for (pr_node_id node = 0; node < f->m->numbers.nodes.count; node++)
        first[node + 1] += first[node];
    return true;
}

/* Depth first: the stack holds nodes whose numbers come later, those with the last numbers at its bottom. */
static void number_nodes(struct pr_merge_finish *f, const uint32_t *first, pr_node_id *stack, pr_node_id *parent,
                         pr_frame_id *frame)
{
    size_t depth = 0;
    uint32_t made = 0;
    stack[depth++] = PR_ROOT;
    while (depth) {
        const pr_node_id node = stack[--depth];
        f->node[node] = made;
        if (node != PR_ROOT) {
            parent[made] = f->node[pr_numbers_parent(&f->m->numbers, node)];
            frame[made] = f->frame[pr_numbers_frame(&f->m->numbers, node)];
        }
        made++;
        for (uint32_t i = first[node + 1]; i-- > first[node];)
            stack[depth++] = f->order[i];
    }
}

static bool make_nodes(struct pr_merge_finish *f)
{
    struct pr_arena *arena = &f->profile->arena;
    uint32_t count = 0, *first = calloc(f->m->numbers.nodes.count + (size_t)1, sizeof *first);
    pr_node_id *stack = calloc(f->m->numbers.nodes.count + (size_t)1, sizeof *stack);
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

bool pr_merge_order(struct pr_merge_finish *f)
{
    mark_used(f);
    return name_processes(f) && make_strings(f) && make_frames(f) && make_nodes(f);
}
