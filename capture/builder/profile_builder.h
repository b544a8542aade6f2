/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile from samples: what readers of CPU and other profiles fill, stack by stack. Allocations have
 * capture/builder/stack_table.h.
 *
 *     struct pr_profile_builder c;
 *     enum pr_status status = pr_build_init(&c, src, options, profile, err);
 *     uint32_t thread = pr_build_thread(&c, pr_build_process(&c, 0, 0), 1);
 *     unsigned cpu = pr_build_metric(&c, "cpu", "Time", PR_UNIT_NANOSECONDS, "samples");
 *     while (status == PR_OK && pr_build_going(&c) && next_sample(...)) {
 *         pr_node_id leaf = PR_ROOT;
 *         for (each frame, outermost first)
 *             leaf = pr_build_child(&c, leaf, pr_build_frame(&c, &place));
 *         uint32_t fact = pr_build_fact(&c, leaf, thread);
 *         pr_build_add(&c, fact, cpu, duration_ns, 1);
 *         pr_build_slice(&c, fact, start_ns, duration_ns);      // where the format has the order of time
 *     }
 *     return pr_build_finish(&c, status);                      // also frees, and takes every status
 *
 * Nothing needs to be checked in between: the first failure is stored, later calls do nothing and return 0,
 * pr_build_going is false, and pr_build_finish reports it. Over a limit the profile keeps what came before.
 *
 * Names: a metric is called what the file calls it; the time of formats that have one metric and no name for it is
 * "cpu", "Time", and a weight without a unit is "weight", "Weight". Strings come from pr_build_string or the
 * profile's table.
 */
#ifndef PR_CAPTURE_BUILDER_PROFILE_BUILDER_H
#define PR_CAPTURE_BUILDER_PROFILE_BUILDER_H

#include "profrender/buf.h"
#include "capture/base/decimal.h"
#include "capture/builder/stack_table.h"
#include "capture/input/source.h"
#include "capture/model/time_moments.h"

/* A frame to be made. A function, and zeros otherwise, is enough. */
struct pr_place {
    pr_str function, file;
    int64_t line;            /* that ran; 0 or below = unknown */
    int64_t definition_line; /* where the function begins. If only this is set, `line` becomes the same */
    enum pr_frame_kind kind;
};

struct pr_built_metric {
    const char *name, *title;
    enum pr_unit unit;
    const char *count_name;
    unsigned decimals;
    uint32_t facts;          /* how many elements of the columns are filled */
    int64_t *value, *count;  /* [facts] */
    size_t value_capacity, count_capacity;
    struct pr_exact *exact;  /* [exact_rows] */
    uint32_t exact_rows;
    size_t exact_capacity;
};

struct pr_profile_builder {
    struct pr_stack_table builder;
    struct pr_profile *profile;
    struct pr_source *src;
    const struct pr_load_options *options;
    struct pr_error *err;
    enum pr_status status; /* PR_OK, or what went wrong here: PR_CUT over a limit, PR_FAILED without memory */
    uint64_t reported_bytes;

    struct pr_idset thread_ids; /* process, tid */
    struct pr_thread *threads;
    size_t thread_capacity;
    struct pr_idset process_ids; /* pid */
    struct pr_process *processes;
    size_t process_capacity;
    struct pr_built_metric *metrics;
    uint32_t metric_count;
    size_t metric_capacity;
    struct pr_idset forward_ids; /* the file's numbers of frames */
    pr_frame_id *defined;        /* [forward_ids.count] PR_NO_ID = not defined */
    size_t defined_capacity;
    pr_frame_id *low_forward;    /* frames of low numbers, which nearly all files have; PR_NO_ID = not needed yet */
    size_t low_capacity;
    pr_node_id *first_child;     /* by node, PR_ROOT = none yet: only other children are looked up */
    size_t first_child_count, first_child_capacity;
    uint32_t *last_fact;         /* by node, for facts in turn; PR_NO_ID = none yet */
    size_t last_fact_count, last_fact_capacity;
    struct pr_idset exact_ids; /* frame, thread */
    bool skips_allocators; /* values count for the nearest frame that is not an allocation function; as profilers of
                              memory show it */
    struct pr_slice *slices;
    size_t slice_count, slice_capacity;
    int64_t slice_resolution_ns;
    bool slices_lack_clock; /* set by the reader: see pr_profile */
    struct pr_maybe slices_epoch_ns; /* set by the reader that knows it: when the clock of slices was 0 */
    struct pr_time_moments moments;
    const char **notes;
    uint32_t note_count;
    size_t note_capacity;
};

/* All pointers are borrowed until pr_build_finish. PR_FAILED: no memory; call pr_build_finish then too. */
enum pr_status pr_build_init(struct pr_profile_builder *c, struct pr_source *src, const struct pr_load_options *options,
                             struct pr_profile *profile, struct pr_error *err);

/*
 * Reports progress now and then. False: stop, because of a limit, memory or the caller of the load. Call once a record.
 */
bool pr_build_going(struct pr_profile_builder *c);

/*
 * Counts what the reader leaves out, clamps or makes up: the profile is then not complete. The offset is that of the
 * source, or OFFSET. Values that do not fit are counted by pr_build_add.
 */
