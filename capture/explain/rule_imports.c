/* SPDX-License-Identifier: Apache-2.0 */
/* Imports of Python modules, and their part of the time. */
#include "capture/explain/inquiry.h"

#include "capture/base/checked.h"
#include "capture/explain/main_metric.h"
#include "profrender/owner.h"
#include "profrender/table.h"

/* Less of the time is not worth a sentence. */
enum { LEAST_PERCENT = 20 };

/* Whether a frame is the import system. `exec` is not: a script that a profiler runs is no import. */
static bool imports(const struct pr_profile *profile, pr_frame_id frame)
{
    const struct pr_text function = pr_profile_text(profile, profile->frames[frame].function);
    return (pr_role_of(profile, frame) & PR_ROLE_IMPORT) && !pr_text_is(function, "builtins.exec") &&
           !pr_text_is(function, "<built-in method builtins.exec>");
}

/* What imports of one file take; `frame` is its module's. */
struct imported {
    pr_frame_id frame;
    int64_t sum;
};

/* The file whose import takes most: that of the outermost module that runs below the import system. */
static struct imported find_module(struct pr_inquiry *inquiry, const bool *is_import, const int64_t *part)
{
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_tree *tree = &profile->tree;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    pr_node_id *module = calloc(tree->count + (size_t)1, sizeof *module);
    int64_t *by_file = calloc(profile->strings.count + (size_t)1, sizeof *by_file);
    struct imported best = {PR_NO_NODE, 0};
    for (pr_node_id i = 1; module && by_file && i < tree->count; i++) {
        const pr_node_id above = tree->parent[i];
        const bool runs = !is_import[tree->frame[i]] && above != PR_ROOT && is_import[tree->frame[above]] &&
                          pr_text_is(pr_profile_text(profile, profile->frames[tree->frame[i]].function), "<module>");
        module[i] = module[above] != PR_ROOT ? module[above] : runs ? i : PR_ROOT;
    }
    for (size_t i = 0; module && by_file && i < profile->fact_count; i++) {
        if (module[leaf[i]] == PR_ROOT)
            continue;
        const pr_frame_id frame = tree->frame[module[leaf[i]]];
        int64_t *sum = &by_file[profile->frames[frame].file];
        pr_add_to(sum, part[i]);
        if (*sum > best.sum)
            best = (struct imported){frame, *sum};
    }
    inquiry->failed |= !module || !by_file;
    free(module);
    free(by_file);
    return best;
}

/* "Imports take 39.1 % of the time: 1.28 s, most of it for app.py." A bare __init__.py names no package. */
static void say_imports(struct pr_inquiry *inquiry, const struct pr_metric *metric, int64_t sum,
                        const struct imported *most)
{
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    pr_insight_saves(insight, metric->unit, sum, metric->total_value);
    insight->metric = (uint32_t)(metric - inquiry->profile->metrics);
    insight->proof = metric->exact ? "table INPUT" : "tree INPUT";
    PR_SAY(inquiry, &insight->headline, "Imports take {} of the {}", pr_phrase_share(metric, sum, metric->total_value),
           pr_phrase_text(pr_main_whole(inquiry, metric)));
    PR_SAY(inquiry, &insight->rest, ": {}", pr_phrase_amount(metric, sum));
    if (pr_text_is(pr_profile_text(inquiry->profile, inquiry->profile->frames[most->frame].file), "__init__.py"))
        PR_SAY(inquiry, &insight->rest, ".");
    else if (pr_is_share(most->sum, sum, 50))
        PR_SAY(inquiry, &insight->rest, ", most of it for {}.", pr_phrase_place(most->frame, 0));
    else
        PR_SAY(inquiry, &insight->rest, "; the largest part, {}, is for {}.", pr_phrase_amount(metric, most->sum),
               pr_phrase_place(most->frame, 0));
}

