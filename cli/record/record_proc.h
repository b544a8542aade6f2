/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel says in /proc and in cgroup folders, as numbers. Everything here reads text in memory: no file is
 * opened, no memory is allocated, and malformed text gives false.
 */
#ifndef PR_CLI_RECORD_RECORD_PROC_H
#define PR_CLI_RECORD_RECORD_PROC_H

#include "profrender/string_table.h"

/* /proc/PID/stat. Times are in clock ticks. */
struct pr_proc_stat {
    char state;
    int32_t parent;
    uint64_t user_ticks, system_ticks;                   /* of the process itself */
    uint64_t children_user_ticks, children_system_ticks; /* of descendants that were waited for */
    uint32_t threads;
    uint64_t start_ticks; /* since boot: with the pid, the identity of a process */
    uint64_t resident_pages;
};

/* The name in the second field may hold blanks and ')': fields are counted from after the last one. */
bool pr_proc_parse_stat(struct pr_text text, struct pr_proc_stat *stat);

/* The number after KEY at the start of a line: "Pss:   123 kB", "read_bytes: 5", "oom_kill 1". */
bool pr_proc_find(struct pr_text text, const char *key, uint64_t *value);

/* schedstat of a thread: nanoseconds on a core, then ready to run without one. */
bool pr_proc_parse_schedstat(struct pr_text text, uint64_t *waited_ns);

/* The only number of a file such as memory.max; "max" is UINT64_MAX. */
bool pr_proc_parse_number(struct pr_text text, uint64_t *value);

/* /proc/PID/net/dev: bytes of all interfaces but the loopback. */
bool pr_proc_parse_net(struct pr_text text, uint64_t *received, uint64_t *sent);

/* A pressure file: microseconds for which at least one task waited. */
bool pr_proc_parse_pressure(struct pr_text text, uint64_t *some_us);

/* /proc/PID/task/TID/children: the next pid from *AT on, or 0. */
int32_t pr_proc_next_pid(struct pr_text text, size_t *at);

/* A line of /proc/PID/cgroup: "4:cpu,memory:/path". The parts are borrowed from the line. */
struct pr_proc_cgroup {
    struct pr_text controllers; /* empty in the line of version 2 */
    struct pr_text path;
};
bool pr_proc_parse_cgroup(struct pr_text line, struct pr_proc_cgroup *cgroup);

/* A line of /proc/PID/mountinfo. Names keep their escapes. */
struct pr_proc_mount {
    struct pr_text root; /* of the file system, as far as it is mounted */
    struct pr_text point;
    struct pr_text type;
    struct pr_text options; /* of the file system: for version 1, its controllers */
};
bool pr_proc_parse_mount(struct pr_text line, struct pr_proc_mount *mount);

/* Whether LIST, separated by commas, has WORD. */
bool pr_proc_lists(struct pr_text list, const char *word);

/* The next line from *AT on, without its end. False: no more. */
bool pr_proc_next_line(struct pr_text text, size_t *at, struct pr_text *line);

#endif
