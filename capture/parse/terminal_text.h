/* SPDX-License-Identifier: Apache-2.0 */
/* What a program wrote for a terminal, without what only terminals understand: colours, titles, cursor movements. */
#ifndef PR_CAPTURE_PARSE_TERMINAL_TEXT_H
#define PR_CAPTURE_PARSE_TERMINAL_TEXT_H

#include "profrender/buf.h"
#include "profrender/string_table.h"

/* Whether anything in TEXT is for a terminal. */
bool pr_plain_needed(struct pr_text text);

/*
 * Appends TEXT without its escape sequences. What does not end is left out to the end of its line.
 *
 * Source: ECMA-48, 5.4 (CSI: parameters, intermediates, a final byte) and 5.6 (strings that ST ends; xterm takes BEL).
 */
void pr_plain_add(struct pr_buf *out, struct pr_text text);

#endif
