/* SPDX-License-Identifier: Apache-2.0 */
/* The stack of a failure, as its traceback has it: a line for each of the user's frames, with its code. */
#ifndef PR_RENDER_SECTIONS_FAILURE_STACK_H
#define PR_RENDER_SECTIONS_FAILURE_STACK_H

#include "render/sections/raise_site.h"

/*
 * Appends the table of the frames of RAISED that are the user's own, and of the one that raised; nothing if there is
 * none. Without folders there is no code: it may contain them.
 */
void pr_failure_stack_emit(const struct pr_page *page, const struct pr_raise_site *raised, struct pr_buf *out);

/* Whether the traceback quotes the code of a frame in the table. */
bool pr_failure_stack_has_code(const struct pr_page *page, const struct pr_raise_site *raised);

/* Appends "9 more frames of memray and runpy": those that are not in the table; false: all are in it. */
bool pr_failure_stack_emit_others(const struct pr_page *page, const struct pr_raise_site *raised, struct pr_buf *out);

#endif
