/* SPDX-License-Identifier: Apache-2.0 */
/* Where a change under review touched the code, after the name of a place. */
#ifndef PR_RENDER_WORDS_TOUCH_WORDS_H
#define PR_RENDER_WORDS_TOUCH_WORDS_H

#include "capture/parse/changes.h"

/* ", changed here" or ", in a changed file"; otherwise "". */
const char *pr_touch_words(enum pr_touch touch);

#endif
