/* SPDX-License-Identifier: Apache-2.0 */
/* The difference of two tables as a document for programs, and in the terminal. */
#ifndef PR_CLI_FRAME_FRAME_DIFF_REPORTS_H
#define PR_CLI_FRAME_FRAME_DIFF_REPORTS_H

#include "cli/args/command.h"
#include "cli/io/output.h"
#include "profrender/data_diff.h"

/* schemas/frame-diff.schema.json. BEFORE and AFTER are the names of the inputs. */
void pr_frame_diff_document(struct pr_output *out, const struct pr_data_diff *diff, const char *before,
                            const char *after);

/* WIDTH: columns; 0: the terminal's. */
void pr_frame_diff_text(struct pr_output *out, const struct pr_common *common, const struct pr_data_diff *diff,
                        const char *title, uint64_t width);

#endif
