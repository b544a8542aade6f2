/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are known to cost much, and their part of the time; and whether there are enough samples. */
#include "capture/explain/holder_words.h"

#include "capture/base/checked.h"
#include "capture/explain/main_metric.h"
#include "profrender/table.h"

#include <math.h>
#include <string.h>

/* Of one topic only the first that takes much is named: one calls the other. Nobody calls a collector of garbage. */
enum topic { OTHER, PATTERNS, FRAMES, COLLECTOR };

/*
 * A function by the last part of its name and by how its file ends, or by all of its name where the file is NULL; what
 * is known of it.
 */
static const struct known {
    enum topic topic;
    const char *function, *file, *words;
} known[] = {
    {OTHER, "deepcopy", "/copy.py", "It copies every object below its argument one by one, in Python."},
    {PATTERNS, "compile", "/re/_compiler.py", "It compiles a regular expression; re.compile it once and reuse it."},
    {PATTERNS, "compile", "/sre_compile.py", "It compiles a regular expression; re.compile it once and reuse it."},
    {PATTERNS, "_compile", "/re/__init__.py", "It compiles a regular expression or looks it up among those already "
                                              "compiled."},
    {OTHER, "iterrows", "/pandas/core/frame.py", "It builds a Series for every row."},
    {FRAMES, "_append", "/pandas/core/frame.py", "Each call copies the whole frame."},
    {FRAMES, "append", "/pandas/core/frame.py", "Each call copies the whole frame."},
    {FRAMES, "concat", "/pandas/core/reshape/concat.py", "Each call copies everything it joins."},
    {OTHER, "append", "/numpy/lib/function_base.py", "Each call copies the whole array."},
    {OTHER, "append", "/numpy/lib/_function_base_impl.py", "Each call copies the whole array."},
    {OTHER, "_dumps", "/pickle.py", "This is the pickle module written in Python, not the one in C."},
    {OTHER, "<built-in method _pickle.dumps>", NULL, "It serialises an object and everything it refers to."},
    {OTHER, "<built-in method _pickle.loads>", NULL, "It rebuilds an object and everything it refers to."},
    {OTHER, "format", "/logging/__init__.py", "It formats log messages."},
    {OTHER, "getaddrinfo", "/socket.py", "It looks up a host name."},
    /* the JVM */
    {PATTERNS, "java.util.regex.Pattern.compile", NULL, "It compiles a regular expression; a static Pattern is "
                                                        "compiled once."},
    {OTHER, "java.lang.String.format", NULL, "It parses its format on every call."},
    {OTHER, "java.lang.Throwable.fillInStackTrace", NULL, "It records a stack trace for every exception created."},
    /* Go */
    {PATTERNS, "regexp.compile", NULL, "It compiles a regular expression; a package variable is compiled once."},
    {OTHER, "fmt.Sprintf", NULL, "It parses its format on every call."},
    {OTHER, "encoding/json.Unmarshal", NULL, "It scans the text twice and finds fields by reflection."},
    {COLLECTOR, "runtime.gcBgMarkWorker", NULL, "It collects garbage; fewer allocations mean less work."},
    /* Node */
    {COLLECTOR, "(garbage collector)", NULL, "Fewer allocations mean less work for it."},
    {OTHER, "readFileSync", "node:fs", "Nothing else runs on this thread until the file is read."},
    {OTHER, "execSync", "node:child_process", "Nothing else runs on this thread until the command ends."},
    {OTHER, "spawnSync", "node:child_process", "Nothing else runs on this thread until the command ends."},
};

static bool ends_with(struct pr_text text, const char *end)
{
    const size_t length = strlen(end);
    return text.length >= length && !memcmp(text.bytes + text.length - length, end, length);
}

/* Samplers write "LogRecord.getMessage", cProfile "getMessage". */
static struct pr_text without_class(struct pr_text name)
{
    for (uint32_t i = name.length; i > 0; i--)
        if (name.bytes[i - 1] == '.')
            return pr_text_from(name, i);
    return name;
}

static bool is_known(const struct known *one, struct pr_text function, struct pr_text file)
{
    return one->file ? pr_text_is(without_class(function), one->function) && ends_with(file, one->file)
                     : pr_text_is(function, one->function);
}

static const struct known *find_known(const struct pr_profile *profile, const struct pr_frame *frame)
{
    const struct pr_text function = pr_profile_text(profile, frame->function),
                         file = pr_profile_text(profile, frame->file);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (is_known(&known[i], function, file))
            return &known[i];
    }
    return NULL;
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
    if (caller->known && caller->is_own) {
        if (call->topic == COLLECTOR)
            PR_SAY(inquiry, &insight->rest, ", {} of it during ", pr_phrase_amount(metric, caller->own));
        else if (pr_is_share(caller->own, sum, 99))
            PR_SAY_TEXT(inquiry, &insight->rest, ", called by ");
        else
            PR_SAY(inquiry, &insight->rest, ", {} of it called by ", pr_phrase_amount(metric, caller->own));
        PR_SAY(inquiry, &insight->rest, "{} at {}", pr_phrase_function(caller->frame),
               pr_phrase_place(caller->frame, inquiry->profile->frames[caller->frame].line));
    }
    PR_SAY(inquiry, &insight->rest, ". {}", pr_phrase_text(call->words));
}

/* In a short run what modules compile as they are imported is much of all. */
enum { LEAST_PERCENT = 10, LEAST_NS = 100 * 1000 * 1000 };

/* What is known to be costly, where it was found, and what it takes. */
struct found {
    pr_frame_id frame;
    int64_t sum;
    struct pr_holder caller;
};

