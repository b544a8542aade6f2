/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of sentences (profrender/explain.h) in words, the same on the card and in the terminal. */
#ifndef PR_RENDER_WORDS_INSIGHT_WORDS_H
#define PR_RENDER_WORDS_INSIGHT_WORDS_H

#include "profrender/buf.h"
#include "profrender/explain.h"
#include "render/words/units.h"

/* A phrase that is a figure, "253 MiB"; "" for words and names, and where nothing is known. */
struct pr_figure pr_insight_figure(const struct pr_profile *profile, const struct pr_phrase *phrase);

/* The same with all its digits; of a share, its two parts. */
void pr_insight_exact(const struct pr_profile *profile, const struct pr_phrase *phrase, struct pr_buf *out);

/* What a place is called: its file without folders, "an unknown file" without one. */
struct pr_text pr_insight_file(const struct pr_profile *profile, const struct pr_phrase *phrase);

#endif
