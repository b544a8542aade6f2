/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/hide_secrets.h"

#include "capture/base/text.h"
#include "capture/redact/redact.h"

#include <string.h>

/* The number of the string STRING without its secrets: mostly itself. PR_NO_STR: out of memory. */
static pr_str hide(struct pr_profile *profile, pr_str string)
{
    return string ? pr_redacted_line(&profile->strings, pr_profile_text(profile, string)) : string;
}

/* Whether NAME has "://"; memmem prepares a table for each search, and most names have no colon. */
static bool has_scheme(struct pr_text name)
{
    const char *end = name.bytes + name.length, *at = name.bytes;
    while ((at = memchr(at, ':', (size_t)(end - at)))) {
        if (end - at >= 3 && at[1] == '/' && at[2] == '/')
            return true;
        at++;
    }
    return false;
}

/* `process 12:"python x.py --token T"`, a frame of profilers of processes; https://user:X@host/page.js?token=T. */
static bool may_have_secret(struct pr_text name)
{
    return (pr_text_starts(name, "process ") && memchr(name.bytes, '"', name.length)) ||
           has_scheme(name);
}

static bool hide_in_frames(struct pr_profile *profile)
{
    struct pr_frame *frames = NULL; /* a copy, once one of them changes */
    pr_str good = 0; /* the file before, where it has none: frames of a file mostly follow one another */
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        struct pr_frame frame = profile->frames[i];
        if (may_have_secret(pr_profile_text(profile, frame.function)))
            frame.function = hide(profile, frame.function);
        if (frame.file != good && may_have_secret(pr_profile_text(profile, frame.file)))
            frame.file = hide(profile, frame.file);
        else
            good = frame.file;
        if (frame.function == PR_NO_STR || frame.file == PR_NO_STR)
            return false;
        if (frame.function == profile->frames[i].function && frame.file == profile->frames[i].file)
            continue;
        if (!frames) {
            frames = pr_arena_array(&profile->arena, profile->frame_count, sizeof *frames);
            if (!frames)
                return false;
            memcpy(frames, profile->frames, profile->frame_count * sizeof *frames);
            profile->frames = frames;
        }
        frames[i] = frame;
    }
    return true;
}

static bool hide_in_processes(struct pr_profile *profile)
{
    struct pr_process *processes = pr_arena_array(&profile->arena, profile->process_count, sizeof *processes);
    if (!processes)
        return false;
    for (uint32_t i = 0; i < profile->process_count; i++) {
        processes[i] = profile->processes[i];
        processes[i].name = hide(profile, processes[i].name);
        if (processes[i].name == PR_NO_STR)
            return false;
    }
    profile->processes = processes;
    return true;
}

static bool hide_in_threads(struct pr_profile *profile)
{
    struct pr_thread *threads = pr_arena_array(&profile->arena, profile->thread_count, sizeof *threads);
    if (!threads)
        return false;
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        threads[i] = profile->threads[i];
        threads[i].name = hide(profile, threads[i].name);
        if (threads[i].name == PR_NO_STR)
            return false;
    }
    profile->threads = threads;
    return true;
}

static bool hide_in_marks(struct pr_profile *profile)
{
    struct pr_mark *marks = pr_arena_array(&profile->arena, profile->run.mark_count, sizeof *marks);
    if (!marks)
        return false;
    for (uint32_t i = 0; i < profile->run.mark_count; i++) {
        marks[i] = profile->run.marks[i];
        marks[i].name = hide(profile, marks[i].name);
        if (marks[i].name == PR_NO_STR)
            return false;
    }
    profile->run.marks = marks;
    return true;
}

enum pr_status pr_hide_secrets(struct pr_profile *profile, struct pr_error *err)
{
    profile->meta.command_line = hide(profile, profile->meta.command_line);
    const bool done = profile->meta.command_line != PR_NO_STR && hide_in_frames(profile) &&
                      (!profile->process_count || hide_in_processes(profile)) &&
                      (!profile->thread_count || hide_in_threads(profile)) &&
                      (!profile->run.mark_count || hide_in_marks(profile));
    return done ? PR_OK : pr_fail_memory(err);
}
