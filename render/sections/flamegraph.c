/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first levels of the call tree as a picture that needs neither script nor style: an icicle of nested SVG elements,
 * whose widths are percentages and which cut their own text. Boxes too narrow to see are one box "n smaller"; the boxes
 * below a box and its own share add up to it exactly.
 */
#include "render/page/section.h"

#include "capture/base/checked.h"
#include "capture/model/nameless.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LEVELS = 10, ROW_HEIGHT = 22, BOX_HEIGHT = 21, LINE_HEIGHT = 2, NAME_LENGTH = 80 };

#define MIN_SHARE 0.015     /* of the whole: a narrower box joins "n smaller" */
#define MIN_TEXT_SHARE 0.03 /* a narrower one has no room for a name */

/* A number of sibling nodes, heaviest first. */
struct nodes {
    pr_node_id *node;
    size_t count, capacity;
};

struct graph {
    const struct pr_page *page;
    const struct pr_metric *metric;
    struct pr_sums sums;
    uint32_t *size;   /* [node] frames at and below it that have a value */
    pr_node_id *next; /* [node] of the runner: the next sibling that is in its box; PR_ROOT = none */
    struct pr_buf *out;
    int levels; /* used so far */
    bool failed;
};

/* What is drawn as one box: a frame, the frames of the runner, or smaller frames. */
struct box {
    pr_node_id node; /* the frame, the outermost of the runner; PR_NO_NODE = smaller frames */
    uint32_t frames; /* how many it represents */
    int64_t self, total, count;
};

/*
 * Colours for pages without styles, light, by owner and step of self share. They are the tokens of
 * assets/src/css/tokens.css, which override them.
 */
static const struct {
    char letter;
    const char *fill[3], *line;
} owners[PR_OWNER_NONE] = {
    [PR_OWNER_MINE] = {'m', {"#fee0c7", "#ffc99a", "#ffae63"}, "#c66400"},
    [PR_OWNER_LIBRARY] = {'l', {"#cce3f8", "#a9d5fb", "#80c3fc"}, "#006caf"},
    [PR_OWNER_STDLIB] = {'s', {"#d4f6e8", "#acedd3", "#78e1bb"}, "#009f74"},
    [PR_OWNER_NATIVE] = {'n', {"#f8e4f3", "#f3cee9", "#eab3dd"}, "#b271a4"},
    [PR_OWNER_KERNEL] = {'k', {"#ccced2", "#babec5", "#a6abb6"}, "#3e444f"},
};

static void add_node(struct graph *graph, struct nodes *nodes, pr_node_id node)
{
    if (!pr_grow(&nodes->node, &nodes->capacity, nodes->count + 1, sizeof *nodes->node))
        graph->failed = true;
    else
        nodes->node[nodes->count++] = node;
}

static bool is_runner(const struct graph *graph, pr_node_id node)
{
    return node != PR_ROOT && pr_traits_is_runner(&graph->page->traits, graph->page->profile->tree.frame[node]);
}

static void add_children(struct graph *graph, struct nodes *nodes, pr_node_id parent)
{
    const struct pr_children *children = &graph->page->children;
    for (uint32_t i = children->first[parent]; i < children->first[parent + 1]; i++)
        add_node(graph, nodes, children->child[i]);
}

static void drop_empty(const struct graph *graph, struct nodes *nodes)
{
    size_t kept = 0;
    for (size_t i = 0; i < nodes->count; i++)
        if (graph->sums.total[nodes->node[i]] > 0)
            nodes->node[kept++] = nodes->node[i];
    nodes->count = kept;
}

/* ---- one box */

static void add_percent(struct pr_buf *out, double share)
{
    uint32_t scaled = (uint32_t)(share * 100000 + 0.5); /* a thousandth of a percent is far under a pixel */
    pr_buf_printf(out, "%" PRIu32 ".%03" PRIu32 "%%", scaled / 1000, scaled % 1000);
}

static int self_step(const struct box *box)
{
    double share = box->total > 0 ? (double)box->self / (double)box->total : 0;
    return share < 0.02 ? 0 : share < 0.15 ? 1 : 2;
}

