/* SPDX-License-Identifier: Apache-2.0 */
/* Facts to records: sort by key, add up what has the same key, sort by weight. */
#include "profrender/records.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/query/stack_order.h"

#define MERGED UINT32_MAX

static int compare_keys(const void *a, const void *b, const void *context)
{
    const struct pr_record *x = a, *y = b;
    (void)context;
    int order = PR_ORDER(x->leaf, y->leaf);
    order = order ? order : PR_ORDER(x->hybrid, y->hybrid);
    order = order ? order : PR_ORDER(x->allocator, y->allocator);
    return order ? order : PR_ORDER(x->thread, y->thread);
}

struct output_order {
    const struct pr_profile *profile;
    const uint32_t *rank; /* of stacks, by node */
};

static int compare_output(const void *a, const void *b, const void *context)
{
    const struct output_order *by = context;
    const struct pr_record *x = a, *y = b;
    int order = PR_ORDER(y->value, x->value);
    order = order ? order : PR_ORDER(y->count, x->count);
    order = order ? order : PR_ORDER(by->rank[x->leaf], by->rank[y->leaf]);
    if (!order && x->hybrid != PR_NO_NODE && y->hybrid != PR_NO_NODE)
        order = PR_ORDER(by->rank[x->hybrid], by->rank[y->hybrid]);
    order = order ? order : PR_ORDER(x->allocator, y->allocator);
    if (!order && x->thread != y->thread)
        order = PR_ORDER(by->profile->threads[x->thread].tid, by->profile->threads[y->thread].tid);
    return order ? order : compare_keys(a, b, NULL);
}

/* One record for each fact that is not zero. */
static void take_facts(const struct pr_profile *profile, const struct pr_metric *metric, bool split_threads,
                       struct pr_records *records)
{
    for (size_t i = 0; i < profile->fact_count; i++) {
        int64_t count = metric->count ? metric->count[i] : 0;
        if (!metric->value[i] && !count)
            continue;
        records->record[records->count++] = (struct pr_record){
            .leaf = profile->fact_leaf[i],
            .hybrid = profile->fact_hybrid ? profile->fact_hybrid[i] : PR_NO_NODE,
            .thread = split_threads ? profile->fact_thread[i] : MERGED,
            .allocator = profile->fact_allocator ? profile->fact_allocator[i] : (uint8_t)PR_ALLOC_NONE,
            .value = metric->value[i],
            .count = count,
        };
    }
}

/* Adds up neighbours of the same key, and drops what adds up to nothing. */
static void add_up(struct pr_records *records)
{
    size_t kept = 0;
    for (size_t i = 0; i < records->count;) {
        struct pr_record sum = records->record[i++];
        for (; i < records->count && !compare_keys(&sum, &records->record[i], NULL); i++) {
            sum.value = pr_add_saturated(sum.value, records->record[i].value);
            sum.count = pr_add_saturated(sum.count, records->record[i].count);
        }
        if (!sum.value && !sum.count)
            continue;
        records->total_value = pr_add_saturated(records->total_value, sum.value);
        records->total_count = pr_add_saturated(records->total_count, sum.count);
        records->record[kept++] = sum;
    }
    records->count = kept;
}

static enum pr_status sort_for_output(const struct pr_profile *profile, struct pr_records *records,
                                      struct pr_error *err)
{
    uint32_t *rank = malloc(profile->tree.count * sizeof *rank);
    if (!rank)
        return pr_fail_memory(err);
    struct output_order by = {profile, rank};
    enum pr_status status = pr_stack_ranks(profile, rank, err);
    if (status == PR_OK && !pr_sort(records->record, records->count, sizeof *records->record, compare_output, &by))
        status = pr_fail_memory(err);
    free(rank);
    return status;
}

static size_t facts_with_value(const struct pr_profile *profile, const struct pr_metric *metric)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->fact_count; i++)
        count += metric->value[i] || (metric->count && metric->count[i]);
    return count;
}

enum pr_status pr_records_make(const struct pr_profile *profile, unsigned metric, bool split_threads,
                               struct pr_records *records, struct pr_error *err)
{
    *records = (struct pr_records){0};
    if (metric >= profile->metric_count)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, "make records", "there is no metric %u", metric);
    size_t room = facts_with_value(profile, &profile->metrics[metric]);
    records->record = calloc(room + 1, sizeof *records->record);
    if (!records->record)
        return pr_fail_memory(err);
    take_facts(profile, &profile->metrics[metric], split_threads, records);
    enum pr_status status = PR_OK;
    if (pr_sort(records->record, records->count, sizeof *records->record, compare_keys, NULL)) {
        add_up(records);
        status = sort_for_output(profile, records, err);
    } else {
        status = pr_fail_memory(err);
    }
    if (status != PR_OK)
        pr_records_clear(records);
    return status;
}

void pr_records_clear(struct pr_records *records)
{
    free(records->record);
    *records = (struct pr_records){0};
}
