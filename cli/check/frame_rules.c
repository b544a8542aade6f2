/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/frame_rules.h"

#include "capture/base/checked.h"
#include "capture/base/near.h"
#include "capture/base/sort.h"
#include "cli/args/options.h"
#include "cli/io/say.h"
#include "cli/io/terminal_names.h"
#include "render/words/data_diff_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum subject {
    ABOUT_ROWS,
    ABOUT_REPEATED,
    ABOUT_MISSING,
    ABOUT_DISTINCT,
    ABOUT_MEAN,
    ABOUT_MEDIAN,
    ABOUT_MIN,
    ABOUT_MAX,
    ABOUT_SUM,
    ABOUT_STD,
    ABOUT_FIGURES
};
static const char *const subjects[ABOUT_FIGURES] = {"rows",   "repeated", "missing", "distinct", "mean",
                                                    "median", "min",      "max",     "sum",      "std"};

enum verb { BELOW, AT_MOST, AT_LEAST, WITHIN };
static const char *const verbs[] = {"below ", "at most ", "at least ", "within "};

enum demand {
    DEMAND_FIGURE,
    DEMAND_UNIQUE,
    DEMAND_NO_MISSING,
    DEMAND_NO_REPEATED,
    DEMAND_TYPE,
    DEMAND_NO_NEW,
    DEMAND_NO_LOST,
    DEMAND_NOT_MOVED,
    DEMAND_SAME_TYPE,
    DEMAND_SAME_COLUMNS
};
static const struct {
    const char *words;
    enum demand demand;
} phrases[] = {{"unique", DEMAND_UNIQUE},           {"no missing", DEMAND_NO_MISSING},
               {"no repeated rows", DEMAND_NO_REPEATED}, {"no new category", DEMAND_NO_NEW},
               {"no lost category", DEMAND_NO_LOST}, {"not moved", DEMAND_NOT_MOVED},
               {"same type", DEMAND_SAME_TYPE},     {"same columns", DEMAND_SAME_COLUMNS}};

struct rule {
    const char *text;
    enum demand demand;
    enum subject subject;
    enum verb verb;
    double limit;   /* a share as a fraction of 1 */
    bool is_share;
    enum pr_data_type type;
};

/* ---- words become rules ----------------------------------------------------------------------------------------- */

static const char *skip(const char *text)
{
    while (*text == ' ')
        text++;
    return text;
}

/* A number, and whether a percent sign follows it. */
static bool read_limit(const char *text, struct rule *rule)
{
    char *end;
    text = skip(text);
    rule->limit = strtod(text, &end);
    if (end == text || !isfinite(rule->limit))
        return false;
    end = (char *)skip(end);
    rule->is_share = *end == '%';
    if (rule->is_share)
        rule->limit /= 100;
    return *skip(end + rule->is_share) == '\0';
}

static bool read_figure(const char *text, struct rule *rule)
{
    rule->demand = DEMAND_FIGURE;
    for (int s = 0; s < ABOUT_FIGURES; s++) {
        const size_t length = strlen(subjects[s]);
        if (strncmp(text, subjects[s], length) != 0 || text[length] != ' ')
            continue;
        const char *rest = skip(text + length);
        rule->subject = (enum subject)s;
        for (size_t v = 0; v < sizeof verbs / sizeof *verbs; v++) {
            rule->verb = (enum verb)v;
            if (strncmp(rest, verbs[v], strlen(verbs[v])) != 0 || !read_limit(rest + strlen(verbs[v]), rule))
                continue;
            const bool needs_share = rule->verb == WITHIN || s == ABOUT_MISSING || s == ABOUT_REPEATED;
            return rule->is_share == needs_share && rule->limit >= (needs_share ? 0 : -INFINITY) &&
                   !(rule->verb == WITHIN && s == ABOUT_REPEATED);
        }
    }
    return false;
}

