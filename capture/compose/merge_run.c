/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging what is known of runs. Everything here is a sum, a maximum, a minimum, or "what all agree on, else unknown":
 * none of them depends on the order, nor on intermediate sums.
 */
#include "capture/compose/run_facts.h"
#include "capture/base/checked.h"
#include "capture/compose/merge_internal.h"

#include <stdlib.h>

pr_str pr_merge_string(struct pr_merger *merger, const struct pr_profile *profile, pr_str string)
{
    const struct pr_text text = pr_profile_text(profile, string);
    return pr_strings_add(&merger->strings, text.bytes, text.length);
}

static const char mixed[] = "mixed";

static bool fold_words(struct pr_merger *m, const char **known, const char *words, const char *else_words)
{
    const bool agree = *known && words && !strcmp(*known, words);
    if (!m->added)
        *known = words ? pr_arena_copy(&m->arena, words, strlen(words)) : NULL;
    else if (!agree)
        *known = else_words;
    return *known || !words || m->added;
}

static bool fold_string(struct pr_merger *m, const struct pr_profile *profile, pr_str *known, pr_str string)
{
    const pr_str mine = pr_merge_string(m, profile, string);
    *known = !m->added || *known == mine ? mine : 0;
    return mine != PR_NO_STR;
}

static void fold_maybe(const struct pr_merger *m, struct pr_maybe *known, struct pr_maybe mine)
{
    const bool agree = known->known && mine.known && known->value == mine.value;
    *known = !m->added || agree ? mine : (struct pr_maybe){0};
}

static void fold_lowest(struct pr_maybe *known, struct pr_maybe mine)
{
    if (mine.known && (!known->known || mine.value < known->value))
        *known = mine;
}

static void fold_highest(struct pr_maybe *known, struct pr_maybe mine)
{
    if (mine.known && (!known->known || mine.value > known->value))
        *known = mine;
}

static bool is_same_list(struct pr_merger *m, const struct pr_profile *profile, const pr_str *known, uint32_t count,
                         const pr_str *mine, uint32_t mine_count)
{
    bool same = count == mine_count;
    for (uint32_t i = 0; i < count && same; i++) {
        const struct pr_text a = pr_strings_get(&m->strings, known[i]), b = pr_profile_text(profile, mine[i]);
        same = !pr_text_compare(a, b);
    }
    return same;
}

/* A list of paths, in its order. */
static bool fold_list(struct pr_merger *m, const struct pr_profile *profile, const pr_str **known, uint32_t *count,
                      const pr_str *mine, uint32_t mine_count)
{
    if (m->added) {
        if (!is_same_list(m, profile, *known, *count, mine, mine_count))
            *count = 0;
        return true;
    }
    pr_str *list = pr_arena_array(&m->arena, mine_count, sizeof *list);
    for (uint32_t i = 0; list && i < mine_count; i++) {
        list[i] = pr_merge_string(m, profile, mine[i]);
        if (list[i] == PR_NO_STR)
            return false;
    }
    *known = list;
    *count = mine_count;
    return list;
}

static bool fold_texts(struct pr_merger *m, const struct pr_profile *profile)
{
    const struct pr_meta *mine = &profile->meta;
    struct pr_meta *meta = &m->meta;
    return fold_words(m, &meta->format, mine->format, mixed) &&
           fold_words(m, &meta->format_title, mine->format_title, "several formats") &&
           fold_words(m, &meta->compression, mine->compression, NULL) &&
           fold_words(m, &meta->python_allocator, mine->python_allocator, "") &&
           fold_string(m, profile, &meta->command_line, mine->command_line) &&
           fold_string(m, profile, &meta->stdlib_path, mine->stdlib_path) &&
           fold_string(m, profile, &meta->native_unnamed_file, mine->native_unnamed_file) &&
           fold_list(m, profile, &meta->site_packages, &meta->site_packages_count, mine->site_packages,
                     mine->site_packages_count) &&
           fold_list(m, profile, &meta->sys_path, &meta->sys_path_count, mine->sys_path, mine->sys_path_count);
}

