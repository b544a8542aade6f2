/* SPDX-License-Identifier: Apache-2.0 */
/* Each sum is one loop over the facts, by what one forward loop over the nodes found for each of them. */
#include "capture/explain/code_sums.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/model/functions.h"
#include "capture/model/nameless.h"
#include "capture/model/own_code.h"
#include "capture/model/own_root.h"
#include "capture/model/repeated_names.h"
#include "profrender/owner.h"

#include <string.h>

/* In hybrid stacks native frames hold nothing: what is above them does. */
static bool never_holds(const struct pr_profile *profile, pr_frame_id frame)
{
    return profile->fact_hybrid && profile->frames[frame].kind == PR_FRAME_NATIVE;
}

/* A function without a name of its own works for the one whose body it is in. */
static bool is_nameless(const struct pr_profile *profile, pr_frame_id frame)
{
    struct pr_text around;
    return pr_nameless_kind(pr_profile_text(profile, profile->frames[frame].function), &around) != NULL;
}

static bool number_functions(struct pr_code *code)
{
    const struct pr_profile *profile = code->profile;
    int32_t *begins = pr_functions_tell_apart(profile);
    bool *repeated = pr_names_repeated(profile);
    bool done = begins && repeated;
    for (pr_frame_id i = 0; done && i < profile->frame_count; i++) {
        const struct pr_frame *frame = &profile->frames[i];
        const uint64_t key[2] = {pr_pair(frame->function, frame->file), pr_pair((uint32_t)begins[i], frame->kind)};
        code->function[i] = repeated[frame->function] ? pr_idset_add(&code->functions, key, 2)
                                                      : pr_idset_append(&code->functions, key);
        done = code->function[i] != PR_NO_ID;
    }
    free(begins);
    free(repeated);
    return done;
}

/* By function: whether several nodes have it. Owned; NULL: no memory. */
static bool *functions_repeated(const struct pr_code *code)
{
    const struct pr_tree *tree = &code->profile->tree;
    const size_t functions = code->functions.count + (size_t)1;
    bool *seen = calloc(functions, sizeof *seen), *repeated = calloc(functions, sizeof *repeated);
    for (pr_node_id i = 1; seen && repeated && i < tree->count; i++) {
        const uint32_t function = code->function[tree->frame[i]];
        repeated[function] |= seen[function];
        seen[function] = true;
    }
    if (!seen) {
        free(repeated);
        return NULL;
    }
    free(seen);
    return repeated;
}

/*
 * Start-up code and imports make no path of their own: a card shows none of their frames. The path of a function that
 * one node alone has need not be looked up: of a million native addresses, nearly all.
 */
static bool fill_paths(struct pr_code *code, const bool *repeated)
{
    const struct pr_tree *tree = &code->profile->tree;
    for (pr_node_id i = 1; i < tree->count; i++) {
        if (pr_role_of(code->profile, tree->frame[i]) & (PR_ROLE_RUNNER | PR_ROLE_IMPORT)) {
            code->path[i] = code->path[tree->parent[i]];
            continue;
        }
        const uint32_t function = code->function[tree->frame[i]];
        const uint64_t key = pr_pair(code->path[tree->parent[i]], function);
        const uint32_t number =
            repeated[function] ? pr_idset_add(&code->paths, &key, 1) : pr_idset_append(&code->paths, &key);
        if (number == PR_NO_ID)
            return false;
        code->path[i] = number + 1; /* 0 is the root's */
    }
    return true;
}

static bool number_paths(struct pr_code *code)
{
    bool *repeated = functions_repeated(code);
    code->path = calloc(code->profile->tree.count + (size_t)1, sizeof *code->path);
    const bool done = repeated && code->path && fill_paths(code, repeated);
    free(repeated);
    return done;
}

/* A nameless function below no other own code holds itself. */
static void find_holders(struct pr_code *code, const bool *may_hold, const bool *is_holder, pr_node_id *holder)
{
    const struct pr_tree *tree = &code->profile->tree;
    pr_own_nearest(tree, is_holder, holder);
    for (pr_node_id i = 1; i < tree->count; i++) {
        if (holder[i] == PR_ROOT)
            holder[i] = may_hold[tree->frame[i]] ? i : holder[tree->parent[i]];
    }
}

