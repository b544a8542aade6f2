/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs native and Python stacks, by states: (native frame, last Python frame paired so far) -> node of the tree.
 *
 * The state of a fact is (its native frame, its Python frame), as all Python frames are paired at the end. The state of
 * the native parent is without the groups that the loops of the native frame represent. So a fact's states are found
 * going outward, until one is known; then nodes are made coming back.
 *
 * A native frame implies its whole way outward, and so, mostly, one Python stack: its first state is kept in its note,
 * where no search is needed; only further ones go into the table.
 */
#include "capture/memray/hybrid_stacks.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/model/code_path.h"

#include <string.h>

/* What a native frame means in one generation. */
struct note {
    uint32_t mark;  /* the pairing's; else the rest is not valid */
    uint32_t place;
    uint32_t loops;          /* that run Python, from the outermost up to here */
    bool in_interpreter;     /* here or further out */
    uint8_t first_kind;      /* + 1, of the first state that was learned; 0 = none yet */
    pr_node_id first_python; /* of that state */
    pr_node_id first_node;   /* what it leads to */
};

/* In keys of states, where the same numbers may mean different nodes. */
enum kind {
    PLAIN,
    STRIPPED,  /* skipped frames are left out */
    SHORTENED, /* native frames inward of the interpreter's; `python` is of the tree */
    IN_GROUP   /* added to one of the first two: `native` is the node of the tree that the group is appended to */
};

struct state {
    uint32_t native;
    pr_node_id python; /* of the builder */
};

enum {
    STATE_A_GROUP = 32, /* frames of a group from one state to the next, so that none is walked over and over */
    AHEAD = 12          /* places fetched before they are needed */
};

struct pairing {
    const struct pr_hybrid *hybrid;
    const struct pr_splice_job *job;
    const struct pr_native *native;
    struct pr_error *err;

    /* Of the builder's nodes. */
    pr_node_id *outer; /* the last node of the group before the node's; the root for the first group */
    uint32_t *groups;  /* from the outermost up to here, 0 for the root */
    uint32_t *depth;

    struct note *notes; /* [frame_count + 1] by native id */
    uint32_t generation, mark; /* one mark is for one generation */
    uint32_t *fresh; /* native ids of the generation that have no place yet, each after the one outward of it */
    size_t fresh_count, fresh_capacity;

    struct pr_idset known; /* (native, python), (generation, kind): what is not in notes */
    pr_node_id *node;      /* [known.count] */
    size_t node_capacity;
    uint64_t learned;    /* states, in notes and in `known` */

    uint32_t python_nodes;   /* of the tree, before hybrid stacks were added */
    pr_node_id *first_child; /* [nodes of the tree that were added since] 0 = none yet; the tree does not find it */
    size_t first_capacity;
    uint64_t most_nodes; /* of the tree, and states learned, together */

    struct state *way; /* states going outward */
    size_t way_capacity;
    pr_node_id *group; /* Python nodes of a group, innermost first */
    size_t group_capacity;
};

/* ---- Python frames in groups ------------------------------------------------------------------------------------- */

static bool is_dropped(const struct pairing *p, pr_node_id python)
{
    const struct pr_stack_table *builder = p->job->stacks;
    if (!p->hybrid->drops_cython)
        return false;
    struct pr_frame frame = pr_stacks_frame_get(builder, pr_stacks_node_frame(builder, python));
    struct pr_text file = pr_strings_get(&builder->profile->strings, frame.file);
    return file.length >= 4 && !memcmp(file.bytes + file.length - 4, ".pyx", 4);
}

static bool make_groups(struct pairing *p)
{
    const struct pr_stack_table *builder = p->job->stacks;
    uint32_t count = builder->nodes.count;
    p->outer = calloc(count, sizeof *p->outer);
    p->groups = calloc(count, sizeof *p->groups);
    p->depth = calloc(count, sizeof *p->depth);
    if (!p->outer || !p->groups || !p->depth)
        return false;
    for (pr_node_id i = 1; i < count; i++) {
        pr_node_id parent = pr_stacks_parent(builder, i);
        bool first = parent == PR_ROOT || pr_stacks_node_entry(builder, i) || is_dropped(p, i);
        p->depth[i] = p->depth[parent] + 1;
        p->outer[i] = first ? parent : p->outer[parent];
        p->groups[i] = p->groups[parent] + first;
    }
    return true;
}

