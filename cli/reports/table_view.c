/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/table_view.h"

#include "capture/base/ascii.h"
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "profrender/owner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- some threads ----------------------------------------------------------------------------------------------- */

static bool is_thread(const struct pr_profile *profile, uint32_t thread, const char *wanted)
{
    struct pr_text name = pr_profile_text(profile, profile->threads[thread].name);
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, profile->threads[thread].tid);
    return strcmp(wanted, number) == 0 || (name.length && name.length == strlen(wanted) &&
                                           memcmp(name.bytes, wanted, name.length) == 0);
}

/* Copies what COLUMN (or NULL) has at the facts to keep. *OUT is owned; false: no memory. */
static bool keep(const void *column, size_t size, const size_t *facts, size_t count, void **out)
{
    *out = NULL;
    if (!column)
        return true;
    char *kept = malloc((count + !count) * size);
    for (size_t i = 0; kept && i < count; i++)
        memcpy(kept + i * size, (const char *)column + facts[i] * size, size);
    *out = kept;
    return kept != NULL;
}

/* The profile with the facts of the list only, and with the one metric. */
static bool keep_facts(struct pr_table_view *view, const struct pr_profile *profile, const size_t *facts, size_t count)
{
    void *leaf, *hybrid, *thread, *allocator, *value, *values;
    const struct pr_metric *metric = view->metric;
    bool done = keep(profile->fact_leaf, sizeof *profile->fact_leaf, facts, count, &leaf);
    done &= keep(profile->fact_hybrid, sizeof *profile->fact_hybrid, facts, count, &hybrid);
    done &= keep(profile->fact_thread, sizeof *profile->fact_thread, facts, count, &thread);
    done &= keep(profile->fact_allocator, sizeof *profile->fact_allocator, facts, count, &allocator);
    done &= keep(metric->value, sizeof *metric->value, facts, count, &value);
    done &= keep(metric->count, sizeof *metric->count, facts, count, &values);
    view->part_metric = *metric;
    view->part_metric.value = value;
    view->part_metric.count = values;
    view->part_metric.exact = NULL;
    view->part_metric.total_value = view->part_metric.total_count = 0;
    for (size_t i = 0; done && i < count; i++) {
        int64_t number = values ? view->part_metric.count[i] : 0;
        view->part_metric.total_value = pr_add_saturated(view->part_metric.total_value, view->part_metric.value[i]);
        view->part_metric.total_count = pr_add_saturated(view->part_metric.total_count, number);
    }
    view->part = *profile;
    view->part.exact_frame = NULL;
    view->part.exact_thread = NULL;
    view->part.fact_count = count;
    view->part.fact_leaf = leaf;
    view->part.fact_hybrid = hybrid;
    view->part.fact_thread = thread;
    view->part.fact_allocator = allocator;
    view->part.metric_count = 1;
    view->part.metrics = view->metric = &view->part_metric;
    return done;
}

/* The same for the rows that were recorded as they are. */
static bool keep_exact(struct pr_table_view *view, const struct pr_profile *profile, const struct pr_exact *recorded,
                       const bool *chosen)
{
    void *frame, *thread, *exact;
    size_t *rows = malloc((profile->exact_count + 1) * sizeof *rows), count = 0;
    for (size_t i = 0; rows && i < profile->exact_count; i++)
        if (chosen[profile->exact_thread[i]])
            rows[count++] = i;
    bool done = rows != NULL;
    done = keep(done ? profile->exact_frame : NULL, sizeof *profile->exact_frame, rows, count, &frame) && done;
    done = keep(done ? profile->exact_thread : NULL, sizeof *profile->exact_thread, rows, count, &thread) && done;
    done = keep(done ? recorded : NULL, sizeof *recorded, rows, count, &exact) && done;
    view->part.exact_count = count;
    view->part.exact_frame = frame;
    view->part.exact_thread = thread;
    view->part_metric.exact = exact;
    free(rows);
    return done;
}

static enum pr_status choose_threads(struct pr_table_view *view, const char *wanted, struct pr_error *err)
{
    const struct pr_profile *profile = view->profile;
    bool *chosen = calloc((size_t)profile->thread_count + 1, sizeof *chosen);
    size_t *facts = malloc((profile->fact_count + 1) * sizeof *facts), count = 0;
    const struct pr_exact *recorded = view->metric->exact;
    bool known = false, done = chosen && facts;
    for (uint32_t i = 0; done && i < profile->thread_count; i++)
        known |= chosen[i] = is_thread(profile, i, wanted);
    for (size_t i = 0; done && i < profile->fact_count; i++)
        if (chosen[profile->fact_thread[i]])
            facts[count++] = i;
    done = done && (!known || (keep_facts(view, profile, facts, count) && keep_exact(view, profile, recorded, chosen)));
    free(chosen);
    free(facts);
    if (!done)
        return pr_fail_memory(err);
    if (known)
        return PR_OK;
    return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "there is no thread '%s'; `profrender info` lists them",
                   wanted);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static bool is_code(const struct pr_profile *profile, const struct pr_row *row)
{
    if (row->no_stack || row->file || row->node == PR_ROOT || row->node >= profile->tree.count)
        return true;
    return !(pr_role_of(profile, profile->tree.frame[row->node]) & PR_ROLE_PROFILER);
}

