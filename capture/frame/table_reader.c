/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/table_reader.h"

#include "capture/base/near.h"
#include "capture/frame/data_asked.h"

#include <stdlib.h>
#include <string.h>

void pr_table_damage(struct pr_table_reading *reading, enum pr_data_damage damage, uint64_t row)
{
    if (!reading->frame->damage[damage].count++)
        reading->frame->damage[damage].first = row;
}

bool pr_table_progress(struct pr_table_reading *reading)
{
    uint64_t done, size;
    if (!reading->options->progress)
        return true;
    pr_source_progress(reading->src, &done, &size);
    reading->interrupted = !reading->options->progress(reading->options->progress_context, done, size);
    return !reading->interrupted;
}

/* ---- the schema ------------------------------------------------------------------------------------------------- */

enum pr_status pr_table_lacks(const struct pr_data_build *build, struct pr_text name, struct pr_error *err)
{
    enum { SHOWN_NAMES = 12, SHOWN_BYTES = 60 };
    struct pr_buf names = {0};
    struct pr_near near = pr_near_to(name);
    for (size_t c = 0; c < build->column_count; c++) {
        const struct pr_column_build *column = &build->columns[c];
        pr_near_try(&near, (struct pr_text){column->name ? column->name : "", column->name_length});
        if (c >= SHOWN_NAMES)
            continue;
        const uint32_t length = column->name_length < SHOWN_BYTES ? column->name_length : SHOWN_BYTES;
        pr_buf_printf(&names, "%s%.*s", c ? ", " : "", (int)length, column->name ? column->name : "");
    }
    if (build->column_count > SHOWN_NAMES)
        pr_buf_text(&names, ", ...");
    const int length = name.length < SHOWN_BYTES ? (int)name.length : SHOWN_BYTES;
    const char *has = names.length && !names.failed ? names.bytes : "none";
    const enum pr_status status =
        near.best.bytes ? pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL,
                                  "has no column '%.*s'; did you mean '%.*s'? It has %s", length, name.bytes,
                                  (int)near.best.length, near.best.bytes, has)
                        : pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "has no column '%.*s'; it has %s", length,
                                  name.bytes, has);
    pr_buf_clear(&names);
    return status;
}

enum pr_status pr_table_check_schema(const struct pr_table_reading *reading, struct pr_error *err)
{
    const struct pr_data_schema *schema = reading->options->schema;
    const struct pr_data_asked *lacking = schema && !schema->is_for_several ? pr_data_schema_lacking(schema) : NULL;
    return lacking ? pr_table_lacks(reading->build, lacking->name, err) : PR_OK;
}

/* The columns that are not ignored move up; what is beyond them is empty again. */
static void take_away(struct pr_data_build *build, uint32_t *places)
{
    const size_t count = build->column_count;
    size_t kept = 0;
    for (size_t c = 0; c < count; c++) {
        const struct pr_data_asked *asked = build->columns[c].asked;
        if (asked && asked->is_ignored) {
            places[c] = PR_DATA_NONE;
            pr_column_build_clear(&build->columns[c]);
            continue;
        }
        places[c] = (uint32_t)kept;
        build->columns[kept] = build->columns[c];
        build->columns[kept].turn = kept;
        kept++;
    }
    memset(build->columns + kept, 0, (count - kept) * sizeof *build->columns);
    build->column_count = kept;
}

enum pr_status pr_table_ask(struct pr_table_reading *reading, uint32_t **places, struct pr_error *err)
{
    struct pr_data_build *build = reading->build;
    size_t ignored = 0;
    *places = NULL;
    if (!pr_data_build_number_names(build))
        return pr_fail_memory(err);
    if (!reading->options->schema)
        return PR_OK;
    for (size_t c = 0; c < build->column_count; c++) {
        const struct pr_text name = {build->columns[c].name, build->columns[c].name_length};
        const struct pr_data_asked *asked = pr_data_asked_of(reading->options->schema, name);
        pr_data_build_ask(build, c, asked);
        ignored += asked && asked->is_ignored;
    }
    if (pr_table_check_schema(reading, err) == PR_FAILED)
        return PR_FAILED;
    if (!ignored)
        return PR_OK;
    if (ignored == build->column_count)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "has no column left: the schema ignores all of them");
    *places = malloc(build->column_count * sizeof **places);
    if (!*places)
        return pr_fail_memory(err);
    take_away(build, *places);
    return PR_OK;
}
