/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of lines; each is written whole, or left out when the limit is reached. */
#include "cli/reports/explain_text.h"

#include "capture/base/text.h"
#include "capture/model/nameless.h"
#include "cli/io/failure_words.h"
#include "cli/io/markdown.h"
#include "cli/io/terminal_names.h"
#include "render/words/ending.h"
#include "render/words/insight_words.h"
#include "render/words/program_name.h"
#include "render/words/shell_word.h"

#include <inttypes.h>
#include <string.h>

enum { BYTES_PER_TOKEN = 4, NAME_COLUMNS = 100, RULE_COLUMNS = 18 };

struct writer {
    const struct pr_explain_text *text;
    struct pr_report *report;
    size_t used;
    bool is_full;
    size_t findings_left_out;
};

/* ---- sentences */

static void add_name(const struct writer *writer, struct pr_text name, struct pr_buf *out)
{
    if (writer->text->markdown)
        pr_markdown_code(out, name, NAME_COLUMNS);
    else
        pr_text_add(out, name);
}

static void add_text(const struct writer *writer, struct pr_text text, struct pr_buf *out)
{
    if (writer->text->markdown)
        pr_markdown_text(out, text);
    else
        pr_text_add(out, text);
}

static void add_phrase(const struct writer *writer, const struct pr_phrase *phrase, struct pr_buf *out)
{
    const struct pr_profile *profile = writer->text->profile;
    switch (phrase->kind) {
    case PR_PHRASE_TEXT: /* also what a file calls a metric */
        add_text(writer, phrase->text, out);
        break;
    case PR_PHRASE_FUNCTION:
        add_name(writer, pr_shown_function(profile, phrase->frame), out);
        break;
    case PR_PHRASE_NAME:
        add_name(writer, pr_profile_text(profile, phrase->name), out);
        break;
    case PR_PHRASE_PLACE:
        if (writer->text->markdown) {
            pr_markdown_place(out, pr_insight_file(profile, phrase), (int32_t)phrase->value, NAME_COLUMNS);
            break;
        }
        pr_text_add(out, pr_insight_file(profile, phrase));
        if (phrase->value > 0)
            pr_buf_printf(out, ":%" PRId64, phrase->value);
        break;
    default:
        add_text(writer, pr_text_of(pr_insight_figure(profile, phrase).text), out);
        break;
    }
}

static void add_sentence(const struct writer *writer, const struct pr_sentence *sentence, struct pr_buf *out)
{
    for (size_t i = 0; i < sentence->count; i++)
        add_phrase(writer, &sentence->phrase[i], out);
}

/* Whether COMMAND shows the first metric of the input: it has one to choose, and chooses none. */
static bool shows_first_metric(const char *command)
{
    static const char *const choices[] = {"--metric", "--leaks", "--temporary", "--allocated"};
    if (strncmp(command, "summary ", 8) && strncmp(command, "tree ", 5) && strncmp(command, "table ", 6))
        return false;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (strstr(command, choices[i]))
            return false;
    return true;
}

/* Whether COMMAND takes as many inputs as there are. */
static bool takes_all(const struct pr_explain_text *text, const char *command)
{
    return text->input_count == 1 || strncmp(command, "info ", 5) != 0;
}

void pr_explain_command(const struct pr_explain_text *text, const struct pr_insight *insight, struct pr_buf *out)
{
    static const char place[] = "INPUT";
    const char *at = insight->proof ? strstr(insight->proof, place) : NULL;
    if (!at || !takes_all(text, insight->proof))
        return;
    pr_buf_text(out, "profrender ");
    pr_buf_add(out, insight->proof, (size_t)(at - insight->proof));
    for (size_t i = 0; i < text->input_count; i++) {
        pr_buf_text(out, i ? " " : "");
        if (strcmp(text->inputs[i], "-") == 0)
            pr_buf_byte(out, '-'); /* standard input, no file of that name */
        else
            pr_shell_word(text->inputs[i], out);
    }
    pr_buf_text(out, at + sizeof place - 1);
    if (shows_first_metric(insight->proof) && insight->metric != PR_NO_METRIC && insight->metric) {
        pr_buf_text(out, " --metric ");
        pr_shell_word(text->profile->metrics[insight->metric].name, out);
    }
}

