/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/known_cells.h"

#include <string.h>

void pr_known_cells_begin(struct pr_known_cells *known)
{
    if (++known->use == 0) { /* all numbers were used: none may be met again */
        memset(known->cells, 0, sizeof known->cells);
        known->use = 1;
    }
    known->used_count = known->looked_for = known->found = 0;
}

void pr_known_cells_put(struct pr_known_cells *known, struct pr_known_cell *at, const struct pr_cell *cell,
                        const uint64_t bytes[2])
{
    if (at->use != known->use)
        known->used[known->used_count++] = (uint16_t)(at - known->cells);
    *at = (struct pr_known_cell){.bytes = {bytes[0], bytes[1]},
                                 .shape = cell->length << 8 | (uint32_t)cell->form,
                                 .use = known->use};
}

struct pr_cell pr_known_cell_of(const struct pr_known_cell *at)
{
    return (struct pr_cell){(const char *)at->bytes, at->shape >> 8, (enum pr_cell_form)(at->shape & 0xFF)};
}
