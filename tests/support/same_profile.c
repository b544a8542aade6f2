/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing profiles: texts by their bytes, the rest by value. */
#include "tests/support/same_profile.h"

#include <string.h>

#define SAME(member) (a->member == b->member)
#define MUST(what, rule)                                                                                               \
    do {                                                                                                               \
        if (!(rule))                                                                                                   \
            return what;                                                                                               \
    } while (0)

static bool same_words(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static bool same_text(const struct pr_profile *a, pr_str of_a, const struct pr_profile *b, pr_str of_b)
{
    return !pr_text_compare(pr_profile_text(a, of_a), pr_profile_text(b, of_b));
}

static bool same_maybe(struct pr_maybe a, struct pr_maybe b)
{
    return a.known == b.known && (!a.known || a.value == b.value);
}

/* Rows without padding in them. */
static bool same_rows(const void *a, const void *b, size_t count, size_t size)
{
    return !count || !memcmp(a, b, count * size);
}

static bool same_list(const struct pr_profile *a, const pr_str *of_a, const struct pr_profile *b, const pr_str *of_b,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!same_text(a, of_a[i], b, of_b[i]))
            return false;
    }
    return true;
}

static const char *meta_differs(const struct pr_profile *x, const struct pr_profile *y)
{
    const struct pr_meta *a = &x->meta, *b = &y->meta;
    MUST("format", same_words(a->format, b->format) && same_words(a->format_title, b->format_title));
    MUST("format version", SAME(format_version) && same_words(a->compression, b->compression) && SAME(size_bytes));
    MUST("command line", same_text(x, a->command_line, y, b->command_line));
    MUST("pid", same_maybe(a->pid, b->pid));
    MUST("times", same_maybe(a->start_ms, b->start_ms) && same_maybe(a->end_ms, b->end_ms) && SAME(end_is_last_sample));
    MUST("date", SAME(no_date));
    MUST("written", SAME(written_end_ms) && SAME(written_frames));
    MUST("Python", SAME(python_version) && SAME(python_unverified));
    MUST("flags",
         SAME(has_native_traces) && SAME(trace_python_allocators) && SAME(track_object_lifetimes) && SAME(aggregated));
    MUST("native files", SAME(native_files) && SAME(native_files_unnamed) &&
                             same_text(x, a->native_unnamed_file, y, b->native_unnamed_file));
    MUST("Python allocator", same_words(a->python_allocator, b->python_allocator));
    MUST("main thread", SAME(main_tid) && SAME(skipped_frames));
    MUST("standard library", same_text(x, a->stdlib_path, y, b->stdlib_path));
    MUST("site-packages",
         SAME(site_packages_count) && same_list(x, a->site_packages, y, b->site_packages, a->site_packages_count));
    MUST("sys.path", SAME(sys_path_count) && same_list(x, a->sys_path, y, b->sys_path, a->sys_path_count));
    return NULL;
}

static const char *tree_differs(const struct pr_profile *a, const struct pr_profile *b)
{
    MUST("frames", SAME(frame_count));
    for (uint32_t i = 0; i < a->frame_count; i++) {
        const struct pr_frame *x = &a->frames[i], *y = &b->frames[i];
        MUST("frame", same_text(a, x->function, b, y->function) && same_text(a, x->file, b, y->file) &&
                          x->line == y->line && x->kind == y->kind && x->definition_line == y->definition_line);
    }
    MUST("nodes", SAME(tree.count) && same_rows(a->tree.parent, b->tree.parent, a->tree.count, sizeof(pr_node_id)));
    MUST("frames of nodes", same_rows(a->tree.frame + 1, b->tree.frame + 1, a->tree.count - 1, sizeof(pr_frame_id)));
    MUST("processes", SAME(process_count));
    for (uint32_t i = 0; i < a->process_count; i++)
        MUST("process",
             a->processes[i].pid == b->processes[i].pid && same_text(a, a->processes[i].name, b, b->processes[i].name));
    MUST("threads", SAME(thread_count));
    for (uint32_t i = 0; i < a->thread_count; i++) {
        const struct pr_thread *x = &a->threads[i], *y = &b->threads[i];
        MUST("thread", x->tid == y->tid && x->process == y->process && same_text(a, x->name, b, y->name));
    }
    return NULL;
}

