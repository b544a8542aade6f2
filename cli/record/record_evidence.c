/* SPDX-License-Identifier: Apache-2.0 */
/* Source: core(5); memory.events in cgroup-v2.rst, memory.oom_control in cgroup-v1/memory.rst of Linux 6.1. */
#include "cli/record/record_evidence.h"

#include "capture/base/text.h"
#include "cli/record/record_proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { SHELL_SAYS_KILLED = 128 + SIGKILL, NEAR_LIMIT_PERCENT = 90 };

uint64_t pr_evidence_host_oom_kills(void)
{
    struct pr_file_text buffer;
    uint64_t count;
    const struct pr_text text = pr_file_read(AT_FDCWD, "/proc/vmstat", &buffer);
    return text.bytes && pr_proc_find(text, "oom_kill", &count) ? count : PR_CGROUP_UNKNOWN;
}

static uint64_t rise(uint64_t before, uint64_t now)
{
    if (before == PR_CGROUP_UNKNOWN || now == PR_CGROUP_UNKNOWN)
        return PR_CGROUP_UNKNOWN;
    return now > before ? now - before : 0;
}

static bool has_risen(uint64_t by)
{
    return by != PR_CGROUP_UNKNOWN && by > 0;
}

/*
 * A group's own peak counts only if this run raised it; it may be that of an earlier process. Resident memory has pages
 * that are charged to others too, such as those of the libraries: what is beyond the limit of the group is such.
 */
static uint64_t peak_of(const struct pr_child *child, const struct pr_sampler *sampler)
{
    const uint64_t before = sampler->first.cgroup.peak_bytes, now = sampler->last.cgroup.peak_bytes;
    const uint64_t largest_process = (uint64_t)child->usage.ru_maxrss * 1024;
    const uint64_t limit = sampler->cgroup.memory_limit_bytes; /* PR_CGROUP_UNKNOWN is above all */
    uint64_t peak = sampler->peak_resident_bytes;
    if (has_risen(rise(before, now)))
        return now;
    if (peak < largest_process)
        peak = largest_process;
    return peak < limit ? peak : limit;
}

static bool was_killed(const struct pr_child *child)
{
    return pr_child_exit_status(child) == SHELL_SAYS_KILLED;
}

/* Version 1 counts in the group of the process alone: one in a group below is not seen. */
static bool counter_sees_all(const struct pr_sampler *sampler, uint64_t cgroup_oom_kills)
{
    return cgroup_oom_kills != PR_CGROUP_UNKNOWN && !sampler->cgroup.memory_is_v1;
}

struct pr_evidence pr_evidence_weigh(const struct pr_child *child, const struct pr_sampler *sampler,
                                     uint64_t host_before)
{
    struct pr_evidence evidence = {
        .cgroup_oom_kills = rise(sampler->first.cgroup.oom_kills, sampler->last.cgroup.oom_kills),
        .host_oom_kills = rise(host_before, pr_evidence_host_oom_kills()),
        .peak_bytes = peak_of(child, sampler),
        .limit_bytes = sampler->cgroup.memory_limit_bytes};
    const bool near_limit = evidence.limit_bytes != PR_CGROUP_UNKNOWN &&
                            evidence.peak_bytes >= evidence.limit_bytes / 100 * NEAR_LIMIT_PERCENT;
    const bool host_killed = has_risen(evidence.host_oom_kills);
    if (has_risen(evidence.cgroup_oom_kills))
        evidence.verdict = PR_VERDICT_OOM;
    else if (!was_killed(child))
        evidence.verdict = PR_VERDICT_NONE;
    else if (near_limit || (host_killed && !counter_sees_all(sampler, evidence.cgroup_oom_kills)))
        evidence.verdict = PR_VERDICT_LIKELY;
    else
        evidence.verdict = PR_VERDICT_UNKNOWN;
    return evidence;
}

const char *pr_evidence_word(enum pr_evidence_verdict verdict)
{
    static const char *const words[] = {NULL, "oom", "likely", "unknown"};
    return words[verdict];
}

/* ---- core ------------------------------------------------------------------------------------------------------- */

/* What a specifier of the pattern stands for; NULL: nothing that can be known from here. */
static const char *meaning(char specifier, int32_t pid, const char *command, int signal_number, char text[32])
{
    switch (specifier) {
    case '%':
        return "%";
    case 'p':
    case 'P':
    case 'i':
    case 'I':
        snprintf(text, 32, "%d", (int)pid);
        return text;
    case 's':
        snprintf(text, 32, "%d", signal_number);
        return text;
    case 'e':
        snprintf(text, 32, "%.15s", pr_path_last_part(command)); /* as long as the kernel's own name for it */
        return text;
    default:
        return NULL;
    }
}

void pr_evidence_core(int32_t pid, const char *command, int signal_number, char where[PATH_MAX])
{
    struct pr_file_text buffer;
    size_t used = 0;
    bool has_pid = false;
    uint64_t uses_pid = 0;
    const struct pr_text pattern = pr_file_read(AT_FDCWD, "/proc/sys/kernel/core_pattern", &buffer);
    where[0] = '\0';
    for (size_t at = 0; pattern.bytes && at < pattern.length && pattern.bytes[at] != '\n'; at++) {
        char text[32] = {pattern.bytes[at], '\0'};
        const char *part = text;
        if (*pattern.bytes != '|' && pattern.bytes[at] == '%') {
            const char specifier = pattern.bytes[++at]; /* at the end: the NUL after the text */
            part = meaning(specifier, pid, command, signal_number, text);
            has_pid = has_pid || specifier == 'p' || specifier == 'P';
        }
        const int count = part ? snprintf(where + used, PATH_MAX - used, "%s", part) : -1;
        if (count < 0 || (size_t)count >= PATH_MAX - used) {
            where[0] = '\0';
            return;
        }
        used += (size_t)count;
    }
    const struct pr_text text = pr_file_read(AT_FDCWD, "/proc/sys/kernel/core_uses_pid", &buffer);
    if (used && where[0] != '|' && !has_pid && text.bytes && pr_proc_parse_number(text, &uses_pid) && uses_pid)
        snprintf(where + used, PATH_MAX - used, ".%d", (int)pid);
}
