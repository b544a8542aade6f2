/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/moves.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
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

static int compare_losses(const void *a, const void *b, const void *context)
{
    const struct pr_diff_move *moved = context;
    const size_t one = *(const size_t *)a, other = *(const size_t *)b;
    return PR_ORDER(moved[one].away, moved[other].away);
}

bool pr_losers_find(struct pr_losers *losers, const struct pr_diff_table *table, const struct pr_diff_move *moved)
{
    *losers = (struct pr_losers){.moved = moved, .row = malloc((table->count + 1) * sizeof *losers->row)};
    if (!losers->row)
        return false;
    for (size_t i = 0; i < table->count; i++) {
        if (moved[i].away)
            losers->row[losers->count++] = i;
    }
    return pr_sort(losers->row, losers->count, sizeof *losers->row, compare_losses, moved);
}

void pr_losers_clear(struct pr_losers *losers)
{
    free(losers->row);
    losers->row = NULL;
}

/* How many of them lost at most AMOUNT. */
static size_t count_up_to(const struct pr_losers *losers, int64_t amount)
{
    size_t low = 0, high = losers->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (losers->moved[losers->row[middle]].away <= amount)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The last row, but for row number I, of the first COUNT losers; NONE if there is no other. */
static size_t last_but(const struct pr_losers *losers, size_t count, size_t i, size_t none)
{
    if (count && losers->row[count - 1] == i)
        count--;
    return count ? losers->row[count - 1] : none;
}

/* The row that lost about as much as moved into row number I; NONE: none did by itself. */
static size_t source_of(const struct pr_losers *losers, size_t i, size_t none)
{
    const struct pr_diff_move *moved = losers->moved;
    const int64_t here = moved[i].here;
    const size_t up_to = count_up_to(losers, here);
    size_t more = up_to < losers->count ? up_to : losers->count, best = none;
    if (more < losers->count && losers->row[more] == i) /* the nearest one that lost more, which is another row */
        more++;
    const size_t candidates[] = {
        last_but(losers, up_to, i, none),
        more < losers->count ? last_but(losers, count_up_to(losers, moved[losers->row[more]].away), i, none) : none};
    double least = as_much * (double)here;
    for (size_t k = 0; k < sizeof candidates / sizeof *candidates; k++) {
        const size_t row = candidates[k];
        const double away = row == none ? INFINITY : fabs((double)moved[row].away - (double)here);
        if (away < least || (away <= least && (best == none || row > best))) { /* of the same, the later row */
            best = row;
            least = away;
        }
    }
    return best;
}

int pr_moves_note(struct pr_judge *j, const struct pr_finding *finding, const struct pr_diff_table *table,
                  const struct pr_losers *losers, size_t i)
{
    const struct pr_diff_move *moved = losers->moved;
    const struct pr_profile *profile = j->verdict->diff->profile;
    const size_t from = source_of(losers, i, table->count);
    struct pr_buf name = {0}, source = {0};
    pr_text_cut_function(&name, pr_profile_text(profile, table->row[i].shown), NAME_COLUMNS);
    if (from < table->count)
        pr_text_cut_function(&source, pr_profile_text(profile, table->row[from].shown), NAME_COLUMNS);
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