/* ---- blocks */

/* Appends LINE to OUT in lines of the width of the report, each after INDENT spaces. */
static void add_wrapped(const struct writer *writer, const struct pr_buf *line, size_t indent, struct pr_buf *out)
{
    const size_t columns = writer->report->term.columns > indent + 20 ? writer->report->term.columns : indent + 20;
    const char *rest = line->bytes ? line->bytes : "", *end = rest + line->length;
    size_t at = indent;
    while (rest < end) {
        const char *space = memchr(rest, ' ', (size_t)(end - rest));
        const size_t length = space ? (size_t)(space - rest) : (size_t)(end - rest),
                     width = pr_text_columns(rest, length);
        if (at > indent && at + 1 + width > columns) {
            pr_buf_printf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (rest > line->bytes) {
            pr_buf_byte(out, ' ');
            at++;
        }
        pr_buf_add(out, rest, length);
        at += width;
        rest += length + (space != NULL);
    }
    pr_buf_byte(out, '\n');
}

/* Writes BLOCK if there is still room for it, and was for those before it. False: left out. */
static bool put(struct writer *writer, struct pr_buf *block)
{
    const uint64_t most = writer->text->max_tokens;
    writer->is_full |= most && block->length && (writer->used + block->length) / BYTES_PER_TOKEN >= most;
    if (writer->is_full) {
        pr_buf_clear(block);
        return false;
    }
    writer->used += block->length;
    pr_report_flush(writer->report, block);
    return true;
}

static bool has_figure(const struct writer *writer, const struct pr_insight *insight, const char *figure)
{
    const struct pr_sentence *const sentences[] = {&insight->headline, &insight->rest};
    for (size_t s = 0; s < sizeof sentences / sizeof *sentences; s++)
        for (size_t i = 0; i < sentences[s]->count; i++)
            if (!strcmp(pr_insight_figure(writer->text->profile, &sentences[s]->phrase[i]).text, figure))
                return true;
    return false;
}

/*
 * Of what: 99 MiB that are not freed are 77 % of what is not freed, and 30 % of the peak, which they could save.
 * Nothing where the sentence has both figures: what takes 63 % of the time, 660 ms, can save that and no more.
 */
static void add_saving(const struct writer *writer, const struct pr_insight *insight, struct pr_buf *out)
{
    if (!insight->saving.known || insight->saving.value <= 0)
        return;
    const struct pr_figure saving = pr_units_value(insight->unit, insight->saving.value),
                           share = pr_units_percent(insight->saving.value, insight->whole);
    if (!has_figure(writer, insight, saving.text) || !has_figure(writer, insight, share.text))
        pr_buf_printf(out, "Could save at most %s of %s (%s).", saving.text,
                      pr_units_value(insight->unit, insight->whole).text, share.text);
}

static void put_insight(struct writer *writer, size_t number, const struct pr_insight *insight)
{
    const struct pr_style *style = &writer->report->style;
    struct pr_buf block = {0}, line = {0};
    const bool markdown = writer->text->markdown;
    if (markdown) {
        pr_buf_printf(&line, "%zu. **", number);
        add_sentence(writer, &insight->headline, &line);
        pr_buf_text(&line, "**");
    } else {
        pr_buf_printf(&line, "%zu. ", number);
        add_sentence(writer, &insight->headline, &line);
    }
    add_sentence(writer, &insight->rest, &line);
    pr_buf_text(&line, " ");
    add_saving(writer, insight, &line);
    while (line.length && line.bytes[line.length - 1] == ' ')
        line.length--;
    add_wrapped(writer, &line, 3, &block);
    pr_buf_clear(&line);
    pr_explain_command(writer->text, insight, &line);
    if (line.length)
        pr_buf_printf(&block, markdown ? "   %s`%s`%s\n" : "   %s$ %s%s\n", style->dim, line.bytes, style->off);
    block.failed |= line.failed;
    pr_buf_clear(&line);
    writer->findings_left_out += !put(writer, &block);
}

/* Whether a metric counts only what another one was counted in: "Time 194 ms in 56 samples" says "Samples 56" too. */
static bool is_counted_by_another(const struct pr_profile *profile, const struct pr_metric *metric)
{
    if (metric->unit != PR_UNIT_COUNT || metric->count)
        return false;
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        const struct pr_metric *other = &profile->metrics[i];
        if (other->count && other->total_count == metric->total_value && strcasestr(metric->title, other->count_name))
            return true;
    }
    return false;
}

