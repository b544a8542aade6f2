/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/data_text.h"
#include "capture/frame/view_build.h"

#include <string.h>

uint32_t pr_view_column(const struct pr_data_build *build, const char *name)
{
    const size_t length = name ? strlen(name) : 0;
    for (size_t c = 0; name && c < build->column_count; c++) {
        const struct pr_column_build *column = &build->columns[c];
        if (column->name_length == length && column->name && memcmp(column->name, name, length) == 0)
            return (uint32_t)c;
    }
    return PR_DATA_NONE;
}

void pr_view_value(const struct pr_data_build *build, uint32_t column, uint32_t row, struct pr_cell_value *value)
{
    *value = (struct pr_cell_value){.kind = PR_KIND_MISSING};
    if (column != PR_DATA_NONE)
        pr_column_read(&build->columns[column], &build->cells[column * build->stride + row], value);
}

struct pr_text pr_view_text(struct pr_data_frame *frame, struct pr_text text, bool *failed)
{
    const bool from_1252 = strcmp(frame->encoding, "Windows-1252") == 0;
    const uint32_t length = from_1252 ? text.length : pr_data_whole_characters(text.bytes, text.length);
    return pr_data_text(&frame->arena, text.bytes, length, from_1252, failed);
}
