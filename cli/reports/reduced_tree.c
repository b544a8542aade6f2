/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the nodes, parents first: each is left out and becomes the node above it, or it becomes the child of
 * that one with its frame, made if missing.
 */
#include "cli/reports/reduced_tree.h"

#include "capture/base/idset.h"
#include "capture/model/functions.h"
#include "profrender/owner.h"

#include <stdlib.h>

struct reducer {
    const struct pr_profile *profile;
    const struct pr_reduction *how;
    pr_frame_id *shown_as; /* [frames] the frame that is shown for each; NOT_SHOWN: none */
    pr_node_id *node;      /* [nodes] of the reduced tree, for each node */
    struct pr_idset known; /* (node above, frame) of each node of the reduced tree but the root */
    uint32_t count;
};

#define NOT_SHOWN UINT32_MAX

static bool is_hidden(const struct reducer *r, pr_frame_id frame)
{
    const unsigned role = r->how->hide >= PR_HIDE_IMPORTS ? pr_role_of(r->profile, frame) : 0;
    if (r->how->hide >= PR_HIDE_LIBRARIES && pr_owner_of(r->profile, frame) != PR_OWNER_MINE)
        return true;
    return (role & PR_ROLE_IMPORT) || (r->how->hide >= PR_HIDE_RUNNER && (role & PR_ROLE_RUNNER));
}

/* The first frame of each function is shown for all of them, with the line of the definition where that is known. */
static bool choose_frames(struct reducer *r, struct pr_frame *frames)
{
    struct pr_idset functions = {.words = 2};
    int32_t *begins = pr_functions_tell_apart(r->profile);
    bool done = begins != NULL;
    for (pr_frame_id i = 0; done && i < r->profile->frame_count; i++) {
        frames[i] = r->profile->frames[i];
        r->shown_as[i] = is_hidden(r, i) ? NOT_SHOWN : i;
        if (!r->how->by_function || r->shown_as[i] == NOT_SHOWN)
            continue;
        frames[i].line = frames[i].definition_line;
        const uint64_t key[2] = {pr_pair(frames[i].function, frames[i].file),
                                 pr_pair((uint32_t)begins[i], frames[i].kind)};
        const uint32_t known = functions.count, function = pr_idset_add(&functions, key, 2);
        done = function != PR_NO_ID;
        if (function == known)
            r->node[function] = i; /* not yet usable for nodes: the first frame of each function */
        else if (done)
            r->shown_as[i] = r->node[function];
    }
    pr_idset_clear(&functions);
    free(begins);
    return done;
}

/* The node of the reduced tree for one with FRAME below ABOVE; PR_NO_NODE: no memory. */
static pr_node_id place(struct reducer *r, struct pr_reduced_tree *reduced, pr_node_id above, pr_frame_id frame)
{
    if (frame == NOT_SHOWN)
        return above;
    /* A function that calls itself. */
    if (r->how->hide != PR_HIDE_NONE && above != PR_ROOT && reduced->frame[above] == frame)
        return above;
    const uint64_t key[2] = {above, frame};
    const uint32_t known = r->known.count, number = pr_idset_add(&r->known, key, 2);
    if (number == PR_NO_ID)
        return PR_NO_NODE;
    if (number == known) {
        reduced->parent[r->count] = above;
        reduced->frame[r->count++] = frame;
    }
    return number + 1; /* the root comes first */
}

static bool make_nodes(struct reducer *r, struct pr_reduced_tree *reduced)
{
    const struct pr_tree *tree = &r->profile->tree;
    reduced->parent[PR_ROOT] = PR_ROOT;
    reduced->frame[PR_ROOT] = 0;
    r->node[PR_ROOT] = PR_ROOT;
    r->count = 1;
    for (pr_node_id i = 1; i < tree->count; i++) {
        r->node[i] = place(r, reduced, r->node[tree->parent[i]], r->shown_as[tree->frame[i]]);
        if (r->node[i] == PR_NO_NODE)
            return false;
    }
    return true;
}

static void set_view(const struct reducer *r, struct pr_reduced_tree *reduced)
{
    const struct pr_profile *profile = r->profile;
    const pr_node_id *leaf = r->how->hybrid ? pr_profile_shown_leaf(profile) : profile->fact_leaf;
    for (size_t i = 0; i < profile->fact_count; i++)
        reduced->leaf[i] = r->node[leaf[i]];
    reduced->profile = *profile;
    reduced->profile.frames = reduced->frames;
    reduced->profile.world = NULL;
    reduced->profile.tree = (struct pr_tree){.count = r->count, .parent = reduced->parent, .frame = reduced->frame};
    reduced->profile.fact_leaf = reduced->leaf;
    reduced->profile.fact_hybrid = NULL;
}

enum pr_status pr_reduced_tree_make(const struct pr_profile *profile, const struct pr_reduction *how,
                                    struct pr_reduced_tree *reduced, struct pr_error *err)
{
    const size_t nodes = profile->tree.count, frames = (size_t)profile->frame_count + 1;
    const size_t most = nodes > frames ? nodes : frames;
    struct reducer r = {.profile = profile, .how = how, .known = {.words = 2}};
    *reduced = (struct pr_reduced_tree){.frames = malloc(frames * sizeof *reduced->frames),
                                        .parent = malloc(nodes * sizeof *reduced->parent),
                                        .frame = malloc(nodes * sizeof *reduced->frame),
                                        .leaf = malloc((profile->fact_count + 1) * sizeof *reduced->leaf)};
    r.shown_as = malloc(frames * sizeof *r.shown_as);
    r.node = malloc(most * sizeof *r.node);
    bool done = reduced->frames && reduced->parent && reduced->frame && reduced->leaf && r.shown_as && r.node;
    done = done && choose_frames(&r, reduced->frames) && make_nodes(&r, reduced);
    if (done)
        set_view(&r, reduced);
    free(r.shown_as);
    free(r.node);
    pr_idset_clear(&r.known);
    return done ? PR_OK : pr_fail_memory(err);
}

void pr_reduced_tree_clear(struct pr_reduced_tree *reduced)
{
    free(reduced->frames);
    free(reduced->parent);
    free(reduced->frame);
    free(reduced->leaf);
    *reduced = (struct pr_reduced_tree){0};
}
