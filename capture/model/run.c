/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from what is known of a run; names of signals by their Linux numbers, which the files of runs contain
 * wherever they are read.
 */
#include "capture/model/failure_text.h"

#include "capture/base/ascii.h"
#include "capture/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *pr_signal_name(int64_t signal)
{
    static const char *const names[] = {
        [1] = "SIGHUP",   [2] = "SIGINT",   [3] = "SIGQUIT",  [4] = "SIGILL",    [5] = "SIGTRAP", [6] = "SIGABRT",
        [7] = "SIGBUS",   [8] = "SIGFPE",   [9] = "SIGKILL",  [10] = "SIGUSR1",  [11] = "SIGSEGV", [12] = "SIGUSR2",
        [13] = "SIGPIPE", [14] = "SIGALRM", [15] = "SIGTERM", [24] = "SIGXCPU",  [25] = "SIGXFSZ", [31] = "SIGSYS",
    };
    const int64_t count = sizeof names / sizeof *names;
    return signal > 0 && signal < count && names[signal] ? names[signal] : "";
}

int64_t pr_signal_of_exit(int64_t code)
{
    enum { SHELL_OFFSET = 128, MAX_SIGNAL = 64 };
    return code > SHELL_OFFSET && code <= SHELL_OFFSET + MAX_SIGNAL ? code - SHELL_OFFSET : 0;
}

enum { SIGNAL_KILL = 9, NEAR_LIMIT_PERCENT = 90 };

/* Whether it, or a process whose end a shell reported, was ended by SIGKILL. */
static bool was_killed(const struct pr_failure *failure)
{
    return (failure->signal.known && failure->signal.value == SIGNAL_KILL) ||
           (failure->exit.known && pr_signal_of_exit(failure->exit.value) == SIGNAL_KILL);
}

static bool was_near_limit(const struct pr_failure *failure)
{
    return failure->peak_bytes.known && failure->limit_bytes.known && failure->limit_bytes.value > 0 &&
           failure->peak_bytes.value / NEAR_LIMIT_PERCENT >= failure->limit_bytes.value / 100;
}

static enum pr_oom judge(const struct pr_failure *failure)
{
    const bool ended_well = failure->exit.known && failure->exit.value == 0;
    const bool counted = failure->oom_kills.known && failure->oom_kills.value > 0;
    if (was_killed(failure) && !counted)
        return was_near_limit(failure) || failure->told == PR_OOM_LIKELY ? PR_OOM_LIKELY : PR_OOM_UNKNOWN;
    if (was_killed(failure))
        return PR_OOM_YES;
    if (counted && !ended_well)
        return PR_OOM_LIKELY; /* a process of the run, or one that shares its cgroup */
    return ended_well || failure->oom_kills.known ? PR_OOM_NO : PR_OOM_UNKNOWN;
}

void pr_failure_settle(struct pr_failure *failure)
{
    const bool ended_well = failure->exit.known && failure->exit.value == 0 &&
                            !(failure->signal.known && failure->signal.value != 0);
    failure->oom = judge(failure);
    if (!ended_well)
        return;
    failure->exception_count = failure->final_exception = 0;
    failure->traceback = failure->stderr_tail = 0;
}

/* Nothing took less than no time, nothing less than no bytes. */
static void drop_negative(struct pr_maybe *value)
{
    if (value->value < 0)
        *value = (struct pr_maybe){0};
}

void pr_run_drop_negative(struct pr_run *run)
{
    struct pr_maybe *const values[] = {
        &run->wall_ns,           &run->user_ns,
        &run->system_ns,         &run->max_rss_bytes,
        &run->major_faults,      &run->read_bytes,
        &run->written_bytes,     &run->machine_cpus,
        &run->memory_limit_bytes, &run->cpu_limit_millicores,
        &run->failure.oom_kills, &run->failure.host_oom_kills,
        &run->failure.peak_bytes, &run->failure.limit_bytes,
        &run->failure.address_limit_bytes, &run->gpu_memory_bytes,
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        drop_negative(values[i]);
}

struct pr_text pr_failure_said(const struct pr_profile *profile, const struct pr_failure *failure)
{
    const struct pr_text none = {"", 0}, text = pr_profile_text(profile, failure->traceback);
    if (!failure->exception_count || failure->final_exception + 1 != failure->exception_count)
        return none;
    /* The type follows the frames, at the start of a line; what other runtimes print begins with it. */
    const struct pr_text type = pr_profile_text(profile, failure->exceptions[failure->final_exception].type);
    for (uint32_t at = text.length; type.length && at-- > 1;) {
        if (text.bytes[at - 1] != '\n' || text.length - at < type.length ||
            memcmp(text.bytes + at, type.bytes, type.length))
            continue;
        const char *end = memchr(text.bytes + at, '\n', text.length - at);
        return end ? pr_text_from(text, (size_t)(end + 1 - text.bytes)) : none;
    }
    return none;
}

/* Takes the next line from TEXT. */
static struct pr_text take_line(struct pr_text *text)
{
    const char *end = text->length ? memchr(text->bytes, '\n', text->length) : NULL;
    const struct pr_text line = end ? pr_text_part(*text, 0, (size_t)(end - text->bytes)) : *text;
    *text = pr_text_from(*text, line.length + (size_t)(end != NULL));
    return line;
}

/* Without the bar that members of an exception group have in front. */
static struct pr_text without_margin(struct pr_text line)
{
    uint32_t spaces = 0;
    while (spaces < line.length && line.bytes[spaces] == ' ')
        spaces++;
    const bool has_bar = pr_text_starts(pr_text_from(line, spaces), "| ");
    return has_bar ? pr_text_from(line, spaces + sizeof "| " - 1) : line;
}

/* `File "/app/a.py", line 3, in f`: the file may be shown by a path other than the one that was written. */
static bool is_place_of(struct pr_text line, const struct pr_profile *profile, const struct pr_trace_frame *frame)
{
    const struct pr_text file = pr_text_file_name_anywhere(pr_profile_text(profile, frame->file));
    char number[32];
    snprintf(number, sizeof number, "\", line %" PRId32, frame->line);
    if (!file.length || !pr_text_starts(line, "File \""))
        return false;
    const char *at = memmem(line.bytes, line.length, number, strlen(number));
    if (!at || (size_t)(at - line.bytes) < file.length || memcmp(at - file.length, file.bytes, file.length))
        return false;
    const struct pr_text function = pr_profile_text(profile, frame->function);
    const struct pr_text rest = pr_text_from(line, (size_t)(at - line.bytes) + strlen(number));
    if (!function.length)
        return !rest.length || !pr_is_digit(*rest.bytes);
    const size_t before = pr_text_starts(rest, ", in ") ? 5 : pr_text_starts(rest, " in ") ? 4 : rest.length;
    return !pr_text_compare(pr_text_from(rest, before), function);
}

struct pr_text pr_failure_code(const struct pr_profile *profile, const struct pr_failure *failure,
                               const struct pr_trace_frame *frame)
{
    const struct pr_text none = {"", 0};
    struct pr_text text = pr_profile_text(profile, failure->traceback);
    while (text.length) {
        if (!is_place_of(pr_text_trim(without_margin(take_line(&text))), profile, frame))
            continue;
        const struct pr_text next = without_margin(take_line(&text));
        return pr_text_starts(next, "    ") ? pr_text_trim(next) : none;
    }
    return none;
}