static bool find_all_holders(struct pr_code *code)
{
    const struct pr_profile *profile = code->profile;
    bool *any = calloc(profile->frame_count + (size_t)1, sizeof *any);
    bool *any_named = calloc(profile->frame_count + (size_t)1, sizeof *any_named);
    if (any && any_named) {
        for (pr_frame_id i = 0; i < profile->frame_count; i++) {
            any[i] = !never_holds(profile, i);
            const bool has_name = (any[i] || code->is_own[i]) && !is_nameless(profile, i);
            any_named[i] = any[i] && has_name;
            code->is_holder[i] = code->is_own[i] && has_name;
            code->has_own |= code->is_own[i];
        }
        find_holders(code, code->is_own, code->is_holder, code->holder);
        find_holders(code, any, any_named, code->any_holder);
    }
    code->has_own |= profile->meta.format && !strcmp(profile->meta.format, "memray");
    const bool done = any && any_named;
    free(any);
    free(any_named);
    return done;
}

/* All but the paths. False: no memory. */
static bool make_without_paths(struct pr_code *code, const struct pr_profile *profile, const bool *is_own)
{
    const size_t frames = profile->frame_count + (size_t)1, nodes = profile->tree.count + (size_t)1;
    *code = (struct pr_code){.profile = profile,
                             .is_own = calloc(frames, sizeof *code->is_own),
                             .is_holder = calloc(frames, sizeof *code->is_holder),
                             .function = calloc(frames, sizeof *code->function),
                             .functions = {.words = 2},
                             .holder = calloc(nodes, sizeof *code->holder),
                             .any_holder = calloc(nodes, sizeof *code->any_holder),
                             .paths = {.words = 1}};
    if (!code->is_own || !code->is_holder || !code->function || !code->holder || !code->any_holder)
        return false;
    if (is_own)
        memcpy(code->is_own, is_own, profile->frame_count * sizeof *is_own);
    else
        pr_own_mark(profile, NULL, code->is_own);
    return number_functions(code) && find_all_holders(code);
}

enum pr_status pr_code_make(struct pr_code *code, const struct pr_profile *profile, const bool *is_own,
                            struct pr_error *err)
{
    return make_without_paths(code, profile, is_own) && number_paths(code) ? PR_OK : pr_fail_memory(err);
}

void pr_code_clear(struct pr_code *code)
{
    free(code->is_own);
    free(code->is_holder);
    free(code->function);
    free(code->holder);
    free(code->any_holder);
    free(code->path);
    pr_idset_clear(&code->functions);
    pr_idset_clear(&code->paths);
    *code = (struct pr_code){0};
}

/* ---- who holds most --------------------------------------------------------------------------------------------- */

struct sums {
    int64_t *by_frame, *count_by_frame; /* [frame] */
    bool *has_others;                   /* [frame] */
    int64_t *by_function;               /* [function] */
};

static bool sums_make(const struct pr_code *code, struct sums *sums)
{
    const size_t frames = code->profile->frame_count + (size_t)1, functions = code->functions.count + (size_t)1;
    *sums = (struct sums){calloc(frames, sizeof *sums->by_frame), calloc(frames, sizeof *sums->count_by_frame),
                          calloc(frames, sizeof *sums->has_others), calloc(functions, sizeof *sums->by_function)};
    return sums->by_frame && sums->count_by_frame && sums->has_others && sums->by_function;
}

static void sums_clear(struct sums *sums)
{
    free(sums->by_frame);
    free(sums->count_by_frame);
    free(sums->has_others);
    free(sums->by_function);
}

