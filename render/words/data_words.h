/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers, dates and findings of a table as people read them, in the terminal and on the page.
 *
 * A figure that is an estimate says so: "about 12,300 (12,210 to 12,390)".
 */
#ifndef PR_RENDER_WORDS_DATA_WORDS_H
#define PR_RENDER_WORDS_DATA_WORDS_H

#include "profrender/buf.h"
#include "profrender/data_frame.h"
#include "render/words/units.h"

/* Six digits: 1,234.57, 0.00123457, 6.02e+23; "unknown" for NaN. */
struct pr_figure pr_data_number(double number);

/* NUMBER as COLUMN has it: 1,234, 2026-11-18 03:12:44, 03:12:44, 2 days 03:12:44. */
struct pr_figure pr_data_figure(const struct pr_data_column *column, double number);

/* The same for a distance between two of its values, such as a standard deviation: a time for dates. */
struct pr_figure pr_data_distance(const struct pr_data_column *column, double number);

/* A count with thousands separators. */
struct pr_figure pr_data_count_text(uint64_t count);

/* PART of WHOLE: "12.3 %". */
struct pr_figure pr_data_share(uint64_t part, uint64_t whole);

/* "1,234"; "about 12,300 (12,210 to 12,390)". */
struct pr_data_estimate_words {
    char text[160];
} pr_data_estimate(struct pr_data_count count);

/* The same where there is little room: "9"; "~9". */
struct pr_figure pr_data_about(struct pr_data_count count);

/* A count that is no estimate. */
static inline struct pr_data_count pr_data_exactly(uint64_t count)
{
    return (struct pr_data_count){count, count, count};
}

/* Appends the value as it is in the table, at most MOST_BYTES of a text, which end with an ellipsis. Not escaped. */
void pr_data_value_text(struct pr_buf *out, const struct pr_data_column *column, const struct pr_data_value *value,
                        size_t most_bytes);

/* "integer", "date and time", "category". */
const char *pr_data_type_words(enum pr_data_type type);

/* "Latin", "Signs and emoji". */
const char *pr_data_script_words(enum pr_data_script script);

/* Appends the character; by its number where it cannot be seen by itself: "space", "U+200B". Not escaped. */
void pr_data_character_text(struct pr_buf *out, uint32_t character);

/* "CSV, comma-separated, UTF-8, with a header"; not escaped. */
void pr_data_format_words(struct pr_buf *out, const struct pr_data_frame *frame);

/* The finding as the rest of a sentence about its column, or all of one about the table. Not escaped. */
void pr_data_finding_words(struct pr_buf *out, const struct pr_data_frame *frame,
                           const struct pr_data_finding *finding);

/* A measure of two columns, such as a coefficient: to three places. */
struct pr_figure pr_data_measure(double measure);

/* What stands between the names of a pair's columns, " against "; *FIRST and *SECOND are those in their order. */
const char *pr_data_pair_words(const struct pr_data_pair *pair, uint32_t *first, uint32_t *second);

/* What a Gantt chart lacks: "3 rows left out: neither end is known", "No bars". False: nothing. Not escaped. */
bool pr_data_gantt_words(struct pr_buf *out, const struct pr_data_frame *frame);

/* What of the input did not fit: "3 rows have fewer fields than the header, the first is row 12". False: all did. */
bool pr_data_damage_words(struct pr_buf *out, const struct pr_data_frame *frame, enum pr_data_damage damage);

#endif