static const char *facts_differ(const struct pr_profile *a, const struct pr_profile *b)
{
    const size_t count = a->fact_count;
    MUST("facts", SAME(fact_count) && same_rows(a->fact_leaf, b->fact_leaf, count, sizeof *a->fact_leaf));
    MUST("threads of facts", same_rows(a->fact_thread, b->fact_thread, count, sizeof *a->fact_thread));
    MUST("hybrid stacks", !a->fact_hybrid == !b->fact_hybrid);
    MUST("hybrid stack", !a->fact_hybrid || same_rows(a->fact_hybrid, b->fact_hybrid, count, sizeof *a->fact_hybrid));
    MUST("allocators", !a->fact_allocator == !b->fact_allocator);
    MUST("allocator", !a->fact_allocator || same_rows(a->fact_allocator, b->fact_allocator, count, 1));
    MUST("metrics", SAME(metric_count) && SAME(exact_count) && SAME(tree_estimated));
    for (uint32_t i = 0; i < a->metric_count; i++) {
        const struct pr_metric *x = &a->metrics[i], *y = &b->metrics[i];
        MUST("metric", same_words(x->name, y->name) && same_words(x->title, y->title) && x->unit == y->unit &&
                           x->decimals == y->decimals && x->part == y->part);
        MUST("values", same_rows(x->value, y->value, count, sizeof *x->value) && x->total_value == y->total_value);
        MUST("counts", !x->count == !y->count && (!x->count || same_words(x->count_name, y->count_name)));
        MUST("count", !x->count || same_rows(x->count, y->count, count, sizeof *x->count));
        MUST("total count", x->total_count == y->total_count);
        MUST("exact figures", !x->exact == !y->exact);
        MUST("exact figure", !x->exact || same_rows(x->exact, y->exact, a->exact_count, sizeof *x->exact));
    }
    MUST("exact frames", same_rows(a->exact_frame, b->exact_frame, a->exact_count, sizeof *a->exact_frame) &&
                             same_rows(a->exact_thread, b->exact_thread, a->exact_count, sizeof *a->exact_thread));
    return NULL;
}

static const char *time_differs(const struct pr_profile *a, const struct pr_profile *b)
{
    const size_t facts = a->fact_count;
    MUST("series", SAME(series_count));
    for (uint32_t i = 0; i < a->series_count; i++) {
        const struct pr_series *x = &a->series[i], *y = &b->series[i];
        MUST("series", same_words(x->name, y->name) && same_words(x->title, y->title) && x->unit == y->unit);
        MUST("points", x->count == y->count && same_rows(x->at_ms, y->at_ms, x->count, sizeof *x->at_ms) &&
                           same_rows(x->value, y->value, x->count, sizeof *x->value));
    }
    MUST("bins", SAME(bin_count) && same_rows(a->bins, b->bins, a->bin_count, sizeof *a->bins));
    if (a->bin_count) {
        MUST("steps of facts",
             same_rows(a->fact_first_step, b->fact_first_step, facts + 1, sizeof *a->fact_first_step));
        MUST("moves of facts",
             same_rows(a->fact_first_lifetime, b->fact_first_lifetime, facts + 1, sizeof *a->fact_first_lifetime));
        for (size_t i = 0; i < a->fact_first_step[facts]; i++)
            MUST("step", a->steps[i].bin == b->steps[i].bin && a->steps[i].bytes == b->steps[i].bytes &&
                             a->steps[i].count == b->steps[i].count);
        MUST("move", same_rows(a->moves, b->moves, a->fact_first_lifetime[facts], sizeof *a->moves));
    }
    MUST("moments", SAME(moment_count) && SAME(moment_resolution_ns));
    for (size_t i = 0; i < a->moment_count; i++)
        MUST("moment", a->moments[i].at_ns == b->moments[i].at_ns && a->moments[i].bytes == b->moments[i].bytes &&
                           a->moments[i].fact == b->moments[i].fact);
    MUST("stretches", SAME(slice_count) && SAME(slice_resolution_ns) && SAME(slices_lack_clock));
    for (size_t i = 0; i < a->slice_count; i++)
        MUST("stretch", a->slices[i].start_ns == b->slices[i].start_ns &&
                            a->slices[i].duration_ns == b->slices[i].duration_ns &&
                            a->slices[i].fact == b->slices[i].fact && a->slices[i].layer == b->slices[i].layer);
    return NULL;
}

static bool same_tops(const struct pr_profile *a, const struct pr_top *of_a, const struct pr_profile *b,
                      const struct pr_top *of_b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (of_a[i].bytes != of_b[i].bytes || of_a[i].count != of_b[i].count ||
            !same_text(a, of_a[i].name, b, of_b[i].name))
            return false;
    }
    return true;
}

static const char *stats_differ(const struct pr_profile *x, const struct pr_profile *y)
{
    const struct pr_alloc_stats *a = &x->stats, *b = &y->stats;
    MUST("stats", SAME(known) && SAME(allocation_count) && SAME(allocated_bytes));
    MUST("stats by allocator",
         same_rows(a->count_by_allocator, b->count_by_allocator, PR_ALLOC_COUNT, sizeof(uint64_t)));
    MUST("histogram",
         SAME(histogram_count) && same_rows(a->histogram, b->histogram, a->histogram_count, sizeof *a->histogram));
    MUST("sizes", SAME(size_count) && same_rows(a->sizes, b->sizes, a->size_count, sizeof *a->sizes));
    MUST("places", SAME(by_size_count) && same_tops(x, a->by_size, y, b->by_size, a->by_size_count));
    MUST("places by count", SAME(by_count_count) && same_tops(x, a->by_count, y, b->by_count, a->by_count_count));
    MUST("modules", SAME(modules_by_size_count) &&
                        same_tops(x, a->modules_by_size, y, b->modules_by_size, a->modules_by_size_count));
    MUST("modules by count", SAME(modules_by_count_count) &&
                                 same_tops(x, a->modules_by_count, y, b->modules_by_count, a->modules_by_count_count));
    return NULL;
}