/* By the stacks; OF_FRAME[frame_count]: what each frame is. False: nowhere, or no memory. */
static bool find_in_stacks(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct known *call,
                           const struct known *const *of_frame, bool *is_marked, struct found *found)
{
    const struct pr_profile *profile = inquiry->profile;
    *found = (struct found){.frame = PR_NO_NODE};
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        is_marked[i] = of_frame[i] == call;
        found->frame = is_marked[i] && found->frame == PR_NO_NODE ? i : found->frame;
    }
    if (found->frame == PR_NO_NODE)
        return false;
    int64_t *part = pr_inquiry_part_below(inquiry, metric, is_marked, &found->sum);
    const struct pr_column column = {part, NULL};
    const bool done = part && pr_code_find_holder(&inquiry->code, &column, &found->caller);
    inquiry->failed |= !done;
    free(part);
    return done;
}

/* By the rows of a format that has no stacks, and knows exactly what a function and its callees took. */
static bool find_in_rows(const struct pr_inquiry *inquiry, const struct pr_table *table, const struct known *call,
                         const struct known *const *of_frame, struct found *found)
{
    const struct pr_tree *tree = &inquiry->profile->tree;
    *found = (struct found){.frame = PR_NO_NODE};
    for (size_t i = 0; i < table->count; i++) {
        const struct pr_row *row = &table->row[i];
        if (row->node != PR_NO_NODE && row->node != PR_ROOT && of_frame[tree->frame[row->node]] == call &&
            row->total > found->sum)
            *found = (struct found){.frame = tree->frame[row->node], .sum = row->total};
    }
    return found->frame != PR_NO_NODE;
}

/* TABLE: NULL where there are stacks. IS_MARKED[frame_count]: scratch. */
static void judge(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_table *table,
                  const struct known *const *of_frame, bool *is_marked)
{
    bool is_named[COLLECTOR + 1] = {false};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct found found;
        const bool is_there = table ? find_in_rows(inquiry, table, &known[k], of_frame, &found)
                                    : find_in_stacks(inquiry, metric, &known[k], of_frame, is_marked, &found);
        if (!is_there || !pr_is_share(found.sum, metric->total_value, LEAST_PERCENT) ||
            (metric->unit == PR_UNIT_NANOSECONDS && found.sum < LEAST_NS) ||
            (known[k].topic != OTHER && is_named[known[k].topic]))
            continue;
        is_named[known[k].topic] = true;
        say_known(inquiry, metric, found.frame, &known[k], found.sum, &found.caller);
    }
}

void pr_rule_known_calls(struct pr_inquiry *inquiry)
{
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_metric *metric = pr_main_time(profile);
    struct pr_table table = {0};
    struct pr_error err = {0};
    if (!metric) {
        inquiry->why = pr_main_no_time(inquiry->profile);
        return;
    }
    const struct known **of_frame = calloc(profile->frame_count + (size_t)1, sizeof *of_frame);
    bool *is_marked = calloc(profile->frame_count + (size_t)1, sizeof *is_marked);
    const bool has_room = of_frame && is_marked &&
                          (!metric->exact || pr_table_make(profile, (unsigned)(metric - profile->metrics),
                                                           PR_BY_FUNCTION, false, &table, &err) != PR_FAILED);
    inquiry->failed |= !has_room;
    for (pr_frame_id i = 0; has_room && i < profile->frame_count; i++)
        of_frame[i] = find_known(profile, &profile->frames[i]);
    if (has_room)
        judge(inquiry, metric, metric->exact ? &table : NULL, of_frame, is_marked);
    pr_table_clear(&table);
    free(of_frame);
    free(is_marked);
}

static bool counts_samples(const struct pr_metric *metric)
{
    return metric->count && metric->count_name && strcmp(metric->count_name, "samples") == 0;
}

/* Samples that are figures themselves, as their time is not known or does not count them. */
static const struct pr_metric *samples_alone(const struct pr_profile *profile)
{
    for (uint32_t i = 0; i < profile->metric_count; i++)
        if (profile->metrics[i].unit == PR_UNIT_COUNT && strcmp(profile->metrics[i].name, "samples") == 0)
            return &profile->metrics[i];
    return NULL;
}

/* "Only 46 samples: a share of 50 % is accurate to about ±14 percentage points. A longer run ..." */
void pr_rule_few_samples(struct pr_inquiry *inquiry)
{
    enum { ENOUGH = 100 };
    const struct pr_metric *metric = pr_main_time(inquiry->profile);
    int64_t samples;
    struct pr_insight *insight;
    if (!metric || !counts_samples(metric))
        metric = samples_alone(inquiry->profile);
    if (!metric) {
        inquiry->why = "samples were not counted";
        return;
    }
    samples = counts_samples(metric) ? metric->total_count : metric->total_value;
    if (samples < 1 || samples >= ENOUGH || !(insight = pr_insight_add(inquiry)))
        return;
    insight->metric = (uint32_t)(metric - inquiry->profile->metrics);
    insight->proof = "info INPUT";
    PR_SAY(inquiry, &insight->headline, "Only {}", pr_phrase_count(samples, "samples"));
    PR_SAY(inquiry, &insight->rest,
           ": a share of 50 % is accurate to about ±{} percentage points. A longer run or a higher sampling rate "
           "would narrow that.",
           pr_phrase_value(PR_UNIT_COUNT, (int64_t)(196 * sqrt(0.25 / (double)samples) + 0.5),
                           "in 95 of 100 cases"));
}
