/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rule gets and gives. A rule is a pure function over a profile and what was computed from it once: it adds
 * insights, or reports why it cannot judge; if it does neither, all is fine.
 */
#ifndef PR_CAPTURE_EXPLAIN_INQUIRY_H
#define PR_CAPTURE_EXPLAIN_INQUIRY_H

#include "capture/explain/code_sums.h"
#include "capture/explain/sentence.h"
#include "profrender/pymalloc.h"

/* What a rule cannot do without. Bits; the engine answers for the rule where something is missing. */
enum pr_need {
    PR_NEED_PEAK = 1,         /* the heap at its peak, by stack */
    PR_NEED_HISTORY = 2,      /* the heap over time, by stack */
    PR_NEED_LEAKED = 4,       /* what was not freed, by stack */
    PR_NEED_TEMPORARY = 8,    /* what was freed at once, by stack */
    PR_NEED_ALL_READ = 16,    /* a capture that was read to its end */
    PR_NEED_STACKS = 32,      /* time, samples or calls, by stack */
    PR_NEED_DIFFERENCE = 64,  /* two profiles that are compared; rules without it do not judge differences */
    PR_NEED_ENDED_WELL = 128, /* a run that did not fail */
    PR_NEED_RUN = 256,        /* what the run as a whole used */
    PR_NEED_ALL_CALLS = 512   /* that no calls were dropped: those around them would seem to have taken their time */
};

struct pr_inquiry {
    const struct pr_profile *profile;
    struct pr_explanation *explanation;
    struct pr_code code;
    struct pr_holder peak; /* who holds most of the heap at its peak; pr_inquiry_peak */
    bool has_peak;
    size_t room;                /* for insights */
    const struct pr_rule *rule; /* whose turn it is */
    const char *why;            /* it cannot judge; NULL: it can */
    bool failed;                /* out of memory */
};

typedef void pr_ask_rule(struct pr_inquiry *inquiry);

/* A row of the table of rules. */
struct pr_rule_row {
    struct pr_rule rule;
    unsigned needs;     /* enum pr_need */
    unsigned precision; /* of two rules that speak about one function, the more precise one is kept */
    pr_ask_rule *ask;
};

/* Ends with a row without a inquiry. */
extern const struct pr_rule_row pr_rule_rows[];

/* Adds an insight of the rule whose turn it is; NULL: no memory. Borrowed until the next one is added. */
struct pr_insight *pr_insight_add(struct pr_inquiry *inquiry);

/* The metric called NAME; NULL: none. */
const struct pr_metric *pr_inquiry_metric(const struct pr_inquiry *inquiry, const char *name);

/* Who holds most of the metric "peak", found once. Not known: nobody, or no memory. */
const struct pr_holder *pr_inquiry_peak(struct pr_inquiry *inquiry);

/* PART is at least PERCENT of WHOLE. */
static inline bool pr_is_share(int64_t part, int64_t whole, int percent)
{
    return part > 0 && (double)part * 100 >= (double)whole * percent;
}

/* Sets what the insight could save of a whole, and its importance and severity by that. */
void pr_insight_saves(struct pr_insight *insight, enum pr_unit unit, int64_t saving, int64_t whole);

/* Where the insight is: the largest path of the function, and its metric. */
void pr_insight_locate(const struct pr_inquiry *inquiry, struct pr_insight *insight, const struct pr_metric *metric,
                       const struct pr_holder *holder);

/* [tree.count]: the nodes of the function of HOLDER and all below. Owned: free. No memory: NULL, inquiry->failed. */
bool *pr_inquiry_mark_below(struct pr_inquiry *inquiry, const struct pr_holder *holder);

/* Whether the facts whose leaf has this frame count; CONTEXT is that of the caller. */
typedef bool pr_frame_counts(const struct pr_inquiry *inquiry, pr_frame_id frame, const void *context);

/* How much of METRIC such frames have themselves, below the function of HOLDER. No memory: 0, and inquiry->failed. */
int64_t pr_inquiry_sum_below(struct pr_inquiry *inquiry, const struct pr_metric *metric,
                             const struct pr_holder *holder, pr_frame_counts *counts, const void *context);

/*
 * METRIC[fact_count] of what has a frame that IS_MARKED[frame_count] on its stack, except a profiler's own start; else
 * 0. *SUM: all of it. Owned: free. NULL: no memory.
 */
int64_t *pr_inquiry_part_below(struct pr_inquiry *inquiry, const struct pr_metric *metric, const bool *is_marked,
                               int64_t *sum);

/*
 * Whether what facts have whose leaf IS_WANTED[tree.count], those below FUNCTION, is nearly all imports that a finding
 * is about, and either a small part of them or the top level of a file: not another cause. No memory: false, and
 * inquiry->failed.
 */
bool pr_imports_tell(struct pr_inquiry *inquiry, const struct pr_metric *metric, pr_frame_id function,
                     const bool *is_wanted);

/* The arenas of pymalloc in what of METRIC is attributed to the function of HOLDER. */
struct pr_pymalloc pr_inquiry_arenas(const struct pr_inquiry *inquiry, const struct pr_metric *metric,
                                     const struct pr_holder *holder);

/* The rules, by topic. */
pr_ask_rule pr_rule_memory_limit;
pr_ask_rule pr_rule_peak_holder;
pr_ask_rule pr_rule_peak_moment;
pr_ask_rule pr_rule_held_long;
pr_ask_rule pr_rule_doubling;
pr_ask_rule pr_rule_uneven_threads;
pr_ask_rule pr_rule_uneven_processes;
pr_ask_rule pr_rule_same_memory;
pr_ask_rule pr_rule_spike;
pr_ask_rule pr_rule_repeated_peak;
pr_ask_rule pr_rule_equal_blocks;
pr_ask_rule pr_rule_many_small;
pr_ask_rule pr_rule_churn;
pr_ask_rule pr_rule_last_growth;
pr_ask_rule pr_rule_steady_growth;
pr_ask_rule pr_rule_filled;
pr_ask_rule pr_rule_memory_growth;
pr_ask_rule pr_rule_not_heap;
pr_ask_rule pr_rule_not_resident;
pr_ask_rule pr_rule_kept_resident;
pr_ask_rule pr_rule_known_calls;
pr_ask_rule pr_rule_imports;
pr_ask_rule pr_rule_few_samples;
pr_ask_rule pr_rule_idle;
pr_ask_rule pr_rule_not_freed;
pr_ask_rule pr_rule_temporary;
pr_ask_rule pr_rule_time;
pr_ask_rule pr_rule_retained;
pr_ask_rule pr_rule_calls;
pr_ask_rule pr_rule_disk_pressure;
pr_ask_rule pr_rule_waiting;
pr_ask_rule pr_rule_throttled;
pr_ask_rule pr_rule_cores;
pr_ask_rule pr_rule_device_memory;
pr_ask_rule pr_rule_gpu_waits;
pr_ask_rule pr_rule_gpu_idle;
pr_ask_rule pr_rule_gpu_memory;

#endif
