/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles side by side: the same functions and the same paths, with a column of values for each profile.
 *
 *     struct pr_diff *diff;
 *     pr_diff_new(&diff, &err);
 *     pr_diff_add(diff, after, &err);           // the first one: files and lines are called as there
 *     pr_diff_add(diff, before, &err);          // none of them is needed afterwards
 *     pr_diff_finish(diff, &err);
 *     pr_diff_table(diff, 0, PR_DIFF_OWN, PR_DIFF_VALUES, &table, &err);
 *     pr_diff_free(diff);
 *
 * A function is the same if its name and its file are (capture/compose/file_identity.h); lines move and do not count,
 * nor do addresses of objects in a name (`<... object at 0x7f12>`). Where a file has several functions of one name, the
 * order and distances of their first lines decide (capture/compose/same_functions.h). Comprehensions and lambdas in a
 * known function are qualified with it (`load.<locals>.<listcomp>`). Threads and allocators are added up. The result is
 * a profile with a metric for each column, accepted by everything that takes a profile.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_DIFF_H
#define PR_API_DIFF_H

#include "profrender/phases.h"
#include "profrender/profile.h"
#include "profrender/pymalloc.h"

PR_DECLS_BEGIN

/* What is known of one of the runs. Strings are those of the difference's profile; empty ones are unknown. */
struct pr_diff_run {
    pr_str command_line, flow, run, step;
    pr_str host, commit, recorder;          /* as in pr_run */
    int python_version;                     /* as in pr_meta; 0 = unknown */
    struct pr_maybe start_ms;               /* since the epoch */
    struct pr_maybe wall_ns, cpu_ns;        /* as the recorder measured them; CPU time: also of its samples */
    struct pr_maybe peak_rss_bytes;         /* the highest sample, or more for its largest process */
    struct pr_maybe memory_limit_bytes, machine_cpus;
    struct pr_maybe exit, signal;           /* as in pr_failure */
    pr_str exception;                       /* type of the one that ended it */
    struct pr_phases phases;                /* owned by the difference */
    bool failed, complete;
};

/* A phase of two runs; NULL: one of them has none of that name, or fewer of it. */
struct pr_diff_phase {
    const struct pr_phase *before, *after;
};

struct pr_diff_phases {
    struct pr_diff_phase *at; /* [count] in the order of the run after, then those that only the run before has */
    size_t count;
};

/* Arenas of pymalloc in a column of a difference. */
struct pr_diff_arenas {
    const int64_t *bytes;     /* [fact_count] the part of each value; NULL: no arenas */
    struct pr_pymalloc total;
};

struct pr_diff {
    uint32_t count;        /* profiles, in the order in which they were added */
    uint32_t metric_count; /* metrics of the first one that all of them have */
    bool may_lack_metrics; /* set before pr_diff_finish: runs without stacks are compared too */
    /*
     * The sum of all paths. Metric M of profile K is metrics[M * count + K]: that of the first profile keeps its name,
     * the others have " before" appended. Of two runs it has the curves of both that can be compared, from the start of
     * the first profile: "rss after", "rss before". NULL until pr_diff_finish.
     */
    struct pr_profile *profile;
    const struct pr_diff_run *runs; /* [count] NULL until pr_diff_finish */
    const struct pr_diff_arenas *arenas; /* of each metric of that profile; its values include them */
    struct pr_diff_parts *parts; /* what it is made of */
};

/* Errors of all: PR_FAILED, out of memory, unless stated otherwise. */
PR_API enum pr_status pr_diff_new(struct pr_diff **diff, struct pr_error *err);

/* After an error the difference can only be freed. */
PR_API enum pr_status pr_diff_add(struct pr_diff *diff, const struct pr_profile *profile, struct pr_error *err);

/* Errors: PR_ERR_ABSENT: no metric that all of them have, unless the difference may lack metrics. */
PR_API enum pr_status pr_diff_finish(struct pr_diff *diff, struct pr_error *err);
PR_API void pr_diff_free(struct pr_diff *diff);

