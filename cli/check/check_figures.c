/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/check_figures.h"

#include "capture/base/checked.h"
#include "capture/model/run_figures.h"
#include "capture/model/run_times.h"
#include "cli/reports/report.h"

#include <string.h>

const struct pr_metric pr_arenas_metric = {.name = "arenas", .title = "Arenas of pymalloc", .unit = PR_UNIT_BYTES};

static const struct {
    const char *name, *title, *missing;
    enum pr_unit unit;
} figures[PR_FIGURES] = {
    [PR_FIGURE_RSS] = {"rss", "Memory of the process", "the memory (RSS) of the process is not recorded; "
                       "`profrender record` samples it", PR_UNIT_BYTES},
    [PR_FIGURE_DURATION] = {"duration", "Duration", "how long the run took is not recorded; `profrender record` "
                            "measures it", PR_UNIT_NANOSECONDS},
    [PR_FIGURE_FAILED] = {"failed", "Failures", "how the run ended is not recorded; `profrender record` notes it",
                          PR_UNIT_COUNT}};

static struct pr_maybe failed_of(const struct pr_profile *profile)
{
    const struct pr_failure *failure = &profile->run.failure;
    const bool failed = pr_failure_is_one(failure);
    return (struct pr_maybe){failed || failure->exit.known || failure->signal.known, failed};
}

static struct pr_maybe worked_of(const struct pr_run *run)
{
    if (!run->user_ns.known || !run->system_ns.known)
        return (struct pr_maybe){.known = false};
    return (struct pr_maybe){true, pr_add_saturated(run->user_ns.value, run->system_ns.value)};
}

struct pr_figures pr_figures_of(const struct pr_profile *profile)
{
    const struct pr_maybe found[PR_FIGURES] = {[PR_FIGURE_RSS] = pr_run_peak_rss(profile),
                                               [PR_FIGURE_DURATION] = pr_times_duration_ns(profile),
                                               [PR_FIGURE_FAILED] = failed_of(profile)};
    struct pr_figures made = {.metric = {{.name = NULL}}, .worked_ns = worked_of(&profile->run),
                              .start_ms = profile->meta.start_ms};
    for (int i = 0; i < PR_FIGURES; i++)
        if (found[i].known)
            made.metric[i] = (struct pr_metric){.name = figures[i].name,
                                                .title = figures[i].title,
                                                .unit = figures[i].unit,
                                                .total_value = found[i].value};
    return made;
}

int pr_figure_named(const char *name)
{
    for (int i = 0; i < PR_FIGURES; i++)
        if (strcmp(figures[i].name, name) == 0)
            return i;
    return -1;
}

const char *pr_figure_missing(int figure)
{
    return figures[figure].missing;
}
