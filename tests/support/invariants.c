/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of profrender/profile.h, checked one by one; sums are computed here, not by the code under test. */
#include "tests/support/invariants.h"

#include "capture/base/checked.h"

#include <stdio.h>
#include <stdlib.h>

#include "profrender/tree_sums.h"

#define MUST(rule) ((rule) ? (void)0 : broken(#rule, __LINE__))

static void broken(const char *rule, int line)
{
    fprintf(stderr, "invariants.c:%d: broken: %s\n", line, rule);
    abort();
}

static void check_tree(const struct pr_profile *profile)
{
    const struct pr_tree *tree = &profile->tree;
    MUST(tree->count >= 1);
    MUST(tree->parent[PR_ROOT] == PR_ROOT);
    for (uint32_t node = 1; node < tree->count; node++) {
        MUST(tree->parent[node] < node);
        MUST(tree->frame[node] < profile->frame_count);
    }
    for (uint32_t frame = 0; frame < profile->frame_count; frame++) {
        MUST(profile->frames[frame].function < profile->strings.count);
        MUST(profile->frames[frame].file < profile->strings.count);
        MUST(profile->frames[frame].line >= 0);
    }
}

static void check_facts(const struct pr_profile *profile)
{
    for (size_t i = 0; i < profile->fact_count; i++) {
        MUST(profile->fact_leaf[i] < profile->tree.count);
        MUST(!profile->fact_hybrid || profile->fact_hybrid[i] < profile->tree.count);
        MUST(profile->fact_thread[i] < profile->thread_count);
        MUST(!profile->fact_allocator || profile->fact_allocator[i] < PR_ALLOC_COUNT);
    }
}

/*
 * Adds SUM and NUMBER as the library does; *SIZE, which never shrinks, shows whether any order of adding gives
 * the same.
 */
static int64_t add(int64_t sum, int64_t number, uint64_t *size)
{
    uint64_t more = number < 0 ? -(uint64_t)number : (uint64_t)number;
    *size = *size > UINT64_MAX - more ? UINT64_MAX : *size + more;
    return pr_add_saturated(sum, number);
}

static void check_metric(const struct pr_profile *profile, unsigned index)
{
    const struct pr_metric *metric = &profile->metrics[index];
    int64_t value = 0, count = 0;
    uint64_t value_size = 0, count_size = 0;
    bool below_zero = false;
    for (size_t i = 0; i < profile->fact_count; i++) {
        below_zero = below_zero || metric->value[i] < 0 || (metric->count && metric->count[i] < 0);
        value = add(value, metric->value[i], &value_size);
        count = add(count, metric->count ? metric->count[i] : 0, &count_size);
    }
    MUST(!below_zero || !profile->fact_allocator); /* only samples have differences */
    if (below_zero && (value_size > INT64_MAX || count_size > INT64_MAX))
        return; /* sums stop at the ends of the range, so they depend on the order */
    MUST(value == metric->total_value);
    MUST(count == metric->total_count);

    struct pr_choice choice = pr_choice_all(index);
    struct pr_sums sums = {0};
    struct pr_error err = {0};
    if (pr_tree_sum(profile, &choice, &sums, &err) != PR_FAILED) {
        MUST(sums.count == profile->tree.count);
        MUST(sums.total[PR_ROOT] == metric->total_value);
        MUST(sums.total_count[PR_ROOT] == metric->total_count);
    }
    pr_sums_clear(&sums);
}

static void check_time(const struct pr_profile *profile)
{
    for (uint32_t bin = 0; bin < profile->bin_count; bin++)
        MUST(profile->bins[bin].peak_bytes <= profile->peak_bytes &&
             (bin == 0 || profile->bins[bin - 1].end_ms <= profile->bins[bin].end_ms));
    for (uint32_t i = 0; i < profile->series_count; i++)
        MUST(profile->series[i].count == 0 || (profile->series[i].at_ms && profile->series[i].value));
}

static void check_failure(const struct pr_profile *profile)
{
    const struct pr_failure *failure = &profile->run.failure;
    MUST(failure->traceback < profile->strings.count && failure->stderr_tail < profile->strings.count);
    MUST(failure->final_exception == 0 || failure->final_exception < failure->exception_count);
    MUST(failure->oom <= PR_OOM_YES && failure->told <= PR_OOM_YES);
    MUST(failure->peak_bytes.value >= 0 && failure->limit_bytes.value >= 0 &&
         failure->address_limit_bytes.value >= 0);
    for (uint32_t i = 0; i < failure->exception_count; i++) {
        const struct pr_exception *exception = &failure->exceptions[i];
        MUST(exception->type < profile->strings.count && exception->message < profile->strings.count);
        MUST(exception->link <= PR_LINK_CONTEXT);
        for (uint32_t k = 0; k < exception->frame_count; k++)
            MUST(exception->frames[k].function < profile->strings.count &&
                 exception->frames[k].file < profile->strings.count && exception->frames[k].line >= 0);
    }
}

static void check_run(const struct pr_profile *profile)
{
    const struct pr_run *run = &profile->run;
    const pr_str strings[] = {run->name, run->flow, run->run, run->step, run->task, run->attempt, run->notes,
                              run->host, run->commit, run->recorder};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        MUST(strings[i] < profile->strings.count);
    MUST(run->wall_ns.value >= 0 && run->max_rss_bytes.value >= 0 && run->memory_limit_bytes.value >= 0);
    for (uint32_t i = 0; i < profile->metric_count; i++)
        MUST(profile->metrics[i].part < (profile->part_count ? profile->part_count : 1));
    check_failure(profile);
}

void check_invariants(const struct pr_profile *profile)
{
    check_tree(profile);
    check_facts(profile);
    for (unsigned i = 0; i < profile->metric_count; i++)
        check_metric(profile, i);
    check_time(profile);
    check_run(profile);
    MUST(profile->complete == (profile->problem.code == PR_ERR_NONE));
}
