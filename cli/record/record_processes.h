/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of a command: the one that was started and every descendant, also those whose parent has gone. The
 * recorder adopts such orphans (PR_SET_CHILD_SUBREAPER), so all roots of the tree are its own children.
 *
 * A process is known by pid and start time, and stays in the tree until it is gone, whatever lists miss it meanwhile.
 * What one used before it was gone is not lost: its parent's counters take it over when they wait for it, and those of
 * the recorder's own children are handed over with pr_processes_gone().
 */
#ifndef PR_CLI_RECORD_RECORD_PROCESSES_H
#define PR_CLI_RECORD_RECORD_PROCESSES_H

#include "cli/record/record_file.h"

enum { PR_PROCESSES_MAX = 8192, PR_PROCESSES_MAX_OTHERS = 64 };

struct pr_live_process {
    int32_t pid;
    bool is_zombie;
    bool has_io;
    uint32_t threads;
    uint64_t start_ticks;
    uint64_t own_ticks, children_ticks;
    uint64_t resident_pages;
    uint64_t read_bytes, written_bytes; /* with those of descendants that were waited for */
    uint64_t waited_ns;                 /* for a core, all threads that are alive, at the last look */
};

/* Of the whole tree. Totals rise from call to call; what cannot be known has its `has_` false. */
struct pr_processes_totals {
    uint32_t processes, threads;
    uint32_t left_out; /* processes over PR_PROCESSES_MAX */
    uint64_t resident_bytes;
    uint64_t cpu_us;
    bool has_waited;    /* the kernel counts it */
    uint64_t waited_us; /* for a core, at least: threads that came and went between two looks are not in it */
    bool has_io;
    uint64_t read_bytes, written_bytes;
    bool has_pss; /* only where it was asked for */
    uint64_t pss_bytes, swap_bytes;
    bool has_kinds; /* likewise; the three add up to what is resident, but for what changed meanwhile */
    uint64_t anonymous_bytes, file_bytes, shared_bytes;
};

struct pr_processes {
    struct pr_live_process *processes; /* [count], room for PR_PROCESSES_MAX */
    uint16_t *slots;                   /* from pid to number + 1 */
    uint32_t count;
    uint32_t left_out;
    int32_t others[PR_PROCESSES_MAX_OTHERS]; /* children of the recorder that are not of the command */
    uint32_t other_count;
    bool has_lists; /* the kernel lists the children of a process */
    uint64_t page_bytes, us_per_tick;
    uint64_t cpu_us, read_bytes, written_bytes;         /* totals so far */
    uint64_t waited_ns;
    bool has_waited;
    uint32_t threads_left; /* that may be looked at in this sample */
    uint64_t gone_us, gone_read_bytes, gone_written_bytes; /* of children that were waited for since the last call */
    struct pr_file_text text;
    struct pr_file_text list;
};

/* False: out of memory. */
bool pr_processes_init(struct pr_processes *tree);
void pr_processes_clear(struct pr_processes *tree);

/* PID is a child of the recorder that does not count: a profiler, a helper. */
void pr_processes_leave_out(struct pr_processes *tree, int32_t pid);

/*
 * All children that the recorder has now do not count, except for COMMAND: a shell that becomes the recorder (exec, or
 * sh -c 'server & profrender record ...') leaves it those that it started.
 */
void pr_processes_leave_out_others(struct pr_processes *tree, int32_t command);

/* Looks at every process. THOROUGHLY: also at every thread, for its children, and at shared pages; that takes time. */
void pr_processes_take(struct pr_processes *tree, bool thoroughly, struct pr_processes_totals *totals);

/*
 * PID, a child of the recorder, has ended and can still be looked at: keeps what it and those it waited for read and
 * wrote. Call it before the pid is waited for; CPU_US is what the wait says then, with pr_processes_gone().
 */
void pr_processes_going(struct pr_processes *tree, int32_t pid);
void pr_processes_gone(struct pr_processes *tree, uint64_t cpu_us);

#endif