/* True if there was anything to add. */
static bool add_facts(const struct pr_code *code, const pr_node_id *holder, const struct pr_column *column,
                      struct sums *sums)
{
    const struct pr_profile *profile = code->profile;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    bool any = false;
    for (size_t i = 0; i < profile->fact_count; i++) {
        if (!column->value[i] && !(column->count && column->count[i])) /* most facts, in most columns */
            continue;
        const pr_node_id node = holder[leaf[i]];
        if (node == PR_ROOT)
            continue;
        const pr_frame_id frame = profile->tree.frame[node];
        any |= column->value[i] != 0;
        sums->has_others[frame] |= column->value[i] && !code->is_own[profile->tree.frame[leaf[i]]];
        pr_add_to(&sums->by_frame[frame], column->value[i]);
        pr_add_to(&sums->by_function[code->function[frame]], column->value[i]);
        if (column->count)
            pr_add_to(&sums->count_by_frame[frame], column->count[i]);
    }
    return any;
}

/* What the function has, by its lines. */
static void describe_own(const struct pr_code *code, const struct sums *sums, struct pr_holder *holder)
{
    for (pr_frame_id i = 0; i < code->profile->frame_count; i++) {
        if (code->function[i] != holder->function)
            continue;
        pr_add_to(&holder->own, sums->by_frame[i]);
        pr_add_to(&holder->count, sums->count_by_frame[i]);
        holder->has_others |= sums->has_others[i];
        holder->line_count += sums->by_frame[i] != 0;
        if (sums->by_frame[i] > holder->line_value) {
            holder->line_value = sums->by_frame[i];
            holder->frame = i;
        }
    }
}

/* For each node the outermost one of the function at or above it; PR_ROOT = none. */
static pr_node_id *find_outermost(const struct pr_code *code, uint32_t function)
{
    const struct pr_tree *tree = &code->profile->tree;
    pr_node_id *outermost = calloc(tree->count + (size_t)1, sizeof *outermost);
    for (pr_node_id i = 1; outermost && i < tree->count; i++) {
        const pr_node_id above = outermost[tree->parent[i]];
        outermost[i] = above != PR_ROOT ? above : code->function[tree->frame[i]] == function ? i : PR_ROOT;
    }
    return outermost;
}

/* The largest of the paths that end with the function. */
static void describe_paths(const struct pr_code *code, const pr_node_id *outermost, const int64_t *by_path,
                           const int64_t *by_node, struct pr_holder *holder)
{
    const struct pr_tree *tree = &code->profile->tree;
    uint32_t best = 0;
    int64_t most = 0;
    for (uint32_t i = 0; i <= code->paths.count; i++) {
        holder->path_count += by_path[i] > 0;
        best = by_path[i] > by_path[best] ? i : best;
    }
    holder->node_total = by_path[best];
    for (pr_node_id i = 1; i < tree->count; i++) {
        if (outermost[i] == i && code->path[i] == best && by_node[i] > most) {
            most = by_node[i];
            holder->node = i;
        }
    }
}

/* With all that it called. */
static bool describe_total(const struct pr_code *code, const struct pr_column *column, struct pr_holder *holder)
{
    const struct pr_profile *profile = code->profile;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    pr_node_id *outermost = find_outermost(code, holder->function);
    int64_t *by_path = calloc(code->paths.count + (size_t)1, sizeof *by_path),
            *by_node = calloc(profile->tree.count + (size_t)1, sizeof *by_node);
    const bool done = outermost && by_path && by_node;
    holder->node = PR_NO_NODE;
    for (size_t i = 0; done && i < profile->fact_count; i++) {
        const pr_node_id node = outermost[leaf[i]];
        if (node == PR_ROOT)
            continue;
        pr_add_to(&holder->total, column->value[i]);
        pr_add_to(&holder->total_count, column->count ? column->count[i] : 0);
        pr_add_to(&by_path[code->path[node]], column->value[i]);
        pr_add_to(&by_node[node], column->value[i]);
    }
    if (done)
        describe_paths(code, outermost, by_path, by_node, holder);
    free(outermost);
    free(by_path);
    free(by_node);
    return done;
}