/* "daily_sales.py, 12.8 s", and what was measured. */
static void put_head(struct writer *writer)
{
    const struct pr_profile *profile = writer->text->profile;
    const struct pr_text subject = pr_subject_of(profile, writer->text->inputs[0]); /* as the title of the card */
    struct pr_buf block = {0};
    enum { MOST_METRICS = 6 };
    pr_buf_text(&block, writer->text->markdown ? "### " : "");
    if (subject.length)
        add_name(writer, subject, &block);
    else
        pr_buf_text(&block, profile->meta.format_title ? profile->meta.format_title : "profile");
    pr_buf_text(&block, profile->complete ? "\n\n" : ", incomplete\n\n");
    if (!profile->complete && *profile->problem.text) {
        pr_buf_text(&block, "Incomplete: ");
        add_text(writer, pr_text_of(profile->problem.text), &block);
        pr_buf_text(&block, ".\n\n");
    }
    const char *between = "";
    for (uint32_t i = 0; i < profile->metric_count && i < MOST_METRICS; i++) {
        const struct pr_metric *metric = &profile->metrics[i];
        if (is_counted_by_another(profile, metric))
            continue;
        pr_buf_text(&block, between);
        between = "; ";
        add_text(writer, pr_text_of(pr_ending_metric(profile, metric)), &block);
        pr_buf_printf(&block, " %s", pr_units_metric(metric, metric->total_value).text);
        if (metric->count)
            pr_buf_printf(&block, " in %s", pr_units_counted(metric->total_count, metric->count_name).text);
    }
    pr_buf_text(&block, profile->metric_count ? ".\n\n" : "");
    put(writer, &block);
}

/* "Failed: exit status 1, ValueError: no rows (load.py:6).", and what shows whether memory ran out. */
static void put_failure(struct writer *writer)
{
    const struct pr_profile *profile = writer->text->profile;
    struct pr_buf block = {0}, words = {0}, line = {0};
    pr_failure_words(profile, &words);
    if (words.length) {
        pr_buf_text(&line, "Failed: ");
        add_text(writer, (struct pr_text){words.bytes, (uint32_t)words.length}, &line);
        pr_buf_text(&line, ". ");
        pr_ending_memory(&profile->run.failure, &line);
        add_wrapped(writer, &line, 0, &block);
        line.length = words.length = 0;
        pr_failure_last_line(profile, &words);
    }
    if (words.length) {
        pr_buf_text(&line, "Last line on stderr: ");
        add_name(writer, (struct pr_text){words.bytes, (uint32_t)words.length}, &line);
        add_wrapped(writer, &line, 0, &block);
    }
    if (block.length)
        pr_buf_byte(&block, '\n');
    block.failed |= words.failed || line.failed;
    pr_buf_clear(&words);
    pr_buf_clear(&line);
    put(writer, &block);
}

/* ---- rules that found nothing */

static void put_none(struct writer *writer)
{
    struct pr_buf block = {0};
    pr_buf_text(&block, "No findings.\n");
    put(writer, &block);
}

static size_t outcomes(const struct pr_explanation *explanation, enum pr_outcome kind)
{
    size_t count = 0;
    for (size_t i = 0; i < explanation->outcome_count; i++)
        count += explanation->outcome[i].outcome == kind;
    return count;
}