/* Index of the metric called NAME in the first profile, among those that all have, or -1. */
PR_API int pr_diff_metric(const struct pr_diff *diff, const char *name);

/*
 * The phases of two runs of a difference side by side, by name: where one comes several times, the first with the
 * first, and so on. Owner: pr_diff_phases_clear, also after an error; the phases are the runs'.
 */
PR_API enum pr_status pr_diff_phases(const struct pr_diff_run *before, const struct pr_diff_run *after,
                                     struct pr_diff_phases *phases, struct pr_error *err);
PR_API void pr_diff_phases_clear(struct pr_diff_phases *phases);

/* A figure of two runs. */
struct pr_diff_figure {
    struct pr_metric metric; /* name, title and unit: "duration" (else "span"), "cpu_time", "rss" */
    int64_t before, after;
};

enum { PR_DIFF_FIGURES = 3 };

/*
 * What is known of both runs of the difference MADE besides its metrics: how long they took, as their recorder measured
 * it, else from their first to their last record; CPU time; the highest RSS. Returns how many.
 */
PR_API size_t pr_diff_figures(const struct pr_profile *made, const struct pr_diff_run *before,
                              const struct pr_diff_run *after, struct pr_diff_figure figures[PR_DIFF_FIGURES]);

/* What a value is attributed to. */
enum pr_diff_by {
    PR_DIFF_SELF,  /* the function that ran */
    PR_DIFF_OWN,   /* the nearest function of your own code above it, or else that function; never a comprehension */
    PR_DIFF_TOTAL, /* every function on the path */
    PR_DIFF_PATH   /* the whole path */
};

/* Which part of a metric is counted. */
enum pr_diff_of {
    PR_DIFF_VALUES, /* all of it */
    PR_DIFF_APART,  /* all but the arenas of pymalloc: what functions asked for themselves */
    PR_DIFF_ARENAS, /* these arenas: where they happened to fall */
    PR_DIFF_COUNTS  /* its count */
};

struct pr_diff_row {
    pr_str function, file; /* of the difference's profile; both empty: outside any stack */
    uint32_t code;         /* 1 + the first frame of the function in that profile; 0: outside any stack */
    pr_str shown;          /* what people call the function, as in pr_profile */
    int32_t line;          /* the one with most, in the first profile that has the function; 0 = unknown */
    pr_node_id node;       /* PR_DIFF_PATH: the end of the path */
    const int64_t *value;  /* [diff->count] by profile; borrowed from the table */
};

struct pr_diff_table {
    struct pr_diff_row *row; /* [count] by function and file; paths of one function in the order of the tree */
    size_t count;
    int64_t *values;
};

/* A row for each function or path that has a value in any of them. Owner: pr_diff_table_clear. */
PR_API enum pr_status pr_diff_table(const struct pr_diff *diff, unsigned metric, enum pr_diff_by by, enum pr_diff_of of,
                                    struct pr_diff_table *table, struct pr_error *err);
PR_API void pr_diff_table_clear(struct pr_diff_table *table);

/*
 * Gives the rows of TABLE, which is by PR_DIFF_OWN, the line that grew most from profile number BEFORE to the first
 * one, without arenas. Lines are the same if they follow each other at the same distances; else those with like amounts
 * are, in the same order. Where none grew, or a function has thousands of lines, the row keeps the one that has most.
 */
PR_API enum pr_status pr_diff_grown_lines(const struct pr_diff *diff, unsigned metric, uint32_t before,
                                          struct pr_diff_table *table, struct pr_error *err);

/* How much of a row's change moved: it came from other functions HERE, or went AWAY to others. */
struct pr_diff_move {
    int64_t here, away; /* both 0 or more */
};

/*
 * What moved between the functions of TABLE, which is by PR_DIFF_OWN, from profile number BEFORE to the first one: the
 * parts of changes that an ancestor, or the function with all it called, does not have. Such an ancestor changed by
 * at most a tenth of it, so as much left another place below it: a function was split, renamed or inlined, or a call
 * moved. A function that one file lost and one other got, with about as much, moved too. MOVED is [table->count].
 */