/* By the rows of a format that has no stacks: all imports, and the module that took most, with what it imports. */
static bool find_in_rows(struct pr_inquiry *inquiry, const struct pr_metric *metric, int64_t *sum,
                         struct imported *most)
{
    const struct pr_profile *profile = inquiry->profile;
    struct pr_table table = {0};
    struct pr_error err = {0};
    if (pr_table_make(profile, (unsigned)(metric - profile->metrics), PR_BY_FUNCTION, false, &table, &err) ==
        PR_FAILED) {
        inquiry->failed = true;
        return false;
    }
    *sum = 0;
    *most = (struct imported){PR_NO_NODE, 0};
    for (size_t i = 0; i < table.count; i++) { /* the largest total first */
        const struct pr_row *row = &table.row[i];
        const bool has_frame = row->node != PR_NO_NODE && row->node != PR_ROOT;
        const struct pr_text function = pr_profile_text(profile, row->function);
        if (!*sum && has_frame && pr_text_is(function, "_find_and_load") &&
            (pr_role_of(profile, profile->tree.frame[row->node]) & PR_ROLE_IMPORT))
            *sum = row->total;
        if (*sum && has_frame && most->frame == PR_NO_NODE && pr_text_is(function, "<module>"))
            *most = (struct imported){profile->tree.frame[row->node], row->total};
    }
    pr_table_clear(&table);
    return most->frame != PR_NO_NODE;
}

/* By the stacks. */
static bool find_in_stacks(struct pr_inquiry *inquiry, const struct pr_metric *metric, int64_t *sum,
                           struct imported *most)
{
    const struct pr_profile *profile = inquiry->profile;
    bool *is_import = calloc(profile->frame_count + (size_t)1, sizeof *is_import);
    for (pr_frame_id i = 0; is_import && i < profile->frame_count; i++)
        is_import[i] = imports(profile, i);
    int64_t *part = is_import ? pr_inquiry_part_below(inquiry, metric, is_import, sum) : NULL;
    inquiry->failed |= !part;
    *most = part ? find_module(inquiry, is_import, part) : (struct imported){PR_NO_NODE, 0};
    free(part);
    free(is_import);
    return most->frame != PR_NO_NODE;
}

bool pr_imports_tell(struct pr_inquiry *inquiry, const struct pr_metric *metric, pr_frame_id function,
                     const bool *is_wanted)
{
    enum { NEARLY_ALL = 90 };
    const struct pr_profile *profile = inquiry->profile;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    bool *is_import = calloc(profile->frame_count + (size_t)1, sizeof *is_import);
    int64_t imported = 0, wanted = 0, both = 0;
    for (pr_frame_id i = 0; is_import && i < profile->frame_count; i++)
        is_import[i] = imports(profile, i);
    int64_t *part = is_import ? pr_inquiry_part_below(inquiry, metric, is_import, &imported) : NULL;
    for (size_t i = 0; part && i < profile->fact_count; i++) {
        if (!is_wanted[leaf[i]])
            continue;
        pr_add_to(&wanted, metric->value[i]);
        pr_add_to(&both, part[i]);
    }
    inquiry->failed |= !part;
    free(part);
    free(is_import);
    const bool is_module = pr_text_is(pr_profile_text(profile, profile->frames[function].function), "<module>");
    return pr_is_share(imported, metric->total_value, LEAST_PERCENT) && pr_is_share(both, wanted, NEARLY_ALL) &&
           (is_module || !pr_is_share(wanted, metric->total_value, LEAST_PERCENT));
}

void pr_rule_imports(struct pr_inquiry *inquiry)
{
    const struct pr_metric *metric = pr_main_time(inquiry->profile);
    struct imported most;
    int64_t sum;
    if (!metric) {
        inquiry->why = pr_main_no_time(inquiry->profile);
        return;
    }
    if ((metric->exact ? find_in_rows : find_in_stacks)(inquiry, metric, &sum, &most) &&
        pr_is_share(sum, metric->total_value, LEAST_PERCENT))
        say_imports(inquiry, metric, sum, &most);
}
