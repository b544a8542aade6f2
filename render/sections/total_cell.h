/* SPDX-License-Identifier: Apache-2.0 */
/* A cell of the grid of totals, for the files that fill it. */
#ifndef PR_RENDER_SECTIONS_TOTAL_CELL_H
#define PR_RENDER_SECTIONS_TOTAL_CELL_H

#include "render/page/page.h"

#include <stdio.h>

/* An empty VALUE is unknown: then NONE is shown instead. Without a name there is no cell. */
struct pr_total_cell {
    const char *name;
    struct pr_figure value, exact;
    const char *none;
    const char *source;             /* for the hover, where it comes from; NULL = the capture */
    const struct pr_series *series; /* for a small picture, or NULL */
    char note[160], note_exact[160];
};

/* The note of a cell, and the exact values of its rounded numbers, for the hover; like printf. */
#define PR_CELL_NOTE(cell, ...) snprintf((cell)->note, sizeof(cell)->note, __VA_ARGS__)
#define PR_CELL_NOTE_EXACT(cell, ...) snprintf((cell)->note_exact, sizeof(cell)->note_exact, __VA_ARGS__)

void pr_total_cell_emit(const struct pr_page *page, const struct pr_total_cell *cell, struct pr_buf *out);

/* The cells of a run: CPU time, disk, network, what it waited for; none unless the run was recorded. */
void pr_run_stats_emit(const struct pr_page *page, struct pr_buf *out);

/* Items of the list of findings: how near to its limit memory came; what a run waited for, and how busy it was. */
void pr_run_memory_finding_emit(const struct pr_page *page, struct pr_buf *out);
void pr_run_findings_emit(const struct pr_page *page, struct pr_buf *out);

/*
 * For a difference (render/sections/growth.h): the totals of both sides; what changed most. Errors: PR_FAILED, out of
 * memory.
 */
void pr_growth_stats_emit(const struct pr_page *page, struct pr_buf *out);
enum pr_status pr_growth_findings_emit(const struct pr_page *page, struct pr_buf *out, struct pr_error *err);

#endif
