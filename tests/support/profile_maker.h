/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles made by hand. Running out of memory ends the test.
 *
 *     struct maker *maker = maker_new();
 *     unsigned peak = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
 *     pr_node_id leaf = maker_stack(maker, "main@app.py:9 load@io.py:4");       // from the root
 *     size_t fact = maker_fact(maker, leaf, maker_thread(maker, 1, "main"), PR_ALLOC_MALLOC);
 *     maker_value(maker, fact, peak, 1024, 2);                                   // 1024 bytes, 2 allocations
 *     struct pr_profile *profile = maker_finish(maker);                          // yours: pr_profile_free
 */
#ifndef TESTS_SUPPORT_PROFILE_MAKER_H
#define TESTS_SUPPORT_PROFILE_MAKER_H

#include "profrender/profile.h"

struct maker;

struct maker *maker_new(void);

/* Adds up the metrics, hands out the profile, and frees the maker. */
struct pr_profile *maker_finish(struct maker *maker);

pr_str maker_string(struct maker *maker, const char *text);

/* To be filled in; strings by maker_string. */
struct pr_meta *maker_meta(struct maker *maker);

/* The strings of TEXTS, which a NULL ends, as an array that lives as long as the profile; for the paths of the meta. */
const pr_str *maker_paths(struct maker *maker, const char *const *texts, uint32_t *count);

/* These two add what they are given, twice if given twice. */
pr_frame_id maker_frame(struct maker *maker, const char *function, const char *file, int32_t line, uint32_t kind);
pr_node_id maker_node(struct maker *maker, pr_node_id parent, pr_frame_id frame);

/*
 * The leaf of a stack "function@file:line ...", root first, of Python frames; existing parts are not added again.
 */
pr_node_id maker_stack(struct maker *maker, const char *stack);

/* Without one, the profile has one thread, number 0, with tid 1. */
uint32_t maker_thread(struct maker *maker, uint64_t tid, const char *name);

/* COUNT_NAME may be NULL: the metric has no count. */
unsigned maker_metric(struct maker *maker, const char *name, const char *title, enum pr_unit unit,
                      const char *count_name);

/* If all facts have PR_ALLOC_NONE, the profile has no allocators. */
size_t maker_fact(struct maker *maker, pr_node_id leaf, uint32_t thread, enum pr_allocator allocator);

/* Gives the profile hybrid stacks; facts that get none have their leaf. */
void maker_hybrid(struct maker *maker, size_t fact, pr_node_id leaf);

/* COUNT is ignored for a metric that has none. */
void maker_value(struct maker *maker, size_t fact, unsigned metric, int64_t value, int64_t count);

unsigned maker_series(struct maker *maker, const char *name, const char *title, enum pr_unit unit);
void maker_point(struct maker *maker, unsigned series, int64_t at_ms, int64_t value);

#endif
