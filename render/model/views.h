/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The views of a profile: a tab and a section of the static page for each metric, with its words. Words follow from
 * what was measured: the time of a CPU profile is not an allocation.
 */
#ifndef PR_RENDER_MODEL_VIEWS_H
#define PR_RENDER_MODEL_VIEWS_H

#include "profrender/profile.h"

struct pr_view {
    unsigned metric;     /* of the profile */
    char id[24];         /* of the tab; the section has it too, see pr_view_section */
    const char *tab;     /* "Peak", "Time" */
    const char *heading; /* "Heap at its peak", "Time" */
    const char *nothing; /* said when the metric is 0 */
    bool is_heap;        /* peak, leaked or temporary allocations, in bytes */
};

/* Views in the order of the tabs; of a difference, what its verdict is about comes first. */
struct pr_views {
    struct pr_view *view; /* [count] */
    uint32_t count;
};

/* The maximum number with a section in the page without scripts; a profile may have hundreds of metrics. */
enum { PR_MAX_SECTIONS = 6 };

/*
 * Owner:  pr_views_clear; strings are borrowed from PROFILE.
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_views_make(const struct pr_profile *profile, struct pr_views *views, struct pr_error *err);
void pr_views_clear(struct pr_views *views);

/* Whether a change is worth a sentence: under a twentieth of what was before it is not; of a metric of a difference. */
bool pr_change_is_news(int64_t before, int64_t after);
bool pr_view_is_news(const struct pr_profile *profile, const struct pr_metric *after);

/* What a metric is called above its data: "Heap at its peak", "Wall time". */
const char *pr_view_heading(const struct pr_profile *profile, const struct pr_metric *metric);

/* True for one of the sections of the static page. */
static inline bool pr_view_is_static(const struct pr_views *views, const struct pr_view *view)
{
    return view - views->view < PR_MAX_SECTIONS;
}

/* The prefix of a view's id in the id of its section: those of the heap have none, others may be any word. */
static inline const char *pr_view_prefix(const struct pr_view *view)
{
    return view->is_heap ? "" : "v-";
}

#endif
