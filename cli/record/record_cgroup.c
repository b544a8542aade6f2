/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source: cgroups(7), Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of Linux 6.1. Both versions can
 * exist at once, each with some of the controllers.
 */
#include "cli/record/record_cgroup.h"

#include "capture/base/text.h"
#include "cli/record/record_proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A version 1 group without a limit has the greatest multiple of a page that 63 bits hold: anything near means none. */
#define NO_LIMIT_FROM (UINT64_C(1) << 62)

static const char *const pressure_names[3] = {"cpu.pressure", "memory.pressure", "io.pressure"};
static const char *const host_pressure[3] = {"/proc/pressure/cpu", "/proc/pressure/memory", "/proc/pressure/io"};

/* ---- values ----------------------------------------------------------------------------------------------------- */

static uint64_t number_in(struct pr_cgroup *cgroup, int folder_fd, const char *name)
{
    uint64_t value;
    const struct pr_text text = pr_file_read(folder_fd, name, &cgroup->text);
    return text.bytes && pr_proc_parse_number(text, &value) ? value : PR_CGROUP_UNKNOWN;
}

static uint64_t number_after(struct pr_cgroup *cgroup, int folder_fd, const char *name, const char *key)
{
    uint64_t value;
    const struct pr_text text = pr_file_read(folder_fd, name, &cgroup->text);
    return text.bytes && pr_proc_find(text, key, &value) ? value : PR_CGROUP_UNKNOWN;
}

static void read_memory(struct pr_cgroup *cgroup, struct pr_cgroup_counters *counters)
{
    const int fd = cgroup->memory_fd;
    const bool v1 = cgroup->memory_is_v1;
    const uint64_t all = number_in(cgroup, fd, v1 ? "memory.usage_in_bytes" : "memory.current");
    const uint64_t idle = number_after(cgroup, fd, "memory.stat", v1 ? "total_inactive_file" : "inactive_file");
    counters->memory_bytes = all != PR_CGROUP_UNKNOWN && idle != PR_CGROUP_UNKNOWN ? all - (idle < all ? idle : all)
                                                                                   : all;
    counters->peak_bytes = number_in(cgroup, fd, v1 ? "memory.max_usage_in_bytes" : "memory.peak");
    counters->oom_kills = number_after(cgroup, fd, v1 ? "memory.oom_control" : "memory.events", "oom_kill");
}

static void read_cpu(struct pr_cgroup *cgroup, struct pr_cgroup_counters *counters)
{
    const uint64_t value =
        number_after(cgroup, cgroup->cpu_fd, "cpu.stat", cgroup->cpu_is_v1 ? "throttled_time" : "throttled_usec");
    counters->throttled_us = cgroup->cpu_is_v1 && value != PR_CGROUP_UNKNOWN ? value / 1000 : value;
}

void pr_cgroup_read(struct pr_cgroup *cgroup, struct pr_cgroup_counters *counters)
{
    *counters = (struct pr_cgroup_counters){PR_CGROUP_UNKNOWN, PR_CGROUP_UNKNOWN, PR_CGROUP_UNKNOWN, PR_CGROUP_UNKNOWN,
                                            {PR_CGROUP_UNKNOWN, PR_CGROUP_UNKNOWN, PR_CGROUP_UNKNOWN}};
    if (cgroup->memory_fd >= 0)
        read_memory(cgroup, counters);
    if (cgroup->cpu_fd >= 0)
        read_cpu(cgroup, counters);
    for (size_t i = 0; i < 3; i++) {
        if (!cgroup->pressure[i][0])
            continue;
        const struct pr_text text = pr_file_read(AT_FDCWD, cgroup->pressure[i], &cgroup->text);
        if (!text.bytes || !pr_proc_parse_pressure(text, &counters->pressure_us[i]))
            counters->pressure_us[i] = PR_CGROUP_UNKNOWN;
    }
}

