/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/check_phases.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "cli/io/terminal_names.h"
#include "render/words/phase_figures.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 60 };

int pr_check_phase_figure(const char *name)
{
    const char *figure = strrchr(name, ':');
    if (strncmp(name, PR_PHASE_METRIC, strlen(PR_PHASE_METRIC)) != 0 || figure < name + strlen(PR_PHASE_METRIC))
        return -1;
    for (int i = 0; i < PR_PHASE_FIGURES; i++)
        if (strcmp(pr_phase_figures[i].name, figure + 1) == 0)
            return i;
    return -1;
}

/* The phase of "phase:fit:heap"; empty: what is before the first mark. */
static struct pr_text phase_of(const char *name)
{
    const char *from = name + strlen(PR_PHASE_METRIC);
    return (struct pr_text){from, (uint32_t)(strrchr(name, ':') - from)};
}

/* The highest value of the figure in any phase of that name. */
static struct pr_maybe highest_of(const struct pr_profile *profile, const struct pr_diff_run *run, struct pr_text name,
                                  size_t figure)
{
    struct pr_maybe highest = {.known = false};
    for (uint32_t i = 0; i < run->phases.count; i++) {
        const struct pr_text other = pr_profile_text(profile, run->phases.at[i].name);
        const struct pr_maybe value = pr_phase_figure_of(&run->phases.at[i], figure);
        if (other.length != name.length || memcmp(other.bytes, name.bytes, name.length) != 0 || !value.known)
            continue;
        if (!highest.known || value.value > highest.value)
            highest = value;
    }
    return highest;
}

/* Owned; NULL: no memory. */
static char *words_of(const char *before, struct pr_text name, const char *after)
{
    struct pr_buf text = {0};
    pr_buf_text(&text, before);
    if (name.length)
        pr_text_cut_end(&text, name, NAME_COLUMNS);
    pr_buf_text(&text, after);
    pr_buf_byte(&text, '\0');
    char *words = text.failed ? NULL : strdup(text.bytes);
    pr_buf_clear(&text);
    return words;
}

/* The names are those of METRIC, as the figure of a phase. False: no memory. */
static bool name_it(struct pr_check_phase *phase, const char *metric, size_t figure)
{
    const struct pr_text name = phase_of(metric);
    struct pr_buf title = {0};
    pr_buf_printf(&title, "%s %s", pr_phase_figures[figure].title, name.length ? "of phase " : PR_PHASE_FIRST);
    pr_buf_byte(&title, '\0');
    phase->title = title.failed ? NULL : words_of(title.bytes, name, "");
    phase->name = words_of(PR_PHASE_METRIC, name, strrchr(metric, ':'));
    pr_buf_clear(&title);
    return phase->title && phase->name;
}

int pr_check_phases_add(struct pr_check_phases *phases, const struct pr_diff *diff, const char *name)
{
    const size_t figure = (size_t)pr_check_phase_figure(name);
    struct pr_check_phase made = {.column = calloc(diff->count, sizeof *made.column)};
    if (!made.column || !name_it(&made, name, figure) ||
        !pr_grow(&phases->one, &phases->capacity, phases->count + 1, sizeof *phases->one)) {
        free(made.name);
        free(made.title);
        free(made.column);
        return -1;
    }
    for (uint32_t k = 0; k < diff->count; k++) {
        const struct pr_maybe value = highest_of(diff->profile, &diff->runs[k], phase_of(name), figure);
        made.column[k] = (struct pr_metric){.name = value.known ? made.name : NULL,
                                            .title = made.title,
                                            .unit = pr_phase_figures[figure].unit,
                                            .total_value = value.value};
    }
    phases->one[phases->count] = made;
    return (int)phases->count++;
}

void pr_check_phases_clear(struct pr_check_phases *phases)
{
    for (size_t i = 0; i < phases->count; i++) {
        free(phases->one[i].name);
        free(phases->one[i].title);
        free(phases->one[i].column);
    }
    free(phases->one);
    *phases = (struct pr_check_phases){.count = 0};
}
