/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where retained memory comes together, and the shortest way there from a root.
 *
 * From the roots down, as long as one object below has most of it: where its share falls apart, that one is the
 * accumulation point, as Eclipse MAT has it (FindLeaksQuery, "big drop ratio"). Of several large parts each is
 * followed. A chain of objects of one class, such as a list, is not walked down: its head is the point.
 */
#include "capture/graph/graph_profile.h"

#include "capture/base/checked.h"

enum {
    LEAST_PERCENT = 5,
    MOST_PERCENT = 70,
    ASKED_PART = 10, /* of LEAST_PERCENT: five times most of it (is_chain) is more than that */
    MOST_POINTS = 32,
    MOST_STEPS = 64,
    STEPS_AFTER_GAP = 40
};

struct search {
    struct pr_graph_frames *frames;
    const struct pr_graph *graph;
    const struct pr_dominators *d;
    uint32_t *largest;  /* [d.count] the largest place below each; 0: none, or it is too small to be asked for */
    uint64_t *rest;     /* [d.count] retained, without what is below and large itself */
    uint32_t points[MOST_POINTS];
    uint32_t count;
};

static bool is_label(const struct search *s, uint32_t place)
{
    const struct pr_graph_names *names = s->frames->names;
    return !place || names->is_label(names->context, s->graph->kind[s->d->node[place]]);
}

/* Neither a label nor what everything hangs on. */
static bool is_object(const struct search *s, uint32_t place)
{
    const struct pr_graph_names *names = s->frames->names;
    return !is_label(s, place) && !names->is_global(names->context, s->d->node[place]);
}

static bool is_most_of(const struct search *s, uint32_t part, uint32_t whole)
{
    return part && (double)s->d->retained[part] * 100 >= (double)s->d->retained[whole] * MOST_PERCENT;
}

static uint32_t field_to(const struct search *s, uint32_t place)
{
    const uint32_t edge = s->d->through[place];
    const struct pr_graph_names *names = s->frames->names;
    return edge == PR_NO_ID ? PR_NO_ID : names->field(names->context, s->d->node[s->d->above[place]], edge);
}

/* Below the object is one that most is below, and that comes again soon: by the same field, of the same class. */
static bool is_chain(const struct search *s, uint32_t place)
{
    enum { LONGEST_PERIOD = 4 };
    const uint32_t first = s->largest[place];
    uint32_t next = first;
    if (is_label(s, place) || !is_most_of(s, first, place))
        return false;
    const uint32_t kind = s->graph->kind[s->d->node[first]], field = field_to(s, first);
    for (int i = 0; i < LONGEST_PERIOD && is_most_of(s, s->largest[next], next); i++) {
        next = s->largest[next];
        if (s->graph->kind[s->d->node[next]] == kind && field_to(s, next) == field)
            return true;
    }
    return false;
}

/* Places, largest first. */
static void add_point(struct search *s, uint32_t place)
{
    uint32_t at = s->count < MOST_POINTS ? s->count++ : MOST_POINTS - 1;
    for (; at && s->d->retained[s->points[at - 1]] < s->d->retained[place]; at--)
        s->points[at] = s->points[at - 1];
    s->points[at] = place;
}

static void find_points(struct search *s)
{
    const struct pr_dominators *d = s->d;
    const uint64_t least = d->retained[0] / 100 * LEAST_PERCENT + 1;
    memcpy(s->rest, d->retained, d->count * sizeof *s->rest);
    for (uint32_t i = d->count; i-- > 1;) {
        if (d->retained[i] < least / ASKED_PART)
            continue;
        if (d->retained[i] > d->retained[s->largest[d->above[i]]] || !s->largest[d->above[i]])
            s->largest[d->above[i]] = i;
        if (d->retained[i] >= least)
            s->rest[d->above[i]] -= d->retained[i] < s->rest[d->above[i]] ? d->retained[i] : s->rest[d->above[i]];
    }
    for (uint32_t i = 1; i < d->count; i++) {
        const bool is_open = d->retained[i] >= least && (!d->above[i] || s->rest[d->above[i]] != UINT64_MAX),
                   is_end = is_open && is_chain(s, i);
        if (is_end || (is_open && s->rest[i] >= least && !is_most_of(s, s->largest[i], i) && is_object(s, i)))
            add_point(s, i);
        if (!is_open || is_end)
            s->rest[i] = UINT64_MAX; /* nothing below is looked at */
    }
}

/* ---- the way there ----------------------------------------------------------------------------------------------- */

/* By place: from which place, + 1, and by which reference each was first reached, in the order of distance. */
struct ways {
    uint32_t *from, *edge, *queue;
};

static bool are_reached(const struct search *s, const struct ways *ways)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (!ways->from[s->points[i]])
            return false;
    return true;
}

/* As far as the last of the points: in most heaps that is a small part of it. */
static bool find_ways(const struct search *s, struct ways *ways)
{
    const size_t count = s->d->count;
    ways->from = calloc(count, sizeof *ways->from);
    ways->edge = malloc(count * sizeof *ways->edge);
    ways->queue = malloc(count * sizeof *ways->queue);
    if (!ways->from || !ways->edge || !ways->queue)
        return false;
    ways->from[0] = 1;
    ways->queue[0] = 0;
    for (uint32_t head = 0, tail = 1; head < tail && !are_reached(s, ways);) {
        const uint32_t place = ways->queue[head++], node = s->d->node[place];
        for (uint32_t e = s->graph->first[node]; e < s->graph->first[node + 1]; e++) {
            const uint32_t to = s->graph->to[e];
            if (ways->from[to])
                continue;
            ways->from[to] = place + 1;
            ways->edge[to] = e;
            ways->queue[tail++] = to;
        }
    }
    return true;
}

