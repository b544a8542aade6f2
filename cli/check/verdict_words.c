/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/base/ascii.h"
#include "capture/base/hash.h"
#include "capture/base/text.h"
#include "cli/check/verdict.h"

#include "capture/model/code_path.h"
#include "capture/model/nameless.h"
#include "cli/io/terminal_names.h"
#include "cli/reports/diff_view.h"
#include "cli/reports/report.h"
#include "render/words/commit_words.h"
#include "render/words/ending.h"
#include "render/words/touch_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_COLUMNS = 80, PLACE_COLUMNS = 80, COMMIT_COLUMNS = 40, STEP_COLUMNS = 40 };

void pr_finding_name(struct pr_buf *buf, const struct pr_finding *finding)
{
    static const char *const kinds[] = {"max", "budget", "regression", "function", "grew"};
    if (finding->insight) {
        pr_buf_printf(buf, "finding-%s", finding->insight->rule->name);
        return;
    }
    pr_buf_printf(buf, "%s-%s%s", kinds[finding->kind], finding->metric->name, finding->is_count ? "-count" : "");
    if (finding->pattern)
        pr_buf_printf(buf, ":%s", finding->pattern);
}

void pr_finding_fingerprint(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    struct pr_buf text = {0};
    pr_finding_name(&text, finding);
    if (finding->culprit_count) {
        struct pr_text function = pr_culprit_shown(verdict, &finding->culprit[0]);
        struct pr_text file = pr_culprit_file(verdict, &finding->culprit[0]);
        pr_buf_byte(&text, '\n');
        pr_buf_add(&text, function.bytes, function.length);
        pr_buf_byte(&text, '\n');
        pr_buf_add(&text, file.bytes, file.length);
    }
    const uint64_t half = text.failed ? 0 : pr_hash_bytes(text.bytes, text.length);
    pr_buf_printf(buf, "%016" PRIx64 "%016" PRIx64, half, pr_hash_u64(half));
    pr_buf_clear(&text);
}

struct pr_figure pr_finding_figure(const struct pr_finding *finding, int64_t value)
{
    return finding->is_count ? pr_units_count(value) : pr_report_value(finding->metric, value);
}

struct pr_figure pr_finding_change(const struct pr_finding *finding, int64_t change)
{
    struct pr_metric plain = {.unit = PR_UNIT_COUNT};
    return pr_units_metric_change(finding->is_count ? &plain : finding->metric, false, change);
}

struct pr_figure pr_finding_limit(const struct pr_finding *finding)
{
    struct pr_figure figure = pr_finding_figure(finding, finding->bounds.usual);
    const size_t length = finding->asked ? strlen(finding->asked) : 0;
    if (length && length < sizeof figure.text && pr_is_letter(finding->asked[length - 1]))
        snprintf(figure.text, sizeof figure.text, "%s", finding->asked);
    return figure;
}

static void add_function(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const struct pr_culprit *culprit = &finding->culprit[0];
    struct pr_text file = pr_culprit_file(verdict, culprit);
    pr_text_cut_function(buf, pr_culprit_shown(verdict, culprit), NAME_COLUMNS);
    if (file.length) {
        pr_buf_text(buf, " (");
        pr_text_cut_place(buf, file, culprit->line, PLACE_COLUMNS);
        pr_buf_byte(buf, ')');
    }
    pr_buf_text(buf, ": ");
}

bool pr_finding_has_limit(const struct pr_finding *finding)
{
    return finding->kind != PR_RULE_EVERY_RUN || finding->grew.least;
}

/* What it is about, up to the first figure. */
static void add_subject(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const bool is_function = finding->kind == PR_RULE_FUNCTION || finding->kind == PR_RULE_EVERY_RUN;
    if (is_function && finding->culprit_count)
        add_function(buf, verdict, finding);
    const bool is_of_phase = pr_check_phase_figure(finding->metric->name) >= 0;
    const struct pr_diff_run *run = &verdict->diff->runs[0];
    const char *in_use = pr_ending_in_use(finding->metric, run->failed, run->complete);
    const size_t at = buf->length;
    pr_buf_text(buf, finding->metric == &pr_arenas_metric ? "arenas of pymalloc"
                     : in_use                             ? in_use
                     : is_of_phase                        ? finding->metric->title
                                                          : finding->metric->name);
    if (in_use && !buf->failed)
        buf->bytes[at] = pr_ascii_lower(buf->bytes[at]); /* within a sentence */
    if (finding->is_count)
        pr_buf_printf(buf, ", %s", finding->metric->count_name ? finding->metric->count_name : "count");
    if (finding->pattern)
        pr_buf_printf(buf, " of %s", finding->pattern);
    if (finding->arenas && !is_function)
        pr_buf_text(buf, in_use ? ", without arenas" : " without arenas");
    pr_buf_text(buf, is_function ? " " : ": ");
}

