/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree is opened frame by frame, always the biggest one that is still closed, until there are as many as were asked
 * for: what is small is never looked into. Inverted, a frame is the stacks that reach up to it; opening one sorts these
 * by who is next, so no second tree is made.
 */
#include "cli/reports/tree_view.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "profrender/owner.h"

/* Stacks of an inverted tree: what was measured at the end of them, and the node that was reached on the way up. */
struct stack {
    pr_node_id node;
    int64_t value, count;
};

/* A frame that could be shown. Those of one parent follow one another, the largest first. */
struct frame {
    struct pr_tree_line line;
    uint32_t depth;
    bool shown, opened;
    size_t first, end;             /* inverted: its stacks; else `first` is its node */
    size_t first_child, child_end; /* once opened */
    size_t next;                   /* child to write */
};

struct opener {
    const struct pr_profile *profile;
    const struct pr_tree_question *question;
    const struct pr_metric *metric;
    struct pr_sums sums;
    struct pr_children children;
    struct stack *stacks;

    struct frame *frames;
    size_t count, capacity;
    size_t *heap; /* [heap_count] frames that may be opened, the biggest on top */
    size_t heap_count, heap_capacity;
};

/* ---- the biggest of those that are closed ----------------------------------------------------------------------- */

static bool is_before(const struct opener *o, size_t a, size_t b)
{
    int64_t x = o->frames[a].line.total, y = o->frames[b].line.total;
    return x > y || (x == y && a < b);
}

static void swap(size_t *a, size_t *b)
{
    size_t kept = *a;
    *a = *b;
    *b = kept;
}

static bool push(struct opener *o, size_t frame)
{
    if (!pr_grow(&o->heap, &o->heap_capacity, o->heap_count + 1, sizeof *o->heap))
        return false;
    size_t at = o->heap_count++;
    o->heap[at] = frame;
    for (; at && is_before(o, o->heap[at], o->heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&o->heap[at], &o->heap[(at - 1) / 2]);
    return true;
}

static size_t pop(struct opener *o)
{
    size_t top = o->heap[0], at = 0;
    o->heap[0] = o->heap[--o->heap_count];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < o->heap_count && is_before(o, o->heap[child + 1], o->heap[child]))
            child++;
        if (child >= o->heap_count || !is_before(o, o->heap[child], o->heap[at]))
            return top;
        swap(&o->heap[at], &o->heap[child]);
        at = child;
    }
}

/* ---- what is below a frame -------------------------------------------------------------------------------------- */

static struct frame *add_frame(struct opener *o, pr_frame_id frame, uint32_t depth)
{
    if (!pr_grow(&o->frames, &o->capacity, o->count + 1, sizeof *o->frames))
        return NULL;
    struct frame *added = &o->frames[o->count++];
    *added = (struct frame){.line = {.frame = frame, .thread = PR_ALL_THREADS}, .depth = depth};
    return added;
}

static bool add_children(struct opener *o, size_t parent)
{
    const pr_node_id node = (pr_node_id)o->frames[parent].first;
    const uint32_t depth = o->frames[parent].depth + 1;
    for (uint32_t i = o->children.first[node]; i < o->children.first[node + 1]; i++) {
        const pr_node_id child = o->children.child[i];
        if (!o->sums.total[child] && !o->sums.total_count[child])
            continue;
        struct frame *added = add_frame(o, o->profile->tree.frame[child], depth);
        if (!added)
            return false;
        added->first = child;
        added->line.self = o->sums.self[child];
        added->line.self_count = o->sums.self_count[child];
        added->line.total = o->sums.total[child];
        added->line.total_count = o->sums.total_count[child];
    }
    return true;
}

/* Stacks that end here first, then frame by frame. */
static int compare_stacks(const void *a, const void *b, const void *context)
{
    const struct pr_tree *tree = context;
    const pr_node_id x = ((const struct stack *)a)->node, y = ((const struct stack *)b)->node;
    if (x == PR_ROOT || y == PR_ROOT)
        return PR_ORDER(x != PR_ROOT, y != PR_ROOT);
    return PR_ORDER(tree->frame[x], tree->frame[y]);
}

