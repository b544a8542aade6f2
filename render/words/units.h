/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as people read them. The script of the card has the same rules (doc/formats/payload.md, "Numbers"), so that a
 * number reads the same everywhere. Every result carries its unit.
 *
 *     pr_html(out, "<td title='%s'>%s</td>", pr_units_exact(PR_UNIT_BYTES, n).text, pr_units_bytes(n).text);
 */
#ifndef PR_RENDER_WORDS_UNITS_H
#define PR_RENDER_WORDS_UNITS_H

#include "profrender/profile.h"

/* Returned by value: lives to the end of the expression it is used in. UTF-8: a minus is U+2212. */
struct pr_figure {
    char text[48];
};

/* "4 runs", "4 processes": what was added up. */
struct pr_figure pr_units_runs(const struct pr_profile *profile);

/* A count as these functions take it: the maximum if it does not fit. */
static inline int64_t pr_units_signed(uint64_t count)
{
    return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

struct pr_figure pr_units_bytes(int64_t bytes);                      /* 4.61 GiB */
struct pr_figure pr_units_duration(int64_t ns);                      /* 812 ms, 6 min 28 s */
struct pr_figure pr_units_count(int64_t count);                      /* 61,204,118 */
struct pr_figure pr_units_counted(int64_t count, const char *nouns); /* 1 allocation, 230 allocations */
struct pr_figure pr_units_percent(int64_t part, int64_t whole);      /* 56.3 %; "" without a whole */
struct pr_figure pr_units_growth(int64_t before, int64_t after);     /* +4.3 %, × 12, new, gone; "" if equal */
struct pr_figure pr_units_points(double points);                     /* −1.2 points, of percentages */

/* Milliseconds after the start of a run that took SPAN_MS: 12.3 s, 3:38, 1:02:03. */
struct pr_figure pr_units_moment(int64_t offset_ms, int64_t span_ms);

/* The name of a unit in documents for programs: bytes, nanoseconds, count, bytes_per_second; none. */
const char *pr_units_key(enum pr_unit unit);

/* A value of any unit, short, and with all its digits for the hover: 4,955,150,748 bytes, 388.214 s. */
struct pr_figure pr_units_value(enum pr_unit unit, int64_t value);
struct pr_figure pr_units_exact(enum pr_unit unit, int64_t value);

/* A time in milliseconds, exactly; as nanoseconds it may be too large: 388.214 s. */
struct pr_figure pr_units_milliseconds(int64_t ms);

/* The same for a metric, whose values may have decimals: 4.63, and 4.6254 for the hover. */
struct pr_figure pr_units_metric(const struct pr_metric *metric, int64_t value);
struct pr_figure pr_units_metric_exact(const struct pr_metric *metric, int64_t value);

/* A change with its sign: +14.2 MiB, −3.00 s, 0 B. EXACT: with all digits. */
struct pr_figure pr_units_metric_change(const struct pr_metric *metric, bool exact, int64_t change);

/* Columns of FIGURE in a terminal. */
size_t pr_figure_columns(const struct pr_figure *figure);

/* For "%*s": the width in bytes that makes FIGURE at least COLUMNS columns wide. */
int pr_figure_width(const struct pr_figure *figure, size_t columns);

/* Milliseconds since the epoch: 2026-11-18 03:12:44 UTC; as ISO 8601, 2026-11-18T03:12:44.361Z. "" past year 9999. */
struct pr_figure pr_units_time(int64_t ms);
struct pr_figure pr_units_iso_time(int64_t ms);

#endif