/* How many rules there were besides: which, and why, is a screen of names that few have a use for. */
static void put_other_rules(struct writer *writer)
{
    const size_t fine = outcomes(writer->text->explanation, PR_OUTCOME_FINE),
                 not_judged = outcomes(writer->text->explanation, PR_OUTCOME_NOT_JUDGED);
    struct pr_buf block = {0}, line = {0};
    if (fine + not_judged) {
        if (fine)
            pr_buf_printf(&line, "%zu other %s found nothing%s", fine, fine == 1 ? "rule" : "rules",
                          not_judged ? ", " : "");
        if (not_judged)
            pr_buf_printf(&line, "%zu%s could not judge", not_judged, fine ? "" : not_judged == 1 ? " rule" : " rules");
        pr_buf_printf(&line, "; %s lists them.", writer->text->markdown ? "`--rules`" : "--rules");
        pr_buf_byte(&block, '\n');
        add_wrapped(writer, &line, 0, &block);
    }
    block.failed |= line.failed;
    pr_buf_clear(&line);
    put(writer, &block);
}

static void put_fine(struct writer *writer)
{
    const struct pr_explanation *explanation = writer->text->explanation;
    struct pr_buf block = {0}, line = {0};
    for (size_t i = 0; i < explanation->outcome_count; i++) {
        if (explanation->outcome[i].outcome == PR_OUTCOME_FINE)
            pr_buf_printf(&line, "%s%s",
                          line.length ? ", " : "Nothing to report: ", explanation->outcome[i].rule->name);
    }
    pr_buf_byte(&block, '\n'); /* also before what was not judged, if that is all */
    if (line.length) {
        pr_buf_text(&line, ".");
        add_wrapped(writer, &line, 0, &block);
    }
    block.failed |= line.failed;
    pr_buf_clear(&line);
    put(writer, &block);
}

/* "Not judged: leaks, growth (what was not freed was not recorded)." */
static void put_not_judged(struct writer *writer, size_t first)
{
    const struct pr_explanation *explanation = writer->text->explanation;
    const char *why = explanation->outcome[first].why;
    struct pr_buf block = {0}, line = {0};
    for (size_t i = 0; i < explanation->outcome_count; i++) {
        const struct pr_rule_outcome *outcome = &explanation->outcome[i];
        if (outcome->outcome != PR_OUTCOME_NOT_JUDGED || strcmp(outcome->why, why) != 0)
            continue;
        if (i < first)
            return; /* the reason had its line */
        pr_buf_printf(&line, "%s%s",
                      line.length              ? ", "
                      : writer->text->markdown ? "- Not judged: "
                                               : "Not judged: ",
                      outcome->rule->name);
    }
    pr_buf_printf(&line, " (%s).", why);
    add_wrapped(writer, &line, writer->text->markdown ? 2 : 0, &block);
    block.failed |= line.failed;
    pr_buf_clear(&line);
    put(writer, &block);
}

static void put_all_not_judged(struct writer *writer)
{
    const struct pr_explanation *explanation = writer->text->explanation;
    for (size_t i = 0; i < explanation->outcome_count; i++)
        if (explanation->outcome[i].outcome == PR_OUTCOME_NOT_JUDGED)
            put_not_judged(writer, i);
}

void pr_explain_text_write(struct pr_report *report, const struct pr_explain_text *text)
{
    struct writer writer = {.text = text, .report = report};
    const struct pr_explanation *explanation = text->explanation;
    put_head(&writer);
    put_failure(&writer);
    if (!explanation->count)
        put_none(&writer);
    for (size_t i = 0; i < explanation->count; i++)
        put_insight(&writer, i + 1, &explanation->insight[i]);
    if (!text->rules && explanation->count) {
        put_other_rules(&writer);
    } else {
        put_fine(&writer);
        put_all_not_judged(&writer);
    }
    if (writer.findings_left_out)
        pr_output_printf(report->out, "\n%s left out by the budget of %" PRIu64 " tokens; --budget 0 shows all.\n",
                         pr_units_counted((int64_t)writer.findings_left_out, "findings").text, text->max_tokens);
    else if (writer.is_full && text->rules)
        pr_output_printf(report->out, "\nRules left out by the budget of %" PRIu64 " tokens; --budget 0 shows all.\n",
                         text->max_tokens);
}
