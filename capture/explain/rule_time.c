/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time went, or samples, or what else is not memory by stack: the profile's main metric of that kind. */
#include "capture/explain/holder_words.h"

#include "capture/base/checked.h"
#include "capture/explain/main_metric.h"
#include "capture/explain/waits.h"
#include "capture/model/run_times.h"
#include "profrender/owner.h"
#include "profrender/table.h"

#include <stdlib.h>
#include <string.h>

/* ---- the function with most by itself --------------------------------------------------------------------------- */

/* The frame of a row, with its line. */
static pr_frame_id frame_of(const struct pr_profile *profile, const struct pr_row *row)
{
    pr_frame_id found = PR_NO_NODE;
    if (row->node != PR_NO_NODE && row->node != PR_ROOT)
        return profile->tree.frame[row->node];
    for (pr_frame_id i = 0; i < profile->frame_count && found == PR_NO_NODE; i++) {
        if (profile->frames[i].function == row->function && profile->frames[i].file == row->file)
            found = i;
    }
    return found;
}

static bool is_wait(const struct pr_inquiry *inquiry, const struct pr_row *row)
{
    const pr_frame_id frame = frame_of(inquiry->profile, row);
    return frame != PR_NO_NODE && pr_is_wait(inquiry, frame);
}

/* Threads and processes as a profiler writes them, its own start, and what starts a program: nobody's code. */
static bool is_nobodys(const struct pr_inquiry *inquiry, const struct pr_row *row)
{
    const pr_frame_id frame = frame_of(inquiry->profile, row);
    return frame != PR_NO_NODE && (pr_role_of(inquiry->profile, frame) & (PR_ROLE_RUNNER | PR_ROLE_PROFILER));
}

/* Rows that stand out; NULL: none does. */
struct chosen {
    const struct pr_row *self;  /* the highest self value, without those that only wait */
    const struct pr_row *wait;  /* the highest of those that only wait */
    const struct pr_row *calls; /* called most often */
};

static struct chosen choose_rows(const struct pr_inquiry *inquiry, const struct pr_metric *metric,
                                 const struct pr_table *table)
{
    const bool has_waits = pr_counts_waits(metric);
    struct chosen chosen = {NULL, NULL, NULL};
    for (size_t i = 0; i < table->count; i++) {
        const struct pr_row *row = &table->row[i];
        if (row->no_stack || is_nobodys(inquiry, row))
            continue;
        const struct pr_row **most = has_waits && is_wait(inquiry, row) ? &chosen.wait : &chosen.self;
        *most = !*most || row->self > (*most)->self ? row : *most;
        chosen.calls = !chosen.calls || row->self_count > chosen.calls->self_count ? row : chosen.calls;
    }
    return chosen;
}

/* Whether the frame is one of the row, which is the context. */
static bool is_of_row(const struct pr_inquiry *inquiry, pr_frame_id id, const void *context)
{
    const struct pr_frame *frame = &inquiry->profile->frames[id];
    const struct pr_row *row = context;
    return frame->function == row->function && frame->file == row->file;
}

static void say_at(struct pr_inquiry *inquiry, struct pr_sentence *sentence, pr_frame_id frame, int32_t line)
{
    if (pr_profile_text(inquiry->profile, inquiry->profile->frames[frame].file).length)
        PR_SAY(inquiry, sentence, " at {}", pr_phrase_place(frame, line));
}

/* An insight about a row of the table; NULL: its function is no frame, or there is no memory. */
static struct pr_insight *insight_of(struct pr_inquiry *inquiry, const struct pr_metric *metric,
                                     const struct pr_row *row)
{
    const pr_frame_id frame = frame_of(inquiry->profile, row);
    struct pr_insight *insight = frame == PR_NO_NODE ? NULL : pr_insight_add(inquiry);
    if (!insight)
        return NULL;
    insight->metric = (uint32_t)(metric - inquiry->profile->metrics);
    insight->frame = frame;
    insight->node = row->node;
    return insight;
}

/* What is below the frames of a function, or what these have themselves, is of how many threads; the most of one. */
struct by_thread {
    uint32_t threads;
    int64_t most;
};

