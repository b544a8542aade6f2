/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a phase (profrender/phases.h): what they are called, the same on the card and in the terminal. */
#ifndef PR_RENDER_WORDS_PHASE_FIGURES_H
#define PR_RENDER_WORDS_PHASE_FIGURES_H

#include "profrender/phases.h"

struct pr_phase_figure {
    const char *name;         /* that people type: "heap" */
    const char *key;          /* in JSON, with its unit: "heap_bytes" */
    const char *title, *about;
    enum pr_unit unit;
    size_t offset;            /* of it in struct pr_phase */
};

enum { PR_PHASE_FIGURES = 9 };
extern const struct pr_phase_figure pr_phase_figures[PR_PHASE_FIGURES];

/* The figure NUMBER of a phase. */
struct pr_maybe pr_phase_figure_of(const struct pr_phase *phase, size_t number);

/* What a phase without a name is called. */
#define PR_PHASE_FIRST "before the first mark"

#endif
