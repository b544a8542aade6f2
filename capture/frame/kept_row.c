/* SPDX-License-Identifier: Apache-2.0 */
/* A row of a batch that outlives it. */
#include "capture/frame/data_build.h"

void pr_keep_row(const struct pr_data_build *build, uint32_t row, struct pr_kept_row *kept)
{
    kept->number = build->rows + row + 1;
    kept->bytes.length = 0;
    kept->count = build->column_count < PR_DATA_SHOWN ? (uint32_t)build->column_count : PR_DATA_SHOWN;
    for (uint32_t c = 0; c < kept->count; c++) {
        const struct pr_cell *cell = &build->cells[c * build->stride + row];
        kept->size[c] = cell->length;
        kept->kept[c] = cell->length < PR_KEPT_BYTES ? cell->length : PR_KEPT_BYTES;
        kept->form[c] = cell->form;
        kept->known[c] = build->columns[c].given.kind;
        kept->asked[c] = build->columns[c].asked;
        kept->order[c] = build->columns[c].order;
        pr_buf_add(&kept->bytes, cell->text, kept->kept[c]);
    }
}