/* Of the facts whose leaf IS_WANTED[tree.count]; which is taken. */
static struct by_thread sum_by_thread(struct pr_inquiry *inquiry, const struct pr_metric *metric, bool *is_wanted)
{
    const struct pr_profile *profile = inquiry->profile;
    int64_t *sum = calloc(profile->thread_count + (size_t)1, sizeof *sum);
    struct by_thread found = {0, 0};
    const bool has_room = is_wanted && sum;
    inquiry->failed |= !has_room;
    for (size_t i = 0; has_room && i < profile->fact_count; i++)
        if (is_wanted[profile->fact_leaf[i]])
            pr_add_to(&sum[profile->fact_thread[i]], metric->value[i]);
    for (uint32_t i = 0; has_room && i < profile->thread_count; i++) {
        found.threads += sum[i] > 0;
        found.most = sum[i] > found.most ? sum[i] : found.most;
    }
    free(is_wanted);
    free(sum);
    return found;
}

/*
 * Threads run at the same time: a run does not become shorter by the sum of what they wait or work. The insight says so
 * where TOTAL, a sum over several, is more than one of them has.
 */
static void limit_to_thread(struct pr_inquiry *inquiry, struct pr_insight *insight, const struct pr_metric *metric,
                            int64_t total, bool *is_wanted)
{
    const struct by_thread found = sum_by_thread(inquiry, metric, is_wanted);
    if (found.threads < 2 || found.most >= total)
        return;
    const struct pr_maybe run_ns = pr_times_duration_ns(inquiry->profile);
    insight->saving.value = found.most;
    insight->whole = run_ns.known && run_ns.value >= found.most ? run_ns.value : insight->whole;
    PR_SAY(inquiry, &insight->rest, " One of {} threads has {}.",
           pr_phrase_value(PR_UNIT_COUNT, found.threads, ""), pr_phrase_amount(metric, found.most));
}

/* [tree.count]: the nodes of the row's function. Owned; NULL: no memory. */
static bool *mark_row(const struct pr_inquiry *inquiry, const struct pr_row *row)
{
    const struct pr_tree *tree = &inquiry->profile->tree;
    bool *is_of = calloc(tree->count + (size_t)1, sizeof *is_of);
    for (pr_node_id i = 1; is_of && i < tree->count; i++)
        is_of[i] = is_of_row(inquiry, tree->frame[i], row);
    return is_of;
}

/* "Highest self time: parse at csv.py:33, 1.20 s, 30.0 % of the wall time." */
static void say_self(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_row *row)
{
    struct pr_insight *insight = insight_of(inquiry, metric, row);
    if (!insight)
        return;
    pr_insight_saves(insight, metric->unit, row->self, metric->total_value);
    insight->proof = "summary INPUT --sort self";
    PR_SAY(inquiry, &insight->headline,
           metric->unit == PR_UNIT_NANOSECONDS ? "Highest self time: {}" : "Highest self value: {}",
           pr_phrase_function(insight->frame));
    say_at(inquiry, &insight->rest, insight->frame, row->line);
    PR_SAY(inquiry, &insight->rest, ", {}, {} of the {}.", pr_phrase_amount(metric, row->self),
           pr_phrase_share(metric, row->self, metric->total_value), pr_phrase_text(pr_main_whole(inquiry, metric)));
    if (pr_counts_waits(metric))
        limit_to_thread(inquiry, insight, metric, row->self, mark_row(inquiry, row));
}

/* How much of a wait what it waits for could save is not known: the rest of TOTAL only ranks the insight. */
static void rank_wait(struct pr_insight *insight, const struct pr_metric *metric, int64_t total, int64_t waits)
{
    pr_insight_saves(insight, metric->unit, pr_subtract_saturated(total, waits), metric->total_value);
    insight->saving.known = false;
}

