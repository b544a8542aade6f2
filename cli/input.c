/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input.h"

#include "cli/options.h"
#include "cli/progress.h"
#include "cli/say.h"
#include "render/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLACE_SIZE = 120 };

const char *pr_input_name(const struct pr_common *common)
{
    return strcmp(common->input, "-") == 0 ? "standard input" : common->input;
}

/* Where reading stopped and what was being read there: "at byte 1,234 (frame push record): ". TEXT may become "". */
static void say_place(char text[PLACE_SIZE], const struct pr_error *problem)
{
    text[0] = '\0';
    if (problem->offset == PR_NO_OFFSET)
        return;
    snprintf(text, PLACE_SIZE, problem->doing[0] ? "at byte %s (%s): " : "at byte %s: ",
             pr_units_count((int64_t)problem->offset).text, problem->doing);
}

static void say_failure(const struct pr_common *common, const struct pr_error *err)
{
    char place[PLACE_SIZE] = "";
    if (err->code == PR_ERR_DAMAGED || err->code == PR_ERR_TRUNCATED || err->code == PR_ERR_LIMIT)
        say_place(place, err);
    pr_say("%s: %s%s", pr_input_name(common), place, err->text);
}

static void warn_incomplete(const struct pr_common *common, const struct pr_profile *profile)
{
    char place[PLACE_SIZE];
    say_place(place, &profile->problem);
    pr_say("%s: not complete, %s%s; all before that is shown", pr_input_name(common), place, profile->problem.text);
}

int pr_input_load(const struct pr_common *common, const struct pr_load_options *options, struct pr_profile **profile)
{
    if (strcmp(common->input, "-") == 0 && isatty(STDIN_FILENO)) {
        pr_say("standard input is a terminal: pipe a capture in, or name a file");
        return PR_EXIT_USAGE;
    }
    struct pr_load_options with_progress = options ? *options : pr_load_options_default();
    if (!options)
        with_progress.native = PR_NATIVE_OFF;
    const char *servers = getenv("DEBUGINFOD_URLS");
    with_progress.debuginfod = servers && *servers;
    struct pr_progress progress = pr_progress_start(pr_input_name(common), common->quiet);
    with_progress.format = common->input_format;
    with_progress.progress = pr_progress_step;
    with_progress.progress_context = &progress;
    struct pr_error err = {0};
    enum pr_status status = pr_load(common->input, &with_progress, profile, &err);
    pr_progress_end(&progress);
    if (status == PR_FAILED) {
        say_failure(common, &err);
        return PR_EXIT_INPUT;
    }
    if (!(*profile)->complete)
        warn_incomplete(common, *profile);
    return PR_EXIT_DONE;
}

int pr_input_status(const struct pr_common *common, const struct pr_profile *profile, int status)
{
    if (status == PR_EXIT_DONE && common->strict && !profile->complete)
        return PR_EXIT_INPUT;
    return status;
}

/* What no capture without history has. */
static bool needs_history(const char *view)
{
    return strcmp(view, "temporary") == 0 || strcmp(view, "allocated") == 0 || strncmp(view, "temporal-", 9) == 0 ||
           strcmp(view, "--window") == 0;
}

int pr_input_lacks(const struct pr_common *common, const struct pr_profile *profile, const char *view)
{
    char list[160] = "nothing";
    size_t used = 0;
    for (uint32_t i = 0; i < profile->metric_count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", profile->metrics[i].name);
    if (profile->meta.aggregated && needs_history(view))
        pr_say("%s: an aggregated capture has no history of allocations, so no '%s'; it has %s", pr_input_name(common),
               view, list);
    else
        pr_say("%s: there is no '%s' in this input; it has %s", pr_input_name(common), view, list);
    return PR_EXIT_INPUT;
}