/* The row of what has no stack, for THREAD, among the first COUNT; NULL: none. */
static struct pr_row *no_stack_row(struct pr_table *table, size_t count, uint32_t thread)
{
    for (size_t i = 0; i < count; i++)
        if (table->row[i].no_stack && table->row[i].thread == thread)
            return &table->row[i];
    return NULL;
}

/* Merges the rows that are not code into one, for each thread that has rows of its own. */
static void join_no_code(const struct pr_profile *profile, struct pr_table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct pr_row row = table->row[i];
        if (!is_code(profile, &row)) {
            row = (struct pr_row){.thread = row.thread, .no_stack = true, .node = PR_ROOT, .self = row.self,
                                  .total = row.self, .self_count = row.self_count, .total_count = row.self_count};
            if (!row.self && !row.self_count)
                continue;
        }
        struct pr_row *same = row.no_stack ? no_stack_row(table, kept, row.thread) : NULL;
        if (!same) {
            table->row[kept++] = row;
            continue;
        }
        same->self = same->total = pr_add_saturated(same->self, row.self);
        same->self_count = same->total_count = pr_add_saturated(same->self_count, row.self_count);
    }
    table->count = kept;
}

static bool contains(struct pr_text text, const char *part)
{
    size_t length = strlen(part);
    for (size_t at = 0; at + length <= text.length; at++) {
        size_t i = 0;
        while (i < length && (text.bytes[at + i] == part[i] || pr_ascii_lower(text.bytes[at + i]) == part[i]))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

static int compare_texts(const struct pr_profile *profile, pr_str a, pr_str b)
{
    return a == b ? 0 : pr_text_compare(pr_profile_text(profile, a), pr_profile_text(profile, b));
}

struct order {
    const struct pr_profile *profile;
    int sort;
};

/* Rows that are equal here stay as the table has them: by total, self, names. What has no stack has lost its place. */
static int compare_rows(const void *a, const void *b, const void *context)
{
    const struct order *order = context;
    const struct pr_row *x = *(const struct pr_row *const *)a, *y = *(const struct pr_row *const *)b;
    int result = 0;
    switch (order->sort) {
    case PR_SORT_SELF:
        result = PR_ORDER(y->self, x->self);
        break;
    case PR_SORT_COUNT:
        result = PR_ORDER(y->self_count, x->self_count);
        break;
    case PR_SORT_FUNCTION:
        result = compare_texts(order->profile, x->function, y->function);
        break;
    case PR_SORT_FILE:
        result = compare_texts(order->profile, x->file, y->file);
        result = result ? result : PR_ORDER(x->line, y->line);
        break;
    default:
        result = PR_ORDER(y->total, x->total);
        break;
    }
    return result;
}

static enum pr_status choose_rows(struct pr_table_view *view, const struct pr_table_question *question,
                                  struct pr_error *err)
{
    view->row = malloc((view->table.count + 1) * sizeof *view->row);
    if (!view->row)
        return pr_fail_memory(err);
    for (size_t i = 0; i < view->table.count; i++) {
        const struct pr_row *row = &view->table.row[i];
        if (!question->filter || contains(pr_profile_text(view->profile, row->function), question->filter) ||
            contains(pr_profile_text(view->profile, row->file), question->filter))
            view->row[view->found++] = row;
    }
    const struct order order = {view->profile, question->sort};
    if (!pr_sort(view->row, view->found, sizeof(struct pr_row *), compare_rows, &order))
        return pr_fail_memory(err);
    view->count = question->limit && question->limit < view->found ? (size_t)question->limit : view->found;
    return PR_OK;
}

enum pr_status pr_table_view_make(const struct pr_profile *profile, const struct pr_table_question *question,
                                  struct pr_table_view *view, struct pr_error *err)
{
    *view = (struct pr_table_view){.profile = profile};
    int metric = question->metric ? pr_profile_metric(profile, question->metric) : profile->metric_count ? 0 : -1;
    if (metric < 0)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "there is no '%s'",
                       question->metric ? question->metric : "metric");
    view->metric = &profile->metrics[metric];
    if (question->thread && choose_threads(view, question->thread, err) == PR_FAILED)
        return PR_FAILED;
    bool whole = view->metric != &view->part_metric;
    if (pr_table_make(whole ? profile : &view->part, whole ? (unsigned)metric : 0, (enum pr_group_by)question->group,
                      question->split_threads, &view->table, err) == PR_FAILED)
        return PR_FAILED;
    if (question->only_code)
        join_no_code(whole ? profile : &view->part, &view->table);
    return choose_rows(view, question, err);
}

void pr_table_view_clear(struct pr_table_view *view)
{
    free(view->row);
    pr_table_clear(&view->table);
    if (view->metric == &view->part_metric) {
        free((void *)view->part.fact_leaf);
        free((void *)view->part.fact_hybrid);
        free((void *)view->part.fact_thread);
        free((void *)view->part.fact_allocator);
        free((void *)view->part_metric.value);
        free((void *)view->part_metric.count);
        free((void *)view->part.exact_frame);
        free((void *)view->part.exact_thread);
        free((void *)view->part_metric.exact);
    }
    *view = (struct pr_table_view){.count = 0};
}