static void add_name(const struct graph *graph, const struct box *box, size_t max_length)
{
    const struct pr_profile *profile = graph->page->profile;
    if (box->node == PR_NO_NODE)
        pr_html(graph->out, "%s smaller", pr_units_count(box->frames).text);
    else if (box->node == PR_ROOT)
        pr_buf_text(graph->out, pr_metric_is_of_objects(graph->metric) ? "all" : "all threads");
    else if (is_runner(graph, box->node))
        pr_html(graph->out, "%s", pr_units_counted(box->frames, "start-up frames").text);
    else
        pr_html_cut(graph->out, pr_shown_function(profile, profile->tree.frame[box->node]), max_length);
}

static void add_title(const struct graph *graph, const struct box *box)
{
    const struct pr_profile *profile = graph->page->profile;
    enum { TITLE_LENGTH = 300 };
    pr_buf_text(graph->out, "<title>");
    add_name(graph, box, TITLE_LENGTH);
    if (box->node != PR_NO_NODE && box->node != PR_ROOT && !is_runner(graph, box->node)) {
        const struct pr_frame *frame = &profile->frames[profile->tree.frame[box->node]];
        pr_buf_text(graph->out, frame->file ? ", " : "");
        pr_html_cut(graph->out, pr_profile_text(profile, frame->file), TITLE_LENGTH);
        if (frame->line > 0)
            pr_html(graph->out, ":%" PRId32, frame->line);
    }
    const int64_t whole = graph->sums.total[PR_ROOT];
    pr_html(graph->out, "\n%s, %s of %s", pr_units_metric_exact(graph->metric, box->total).text,
            pr_units_percent(box->total, whole).text, pr_units_metric_exact(graph->metric, whole).text);
    if (graph->metric->count)
        pr_html(graph->out, "\n%s", pr_units_counted(box->count, graph->metric->count_name).text);
    pr_buf_text(graph->out, "</title>");
}

/* Nobody's: the root, the runner, smaller frames, and frames that are no code. */
static bool is_neutral(const struct graph *graph, const struct box *box)
{
    return box->node == PR_NO_NODE || box->node == PR_ROOT || is_runner(graph, box->node) ||
           pr_traits_owner(&graph->page->traits, graph->page->profile->tree.frame[box->node]) == PR_OWNER_NONE;
}

/* Class and colours by owner. */
static void open_box(const struct graph *graph, const struct box *box)
{
    if (is_neutral(graph, box)) {
        const char *name = box->node == PR_NO_NODE ? "f" : box->node == PR_ROOT ? "a" : "r";
        pr_html(graph->out, "<svg class='%s' fill='#e9eaee'", name);
    } else {
        enum pr_owner owner = pr_traits_owner(&graph->page->traits, graph->page->profile->tree.frame[box->node]);
        int step = self_step(box);
        pr_html(graph->out, "<svg class='%.*s%d' fill='%s'", 1, &owners[owner].letter, step + 1,
                owners[owner].fill[step]);
    }
}

static void add_line(const struct graph *graph, const struct box *box)
{
    if (is_neutral(graph, box))
        return;
    enum pr_owner owner = pr_traits_owner(&graph->page->traits, graph->page->profile->tree.frame[box->node]);
    pr_html(graph->out, "<rect class='o-%.*s' fill='%s' y='%d' width='100%%' height='%d'/>", 1, &owners[owner].letter,
            owners[owner].line, BOX_HEIGHT - LINE_HEIGHT, LINE_HEIGHT);
}

static void emit_box(struct graph *graph, const struct box *box, double x, int level)
{
    const double share = (double)box->total / (double)graph->sums.total[PR_ROOT];
    open_box(graph, box);
    pr_buf_text(graph->out, " x='");
    add_percent(graph->out, x);
    pr_html(graph->out, "' y='%d' width='", level * ROW_HEIGHT);
    add_percent(graph->out, share);
    pr_buf_text(graph->out, "'>");
    add_title(graph, box);
    pr_html(graph->out, "<rect stroke='#fff' width='100%%' height='%d'/>", BOX_HEIGHT);
    add_line(graph, box);
    if (share >= MIN_TEXT_SHARE) {
        pr_buf_text(graph->out, "<text x='4' y='14' fill='#17181a'>");
        add_name(graph, box, NAME_LENGTH);
        pr_html(graph->out, " <tspan>%s</tspan></text>", pr_units_metric(graph->metric, box->total).text);
    }
    pr_buf_text(graph->out, "</svg>\n");
    if (level >= graph->levels)
        graph->levels = level + 1;
}

