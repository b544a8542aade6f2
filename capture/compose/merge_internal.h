/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that merge profiles share: the sum so far, in the order in which its parts came. */
#ifndef PR_CAPTURE_COMPOSE_MERGE_INTERNAL_H
#define PR_CAPTURE_COMPOSE_MERGE_INTERNAL_H

#include "capture/compose/renumber.h"
#include "profrender/merge.h"
#include "capture/heap/size_histogram.h"

struct pr_merged_metric {
    const char *name, *title, *count_name; /* count_name NULL = no counts */
    enum pr_unit unit;
    unsigned decimals;      /* the maximum of all profiles */
    uint32_t threshold;     /* of "temporary": with a different one it is a different metric; else 0 */
    bool left_out;          /* one of the profiles does not have it */
    bool counts_settled;    /* one of them has values, so count_name is theirs */
    bool has_exact;         /* all of them have exact figures of functions */
    uint32_t input;         /* index into the inputs of each profile, if they have several */
    int64_t *value, *count; /* [facts], zeros after the known ones */
    struct pr_exact *exact; /* [exact_facts], the same */
    size_t facts, exact_facts;
};

struct pr_step_change {
    int64_t at_ms;
    uint64_t difference;
};

/* A series of all processes: every change of one of them. */
struct pr_merged_series {
    const char *name, *title;
    enum pr_unit unit;
    struct pr_step_change *changes; /* [count] */
    size_t count, capacity;
    int64_t last_ms; /* the last point of all */
};

struct pr_root {
    pr_frame_id frame; /* of the node above the tree of this process, PR_NO_ID = none */
    pr_str name;       /* of its file */
};

struct pr_merger {
    enum pr_merge_mode mode;
    struct pr_arena arena; /* texts of ours, lists of paths */
    struct pr_strings strings;
    struct pr_numbers numbers; /* with these strings */
    struct pr_idset facts;     /* (leaf, thread), (hybrid, allocator) */
    struct pr_idset exact;     /* (frame, thread): functions with figures of their own */
    struct pr_strings notes;
    bool has_hybrid, has_allocators, tree_estimated;

    struct pr_process *processes; /* [process_count]; a sum has one */
    struct pr_root *roots;        /* [process_count] */
    uint32_t process_count;
    size_t process_capacity, root_capacity;

    struct pr_merged_metric *metrics;
    uint32_t metric_count;
    size_t metric_capacity, fact_capacity, exact_capacity;
    const char *main_metric; /* the first one of all profiles, NULL = they differ */

    struct pr_merged_series *series;
    uint32_t series_count;
    size_t series_capacity;

    struct pr_profile *single; /* strings and run of the only profile so far; NULL: none, or more than one */
    uint64_t added;      /* calls of pr_merger_add */
    struct pr_part *inputs; /* [input_count] of each profile, if all have several of the same kinds; else none */
    uint32_t input_count;
    struct pr_meta meta; /* with strings of the merger */
    struct pr_origin origin;
    struct pr_records_read records;
    struct pr_damage damage; /* of all */
    int64_t peak_bytes;
    struct pr_alloc_stats stats; /* counters only */
    struct pr_sizes sizes;
};

/* The string of PROFILE among those of the merger; PR_NO_STR: out of memory. */
pr_str pr_merge_string(struct pr_merger *merger, const struct pr_profile *profile, pr_str string);

/* Folds what is known of PROFILE's run into what is known of all runs. */
enum pr_status pr_merge_meta(struct pr_merger *merger, const struct pr_profile *profile, struct pr_error *err);

/* Adds the series of PROFILE, one of several processes that ran at the same time. */
enum pr_status pr_merge_series(struct pr_merger *merger, const struct pr_profile *profile, struct pr_error *err);

/* Their sums, as series of PROFILE. */
enum pr_status pr_merge_series_finish(struct pr_merger *merger, struct pr_profile *profile, struct pr_error *err);

/* Saturating 64-bit sums, so that their order does not matter. */
static inline uint64_t pr_merge_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