static void count_in(struct pr_tree_line *line, const struct stack *stack, const struct pr_tree *tree)
{
    line->total = pr_add_saturated(line->total, stack->value);
    line->total_count = pr_add_saturated(line->total_count, stack->count);
    if (tree->parent[stack->node] == PR_ROOT) {
        line->self = pr_add_saturated(line->self, stack->value);
        line->self_count = pr_add_saturated(line->self_count, stack->count);
    }
}

static bool add_callers(struct opener *o, size_t parent)
{
    const struct pr_tree *tree = &o->profile->tree;
    const size_t first = o->frames[parent].first, end = o->frames[parent].end;
    const uint32_t depth = o->frames[parent].depth + 1;
    for (size_t i = first; depth > 1 && i < end; i++)
        o->stacks[i].node = tree->parent[o->stacks[i].node];
    if (!pr_sort(o->stacks + first, end - first, sizeof *o->stacks, compare_stacks, tree))
        return false;
    struct frame *added = NULL;
    for (size_t i = first; i < end; i++) {
        const pr_node_id node = o->stacks[i].node;
        if (node == PR_ROOT)
            continue;
        if (!added || added->line.frame != tree->frame[node]) {
            added = add_frame(o, tree->frame[node], depth);
            if (!added)
                return false;
            added->first = i;
        }
        added->end = i + 1;
        count_in(&added->line, &o->stacks[i], tree);
    }
    return true;
}

static int compare_frames(const void *a, const void *b, const void *context)
{
    const struct pr_profile *profile = context;
    const struct frame *x = a, *y = b;
    const struct pr_frame *f = &profile->frames[x->line.frame], *g = &profile->frames[y->line.frame];
    int order = PR_ORDER(y->line.total, x->line.total);
    order = order ? order : PR_ORDER(y->line.total_count, x->line.total_count);
    if (!order) /* of the same size, your own code first */
        order = PR_ORDER(pr_owner_of(profile, x->line.frame) != PR_OWNER_MINE,
                         pr_owner_of(profile, y->line.frame) != PR_OWNER_MINE);
    if (!order)
        order = pr_text_compare(pr_profile_text(profile, f->function), pr_profile_text(profile, g->function));
    if (!order)
        order = pr_text_compare(pr_profile_text(profile, f->file), pr_profile_text(profile, g->file));
    return order ? order : PR_ORDER(f->line, g->line);
}

static bool open_frame(struct opener *o, size_t at)
{
    const uint64_t depth = o->question->depth;
    const size_t first = o->count;
    if (!(o->question->invert ? add_callers : add_children)(o, at))
        return false;
    struct frame *frame = &o->frames[at];
    frame->opened = true;
    frame->first_child = first;
    frame->child_end = o->count;
    if (!pr_sort(o->frames + first, o->count - first, sizeof *o->frames, compare_frames, o->profile))
        return false;
    for (size_t i = first; i < o->count && (!depth || frame->depth < depth); i++)
        if (!push(o, i))
            return false;
    return true;
}

/* ---- which are shown -------------------------------------------------------------------------------------------- */

static bool open_biggest(struct opener *o, double least)
{
    const uint64_t limit = o->question->limit;
    for (uint64_t shown = 0; o->heap_count && (!limit || shown < limit); shown++) {
        size_t at = pop(o);
        if ((double)o->frames[at].line.total < least)
            break;
        o->frames[at].shown = true;
        if (!open_frame(o, at))
            return false;
    }
    return true;
}

static bool write_line(struct pr_tree_view *view, const struct pr_tree_line *line, uint32_t parent)
{
    if (view->count == PR_NO_ROW - 1 || !pr_grow(&view->line, &view->capacity, (size_t)view->count + 1,
                                                  sizeof *view->line))
        return false;
    view->line[view->count] = *line;
    view->line[view->count++].parent = parent;
    if (parent != PR_NO_ROW)
        view->line[parent].lines_below++;
    return true;
}