PR_API enum pr_status pr_diff_moved(const struct pr_diff *diff, unsigned metric, uint32_t before, enum pr_diff_of of,
                                    const struct pr_diff_table *table, struct pr_diff_move *moved,
                                    struct pr_error *err);

/* Whether nearly all of CHANGE only came from other functions, or went there: it neither grew nor shrank. */
PR_API bool pr_diff_only_moved(int64_t change, const struct pr_diff_move *move);

/* Whether of two changes that only moved one may be the other side of the other: about as much, the other way. */
PR_API bool pr_diff_are_sides(int64_t change, int64_t other);

/* A place that grew as a whole; code 0: there is none. */
struct pr_diff_cause {
    pr_str function, file; /* of the difference's profile */
    uint32_t code;         /* as in pr_diff_row, also below */
    int32_t line;          /* the one in it that grew most; 0 = unknown */
    int64_t before, after; /* with all that it called */
};

/*
 * What explains that rows of TABLE, which is by PR_DIFF_OWN, grew from profile number BEFORE to the first one: a common
 * ancestor of your own code that has two functions or more below it, itself among them, which all grew by the same
 * share, or are all new. Two functions may do so by accident, so it takes three, or that as many more were counted. A
 * function that grew by itself, and wherever it is called from, has no other cause. CAUSE is [table->count].
 */
PR_API enum pr_status pr_diff_causes(const struct pr_diff *diff, unsigned metric, uint32_t before, enum pr_diff_of of,
                                     const struct pr_diff_table *table, struct pr_diff_cause *cause,
                                     struct pr_error *err);

enum { PR_DIFF_STEPS = 6 };

/* A path that a function grew on, in functions of your own code, of recursion one; count 0: it did not grow. */
struct pr_diff_path {
    struct pr_diff_step {
        pr_str function, file; /* of the difference's profile */
        uint32_t code;
    } step[PR_DIFF_STEPS];     /* [count] the function itself first, then its callers, the outermost one last */
    uint32_t count, left_out;  /* LEFT_OUT: callers between the last step and the one before it */
    bool is_whole;             /* the last step was called by no other, as far as most of the growth goes */
};

/*
 * Who called the rows of TABLE, which is by PR_DIFF_OWN, where they grew from profile number BEFORE to the first one:
 * each caller on the path has more than half of what the row grew by. PATH is [table->count].
 */
PR_API enum pr_status pr_diff_paths(const struct pr_diff *diff, unsigned metric, uint32_t before, enum pr_diff_of of,
                                    const struct pr_diff_table *table, struct pr_diff_path *path,
                                    struct pr_error *err);

/*
 * What moved by frame, in a profile that is a difference already: a fact's value AFTER and BEFORE counts for the node
 * LEAVES has for it; all three are [fact_count]. MOVED is [frame_count].
 */
PR_API enum pr_status pr_diff_moved_frames(const struct pr_profile *difference, const pr_node_id *leaves,
                                           const int64_t *after, const int64_t *before, struct pr_diff_move *moved,
                                           struct pr_error *err);

enum { PR_GROWTH_POINTS = 5 };

/* A holder in the tree of what retains what, and what it has more of. */
struct pr_growth_point {
    pr_node_id node;       /* PR_ROOT: no object alone holds what grew */
    pr_node_id grown;      /* the class below it that has more objects; PR_NO_NODE: none has, or it is larger itself */
    int64_t before, after; /* retained: by NODE, without one by GROWN */
    int64_t objects_before, objects_after; /* of GROWN there */
};

/*
 * Where what a heap retains grew, in a profile that is a difference already; AFTER and BEFORE are metrics of it. A
 * point has at least a tenth of all that grew, and a thousandth of the heap; the largest first. Of other metrics than
 * "retained" there are none.
 */
PR_API enum pr_status pr_diff_growth_points(const struct pr_profile *difference, unsigned after, unsigned before,
                                            struct pr_growth_point points[PR_GROWTH_POINTS], size_t *count,
                                            struct pr_error *err);

PR_DECLS_END

#endif
