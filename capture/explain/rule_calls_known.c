/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of Python and of libraries that are known to cost much, and imports: their part of the time. */
#include "capture/explain/holder_words.h"

#include "capture/base/checked.h"
#include "capture/explain/main_metric.h"
#include "capture/model/owner_settle.h"
#include "profrender/owner.h"

#include <math.h>
#include <string.h>

/* A function by its name and by how its file ends; what is known of it. */
static const struct known {
    const char *function, *file, *words;
} known[] = {
    {"deepcopy", "/copy.py", "It copies every object below its argument, one by one, in Python."},
    {"_compile", "/re/__init__.py", "It compiles a pattern, or finds it among those compiled before."},
    {"compile", "/re/_compiler.py", "It compiles a pattern, which re.compile outside of a loop does once."},
    {"compile", "/sre_compile.py", "It compiles a pattern, which re.compile outside of a loop does once."},
    {"iterrows", "/pandas/core/frame.py", "It makes a Series of every row."},
    {"concat", "/pandas/core/reshape/concat.py", "Each call copies all that it joins."},
    {"_append", "/pandas/core/frame.py", "Each call copies the whole frame."},
    {"append", "/pandas/core/frame.py", "Each call copies the whole frame."},
    {"append", "/numpy/lib/function_base.py", "Each call copies the whole array."},
    {"append", "/numpy/lib/_function_base_impl.py", "Each call copies the whole array."},
    {"_dumps", "/pickle.py", "It is the pickle module in Python, not the one in C."},
    {"format", "/logging/__init__.py", "It formats the messages of a log."},
    {"getaddrinfo", "/socket.py", "It looks a name up."},
};

static bool ends_with(struct pr_text text, const char *end)
{
    const size_t length = strlen(end);
    return text.length >= length && !memcmp(text.bytes + text.length - length, end, length);
}

static const struct known *find_known(const struct pr_profile *profile, const struct pr_frame *frame)
{
    const struct pr_text function = pr_profile_text(profile, frame->function),
                         file = pr_profile_text(profile, frame->file);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (pr_text_is(function, known[i].function) && ends_with(file, known[i].file))
            return &known[i];
    }
    return NULL;
}

/*
 * The part of METRIC in facts with one of the marked frames on their stack, except a profiler's own start. Owned:
 * free. NULL: no memory.
 */
static int64_t *part_below(const struct pr_inquiry *inquiry, const struct pr_metric *metric, const bool *is_marked,
                           int64_t *sum)
{
    const struct pr_profile *profile = inquiry->profile;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    bool *is_below = calloc(profile->tree.count + (size_t)1, sizeof *is_below),
         *is_start = calloc(profile->tree.count + (size_t)1, sizeof *is_start);
    const bool has_room = is_below && is_start && pr_owner_mark_start(profile, is_start);
    int64_t *part = has_room ? calloc(profile->fact_count + 1, sizeof *part) : NULL;
    *sum = 0;
    for (pr_node_id i = 1; part && i < profile->tree.count; i++)
        is_below[i] = is_below[profile->tree.parent[i]] || is_marked[profile->tree.frame[i]];
    for (size_t i = 0; part && i < profile->fact_count; i++) {
        part[i] = is_below[leaf[i]] && !is_start[leaf[i]] ? metric->value[i] : 0;
        pr_add_to(sum, part[i]);
    }
    free(is_below);
    free(is_start);
    return part;
}

/* "deepcopy takes 31.0 % of the time: 1.20 s, most of it called from handle at app.py:12. It copies ..." */
static void say_known(struct pr_inquiry *inquiry, const struct pr_metric *metric, pr_frame_id frame,
                      const struct known *call, int64_t sum, const struct pr_holder *caller)
{
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    pr_insight_saves(insight, metric->unit, sum, metric->total_value);
    insight->metric = (uint32_t)(metric - inquiry->profile->metrics);
    insight->frame = frame;
    insight->proof = "summary INPUT";
    PR_SAY(inquiry, &insight->headline, "{} takes {} of the {}", pr_phrase_function(frame),
           pr_phrase_share(metric, sum, metric->total_value), pr_phrase_text(pr_main_whole(inquiry, metric)));
    PR_SAY(inquiry, &insight->rest, ": {}", pr_phrase_amount(metric, sum));
    if (caller->known && caller->is_own)
        PR_SAY(inquiry, &insight->rest, ", {} of it called by {} at {}", pr_phrase_amount(metric, caller->own),
               pr_phrase_function(caller->frame),
               pr_phrase_place(caller->frame, inquiry->profile->frames[caller->frame].line));
    PR_SAY(inquiry, &insight->rest, ". {}", pr_phrase_text(call->words));
}

enum { LEAST_CALL = 10, LEAST_IMPORTS = 20 };

