/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of Firefox's profiles, as columns. The processed format has a list for each column, Gecko's has rows and a
 * schema that says where in them a column is:
 *
 * - "stackTable": {"frame": [0, 1], "prefix": [null, 0], "length": 2}
 * - "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1]]}
 *
 * Only the columns that are listed here are kept; others cost the time to skip them.
 */
#ifndef PR_CAPTURE_READERS_FIREFOX_TABLES_H
#define PR_CAPTURE_READERS_FIREFOX_TABLES_H

#include "capture/builder/profile_builder.h"
#include "capture/parse/json_stream.h"

/* A cell that is null, missing or not a number. */
#define PR_FIREFOX_NONE INT64_MIN

/* What samples may refer to, by columns. The order is that of the descriptions in firefox_tables.c. */
enum pr_firefox_name {
    PR_FIREFOX_FRAME_LOCATION,
    PR_FIREFOX_FRAME_FUNC,
    PR_FIREFOX_FRAME_ADDRESS,
    PR_FIREFOX_FRAME_LINE,
    PR_FIREFOX_FRAME_LIB,
    PR_FIREFOX_FRAME_FLAGS,
    PR_FIREFOX_FUNC_NAME,
    PR_FIREFOX_FUNC_RESOURCE,
    PR_FIREFOX_FUNC_FILE,
    PR_FIREFOX_FUNC_SOURCE,
    PR_FIREFOX_FUNC_LINE,
    PR_FIREFOX_FUNC_FLAGS,
    PR_FIREFOX_RESOURCE_LIB,
    PR_FIREFOX_SOURCE_FILE,
    PR_FIREFOX_STACK_PREFIX,
    PR_FIREFOX_STACK_OFFSET,
    PR_FIREFOX_STACK_FRAME,
    PR_FIREFOX_SAMPLE_STACK, /* from here on: of a thread, whatever tables it shares */
    PR_FIREFOX_SAMPLE_TIME,
    PR_FIREFOX_SAMPLE_DELTA,
    PR_FIREFOX_SAMPLE_WEIGHT,
    PR_FIREFOX_SAMPLE_CPU,
    PR_FIREFOX_JS_STACK,
    PR_FIREFOX_JS_WEIGHT,
    PR_FIREFOX_JS_TIME,
    PR_FIREFOX_NATIVE_STACK,
    PR_FIREFOX_NATIVE_WEIGHT,
    PR_FIREFOX_NATIVE_TIME,
    PR_FIREFOX_COLUMNS
};

/* Flags of a row: the cells that have a value. Without its flag a cell is 0. Files before version 71 have no flags. */
enum { PR_FIREFOX_FRAME_HAS_LIB = 2, PR_FIREFOX_FUNC_HAS_RESOURCE = 4, PR_FIREFOX_FUNC_HAS_SOURCE = 8 };

/* Times, weights and CPU deltas have six decimals: milliseconds are nanoseconds. */
#define PR_FIREFOX_ONE INT64_C(1000000)

struct pr_firefox_columns {
    struct pr_firefox_column {
        int64_t *value;
        size_t count, capacity;
    } of[PR_FIREFOX_COLUMNS];
    char weight_type; /* of samples: 's', 't' (milliseconds of a trace), 'b' */
    char js_type;     /* of jsAllocations: 'b', or 0: they are counted */
};

/*
 * After a key: true if it is that of a table that is listed here; its value is then taken. A table that is there twice
 * counts the last time.
 */
bool pr_firefox_read_table(struct pr_profile_builder *c, struct pr_json_stream *json,
                           struct pr_firefox_columns *columns);

/* The cell of row ROW, which may be out of range. */
static inline int64_t pr_firefox_cell(const struct pr_firefox_columns *columns, enum pr_firefox_name name, int64_t row)
{
    const struct pr_firefox_column *column = &columns->of[name];
    return row >= 0 && (uint64_t)row < column->count ? column->value[row] : PR_FIREFOX_NONE;
}

/* The same for a cell that the FLAG of its row says to have a value; FLAGS is the column of flags. */
static inline int64_t pr_firefox_flagged_cell(const struct pr_firefox_columns *columns, enum pr_firefox_name name,
                                              int64_t row, enum pr_firefox_name flags, int64_t flag)
{
    const int64_t set = pr_firefox_cell(columns, flags, row);
    return set == PR_FIREFOX_NONE || set & flag ? pr_firefox_cell(columns, name, row) : PR_FIREFOX_NONE;
}

void pr_firefox_columns_clear(struct pr_firefox_columns *columns);

#endif