/* ---- limits ----------------------------------------------------------------------------------------------------- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t memory_limit_of(struct pr_cgroup *cgroup, int folder_fd)
{
    const char *name = cgroup->memory_is_v1 ? "memory.limit_in_bytes" : "memory.max";
    const uint64_t limit = number_in(cgroup, folder_fd, name);
    return limit >= NO_LIMIT_FROM ? PR_CGROUP_UNKNOWN : limit;
}

/* "cpu.max" has quota and period, "max" for no quota; version 1 has a file for each, -1 for no quota. */
static uint64_t cpu_limit_of(struct pr_cgroup *cgroup, int folder_fd)
{
    uint64_t quota = PR_CGROUP_UNKNOWN, period = PR_CGROUP_UNKNOWN;
    if (cgroup->cpu_is_v1) {
        quota = number_in(cgroup, folder_fd, "cpu.cfs_quota_us");
        period = number_in(cgroup, folder_fd, "cpu.cfs_period_us");
    } else {
        const struct pr_text text = pr_file_read(folder_fd, "cpu.max", &cgroup->text);
        const char *blank = text.bytes ? memchr(text.bytes, ' ', text.length) : NULL;
        if (blank && pr_proc_parse_number(text, &quota)) {
            const size_t at = (size_t)(blank - text.bytes);
            pr_proc_parse_number((struct pr_text){blank, (uint32_t)(text.length - at)}, &period);
        }
    }
    if (quota > UINT64_MAX / 1000 || !period || period == PR_CGROUP_UNKNOWN)
        return PR_CGROUP_UNKNOWN;
    return quota * 1000 / period;
}

