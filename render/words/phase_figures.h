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

enum {
    PR_PHASE_RSS,
    PR_PHASE_GROWTH,
    PR_PHASE_HEAP,
    PR_PHASE_RETAINED,
    PR_PHASE_CPU,
    PR_PHASE_READ,
    PR_PHASE_WRITTEN,
    PR_PHASE_RECEIVED,
    PR_PHASE_SENT,
    PR_PHASE_FIGURES
};
extern const struct pr_phase_figure pr_phase_figures[PR_PHASE_FIGURES];

/* The figure NUMBER of a phase. */
struct pr_maybe pr_phase_figure_of(const struct pr_phase *phase, size_t number);

/* What a phase without a name is called. */
#define PR_PHASE_FIRST "before the first mark"

#endif
