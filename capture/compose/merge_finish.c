/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a merge: what was added up becomes a profile. Threads and facts are sorted by the numbers that their parts
 * got in merge_order.c.
 */
#include "capture/heap/alloc_stats.h"
#include "capture/compose/run_facts.h"
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/compose/merge_finish.h"
#include "capture/model/owner_settle.h"

#include <inttypes.h>
#include <stdio.h>

static uint32_t most_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static bool finish_init(struct pr_merge_finish *f)
{
    struct pr_merger *m = f->m;
    const uint32_t numbers = most_of(m->numbers.threads.count, m->exact.count);
    const size_t most =
        most_of(most_of(m->numbers.frames.frames.count, m->numbers.nodes.count), most_of(m->facts.count, numbers));
    f->metrics = calloc(m->metric_count + (size_t)1, sizeof(struct pr_merged_metric *));
    f->frame = calloc(m->numbers.frames.frames.count + (size_t)1, sizeof *f->frame);
    f->node = calloc(m->numbers.nodes.count + (size_t)1, sizeof *f->node);
    f->thread = calloc(m->numbers.threads.count + (size_t)1, sizeof *f->thread);
    f->order = calloc(most + 1, sizeof *f->order);
    f->root_name = calloc(m->process_count + (size_t)1, sizeof *f->root_name);
    return f->metrics && f->frame && f->node && f->thread && f->order && f->root_name;
}

static void finish_clear(struct pr_merge_finish *f)
{
    free(f->metrics);
    free(f->string);
    free(f->frame);
    free(f->node);
    free(f->thread);
    free(f->order);
    free(f->root_name);
}

/* ---- metrics ---------------------------------------------------------------------------------------------------- */

/* The main metric of all, then memray's in their order, then the others by name. */
static int metric_rank(const struct pr_merger *m, const char *name)
{
    static const char *const known[] = {"peak", "leaked", "temporary", "allocated"};
    enum { KNOWN = sizeof known / sizeof *known };
    if (m->main_metric && !strcmp(m->main_metric, name))
        return -1;
    for (int i = 0; i < KNOWN; i++) {
        if (!strcmp(known[i], name))
            return i;
    }
    return KNOWN;
}

static int compare_metrics(const void *a, const void *b, const void *context)
{
    const struct pr_merged_metric *x, *y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    const int before = metric_rank(context, x->name), behind = metric_rank(context, y->name);
    return before != behind ? PR_ORDER(before, behind) : strcmp(x->name, y->name);
}

static enum pr_status choose_metrics(struct pr_merge_finish *f, struct pr_error *err)
{
    for (uint32_t i = 0; i < f->m->metric_count; i++) {
        if (!f->m->metrics[i].left_out)
            f->metrics[f->metric_count++] = &f->m->metrics[i];
    }
    if (!f->metric_count && f->m->metric_count)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL,
                       "they have no metric in common, so there is "
                       "nothing to add up");
    return pr_sort(f->metrics, f->metric_count, sizeof *f->metrics, compare_metrics, f->m) ? PR_OK
                                                                                           : pr_fail_memory(err);
}

static bool fill_metric(struct pr_merge_finish *f, const struct pr_merged_metric *sum, struct pr_metric *metric)
{
    struct pr_arena *arena = &f->profile->arena;
    const size_t count = f->profile->fact_count;
    int64_t *value = pr_arena_array(arena, count, sizeof *value);
    int64_t *counted = sum->count_name ? pr_arena_array(arena, count, sizeof *counted) : NULL;
    *metric = (struct pr_metric){.name = pr_arena_copy(arena, sum->name, strlen(sum->name)),
                                 .title = pr_arena_copy(arena, sum->title, strlen(sum->title)),
                                 .unit = sum->unit,
                                 .decimals = sum->decimals,
                                 .part = f->m->input_count ? sum->input : 0,
                                 .value = value,
                                 .count = counted};
    if (sum->count_name)
        metric->count_name = pr_arena_copy(arena, sum->count_name, strlen(sum->count_name));
    if (!value || !metric->name || !metric->title || (sum->count_name && (!counted || !metric->count_name)))
        return false;
    for (size_t i = 0; i < count; i++) {
        value[i] = sum->value[f->order[i]];
        metric->total_value = pr_add_saturated(metric->total_value, value[i]);
        if (counted) {
            counted[i] = sum->count[f->order[i]];
            metric->total_count = pr_add_saturated(metric->total_count, counted[i]);
        }
    }
    return true;
}