/* Asks the folder FD and those above it up to the mount point, which is LEVELS above. */
static uint64_t tightest(struct pr_cgroup *cgroup, int fd, unsigned levels,
                         uint64_t (*limit_of)(struct pr_cgroup *cgroup, int folder_fd))
{
    uint64_t limit = limit_of(cgroup, fd);
    int at = -1;
    for (unsigned i = 0; i < levels; i++) {
        const int above = openat(at < 0 ? fd : at, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (at >= 0)
            close(at);
        at = above;
        if (at < 0)
            return limit;
        limit = least(limit, limit_of(cgroup, at));
    }
    if (at >= 0)
        close(at);
    return limit;
}

/* ---- finding ---------------------------------------------------------------------------------------------------- */

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool has_file(int folder_fd, const char *name)
{
    return faccessat(folder_fd, name, F_OK, 0) == 0;
}

static unsigned count_levels(const char *path)
{
    unsigned levels = 0;
    for (const char *at = path; *at; at++)
        levels += *at == '/' && at[1] != '/' && at[1];
    return levels;
}

/* A folder of a controller: kept if it has what is needed. LEVELS: how many are above it. */
static void take_folder(struct pr_cgroup *cgroup, const char *folder, bool is_v1, unsigned levels)
{
    const int fd = open_folder(folder);
    if (fd < 0)
        return;
    if (cgroup->memory_fd < 0 && has_file(fd, is_v1 ? "memory.usage_in_bytes" : "memory.current")) {
        cgroup->memory_is_v1 = is_v1;
        cgroup->memory_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        cgroup->memory_limit_bytes = tightest(cgroup, fd, levels, memory_limit_of);
    }
    if (cgroup->cpu_fd < 0 && has_file(fd, "cpu.stat") && has_file(fd, is_v1 ? "cpu.cfs_quota_us" : "cgroup.events")) {
        cgroup->cpu_is_v1 = is_v1;
        cgroup->cpu_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        cgroup->cpu_limit_millis = tightest(cgroup, fd, levels, cpu_limit_of);
    }
    for (size_t i = 0; i < 3; i++) {
        char *path = cgroup->pressure[i];
        if (!*path && has_file(fd, pressure_names[i]) &&
            snprintf(path, PATH_MAX, "%s/%s", folder, pressure_names[i]) >= PATH_MAX)
            *path = '\0';
    }
    close(fd);
}

/* Blanks and backslashes in names of mounts are written as \040 and the like. */
static bool unescape(struct pr_text name, char path[PATH_MAX])
{
    size_t used = 0;
    for (size_t at = 0; at < name.length; at++) {
        if (used + 1 >= PATH_MAX)
            return false;
        const char *digits = name.bytes + at + 1;
        if (name.bytes[at] == '\\' && name.length - at > 3) {
            path[used++] = (char)((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
            at += 3;
        } else {
            path[used++] = name.bytes[at];
        }
    }
    path[used] = '\0';
    return true;
}

/* Where the group PATH is below a mount; a path that is not below the mounted part is the mounted part itself. */
static void take_mount(struct pr_cgroup *cgroup, const struct pr_proc_mount *mount, struct pr_text path, bool is_v1)
{
    char point[PATH_MAX], root[PATH_MAX], folder[PATH_MAX];
    if (!unescape(mount->point, point) || !unescape(mount->root, root))
        return;
    const size_t shown = strcmp(root, "/") == 0 ? 0 : strlen(root);
    const bool is_outside = path.length >= 3 && memcmp(path.bytes, "/..", 3) == 0; /* of our namespace */
    const bool is_below = !is_outside && path.length >= shown && memcmp(path.bytes, root, shown) == 0 &&
                          (path.length == shown || path.bytes[shown] == '/');
    const int rest = is_below ? (int)(path.length - shown) : 0;
    if (snprintf(folder, sizeof folder, "%s%.*s", point, rest, path.bytes + (is_below ? shown : 0)) < PATH_MAX)
        take_folder(cgroup, folder, is_v1, count_levels(folder + strlen(point)));
}

/* The group of NAMES that lives on a mount: version 2 has one mount, version 1 one for each set of controllers. */
static void take_line(struct pr_cgroup *cgroup, struct pr_text names, struct pr_text line)
{
    struct pr_proc_mount mount;
    struct pr_proc_cgroup group;
    if (!pr_proc_parse_mount(line, &mount))
        return;
    const bool is_v1 = pr_text_is(mount.type, "cgroup");
    if (!is_v1 && !pr_text_is(mount.type, "cgroup2"))
        return;
    for (size_t at = 0; pr_proc_next_line(names, &at, &line);) {
        if (!pr_proc_parse_cgroup(line, &group) || is_v1 != (group.controllers.length > 0))
            continue;
        if (!is_v1 || (pr_proc_lists(group.controllers, "memory") && pr_proc_lists(mount.options, "memory")) ||
            (pr_proc_lists(group.controllers, "cpu") && pr_proc_lists(mount.options, "cpu")))
            take_mount(cgroup, &mount, group.path, is_v1);
    }
}

static uint32_t hash_of(struct pr_text text)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < text.length; i++)
        hash = (hash ^ (unsigned char)text.bytes[i]) * 16777619u;
    return hash;
}

static void begin(struct pr_cgroup *cgroup)
{
    cgroup->memory_fd = cgroup->cpu_fd = -1;
    cgroup->memory_limit_bytes = cgroup->cpu_limit_millis = PR_CGROUP_UNKNOWN;
    cgroup->names_hash = 0;
    for (size_t i = 0; i < 3; i++) {
        cgroup->pressure[i][0] = '\0';
        cgroup->is_of_host[i] = false;
    }
}

static struct pr_text read_names(struct pr_cgroup *cgroup, int32_t pid)
{
    return pid ? pr_file_read_proc(pid, "cgroup", &cgroup->text)
               : pr_file_read(AT_FDCWD, "/proc/self/cgroup", &cgroup->text);
}

void pr_cgroup_find(struct pr_cgroup *cgroup, int32_t pid)
{
    struct pr_file_text copy; /* what is found on the way is read into the group's own text */
    char *line = NULL;
    size_t room = 0;
    begin(cgroup);
    struct pr_text names = read_names(cgroup, pid);
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    if (names.bytes) {
        cgroup->names_hash = hash_of(names);
        names.bytes = memcpy(copy.bytes, names.bytes, names.length);
    }
    for (ssize_t length; mounts && (length = getline(&line, &room, mounts)) > 0;)
        take_line(cgroup, names, (struct pr_text){line, (uint32_t)length});
    free(line);
    if (mounts)
        fclose(mounts);
    for (size_t i = 0; i < 3; i++) {
        cgroup->is_of_host[i] = !cgroup->pressure[i][0];
        if (cgroup->is_of_host[i])
            snprintf(cgroup->pressure[i], PATH_MAX, "%s", host_pressure[i]);
    }
}

bool pr_cgroup_has_moved(struct pr_cgroup *cgroup, int32_t pid)
{
    const struct pr_text names = read_names(cgroup, pid);
    return names.bytes && names.length && hash_of(names) != cgroup->names_hash;
}

void pr_cgroup_open(struct pr_cgroup *cgroup, const char *folder)
{
    begin(cgroup);
    take_folder(cgroup, folder, false, 0);
    take_folder(cgroup, folder, true, 0);
}

void pr_cgroup_close(struct pr_cgroup *cgroup)
{
    if (cgroup->memory_fd >= 0)
        close(cgroup->memory_fd);
    if (cgroup->cpu_fd >= 0)
        close(cgroup->cpu_fd);
    begin(cgroup);
}