void pr_rule_known_calls(struct pr_inquiry *inquiry)
{
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_metric *metric = pr_main_time(profile);
    bool *is_marked = calloc(profile->frame_count + (size_t)1, sizeof *is_marked);
    if (!is_marked || !metric || metric->exact) {
        inquiry->failed |= !is_marked;
        inquiry->why = "no time was recorded by call stack";
        free(is_marked);
        return;
    }
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        pr_frame_id frame = PR_NO_NODE;
        struct pr_holder caller;
        int64_t sum;
        for (pr_frame_id i = 0; i < profile->frame_count; i++) {
            is_marked[i] = find_known(profile, &profile->frames[i]) == &known[k];
            frame = is_marked[i] && frame == PR_NO_NODE ? i : frame;
        }
        if (frame == PR_NO_NODE)
            continue;
        int64_t *part = part_below(inquiry, metric, is_marked, &sum);
        const struct pr_column column = {part, NULL};
        const bool done = part && pr_code_find_holder(&inquiry->code, &column, &caller);
        inquiry->failed |= !done;
        if (done && pr_is_share(sum, metric->total_value, LEAST_CALL))
            say_known(inquiry, metric, frame, &known[k], sum, &caller);
        free(part);
    }
    free(is_marked);
}

/* The file whose import takes most: that of the outermost module that runs below the import system. */
static pr_frame_id find_module(struct pr_inquiry *inquiry, const bool *is_import, const int64_t *part)
{
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_tree *tree = &profile->tree;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    pr_node_id *module = calloc(tree->count + (size_t)1, sizeof *module);
    int64_t *by_frame = calloc(profile->frame_count + (size_t)1, sizeof *by_frame);
    pr_frame_id best = PR_NO_NODE;
    for (pr_node_id i = 1; module && by_frame && i < tree->count; i++) {
        const pr_node_id above = tree->parent[i];
        const bool runs = !is_import[tree->frame[i]] && above != PR_ROOT && is_import[tree->frame[above]] &&
                          pr_text_is(pr_profile_text(profile, profile->frames[tree->frame[i]].function), "<module>");
        module[i] = module[above] != PR_ROOT ? module[above] : runs ? i : PR_ROOT;
    }
    for (size_t i = 0; module && by_frame && i < profile->fact_count; i++) {
        if (module[leaf[i]] != PR_ROOT)
            pr_add_to(&by_frame[tree->frame[module[leaf[i]]]], part[i]);
    }
    for (pr_frame_id i = 0; by_frame && i < profile->frame_count; i++)
        best = by_frame[i] > (best == PR_NO_NODE ? 0 : by_frame[best]) ? i : best;
    inquiry->failed |= !module || !by_frame;
    free(module);
    free(by_frame);
    return best;
}

/* "Imports take 39.1 % of the time: 1.28 s, most of it for app.py." */
void pr_rule_imports(struct pr_inquiry *inquiry)
{
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_metric *metric = pr_main_time(profile);
    bool *is_import = calloc(profile->frame_count + (size_t)1, sizeof *is_import);
    int64_t sum, *part = NULL;
    struct pr_insight *insight;
    if (!is_import || !metric || metric->exact) {
        inquiry->failed |= !is_import;
        inquiry->why = "no time was recorded by call stack";
        free(is_import);
        return;
    }
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        is_import[i] = pr_role_of(profile, i) & PR_ROLE_IMPORT;
    part = part_below(inquiry, metric, is_import, &sum);
    inquiry->failed |= !part;
    const pr_frame_id module = part ? find_module(inquiry, is_import, part) : PR_NO_NODE;
    if (module != PR_NO_NODE && pr_is_share(sum, metric->total_value, LEAST_IMPORTS) &&
        (insight = pr_insight_add(inquiry))) {
        pr_insight_saves(insight, metric->unit, sum, metric->total_value);
        insight->metric = (uint32_t)(metric - profile->metrics);
        insight->proof = "tree INPUT";
        PR_SAY(inquiry, &insight->headline, "Imports take {} of the {}",
               pr_phrase_share(metric, sum, metric->total_value), pr_phrase_text(pr_main_whole(inquiry, metric)));
        PR_SAY(inquiry, &insight->rest, ": {}", pr_phrase_amount(metric, sum));
        PR_SAY(inquiry, &insight->rest, ", most of it for {}.", pr_phrase_place(module, 0));
    }
    free(part);
    free(is_import);
}

/* "Only 46 samples: a share of 50 % is known to about ±14 points. A longer run ..." */
void pr_rule_few_samples(struct pr_inquiry *inquiry)
{
    enum { ENOUGH = 100 };
    const struct pr_metric *metric = pr_main_time(inquiry->profile);
    struct pr_insight *insight;
    if (!metric || !metric->count || !metric->count_name || strcmp(metric->count_name, "samples") != 0) {
        inquiry->why = "samples were not counted";
        return;
    }
    if (metric->total_count < 1 || metric->total_count >= ENOUGH || !(insight = pr_insight_add(inquiry)))
        return;
    insight->metric = (uint32_t)(metric - inquiry->profile->metrics);
    insight->proof = "info INPUT";
    PR_SAY(inquiry, &insight->headline, "Only {}", pr_phrase_count(metric->total_count, "samples"));
    PR_SAY(inquiry, &insight->rest,
           ": a share of 50 % is known to about ±{} points. A longer run or a higher rate would narrow that.",
           pr_phrase_value(PR_UNIT_COUNT, (int64_t)(196 * sqrt(0.25 / (double)metric->total_count) + 0.5),
                           "in 95 of 100 cases"));
}
