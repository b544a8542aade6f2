/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences that rules of memory and of time share. */
#include "capture/explain/holder_words.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/explain/library_share.h"
#include "capture/model/run_figures.h"
#include "profrender/load_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What a function's own functions add is worth a word if it is more than the rest to 100 percent. */
enum { NEARLY_ALL = 99 };

/* A library with less of what no function has much of is not worth a word. In percent. */
enum { HALF = 50 };

/* Formats without functions call a frame by its place, "etl.py:41": saying where it is would say it twice. */
static bool is_called_by_place(struct pr_text function, struct pr_text file, int32_t line)
{
    char number[16];
    const size_t digits = (size_t)snprintf(number, sizeof number, ":%" PRId32, line);
    const size_t name = function.length > digits ? function.length - digits : 0;
    return name && name <= file.length && memcmp(function.bytes + name, number, digits) == 0 &&
           memcmp(file.bytes + file.length - name, function.bytes, name) == 0;
}

static bool has_place(const struct pr_inquiry *inquiry, pr_frame_id frame)
{
    const struct pr_frame *known = &inquiry->profile->frames[frame];
    const struct pr_text file = pr_profile_text(inquiry->profile, known->file);
    return file.length &&
           !is_called_by_place(pr_profile_text(inquiry->profile, known->function), file, known->line);
}

/* Whether one line has so much of the function's own that three digits show no difference. */
static bool is_on_one_line(const struct pr_holder *holder)
{
    enum { PART = 2000 };
    return holder->line_count < 2 || holder->own - holder->line_value < holder->own / PART;
}

/* " at etl.py:41", or " (113 MiB at etl.py:41)" of a function with several lines; nothing without a file. */
static void say_place(struct pr_inquiry *inquiry, struct pr_sentence *sentence, const struct pr_metric *metric,
                      const struct pr_holder *holder)
{
    const int32_t line = inquiry->profile->frames[holder->frame].line;
    if (!has_place(inquiry, holder->frame))
        return;
    if (!is_on_one_line(holder))
        PR_SAY(inquiry, sentence, " ({} at {})", pr_phrase_amount(metric, holder->line_value),
               pr_phrase_place(holder->frame, line));
    else
        PR_SAY(inquiry, sentence, " at {}", pr_phrase_place(holder->frame, line));
}

/* Whether the sentence has the amount already, and goes on with the number of allocations. */
static bool goes_on_with_count(const struct pr_inquiry *inquiry, const struct pr_metric *metric)
{
    return metric->count && (pr_metric_has_allocations(inquiry->profile, metric) || !strcmp(metric->name, "leaked"));
}

/* "2 allocations at etl.py:41, including the libraries it calls." */
static void say_own(struct pr_inquiry *inquiry, struct pr_sentence *sentence, const struct pr_metric *metric,
                    const struct pr_holder *holder)
{
    if (holder->count && goes_on_with_count(inquiry, metric))
        PR_SAY(inquiry, sentence, "{}", pr_phrase_count(holder->total_count, metric->count_name));
    else
        PR_SAY(inquiry, sentence, "{}", pr_phrase_amount(metric, holder->own));
    say_place(inquiry, sentence, metric, holder);
    PR_SAY(inquiry, sentence, holder->is_own && holder->has_others ? ", including the libraries it calls." : ".");
}

/* "182 MiB itself and through libraries (113 MiB at etl.py:41), the rest in your functions that it calls." */
static void say_parts(struct pr_inquiry *inquiry, struct pr_sentence *sentence, const struct pr_metric *metric,
                      const struct pr_holder *holder)
{
    PR_SAY(inquiry, sentence, holder->is_own && holder->has_others ? "{} itself and through libraries" : "{} itself",
           pr_phrase_amount(metric, holder->own));
    say_place(inquiry, sentence, metric, holder);
    PR_SAY(inquiry, sentence,
           holder->is_own && holder->has_others ? ", the rest in your functions that it calls."
                                                : ", the rest in what it calls.");
}

void pr_say_holding(struct pr_inquiry *inquiry, struct pr_sentence *sentence, const struct pr_metric *metric,
                    const struct pr_holder *holder)
{
    if (pr_is_share(holder->own, holder->total, NEARLY_ALL))
        say_own(inquiry, sentence, metric, holder);
    else
        say_parts(inquiry, sentence, metric, holder);
    if (holder->path_count > 1)
        PR_SAY(inquiry, sentence, " It is on {} paths; the largest has {}.",
               pr_phrase_value(PR_UNIT_COUNT, holder->path_count, ""), pr_phrase_amount(metric, holder->node_total));
}