/* Inputs of the same kinds in the same order: the first profile sets them. */
static bool match_inputs(struct pr_merger *m, const struct pr_profile *profile)
{
    if (!m->added) {
        m->inputs = pr_arena_array(&m->arena, profile->part_count, sizeof *m->inputs);
        m->input_count = profile->part_count;
        return m->inputs;
    }
    bool same = m->input_count == profile->part_count;
    for (uint32_t i = 0; i < m->input_count && same; i++)
        same = !strcmp(m->inputs[i].format, profile->parts[i].format) &&
               m->inputs[i].has_allocations == profile->parts[i].has_allocations;
    m->input_count = same ? m->input_count : 0;
    return true;
}

static bool fold_inputs(struct pr_merger *m, const struct pr_profile *profile)
{
    bool good = match_inputs(m, profile);
    for (uint32_t i = 0; i < m->input_count && good; i++) {
        const struct pr_part *mine = &profile->parts[i];
        struct pr_part *input = &m->inputs[i];
        good = fold_words(m, &input->format, mine->format, mixed) &&
               fold_words(m, &input->format_title, mine->format_title, input->format) &&
               fold_words(m, &input->compression, mine->compression, NULL) &&
               fold_string(m, profile, &input->name, mine->name);
        input->format_version = !m->added || input->format_version == mine->format_version ? mine->format_version : 0;
        input->size_bytes = pr_merge_add(input->size_bytes, mine->size_bytes);
        input->has_allocations = mine->has_allocations;
    }
    return good;
}

