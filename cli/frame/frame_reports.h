/* SPDX-License-Identifier: Apache-2.0 */
/* A table of data as a document for programs, and in the terminal. */
#ifndef PR_CLI_FRAME_FRAME_REPORTS_H
#define PR_CLI_FRAME_FRAME_REPORTS_H

#include "cli/args/command.h"
#include "cli/io/output.h"
#include "profrender/data_frame.h"

/* schemas/frame.schema.json. NAME is that of the input. */
void pr_frame_document(struct pr_output *out, const struct pr_data_frame *frame, const char *name);

/* WIDTH: columns; 0: the terminal's. */
void pr_frame_text(struct pr_output *out, const struct pr_common *common, const struct pr_data_frame *frame,
                   const char *name, uint64_t width);

#endif
