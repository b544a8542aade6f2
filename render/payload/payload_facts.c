/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of the payload: sorted by node, those that the page cannot distinguish added up. */
#include "render/payload/payload_internal.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <inttypes.h>
#include <stdio.h>

struct fact {
    uint32_t node, thread; /* of the page */
    uint32_t allocator;
    size_t source; /* in the profile */
};

static int compare_facts(const void *left, const void *right, const void *context)
{
    const struct fact *a = left, *b = right;
    (void)context;
    if (a->node != b->node)
        return PR_ORDER(a->node, b->node);
    return a->thread != b->thread ? PR_ORDER(a->thread, b->thread) : PR_ORDER(a->allocator, b->allocator);
}

static bool is_same_fact(const struct fact *a, const struct fact *b)
{
    return a->node == b->node && a->thread == b->thread && a->allocator == b->allocator;
}

/* Facts that are in the same smaller frames become one. */
static void add_sums(struct pr_columns *columns, const struct fact *facts, size_t count, const int64_t *value,
                     unsigned metric, const char *what)
{
    char name[40];
    snprintf(name, sizeof name, "metric.%u.%s", metric, what);
    pr_columns_begin(columns);
    for (size_t i = 0; i < count;) {
        int64_t sum = 0;
        size_t first = i;
        do
            sum = pr_add_saturated(sum, value[facts[i++].source]);
        while (i < count && is_same_fact(&facts[first], &facts[i]));
        pr_columns_sv(columns, sum);
    }
    pr_columns_end(columns, name, "sv");
}

static bool is_first(const struct fact *facts, size_t i)
{
    return !i || !is_same_fact(&facts[i - 1], &facts[i]);
}

static bool has_allocators(const struct fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (facts[i].allocator != PR_ALLOC_NONE)
            return true;
    return false;
}

static void add_fact_columns(struct pr_encoder *encoder, const struct fact *facts, size_t count)
{
    const struct pr_profile *profile = encoder->profile;
    struct pr_columns *columns = &encoder->columns;
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++) {
        if (is_first(facts, i))
            pr_columns_dv(columns, facts[i].node);
    }
    pr_columns_end(columns, "facts.leaf", "dv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++) {
        if (is_first(facts, i))
            pr_columns_uv(columns, facts[i].thread);
    }
    pr_columns_end(columns, "facts.thread", "uv");
    if (has_allocators(facts, count)) {
        pr_columns_begin(columns);
        for (size_t i = 0; i < count; i++) {
            if (is_first(facts, i))
                pr_columns_u8(columns, (uint8_t)facts[i].allocator);
        }
        pr_columns_end(columns, "facts.allocator", "u8");
    }
    for (unsigned i = 0; i < profile->metric_count; i++) {
        add_sums(columns, facts, count, profile->metrics[i].value, i, "value");
        if (profile->metrics[i].count)
            add_sums(columns, facts, count, profile->metrics[i].count, i, "count");
    }
}

static void fill_groups(struct pr_encoder *encoder, const struct fact *facts, size_t count)
{
    encoder->group_count = 0;
    for (size_t i = 0; i < count; i++) {
        encoder->group_count += is_first(facts, i);
        encoder->group[facts[i].source] = encoder->group_count - 1;
    }
}

bool pr_payload_add_facts(struct pr_encoder *encoder)
{
    const struct pr_profile *profile = encoder->profile;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    const size_t count = profile->fact_count;
    struct fact *facts = calloc(count ? count : 1, sizeof *facts);
    if (!facts)
        return false;
    for (size_t i = 0; i < count; i++)
        facts[i] = (struct fact){encoder->fold->number[leaf[i]], profile->fact_thread[i],
                                 profile->fact_allocator ? profile->fact_allocator[i] : 0, i};
    bool sorted = pr_sort(facts, count, sizeof *facts, compare_facts, NULL);
    if (sorted) {
        add_fact_columns(encoder, facts, count);
        fill_groups(encoder, facts, count);
    }
    free(facts);
    return sorted;
}