static void add_change(struct pr_buf *buf, const struct pr_finding *finding)
{
    const int64_t before = finding->history.median, after = finding->after;
    if (!finding->has_before)
        return;
    if (before == after)
        pr_buf_text(buf, ", as before");
    else
        pr_buf_printf(buf, ", %s (%s) from %s", pr_units_growth(before, after).text,
                      pr_finding_change(finding, pr_change_of(before, after)).text,
                      pr_finding_figure(finding, before).text);
}

void pr_finding_noise(struct pr_buf *buf, const struct pr_finding *finding)
{
    const struct pr_baseline_values *history = &finding->history;
    const double range = (double)history->highest - (double)history->lowest;
    if (!finding->has_before || history->count < 2 || finding->kind == PR_RULE_EVERY_RUN)
        return;
    if (range <= 0)
        pr_buf_text(buf, "none");
    else if (history->median <= 0)
        pr_buf_text(buf, pr_finding_figure(finding, pr_change_of(history->lowest, history->highest)).text);
    else
        pr_buf_printf(buf, range * 10 < (double)history->median ? "%.2g %%" : "%.0f %%",
                      range * 100 / (double)history->median);
}

/* "8 baselines differ by 0.004 %" */
static void add_noise(struct pr_buf *buf, const struct pr_finding *finding)
{
    const struct pr_baseline_values *history = &finding->history;
    if (!finding->has_before || history->count < 2)
        return;
    pr_buf_printf(buf, "; %zu baselines ", history->count);
    pr_buf_text(buf, history->highest > history->lowest ? "differ by " : "are equal");
    if (history->highest > history->lowest)
        pr_finding_noise(buf, finding);
}

static void add_spread(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const struct pr_baseline_values *history = &finding->history;
    const double range = (double)history->highest - (double)history->lowest;
    const double share = history->median > 0 ? range * 100 / (double)history->median : 0;
    pr_buf_text(buf, "the baselines spread ");
    if (share >= 1)
        pr_buf_printf(buf, "by %.0f %%, ", share);
    pr_buf_printf(buf, "from %s to %s (", pr_finding_figure(finding, history->lowest).text,
                  pr_finding_figure(finding, history->highest).text);
    pr_text_cut_path(buf, pr_text_of(verdict->baselines[history->highest_at]), PLACE_COLUMNS);
    pr_buf_byte(buf, ')');
}

static void add_chance(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const bool together = finding->metric->unit == PR_UNIT_BYTES && strcmp(finding->metric->name, "rss") != 0;
    if (together) {
        pr_chance_words(&verdict->chance, buf);
        pr_buf_text(buf, ", and how much they hold together differs from run to run");
    } else {
        pr_buf_text(buf, "this differs from run to run of the same program");
    }
    if (finding->history.count < PR_ENOUGH_BASELINES)
        pr_buf_printf(buf, "; %u baselines or more would show how far%s", PR_ENOUGH_BASELINES,
                      together ? "" : ", --tolerance says how far it may");
}

static void add_held(struct pr_buf *buf, const struct pr_finding *finding)
{
    pr_buf_text(buf, "hardly more was allocated, so it was freed later, by the program or the cycle collector");
    if (finding->history.count < PR_ENOUGH_BASELINES)
        pr_buf_printf(buf, "; %u baselines or more would show which", PR_ENOUGH_BASELINES);
}

void pr_finding_doubt(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    if (finding->insight)
        pr_buf_text(buf, finding->insight->why);
    else if (finding->doubt == PR_DOUBT_SPREAD)
        add_spread(buf, verdict, finding);
    else if (finding->doubt == PR_DOUBT_WAITED)
        pr_buf_printf(buf, "processors worked %s on it, %s before, so the rest is waiting",
                      pr_units_duration(verdict->worked_ns).text, pr_units_duration(verdict->worked.median).text);
    else if (finding->doubt == PR_DOUBT_HELD)
        add_held(buf, finding);
    else if (finding->doubt == PR_DOUBT_FEW_RUNS)
        pr_buf_printf(buf, "%zu runs before this one are needed, and there %s", finding->grew.runs,
                      verdict->baseline_count == 1 ? "is 1" : verdict->baseline_count ? "are fewer" : "is none");
    else
        add_chance(buf, verdict, finding);
}

/* "success: exit status 1, ValueError: no rows (load.py:6)" */
static void add_success(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    pr_buf_text(buf, "success: ");
    if (finding->answer != PR_BROKEN)
        pr_buf_text(buf, "the run did not fail");
    else
        pr_text_add(buf, pr_text_of(verdict->failure ? verdict->failure : "the run failed"));
}

