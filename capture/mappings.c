/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A treap of intervals. Priorities come from a salted generator, so its depth is O(log n) whatever the addresses are, and
 * recursion over it is safe.
 */
#include "capture/mappings.h"

#include "capture/base/checked.h"
#include "capture/base/hash.h"

#include <stdlib.h>
#include <sys/random.h>

struct pr_piece_node {
    struct pr_piece piece;
    uint64_t max_end; /* of this piece and all below */
    uint32_t left, right;
    uint32_t priority;
};

static uint32_t new_node(struct pr_mappings *m, const struct pr_piece *piece)
{
    if (!m->count) {
        if (getrandom(&m->random, sizeof m->random, GRND_NONBLOCK) != (ssize_t)sizeof m->random)
            m->random = 0;
        m->count = 1; /* node 0 is nobody */
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

static void update(struct pr_mappings *m, uint32_t at)
{
    struct pr_piece_node *node = &m->nodes[at];
    node->max_end = node->piece.end;
    if (node->left && m->nodes[node->left].max_end > node->max_end)
        node->max_end = m->nodes[node->left].max_end;
    if (node->right && m->nodes[node->right].max_end > node->max_end)
        node->max_end = m->nodes[node->right].max_end;
}

/* Splits the tree AT into what starts before START and the rest. */
static void split(struct pr_mappings *m, uint32_t at, uint64_t start, uint32_t *before, uint32_t *rest)
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
static uint32_t join(struct pr_mappings *m, uint32_t first, uint32_t second)
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

static void insert(struct pr_mappings *m, uint32_t node)
{
    uint32_t before, rest;
    split(m, m->root, m->nodes[node].piece.start, &before, &rest);
    m->root = join(m, join(m, before, node), rest);
}

bool pr_mappings_add(struct pr_mappings *m, uint64_t start, uint64_t size, uint32_t fact, uint32_t born)
{
    if (!size)
        return true;
    const struct pr_piece piece = {start, size > UINT64_MAX - start ? UINT64_MAX : start + size, fact, born};
    uint32_t node = new_node(m, &piece);
    if (!node)
        return false;
    insert(m, node);
    return true;
}

/* Takes the pieces that overlap [start, end) out of the tree AT, onto the chain *HIT (through `left`). */
static uint32_t extract(struct pr_mappings *m, uint32_t at, uint64_t start, uint64_t end, uint32_t *hit)
{
    if (!at || m->nodes[at].max_end <= start)
        return at;
    m->nodes[at].left = extract(m, m->nodes[at].left, start, end, hit);
    if (m->nodes[at].piece.start < end)
        m->nodes[at].right = extract(m, m->nodes[at].right, start, end, hit);
    if (m->nodes[at].piece.start < end && m->nodes[at].piece.end > start) {
        uint32_t below = join(m, m->nodes[at].left, m->nodes[at].right);
        m->nodes[at].left = *hit;
        m->nodes[at].right = 0;
        *hit = at;
        return below;
    }
    update(m, at);
    return at;
}

bool pr_mappings_cut(struct pr_mappings *m, uint64_t start, uint64_t size, pr_piece_cut_fn *cut, void *context)
{
    if (!size)
        return true;
    uint64_t end = size > UINT64_MAX - start ? UINT64_MAX : start + size;
    uint32_t hit = 0;
    m->root = extract(m, m->root, start, end, &hit);
    bool good = true;
    while (hit) {
        uint32_t at = hit;
        hit = m->nodes[at].left;
        m->nodes[at].left = 0;
        const struct pr_piece old = m->nodes[at].piece;
        bool keeps_start = old.start < start, keeps_end = old.end > end;
        uint64_t from = keeps_start ? start : old.start, to = keeps_end ? end : old.end;
        cut(context, &old, to - from, (int)keeps_start + (int)keeps_end - 1);
        if (keeps_start && keeps_end) {
            const struct pr_piece tail = {end, old.end, old.fact, old.born};
            uint32_t node = new_node(m, &tail);
            good = good && node;
            if (node)
                insert(m, node);
        }
        if (keeps_start || keeps_end) {
            m->nodes[at].piece.start = keeps_start ? old.start : end;
            m->nodes[at].piece.end = keeps_start ? start : old.end;
            update(m, at);
            insert(m, at);
        } else {
            m->nodes[at].left = m->free;
            m->free = at;
        }
    }
    return good;
}

void pr_mappings_clear(struct pr_mappings *m)
{
    free(m->nodes);
    *m = (struct pr_mappings){0};
}