/* The function with most, which is then out of the way. False: none has LEAST. */
static bool take_best(const struct pr_code *code, struct sums *sums, int64_t least, uint32_t *best)
{
    *best = 0;
    for (uint32_t i = 1; i < code->functions.count; i++)
        *best = sums->by_function[i] > sums->by_function[*best] ? i : *best;
    const bool any = code->functions.count && sums->by_function[*best] >= least;
    sums->by_function[*best] = 0;
    return any;
}

/* Without paths there are no totals. */
bool pr_code_find_holders(const struct pr_code *code, const struct pr_column *column, struct pr_holder *holders,
                          size_t most, int64_t least)
{
    struct sums sums;
    bool done = sums_make(code, &sums), is_own = false;
    memset(holders, 0, most * sizeof *holders);
    if (done) {
        is_own = add_facts(code, code->holder, column, &sums);
        if (!is_own) /* no own frame added anything: the sums are still 0 */
            add_facts(code, code->any_holder, column, &sums);
    }
    for (size_t i = 0; done && i < most && take_best(code, &sums, least, &holders[i].function); i++) {
        holders[i].known = true;
        holders[i].is_own = is_own;
        describe_own(code, &sums, &holders[i]);
        done = !code->path || describe_total(code, column, &holders[i]);
    }
    sums_clear(&sums);
    return done;
}

bool pr_code_list_holders(const struct pr_profile *profile, const struct pr_column *column, struct pr_holder *holders,
                          size_t most, int64_t least)
{
    struct pr_code code;
    const bool done =
        make_without_paths(&code, profile, NULL) && pr_code_find_holders(&code, column, holders, most, least);
    pr_code_clear(&code);
    return done;
}

bool pr_code_find_holder(const struct pr_code *code, const struct pr_column *column, struct pr_holder *holder)
{
    return pr_code_find_holders(code, column, holder, 1, 1);
}

bool pr_code_sum_own(const struct pr_code *code, const struct pr_column *column, int64_t *sum, uint32_t *functions)
{
    struct sums sums;
    const bool done = sums_make(code, &sums);
    *sum = 0;
    if (done)
        add_facts(code, code->holder, column, &sums);
    for (uint32_t i = 0; done && i < code->functions.count; i++) {
        pr_add_to(sum, sums.by_function[i]);
        if (functions)
            *functions += sums.by_function[i] > 0;
    }
    sums_clear(&sums);
    return done;
}

/* ---- what is below ---------------------------------------------------------------------------------------------- */

void pr_code_mark(const struct pr_code *code, uint32_t function, bool *is_below)
{
    const struct pr_tree *tree = &code->profile->tree;
    for (pr_node_id i = 1; i < tree->count; i++)
        is_below[i] = is_below[tree->parent[i]] || code->function[tree->frame[i]] == function;
}

/* The sum of each path, with all below it. */
static void sum_paths(const struct pr_code *code, const struct pr_column *column, int64_t *by_node, int64_t *by_path)
{
    const struct pr_profile *profile = code->profile;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    for (size_t i = 0; i < profile->fact_count; i++)
        pr_add_to(&by_node[leaf[i]], column->value[i]);
    for (pr_node_id i = profile->tree.count; i-- > 1;) {
        pr_add_to(&by_node[profile->tree.parent[i]], by_node[i]);
        if (code->path[i] != code->path[profile->tree.parent[i]])
            pr_add_to(&by_path[code->path[i]], by_node[i]);
    }
}

/* The deepest of the paths that end with an own function and have at least half of WHOLE: one has, or one above it. */
static void choose_lowest(const struct pr_code *code, const int64_t *by_path, uint32_t *depth, int64_t whole,
                          struct pr_holder *holder)
{
    const struct pr_tree *tree = &code->profile->tree;
    uint32_t deepest = 0;
    for (pr_node_id i = 1; i < tree->count; i++) {
        const int64_t below = by_path[code->path[i]];
        depth[i] = depth[tree->parent[i]] + 1;
        if (code->is_holder[tree->frame[i]] && below > 0 && below >= pr_subtract_saturated(whole, below) &&
            depth[i] > deepest) {
            deepest = depth[i];
            holder->known = true;
            holder->function = code->function[tree->frame[i]];
            holder->frame = tree->frame[i];
        }
    }
}

