/* SPDX-License-Identifier: Apache-2.0 */
/* Temporal records: facts sorted by record, their steps and moves added up record by record. */
#include "profrender/temporal_records.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/query/stack_order.h"

struct making {
    const struct pr_profile *profile;
    bool split_threads;
    const uint32_t *rank; /* of stacks, by node */
    const int64_t *end_bytes, *end_count; /* of each fact at the end of the run */
    struct pr_temporal *temporal;
    size_t record_capacity, interval_capacity;
    /* The intervals of one record before they are added up: moves, or steps as differences, whose `to` is 0. */
    struct pr_interval *part;
    size_t part_count, part_capacity;
};

/* Facts of the same record are equal. */
static int compare_facts(const void *a, const void *b, const void *context)
{
    const struct making *m = context;
    const struct pr_profile *p = m->profile;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int order = PR_ORDER(m->rank[p->fact_leaf[x]], m->rank[p->fact_leaf[y]]);
    order = order ? order : PR_ORDER(p->fact_leaf[x], p->fact_leaf[y]);
    if (!order && p->fact_hybrid) {
        order = PR_ORDER(m->rank[p->fact_hybrid[x]], m->rank[p->fact_hybrid[y]]);
        order = order ? order : PR_ORDER(p->fact_hybrid[x], p->fact_hybrid[y]);
    }
    order = order ? order : PR_ORDER(p->fact_allocator[x], p->fact_allocator[y]);
    if (!order && m->split_threads)
        order = PR_ORDER(p->threads[p->fact_thread[x]].tid, p->threads[p->fact_thread[y]].tid);
    if (!order && m->split_threads)
        order = PR_ORDER(p->fact_thread[x], p->fact_thread[y]);
    return order;
}

static int compare_intervals(const void *a, const void *b, const void *context)
{
    const struct pr_interval *x = a, *y = b;
    (void)context;
    return x->from != y->from ? PR_ORDER(x->from, y->from) : PR_ORDER(x->to, y->to);
}

static void add(int64_t *sum, int64_t value)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

static int64_t minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static bool add_part(struct making *m, struct pr_interval part)
{
    if (!pr_grow(&m->part, &m->part_capacity, m->part_count + 1, sizeof *m->part))
        return false;
    m->part[m->part_count++] = part;
    return true;
}

static bool add_steps(struct making *m, size_t fact)
{
    const struct pr_profile *p = m->profile;
    int64_t bytes = 0, count = 0;
    for (size_t i = p->fact_first_step[fact]; i < p->fact_first_step[fact + 1]; i++) {
        const struct pr_step *step = &p->steps[i];
        if (!add_part(m, (struct pr_interval){step->bin, 0, minus(step->bytes, bytes), step->count - count}))
            return false;
        bytes = step->bytes;
        count = step->count;
    }
    return add_part(
        m, (struct pr_interval){p->bin_count, 0, minus(m->end_bytes[fact], bytes), m->end_count[fact] - count});
}

static bool add_moves(struct making *m, size_t fact)
{
    const struct pr_profile *p = m->profile;
    for (size_t i = p->fact_first_lifetime[fact]; i < p->fact_first_lifetime[fact + 1]; i++) {
        const struct pr_lifetime *move = &p->moves[i];
        if (!add_part(m, (struct pr_interval){move->from, move->to, move->bytes, move->count}))
            return false;
    }
    return true;
}

/* Sorts the parts and adds up those of the same bins. */
static bool unite_parts(struct making *m)
{
    if (!pr_sort(m->part, m->part_count, sizeof *m->part, compare_intervals, NULL))
        return false;
    size_t made = 0;
    for (size_t i = 0; i < m->part_count; i++) {
        if (made && !compare_intervals(&m->part[made - 1], &m->part[i], NULL)) {
            add(&m->part[made - 1].bytes, m->part[i].bytes);
            add(&m->part[made - 1].count, m->part[i].count);
        } else {
            m->part[made++] = m->part[i];
        }
    }
    m->part_count = made;
    return true;
}

