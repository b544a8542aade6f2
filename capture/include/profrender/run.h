/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a run ended, and what it had: what a recorder, GNU time, a scheduler or the program's own last words say of it.
 *
 * Only what was recorded is here. Nothing known is not the same as nothing happened: exit and signal are marked as
 * known or not, an end for lack of memory is yes, likely, no or unknown. A good run has an exit of 0 and no exception.
 *
 * Stable: changes with the number of the shared library only.
 */
#ifndef PR_API_RUN_H
#define PR_API_RUN_H

#include "profrender/maybe.h"
#include "profrender/string_table.h"

PR_DECLS_BEGIN

/* How an exception came from the one before it in the list. */
enum pr_exception_link {
    PR_LINK_NONE,    /* the first one, or a member of a group */
    PR_LINK_CAUSE,   /* raised from the one before: "was the direct cause of" */
    PR_LINK_CONTEXT  /* raised while the one before was handled */
};

struct pr_trace_frame {
    pr_str function, file;
    int32_t line; /* 0 = unknown */
};

struct pr_exception {
    pr_str type;     /* "RuntimeError", "std::bad_alloc", "panic"; as written */
    pr_str message;  /* its first line; empty = none */
    enum pr_exception_link link;
    uint32_t depth;  /* 0, or how many exception groups it is in */
    uint32_t frame_count;
    const struct pr_trace_frame *frames; /* [frame_count] outermost first: the last one raised it */
};

/* Was the run ended because memory ran out? */
enum pr_oom {
    PR_OOM_UNKNOWN,
    PR_OOM_NO,
    PR_OOM_LIKELY, /* SIGKILL with memory near its limit, and no counter that would prove it */
    PR_OOM_YES     /* SIGKILL, and the kernel counted a kill for memory meanwhile */
};

struct pr_failure {
    struct pr_maybe exit;   /* code; not known when a signal ended it, or it was not recorded */
    struct pr_maybe signal; /* number; 0 = none did */
    bool core;              /* a core was written */
    enum pr_oom oom;
    struct pr_maybe oom_kills;   /* rise of the kernel's counter for its cgroup during the run */
    struct pr_maybe host_oom_kills; /* the same for the whole machine, which others use too */
    struct pr_maybe peak_bytes;  /* the highest memory that counts against the limit, or else of the processes */
    struct pr_maybe limit_bytes; /* of memory */
    struct pr_maybe address_limit_bytes; /* what each process may map (RLIMIT_AS, ulimit -v) */
    enum pr_oom told;            /* what the recorder concluded, which may have seen more; PR_OOM_UNKNOWN: nothing */
    uint32_t exception_count;
    const struct pr_exception *exceptions; /* in the order reported: causes first, members after their group */
    uint32_t final_exception;              /* the one that ended the run, if there is one */
    pr_str traceback;                      /* as written, without secrets; empty = none */
    pr_str stderr_tail;                    /* the last words, without secrets, if they hold no traceback */
};

/* A moment that the run itself named: the phase of that name begins there. See profrender/phases.h. */
struct pr_mark {
    int64_t at_ms; /* as times of series: since the epoch, or from the start */
    pr_str name;
};

enum { PR_MARKS_MAX = 500 }; /* of a run */

/* What is known of a run as a whole. Strings that are empty are unknown. */
struct pr_run {
    pr_str name, flow, run, step, task, attempt; /* as a scheduler calls it */
    pr_str host, commit, recorder; /* where it ran, the version of its code, what recorded it: "profrender 0.1.0" */
    struct pr_failure failure;
    bool cut_off; /* its recorder ended before it did */
    struct pr_maybe wall_ns, user_ns, system_ns;
    struct pr_maybe max_rss_bytes; /* of its largest process */
    struct pr_maybe major_faults, read_bytes, written_bytes;
    struct pr_maybe machine_cpus;               /* of the machine */
    struct pr_maybe cpu_limit_millicores;       /* of the cgroup */
    struct pr_maybe memory_limit_bytes;         /* of the cgroup */
    struct pr_maybe gpu_memory_bytes;           /* of each GPU; unknown where they differ */
    pr_str notes;                               /* Markdown, by people */
    uint32_t mark_count;                        /* at most PR_MARKS_MAX */
    const struct pr_mark *marks;                /* [mark_count] in the order of time */
};

/* Whether what is known of the end is a failure. */
static inline bool pr_failure_is_one(const struct pr_failure *failure)
{
    return (failure->exit.known && failure->exit.value != 0) ||
           (failure->signal.known && failure->signal.value != 0) || failure->exception_count;
}

/* Whether anything is known of the run as a whole. */
static inline bool pr_run_is_known(const struct pr_run *run)
{
    const struct pr_failure *failure = &run->failure;
    return failure->exit.known || failure->signal.known || failure->exception_count || run->cut_off ||
           run->wall_ns.known || run->machine_cpus.known || run->memory_limit_bytes.known || run->name || run->flow ||
           run->run || run->step || run->task;
}

/*
 * Draws the conclusions once all is known: whether memory ran out, and that nothing reported by a run that ended well
 * is a failure.
 */
void pr_failure_settle(struct pr_failure *failure);

/* Amounts below 0, which a file may claim but which are impossible, become unknown; exit codes and signals stay. */
void pr_run_drop_negative(struct pr_run *run);

/* "SIGKILL" for 9; "" for numbers without a name. */
PR_API const char *pr_signal_name(int64_t signal);

/* The signal that a shell's exit code means, which is 128 + n; 0 = none. */
PR_API int64_t pr_signal_of_exit(int64_t code);

PR_DECLS_END

#endif
