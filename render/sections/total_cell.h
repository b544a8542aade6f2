/* SPDX-License-Identifier: Apache-2.0 */
/* A cell of the grid of totals, for the files that fill it. */
#ifndef PR_RENDER_SECTIONS_TOTAL_CELL_H
#define PR_RENDER_SECTIONS_TOTAL_CELL_H

#include "render/page/page.h"

#include <stdio.h>

/* How early a figure gets one of the few places in the first line; the rest is below "more". */
enum pr_total_rank { PR_RANK_REST, PR_RANK_LATE, PR_RANK_EARLY, PR_RANK_FIRST };

/* An empty VALUE is unknown: then NONE is shown instead. Without a name there is no cell. */
struct pr_total_cell {
    const char *name;
    enum pr_total_rank rank;
    struct pr_figure value, exact;
    const char *none;
    const struct pr_view *view;     /* what a click shows, or NULL */
    const char *source;             /* for the hover, where it comes from; NULL = the capture */
    const struct pr_series *series; /* for a small picture, or NULL */
    const char *kind;               /* a class for the colour of the note, or NULL */
    enum pr_before before;          /* what the value is compared with on a card of a site */
    char note[160], note_exact[160];
};

/* The note of a cell, and the exact values of its rounded numbers, for the hover; like printf. */
#define PR_CELL_NOTE(cell, ...) snprintf((cell)->note, sizeof(cell)->note, __VA_ARGS__)
#define PR_CELL_NOTE_EXACT(cell, ...) snprintf((cell)->note_exact, sizeof(cell)->note_exact, __VA_ARGS__)

/* The most figures of the first line, and the most that the card has at all. */
enum { PR_FEW_TOTALS = 3, PR_KEY_TOTALS = 5, PR_MAX_TOTALS = 64 };

/* Cells as HTML, one after the other in MARKUP; zero it first. Cells past PR_MAX_TOTALS are left out. */
struct pr_totals {
    struct pr_buf markup;
    unsigned count;
    struct {
        size_t end; /* in MARKUP */
        enum pr_total_rank rank;
    } cell[PR_MAX_TOTALS];
};

/* Adds CELL, if it has a name. Errors are stored in MARKUP. */
void pr_total_cell_add(const struct pr_page *page, const struct pr_total_cell *cell, struct pr_totals *totals);

/* The first line of figures, and the others in an element that opens. Clears TOTALS. */
void pr_totals_emit(struct pr_totals *totals, struct pr_buf *out);

/* So few figures need no panel: they are a line of the header. */
static inline bool pr_totals_are_few(const struct pr_totals *totals)
{
    return totals->count <= PR_FEW_TOTALS;
}

/* The cells of a run: CPU time, disk, network, what it waited for; none unless the run was recorded. */
void pr_run_stats_add(const struct pr_page *page, struct pr_totals *totals);

/*
 * For a difference (render/sections/growth.h): the totals of both sides; what changed most. Errors: PR_FAILED, out of
 * memory.
 */
void pr_growth_stats_add(const struct pr_page *page, struct pr_totals *totals);
enum pr_status pr_growth_findings_emit(const struct pr_page *page, struct pr_buf *out, struct pr_error *err);

#endif