/* "<method 'acquire' of '_thread.lock' objects> spends 97.0 % of the time waiting: 1.76 s. ..." */
static void say_wait_of_row(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_row *row)
{
    struct pr_insight *insight = insight_of(inquiry, metric, row);
    if (!insight)
        return;
    rank_wait(insight, metric, metric->total_value, row->self);
    insight->proof = "summary INPUT --sort self";
    PR_SAY(inquiry, &insight->headline, "{} spends {} of the {} waiting", pr_phrase_function(insight->frame),
           pr_phrase_share(metric, row->self, metric->total_value), pr_phrase_text(pr_main_whole(inquiry, metric)));
    PR_SAY(inquiry, &insight->rest, ": {}. To shorten that, speed up what it waits for.",
           pr_phrase_amount(metric, row->self));
}

/* "Most calls: get at cache.py:7, 1,000,000 of 2,400,000." */
static void say_calls(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_row *row)
{
    struct pr_insight *insight = insight_of(inquiry, metric, row);
    if (!insight)
        return;
    insight->proof = "summary INPUT --sort count";
    PR_SAY(inquiry, &insight->headline, "Most calls: {}", pr_phrase_function(insight->frame));
    say_at(inquiry, &insight->rest, insight->frame, row->line);
    PR_SAY(inquiry, &insight->rest, ", {} of {}.", pr_phrase_value(PR_UNIT_COUNT, row->self_count, ""),
           pr_phrase_value(PR_UNIT_COUNT, metric->total_count, ""));
}

/* ---- the rules -------------------------------------------------------------------------------------------------- */

/* "main spends 61.0 % of the time waiting: 3.05 s of its 3.10 s. To shorten that, speed up what it waits for." */
static struct pr_insight *say_waits(struct pr_inquiry *inquiry, const struct pr_metric *metric,
                                    const struct pr_holder *holder, int64_t waits)
{
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return NULL;
    pr_insight_locate(inquiry, insight, metric, holder);
    rank_wait(insight, metric, holder->total, waits);
    insight->proof = "summary INPUT";
    PR_SAY(inquiry, &insight->headline, "{} spends {} of the {} waiting", pr_phrase_function(holder->frame),
           pr_phrase_share(metric, waits, metric->total_value), pr_phrase_text(pr_main_whole(inquiry, metric)));
    if (waits >= holder->total)
        PR_SAY(inquiry, &insight->rest, ": all of its {}.", pr_phrase_amount(metric, holder->total));
    else
        PR_SAY(inquiry, &insight->rest, ": {} of its {}.", pr_phrase_amount(metric, waits),
               pr_phrase_amount(metric, holder->total));
    PR_SAY(inquiry, &insight->rest, " To shorten that, speed up what it waits for.");
    return insight;
}

/* "load takes 62.0 % of the time: 3.10 s (2.50 s at etl.py:12), including the libraries it calls." */
static struct pr_insight *say_holder(struct pr_inquiry *inquiry, const struct pr_metric *metric,
                                     const struct pr_holder *holder)
{
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return NULL;
    pr_insight_locate(inquiry, insight, metric, holder);
    pr_insight_saves(insight, metric->unit, holder->total, metric->total_value);
    insight->proof = "summary INPUT";
    PR_SAY(inquiry, &insight->headline, pr_metric_is_time(metric) ? "{} takes {} of the {}" : "{} has {} of the {}",
           pr_phrase_function(holder->frame), pr_phrase_share(metric, holder->total, metric->total_value),
           pr_phrase_text(pr_main_whole(inquiry, metric)));
    PR_SAY(inquiry, &insight->rest, ": ");
    struct pr_holder shown = *holder;
    if (pr_subtract_saturated(holder->total, holder->own) <= holder->total / 1000)
        shown.own = holder->total; /* they are one figure to three digits */
    else
        PR_SAY(inquiry, &insight->rest, "{}, of which ", pr_phrase_amount(metric, holder->total));
    pr_say_holding(inquiry, &insight->rest, metric, &shown);
    if (pr_counts_waits(metric))
        limit_to_thread(inquiry, insight, metric, holder->total, pr_inquiry_mark_below(inquiry, holder));
    return insight;
}

/* Of samples or calls, but not of a weight or of bytes. */
static bool are_several(struct pr_inquiry *inquiry, const struct pr_metric *metric, int64_t value)
{
    const char *whole = pr_main_whole(inquiry, metric);
    const size_t length = strlen(whole);
    return metric->unit == PR_UNIT_COUNT && value != 1 && length && whole[length - 1] == 's';
}

