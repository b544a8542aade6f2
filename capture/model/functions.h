/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which function a frame is of. Its name and file say so, unless a file has several of one name: lambdas,
 * comprehensions, methods of two classes. These are told apart by their first lines.
 */
#ifndef PR_CAPTURE_MODEL_FUNCTIONS_H
#define PR_CAPTURE_MODEL_FUNCTIONS_H

#include "profrender/profile.h"

#include <stdint.h>

/* First lines from here on are not lines: in a difference, they only distinguish functions of one name at one line. */
enum { PR_NO_LINE = 1 << 30 };

/*
 * For each frame [frame_count] the first line of its function if its file has others of the same name, else 0. So
 * frames are of one function if their name, file and this number are the same. A frame without a first line, of a
 * second profiler, belongs to the last of these functions that begins at its line or before; a comprehension or lambda
 * without one begins where it first ran in its function (capture/model/nameless.h). Owned: free it; NULL: no memory.
 */
int32_t *pr_functions_tell_apart(const struct pr_profile *profile);

#endif
