/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A treap of intervals. Priorities come from a salted generator, so its depth is O(log n) whatever the addresses are,
 * and recursion over it is safe.
 */
#include "capture/heap/mapped_ranges.h"

#include "capture/base/checked.h"
#include "capture/base/hash.h"

#include <stdlib.h>

struct pr_piece_node {
    struct pr_piece piece;
    uint64_t max_end; /* of this piece and all below it */
    uint32_t left, right;
    uint32_t priority;
};

static uint32_t new_node(struct pr_mapped_ranges *m, const struct pr_piece *piece)
{
    if (!m->count) {
        m->random = pr_hash_new_salt();
        m->count = 1; /* node 0 is unused */
    }
    uint32_t index = m->free;
    if (index) {
        m->free = m->nodes[index].left;
    } else {
        if (m->count == UINT32_MAX || !pr_grow(&m->nodes, &m->capacity, m->count + (size_t)1, sizeof *m->nodes))
            return 0;
        index = m->count++;
    }
    m->random += UINT64_C(0x9e3779b97f4a7c15);
    m->nodes[index] = (struct pr_piece_node){*piece, piece->end, 0, 0, (uint32_t)pr_hash_u64(m->random)};
    return index;
}

static void update(struct pr_mapped_ranges *m, uint32_t at)
{
    struct pr_piece_node *node = &m->nodes[at];
    node->max_end = node->piece.end;
    if (node->left && m->nodes[node->left].max_end > node->max_end)
        node->max_end = m->nodes[node->left].max_end;
    if (node->right && m->nodes[node->right].max_end > node->max_end)
        node->max_end = m->nodes[node->right].max_end;
}

/* Splits the tree AT into what starts before START and the rest. */
static void split(struct pr_mapped_ranges *m, uint32_t at, uint64_t start, uint32_t *before, uint32_t *rest)
{
    if (!at) {
        *before = *rest = 0;
        return;
    }
    uint32_t part;
    if (m->nodes[at].piece.start < start) {
        split(m, m->nodes[at].right, start, &part, rest);
        m->nodes[at].right = part;
        *before = at;
    } else {
        split(m, m->nodes[at].left, start, before, &part);
        m->nodes[at].left = part;
        *rest = at;
    }
    update(m, at);
}

/* Joins two trees, all of the first before all of the second. */
static uint32_t join(struct pr_mapped_ranges *m, uint32_t first, uint32_t second)
{
    if (!first || !second)
        return first ? first : second;
    if (m->nodes[first].priority > m->nodes[second].priority) {
        m->nodes[first].right = join(m, m->nodes[first].right, second);
        update(m, first);
        return first;
    }
    m->nodes[second].left = join(m, first, m->nodes[second].left);
    update(m, second);
    return second;
}

static void insert(struct pr_mapped_ranges *m, uint32_t node)
{
    uint32_t before, rest;
    split(m, m->root, m->nodes[node].piece.start, &before, &rest);
    m->root = join(m, join(m, before, node), rest);
}

/* The number of a new mapping of one piece; 0: out of memory. */
static uint32_t new_mapping(struct pr_mapped_ranges *m)
{
    uint32_t number = m->free_mapping;
    if (number) {
        m->free_mapping = m->mappings[number].pieces;
    } else {
        number = m->mapping_count ? m->mapping_count : 1;
        if (number == UINT32_MAX ||
            !pr_grow(&m->mappings, &m->mapping_capacity, number + (size_t)1, sizeof *m->mappings))
            return 0;
        m->mapping_count = number + 1;
    }
    m->mappings[number] = (struct pr_mapped_range){1, 0};
    return number;
}

bool pr_mapped_ranges_add(struct pr_mapped_ranges *m, uint64_t start, uint64_t size, uint32_t fact, uint32_t born)
{
    if (!size)
        return true;
    const struct pr_piece piece = {start, size > UINT64_MAX - start ? UINT64_MAX : start + size, fact, born,
                                   new_mapping(m)};
    uint32_t node = piece.mapping ? new_node(m, &piece) : 0;
    if (!node)
        return false;
    insert(m, node);
    return true;
}

/* ---- cutting ----------------------------------------------------------------------------------------------------- */

struct cut {
    uint64_t start, end;
    pr_piece_cut_fn *tell;
    void *context;
    uint32_t tails; /* tree of what is left after END of pieces that begin before START */
    bool failed;    /* no memory for one of these */
};

static void forget_hits(struct pr_mapped_ranges *m, const struct pr_piece *piece, const struct cut *cut)
{
    (void)cut;
    m->mappings[piece->mapping].hits = 0;
}

static void count_hit(struct pr_mapped_ranges *m, const struct pr_piece *piece, const struct cut *cut)
{
    struct pr_mapped_range *mapping = &m->mappings[piece->mapping];
    mapping->hits++;
    mapping->pieces += (uint32_t)((piece->start < cut->start) + (piece->end > cut->end) - 1);
}