/* The function with the highest self value, if it is another cause; else it is where most of that is. */
static void say_other(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_holder *holder,
                      struct pr_insight *said)
{
    struct pr_table table = {0};
    struct pr_error err = {0};
    const unsigned number = (unsigned)(metric - inquiry->profile->metrics);
    if (pr_table_make(inquiry->profile, number, PR_BY_FUNCTION, false, &table, &err) == PR_FAILED) {
        inquiry->failed = true;
        return;
    }
    const struct chosen rows = choose_rows(inquiry, metric, &table);
    const struct pr_row *self = rows.self;
    const int64_t inside = said && self ? pr_inquiry_sum_below(inquiry, metric, holder, is_of_row, self) : 0;
    const bool is_said = said && self && self->function == inquiry->profile->frames[holder->frame].function;
    if (said && !is_said && pr_is_share(inside, holder->total, 50))
        PR_SAY(inquiry, &said->rest,
               are_several(inquiry, metric, inside) ? " {} of them are in {} itself." : " {} of it is in {} itself.",
               pr_phrase_amount(metric, inside), pr_phrase_function(frame_of(inquiry->profile, self)));
    else if (self && !is_said && (!said || !pr_is_share(inside, self->self, 50)) &&
             pr_is_share(self->self, metric->total_value, PR_LEAST_SHARE))
        say_self(inquiry, metric, self);
    if (!said && rows.wait && pr_is_share(rows.wait->self, metric->total_value, 50))
        say_wait_of_row(inquiry, metric, rows.wait);
    pr_table_clear(&table);
}

/* An estimated tree proves nothing about what a function and its callees took together. */
void pr_rule_time(struct pr_inquiry *inquiry)
{
    const struct pr_metric *metric = pr_main_metric(inquiry->profile);
    struct pr_insight *said = NULL;
    struct pr_holder holder = {0};
    if (!metric)
        return;
    if (pr_metric_is_nested(metric)) {
        inquiry->why = pr_main_no_time(inquiry->profile);
        return;
    }
    const struct pr_column column = {metric->value, metric->count};
    if (!metric->exact && !pr_code_find_holder(&inquiry->code, &column, &holder)) {
        inquiry->failed = true;
        return;
    }
    bool *is_below = holder.known ? pr_inquiry_mark_below(inquiry, &holder) : NULL;
    const bool is_told =
        is_below && pr_metric_is_time(metric) && pr_imports_tell(inquiry, metric, holder.frame, is_below);
    const bool is_worth = holder.known && pr_is_share(holder.own, metric->total_value, PR_LEAST_SHARE);
    free(is_below);
    if (is_told)
        return;
    const int64_t waits = is_worth ? pr_waits_below(inquiry, metric, &holder) : 0;
    if (is_worth)
        said = pr_is_share(waits, holder.total, 50) ? say_waits(inquiry, metric, &holder, waits)
                                                    : say_holder(inquiry, metric, &holder);
    else if (holder.known)
        pr_say_spread(inquiry, metric, &holder, pr_main_whole(inquiry, metric));
    if (is_worth || !holder.known)
        say_other(inquiry, metric, &holder, said);
}

void pr_rule_calls(struct pr_inquiry *inquiry)
{
    const struct pr_metric *metric = pr_main_metric(inquiry->profile);
    struct pr_table table = {0};
    struct pr_error err = {0};
    if (!metric || !metric->count || strcmp(metric->count_name, "calls") != 0) {
        inquiry->why = "calls were not counted";
        return;
    }
    const unsigned number = (unsigned)(metric - inquiry->profile->metrics);
    if (pr_table_make(inquiry->profile, number, PR_BY_FUNCTION, false, &table, &err) == PR_FAILED) {
        inquiry->failed = true;
        return;
    }
    const struct pr_row *calls = choose_rows(inquiry, metric, &table).calls;
    if (calls && pr_is_share(calls->self_count, metric->total_count, PR_LEAST_SHARE))
        say_calls(inquiry, metric, calls);
    pr_table_clear(&table);
}