/* A number that is a name: without commas. */
static void say_number(struct pr_inquiry *inquiry, struct pr_sentence *sentence, const char *words, uint64_t number)
{
    char text[64];
    snprintf(text, sizeof text, "%s %" PRIu64, words, number);
    const char *copy = pr_arena_copy(&inquiry->explanation->arena, text, strlen(text));
    inquiry->failed |= !copy;
    PR_SAY_TEXT(inquiry, sentence, copy ? copy : "");
}

void pr_say_process(struct pr_inquiry *inquiry, struct pr_sentence *sentence, uint32_t thread)
{
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_process *process = &profile->processes[profile->threads[thread].process];
    if (process->pid || !process->name)
        say_number(inquiry, sentence, "process", process->pid);
    else
        PR_SAY(inquiry, sentence, "process {}", pr_phrase_name(process->name));
}

void pr_say_thread(struct pr_inquiry *inquiry, struct pr_sentence *sentence, uint32_t thread)
{
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_thread *t = &profile->threads[thread];
    const bool is_one = profile->process_count < 2;
    if (is_one && profile->meta.main_tid && t->tid == profile->meta.main_tid)
        PR_SAY_TEXT(inquiry, sentence, "the main thread");
    else if (t->name)
        PR_SAY(inquiry, sentence, "thread {}", pr_phrase_name(t->name));
    else
        say_number(inquiry, sentence, "thread", t->tid);
    if (is_one)
        return;
    PR_SAY_TEXT(inquiry, sentence, " of ");
    pr_say_process(inquiry, sentence, thread);
}

/* " The library terser has 80.4 % by itself." Nothing where no library has half. */
static void say_library(struct pr_inquiry *inquiry, struct pr_insight *insight, const struct pr_metric *metric)
{
    struct pr_library_share library;
    if (!pr_library_with_most(inquiry->profile, &(struct pr_column){metric->value, metric->count}, &library))
        inquiry->failed = true;
    else if (pr_is_share(library.self, metric->total_value, HALF))
        PR_SAY(inquiry, &insight->rest, " The library {} has {} by itself.",
               {.kind = PR_PHRASE_TEXT, .text = library.name},
               pr_phrase_share(metric, library.self, metric->total_value));
}

/* "Your own code has next to nothing of the 812 KiB heap peak: 2.31 KiB (0.3 %)." */
static void say_nothing_own(struct pr_inquiry *inquiry, struct pr_insight *insight, const struct pr_metric *metric,
                            int64_t own, const char *whole)
{
    if (!own) {
        PR_SAY(inquiry, &insight->headline, "Your own code has none");
        PR_SAY(inquiry, &insight->rest,
               " of the {} {}. All of it is libraries and the runtime, which your code did not call.",
               pr_phrase_amount(metric, metric->total_value), pr_phrase_text(whole));
        return;
    }
    PR_SAY(inquiry, &insight->headline, "Your own code has next to nothing");
    PR_SAY(inquiry, &insight->rest,
           " of the {} {}: {} ({}). The rest is libraries and the runtime, which it did not call.",
           pr_phrase_amount(metric, metric->total_value), pr_phrase_text(whole), pr_phrase_amount(metric, own),
           pr_phrase_share(metric, own, metric->total_value));
}

/* "83.1 % of the heap peak is below work, spread over 18 functions; the largest, read, has 2.3 %." */
static void say_below(struct pr_inquiry *inquiry, struct pr_insight *insight, const struct pr_metric *metric,
                      const struct pr_holder *lowest, const struct pr_holder *largest, const char *whole)
{
    PR_SAY(inquiry, &insight->headline, "{} of the {} is below {}",
           pr_phrase_share(metric, lowest->total, metric->total_value), pr_phrase_text(whole),
           pr_phrase_function(lowest->frame));
    PR_SAY(inquiry, &insight->rest, ": {}, and no single function stands out. The largest is {} with {}.",
           pr_phrase_amount(metric, lowest->total), pr_phrase_function(largest->frame),
           pr_phrase_share(metric, largest->own, metric->total_value));
}