/* ---- levels */

static void add_to_box(const struct graph *graph, struct box *box, pr_node_id node)
{
    box->frames += graph->size[node];
    box->total = pr_add_saturated(box->total, graph->sums.total[node]);
    box->count = pr_add_saturated(box->count, graph->sums.total_count[node]);
}

/* Belongs in the box of the runner's frame above it: another one, or native code between the two. */
static bool is_in_runner_box(const struct graph *graph, pr_node_id node)
{
    const struct pr_profile *profile = graph->page->profile;
    const pr_frame_id frame = profile->tree.frame[node];
    return is_runner(graph, node) || graph->page->traits.of[frame] & PR_TRAIT_START ||
           (profile->frames[frame].kind == PR_FRAME_NATIVE &&
            pr_traits_owner(&graph->page->traits, frame) == PR_OWNER_NATIVE);
}

/* Siblings of the runner are one box, as in the graph of the script: OTHER joins that of NODE. */
static void join_runner(struct graph *graph, pr_node_id node, pr_node_id other)
{
    struct pr_sums *sums = &graph->sums;
    graph->next[other] = graph->next[node];
    graph->next[node] = other;
    graph->size[node] += graph->size[other];
    sums->self[node] = pr_add_saturated(sums->self[node], sums->self[other]);
    sums->total[node] = pr_add_saturated(sums->total[node], sums->total[other]);
    sums->total_count[node] = pr_add_saturated(sums->total_count[node], sums->total_count[other]);
    sums->total[other] = 0;
}

static void join_runners(struct graph *graph, const struct nodes *nodes)
{
    pr_node_id first = PR_ROOT;
    for (size_t i = 0; i < nodes->count; i++) {
        if (!is_runner(graph, nodes->node[i]))
            continue;
        if (first == PR_ROOT)
            first = nodes->node[i];
        else
            join_runner(graph, first, nodes->node[i]);
    }
}

/* Moves what is in the box of the runner from BELOW into it, and the children of that to BELOW. */
static void fill_runner_box(struct graph *graph, struct box *box, struct nodes *below)
{
    for (pr_node_id other = graph->next[box->node]; other != PR_ROOT; other = graph->next[other]) {
        box->frames++;
        add_children(graph, below, other);
    }
    for (size_t i = 0; i < below->count;) {
        pr_node_id inner = below->node[i];
        if (!is_in_runner_box(graph, inner)) {
            i++;
            continue;
        }
        below->node[i] = below->node[--below->count];
        box->frames++;
        box->self = pr_add_saturated(box->self, graph->sums.self[inner]);
        add_children(graph, below, inner);
    }
}

/*
 * The box of NODE, and the nodes below it. Frames of the runner that lie directly below or next to one another are one
 * box; it counts them all, with or without a value, as the script does.
 */
static struct box open_node(struct graph *graph, pr_node_id node, struct nodes *below)
{
    struct box box = {node, 1, graph->sums.self[node], graph->sums.total[node], graph->sums.total_count[node]};
    add_children(graph, below, node);
    if (is_runner(graph, node))
        fill_runner_box(graph, &box, below);
    else
        join_runners(graph, below);
    drop_empty(graph, below);
    return box;
}

/* Insertion by weight; a level has few wide nodes, and the others are never sorted. */
static void sort_wide(const struct graph *graph, struct nodes *nodes, size_t wide)
{
    const int64_t *total = graph->sums.total;
    for (size_t i = 1; i < wide; i++) {
        pr_node_id node = nodes->node[i];
        size_t at = i;
        for (; at && (total[nodes->node[at - 1]] < total[node] ||
                      (total[nodes->node[at - 1]] == total[node] && nodes->node[at - 1] > node));
             at--)
            nodes->node[at] = nodes->node[at - 1];
        nodes->node[at] = node;
    }
}