#define SAME_MAYBE(member) same_maybe(a->member, b->member)

static const char *run_differs(const struct pr_profile *x, const struct pr_profile *y)
{
    const struct pr_run *a = &x->run, *b = &y->run;
    MUST("run", same_text(x, a->name, y, b->name) && same_text(x, a->flow, y, b->flow) &&
                    same_text(x, a->run, y, b->run) && same_text(x, a->step, y, b->step) &&
                    same_text(x, a->task, y, b->task) && same_text(x, a->attempt, y, b->attempt) && SAME(cut_off));
    MUST("where it ran", same_text(x, a->host, y, b->host) && same_text(x, a->commit, y, b->commit) &&
                             same_text(x, a->recorder, y, b->recorder));
    MUST("notes of people", same_text(x, a->notes, y, b->notes));
    MUST("times of the run", SAME_MAYBE(wall_ns) && SAME_MAYBE(user_ns) && SAME_MAYBE(system_ns));
    MUST("use of the run", SAME_MAYBE(max_rss_bytes) && SAME_MAYBE(major_faults) && SAME_MAYBE(read_bytes) &&
                               SAME_MAYBE(written_bytes));
    MUST("limits of the run",
         SAME_MAYBE(machine_cpus) && SAME_MAYBE(cpu_limit_millicores) && SAME_MAYBE(memory_limit_bytes));
    return NULL;
}

static const char *exception_differs(const struct pr_profile *x, const struct pr_exception *a,
                                     const struct pr_profile *y, const struct pr_exception *b)
{
    MUST("exception", same_text(x, a->type, y, b->type) && same_text(x, a->message, y, b->message) && SAME(link) &&
                          SAME(depth) && SAME(frame_count));
    for (uint32_t i = 0; i < a->frame_count; i++)
        MUST("frame of an exception", same_text(x, a->frames[i].function, y, b->frames[i].function) &&
                                          same_text(x, a->frames[i].file, y, b->frames[i].file) &&
                                          SAME(frames[i].line));
    return NULL;
}

static const char *failure_differs(const struct pr_profile *x, const struct pr_profile *y)
{
    const struct pr_failure *a = &x->run.failure, *b = &y->run.failure;
    const char *what = NULL;
    MUST("exit", SAME_MAYBE(exit) && SAME_MAYBE(signal) && SAME(core));
    MUST("end for lack of memory", SAME(oom) && SAME(told) && SAME_MAYBE(oom_kills) && SAME_MAYBE(host_oom_kills) &&
                                       SAME_MAYBE(peak_bytes) && SAME_MAYBE(limit_bytes) &&
                                       SAME_MAYBE(address_limit_bytes));
    MUST("last words", same_text(x, a->traceback, y, b->traceback) && same_text(x, a->stderr_tail, y, b->stderr_tail));
    MUST("exceptions", SAME(exception_count) && SAME(final_exception));
    for (uint32_t i = 0; i < a->exception_count && !what; i++)
        what = exception_differs(x, &a->exceptions[i], y, &b->exceptions[i]);
    return what;
}

static const char *inputs_differ(const struct pr_profile *x, const struct pr_profile *y)
{
    MUST("inputs", x->part_count == y->part_count);
    for (uint32_t i = 0; i < x->part_count; i++) {
        const struct pr_part *a = &x->parts[i], *b = &y->parts[i];
        MUST("input", same_words(a->format, b->format) && same_words(a->format_title, b->format_title) &&
                          SAME(format_version) && same_words(a->compression, b->compression) && SAME(size_bytes) &&
                          same_text(x, a->name, y, b->name) && SAME(has_allocations));
    }
    return NULL;
}

static const char *rest_differs(const struct pr_profile *a, const struct pr_profile *b)
{
    MUST("peak", SAME(peak_bytes) && SAME(peak_bin) && same_maybe(a->peak_at_ms, b->peak_at_ms));
    MUST("records", same_rows(&a->records, &b->records, 1, sizeof a->records));
    MUST("notes", SAME(note_count));
    for (uint32_t i = 0; i < a->note_count; i++)
        MUST("note", same_words(a->notes[i], b->notes[i]));
    MUST("complete", SAME(complete) && SAME(problem.code) && SAME(problem.offset));
    MUST("problem", same_words(a->problem.doing, b->problem.doing) && same_words(a->problem.text, b->problem.text));
    return NULL;
}

const char *profiles_differ(const struct pr_profile *a, const struct pr_profile *b)
{
    static const char *(*const parts[])(const struct pr_profile *, const struct pr_profile *) = {
        meta_differs, tree_differs, facts_differ,  time_differs, stats_differ,
        run_differs,  rest_differs, inputs_differ, failure_differs};
    const char *what = NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !what; i++)
        what = parts[i](a, b);
    return what;
}
