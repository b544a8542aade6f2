/* SPDX-License-Identifier: Apache-2.0 */
/* What a stack of a Firefox profile is in the call tree: from its tables, strings and libraries. */
#ifndef PR_CAPTURE_READERS_FIREFOX_STACKS_H
#define PR_CAPTURE_READERS_FIREFOX_STACKS_H

#include "capture/readers/firefox_tables.h"

/* The tables that stacks are made of, those of a thread or those that all share. */
struct pr_firefox_stacks {
    struct pr_strings *texts; /* strings of the file; only those of frames become strings of the profile */
    pr_str *strings;          /* [string_count] of `texts` */
    size_t string_count, string_capacity;
    pr_node_id *nodes; /* [node_count] of each stack, made by pr_firefox_make_stacks */
    size_t node_count;
    bool made;
};

/* A library of the profile. */
struct pr_firefox_libs {
    pr_str *names; /* [count] of the profile */
    size_t count, capacity;
    uint64_t unnamed; /* frames that are addresses without a function */
};

/* After the key of the strings: takes them. */
void pr_firefox_read_strings(struct pr_profile_builder *c, struct pr_json_stream *json,
                             struct pr_firefox_stacks *stacks);

/* Makes the stacks of COLUMNS, once. Parents that do not come before their children are counted and left out. */
void pr_firefox_make_stacks(struct pr_profile_builder *c, const struct pr_firefox_columns *columns,
                            struct pr_firefox_stacks *stacks, struct pr_firefox_libs *libs);

void pr_firefox_stacks_clear(struct pr_firefox_stacks *stacks);

#endif
