/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which function holds how much. Each fact is attributed to the innermost function of the user's own code on its stack:
 * what a library allocates belongs to the function that called it, and so does what a comprehension, a generator
 * expression or a lambda does. Without own code, to the innermost frame; native frames of Python stacks are their
 * Python frame's.
 */
#ifndef PR_CAPTURE_EXPLAIN_CODE_SUMS_H
#define PR_CAPTURE_EXPLAIN_CODE_SUMS_H

#include "capture/base/idset.h"
#include "profrender/profile.h"

#include <stdbool.h>

/* Values by fact: of a metric, of a moment, of a window. */
struct pr_column {
    const int64_t *value, *count; /* [fact_count]; count may be NULL */
};

struct pr_code {
    const struct pr_profile *profile;
    bool has_own;       /* some frame is the user's own code, or would be: a Python program always has some */
    bool *is_own;       /* [frame_count] */
    bool *is_holder;    /* [frame_count] own, and a function by itself */
    uint32_t *function; /* [frame_count] numbers of functions: name, file, first line, kind */
    struct pr_idset functions;
    pr_node_id *holder;     /* [tree.count] the node that holds what is on a node; PR_ROOT: none of own code */
    pr_node_id *any_holder; /* [tree.count] the same, of any code */
    uint32_t *path;         /* [tree.count] equal for paths through the same functions, whatever the lines */
    struct pr_idset paths;
};

/* IS_OWN may be NULL. Owner: pr_code_clear, also after an error. Errors: PR_FAILED: out of memory. */
enum pr_status pr_code_make(struct pr_code *code, const struct pr_profile *profile, const bool *is_own,
                            struct pr_error *err);
void pr_code_clear(struct pr_code *code);

struct pr_holder {
    bool known;      /* false: all is 0, or outside all stacks */
    bool is_own;     /* the user's own code */
    bool has_others; /* libraries that it calls add to `own` */
    uint32_t function;
    pr_frame_id frame;   /* the function, at its largest line */
    int64_t line_value;  /* of that line */
    uint32_t line_count; /* lines that add to `own` */
    int64_t own, count;  /* what is attributed to it */
    int64_t total, total_count; /* and to all that it called, own functions too: what a graph shows */
    uint32_t path_count; /* in how many places of a graph by functions it has that */
    pr_node_id node;     /* a node of the largest of these places */
    int64_t node_total;  /* of that place */
};

/* The function that most is attributed to. False: no memory. */
bool pr_code_find_holder(const struct pr_code *code, const struct pr_column *column, struct pr_holder *holder);

/* The same for several with at least LEAST: HOLDERS[most], largest first; those past the last one are not known. */
bool pr_code_find_holders(const struct pr_code *code, const struct pr_column *column, struct pr_holder *holders,
                          size_t most, int64_t least);

/* The same of PROFILE alone, without what is below a function: `total`, `path_count` and `node` are 0. */
bool pr_code_list_holders(const struct pr_profile *profile, const struct pr_column *column, struct pr_holder *holders,
                          size_t most, int64_t least);

/* The sum of what is attributed to own code; *FUNCTIONS, how many share it, may be NULL. False: no memory. */
bool pr_code_sum_own(const struct pr_code *code, const struct pr_column *column, int64_t *sum, uint32_t *functions);

/*
 * The lowest of the user's own functions with at least half of WHOLE below it, as a holder. Not known: none.
 * False: no memory.
 */
bool pr_code_find_lowest(const struct pr_code *code, const struct pr_column *column, int64_t whole,
                         struct pr_holder *holder);

/* Marks in IS_BELOW[tree.count] all nodes at and below the function. */
void pr_code_mark(const struct pr_code *code, uint32_t function, bool *is_below);

/* What the heap's peak would be if some of it had not been there, at the resolution of the time bins. */
struct pr_without {
    bool known;   /* there is a history */
    int64_t rest; /* the peak that is left */
    uint32_t bin; /* in which it is */
};

/*
 * By bin, BY_BIN[bin_count], of the function and all that it called: what it holds at the peak of each bin; what was
 * allocated in the bin and never freed. False: no memory.
 */
bool pr_code_held(const struct pr_code *code, uint32_t function, int64_t *by_bin);
bool pr_code_kept(const struct pr_code *code, uint32_t function, int64_t *by_bin);

/* Without the function, and all that it called. False: no memory. */
bool pr_code_without(const struct pr_code *code, uint32_t function, struct pr_without *without);

#endif
