/* SPDX-License-Identifier: Apache-2.0 */
/* What a schema asks of columns, for the readers of tables and for the columns themselves. */
#ifndef PR_CAPTURE_FRAME_DATA_ASKED_H
#define PR_CAPTURE_FRAME_DATA_ASKED_H

#include "capture/frame/column_build.h"
#include "profrender/data_schema.h"

/* What is asked of the column called NAME, which is noted as found; NULL: nothing, or there is no SCHEMA. */
const struct pr_data_asked *pr_data_asked_of(struct pr_data_schema *schema, struct pr_text name);

/* Texts stay as they are: category, text, identifier. */
bool pr_data_asked_is_text(const struct pr_data_asked *asked);

/*
 * The cell as the type that is asked for; ORDER is that of the column's dates. What cannot be is missing, and then
 * VALUE->is_refused.
 */
void pr_cell_convert(const struct pr_data_asked *asked, enum pr_cell_order order, const struct pr_cell *cell,
                     struct pr_cell_value *value);

/* The words for a boolean become "true" and "false", so that each is one value; others stay. */
void pr_cells_to_booleans(struct pr_cell *cells, uint32_t rows);

/* VALUE as dates in ORDER have it; one that cannot be in that order is text. */
void pr_cell_put_in_order(enum pr_cell_order order, struct pr_cell_value *value);

#endif
