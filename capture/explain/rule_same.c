/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that each process of a run has once more: as much from the same call path. */
#include "capture/explain/holder_words.h"

#include "capture/base/idset.h"
#include "capture/base/pair.h"

enum { LEAST_PROCESSES = 3, LEAST_BYTES = 8 << 20, LEAST_PART = 20 };

/* Call paths without the level of processes, and what each process holds there. */
struct places {
    uint32_t processes;
    struct pr_idset paths; /* (path above, function) */
    uint32_t *of;          /* [tree.count] 1 + path; 0: none */
    int64_t *held;         /* [paths.count * processes] at the peak of each */
    pr_node_id *node;      /* [paths.count] one of its nodes */
};

static bool number_paths(const struct pr_code *code, struct places *places)
{
    const struct pr_tree *tree = &code->profile->tree;
    for (pr_node_id i = 1; i < tree->count; i++) {
        const uint32_t above = places->of[tree->parent[i]];
        const uint64_t key = pr_pair(above, code->function[tree->frame[i]]);
        places->of[i] = above;
        if (code->profile->frames[tree->frame[i]].kind == PR_FRAME_OTHER)
            continue;
        const uint32_t path = pr_idset_add(&places->paths, &key, 1);
        if (path == PR_NO_ID)
            return false;
        places->of[i] = path + 1;
    }
    return true;
}

/* What own code holds, by path and process. */
static void sum_up(const struct pr_code *code, const struct pr_metric *metric, struct places *places)
{
    const struct pr_profile *profile = code->profile;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    for (size_t i = 0; i < profile->fact_count; i++) {
        const pr_node_id node = code->holder[leaf[i]];
        const uint32_t path = places->of[node], process = profile->threads[profile->fact_thread[i]].process;
        if (node == PR_ROOT || !path)
            continue;
        places->node[path - 1] = node;
        pr_add_to(&places->held[(path - 1) * (size_t)places->processes + process], metric->value[i]);
    }
}

static bool places_make(const struct pr_code *code, const struct pr_metric *metric, struct places *places)
{
    const struct pr_profile *profile = code->profile;
    *places = (struct places){.processes = profile->process_count,
                              .paths = {.words = 1},
                              .of = calloc(profile->tree.count + (size_t)1, sizeof *places->of)};
    if (!places->of || !number_paths(code, places))
        return false;
    places->held = calloc((places->paths.count + (size_t)1) * places->processes, sizeof *places->held);
    places->node = calloc(places->paths.count + (size_t)1, sizeof *places->node);
    if (!places->held || !places->node)
        return false;
    sum_up(code, metric, places);
    return true;
}

static void places_clear(struct places *places)
{
    pr_idset_clear(&places->paths);
    free(places->of);
    free(places->held);
    free(places->node);
}

struct same {
    pr_node_id node;
    uint32_t count;    /* of processes */
    int64_t sum, most; /* of all, of the one with most */
};

/* The processes that hold anything on a path; count 0: they do not hold about as much. */
static struct same compare(const struct places *places, uint32_t path)
{
    const int64_t *held = &places->held[path * (size_t)places->processes];
    struct same same = {.node = places->node[path]};
    for (uint32_t i = 0; i < places->processes; i++)
        same.most = held[i] > same.most ? held[i] : same.most;
    for (uint32_t i = 0; i < places->processes; i++) {
        if (held[i] <= 0)
            continue;
        if (held[i] < same.most - same.most / 10)
            return (struct same){.count = 0};
        pr_add_to(&same.sum, held[i]);
        same.count++;
    }
    return same;
}

/* "load has about 64.0 MiB in each of 4 processes, from one call path at pool.py:9: 256 MiB together, ..." */
static void say(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct same *same)
{
    const struct pr_profile *profile = inquiry->profile;
    const pr_frame_id frame = profile->tree.frame[same->node];
    const int64_t saving = pr_subtract_saturated(same->sum, same->most);
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    pr_insight_saves(insight, metric->unit, saving, metric->total_value);
    insight->score /= 2; /* whether they can share it is not known */
    insight->metric = (uint32_t)(metric - profile->metrics);
    insight->node = same->node;
    insight->proof = "table INPUT --threads split";
    PR_SAY(inquiry, &insight->headline, "{} has about {} in each of {}", pr_phrase_function(frame),
           pr_phrase_amount(metric, same->most), pr_phrase_count(same->count, "processes"));
    PR_SAY(inquiry, &insight->rest, ", from one call path");
    if (profile->frames[frame].file)
        PR_SAY(inquiry, &insight->rest, " at {}", pr_phrase_place(frame, profile->frames[frame].line));
    PR_SAY(inquiry, &insight->rest,
           ": {} together, each at its own peak. Sharing one copy could save up to {}.",
           pr_phrase_amount(metric, same->sum), pr_phrase_amount(metric, saving));
}

/* Of all paths the one with most in all processes. */
void pr_rule_same_memory(struct pr_inquiry *inquiry)
{
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, "peak");
    struct places places;
    struct same best = {.count = 0};
    if (inquiry->profile->process_count < LEAST_PROCESSES) {
        inquiry->why = "fewer than three processes were recorded";
        return;
    }
    const bool done = places_make(&inquiry->code, metric, &places);
    inquiry->failed |= !done;
    for (uint32_t i = 0; done && i < places.paths.count; i++) {
        const struct same same = compare(&places, i);
        if (same.count >= LEAST_PROCESSES && same.most >= LEAST_BYTES && same.sum > best.sum)
            best = same;
    }
    if (best.count && pr_is_share(best.sum, metric->total_value, LEAST_PART))
        say(inquiry, metric, &best);
    places_clear(&places);
}