static uint32_t highest(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void fold_numbers(struct pr_merger *m, const struct pr_meta *mine)
{
    struct pr_meta *meta = &m->meta;
    const bool first = !m->added;
    meta->format_version = first || meta->format_version == mine->format_version ? mine->format_version : 0;
    meta->python_version = first || meta->python_version == mine->python_version ? mine->python_version : 0;
    meta->main_tid = first || meta->main_tid == mine->main_tid ? mine->main_tid : 0;
    meta->skipped_frames = first || meta->skipped_frames == mine->skipped_frames ? mine->skipped_frames : 0;
    meta->size_bytes = pr_merge_add(meta->size_bytes, mine->size_bytes);
    meta->written_frames = pr_merge_add(meta->written_frames, mine->written_frames);
    meta->written_end_ms =
        first || mine->written_end_ms > meta->written_end_ms ? mine->written_end_ms : meta->written_end_ms;
    meta->end_is_last_sample = (first || meta->end_is_last_sample) && mine->end_is_last_sample;
    meta->python_unverified |= mine->python_unverified;
    meta->has_native_traces |= mine->has_native_traces;
    meta->trace_python_allocators = (first || meta->trace_python_allocators) && mine->trace_python_allocators;
    meta->track_object_lifetimes |= mine->track_object_lifetimes;
    meta->aggregated |= mine->aggregated;
    meta->native_files = highest(meta->native_files, mine->native_files);
    meta->native_files_unnamed = highest(meta->native_files_unnamed, mine->native_files_unnamed);
    fold_maybe(m, &meta->pid, mine->pid);
    fold_lowest(&meta->start_ms, mine->start_ms);
    fold_highest(&meta->end_ms, mine->end_ms);
}

static int64_t span_of(const struct pr_meta *meta)
{
    int64_t span;
    const bool known = meta->start_ms.known && meta->end_ms.known &&
                       !__builtin_sub_overflow(meta->end_ms.value, meta->start_ms.value, &span) && span > 0;
    return known ? span : 0;
}

static void fold_origin(struct pr_merger *m, const struct pr_profile *profile)
{
    const struct pr_origin *mine = &profile->origin;
    struct pr_origin *origin = &m->origin;
    const bool is_sum = mine->runs > 1;
    const int64_t highest = is_sum ? mine->highest_peak_bytes : profile->peak_bytes;
    const int64_t longest = is_sum ? mine->longest_ms : span_of(&profile->meta);
    const uint64_t unread = !profile->complete; /* of a sum, at least one run, whatever it says of them */
    const uint64_t incomplete = is_sum && mine->incomplete_runs ? mine->incomplete_runs : unread;
    const uint64_t failed = pr_merge_add(mine->failed_runs, pr_failure_is_one(&profile->run.failure));
    pr_damage_add_all(&m->damage, &profile->damage);
    origin->runs = pr_merge_add(origin->runs, mine->runs ? mine->runs : 1);
    origin->incomplete_runs = pr_merge_add(origin->incomplete_runs, incomplete);
    if (m->mode == PR_MERGE_ADD)
        origin->failed_runs = pr_merge_add(origin->failed_runs, failed);
    origin->highest_peak_bytes = highest > origin->highest_peak_bytes ? highest : origin->highest_peak_bytes;
    origin->longest_ms = longest > origin->longest_ms ? longest : origin->longest_ms;
    origin->native = !m->added || origin->native == mine->native ? mine->native : 0;
}

static void fold_records(struct pr_records_read *sum, const struct pr_records_read *mine)
{
    sum->allocations = pr_merge_add(sum->allocations, mine->allocations);
    sum->frees = pr_merge_add(sum->frees, mine->frees);
    sum->frames = pr_merge_add(sum->frames, mine->frames);
    sum->pushes = pr_merge_add(sum->pushes, mine->pushes);
    sum->pops = pr_merge_add(sum->pops, mine->pops);
    sum->samples = pr_merge_add(sum->samples, mine->samples);
    sum->thread_names = pr_merge_add(sum->thread_names, mine->thread_names);
    sum->native_frames = pr_merge_add(sum->native_frames, mine->native_frames);
    sum->objects = pr_merge_add(sum->objects, mine->objects);
}

/* Sums are known where all parts are. The five largest places of the parts do not give those of the whole: later. */
static bool fold_stats(struct pr_merger *m, const struct pr_alloc_stats *mine)
{
    struct pr_alloc_stats *stats = &m->stats;
    stats->known = (!m->added || stats->known) && mine->known;
    stats->allocation_count = pr_merge_add(stats->allocation_count, mine->allocation_count);
    stats->allocated_bytes = pr_merge_add(stats->allocated_bytes, mine->allocated_bytes);
    for (int i = 0; i < PR_ALLOC_COUNT; i++)
        stats->count_by_allocator[i] = pr_merge_add(stats->count_by_allocator[i], mine->count_by_allocator[i]);
    for (size_t i = 0; i < mine->size_count; i++) {
        if (!pr_sizes_add_many(&m->sizes, mine->sizes[i].bytes, mine->sizes[i].count))
            return false;
    }
    return true;
}

/* How a run went is not a sum: it is kept while there is only one run. */
static bool keep_single(struct pr_merger *m, const struct pr_profile *profile)
{
    pr_profile_free(m->single);
    m->single = NULL;
    if (m->added || m->mode != PR_MERGE_ADD)
        return true;
    m->single = calloc(1, sizeof *m->single);
    if (!m->single || pr_strings_init(&m->single->strings, NULL) == PR_FAILED)
        return false;
    struct pr_run_facts attach = {.to = m->single, .from = profile};
    pr_run_facts_run(&attach);
    return !attach.no_memory;
}

enum pr_status pr_merge_meta(struct pr_merger *m, const struct pr_profile *profile, struct pr_error *err)
{
    if (!keep_single(m, profile) || !fold_texts(m, profile) || !fold_inputs(m, profile) ||
        !fold_stats(m, &profile->stats))
        return pr_fail_memory(err);
    fold_numbers(m, &profile->meta);
    fold_origin(m, profile);
    fold_records(&m->records, &profile->records);
    m->peak_bytes = pr_add_saturated(m->peak_bytes, profile->peak_bytes);
    return PR_OK;
}
