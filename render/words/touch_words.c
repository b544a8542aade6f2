/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/touch_words.h"

const char *pr_touch_words(enum pr_touch touch)
{
    static const char *const words[] = {
        [PR_UNTOUCHED] = "", [PR_TOUCHED_FILE] = ", in a changed file", [PR_TOUCHED_LINE] = ", changed here"};
    return words[touch];
}