static bool read_rule(const char *text, struct rule *rule)
{
    *rule = (struct rule){.text = text};
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (strcmp(text, phrases[i].words) == 0) {
            rule->demand = phrases[i].demand;
            return true;
        }
    if (strncmp(text, "type ", 5) == 0) {
        rule->demand = DEMAND_TYPE;
        for (int type = 0; type < PR_TYPE_COUNT; type++)
            if (strcmp(skip(text + 5), pr_data_type_name((enum pr_data_type)type)) == 0) {
                rule->type = (enum pr_data_type)type;
                return true;
            }
        return false;
    }
    return read_figure(text, rule);
}

/* Where the rule begins in "COLUMN: RULE": after the first ": " that one follows. NULL: there is no rule. */
static const char *rule_in(const char *text)
{
    struct rule rule;
    if (read_rule(text, &rule))
        return text;
    for (const char *at = strchr(text, ':'); at; at = strchr(at + 1, ':'))
        if (at > text && read_rule(skip(at + 1), &rule))
            return skip(at + 1);
    return NULL;
}

static bool is_of_table(const struct rule *rule)
{
    return rule->demand == DEMAND_NO_REPEATED || rule->demand == DEMAND_SAME_COLUMNS ||
           (rule->demand == DEMAND_FIGURE && (rule->subject == ABOUT_ROWS || rule->subject == ABOUT_REPEATED));
}

bool pr_frame_rule_is_one(const char *text)
{
    struct rule rule;
    const char *at = rule_in(text);
    return at && read_rule(at, &rule) && (at == text || !is_of_table(&rule));
}

