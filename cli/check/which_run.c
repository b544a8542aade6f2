/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/which_run.h"

#include "render/words/program_name.h"

#include <stdio.h>
#include <string.h>

struct pr_which_run pr_which_run_of(const struct pr_profile *profile)
{
    const struct pr_text program = pr_program_name(pr_profile_text(profile, profile->meta.command_line));
    struct pr_which_run run = {.start_ms = profile->meta.start_ms, .pid = profile->meta.pid};
    for (uint32_t i = 0; i < profile->metric_count; i++)
        run.total = (int64_t)((uint64_t)run.total * 31 + (uint64_t)profile->metrics[i].total_value);
    snprintf(run.program, sizeof run.program, "%.*s", program.length < 63 ? (int)program.length : 63, program.bytes);
    return run;
}

bool pr_which_run_is_same(const struct pr_which_run *a, const struct pr_which_run *b)
{
    return a->start_ms.known && b->start_ms.known && a->start_ms.value == b->start_ms.value && a->pid.known &&
           b->pid.known && a->pid.value == b->pid.value && a->total == b->total;
}

bool pr_which_run_is_other(const struct pr_which_run *a, const struct pr_which_run *b)
{
    return a->program[0] && b->program[0] && strcmp(a->program, b->program) != 0;
}