static void fold(const struct opener *o, struct frame *frame)
{
    for (size_t i = frame->first_child; i < frame->child_end; i++) {
        if (o->frames[i].shown)
            continue;
        frame->line.folded++;
        frame->line.folded_total = pr_add_saturated(frame->line.folded_total, o->frames[i].line.total);
        frame->line.folded_count = pr_add_saturated(frame->line.folded_count, o->frames[i].line.total_count);
    }
}

/* From the root down; WAY holds the frames above the one at work, and LINE_OF its line. */
static bool write_lines(struct opener *o, struct pr_tree_view *view, uint32_t parent, uint32_t thread)
{
    struct way {
        size_t frame;
        uint32_t line;
    } *way = NULL;
    size_t length = 0, capacity = 0;
    bool done = pr_grow(&way, &capacity, 1, sizeof *way);
    for (size_t at = 0; done;) {
        struct frame *frame = &o->frames[at];
        frame->line.thread = thread;
        frame->next = frame->first_child;
        fold(o, frame);
        done = write_line(view, &frame->line, length ? way[length - 1].line : parent) &&
               pr_grow(&way, &capacity, length + 1, sizeof *way);
        if (!done)
            break;
        way[length++] = (struct way){at, view->count - 1};
        while (length) { /* the next one that is shown, below this or further up */
            struct frame *last = &o->frames[way[length - 1].frame];
            while (last->next < last->child_end && !o->frames[last->next].shown)
                last->next++;
            if (last->next < last->child_end) {
                at = last->next++;
                break;
            }
            length--;
        }
        if (!length)
            break;
    }
    free(way);
    return done;
}

/* ---- one tree --------------------------------------------------------------------------------------------------- */

static const pr_node_id *leaves(const struct opener *o)
{
    const struct pr_profile *profile = o->profile;
    return o->question->hybrid && profile->fact_hybrid ? profile->fact_hybrid : profile->fact_leaf;
}

static bool collect_stacks(struct opener *o, const struct pr_choice *choice, struct frame *root)
{
    const struct pr_profile *profile = o->profile;
    o->stacks = malloc((profile->fact_count + 1) * sizeof *o->stacks);
    if (!o->stacks)
        return false;
    for (size_t i = 0; i < profile->fact_count; i++) {
        const int64_t value = o->metric->value[i], count = o->metric->count ? o->metric->count[i] : 0;
        if ((choice->thread == PR_ALL_THREADS || choice->thread == profile->fact_thread[i]) && (value || count)) {
            o->stacks[root->end++] = (struct stack){leaves(o)[i], value, count};
            root->line.total = pr_add_saturated(root->line.total, value);
            root->line.total_count = pr_add_saturated(root->line.total_count, count);
        }
    }
    for (size_t i = 0; i < root->end; i++) {
        if (o->stacks[i].node == PR_ROOT) {
            root->line.self = pr_add_saturated(root->line.self, o->stacks[i].value);
            root->line.self_count = pr_add_saturated(root->line.self_count, o->stacks[i].count);
        }
    }
    return true;
}

static bool start(struct opener *o, const struct pr_choice *choice, struct pr_error *err)
{
    struct frame *root = add_frame(o, PR_NO_FRAME, 0);
    if (!root)
        return false;
    root->shown = true;
    if (o->question->invert)
        return collect_stacks(o, choice, root);
    if (pr_tree_sum(o->profile, choice, &o->sums, err) == PR_FAILED ||
        pr_tree_children(&o->profile->tree, &o->children, err) == PR_FAILED)
        return false;
    root->first = PR_ROOT;
    root->line.self = o->sums.self[PR_ROOT];
    root->line.self_count = o->sums.self_count[PR_ROOT];
    root->line.total = o->sums.total[PR_ROOT];
    root->line.total_count = o->sums.total_count[PR_ROOT];
    return true;
}

static void opener_clear(struct opener *o)
{
    pr_sums_clear(&o->sums);
    pr_children_clear(&o->children);
    free(o->stacks);
    free(o->frames);
    free(o->heap);
}

