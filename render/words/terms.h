/* SPDX-License-Identifier: Apache-2.0 */
/* What the words on a page mean. The page's script takes them from its "How to read this". */
#ifndef PR_RENDER_WORDS_TERMS_H
#define PR_RENDER_WORDS_TERMS_H

#include "profrender/profile.h"

struct pr_meaning {
    const char *name;    /* as it is, or occurs, in a label; NULL: pr_heap_words() has both */
    const char *meaning; /* a short sentence without its full stop */
    /* Whether the card of a profile has the word. */
    bool (*wants)(const struct pr_profile *profile);
};

/* The more special one first; the last one is wanted by no profile: wants is NULL. */
extern const struct pr_meaning pr_meanings[];

#endif