bool pr_frame_rule_check(const struct pr_command *command, const char *text)
{
    const char *at = rule_in(text);
    if (pr_frame_rule_is_one(text))
        return true;
    if (at)
        pr_wrong_usage(command, "--rule '%s': '%s' is about the table, not a column", text, at);
    else
        pr_wrong_usage(command, "--rule takes 'missing below 1 %%', 'price: mean within 3 %%', 'no new category' and "
                       "others that the manual page lists, not '%s'", text);
    return false;
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

/* What a rule compares; and the bounds of it where it is an estimate. */
struct amount {
    double value, low, high;
};

static struct amount exactly(double value)
{
    return (struct amount){value, value, value};
}

static struct amount count_of(struct pr_data_count count, double whole)
{
    return (struct amount){(double)count.value / whole, (double)count.low / whole, (double)count.high / whole};
}

static bool is_number_rule(const struct rule *rule)
{
    return rule->demand == DEMAND_FIGURE && rule->subject >= ABOUT_MEAN;
}

static bool is_share_rule(const struct rule *rule)
{
    return rule->subject == ABOUT_MISSING || rule->subject == ABOUT_REPEATED;
}

static struct amount amount_of(const struct rule *rule, const struct pr_data_frame *frame,
                               const struct pr_data_column *column)
{
    const double rows = (double)frame->rows;
    if (is_number_rule(rule) ? !column->has_numbers : is_share_rule(rule) && !frame->rows)
        return exactly(NAN);
    switch (rule->subject) {
    case ABOUT_ROWS:
        return exactly((double)frame->rows);
    case ABOUT_REPEATED:
        return count_of(frame->duplicates, rows);
    case ABOUT_MISSING:
        return exactly((double)column->missing / rows);
    case ABOUT_DISTINCT:
        return count_of(column->distinct, 1);
    case ABOUT_MEAN:
        return exactly(column->mean);
    case ABOUT_MEDIAN:
        /* Of an estimate: the quartiles are as far as it can be off, and further. */
        return column->rank_error > 0
                   ? (struct amount){column->quantiles[4], column->quantiles[3], column->quantiles[5]}
                   : exactly(column->quantiles[4]);
    case ABOUT_MIN:
        return exactly(column->minimum);
    case ABOUT_MAX:
        return exactly(column->maximum);
    case ABOUT_SUM:
        return exactly(column->sum);
    default:
        return exactly(pr_data_spread_of(column).deviation);
    }
}

/* "17.4 % (21 of 121)", in the card's words. */
static void say_share(struct pr_buf *out, const struct rule *rule, const struct pr_data_frame *frame,
                      const struct pr_data_column *column)
{
    const uint64_t part = rule->subject == ABOUT_MISSING ? column->missing : frame->duplicates.value;
    pr_buf_text(out, pr_data_share(part, frame->rows).text);
    if (part)
        pr_buf_printf(out, " (%s of %s)", pr_data_count_text(part).text, pr_data_count_text(frame->rows).text);
}

/* Whether the figure of COLUMN is one that `--redact values` leaves out. */
static bool is_hidden(const struct rule *rule, const struct pr_data_frame *frame, const struct pr_data_column *column)
{
    if (!frame->is_redacted || !is_number_rule(rule))
        return false;
    struct pr_data_column shown = *column;
    pr_data_column_hide_values(&shown);
    return isnan(amount_of(rule, frame, &shown).value);
}

static void say_amount(struct pr_buf *out, const struct rule *rule, const struct pr_data_frame *frame,
                       const struct pr_data_column *column, double value)
{
    if (is_share_rule(rule))
        say_share(out, rule, frame, column);
    else if (is_hidden(rule, frame, column))
        pr_buf_text(out, "left out");
    else if (column && rule->subject != ABOUT_ROWS && rule->subject != ABOUT_DISTINCT)
        pr_buf_printf(out, "%s", (rule->subject == ABOUT_STD ? pr_data_distance(column, value)
                                                             : pr_data_figure(column, value)).text);
    else
        pr_buf_printf(out, "%s", pr_data_number(value).text);
}

/* Whether all of AMOUNT keeps the rule, or none of it does. */
static enum pr_frame_answer answer_of(bool low_keeps, bool high_keeps)
{
    return low_keeps && high_keeps ? PR_FRAME_KEPT : low_keeps || high_keeps ? PR_FRAME_CANNOT_TELL : PR_FRAME_BROKEN;
}

static bool keeps(const struct rule *rule, double value)
{
    if (rule->verb == BELOW)
        return value < rule->limit;
    return rule->verb == AT_MOST ? value <= rule->limit : value >= rule->limit;
}

/* A column of texts has no mean: the rule about it is broken, not undecided, as it was about numbers once. */
static bool lacks_numbers(const struct rule *rule, const struct pr_data_column *column,
                          struct pr_frame_finding *finding)
{
    if (!column || !is_number_rule(rule) || column->has_numbers || !column->count)
        return false;
    pr_buf_printf(&finding->sentence, "type %s has no %s", pr_data_type_name(column->type), subjects[rule->subject]);
    finding->answer = PR_FRAME_BROKEN;
    return true;
}

static void judge_limit(const struct rule *rule, const struct pr_data_frame *frame, const struct pr_data_column *column,
                        struct pr_frame_finding *finding)
{
    const struct amount amount = amount_of(rule, frame, column);
    if (lacks_numbers(rule, column, finding))
        return;
    pr_buf_printf(&finding->sentence, "%s %s", subjects[rule->subject], amount.low < amount.high ? "about " : "");
    if (isnan(amount.value)) {
        pr_buf_printf(&finding->sentence, "is not known: there are no %s", is_share_rule(rule) ? "rows" : "numbers");
        finding->answer = PR_FRAME_CANNOT_TELL;
        return;
    }
    say_amount(&finding->sentence, rule, frame, column, amount.value);
    finding->answer = answer_of(keeps(rule, amount.low), keeps(rule, amount.high));
}

/* Of what is missing in percent the change is one of percent of all, else of what it was. */
static void judge_within(const struct rule *rule, const struct pr_data_diff *diff, const struct pr_data_column *before,
                         const struct pr_data_column *column, struct pr_frame_finding *finding)
{
    const struct amount was = amount_of(rule, diff->before, before), is = amount_of(rule, diff->after, column);
    const double scale = rule->subject == ABOUT_MISSING ? 1 : fabs(was.value);
    const double least = fmax(0, fmax(is.low - was.high, was.low - is.high)),
                 most = fmax(fabs(is.high - was.low), fabs(was.high - is.low));
    if (lacks_numbers(rule, column, finding))
        return;
    pr_buf_printf(&finding->sentence, "%s ", subjects[rule->subject]);
    if (isnan(is.value) || isnan(was.value)) {
        pr_buf_printf(&finding->sentence, "cannot be compared: not both tables have %s",
                      is_share_rule(rule) ? "rows" : "numbers");
        finding->answer = PR_FRAME_CANNOT_TELL;
        return;
    }
    say_amount(&finding->sentence, rule, diff->after, column, is.value);
    pr_buf_text(&finding->sentence, ", before ");
    say_amount(&finding->sentence, rule, diff->before, before, was.value);
    if (scale > 0 && rule->subject != ABOUT_MISSING && !is_hidden(rule, diff->after, column) &&
        !is_hidden(rule, diff->before, before))
        pr_buf_printf(&finding->sentence, ": off by %s %%",
                      pr_data_number(round(fabs(is.value - was.value) / scale * 1e4) / 100).text);
    finding->answer = answer_of(least <= rule->limit * scale, most <= rule->limit * scale);
}

/* ---- demands ---------------------------------------------------------------------------------------------------- */

static void judge_unique(const struct pr_data_column *column, struct pr_frame_finding *finding)
{
    const bool is_sure = column->distinct.low == column->distinct.high;
    pr_buf_printf(&finding->sentence, "%s different values of %s", pr_data_estimate(column->distinct).text,
                  pr_data_count_text(column->count).text);
    finding->answer = column->count < 2 || (column->is_unique && is_sure) ? PR_FRAME_KEPT
                      : column->is_unique                                 ? PR_FRAME_CANNOT_TELL
                                                                          : PR_FRAME_BROKEN;
}

static void judge_none(struct pr_data_count count, const char *noun, struct pr_frame_finding *finding)
{
    finding->answer = answer_of(count.low == 0, count.high == 0);
    pr_buf_printf(&finding->sentence, "%s %s", count.high ? pr_data_estimate(count).text : "no", noun);
}

/* Whether the two tables differ in KIND in the column: what `frame diff` says of it is added to SENTENCE. */
static bool add_change(const struct pr_data_diff *diff, uint32_t column, enum pr_data_change_kind kind,
                       struct pr_buf *sentence)
{
    for (uint32_t i = 0; i < diff->change_count; i++)
        if (diff->changes[i].column == column && diff->changes[i].kind == kind) {
            pr_data_change_words(sentence, diff, &diff->changes[i]);
            return true;
        }
    return false;
}

static void judge_change(const struct pr_data_diff *diff, uint32_t column, enum pr_data_change_kind kind,
                         bool is_known, struct pr_frame_finding *finding)
{
    finding->answer = is_known ? PR_FRAME_KEPT : PR_FRAME_CANNOT_TELL;
    if (add_change(diff, column, kind, &finding->sentence))
        finding->answer = PR_FRAME_BROKEN;
    else if (!is_known && !add_change(diff, column, PR_CHANGE_RETYPED, &finding->sentence))
        pr_buf_text(&finding->sentence, "too many different values, or too few values, to compare");
    else if (finding->answer == PR_FRAME_KEPT && kind == PR_CHANGE_MOVED)
        pr_buf_printf(&finding->sentence, "distance %s", pr_data_distance_text(&diff->columns[column]).text);
}

static void judge_columns(const struct pr_data_diff *diff, struct pr_frame_finding *finding)
{
    finding->answer = PR_FRAME_KEPT;
    for (uint32_t i = 0; i < diff->change_count && diff->changes[i].kind <= PR_CHANGE_RETYPED; i++) {
        pr_buf_text(&finding->sentence, finding->answer == PR_FRAME_BROKEN ? "; " : "");
        pr_text_add(&finding->sentence, pr_data_diff_column(diff, diff->changes[i].column)->name);
        pr_buf_byte(&finding->sentence, ' ');
        pr_data_change_words(&finding->sentence, diff, &diff->changes[i]);
        finding->answer = PR_FRAME_BROKEN;
    }
}

/* ---- a rule and what it is about -------------------------------------------------------------------------------- */

static bool needs_baseline(const struct rule *rule)
{
    return rule->demand >= DEMAND_NO_NEW || (rule->demand == DEMAND_FIGURE && rule->verb == WITHIN);
}

/* Whether a rule that names no column is about COLUMN. */
static bool is_about(const struct rule *rule, const struct pr_data_column *column)
{
    const bool is_category = column->type == PR_TYPE_CATEGORY || column->type == PR_TYPE_BOOLEAN;
    if (is_number_rule(rule))
        return column->has_numbers && column->type <= PR_TYPE_DECIMAL;
    if (rule->demand == DEMAND_NO_NEW || rule->demand == DEMAND_NO_LOST)
        return is_category;
    return rule->demand != DEMAND_NOT_MOVED || is_category || column->has_numbers;
}

static void judge_compared(const struct pr_frame_verdict *verdict, const struct rule *rule, uint32_t column,
                           struct pr_frame_finding *finding)
{
    const struct pr_data_diff *diff = verdict->diff;
    const struct pr_data_column_diff *one = column == PR_DATA_NONE ? NULL : &diff->columns[column];
    const struct pr_data_column *before =
        one && one->before != PR_DATA_NONE ? &diff->before->columns[one->before] : NULL;
    if (rule->demand == DEMAND_SAME_COLUMNS) {
        judge_columns(diff, finding);
        return;
    }
    if (one && !before) {
        pr_buf_text(&finding->sentence, "the baseline has no such column");
        finding->answer = PR_FRAME_CANNOT_TELL;
        return;
    }
    if (rule->demand == DEMAND_FIGURE)
        judge_within(rule, diff, before, one ? &verdict->frame->columns[column] : NULL, finding);
    else if (rule->demand == DEMAND_SAME_TYPE)
        judge_change(diff, column, PR_CHANGE_RETYPED, true, finding);
    else if (rule->demand == DEMAND_NOT_MOVED)
        judge_change(diff, column, PR_CHANGE_MOVED, one->measure != PR_MEASURE_NONE, finding);
    else
        judge_change(diff, column, rule->demand == DEMAND_NO_NEW ? PR_CHANGE_NEW_CATEGORIES : PR_CHANGE_LOST_CATEGORIES,
                     one->has_categories, finding);
}

/* COLUMN is one of the table; PR_DATA_NONE: the table. Of a difference, columns of the table come first. */
static void judge(const struct pr_frame_verdict *verdict, const struct rule *rule, uint32_t column,
                  struct pr_frame_finding *finding)
{
    const struct pr_data_frame *frame = verdict->frame;
    const struct pr_data_column *one = column == PR_DATA_NONE ? NULL : &frame->columns[column];
    if (needs_baseline(rule) && !verdict->diff) {
        pr_buf_text(&finding->sentence, "there is no baseline");
        finding->answer = PR_FRAME_CANNOT_TELL;
    } else if (needs_baseline(rule)) {
        judge_compared(verdict, rule, column, finding);
    } else if (rule->demand == DEMAND_FIGURE) {
        judge_limit(rule, frame, one, finding);
    } else if (rule->demand == DEMAND_UNIQUE) {
        judge_unique(one, finding);
    } else if (rule->demand == DEMAND_NO_MISSING) {
        judge_none(pr_data_exactly(one->missing), "missing values", finding);
    } else if (rule->demand == DEMAND_NO_REPEATED) {
        judge_none(frame->duplicates, "repeated rows", finding);
    } else {
        pr_buf_printf(&finding->sentence, "type %s", pr_data_type_name(one->type));
        finding->answer = one->type == rule->type ? PR_FRAME_KEPT : PR_FRAME_BROKEN;
    }
}

/* NULL: no memory, and said so. */
static struct pr_frame_finding *new_finding(struct pr_frame_verdict *verdict, const struct rule *rule)
{
    if (!pr_grow(&verdict->findings, &verdict->capacity, verdict->count + 1, sizeof *verdict->findings)) {
        pr_say("out of memory");
        return NULL;
    }
    struct pr_frame_finding *finding = &verdict->findings[verdict->count++];
    *finding = (struct pr_frame_finding){.rule = rule->text, .column = {NULL, 0}};
    return finding;
}

static bool add(struct pr_frame_verdict *verdict, const struct rule *rule, uint32_t column)
{
    struct pr_frame_finding *finding = new_finding(verdict, rule);
    if (!finding)
        return false;
    if (column != PR_DATA_NONE)
        finding->column = verdict->frame->columns[column].name;
    judge(verdict, rule, column, finding);
    return true;
}

/* The table has no column that the rule fits. */
static bool add_unfit(struct pr_frame_verdict *verdict, const struct rule *rule)
{
    struct pr_frame_finding *finding = new_finding(verdict, rule);
    if (!finding)
        return false;
    finding->answer = PR_FRAME_CANNOT_TELL;
    pr_buf_text(&finding->sentence, "the table has no column that this rule fits");
    return true;
}

static void say_no_column(const struct pr_frame_verdict *verdict, struct pr_text name, const char *rule)
{
    struct pr_near near = pr_near_to(name);
    for (uint32_t c = 0; c < verdict->frame->column_count; c++)
        pr_near_try(&near, verdict->frame->columns[c].name);
    if (near.best.bytes)
        pr_say("%s: has no column '%.*s', which --rule '%s' is about; did you mean '%.*s'?", verdict->input,
               (int)name.length, name.bytes, rule, (int)near.best.length, near.best.bytes);
    else
        pr_say("%s: has no column '%.*s', which --rule '%s' is about", verdict->input, (int)name.length, name.bytes,
               rule);
}

bool pr_frame_rule_apply(struct pr_frame_verdict *verdict, const char *text)
{
    struct rule rule;
    const char *at = rule_in(text);
    size_t named = at ? (size_t)(at - text) : 0;
    bool found = false;
    if (!at || !read_rule(at, &rule))
        return false;
    while (named && (text[named - 1] == ' ' || text[named - 1] == ':'))
        named--;
    if (is_of_table(&rule))
        return add(verdict, &rule, PR_DATA_NONE);
    for (uint32_t c = 0; c < verdict->frame->column_count; c++) {
        const struct pr_text name = verdict->frame->columns[c].name;
        const bool is_named = named && name.length == named && memcmp(name.bytes, text, named) == 0;
        if (!is_named && (named || !is_about(&rule, &verdict->frame->columns[c])))
            continue;
        found = true;
        if (!add(verdict, &rule, c))
            return false;
    }
    if (!named && !found)
        return add_unfit(verdict, &rule);
    if (named && !found)
        say_no_column(verdict, (struct pr_text){text, (uint32_t)named}, text);
    return !named || found;
}

/* ---- the verdict ------------------------------------------------------------------------------------------------ */

static int by_answer(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(((const struct pr_frame_finding *)a)->answer, ((const struct pr_frame_finding *)b)->answer);
}

bool pr_frame_verdict_finish(struct pr_frame_verdict *verdict)
{
    bool failed = false;
    for (size_t i = 0; i < verdict->count; i++) {
        verdict->broken += verdict->findings[i].answer == PR_FRAME_BROKEN;
        verdict->untold += verdict->findings[i].answer == PR_FRAME_CANNOT_TELL;
        failed |= verdict->findings[i].sentence.failed;
    }
    if (!failed && pr_sort(verdict->findings, verdict->count, sizeof *verdict->findings, by_answer, NULL))
        return true;
    pr_say("out of memory");
    return false;
}

void pr_frame_verdict_clear(struct pr_frame_verdict *verdict)
{
    for (size_t i = 0; i < verdict->count; i++)
        pr_buf_clear(&verdict->findings[i].sentence);
    free(verdict->findings);
    *verdict = (struct pr_frame_verdict){0};
}