/* The lines of one thread, or of all, below the line PARENT. */
static bool add_tree(struct pr_tree_view *view, const struct pr_tree_question *question, uint32_t thread,
                     uint32_t parent, struct pr_error *err)
{
    struct opener o = {.profile = view->profile, .question = question, .metric = view->metric};
    const struct pr_choice choice = {(unsigned)(view->metric - view->profile->metrics), thread, -1, question->hybrid};
    bool done = start(&o, &choice, err) && open_frame(&o, 0) && open_biggest(&o, view->least) &&
                write_lines(&o, view, parent, thread);
    opener_clear(&o);
    return done;
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

struct thread_total {
    uint32_t thread;
    int64_t total, count;
};

static int compare_threads(const void *a, const void *b, const void *context)
{
    const struct thread_total *x = a, *y = b;
    const struct pr_thread *threads = context;
    int order = PR_ORDER(y->total, x->total);
    order = order ? order : PR_ORDER(threads[x->thread].tid, threads[y->thread].tid);
    return order ? order : PR_ORDER(x->thread, y->thread);
}

/* Threads that have something, the biggest first. NULL: no memory. */
static struct thread_total *order_threads(const struct pr_tree_view *view, uint32_t *count)
{
    const struct pr_profile *profile = view->profile;
    struct thread_total *threads = calloc((size_t)profile->thread_count + 1, sizeof *threads);
    if (!threads)
        return NULL;
    for (uint32_t i = 0; i < profile->thread_count; i++)
        threads[i].thread = i;
    for (size_t i = 0; i < profile->fact_count; i++) {
        struct thread_total *total = &threads[profile->fact_thread[i]];
        total->total = pr_add_saturated(total->total, view->metric->value[i]);
        total->count = pr_add_saturated(total->count, view->metric->count ? view->metric->count[i] : 0);
    }
    *count = 0;
    for (uint32_t i = 0; i < profile->thread_count; i++)
        if (threads[i].total || threads[i].count)
            threads[(*count)++] = threads[i];
    if (pr_sort(threads, *count, sizeof *threads, compare_threads, profile->threads))
        return threads;
    free(threads);
    return NULL;
}

static bool add_threads(struct pr_tree_view *view, const struct pr_tree_question *question, struct pr_error *err)
{
    const struct pr_tree_line all = {.frame = PR_NO_FRAME, .thread = PR_ALL_THREADS,
                                     .total = view->metric->total_value, .total_count = view->metric->total_count};
    uint32_t count = 0;
    struct thread_total *threads = order_threads(view, &count);
    bool done = threads && write_line(view, &all, PR_NO_ROW);
    for (uint32_t i = 0; done && i < count; i++) {
        if ((double)threads[i].total >= view->least) {
            done = add_tree(view, question, threads[i].thread, 0, err);
            continue;
        }
        view->line[0].folded++;
        view->line[0].folded_total = pr_add_saturated(view->line[0].folded_total, threads[i].total);
        view->line[0].folded_count = pr_add_saturated(view->line[0].folded_count, threads[i].count);
    }
    free(threads);
    return done;
}

enum pr_status pr_tree_view_make(const struct pr_profile *profile, const struct pr_tree_question *question,
                                 struct pr_tree_view *view, struct pr_error *err)
{
    *view = (struct pr_tree_view){.profile = profile};
    int metric = question->metric ? pr_profile_metric(profile, question->metric) : profile->metric_count ? 0 : -1;
    if (metric < 0)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "there is no '%s'",
                       question->metric ? question->metric : "metric");
    view->metric = &profile->metrics[metric];
    view->least = question->min_share * (double)view->metric->total_value;
    bool done = question->split_threads ? add_threads(view, question, err)
                                        : add_tree(view, question, PR_ALL_THREADS, PR_NO_ROW, err);
    return done ? PR_OK : pr_fail_memory(err);
}

void pr_tree_view_clear(struct pr_tree_view *view)
{
    free(view->line);
    *view = (struct pr_tree_view){.count = 0};
}
