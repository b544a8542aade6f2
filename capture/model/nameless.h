/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that Python gives no name of their own: comprehensions, generator expressions and lambdas. People know them
 * by the function that they are in, "load › list comprehension". Which one that is, the recorded name may contain
 * ("load.<locals>.<listcomp>"); else it is found in the call tree.
 */
#ifndef PR_CAPTURE_MODEL_NAMELESS_H
#define PR_CAPTURE_MODEL_NAMELESS_H

#include "profrender/profile.h"

#include <stdbool.h>

/*
 * "list comprehension" for a recorded NAME of one; NULL: it is an ordinary name. *AROUND becomes the part of NAME that
 * is the function around it, without a file or a call tree to ask; empty: not in the name.
 */
const char *pr_nameless_kind(struct pr_text name, struct pr_text *around);

/* Whether NAME is that of a comprehension or a generator expression, which only their own function uses. */
bool pr_nameless_is_comprehension(struct pr_text name);

/*
 * Sets profile->around and profile->shown; both stay NULL without such functions. The function around one is known
 *
 *  - from its name,
 *  - of a comprehension: as its caller, which is in the same file,
 *  - of a generator expression or lambda, which may run anywhere: as the nearest caller in the same file whose lines
 *    enclose it; of a generator expression, also where no other function begins between them. Without line numbers it
 *    stays unknown.
 *
 * A frame whose callers are two functions has none. PR_FAILED: no memory.
 */
enum pr_status pr_nameless_settle(struct pr_profile *profile, struct pr_error *err);

/* What people call the function of FRAME: its name, or "load › list comprehension"; as a string of the profile. */
pr_str pr_shown_name(const struct pr_profile *profile, pr_frame_id frame);

/* The same as text, borrowed from the profile. */
struct pr_text pr_shown_function(const struct pr_profile *profile, pr_frame_id frame);

/* The same for NODE of the call tree, which a row of FUNCTION has; without a node, or of others, FUNCTION itself. */
struct pr_text pr_shown_function_of(const struct pr_profile *profile, pr_node_id node, pr_str function);

/* The name of the function that the nameless one of FRAME is in; empty: unknown, or FRAME has a name. */
struct pr_text pr_function_around(const struct pr_profile *profile, pr_frame_id frame);

#endif