/* ---- threads, facts --------------------------------------------------------------------------------------------- */

static struct pr_thread new_thread(const struct pr_merge_finish *f, uint32_t thread)
{
    struct pr_thread made = pr_numbers_thread(&f->m->numbers, thread);
    made.name = f->string[made.name];
    return made;
}

static int compare_threads(const void *a, const void *b, const void *context)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    const struct pr_thread left = new_thread(context, x), right = new_thread(context, y);
    if (left.process != right.process)
        return PR_ORDER(left.process, right.process);
    return left.tid != right.tid ? PR_ORDER(left.tid, right.tid) : PR_ORDER(left.name, right.name);
}

static bool make_threads(struct pr_merge_finish *f)
{
    const uint32_t count = f->m->numbers.threads.count;
    struct pr_arena *arena = &f->profile->arena;
    struct pr_thread *threads = pr_arena_array(arena, count, sizeof *threads);
    struct pr_process *processes = pr_arena_array(arena, f->m->process_count + (size_t)1, sizeof *processes);
    for (uint32_t i = 0; i < count; i++)
        f->order[i] = i;
    if (!threads || !processes || !pr_sort(f->order, count, sizeof *f->order, compare_threads, f))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        threads[i] = new_thread(f, f->order[i]);
        f->thread[f->order[i]] = i;
    }
    for (uint32_t i = 0; i < f->m->process_count; i++)
        processes[i] = (struct pr_process){f->m->processes[i].pid, f->string[f->m->processes[i].name]};
    f->profile->threads = threads;
    f->profile->thread_count = count;
    f->profile->processes = processes;
    f->profile->process_count = f->m->process_count ? f->m->process_count : 1;
    return true;
}

static struct pr_merge_fact new_fact(const struct pr_merge_finish *f, uint32_t fact)
{
    const struct pr_merge_fact old = pr_merge_fact_at(f, fact);
    return (struct pr_merge_fact){f->node[old.leaf], f->node[old.hybrid], f->thread[old.thread], old.allocator};
}

static int compare_facts(const void *a, const void *b, const void *context)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    const struct pr_merge_fact left = new_fact(context, x), right = new_fact(context, y);
    if (left.leaf != right.leaf)
        return PR_ORDER(left.leaf, right.leaf);
    if (left.hybrid != right.hybrid)
        return PR_ORDER(left.hybrid, right.hybrid);
    return left.thread != right.thread ? PR_ORDER(left.thread, right.thread)
                                       : PR_ORDER(left.allocator, right.allocator);
}

static bool fill_facts(struct pr_merge_finish *f, size_t count)
{
    struct pr_profile *profile = f->profile;
    pr_node_id *leaf = pr_arena_array(&profile->arena, count, sizeof *leaf);
    pr_node_id *hybrid = pr_arena_array(&profile->arena, count, sizeof *hybrid);
    uint32_t *thread = pr_arena_array(&profile->arena, count, sizeof *thread);
    uint8_t *allocator = pr_arena_array(&profile->arena, count, sizeof *allocator);
    struct pr_metric *metrics = f->made = pr_arena_array(&profile->arena, f->metric_count, sizeof *metrics);
    if (!leaf || !hybrid || !thread || !allocator || !metrics)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct pr_merge_fact fact = new_fact(f, f->order[i]);
        leaf[i] = fact.leaf;
        hybrid[i] = fact.hybrid;
        thread[i] = fact.thread;
        allocator[i] = fact.allocator;
    }
    profile->fact_count = count;
    profile->fact_leaf = leaf;
    profile->fact_hybrid = f->m->has_hybrid ? hybrid : NULL;
    profile->fact_thread = thread;
    profile->fact_allocator = f->m->has_allocators ? allocator : NULL;
    profile->metrics = metrics;
    profile->metric_count = f->metric_count;
    for (uint32_t i = 0; i < f->metric_count; i++) {
        if (!fill_metric(f, f->metrics[i], &metrics[i]))
            return false;
    }
    return true;
}

static bool make_facts(struct pr_merge_finish *f)
{
    size_t count = 0;
    for (uint32_t i = 0; i < f->m->facts.count; i++) {
        if (pr_merge_has_value(f, i))
            f->order[count++] = i;
    }
    return pr_sort(f->order, count, sizeof *f->order, compare_facts, f) && fill_facts(f, count);
}

/* ---- functions with figures of their own ------------------------------------------------------------------------ */

