/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and processes that do the same work, and how evenly they share it. */
#include "capture/explain/holder_words.h"

#include "capture/base/idset.h"
#include "capture/base/pair.h"
#include "capture/base/text.h"
#include "capture/explain/main_metric.h"
#include "capture/model/runtime_names.h"

enum { LEAST_PARTS = 3, LEAST_SHARE = 25, TIMES = 2 };

/* Threads or processes. */
struct parts {
    bool of_processes;
    uint32_t count;
    int64_t *value;     /* [count] of the metric */
    uint32_t *function; /* [count] 1 + the outermost function of own code below which it has most; 0: none */
    int64_t *most;      /* [count] what it has there */
};

static bool parts_make(const struct pr_profile *profile, bool of_processes, struct parts *parts)
{
    const uint32_t count = of_processes ? profile->process_count : profile->thread_count;
    *parts = (struct parts){.of_processes = of_processes,
                            .count = count,
                            .value = calloc(count + (size_t)1, sizeof *parts->value),
                            .function = calloc(count + (size_t)1, sizeof *parts->function),
                            .most = calloc(count + (size_t)1, sizeof *parts->most)};
    return parts->value && parts->function && parts->most;
}

static void parts_clear(struct parts *parts)
{
    free(parts->value);
    free(parts->function);
    free(parts->most);
}

/* For each node 1 + the outermost own function at or above it, 0: none. NULL: no memory. */
static uint32_t *outermost_own(const struct pr_code *code)
{
    const struct pr_tree *tree = &code->profile->tree;
    uint32_t *outermost = calloc(tree->count + (size_t)1, sizeof *outermost);
    for (pr_node_id i = 1; outermost && i < tree->count; i++) {
        const uint32_t above = outermost[tree->parent[i]];
        outermost[i] = above ? above : code->is_holder[tree->frame[i]] ? 1 + code->function[tree->frame[i]] : 0;
    }
    return outermost;
}

/* Adds a fact of PART, below FUNCTION, to the sums by both. */
static bool add_fact(struct parts *parts, struct pr_idset *pairs, int64_t *sums, uint32_t part, uint32_t function,
                     int64_t value)
{
    const uint64_t key = pr_pair(part, function);
    const uint32_t pair = pr_idset_add(pairs, &key, 1);
    if (pair == PR_NO_ID)
        return false;
    pr_add_to(&parts->value[part], value);
    pr_add_to(&sums[pair], value);
    if (function && sums[pair] > parts->most[part]) {
        parts->most[part] = sums[pair];
        parts->function[part] = function;
    }
    return true;
}

/* What each part has, and what it works on. False: no memory. */
static bool sum_parts(const struct pr_code *code, const struct pr_metric *metric, struct parts *parts)
{
    const struct pr_profile *profile = code->profile;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    uint32_t *outermost = outermost_own(code);
    struct pr_idset pairs = {.words = 1};
    int64_t *sums = calloc(profile->fact_count + 1, sizeof *sums); /* a fact has one pair */
    bool done = outermost && sums;
    for (size_t i = 0; done && i < profile->fact_count; i++) {
        const uint32_t thread = profile->fact_thread[i];
        done = add_fact(parts, &pairs, sums, parts->of_processes ? profile->threads[thread].process : thread,
                        outermost[leaf[i]], metric->value[i]);
    }
    pr_idset_clear(&pairs);
    free(outermost);
    free(sums);
    return done;
}

/* Many threads that are shown as one have no share that could be uneven: those of which it is not known which they are,
   and a JVM's virtual threads. */
static void leave_out_groups(const struct pr_profile *profile, struct parts *parts)
{
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        const struct pr_thread *thread = &profile->threads[i];
        const struct pr_text name = pr_profile_text(profile, thread->name);
        if (!thread->tid && (!name.length || pr_text_is(name, PR_VIRTUAL_THREADS)))
            parts->function[i] = 0;
    }
}

/* Those that do one work: how many, the one with most (the first of several), and their sum. */
struct team {
    uint32_t function, count, largest;
    int64_t sum;
};