static void tell(struct pr_mapped_ranges *m, const struct pr_piece *piece, const struct cut *cut)
{
    const struct pr_mapped_range *mapping = &m->mappings[piece->mapping];
    const bool keeps_start = piece->start < cut->start, keeps_end = piece->end > cut->end;
    const uint64_t from = keeps_start ? cut->start : piece->start, to = keeps_end ? cut->end : piece->end;
    cut->tell(cut->context, piece, to - from, (int)keeps_start + (int)keeps_end - 1,
              !mapping->pieces && mapping->hits == 1);
}

/* Calls VISIT for the pieces of the tree AT that the cut hits; none of them begins after it. */
static void each_hit(struct pr_mapped_ranges *m, uint32_t at, const struct cut *cut,
                     void (*visit)(struct pr_mapped_ranges *m, const struct pr_piece *piece, const struct cut *cut))
{
    if (!at || m->nodes[at].max_end <= cut->start)
        return;
    each_hit(m, m->nodes[at].left, cut, visit);
    each_hit(m, m->nodes[at].right, cut, visit);
    if (m->nodes[at].piece.end > cut->start)
        visit(m, &m->nodes[at].piece, cut);
}

/* Cuts the tree AT, of pieces that begin before the cut: they stay where they are. */
static void cut_ends(struct pr_mapped_ranges *m, uint32_t at, struct cut *cut)
{
    if (!at || m->nodes[at].max_end <= cut->start)
        return;
    cut_ends(m, m->nodes[at].left, cut);
    cut_ends(m, m->nodes[at].right, cut);
    const struct pr_piece old = m->nodes[at].piece;
    if (old.end > cut->end) {
        const uint32_t tail = new_node(m, &(struct pr_piece){cut->end, old.end, old.fact, old.born, old.mapping});
        cut->tails = join(m, cut->tails, tail);
        cut->failed = cut->failed || !tail;
    }
    if (old.end > cut->start)
        m->nodes[at].piece.end = cut->start;
    update(m, at);
}

static void free_piece(struct pr_mapped_ranges *m, uint32_t at)
{
    uint32_t number = m->nodes[at].piece.mapping;
    struct pr_mapped_range *mapping = &m->mappings[number];
    if (!mapping->pieces && !--mapping->hits) {
        mapping->pieces = m->free_mapping;
        m->free_mapping = number;
    }
    m->nodes[at].left = m->free;
    m->free = at;
}

/*
 * Cuts the tree AT, of pieces that begin within the cut: what is left of them begins at its end. They keep their order,
 * which is thus independent of their priorities: pieces put back one by one would turn the tree into a list.
 */
static uint32_t cut_starts(struct pr_mapped_ranges *m, uint32_t at, const struct cut *cut)
{
    if (!at)
        return 0;
    const uint32_t left = cut_starts(m, m->nodes[at].left, cut), right = cut_starts(m, m->nodes[at].right, cut);
    if (m->nodes[at].piece.end <= cut->end) {
        free_piece(m, at);
        return join(m, left, right);
    }
    m->nodes[at].piece.start = cut->end;
    m->nodes[at].left = left;
    m->nodes[at].right = right;
    update(m, at);
    return at;
}

bool pr_mapped_ranges_cut(struct pr_mapped_ranges *m, uint64_t start, uint64_t size, pr_piece_cut_fn *tell_cut,
                          void *context)
{
    struct cut cut = {start, size > UINT64_MAX - start ? UINT64_MAX : start + size, tell_cut, context, 0, false};
    uint32_t before, within, behind;
    if (!size)
        return true;
    split(m, m->root, start, &before, &within);
    split(m, within, cut.end, &within, &behind);
    /* All are reported before anything is freed, so that `hits` is complete. */
    void (*const visits[])(struct pr_mapped_ranges *, const struct pr_piece *, const struct cut *) = {forget_hits,
                                                                                                      count_hit, tell};
    for (size_t i = 0; i < sizeof visits / sizeof *visits; i++) {
        each_hit(m, before, &cut, visits[i]);
        each_hit(m, within, &cut, visits[i]);
    }
    cut_ends(m, before, &cut);
    within = cut_starts(m, within, &cut);
    m->root = join(m, join(m, before, cut.tails), join(m, within, behind));
    return !cut.failed;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static bool each(struct pr_mapped_ranges *m, uint32_t at, bool (*call)(void *, const struct pr_piece *, bool),
                 void *context)
{
    if (!at)
        return true;
    const struct pr_piece_node *node = &m->nodes[at];
    bool first = !m->mappings[node->piece.mapping].hits++;
    return call(context, &node->piece, first) && each(m, node->left, call, context) &&
           each(m, node->right, call, context);
}

bool pr_mapped_ranges_each(struct pr_mapped_ranges *m,
                           bool (*call)(void *context, const struct pr_piece *piece, bool first), void *context)
{
    for (uint32_t i = 1; i < m->mapping_count; i++)
        m->mappings[i].hits = 0;
    return each(m, m->root, call, context);
}

void pr_mapped_ranges_clear(struct pr_mapped_ranges *m)
{
    free(m->nodes);
    free(m->mappings);
    *m = (struct pr_mapped_ranges){0};
}
