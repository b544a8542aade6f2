/* SPDX-License-Identifier: Apache-2.0 */
/* Objects to groups, level by level of the dominator tree, so that a group is complete before what is below it. */
#include "capture/graph/graph_profile.h"

#include "capture/base/checked.h"

#include <inttypes.h>

enum {
    MOST_DEPTH = 64,      /* of groups: a walk down deeper structures says no more */
    LOOK_BACK = 8,        /* groups that what repeats may have */
    MOST_FIELDS = 256,    /* named below one group: an object with more keys is a table, its keys are data */
    MANY_GROUPS = 250000,   /* from here on, groups with less than 1/20,000 of all are not split */
    TOO_MANY_GROUPS = 1000000, /* nor any other from here on */
    SMALL_SHARE = 20000
};

/* What is known of a node of the profile's tree; of those of fields, nothing. */
struct group {
    uint64_t retained;  /* by the objects that were the first of it */
    int64_t size, count;
    pr_frame_id frame, field; /* PR_NO_ID: no field */
    pr_node_id above;
    pr_node_id flat;    /* what is below goes below this one, by class alone; PR_ROOT: it does not */
    uint32_t depth, fields;
};

struct fold {
    struct pr_graph_frames frames;
    struct pr_profile_builder *c;
    const struct pr_graph *graph;
    const struct pr_graph_names *names;
    struct pr_dominators d;
    pr_node_id *of;    /* [d.count] the group of each place */
    uint32_t *order;   /* [d.count] places by their level */
    struct group *groups;
    size_t group_count, group_capacity;
    struct pr_idset named; /* (group, field) */
    uint64_t deep, small;  /* objects below groups that were not split, as they are deep or small */
};

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static bool sort_by_level(struct fold *f)
{
    const uint32_t count = f->d.count;
    uint32_t *level = f->of, deepest = 0; /* not used yet */
    level[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        level[i] = level[f->d.above[i]] + 1;
        deepest = level[i] > deepest ? level[i] : deepest;
    }
    uint32_t *start = calloc(deepest + (size_t)2, sizeof *start);
    if (!start)
        return false;
    for (uint32_t i = 0; i < count; i++)
        start[level[i] + 1]++;
    for (uint32_t i = 0; i < deepest; i++)
        start[i + 1] += start[i];
    for (uint32_t i = 0; i < count; i++)
        f->order[start[level[i]]++] = i;
    free(start);
    return true;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* The child of ABOVE, which is new in *IS_NEW. */
static pr_node_id child(struct fold *f, pr_node_id above, pr_frame_id frame, bool *is_new)
{
    const pr_node_id node = pr_build_child(f->c, above, frame);
    const size_t known = f->group_count;
    *is_new = node >= known;
    if (!*is_new)
        return node;
    if (!pr_grow(&f->groups, &f->group_capacity, node + (size_t)1, sizeof *f->groups)) {
        pr_build_no_memory(f->c);
        *is_new = false;
        return PR_ROOT;
    }
    memset(f->groups + known, 0, (node + (size_t)1 - known) * sizeof *f->groups);
    f->group_count = node + (size_t)1;
    return node;
}

static pr_node_id enter(struct fold *f, pr_node_id host, pr_node_id below, pr_frame_id field, pr_frame_id frame)
{
    bool is_new;
    const pr_node_id node = child(f, below, frame, &is_new);
    if (is_new) {
        f->groups[node].frame = frame;
        f->groups[node].field = field;
        f->groups[node].above = host;
        f->groups[node].depth = f->groups[host].depth + 1;
    }
    return node;
}

/* What the object is called, or the field by which the dominator has it, if its group has room for names. */
static pr_frame_id field_of(struct fold *f, uint32_t place, pr_node_id host)
{
    const uint32_t node = f->d.node[f->d.above[place]];
    const pr_frame_id own = pr_graph_own_frame(&f->frames, f->d.node[place]),
                      field = own != PR_NO_ID ? own : pr_graph_field_frame(&f->frames, node, f->d.through[place]);
    if (field == PR_NO_ID)
        return PR_NO_ID;
    const uint64_t key = pr_pair(host, field);
    if (pr_idset_find(&f->named, &key, 1) != PR_NO_ID)
        return field;
    if (f->groups[host].fields == MOST_FIELDS)
        return PR_NO_ID;
    if (pr_idset_add(&f->named, &key, 1) == PR_NO_ID)
        pr_build_no_memory(f->c);
    f->groups[host].fields++;
    return field;
}

/* What is deep is not split any further, nor what is small where there are very many groups. */
static pr_node_id flat_below(struct fold *f, pr_node_id host)
{
    const struct group *group = &f->groups[host];
    const bool is_deep = group->depth >= MOST_DEPTH,
               is_small = f->group_count > TOO_MANY_GROUPS ||
                          (f->group_count > MANY_GROUPS && group->retained < f->d.retained[0] / SMALL_SHARE);
    if (host == PR_ROOT)
        return PR_ROOT;
    const pr_node_id flat = group->flat != PR_ROOT ? group->flat : is_deep || is_small ? host : PR_ROOT;
    f->deep += flat != PR_ROOT && f->groups[flat].depth >= MOST_DEPTH;
    f->small += flat != PR_ROOT && f->groups[flat].depth < MOST_DEPTH;
    return flat;
}

static pr_node_id put_flat(struct fold *f, pr_node_id host, pr_frame_id frame)
{
    if (f->groups[host].frame == frame)
        return host;
    const pr_node_id node = enter(f, host, host, PR_NO_ID, frame);
    if (node != PR_ROOT)
        f->groups[node].flat = host;
    return node;
}

static bool has_class(const struct fold *f, pr_node_id group, pr_frame_id frame)
{
    for (int i = 0; i < LOOK_BACK && group != PR_ROOT; i++, group = f->groups[group].above)
        if (f->groups[group].frame == frame)
            return true;
    return false;
}

/*
 * The group at or above HOST that an object repeats, as one of a list or tree does; PR_ROOT: none. It must hold for
 * every class between the two that an object of that class is above as well: then each class still has all that it
 * retains below its topmost groups.
 */
static pr_node_id repeated(const struct fold *f, pr_node_id host, pr_frame_id field, pr_frame_id frame)
{
    pr_node_id same = host;
    int steps = 0;
    while (same != PR_ROOT && (f->groups[same].field != field || f->groups[same].frame != frame)) {
        if (++steps == LOOK_BACK)
            return PR_ROOT;
        same = f->groups[same].above;
    }
    for (pr_node_id between = host; same != PR_ROOT && between != same; between = f->groups[between].above)
        if (!has_class(f, same, f->groups[between].frame))
            return PR_ROOT;
    return same;
}

static pr_node_id group_of(struct fold *f, uint32_t place)
{
    const pr_frame_id frame = pr_graph_frame(&f->frames, f->graph->kind[f->d.node[place]]);
    const pr_node_id host = f->of[f->d.above[place]], flat = flat_below(f, host);
    if (flat != PR_ROOT)
        return put_flat(f, flat, frame);
    const pr_frame_id field = field_of(f, place, host);
    if (field != PR_NO_ID && f->groups[host].frame == frame &&
        !f->names->is_generic(f->names->context, f->graph->kind[f->d.node[place]]))
        return host;
    const pr_node_id same = repeated(f, host, field, frame);
    if (same != PR_ROOT)
        return same;
    bool is_new;
    const pr_node_id below = field == PR_NO_ID ? host : child(f, host, field, &is_new),
                     node = enter(f, host, below, field, frame);
    f->groups[node].retained += f->d.retained[place];
    return node;
}

/* Levels are spread over all memory: what the objects that follow number I need is fetched meanwhile. */
static void fetch_ahead(const struct fold *f, uint32_t i)
{
    enum { PLACES = 32, NODES = 16, HOSTS = 8 };
    if (i + (uint64_t)PLACES >= f->d.count)
        return;
    __builtin_prefetch(&f->d.node[f->order[i + PLACES]]);
    __builtin_prefetch(&f->d.above[f->order[i + PLACES]]);
    __builtin_prefetch(&f->d.through[f->order[i + PLACES]]);
    __builtin_prefetch(&f->graph->kind[f->d.node[f->order[i + NODES]]]);
    __builtin_prefetch(&f->graph->size[f->d.node[f->order[i + NODES]]]);
    __builtin_prefetch(&f->of[f->d.above[f->order[i + NODES]]]);
    __builtin_prefetch(&f->d.node[f->d.above[f->order[i + NODES]]]);
    __builtin_prefetch(&f->graph->first[f->d.node[f->d.above[f->order[i + HOSTS]]]]);
    __builtin_prefetch(&f->graph->kind[f->d.node[f->d.above[f->order[i + HOSTS]]]]);
}

static void put_objects(struct fold *f)
{
    f->of[0] = PR_ROOT;
    for (uint32_t i = 1; i < f->d.count && pr_build_going(f->c); i++) {
        fetch_ahead(f, i);
        const uint32_t place = f->order[i], node = f->d.node[place];
        f->of[place] = group_of(f, place);
        struct group *group = &f->groups[f->of[place]];
        pr_add_to(&group->size, (int64_t)f->graph->size[node]);
        group->count += !f->names->is_label(f->names->context, f->graph->kind[node]);
    }
}

static void add_facts(struct fold *f)
{
    const uint32_t thread = pr_build_thread(f->c, pr_build_process(f->c, 0, 0), 0);
    const unsigned metric = pr_build_metric(f->c, "retained", "Retained", PR_UNIT_BYTES, "objects");
    for (size_t i = 0; i < f->group_count && pr_build_going(f->c); i++)
        if (f->groups[i].size || f->groups[i].count)
            pr_build_add(f->c, pr_build_fact(f->c, (pr_node_id)i, thread), metric, f->groups[i].size,
                         f->groups[i].count);
}

static void add_notes(const struct fold *f)
{
    if (f->deep)
        pr_build_note(f->c,
                      "%" PRIu64 " objects are more than %d groups deep: below that, they are shown by class alone",
                      f->deep, MOST_DEPTH);
    if (f->small)
        pr_build_note(f->c, "%" PRIu64 " objects are below small groups, and shown there by class alone", f->small);
}

/* ---- by class alone ---------------------------------------------------------------------------------------------- */

struct sum {
    int64_t size, count;
};

/* What no root reaches (D), or everything (NULL). */
static void add_classes(struct pr_graph_frames *frames, const struct pr_dominators *d, const char *name,
                        const char *title)
{
    struct pr_profile_builder *c = frames->c;
    const struct pr_graph *graph = frames->graph;
    const struct pr_graph_names *names = frames->names;
    struct sum *sums = calloc(names->kind_count + (size_t)1, sizeof *sums);
    if (!sums) {
        pr_build_no_memory(c);
        return;
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        if ((d && d->place[i] != PR_NO_ID) || names->is_label(names->context, graph->kind[i]))
            continue;
        pr_add_to(&sums[graph->kind[i]].size, (int64_t)graph->size[i]);
        sums[graph->kind[i]].count++;
    }
    const uint32_t thread = pr_build_thread(c, pr_build_process(c, 0, 0), 0);
    for (uint32_t i = 0; i < names->kind_count && pr_build_going(c); i++) {
        if (!sums[i].count)
            continue;
        const pr_node_id node = pr_build_child(c, PR_ROOT, pr_graph_frame(frames, i));
        pr_build_add(c, pr_build_fact(c, node, thread), pr_build_metric(c, name, title, PR_UNIT_BYTES, "objects"),
                     sums[i].size, sums[i].count);
    }
    free(sums);
}

void pr_graph_to_classes(struct pr_profile_builder *c, const struct pr_graph *graph,
                         const struct pr_graph_names *names)
{
    struct pr_graph_frames frames;
    if (pr_graph_frames_init(&frames, c, graph, names))
        add_classes(&frames, NULL, "shallow", "Shallow size");
    pr_graph_frames_clear(&frames);
}

/* ---- the way in -------------------------------------------------------------------------------------------------- */

static bool begin(struct fold *f, struct pr_graph *graph)
{
    if (!pr_graph_frames_init(&f->frames, f->c, f->graph, f->names))
        return false;
    if (!pr_dominators_make(graph, &f->d))
        return false;
    f->of = malloc(f->d.count * sizeof *f->of);
    f->order = malloc(f->d.count * sizeof *f->order);
    if (!f->of || !f->order || !sort_by_level(f) ||
        !pr_grow(&f->groups, &f->group_capacity, 1, sizeof *f->groups))
        return false;
    f->groups[0] = (struct group){.frame = PR_NO_ID, .field = PR_NO_ID};
    f->group_count = 1;
    return true;
}

void pr_graph_to_profile(struct pr_profile_builder *c, struct pr_graph *graph, const struct pr_graph_names *names)
{
    struct fold f = {.c = c, .graph = graph, .names = names, .named = {.words = 1}};
    if (c->status != PR_OK)
        return;
    if (begin(&f, graph)) {
        put_objects(&f);
        add_facts(&f);
        add_notes(&f);
        free(f.of);
        free(f.order);
        f.of = f.order = NULL;
        pr_graph_add_holders(&f.frames, &f.d);
        add_classes(&f.frames, &f.d, "unreachable", "Not retained");
    } else {
        pr_build_no_memory(c);
    }
    free(f.of);
    free(f.order);
    free(f.groups);
    pr_idset_clear(&f.named);
    pr_dominators_clear(&f.d);
    pr_graph_frames_clear(&f.frames);
}
