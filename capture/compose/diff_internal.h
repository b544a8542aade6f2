/* SPDX-License-Identifier: Apache-2.0 */
/* What a difference is made of, for the files that put it together and read it. */
#ifndef PR_CAPTURE_COMPOSE_DIFF_INTERNAL_H
#define PR_CAPTURE_COMPOSE_DIFF_INTERNAL_H

#include "capture/base/idset.h"
#include "profrender/diff.h"
#include "capture/compose/file_identity.h"

/* A metric of one profile. Nodes and frames that came later have no value in it. */
struct pr_diff_column {
    int64_t *value, *count;  /* [nodes] of the facts right on them */
    struct pr_exact *exact;  /* [frames], or NULL */
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
        int32_t line;
        uint32_t profile; /* that it was taken from */
        int64_t self, total;
    } *lines;             /* [line_count] by frame: where most of it is */
    size_t line_count, line_capacity;
};

struct pr_diff_parts {
    struct pr_samefile same;
    struct pr_strings strings;
    struct pr_idset frames; /* (function, number of the file), kind */
    struct pr_idset nodes;  /* parent, frame; node 0 is the root */
    struct pr_frame *frame; /* [frames.count] with strings of ours; `line` is unset */
    size_t frame_capacity;
    bool *is_own;           /* [frames.count] */
    size_t own_capacity;
    bool tree_estimated, incomplete;
    struct pr_error problem; /* of the first one that is not complete */
    struct pr_diff_metric *metrics;
    uint32_t metric_count;
    struct pr_meta meta;     /* of the first profile, strings of ours */
    pr_str *site_packages;   /* owned */
    char *format, *format_title;
};

#endif