/* By thread, then frame, as numbered in the profile. */
static int compare_exact(const void *a, const void *b, const void *context)
{
    const struct pr_merge_finish *f = context;
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    const uint64_t left = f->m->exact.keys[x], right = f->m->exact.keys[y];
    const uint32_t left_thread = f->thread[pr_low(left)], right_thread = f->thread[pr_low(right)];
    if (left_thread != right_thread)
        return PR_ORDER(left_thread, right_thread);
    return PR_ORDER(f->frame[pr_high(left)], f->frame[pr_high(right)]);
}

static bool fill_exact(struct pr_merge_finish *f, const struct pr_merged_metric *sum, struct pr_metric *metric)
{
    struct pr_exact *exact = pr_arena_array(&f->profile->arena, f->profile->exact_count, sizeof *exact);
    for (size_t i = 0; exact && i < f->profile->exact_count; i++) {
        exact[i] = sum->exact[f->order[i]];
        if (!sum->count_name)
            exact[i].self_count = exact[i].total_count = 0;
    }
    metric->exact = exact;
    return exact;
}

static bool make_exact(struct pr_merge_finish *f)
{
    const uint32_t count = f->m->exact.count;
    struct pr_profile *profile = f->profile;
    profile->tree_estimated = f->m->tree_estimated;
    if (!pr_merge_has_exact(f))
        return true;
    pr_frame_id *frame = pr_arena_array(&profile->arena, count, sizeof *frame);
    uint32_t *thread = pr_arena_array(&profile->arena, count, sizeof *thread);
    for (uint32_t i = 0; i < count; i++)
        f->order[i] = i;
    if (!frame || !thread || !pr_sort(f->order, count, sizeof *f->order, compare_exact, f))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t key = f->m->exact.keys[f->order[i]];
        frame[i] = f->frame[pr_high(key)];
        thread[i] = f->thread[pr_low(key)];
    }
    profile->exact_count = count;
    profile->exact_frame = frame;
    profile->exact_thread = thread;
    for (uint32_t i = 0; i < f->metric_count; i++) {
        if (f->metrics[i]->has_exact && !fill_exact(f, f->metrics[i], &f->made[i]))
            return false;
    }
    return true;
}

/* ---- what exists once ------------------------------------------------------------------------------------------- */

static const pr_str *new_list(struct pr_merge_finish *f, const pr_str *list, uint32_t count)
{
    pr_str *made = pr_arena_array(&f->profile->arena, count, sizeof *made);
    for (uint32_t i = 0; made && i < count; i++)
        made[i] = f->string[list[i]];
    return made;
}

static const char *new_words(struct pr_merge_finish *f, const char *words)
{
    return words ? pr_arena_copy(&f->profile->arena, words, strlen(words)) : NULL;
}

static bool make_meta(struct pr_merge_finish *f)
{
    struct pr_meta *meta = &f->profile->meta;
    const struct pr_meta *old = &f->m->meta;
    *meta = *old;
    meta->format = new_words(f, old->format ? old->format : "");
    meta->format_title = new_words(f, old->format_title ? old->format_title : "");
    meta->python_allocator = new_words(f, old->python_allocator ? old->python_allocator : "");
    meta->compression = new_words(f, old->compression);
    meta->command_line = f->string[old->command_line];
    meta->stdlib_path = f->string[old->stdlib_path];
    meta->native_unnamed_file = f->string[old->native_unnamed_file];
    meta->site_packages = new_list(f, old->site_packages, old->site_packages_count);
    meta->sys_path = new_list(f, old->sys_path, old->sys_path_count);
    return meta->format && meta->format_title && meta->python_allocator && (meta->compression || !old->compression) &&
           meta->site_packages && meta->sys_path;
}

static bool make_inputs(struct pr_merge_finish *f)
{
    struct pr_part *inputs = pr_arena_array(&f->profile->arena, f->m->input_count, sizeof *inputs);
    bool good = inputs != NULL;
    for (uint32_t i = 0; i < f->m->input_count && good; i++) {
        const struct pr_part *old = &f->m->inputs[i];
        inputs[i] = *old;
        inputs[i].name = f->string[old->name];
        inputs[i].format = new_words(f, old->format);
        inputs[i].format_title = new_words(f, old->format_title);
        inputs[i].compression = new_words(f, old->compression);
        good = inputs[i].format && inputs[i].format_title && (inputs[i].compression || !old->compression);
    }
    f->profile->parts = inputs;
    f->profile->part_count = f->m->input_count;
    return good;
}

