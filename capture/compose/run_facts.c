/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a run, from profile to profile: strings are copied to the other one, what is known stays. */
#include "capture/compose/run_facts.h"

pr_str pr_run_facts_string(struct pr_run_facts *a, pr_str known)
{
    const struct pr_text text = pr_profile_text(a->from, known);
    const pr_str mine = pr_strings_add(&a->to->strings, text.bytes, text.length);
    a->no_memory |= mine == PR_NO_STR;
    return mine == PR_NO_STR ? 0 : mine;
}

static void fill_string(struct pr_run_facts *a, pr_str *to, pr_str from)
{
    if (!*to && from)
        *to = pr_run_facts_string(a, from);
}

void pr_run_facts_maybe(struct pr_maybe *to, struct pr_maybe from)
{
    if (!to->known)
        *to = from;
}

static void copy_exceptions(struct pr_run_facts *a, const struct pr_failure *from, struct pr_failure *to)
{
    struct pr_arena *arena = &a->to->arena;
    struct pr_exception *list = pr_arena_array(arena, from->exception_count, sizeof *list);
    for (uint32_t i = 0; list && i < from->exception_count; i++) {
        const struct pr_exception *one = &from->exceptions[i];
        struct pr_trace_frame *frames = pr_arena_array(arena, one->frame_count, sizeof *frames);
        for (uint32_t k = 0; frames && k < one->frame_count; k++)
            frames[k] = (struct pr_trace_frame){pr_run_facts_string(a, one->frames[k].function),
                                                pr_run_facts_string(a, one->frames[k].file), one->frames[k].line};
        list[i] = *one;
        list[i].type = pr_run_facts_string(a, one->type);
        list[i].message = pr_run_facts_string(a, one->message);
        list[i].frames = frames;
        a->no_memory |= !frames;
    }
    a->no_memory |= !list;
    if (!list)
        return;
    to->exceptions = list;
    to->exception_count = from->exception_count;
    to->final_exception = from->final_exception;
}

static void fill_failure(struct pr_run_facts *a)
{
    const struct pr_failure *from = &a->from->run.failure;
    struct pr_failure *to = &a->to->run.failure;
    if (!to->exit.known && !to->signal.known) {
        to->exit = from->exit;
        to->signal = from->signal;
        to->core = from->core;
    }
    pr_run_facts_maybe(&to->oom_kills, from->oom_kills);
    pr_run_facts_maybe(&to->peak_bytes, from->peak_bytes);
    pr_run_facts_maybe(&to->limit_bytes, from->limit_bytes);
    pr_run_facts_maybe(&to->address_limit_bytes, from->address_limit_bytes);
    pr_run_facts_maybe(&to->host_oom_kills, from->host_oom_kills);
    to->told = to->told == PR_OOM_UNKNOWN ? from->told : to->told;
    if (!to->exception_count && from->exception_count) {
        copy_exceptions(a, from, to);
        to->traceback = pr_run_facts_string(a, from->traceback);
    }
    fill_string(a, &to->stderr_tail, from->stderr_tail);
}

static void fill_marks(struct pr_run_facts *a)
{
    const struct pr_run *from = &a->from->run;
    if (a->to->run.mark_count || !from->mark_count)
        return;
    struct pr_mark *marks = pr_arena_array(&a->to->arena, from->mark_count, sizeof *marks);
    a->no_memory |= !marks;
    if (!marks)
        return;
    for (uint32_t i = 0; i < from->mark_count; i++)
        marks[i] = (struct pr_mark){from->marks[i].at_ms, pr_run_facts_string(a, from->marks[i].name)};
    a->to->run.marks = marks;
    a->to->run.mark_count = from->mark_count;
}

void pr_run_facts_run(struct pr_run_facts *a)
{
    const struct pr_run *from = &a->from->run;
    struct pr_run *to = &a->to->run;
    fill_string(a, &to->name, from->name);
    fill_string(a, &to->flow, from->flow);
    fill_string(a, &to->run, from->run);
    fill_string(a, &to->step, from->step);
    fill_string(a, &to->task, from->task);
    fill_string(a, &to->attempt, from->attempt);
    fill_string(a, &to->host, from->host);
    fill_string(a, &to->commit, from->commit);
    fill_string(a, &to->recorder, from->recorder);
    fill_string(a, &to->notes, from->notes);
    to->cut_off |= from->cut_off;
    pr_run_facts_maybe(&to->wall_ns, from->wall_ns);
    pr_run_facts_maybe(&to->user_ns, from->user_ns);
    pr_run_facts_maybe(&to->system_ns, from->system_ns);
    pr_run_facts_maybe(&to->max_rss_bytes, from->max_rss_bytes);
    pr_run_facts_maybe(&to->major_faults, from->major_faults);
    pr_run_facts_maybe(&to->read_bytes, from->read_bytes);
    pr_run_facts_maybe(&to->written_bytes, from->written_bytes);
    pr_run_facts_maybe(&to->machine_cpus, from->machine_cpus);
    pr_run_facts_maybe(&to->cpu_limit_millicores, from->cpu_limit_millicores);
    pr_run_facts_maybe(&to->memory_limit_bytes, from->memory_limit_bytes);
    pr_run_facts_maybe(&to->gpu_memory_bytes, from->gpu_memory_bytes);
    fill_marks(a);
    fill_failure(a);
}
