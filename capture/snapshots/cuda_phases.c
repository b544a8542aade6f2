/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations of a program as phases. A phase lasts until the next one begins, so what comes after the end of an
 * annotation is a phase too, unless the next annotation begins in the same millisecond.
 *
 * Source: c10/cuda/CUDACachingAllocator.cpp (recordAnnotation), torch/csrc/cuda/memory_snapshot.cpp (AnnotationEntry).
 */
#include "capture/snapshots/cuda_snapshot.h"

enum { US_PER_MS = 1000 };

static pr_str outside(struct pr_cuda_snapshot *s)
{
    static const char name[] = "(between annotations)";
    const pr_str string = pr_strings_add(&s->stacks.profile->strings, name, sizeof name - 1);
    s->no_memory = s->no_memory || string == PR_NO_STR;
    return string == PR_NO_STR ? 0 : string;
}

static void close_last(struct pr_cuda_snapshot *s, int64_t next_ms)
{
    struct pr_cuda_phases *phases = &s->phases;
    if (phases->marks.count && next_ms > phases->end_ms)
        pr_mark_list_add(&phases->marks, phases->end_ms, outside(s));
}

void pr_cuda_annotate(struct pr_cuda_snapshot *s, const struct pr_cuda_annotation *annotation)
{
    struct pr_cuda_phases *phases = &s->phases;
    const int64_t at_ms = annotation->time_us / US_PER_MS;
    if (!phases->has_device) {
        phases->device = annotation->device;
        phases->has_device = true;
    }
    if (annotation->device != phases->device)
        return;
    phases->no_time |= annotation->time_us <= 0;
    if (annotation->starts && phases->depth++ == 0) {
        close_last(s, at_ms);
        pr_mark_list_add(&phases->marks, at_ms, annotation->name);
    } else if (annotation->ends && phases->depth && --phases->depth == 0) {
        phases->end_ms = at_ms;
    }
}

enum pr_status pr_cuda_phases_finish(struct pr_cuda_snapshot *s, struct pr_profile *profile, struct pr_error *err)
{
    struct pr_cuda_phases *phases = &s->phases;
    if (phases->no_time || !phases->marks.count)
        return PR_OK;
    if (!phases->depth && profile->meta.end_ms.known)
        close_last(s, profile->meta.end_ms.value);
    return pr_mark_list_finish(&phases->marks, profile, err);
}