void pr_build_damage(struct pr_profile_builder *c, enum pr_damage_kind kind, uint64_t count);
void pr_build_damage_at(struct pr_profile_builder *c, enum pr_damage_kind kind, uint64_t offset);

/* Records that the reader ran out of memory for something of its own. */
void pr_build_no_memory(struct pr_profile_builder *c);

pr_str pr_build_string(struct pr_profile_builder *c, const void *bytes, size_t length);
pr_str pr_build_text(struct pr_profile_builder *c, const char *text);

/* The contents of TEXT as a string; TEXT is cleared. 0 without memory, also if TEXT had none. */
pr_str pr_build_buf(struct pr_profile_builder *c, struct pr_buf *text);

/* A word of the file used like one of ours, such as a metric's name: a copy of TEXT, without control characters. */
const char *pr_build_word(struct pr_profile_builder *c, struct pr_text text);

pr_frame_id pr_build_frame(struct pr_profile_builder *c, const struct pr_place *place);

/*
 * A frame by the number that the file gives it, for files that define it only later. Until pr_build_finish it is a
 * frame like any other; frames that turn out to have the same place become one. Numbers that are never defined are
 * frames "(unknown)"; with a PLACE of NULL a frame (of stacks, not of exact rows) is left out, and its time is its
 * caller's.
 */
pr_frame_id pr_build_forward(struct pr_profile_builder *c, uint64_t number);
void pr_build_define(struct pr_profile_builder *c, uint64_t number, const struct pr_place *place);

/* The child of PARENT (PR_ROOT: none above) with FRAME. */
pr_node_id pr_build_child(struct pr_profile_builder *c, pr_node_id parent, pr_frame_id frame);

/* Indexes of a process and of a thread in it; both are made when they are new. NAME 0 keeps the known one. */
uint32_t pr_build_process(struct pr_profile_builder *c, uint64_t pid, pr_str name);
uint32_t pr_build_thread(struct pr_profile_builder *c, uint32_t process, uint64_t tid);
/* Gives a thread the process and number that the file gives later; two threads may then have the same. */
void pr_build_number_thread(struct pr_profile_builder *c, uint32_t thread, uint32_t process, uint64_t tid);
void pr_build_name_thread(struct pr_profile_builder *c, uint32_t thread, pr_str name);

/*
 * The metric called NAME, made when it is new; the first one is the main one. All three texts live as long as the
 * profile: literals, or copies in its arena. COUNT_NAME NULL: its count is not known.
 */
unsigned pr_build_metric(struct pr_profile_builder *c, const char *name, const char *title, enum pr_unit unit,
                         const char *count_name);

/* METRIC, which has no values yet, turns out to have no counts: they are unknown, which is not 0. */
void pr_build_uncounted(struct pr_profile_builder *c, unsigned metric);

/* The fact of a stack on a thread; LEAF PR_ROOT is time without a stack. */
uint32_t pr_build_fact(struct pr_profile_builder *c, pr_node_id leaf, uint32_t thread);

/*
 * The same for a reader that is done with a thread before it begins with the next one: no table is searched. A profile
 * uses either this or pr_build_fact for all its facts.
 */
uint32_t pr_build_fact_in_turn(struct pr_profile_builder *c, pr_node_id leaf, uint32_t thread);

void pr_build_add(struct pr_profile_builder *c, uint32_t fact, unsigned metric, int64_t value, int64_t count);

/* The same for a weight of unit PR_UNIT_NONE that may have a fraction. */
void pr_build_add_decimal(struct pr_profile_builder *c, uint32_t fact, unsigned metric, struct pr_decimal value,
                          int64_t count);

/*
 * The stack of the fact ran from START_NS on, by any clock that all slices share. See capture/model/time_slices.h for
 * what happens when there are very many.
 */
void pr_build_slice(struct pr_profile_builder *c, uint32_t fact, int64_t start_ns, int64_t duration_ns);

/*
 * The same of a layer of its own, 1 or above, whose metric is not what threads took: the facts of a layer have no value
 * in the time metrics before theirs.
 */
void pr_build_slice_of(struct pr_profile_builder *c, uint32_t layer, uint32_t fact, int64_t start_ns,
                       int64_t duration_ns);

/*
 * The fact allocated BYTES of the metric "allocated" at AT_NS, by the clock of the slices. Without such a metric: it
 * counted so much of the first metric with "samples" that is not a time.
 */
void pr_build_moment(struct pr_profile_builder *c, uint32_t fact, int64_t at_ns, int64_t bytes);

/*
 * What a graph format recorded of a function; rows of the same function and thread add up. The facts are then those of
 * an estimated tree, and the profile says so.
 */
void pr_build_exact(struct pr_profile_builder *c, pr_frame_id frame, uint32_t thread, unsigned metric,
                    struct pr_exact row);

/* A sentence for people about how the input was read or recorded, without the full stop. */
void pr_build_note(struct pr_profile_builder *c, const char *format, ...) PR_PRINTF(2, 3);

/*
 * Fills the profile and frees what was collected. STATUS is how the reading ended (PR_END counts as PR_OK); returns the
 * worse of it and what happened here.
 */
enum pr_status pr_build_finish(struct pr_profile_builder *c, enum pr_status status);

#endif
