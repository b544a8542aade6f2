/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/moves.h"

#include "capture/base/checked.h"
#include "cli/args/options.h"
#include "cli/io/terminal_names.h"

#include <math.h>
#include <stdlib.h>

enum { NAME_COLUMNS = 60 };

static const double as_much = 0.1; /* what left one function and came to another differ by at most this share */

struct pr_diff_move *pr_moves_find(struct pr_judge *j, int metric, const struct pr_diff_table *table)
{
    struct pr_diff_move *moved = calloc(table->count + 1, sizeof *moved);
    struct pr_error err = {0};
    if (!moved || !pr_judge_has_stacks(j, metric) || !j->chosen_count)
        return moved;
    const uint32_t usual = pr_judge_usual(j, metric);
    if (pr_diff_moved(j->verdict->diff, (unsigned)metric, usual, PR_DIFF_APART, table, moved, &err) != PR_FAILED)
        return moved;
    free(moved);
    return NULL;
}

bool pr_moves_explain(const struct pr_finding *finding, const struct pr_diff_move *moved)
{
    enum pr_doubt doubt;
    const int64_t rest = pr_subtract_saturated(finding->after, moved->here);
    return pr_bounds_answer(&finding->bounds, &finding->history, rest, &doubt) != PR_BROKEN;
}

/* The row that lost about as much as moved into row number I; COUNT: none did by itself. */
static size_t source_of(const struct pr_diff_table *table, const struct pr_diff_move *moved, size_t i)
{
    size_t best = table->count;
    double least = as_much * (double)moved[i].here;
    for (size_t k = 0; k < table->count; k++) {
        const double away = fabs((double)moved[k].away - (double)moved[i].here);
        if (k != i && moved[k].away && away <= least) {
            best = k;
            least = away;
        }
    }
    return best;
}

int pr_moves_note(struct pr_judge *j, const struct pr_finding *finding, const struct pr_diff_table *table,
                  const struct pr_diff_move *moved, size_t i)
{
    const struct pr_profile *profile = j->verdict->diff->profile;
    const size_t from = source_of(table, moved, i);
    struct pr_buf name = {0}, source = {0};
    pr_text_cut_end(&name, pr_profile_text(profile, table->row[i].function), NAME_COLUMNS);
    if (from < table->count)
        pr_text_cut_end(&source, pr_profile_text(profile, table->row[from].function), NAME_COLUMNS);
    pr_buf_byte(&name, '\0');
    pr_buf_byte(&source, '\0');
    const bool done = !name.failed && !source.failed &&
                      pr_verdict_note(j->verdict, "%s: %s of %s came from %s: moved, not grown", finding->metric->name,
                                      pr_finding_figure(finding, moved[i].here).text, name.bytes,
                                      from < table->count ? source.bytes : "functions called from the same place");
    pr_buf_clear(&name);
    pr_buf_clear(&source);
    return done ? PR_EXIT_DONE : pr_judge_no_memory();
}