/* The last node of the first COUNT groups on the way to NODE, which has at least COUNT. */
static pr_node_id end_of_group(const struct pairing *p, pr_node_id node, uint32_t count)
{
    while (p->groups[node] > count)
        node = p->outer[node];
    return node;
}

/* ---- native frames ----------------------------------------------------------------------------------------------- */

static const struct pr_native_place *place_of(const struct pairing *p, uint32_t native)
{
    return &p->hybrid->places->place[p->notes[native].place];
}

static const struct pr_native_function *functions_of(const struct pairing *p, const struct pr_native_place *place)
{
    return &p->hybrid->places->names.function[place->first];
}

static uint32_t parent_of(const struct pairing *p, uint32_t native)
{
    return p->native->parent[native - 1];
}

static uint32_t native_of(const struct pairing *p, uint32_t fact)
{
    uint32_t native = pr_stacks_fact_native(p->job->stacks, fact);
    return native <= p->native->frame_count ? native : 0;
}

/* Marks NATIVE and all frames outward of it for the generation, and lists the newly marked ones. */
static bool mark(struct pairing *p, uint32_t native)
{
    const size_t from = p->fresh_count;
    for (; native && p->notes[native].mark != p->mark; native = parent_of(p, native)) {
        if (!pr_grow(&p->fresh, &p->fresh_capacity, p->fresh_count + 1, sizeof *p->fresh))
            return false;
        p->fresh[p->fresh_count++] = native;
        p->notes[native].mark = p->mark;
    }
    for (size_t i = from, j = p->fresh_count; i + 1 < j; i++) {
        const uint32_t inner = p->fresh[i];
        p->fresh[i] = p->fresh[--j];
        p->fresh[j] = inner;
    }
    return true;
}

