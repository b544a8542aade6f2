/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics by mode, and the order of time rebuilt from the times of each thread. */
#include "capture/readers/austin_samples.h"

#include "capture/parse/frame_text.h"

#include "capture/base/checked.h"

#include <stdlib.h>

#define NOT_SEEN INT64_MIN

void pr_austin_metadata(struct pr_austin *austin, struct pr_text key, struct pr_text value)
{
    if (pr_text_is(key, "mode"))
        austin->mode = pr_build_string(&austin->c, value.bytes, value.length);
}

static bool is_mode(const struct pr_austin *austin, const char *mode)
{
    return pr_text_is(pr_profile_text(austin->c.profile, austin->mode), mode);
}

/* Where the last sample of THREAD ended; a new one begins with the samples of the others. */
static int64_t *cursor_of(struct pr_austin *austin, uint32_t thread, int64_t duration_ns)
{
    size_t known = austin->thread_capacity;
    if (!pr_grow(&austin->thread_ns, &austin->thread_capacity, thread + (size_t)1, sizeof *austin->thread_ns)) {
        pr_build_no_memory(&austin->c);
        return NULL;
    }
    for (; known < austin->thread_capacity; known++)
        austin->thread_ns[known] = NOT_SEEN;
    int64_t *cursor = &austin->thread_ns[thread];
    if (*cursor == NOT_SEEN)
        *cursor = austin->latest_ns > duration_ns ? austin->latest_ns - duration_ns : 0;
    return cursor;
}

static void add_time(struct pr_austin *austin, uint32_t fact, uint32_t thread, const struct pr_austin_sample *sample)
{
    struct pr_profile_builder *c = &austin->c;
    bool full = sample->has_memory, cpu = is_mode(austin, "cpu");
    int64_t us = sample->time_us, most = INT64_MAX / 1000;
    int64_t duration_ns = us < 0 ? 0 : us > most ? INT64_MAX : us * 1000;
    unsigned main = cpu ? pr_build_metric(c, "cpu", "CPU time", PR_UNIT_NANOSECONDS, "samples")
                        : pr_build_metric(c, "wall", "Wall time", PR_UNIT_NANOSECONDS, "samples");
    pr_build_damage(c, PR_DAMAGE_BOUNDED, us < 0);
    pr_build_add(c, fact, main, duration_ns, 1);
    if (full && !cpu) {
        unsigned busy = pr_build_metric(c, "cpu", "CPU time", PR_UNIT_NANOSECONDS, "samples");
        unsigned idle = pr_build_metric(c, "idle", "Idle", PR_UNIT_NANOSECONDS, "samples");
        pr_build_add(c, fact, sample->idle ? idle : busy, duration_ns, 1);
    }
    int64_t *cursor = cursor_of(austin, thread, duration_ns);
    if (!cursor)
        return;
    pr_build_slice(c, fact, *cursor, duration_ns);
    *cursor = pr_add_saturated(*cursor, duration_ns);
    if (*cursor > austin->latest_ns)
        austin->latest_ns = *cursor;
}

void pr_austin_add(struct pr_austin *austin, const struct pr_austin_sample *sample)
{
    struct pr_profile_builder *c = &austin->c;
    uint32_t thread = pr_build_thread(c, pr_build_process(c, sample->pid, 0), sample->tid);
    uint32_t fact = pr_build_fact(c, sample->leaf, thread);
    if (c->status != PR_OK)
        return;
    if (sample->has_time)
        add_time(austin, fact, thread, sample);
    if (sample->has_memory)
        pr_build_add(c, fact, pr_build_metric(c, "memory", "Memory", PR_UNIT_BYTES, "samples"), sample->memory_bytes,
                     1);
    austin->sample_count++;
}

pr_node_id pr_austin_child(struct pr_austin *austin, pr_node_id parent, pr_str function, pr_str file, int64_t line)
{
    struct pr_text name = pr_profile_text(austin->c.profile, function);
    bool mark = !file && name.length > 1 && name.bytes[0] == ':' && name.bytes[name.length - 1] == ':';
    struct pr_place place = {.function = function, .file = file, .line = line,
                             .kind = mark ? PR_FRAME_OTHER : PR_FRAME_PYTHON};
    return pr_build_child(&austin->c, parent, pr_build_frame(&austin->c, &place));
}

void pr_austin_clear(struct pr_austin *austin)
{
    free(austin->thread_ns);
}
