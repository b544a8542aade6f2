/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that several JSON documents have: what was recorded, whether it is all there, values with their units. */
#ifndef PR_CLI_REPORTS_DOCUMENT_PARTS_H
#define PR_CLI_REPORTS_DOCUMENT_PARTS_H

#include "capture/parse/changes.h"
#include "profrender/tree_sums.h"
#include "profrender/table.h"
#include "cli/io/json_writer.h"

/* "damage", "complete" and "problem". */
void pr_document_state(struct pr_json_writer *json, const struct pr_profile *profile);

/* The fields that memray calls metadata; times in ms since the epoch, or as ISO 8601. */
void pr_document_metadata(struct pr_json_writer *json, const struct pr_profile *profile, bool iso_times);

/* What the documents call a unit: "bytes", "seconds"... */
const char *pr_document_unit(const struct pr_metric *metric);

/* "metric" and "unit": what a document is about. */
void pr_document_metric(struct pr_json_writer *json, const struct pr_metric *metric);

/* "total" and "total_count" of it. */
void pr_document_total(struct pr_json_writer *json, const struct pr_metric *metric);

/* A value in that unit. */
void pr_document_value(struct pr_json_writer *json, const struct pr_metric *metric, int64_t value);

/* How many digits after the decimal point a value in that unit has: pr_fixed_text. */
unsigned pr_document_places(const struct pr_metric *metric);

/* "metrics": what was measured, with unit and totals; "notes": what to know about how it was read. */
void pr_document_metrics(struct pr_json_writer *json, const struct pr_profile *profile);
void pr_document_notes(struct pr_json_writer *json, const struct pr_profile *profile);

/* A string of the profile. */
void pr_document_string(struct pr_json_writer *json, const struct pr_profile *profile, pr_str string);

/* "function", "file" and "line" of a row: an unknown file or line is null. */
void pr_document_place(struct pr_json_writer *json, const struct pr_profile *profile, pr_str function, pr_str file,
                       int32_t line);

/* "owner" of a row, see profrender/owner.h: null without a FRAME of the profile. */
void pr_document_owner(struct pr_json_writer *json, const struct pr_profile *profile, pr_frame_id frame);

/* "enclosing", the function that a comprehension or lambda is in; no member where FRAME is none, or that is unknown. */
void pr_document_enclosing(struct pr_json_writer *json, const struct pr_profile *profile, pr_frame_id frame);

/* A frame in a stack: [function, file, line]. */
void pr_document_frame(struct pr_json_writer *json, const struct pr_profile *profile, pr_str function, pr_str file,
                       int32_t line);

/* The frames from LEAF up, innermost first; none for PR_NO_NODE. */
void pr_document_stack(struct pr_json_writer *json, const struct pr_profile *profile, const char *key, pr_node_id leaf);

/* A count of METRIC, null where it has none. */
void pr_document_count(struct pr_json_writer *json, const struct pr_metric *metric, const char *key, int64_t count);

/* "tid" and "thread" of a row: 0 and "" for THREAD PR_ALL_THREADS; a thread without a name is called by its number. */
void pr_document_thread(struct pr_json_writer *json, const struct pr_profile *profile, uint32_t thread);

/* The members of a row of a table: place, owner, self and total with their counts, thread. */
void pr_document_row(struct pr_json_writer *json, const struct pr_profile *profile, const struct pr_metric *metric,
                     const struct pr_row *row);

/*
 * The highest heap. Of several runs, the sum of what their stacks hold then: some inputs know the height of their peak
 * and not all of its stacks, and a total that no table adds up to is no help.
 */
int64_t pr_document_peak(const struct pr_profile *profile);

/* The number of a thread's process; 0: not known, or not of one thread. */
uint64_t pr_thread_pid(const struct pr_profile *profile, uint32_t thread);

/* Appends what people call a thread; of several processes, whose it is: "pid 3124, Thread-1". */
void pr_thread_label(struct pr_buf *buf, const struct pr_profile *profile, uint32_t thread);

/* The member "pid" of a thread. */
void pr_document_process(struct pr_json_writer *json, const struct pr_profile *profile, uint32_t thread);

/* The name of a thread, or its number, which TEXT then holds; "" for PR_ALL_THREADS. */
struct pr_text pr_thread_name(const struct pr_profile *profile, uint32_t thread, char text[24]);

/* A place in memory samples: which of COUNT to show, so that there are at most 10,000. memray's rule. */
size_t pr_document_stride(size_t count);

/* "changed": "line", "file" or "no"; null where the change under review is not known. */
void pr_document_touch(struct pr_json_writer *json, bool is_known, enum pr_touch touch);

#endif