/* What METRIC has in the frame that stands for inner frames of rare stacks, as memory was bounded. */
static int64_t folded_of(const struct pr_profile *profile, const struct pr_metric *metric)
{
    int64_t folded = 0;
    for (size_t i = 0; i < profile->fact_count; i++) {
        const struct pr_frame *frame = &profile->frames[profile->tree.frame[profile->fact_leaf[i]]];
        if (frame->kind == PR_FRAME_OTHER && pr_text_is(pr_profile_text(profile, frame->function), PR_FOLDED_NAME))
            pr_add_to(&folded, metric->value[i]);
    }
    return folded;
}

/* "81.2 % of the heap peak is folded to save memory: its functions are not known. Of the others, read has ..." */
static void say_folded(struct pr_inquiry *inquiry, struct pr_insight *insight, const struct pr_metric *metric,
                       int64_t folded, const struct pr_holder *largest, const char *whole)
{
    PR_SAY(inquiry, &insight->headline, "{} of the {} is folded to save memory",
           pr_phrase_share(metric, folded, metric->total_value), pr_phrase_text(whole));
    PR_SAY(inquiry, &insight->rest, ": its functions are not known. Of the others, {} has the most, {}.",
           pr_phrase_function(largest->frame), pr_phrase_share(metric, largest->own, metric->total_value));
}

void pr_say_spread(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_holder *largest,
                   const char *whole)
{
    const int64_t folded = folded_of(inquiry->profile, metric);
    const struct pr_column column = {metric->value, metric->count};
    struct pr_holder lowest;
    int64_t own;
    if (!pr_code_sum_own(&inquiry->code, &column, &own, NULL) ||
        !pr_code_find_lowest(&inquiry->code, &column, metric->total_value, &lowest)) {
        inquiry->failed = true;
        return;
    }
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    insight->is_of_none = true;
    insight->metric = (uint32_t)(metric - inquiry->profile->metrics);
    insight->proof = "summary INPUT";
    if (pr_is_share(folded, metric->total_value, PR_LEAST_SHARE)) {
        pr_insight_locate(inquiry, insight, metric, largest);
        say_folded(inquiry, insight, metric, folded, largest, whole);
    } else if (inquiry->code.has_own && !pr_is_share(own, metric->total_value, PR_LEAST_SHARE)) {
        say_nothing_own(inquiry, insight, metric, own, whole);
        say_library(inquiry, insight, metric);
    } else if (lowest.known) {
        pr_insight_locate(inquiry, insight, metric, &lowest);
        say_below(inquiry, insight, metric, &lowest, largest, whole);
    } else {
        pr_insight_locate(inquiry, insight, metric, largest);
        PR_SAY(inquiry, &insight->headline, "No single function stands out");
        PR_SAY(inquiry, &insight->rest, ": the largest, {}, has {} of the {}.", pr_phrase_function(largest->frame),
               pr_phrase_share(metric, largest->own, metric->total_value), pr_phrase_text(whole));
        say_library(inquiry, insight, metric);
    }
}

void pr_say_limit(struct pr_inquiry *inquiry, struct pr_insight *insight, double bytes_a_second)
{
    const struct pr_maybe limit = inquiry->profile->run.memory_limit_bytes;
    int64_t at_ms;
    const struct pr_run_figure peak = pr_run_peak_memory(inquiry->profile, &at_ms);
    if (!limit.known || !peak.known || peak.value >= limit.value)
        return;
    const double seconds = ((double)limit.value - (double)peak.value) / bytes_a_second;
    if (seconds < 1e9)
        PR_SAY(inquiry, &insight->rest, " At this rate the limit of {} is reached {} later.",
               pr_phrase_value(PR_UNIT_BYTES, limit.value, ""),
               pr_phrase_value(PR_UNIT_NANOSECONDS, (int64_t)(seconds * 1e9), ""));
}

void pr_say_arenas(struct pr_inquiry *inquiry, struct pr_sentence *sentence, const struct pr_metric *metric,
                   const struct pr_holder *holder)
{
    const int64_t arenas = pr_inquiry_arenas(inquiry, metric, holder).bytes;
    if (pr_is_share(arenas, holder->own, 100))
        PR_SAY_TEXT(inquiry, sentence,
                    " All of it is arenas of pymalloc, which may hold small objects of any function.");
    else if (pr_is_share(arenas, holder->own, 50))
        PR_SAY(inquiry, sentence, " {} of it is arenas of pymalloc, which may hold small objects of any function.",
               pr_phrase_amount(metric, arenas));
}
