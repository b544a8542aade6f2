/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/pair_lanes.h"
#include "capture/frame/table_reader.h"
#include "capture/frame/view_build.h"

#include <string.h>

/* The column called the first LENGTH bytes of NAME. */
static uint32_t column_of(const struct pr_data_build *build, const char *name, size_t length)
{
    for (uint32_t c = 0; c < build->column_count; c++) {
        const struct pr_column_build *column = &build->columns[c];
        if (column->name && column->name_length == length && memcmp(column->name, name, length) == 0)
            return c;
    }
    return PR_DATA_NONE;
}

/* Names may have commas: it is the first one with a name on either side. */
static enum pr_status find(const struct pr_data_build *build, const char *words, uint32_t *x, uint32_t *y,
                           struct pr_error *err)
{
    const char *comma = strchr(words, ',');
    if (!comma)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "'%s' is not a pair of columns: A,B", words);
    for (const char *at = comma; at; at = strchr(at + 1, ',')) {
        *x = column_of(build, words, (size_t)(at - words));
        *y = column_of(build, at + 1, strlen(at + 1));
        if (*x != PR_DATA_NONE && *y != PR_DATA_NONE)
            return PR_OK;
    }
    const char *lacks = column_of(build, words, (size_t)(comma - words)) == PR_DATA_NONE ? words : comma + 1;
    const size_t length = lacks == words ? (size_t)(comma - words) : strlen(lacks);
    return pr_table_lacks(build, (struct pr_text){lacks, (uint32_t)length}, err);
}

static enum pr_status check(const struct pr_data_build *build, uint32_t c, struct pr_error *err)
{
    const struct pr_column_build *column = &build->columns[c];
    if ((column->family != PR_FAMILY_NONE && column->family != PR_FAMILY_BROKEN) || column->coded >= 0)
        return PR_OK;
    return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL,
                   "column '%s' has no chart: it has neither numbers nor 1 to %d different texts",
                   column->name ? column->name : "", PR_CODES);
}

enum pr_status pr_pairs_ask(struct pr_data_build *build, const struct pr_data_wanted *wanted, struct pr_error *err)
{
    if (!pr_data_build_flush(build))
        return pr_fail_memory(err);
    for (uint32_t i = 0; i < wanted->pair_count && i < PR_DATA_PAIRS; i++) {
        uint32_t x = PR_DATA_NONE, y = PR_DATA_NONE;
        if (find(build, wanted->pairs[i], &x, &y, err) == PR_FAILED || check(build, x, err) == PR_FAILED ||
            check(build, y, err) == PR_FAILED)
            return PR_FAILED;
        build->asked[build->asked_count].x = x;
        build->asked[build->asked_count++].y = y;
    }
    return PR_OK;
}