bool pr_code_find_lowest(const struct pr_code *code, const struct pr_column *column, int64_t whole,
                         struct pr_holder *holder)
{
    const size_t nodes = code->profile->tree.count + (size_t)1;
    int64_t *by_node = calloc(nodes, sizeof *by_node),
            *by_path = calloc(code->paths.count + (size_t)1, sizeof *by_path);
    uint32_t *depth = calloc(nodes, sizeof *depth);
    const bool done = by_node && by_path && depth;
    *holder = (struct pr_holder){.is_own = true};
    if (done) {
        sum_paths(code, column, by_node, by_path);
        choose_lowest(code, by_path, depth, whole, holder);
    }
    free(by_node);
    free(by_path);
    free(depth);
    return done && (!holder->known || describe_total(code, column, holder));
}

/* ---- over time -------------------------------------------------------------------------------------------------- */

/* Adds what a fact holds at the peak of each bin to BY_BIN, as changes from bin to bin. */
static void add_steps(const struct pr_profile *profile, size_t fact, int64_t *by_bin)
{
    int64_t before = 0;
    for (size_t i = profile->fact_first_step[fact]; i < profile->fact_first_step[fact + 1]; i++) {
        pr_add_to(&by_bin[profile->steps[i].bin], pr_subtract_saturated(profile->steps[i].bytes, before));
        before = profile->steps[i].bytes;
    }
}

/* Adds what a fact allocated and never freed, by the bin in which it did. */
static void add_kept(const struct pr_profile *profile, size_t fact, int64_t *by_bin)
{
    for (size_t i = profile->fact_first_lifetime[fact]; i < profile->fact_first_lifetime[fact + 1]; i++) {
        if (profile->moves[i].to == PR_NEVER && profile->moves[i].from < profile->bin_count)
            pr_add_to(&by_bin[profile->moves[i].from], profile->moves[i].bytes);
    }
}

/* Adds the facts of the function and of all that it called. */
static bool add_below(const struct pr_code *code, uint32_t function, int64_t *by_bin,
                      void (*add)(const struct pr_profile *profile, size_t fact, int64_t *by_bin))
{
    const struct pr_profile *profile = code->profile;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    bool *is_below = calloc(profile->tree.count + (size_t)1, sizeof *is_below);
    if (!is_below)
        return false;
    pr_code_mark(code, function, is_below);
    memset(by_bin, 0, profile->bin_count * sizeof *by_bin);
    for (size_t i = 0; i < profile->fact_count; i++) {
        if (is_below[leaf[i]])
            add(profile, i, by_bin);
    }
    free(is_below);
    return true;
}

bool pr_code_held(const struct pr_code *code, uint32_t function, int64_t *by_bin)
{
    if (!add_below(code, function, by_bin, add_steps))
        return false;
    for (uint32_t bin = 1; bin < code->profile->bin_count; bin++)
        pr_add_to(&by_bin[bin], by_bin[bin - 1]);
    return true;
}

bool pr_code_kept(const struct pr_code *code, uint32_t function, int64_t *by_bin)
{
    return add_below(code, function, by_bin, add_kept);
}

bool pr_code_without(const struct pr_code *code, uint32_t function, struct pr_without *without)
{
    const struct pr_profile *profile = code->profile;
    *without = (struct pr_without){0};
    if (!profile->bin_count)
        return true;
    int64_t *held = calloc(profile->bin_count, sizeof *held);
    const bool done = held && pr_code_held(code, function, held);
    for (uint32_t bin = 0; done && bin < profile->bin_count; bin++) { /* the first of equal ones */
        const int64_t rest = pr_subtract_saturated(profile->bins[bin].peak_bytes, held[bin]);
        if (!without->known || rest > without->rest)
            *without = (struct pr_without){true, rest, bin};
    }
    free(held);
    return done;
}
