/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a difference, for the files that build and read it. */
#ifndef PR_CAPTURE_COMPOSE_DIFF_INTERNAL_H
#define PR_CAPTURE_COMPOSE_DIFF_INTERNAL_H

#include "capture/base/idset.h"
#include "profrender/diff.h"
#include "profrender/pymalloc.h"
#include "capture/compose/file_identity.h"
#include "capture/compose/same_functions.h"

/* What a line of a function has, without arenas of pymalloc. */
struct pr_diff_at {
    pr_frame_id frame;
    int32_t line;
    int64_t own, total; /* by PR_DIFF_OWN and PR_DIFF_TOTAL */
};

/* A metric of one profile. Nodes and frames that came later have no value in it. */
struct pr_diff_column {
    int64_t *value, *count;  /* [nodes] of the facts directly on them */
    int64_t *arena;          /* [nodes] bytes of VALUE that are arenas of pymalloc */
    struct pr_pymalloc arenas; /* all of them */
    struct pr_exact *exact;  /* [frames], or NULL */
    struct pr_diff_at *at;   /* [at_count] by frame of the profile */
    size_t at_count;
    uint32_t nodes, frames;
};

struct pr_diff_metric {
    char *name, *title, *count_name; /* owned; count_name NULL: no counts */
    enum pr_unit unit;
    unsigned decimals;
    bool left_out;                   /* one of the profiles does not have it */
    struct pr_diff_column *columns;  /* [column_count] by profile */
    size_t column_count, column_capacity;
    struct pr_diff_line {
        uint32_t profile; /* that they were taken from */
        struct pr_diff_place {
            int32_t line;
            int64_t apart, all; /* the amount there, without arenas of pymalloc and with them */
        } of[PR_DIFF_PATH];     /* by PR_DIFF_SELF, PR_DIFF_OWN, PR_DIFF_TOTAL */
    } *lines;                   /* [line_count] by frame: where most of it is */
    size_t line_count, line_capacity;
};

/* A curve of one of the profiles, in memory of ours. */
struct pr_diff_curve {
    uint32_t profile;
    const char *name, *title; /* of those that are compared: not owned */
    enum pr_unit unit;
    size_t count;
    int64_t *at_ms, *value;   /* from the start of its run */
};

/* Objects of one of the profiles, by id; names are strings of ours. */
struct pr_diff_heap {
    struct pr_object *object;
    size_t count;
};

struct pr_diff_parts {
    struct pr_samefile same;
    struct pr_strings strings;
    struct pr_samefunction same_functions;
    struct pr_idset frames; /* number of the function, kind */
    struct pr_idset nodes;  /* parent, frame; node 0 is the root */
    struct pr_frame *frame; /* [frames.count] with strings of ours; `line` is unset */
    size_t frame_capacity;
    bool *is_own;           /* [frames.count] a function of your own code, not a comprehension */
    size_t own_capacity;
    uint32_t *code;         /* [frames.count] as of pr_diff_row */
    size_t code_capacity;
    bool tree_estimated, incomplete;
    struct pr_error problem; /* of the first incomplete profile */
    struct pr_damage damage; /* of all */
    struct pr_diff_metric *metrics;
    uint32_t metric_count;
    struct pr_meta meta;     /* of the first profile, strings of ours */
    pr_str *site_packages;   /* owned */
    char *format, *format_title;
    struct pr_diff_run *runs;     /* [run_count] */
    size_t run_count, run_capacity;
    struct pr_diff_curve *curves; /* [curve_count] */
    size_t curve_count, curve_capacity;
    struct pr_diff_heap newest, oldest; /* of the first profile, and of the last one after it */
};

/*
 * Takes the lines of METRIC's last column from PROFILE, whose metric number INDEX it is: which has most, where PROFILE
 * is the first that has the function, and what each has. OURS: the frames' numbers, [frames]; OWN: as of
 * pr_diff_own_leaves, [facts]. False: no memory.
 */
bool pr_diff_take_lines(const struct pr_diff *diff, struct pr_diff_metric *metric, const struct pr_profile *profile,
                        uint32_t index, const pr_frame_id *ours, const pr_node_id *own);

/*
 * As pr_diff_grown_lines, for the functions that are WANTED, by their code; BY is PR_DIFF_OWN or PR_DIFF_TOTAL. Both
 * arrays are [frames.count + 1]. LINE 0: none grew, or that is not known.
 */
enum pr_status pr_diff_grown_by_code(const struct pr_diff *diff, unsigned metric, uint32_t before,
                                     enum pr_diff_by by, const bool *wanted, int32_t *line, struct pr_error *err);

/* Notes what is known of the run of PROFILE, and its curves. False: no memory. */
bool pr_diff_take_run(struct pr_diff_parts *parts, const struct pr_profile *profile);

/* Puts the runs, and of two the curves that both have, into DIFF and its profile. False: no memory. */
bool pr_diff_make_runs(struct pr_diff *diff);
void pr_diff_runs_clear(struct pr_diff_parts *parts);

/* Notes the objects of PROFILE, those of the first and of the last one. False: no memory. */
bool pr_diff_take_objects(struct pr_diff_parts *parts, const struct pr_profile *profile, bool is_first);

/* Puts what became of objects, from the last profile to the first, into DIFF's profile. False: no memory. */
bool pr_diff_make_objects(struct pr_diff *diff);
void pr_diff_objects_clear(struct pr_diff_parts *parts);

/* For each fact the nearest node of your own code at or above its leaf, or else the leaf. NULL: no memory. */
pr_node_id *pr_diff_own_leaves(const struct pr_profile *profile, const bool *is_own);

/* The row of each function of a table, by code, [frames.count + 1]; PR_NO_ID: none. Owned: free(3). NULL: no memory. */
uint32_t *pr_diff_rows_by_code(const struct pr_diff *diff, const struct pr_diff_table *table);

/* What a metric of DIFF, of those that all profiles have, is made of. */
const struct pr_diff_metric *pr_diff_metric_at(const struct pr_diff *diff, unsigned metric);

/* Fills VALUES, [facts], with what is counted of a metric in a profile. */
void pr_diff_column_values(const struct pr_diff *diff, unsigned metric, uint32_t profile, enum pr_diff_of of,
                           int64_t *values);

#endif