/* From differences to runs of the same value. What never held anything has one run of 0, as in memray. */
static void make_runs(struct making *m)
{
    int64_t bytes = 0, count = 0;
    size_t made = 0;
    for (size_t i = 0; i < m->part_count; i++) {
        struct pr_interval part = m->part[i];
        if (!part.bytes && !part.count && (made || i + 1 < m->part_count))
            continue;
        add(&bytes, part.bytes);
        add(&count, part.count);
        if (made)
            m->part[made - 1].to = part.from;
        m->part[made++] = (struct pr_interval){part.from, PR_NEVER, bytes, count};
    }
    m->part_count = made;
}

static bool add_record(struct making *m, size_t fact)
{
    const struct pr_profile *p = m->profile;
    struct pr_temporal *t = m->temporal;
    if (!m->part_count)
        return true;
    if (!pr_grow(&t->record, &m->record_capacity, t->count + 1, sizeof *t->record) ||
        !pr_grow(&t->interval, &m->interval_capacity, t->interval_count + m->part_count, sizeof *t->interval))
        return false;
    t->record[t->count++] = (struct pr_temporal_record){
        .leaf = p->fact_leaf[fact],
        .hybrid = p->fact_hybrid ? p->fact_hybrid[fact] : PR_NO_NODE,
        .thread = m->split_threads ? p->fact_thread[fact] : UINT32_MAX,
        .allocator = p->fact_allocator[fact],
        .first = t->interval_count,
        .count = m->part_count,
    };
    memcpy(t->interval + t->interval_count, m->part, m->part_count * sizeof *m->part);
    t->interval_count += m->part_count;
    m->part_count = 0;
    return true;
}

/* False of a fact from a profile that was combined with this one. */
static bool is_of_allocations(const struct pr_profile *profile, size_t fact)
{
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        const struct pr_metric *metric = &profile->metrics[i];
        if (pr_metric_has_allocations(profile, metric) && metric->count && metric->count[fact])
            return true;
    }
    return false;
}

static bool make(struct making *m, enum pr_temporal_kind kind, const size_t *facts)
{
    size_t fact_count = m->profile->fact_count;
    for (size_t from = 0, to; from < fact_count; from = to) {
        for (to = from; to < fact_count && !compare_facts(&facts[from], &facts[to], m); to++) {
            if (!is_of_allocations(m->profile, facts[to]))
                continue;
            if (kind == PR_TEMPORAL_PEAK ? !add_steps(m, facts[to]) : !add_moves(m, facts[to]))
                return false;
        }
        if (!unite_parts(m))
            return false;
        if (kind == PR_TEMPORAL_PEAK)
            make_runs(m);
        if (!add_record(m, facts[from]))
            return false;
    }
    return true;
}

static bool sort_facts(const struct making *m, size_t *facts)
{
    for (size_t i = 0; i < m->profile->fact_count; i++)
        facts[i] = i;
    return pr_sort(facts, m->profile->fact_count, sizeof *facts, compare_facts, m);
}

enum pr_status pr_temporal_make(const struct pr_profile *profile, enum pr_temporal_kind kind, bool split_threads,
                                struct pr_temporal *temporal, struct pr_error *err)
{
    *temporal = (struct pr_temporal){0};
    int leaked = pr_profile_metric(profile, "leaked");
    if (!profile->bin_count || leaked < 0)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, "history", "the capture has totals only, no history");
    uint32_t *rank = calloc(profile->tree.count, sizeof *rank);
    size_t *facts = calloc(profile->fact_count + 1, sizeof *facts);
    struct making m = {
        .profile = profile,
        .split_threads = split_threads,
        .rank = rank,
        .end_bytes = profile->metrics[leaked].value,
        .end_count = profile->metrics[leaked].count,
        .temporal = temporal,
    };
    enum pr_status status = rank && facts ? pr_stack_ranks(profile, rank, err) : PR_FAILED;
    if (status == PR_OK && (!sort_facts(&m, facts) || !make(&m, kind, facts)))
        status = PR_FAILED;
    free(rank);
    free(facts);
    free(m.part);
    return status == PR_OK ? PR_OK : pr_fail_memory(err);
}

void pr_temporal_clear(struct pr_temporal *temporal)
{
    free(temporal->record);
    free(temporal->interval);
    *temporal = (struct pr_temporal){0};
}
