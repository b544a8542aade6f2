/* SPDX-License-Identifier: Apache-2.0 */
/* Each phase of the input against those of its name in the baselines. */
#include "cli/check/judge.h"

#include "capture/base/text.h"
#include "cli/io/terminal_names.h"
#include "render/words/phase_figures.h"

enum { NAME_COLUMNS = 60 };

/* Whether a phase before number NUMBER of the run has the same name. */
static bool came_before(const struct pr_diff_run *run, uint32_t number)
{
    for (uint32_t i = 0; i < number; i++)
        if (run->phases.at[i].name == run->phases.at[number].name)
            return true;
    return false;
}

static bool has_phase(const struct pr_diff_run *run, pr_str name)
{
    for (uint32_t i = 0; i < run->phases.count; i++)
        if (run->phases.at[i].name == name)
            return true;
    return false;
}

/* "a baseline has no phase 'fit': it is not compared". False: no memory. */
static bool note_missing(struct pr_judge *j, const char *whose, pr_str phase)
{
    const struct pr_text text = pr_profile_text(j->verdict->diff->profile, phase);
    struct pr_buf name = {0};
    pr_text_cut_end(&name, phase ? text : pr_text_of(PR_PHASE_FIRST), NAME_COLUMNS);
    pr_buf_byte(&name, '\0');
    const bool done =
        !name.failed && pr_verdict_note(j->verdict, "%s has no phase '%s': it is not compared", whose, name.bytes);
    pr_buf_clear(&name);
    return done;
}

static int compare_figure(struct pr_judge *j, pr_str phase, size_t figure)
{
    struct pr_verdict *v = j->verdict;
    const struct pr_text text = pr_profile_text(v->diff->profile, phase);
    struct pr_buf name = {0};
    pr_buf_text(&name, PR_PHASE_METRIC);
    pr_buf_add(&name, text.bytes, text.length);
    pr_buf_printf(&name, ":%s", pr_phase_figures[figure].name);
    pr_buf_byte(&name, '\0');
    const int number = name.failed ? -1 : pr_check_phases_add(&v->phases, v->diff, name.bytes);
    pr_buf_clear(&name);
    if (number < 0)
        return pr_judge_no_memory();
    if (!pr_judge_has_figure(j, PR_FIGURES + number, v->diff->count))
        return PR_EXIT_DONE;
    return pr_judge_regression(j, (int)v->diff->metric_count + PR_FIGURES + number);
}

/* The heap and what is retained, where there is a heap in the input; else what the system counts. */
static int compare_phase(struct pr_judge *j, const struct pr_phase *phase)
{
    const struct pr_diff *diff = j->verdict->diff;
    for (uint32_t k = 1; k < diff->count; k++)
        if (!has_phase(&diff->runs[k], phase->name))
            return note_missing(j, "a baseline", phase->name) ? PR_EXIT_DONE : pr_judge_no_memory();
    if (!phase->heap_bytes.known)
        return compare_figure(j, phase->name, PR_PHASE_RSS);
    const int status = compare_figure(j, phase->name, PR_PHASE_HEAP);
    return status == PR_EXIT_DONE ? compare_figure(j, phase->name, PR_PHASE_RETAINED) : status;
}

int pr_judge_phases(struct pr_judge *j)
{
    const struct pr_diff *diff = j->verdict->diff;
    const struct pr_diff_run *input = &diff->runs[0];
    int status = PR_EXIT_DONE;
    for (uint32_t i = 0; i < input->phases.count && status == PR_EXIT_DONE; i++)
        if (!came_before(input, i))
            status = compare_phase(j, &input->phases.at[i]);
    for (uint32_t k = 1; k < diff->count && status == PR_EXIT_DONE; k++)
        for (uint32_t i = 0; i < diff->runs[k].phases.count && status == PR_EXIT_DONE; i++)
            if (!has_phase(input, diff->runs[k].phases.at[i].name) &&
                !note_missing(j, "the input", diff->runs[k].phases.at[i].name))
                status = pr_judge_no_memory();
    if (status == PR_EXIT_DONE && !input->phases.count && !pr_verdict_note(j->verdict, "the input has no marks: no "
                                                                                       "phase is compared"))
        status = pr_judge_no_memory();
    return status;
}