/* " (commit 0123456789)"; nothing where it is not known. */
static void add_commit(struct pr_buf *buf, struct pr_text commit)
{
    if (!commit.length)
        return;
    pr_buf_text(buf, " (commit ");
    pr_text_cut_end(buf, pr_commit_short(commit), COMMIT_COLUMNS);
    pr_buf_byte(buf, ')');
}

/* "; one cause: load (features.py:12) and everything it calls grew alike, +100 % (+5.00 MiB)" */
static void add_ancestor(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const struct pr_culprit *place = pr_finding_place(finding);
    if (place != &finding->ancestor || finding->has_cause)
        return;
    struct pr_text file = pr_culprit_file(verdict, place);
    pr_buf_text(buf, "; one cause: ");
    pr_text_cut_function(buf, pr_culprit_shown(verdict, place), NAME_COLUMNS);
    if (file.length) {
        pr_buf_text(buf, " (");
        pr_text_cut_place(buf, file, place->line, PLACE_COLUMNS);
        pr_buf_printf(buf, "%s)", pr_touch_words(place->touch));
    }
    if (place->before > 0)
        pr_buf_printf(buf, " and everything it calls grew alike, %s (%s)",
                      pr_units_growth(place->before, place->after).text,
                      pr_finding_change(finding, pr_culprit_change(place)).text);
    else
        pr_buf_printf(buf, " and everything it calls is new, %s", pr_finding_figure(finding, place->after).text);
}

/* " on average since run-7.prz (commit 0123456789), in 3 steps" */
static void add_since(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const struct pr_rise *rise = &finding->rise;
    pr_buf_text(buf, " on average since ");
    pr_text_cut_path(buf, pr_text_of(pr_finding_run(verdict, finding, rise->index)), PLACE_COLUMNS);
    add_commit(buf, pr_finding_commit(verdict, finding, rise->index));
    if (rise->steps > 1)
        pr_buf_printf(buf, ", in %zu steps", rise->steps);
}

const char *pr_finding_run(const struct pr_verdict *verdict, const struct pr_finding *finding, size_t index)
{
    return index < finding->trend.count ? verdict->baselines[finding->trend.run[index]] : verdict->input;
}

struct pr_text pr_finding_commit(const struct pr_verdict *verdict, const struct pr_finding *finding, size_t index)
{
    const uint32_t profile = index < finding->trend.count ? 1 + finding->trend.run[index] : 0;
    return pr_profile_text(verdict->diff->profile, verdict->diff->runs[profile].commit);
}

/* "poll grows by ...", "steady-growth: nothing found", or "steady-growth: cannot tell: the run is too short". */
static void add_insight(struct pr_buf *buf, const struct pr_check_insight *insight)
{
    if (insight->outcome == PR_OUTCOME_FOUND)
        pr_buf_text(buf, insight->sentence);
    else if (insight->outcome == PR_OUTCOME_FINE)
        pr_buf_printf(buf, "%s: nothing found%s%s", insight->rule->name, insight->sentence ? ": " : "",
                      insight->sentence ? insight->sentence : "");
    else
        pr_buf_printf(buf, "%s: cannot tell: %s", insight->rule->name, insight->why);
}

/* "load (load.py:7): peak grew in each of the last 3 runs, by at least 1.00 MiB: from 10.0 MiB to 13.0 MiB" */
static void add_every_run(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const struct pr_every_run *grew = &finding->grew;
    add_subject(buf, verdict, finding);
    if (finding->doubt == PR_DOUBT_FEW_RUNS)
        pr_buf_text(buf, "may have grown");
    else
        pr_buf_text(buf, grew->least ? "grew" : "of no function grew");
    pr_buf_printf(buf, " in each of the last %zu runs", grew->runs);
    if (grew->least)
        pr_buf_printf(buf, ", by at least %s: from %s to %s", pr_finding_figure(finding, grew->least).text,
                      pr_finding_figure(finding, finding->history.median).text,
                      pr_finding_figure(finding, finding->after).text);
    if (finding->answer == PR_BROKEN)
        pr_buf_printf(buf, "; the limit is %.3g %% a run", grew->percent);
    if (finding->answer != PR_CANNOT_TELL)
        return;
    pr_buf_text(buf, "; cannot tell: ");
    pr_finding_doubt(buf, verdict, finding);
}