/* Moves the nodes that get a box of their own to the front; returns how many. */
static size_t part_wide(const struct graph *graph, struct nodes *nodes)
{
    const double limit = MIN_SHARE * (double)graph->sums.total[PR_ROOT];
    size_t wide = 0;
    for (size_t i = 0; i < nodes->count; i++) {
        pr_node_id node = nodes->node[i];
        if ((double)graph->sums.total[node] >= limit) {
            nodes->node[i] = nodes->node[wide];
            nodes->node[wide++] = node;
        }
    }
    return wide;
}

/* Draws NODE at X and what is below it. The recursion is at most LEVELS deep. */
static void draw(struct graph *graph, pr_node_id node, double x, int level)
{
    struct nodes below = {0};
    struct box box = open_node(graph, node, &below);
    emit_box(graph, &box, x, level);
    if (level + 1 < LEVELS && !graph->failed) {
        const double whole = (double)graph->sums.total[PR_ROOT];
        struct box smaller = {.node = PR_NO_NODE};
        size_t wide = part_wide(graph, &below);
        sort_wide(graph, &below, wide);
        for (size_t i = 0; i < wide; i++) {
            draw(graph, below.node[i], x, level + 1);
            x += (double)graph->sums.total[below.node[i]] / whole;
        }
        for (size_t i = wide; i < below.count; i++)
            add_to_box(graph, &smaller, below.node[i]);
        if (smaller.frames)
            emit_box(graph, &smaller, x, level + 1);
    }
    free(below.node);
}

static bool count_frames(struct graph *graph)
{
    const struct pr_tree *tree = &graph->page->profile->tree;
    graph->size = calloc(tree->count, sizeof *graph->size);
    if (!graph->size)
        return false;
    for (uint32_t i = tree->count; i-- > 1;) {
        if (graph->sums.total[i] > 0)
            graph->size[i]++;
        graph->size[tree->parent[i]] += graph->size[i];
    }
    return true;
}

/* The height comes before the boxes and is known after them: they are written separately. */
static void emit_graph(struct graph *graph, struct pr_buf *out)
{
    const bool has_objects = pr_metric_is_of_objects(graph->metric);
    pr_html(out,
            "<svg class='ice' width='100%%' height='%d' font-family='monospace' font-size='12' role='img' "
            "aria-label='%s: %s of %s%s, the widest paths'>\n",
            graph->levels * ROW_HEIGHT, graph->metric->title, has_objects ? "dominator tree" : "call tree",
            pr_units_metric(graph->metric, graph->sums.total[PR_ROOT]).text, has_objects ? "" : ", all threads");
    pr_buf_add(out, graph->out->bytes, graph->out->length);
    pr_buf_text(out, "</svg>\n");
}

enum pr_status pr_flamegraph_emit(const struct pr_page *page, unsigned metric, struct pr_buf *out, struct pr_error *err)
{
    struct pr_buf boxes = {0};
    struct graph graph = {.page = page, .metric = &page->profile->metrics[metric], .out = &boxes};
    struct pr_choice choice = {metric, PR_ALL_THREADS, -1, .hybrid = true};
    if (pr_tree_sum(page->profile, &choice, &graph.sums, err) == PR_FAILED)
        return PR_FAILED;
    graph.next = calloc(page->profile->tree.count, sizeof *graph.next);
    graph.failed = !graph.next || !count_frames(&graph);
    if (!graph.failed && graph.sums.total[PR_ROOT] > 0) {
        draw(&graph, PR_ROOT, 0, 0);
        emit_graph(&graph, out);
    }
    bool failed = graph.failed || boxes.failed;
    free(graph.next);
    free(graph.size);
    pr_sums_clear(&graph.sums);
    pr_buf_clear(&boxes);
    return failed ? pr_fail_memory(err) : PR_OK;
}
