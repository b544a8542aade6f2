/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from what is known of a run; names of signals by their Linux numbers, which the files of runs contain
 * wherever they are read.
 */
#include "capture/model/failure_text.h"

#include "capture/base/text.h"

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
        &run->failure.address_limit_bytes,
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