/* How the object at PLACE holds the next one: by a field, else as what it is. */
static pr_frame_id step_frame(const struct search *s, uint32_t place, uint32_t edge)
{
    const uint32_t node = s->d->node[place];
    const pr_frame_id field = pr_graph_field_frame(s->frames, node, edge);
    return field != PR_NO_ID ? field : pr_graph_frame(s->frames, s->graph->kind[node]);
}

/* The point that PLACE is below, among those before number COUNT, which are above others; COUNT: none. */
static uint32_t point_above(const struct search *s, uint32_t place, uint32_t count)
{
    while (place) {
        place = s->d->above[place];
        for (uint32_t i = 0; i < count; i++)
            if (s->points[i] == place)
                return i;
    }
    return count;
}

/* Adds a step up, unless it is the one below. In a long way the middle is left out: the last steps are those next to
   the root. */
static void add_step(struct search *s, pr_frame_id *steps, uint32_t *count, pr_frame_id frame)
{
    const struct pr_place gap = {.function = pr_build_text(s->frames->c, "..."), .kind = PR_FRAME_OTHER};
    if (frame == PR_NO_ID || (*count && steps[*count - 1] == frame))
        return;
    if (*count == MOST_STEPS) {
        memmove(steps + STEPS_AFTER_GAP, steps + STEPS_AFTER_GAP + 1,
                (MOST_STEPS - STEPS_AFTER_GAP - 1) * sizeof *steps);
        steps[STEPS_AFTER_GAP] = pr_build_frame(s->frames->c, &gap);
        --*count;
    }
    steps[(*count)++] = frame;
}

/* The nodes on the way from the object at TOP, whose node is NODE, to the one at POINT. */
static pr_node_id add_way(struct search *s, const struct ways *ways, uint32_t point, uint32_t top, pr_node_id node)
{
    struct pr_profile_builder *c = s->frames->c;
    pr_frame_id steps[MOST_STEPS]; /* from the object up */
    const pr_frame_id above = top ? pr_graph_frame(s->frames, s->graph->kind[s->d->node[top]]) : PR_NO_ID;
    uint32_t count = 0;
    add_step(s, steps, &count, pr_graph_frame(s->frames, s->graph->kind[s->d->node[point]]));
    add_step(s, steps, &count, pr_graph_own_frame(s->frames, s->d->node[point]));
    for (uint32_t at = point; at != top && (ways->from[at] > 1 || top); at = ways->from[at] - 1) {
        const uint32_t holder = ways->from[at] - 1;
        const pr_frame_id frame = step_frame(s, holder, ways->edge[at]);
        if (holder == top && frame == above)
            continue;
        add_step(s, steps, &count, frame);
        if (holder != top)
            add_step(s, steps, &count, pr_graph_own_frame(s->frames, s->d->node[holder]));
    }
    while (count)
        node = pr_build_child(c, node, steps[--count]);
    return node;
}

/* Each with what it retains and no point below it does: the sums of the tree are then what each retains. */
static void add_points(struct search *s, const struct ways *ways)
{
    struct pr_profile_builder *c = s->frames->c;
    const uint32_t thread = pr_build_thread(c, pr_build_process(c, 0, 0), 0);
    const unsigned metric = pr_build_metric(c, "held_by", "Held by", PR_UNIT_BYTES, "objects");
    pr_node_id nodes[MOST_POINTS];
    uint64_t own[MOST_POINTS];
    for (uint32_t i = 0; i < s->count && pr_build_going(c); i++) {
        const uint32_t outer = point_above(s, s->points[i], i);
        const bool is_inner = outer < i;
        nodes[i] = add_way(s, ways, s->points[i], is_inner ? s->points[outer] : 0, is_inner ? nodes[outer] : PR_ROOT);
        own[i] = s->d->retained[s->points[i]];
        if (is_inner)
            own[outer] -= own[i] < own[outer] ? own[i] : own[outer];
    }
    for (uint32_t i = 0; i < s->count && pr_build_going(c); i++)
        pr_build_add(c, pr_build_fact(c, nodes[i], thread), metric, (int64_t)own[i], 1);
}

void pr_graph_add_holders(struct pr_graph_frames *frames, const struct pr_dominators *dominators)
{
    struct search s = {.frames = frames, .graph = frames->graph, .d = dominators};
    struct ways ways = {0};
    s.largest = calloc(dominators->count, sizeof *s.largest);
    s.rest = calloc(dominators->count, sizeof *s.rest);
    bool done = s.largest && s.rest;
    if (done)
        find_points(&s);
    free(s.largest);
    free(s.rest);
    if (done && s.count) {
        done = find_ways(&s, &ways);
        if (done)
            add_points(&s, &ways);
    }
    free(ways.from);
    free(ways.edge);
    free(ways.queue);
    if (!done)
        pr_build_no_memory(frames->c);
}