/* The team of each function: [highest of parts->function + 1], owned. NULL: no memory. */
static struct team *make_teams(const struct parts *parts)
{
    uint32_t highest = 0;
    for (uint32_t i = 0; i < parts->count; i++)
        highest = parts->function[i] > highest ? parts->function[i] : highest;
    struct team *teams = calloc(highest + (size_t)1, sizeof *teams);
    for (uint32_t i = 0; teams && i < parts->count; i++) {
        struct team *team = &teams[parts->function[i]];
        if (!team->count || parts->value[i] > parts->value[team->largest])
            team->largest = i;
        team->function = parts->function[i];
        team->count++;
        pr_add_to(&team->sum, parts->value[i]);
    }
    return teams;
}

/* One has several times as much as the others on average, and much of the whole. */
static bool is_uneven(const struct parts *parts, const struct team *team, int64_t whole)
{
    const int64_t most = parts->value[team->largest], rest = pr_subtract_saturated(team->sum, most);
    return team->count >= LEAST_PARTS && rest > 0 && (double)most * (team->count - 1) >= (double)rest * TIMES &&
           pr_is_share(most, whole, LEAST_SHARE);
}

static pr_frame_id frame_of(const struct pr_code *code, uint32_t function)
{
    pr_frame_id i = 0;
    while (code->function[i] != function)
        i++;
    return i;
}

static uint32_t thread_of(const struct pr_profile *profile, const struct parts *parts, uint32_t part)
{
    uint32_t thread = 0;
    while (parts->of_processes && profile->threads[thread].process != part)
        thread++;
    return parts->of_processes ? thread : part;
}

/* "Of 4 threads that run work, thread pool_2 has 66.7 % of the CPU time: 1.20 s of 1.80 s; the others ..." */
static void say(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct parts *parts,
                const struct team *team)
{
    const int64_t most = parts->value[team->largest], mean = team->sum / team->count;
    const uint32_t thread = thread_of(inquiry->profile, parts, team->largest);
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    pr_insight_saves(insight, metric->unit, most - mean, metric->total_value);
    insight->saving.known = false; /* they run at the same time: nobody adds them up */
    insight->metric = (uint32_t)(metric - inquiry->profile->metrics);
    insight->proof = "table INPUT --threads split";
    PR_SAY(inquiry, &insight->headline, "Of {} that run {}, ",
           pr_phrase_count(team->count, parts->of_processes ? "processes" : "threads"),
           pr_phrase_function(frame_of(&inquiry->code, team->function - 1)));
    (parts->of_processes ? pr_say_process : pr_say_thread)(inquiry, &insight->headline, thread);
    PR_SAY(inquiry, &insight->headline, " has {} of their {}", pr_phrase_share(metric, most, team->sum),
           pr_phrase_text(pr_main_whole(inquiry, metric)));
    PR_SAY(inquiry, &insight->rest, ": {} of {}; the others have {} on average. Shared evenly, each would have {}.",
           pr_phrase_amount(metric, most), pr_phrase_amount(metric, team->sum),
           pr_phrase_amount(metric, (team->sum - most) / (team->count - 1)), pr_phrase_amount(metric, mean));
}

static void judge(struct pr_inquiry *inquiry, const struct pr_metric *metric, bool of_processes)
{
    struct parts parts;
    const bool done = parts_make(inquiry->profile, of_processes, &parts) && sum_parts(&inquiry->code, metric, &parts);
    if (done && !of_processes)
        leave_out_groups(inquiry->profile, &parts);
    struct team *teams = done ? make_teams(&parts) : NULL;
    inquiry->failed |= !teams;
    for (uint32_t i = 0; teams && i < parts.count; i++) {
        const struct team *team = &teams[parts.function[i]];
        if (parts.function[i] && team->largest == i && is_uneven(&parts, team, metric->total_value))
            say(inquiry, metric, &parts, team);
    }
    free(teams);
    parts_clear(&parts);
}

void pr_rule_uneven_threads(struct pr_inquiry *inquiry)
{
    const struct pr_metric *metric = pr_main_time(inquiry->profile);
    if (!metric || metric->exact || inquiry->profile->thread_count < LEAST_PARTS)
        inquiry->why = "no time was recorded by call stack for three threads or more";
    else
        judge(inquiry, metric, false);
}

void pr_rule_uneven_processes(struct pr_inquiry *inquiry)
{
    const struct pr_metric *time = pr_main_time(inquiry->profile), *peak = pr_inquiry_metric(inquiry, "peak");
    const struct pr_metric *metric = time ? time : peak;
    if (!metric || metric->exact || inquiry->profile->process_count < LEAST_PARTS)
        inquiry->why = "fewer than three processes were recorded";
    else
        judge(inquiry, metric, true);
}