static int compare_words(const void *a, const void *b, const void *context)
{
    const char *x, *y;
    (void)context;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return strcmp(x, y);
}

static bool make_notes(struct pr_merge_finish *f)
{
    const uint32_t count = f->m->notes.count - 1; /* the first one is empty */
    const char **notes = pr_arena_array(&f->profile->arena, count, sizeof *notes);
    for (uint32_t i = 0; notes && i < count; i++) {
        notes[i] = new_words(f, pr_strings_get(&f->m->notes, i + 1).bytes);
        if (!notes[i])
            return false;
    }
    f->profile->notes = notes;
    f->profile->note_count = count;
    return notes && pr_sort(notes, count, sizeof *notes, compare_words, NULL);
}

/* What is known of a run if it is the only one: then no other one failed. */
static bool make_run(struct pr_merge_finish *f)
{
    struct pr_run_facts attach = {.to = f->profile, .from = f->m->single};
    if (!f->m->single)
        return true;
    pr_run_facts_run(&attach);
    pr_failure_settle(&f->profile->run.failure);
    if (pr_failure_is_one(&f->profile->run.failure))
        f->m->origin.failed_runs--;
    return !attach.no_memory;
}

static void make_origin(struct pr_merge_finish *f)
{
    struct pr_origin *origin = &f->profile->origin;
    *origin = f->m->origin;
    for (uint32_t i = 0; i < f->metric_count; i++)
        origin->temporary_threshold = most_of(origin->temporary_threshold, f->metrics[i]->threshold);
    f->profile->records = f->m->records;
    f->profile->peak_bytes = f->m->peak_bytes;
    f->profile->damage = f->m->damage;
    f->profile->complete = !origin->incomplete_runs;
    if (!f->profile->complete)
        pr_cut(&f->profile->problem, PR_ERR_TRUNCATED, PR_NO_OFFSET, NULL,
               "%" PRIu64 " of %" PRIu64 " inputs are not complete", origin->incomplete_runs, origin->runs);
}

static enum pr_status make_stats(struct pr_merge_finish *f, struct pr_error *err)
{
    struct pr_profile *profile = f->profile;
    const int metric = pr_profile_metric(profile, "allocated");
    if (!f->m->stats.known || metric < 0 || !profile->metrics[metric].count)
        return PR_OK;
    const struct pr_stacks stacks = {profile->frame_count, profile->frames, profile->tree, profile->fact_count,
                                     profile->fact_leaf};
    profile->stats = f->m->stats;
    profile->stats.histogram_count = pr_sizes_histogram(&f->m->sizes, profile->stats.histogram);
    if (!pr_sizes_list(&f->m->sizes, &profile->arena, &profile->stats.sizes, &profile->stats.size_count))
        return pr_fail_memory(err);
    const struct pr_fact_column allocated = {.value = profile->metrics[metric].value,
                                             .count = profile->metrics[metric].count};
    return pr_alloc_stats_tops(profile, &stacks, &allocated, err);
}

static enum pr_status make_profile(struct pr_merge_finish *f, struct pr_error *err)
{
    if (!finish_init(f))
        return pr_fail_memory(err);
    if (choose_metrics(f, err) == PR_FAILED)
        return PR_FAILED;
    if (!pr_merge_order(f) || !make_threads(f) || !make_facts(f) || !make_exact(f) || !make_meta(f) ||
        !make_inputs(f) || !make_notes(f) || !make_run(f))
        return pr_fail_memory(err);
    make_origin(f);
    if (pr_merge_series_finish(f->m, f->profile, err) == PR_FAILED)
        return PR_FAILED;
    return make_stats(f, err) == PR_FAILED ? PR_FAILED : pr_owner_settle(f->profile, err);
}

enum pr_status pr_merger_finish(struct pr_merger *merger, struct pr_profile **profile, struct pr_error *err)
{
    struct pr_merge_finish f = {.m = merger};
    *profile = NULL;
    if (!merger->added)
        return pr_fail(err, PR_ERR_EMPTY, PR_NO_OFFSET, NULL, "there is nothing to merge");
    f.profile = calloc(1, sizeof *f.profile);
    if (!f.profile)
        return pr_fail_memory(err);
    const bool good = pr_strings_init(&f.profile->strings, err) == PR_OK && make_profile(&f, err) != PR_FAILED;
    finish_clear(&f);
    if (!good) {
        pr_profile_free(f.profile);
        return PR_FAILED;
    }
    *profile = f.profile;
    return PR_OK;
}