/* Looks up the listed frames. */
static bool take_notes(struct pairing *p)
{
    struct pr_native_places *places = p->hybrid->places;
    const uint64_t *ip = p->native->ip;
    for (size_t i = 0; i < p->fresh_count; i++) {
        const uint32_t native = p->fresh[i];
        const struct note *outward = &p->notes[parent_of(p, native)]; /* note 0 is all zeros */
        if (i && i + AHEAD < p->fresh_count)
            pr_native_places_prefetch(places, ip[p->fresh[i + AHEAD] - 1]);
        const uint32_t place = pr_native_places_find(places, ip[native - 1], p->generation, p->err);
        if (place == PR_NO_ID)
            return false;
        const struct pr_native_place *here = &places->place[place];
        p->notes[native] = (struct note){
            .mark = p->mark,
            .place = place,
            .loops = (outward->loops + here->running_python) & INT32_MAX,
            .in_interpreter = outward->in_interpreter || here->in_interpreter,
        };
    }
    p->fresh_count = 0;
    return true;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static bool push(struct pairing *p, size_t *length, uint32_t native, pr_node_id python)
{
    if (!pr_grow(&p->way, &p->way_capacity, *length + 1, sizeof *p->way)) {
        pr_fail_memory(p->err);
        return false;
    }
    p->way[(*length)++] = (struct state){native, python};
    return true;
}

static void key_of(const struct pairing *p, unsigned kind, const struct state *state, uint64_t key[2])
{
    key[0] = pr_pair(state->native, state->python);
    key[1] = (uint64_t)p->generation << 3 | kind;
}

/* The note where a state may be kept; NULL: a state of the tree, without a note. */
static struct note *note_of(const struct pairing *p, unsigned kind, const struct state *state)
{
    return kind < IN_GROUP ? &p->notes[state->native] : NULL;
}

/* The node of a known state, PR_NO_ID for an unknown one. */
static pr_node_id recall(const struct pairing *p, unsigned kind, const struct state *state)
{
    const struct note *note = note_of(p, kind, state);
    uint64_t key[2];
    if (note && !note->first_kind)
        return PR_NO_ID;
    if (note && note->first_kind == kind + 1 && note->first_python == state->python)
        return note->first_node;
    key_of(p, kind, state, key);
    uint32_t id = pr_idset_find(&p->known, key, 2);
    return id == PR_NO_ID ? PR_NO_ID : p->node[id];
}

static bool learn(struct pairing *p, unsigned kind, const struct state *state, pr_node_id node)
{
    struct note *note = note_of(p, kind, state);
    uint64_t key[2];
    p->learned++;
    if (node != PR_NO_ID && note && !note->first_kind) {
        note->first_kind = (uint8_t)(kind + 1);
        note->first_python = state->python;
        note->first_node = node;
        return true;
    }
    key_of(p, kind, state, key);
    uint32_t id = pr_idset_add(&p->known, key, 2);
    if (node == PR_NO_ID || id == PR_NO_ID || !pr_grow(&p->node, &p->node_capacity, id + (size_t)1, sizeof *p->node)) {
        pr_fail_memory(p->err);
        return false;
    }
    p->node[id] = node;
    return true;
}

/* PR_NO_ID stays PR_NO_ID. Most nodes have one child: it takes no search. */
static pr_node_id child(struct pairing *p, pr_node_id parent, pr_frame_id frame)
{
    struct pr_idset *tree = p->job->tree;
    const uint64_t key = pr_pair(parent, frame);
    const uint32_t added = tree->count - p->python_nodes;
    if (parent == PR_NO_ID || !pr_grow(&p->first_child, &p->first_capacity, added + (size_t)1, sizeof *p->first_child))
        return PR_NO_ID;
    pr_node_id *first = parent < p->python_nodes ? NULL : &p->first_child[parent - p->python_nodes];
    if (first && *first && tree->keys[*first] == key)
        return *first;
    p->first_child[added] = 0;
    if (!first || *first)
        return pr_idset_add(tree, &key, 1);
    const pr_node_id node = pr_idset_append(tree, &key);
    *first = node == PR_NO_ID ? 0 : node;
    return node;
}

/* Appends the group that ends with LAST. */
static pr_node_id append_group(struct pairing *p, enum kind kind, pr_node_id node, pr_node_id last)
{
    const struct pr_stack_table *builder = p->job->stacks;
    struct state state = {node, last};
    size_t count = 0;
    for (; state.python != p->outer[last]; state.python = pr_stacks_parent(builder, state.python)) {
        pr_node_id known = p->depth[state.python] % STATE_A_GROUP ? PR_NO_ID : recall(p, IN_GROUP + kind, &state);
        if (known != PR_NO_ID) {
            node = known;
            break;
        }
        if (!pr_grow(&p->group, &p->group_capacity, count + 1, sizeof *p->group))
            return PR_NO_ID;
        p->group[count++] = state.python;
    }
    while (count--) {
        state.python = p->group[count];
        if ((kind == PLAIN || p->depth[state.python] > p->job->skipped) && !is_dropped(p, state.python))
            node = child(p, node, pr_stacks_node_frame(builder, state.python));
        if (p->depth[state.python] % STATE_A_GROUP == 0 && !learn(p, IN_GROUP + kind, &state, node))
            return PR_NO_ID;
    }
    return node;
}

/* NODE with the functions of a native frame; groups from the one after BEFORE to that of STATE replace its loops. */
static pr_node_id append_place(struct pairing *p, enum kind kind, pr_node_id node, pr_node_id before,
                               const struct state *state)
{
    const struct pr_native_place *place = place_of(p, state->native);
    uint32_t paired = p->groups[before], last = p->groups[state->python];
    uint32_t left_out = 0; /* loops outward of the first one that is paired */
    if (p->hybrid->from_innermost && !paired && last)
        left_out = place->running_python - last;
    bool hidden = kind == STRIPPED && p->depth[before] <= p->job->skipped;
    bool started = !p->hybrid->from_innermost || paired || !last;
    for (uint32_t i = 0; i < place->count; i++) {
        const struct pr_native_function *function = &functions_of(p, place)[i];
        if (function->runs_python && left_out) {
            left_out--;
        } else if (function->runs_python && paired < last) {
            pr_node_id end = end_of_group(p, state->python, ++paired);
            node = append_group(p, kind, node, end);
            hidden = kind == STRIPPED && p->depth[end] <= p->job->skipped;
            started = true;
        } else if (started && !hidden) {
            node = child(p, node, function->frame);
        }
    }
    return node;
}

/* The last Python node that is paired at the native parent of STATE; LOOPS: those of the whole native stack. */
static pr_node_id paired_outward(const struct pairing *p, const struct state *state, uint32_t loops, uint32_t groups)
{
    uint32_t outward = p->notes[parent_of(p, state->native)].loops, paired;
    if (p->hybrid->from_innermost)
        paired = groups > loops - outward ? groups - (loops - outward) : 0;
    else
        paired = outward < groups ? outward : groups;
    return end_of_group(p, state->python, paired);
}

/* The hybrid stack where each group has a loop. PR_NO_ID: out of memory. */
static pr_node_id pair(struct pairing *p, enum kind kind, uint32_t native, pr_node_id python)
{
    uint32_t loops = p->notes[native].loops, groups = p->groups[python];
    struct state state = {native, python};
    pr_node_id node = PR_NO_ID;
    size_t length = 0;
    while (state.native && !(p->hybrid->from_innermost && groups && state.python == PR_ROOT)) {
        node = recall(p, kind, &state);
        if (node != PR_NO_ID)
            break;
        if (!push(p, &length, state.native, state.python))
            return PR_NO_ID;
        state.python = paired_outward(p, &state, loops, groups);
        state.native = parent_of(p, state.native);
    }
    if (node == PR_NO_ID)
        node = PR_ROOT;
    pr_node_id before = state.python;
    while (length--) {
        state = p->way[length];
        node = append_place(p, kind, node, before, &state);
        if (!learn(p, kind, &state, node))
            return PR_NO_ID;
        before = state.python;
    }
    return node;
}

/* LEAF, of the tree, with the native frames inward of the interpreter's own ones. PR_NO_ID: out of memory. */
static pr_node_id shorten(struct pairing *p, uint32_t native, pr_node_id leaf)
{
    pr_node_id node = PR_NO_ID;
    size_t length = 0;
    if (!p->notes[native].in_interpreter)
        return leaf;
    for (; !place_of(p, native)->in_interpreter; native = parent_of(p, native)) {
        const struct state state = {native, leaf};
        node = recall(p, SHORTENED, &state);
        if (node != PR_NO_ID)
            break;
        if (!push(p, &length, native, leaf))
            return PR_NO_ID;
    }
    if (node == PR_NO_ID)
        node = leaf;
    while (length--) {
        const struct pr_native_place *place = place_of(p, p->way[length].native);
        for (uint32_t i = 0; i < place->count; i++)
            node = child(p, node, functions_of(p, place)[i].frame);
        if (!learn(p, SHORTENED, &p->way[length], node))
            return PR_NO_ID;
    }
    return node;
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

static pr_node_id hybrid_of(struct pairing *p, uint32_t fact)
{
    const struct pr_stack_table *builder = p->job->stacks;
    pr_node_id python = pr_stacks_fact_node(builder, fact);
    const uint32_t native = native_of(p, fact);
    if (p->notes[native].loops < p->groups[python])
        return shorten(p, native, p->job->leaf[fact]);
    /* If the frames above the tracker are gone, as at the interpreter's end, none can be left out. */
    bool stripped = pr_stacks_fact_thread(builder, fact) == p->job->main_thread && p->depth[python] > p->job->skipped;
    return pair(p, stripped ? STRIPPED : PLAIN, native, python);
}

static int compare_generations(const void *a, const void *b, const void *context)
{
    uint32_t x = pr_stacks_fact_generation(context, *(const uint32_t *)a);
    uint32_t y = pr_stacks_fact_generation(context, *(const uint32_t *)b);
    return PR_ORDER(x, y);
}

/* Lists the native frames of the wanted facts among COUNT of one generation. */
static bool mark_all(struct pairing *p, uint32_t mark_of, const uint32_t *facts, uint32_t count)
{
    p->mark = mark_of;
    for (uint32_t i = 0; i < count; i++) {
        if (p->job->leaf[facts[i]] != PR_NO_ID && !mark(p, native_of(p, facts[i])))
            return false;
    }
    return true;
}

static bool is_over(const struct pairing *p)
{
    return p->learned + p->job->tree->count > p->most_nodes;
}

/* COUNT facts of one generation; false: out of memory. *OVER: the remaining ones get their Python stack. */
static bool run_generation(struct pairing *p, const uint32_t *facts, uint32_t count, bool *over)
{
    if (!*over && (!mark_all(p, p->generation + 1, facts, count) || !take_notes(p)))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        pr_node_id node = p->job->leaf[facts[i]];
        if (node == PR_NO_ID)
            continue;
        *over = *over || is_over(p);
        if (!*over)
            node = hybrid_of(p, facts[i]);
        if (node == PR_NO_ID)
            return false;
        p->job->hybrid[facts[i]] = node;
    }
    return true;
}

/* The end of the facts from FROM on that have the same generation. */
static uint32_t begin_generation(struct pairing *p, const uint32_t *order, uint32_t from)
{
    const struct pr_stack_table *builder = p->job->stacks;
    uint32_t to = from + 1;
    p->generation = pr_stacks_fact_generation(builder, order[from]);
    while (to < builder->facts.count && pr_stacks_fact_generation(builder, order[to]) == p->generation)
        to++;
    return to;
}

static bool ask_listed(struct pairing *p)
{
    bool good = true;
    for (size_t i = 0; good && i < p->fresh_count; i++)
        good = pr_native_places_ask(p->hybrid->places, p->native->ip[p->fresh[i] - 1], p->generation);
    p->fresh_count = 0;
    return good;
}

/*
 * Finds the places of all generations in advance, on several threads: a generation has only a few files more than
 * the one before. Nothing depends on it, as take_notes makes the places, in its order. False: out of memory.
 */
static bool find_ahead(struct pairing *p, const uint32_t *order)
{
    const uint32_t count = p->job->stacks->facts.count;
    bool more = true;
    for (uint32_t from = 0, to; more && from < count; from = to) {
        to = begin_generation(p, order, from);
        if (!mark_all(p, UINT32_MAX - p->generation, order + from, to - from))
            return false;
        more = ask_listed(p);
    }
    pr_native_places_find_asked(p->hybrid->places);
    return true;
}

/* The facts in the order of their generations: each list of images is then used once, or twice. */
static enum pr_status run(struct pairing *p, uint32_t *order)
{
    const struct pr_stack_table *builder = p->job->stacks;
    uint32_t count = builder->facts.count;
    bool over = false;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    if (!make_groups(p) || !pr_sort(order, count, sizeof *order, compare_generations, builder) ||
        (pr_native_places_help(p->hybrid->places) && !find_ahead(p, order)))
        return pr_fail_memory(p->err);
    for (uint32_t from = 0, to; from < count; from = to) {
        to = begin_generation(p, order, from);
        if (!run_generation(p, order + from, to - from, &over))
            return pr_fail_memory(p->err);
    }
    if (over)
        return pr_cut(p->err, PR_ERR_LIMIT, PR_NO_OFFSET, "native stacks",
                      "too many different stacks; the rest have Python frames only");
    return PR_OK;
}

enum pr_status pr_hybrid_run(const void *context, const struct pr_splice_job *job, struct pr_error *err)
{
    const struct pr_hybrid *hybrid = context;
    /* Real captures have at most a few nodes per frame; a made-up one could have the product of its tables. */
    enum { NODES_A_RECORD = 64, NODES_TO_BEGIN_WITH = 1 << 20 };
    const struct pr_stack_table *builder = job->stacks;
    uint64_t records = (uint64_t)hybrid->native->frame_count + builder->nodes.count + builder->facts.count;
    struct pairing p = {
        .hybrid = hybrid,
        .job = job,
        .native = hybrid->native,
        .err = err,
        .notes = calloc(hybrid->native->frame_count + (size_t)1, sizeof *p.notes),
        .known = {.words = 2},
        .python_nodes = job->tree->count,
        .most_nodes = job->tree->count + records * NODES_A_RECORD + NODES_TO_BEGIN_WITH,
    };
    uint32_t *order = calloc(builder->facts.count + (size_t)1, sizeof *order);
    enum pr_status status = order && p.notes ? run(&p, order) : pr_fail_memory(err);
    free(order);
    free(p.outer);
    free(p.groups);
    free(p.depth);
    free(p.notes);
    free(p.fresh);
    pr_idset_clear(&p.known);
    free(p.node);
    free(p.first_child);
    free(p.way);
    free(p.group);
    return status;
}