void pr_finding_sentence(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    if (pr_figure_named(finding->metric->name) == PR_FIGURE_FAILED && finding->asked && finding->bounds.usual == 0) {
        add_success(buf, verdict, finding);
        return;
    }
    if (finding->insight) {
        add_insight(buf, finding->insight);
        return;
    }
    if (finding->kind == PR_RULE_EVERY_RUN) {
        add_every_run(buf, verdict, finding);
        return;
    }
    add_subject(buf, verdict, finding);
    if (finding->no_match) {
        pr_buf_text(buf, finding->answer == PR_BROKEN ? "no function or file matches, and one is required"
                                                      : "no function or file matches");
        return;
    }
    pr_buf_text(buf, pr_finding_figure(finding, finding->after).text);
    if (finding->rise.steps)
        add_since(buf, verdict, finding);
    add_change(buf, finding);
    if (finding->metric == &pr_arenas_metric && finding->after)
        pr_buf_text(buf, "; who filled them is not recorded");
    if (finding->answer == PR_CANNOT_TELL) {
        pr_buf_text(buf, "; cannot tell");
        if (finding->after <= finding->bounds.alarm)
            pr_buf_printf(buf, " up to %s", pr_finding_figure(finding, finding->bounds.alarm).text);
        pr_buf_text(buf, ": ");
        pr_finding_doubt(buf, verdict, finding);
        return;
    }
    const int64_t limit = finding->answer == PR_BROKEN ? finding->bounds.alarm : finding->bounds.usual;
    pr_buf_printf(buf, "; the limit is %s", limit == finding->bounds.usual ? pr_finding_limit(finding).text
                                                                           : pr_finding_figure(finding, limit).text);
    add_noise(buf, finding);
    add_ancestor(buf, verdict, finding);
}

void pr_finding_message(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const struct pr_culprit *place = pr_finding_place(finding);
    if (place && finding->kind < PR_RULE_FUNCTION) {
        pr_text_cut_function(buf, pr_culprit_shown(verdict, place), NAME_COLUMNS);
        pr_buf_text(buf, ": ");
    }
    pr_finding_sentence(buf, verdict, finding);
}

void pr_finding_path(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const struct pr_diff_path *path = &finding->culprit[0].path;
    const bool has_path = finding->culprit_count && path->count > 1;
    /* What is left out below an outermost caller that is not known says nothing of that one. */
    const uint32_t shown = has_path ? path->count - (path->left_out && !path->is_whole) : 0;
    if (shown && !path->is_whole)
        pr_buf_text(buf, "... > ");
    for (uint32_t i = shown; i-- > 0;) {
        const struct pr_culprit step = {.function = path->step[i].function, .file = path->step[i].file,
                                        .code = path->step[i].code};
        pr_text_cut_function(buf, pr_culprit_shown(verdict, &step), STEP_COLUMNS);
        pr_buf_text(buf, i == 0 ? "" : i + 1 == path->count && path->left_out ? " > ... > " : " > ");
    }
}

void pr_finding_also(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const struct pr_finding *end = verdict->finding + verdict->broken;
    while (++finding < end && finding->has_cause) {
        pr_buf_text(buf, "also ");
        pr_finding_sentence(buf, verdict, finding);
        pr_buf_byte(buf, '\n');
    }
}

void pr_verdict_summary(struct pr_buf *buf, const struct pr_verdict *verdict)
{
    if (!verdict->count) {
        pr_buf_text(buf, "nothing was checked");
        return;
    }
    pr_buf_printf(buf, "%zu of %zu rule%s broken", verdict->broken, verdict->count, verdict->count == 1 ? "" : "s");
    if (verdict->causes < verdict->broken)
        pr_buf_printf(buf, " by %zu cause%s", verdict->causes, verdict->causes == 1 ? "" : "s");
    if (verdict->untold)
        pr_buf_printf(buf, ", cannot tell of %zu", verdict->untold);
}

const struct pr_culprit *pr_finding_place(const struct pr_finding *finding)
{
    if (finding->ancestor.code)
        return &finding->ancestor;
    return finding->culprit_count ? &finding->culprit[0] : NULL;
}

int64_t pr_culprit_change(const struct pr_culprit *culprit)
{
    return pr_change_of(culprit->before, culprit->after);
}

struct pr_text pr_culprit_function(const struct pr_verdict *verdict, const struct pr_culprit *culprit)
{
    if (culprit->is_arenas)
        return pr_text_of("(arenas of pymalloc: who filled them is not recorded)");
    if (culprit->function || culprit->file)
        return pr_profile_text(verdict->diff->profile, culprit->function);
    return pr_text_of("(no stack)");
}

struct pr_text pr_culprit_shown(const struct pr_verdict *verdict, const struct pr_culprit *culprit)
{
    const struct pr_text name = pr_culprit_function(verdict, culprit);
    return name.length && culprit->code ? pr_shown_function(verdict->diff->profile, culprit->code - 1) : name;
}

struct pr_text pr_culprit_file(const struct pr_verdict *verdict, const struct pr_culprit *culprit)
{
    struct pr_text file = pr_profile_text(verdict->diff->profile, culprit->file), root = pr_text_of(verdict->root);
    if (!root.length || !pr_path_below(file, root) || file.length == root.length)
        return file;
    uint32_t at = root.length;
    while (at < file.length && file.bytes[at] == '/')
        at++;
    return (struct pr_text){file.bytes + at, file.length - at};
}
