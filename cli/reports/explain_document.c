/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as JSON: each sentence as text, and each of its figures as a value with its unit. */
#include "cli/reports/document_parts.h"
#include "capture/model/nameless.h"
#include "cli/io/failure_words.h"
#include "cli/reports/explain_text.h"
#include "render/words/insight_words.h"

#include <inttypes.h>

/* The sentence as the card has it, names unchanged. */
static void add_plain(const struct pr_profile *profile, const struct pr_sentence *sentence, struct pr_buf *out)
{
    for (size_t i = 0; i < sentence->count; i++) {
        const struct pr_phrase *phrase = &sentence->phrase[i];
        struct pr_text name = {"", 0};
        if (phrase->kind == PR_PHRASE_TEXT)
            name = phrase->text;
        else if (phrase->kind == PR_PHRASE_NAME)
            name = pr_profile_text(profile, phrase->name);
        else if (phrase->kind == PR_PHRASE_FUNCTION)
            name = pr_shown_function(profile, phrase->frame);
        else if (phrase->kind == PR_PHRASE_PLACE)
            name = pr_insight_file(profile, phrase);
        pr_buf_add(out, name.bytes, name.length);
        if (phrase->kind == PR_PHRASE_PLACE && phrase->value > 0)
            pr_buf_printf(out, ":%" PRId64, phrase->value);
        pr_buf_text(out, pr_insight_figure(profile, phrase).text);
    }
}

void pr_explain_sentence(const struct pr_profile *profile, const struct pr_insight *insight, struct pr_buf *out)
{
    add_plain(profile, &insight->headline, out);
    add_plain(profile, &insight->rest, out);
}

static void put_sentences(struct pr_json_writer *json, const struct pr_profile *profile,
                          const struct pr_insight *insight)
{
    struct pr_buf text = {0};
    add_plain(profile, &insight->headline, &text);
    pr_json_put_buf(json, "headline", &text);
    pr_explain_sentence(profile, insight, &text);
    pr_json_put_buf(json, "text", &text);
}

static void put_figures(struct pr_json_writer *json, const struct pr_profile *profile,
                        const struct pr_sentence *sentence)
{
    for (size_t i = 0; i < sentence->count; i++) {
        const struct pr_phrase *phrase = &sentence->phrase[i];
        const struct pr_figure figure = pr_insight_figure(profile, phrase);
        if (!*figure.text)
            continue;
        pr_json_put_open(json, '{');
        pr_json_put_key(json, "text");
        pr_json_put_text(json, figure.text);
        pr_json_put_key(json, "value");
        pr_json_put_int(json, phrase->value);
        pr_json_put_key(json, "unit");
        pr_json_put_text(json, phrase->kind == PR_PHRASE_MOMENT ? "milliseconds" : pr_units_key(phrase->unit));
        if (phrase->kind == PR_PHRASE_SHARE || phrase->kind == PR_PHRASE_GROWTH) {
            pr_json_put_key(json, "of");
            pr_json_put_int(json, phrase->whole);
        }
        pr_json_put_close(json, '}');
    }
}

static void put_maybe(struct pr_json_writer *json, const char *key, struct pr_maybe value)
{
    pr_json_put_key(json, key);
    if (value.known)
        pr_json_put_int(json, value.value);
    else
        pr_json_put_null(json);
}

/* Where it is: the function at its heaviest line, and the path to it. */
static void put_place(struct pr_json_writer *json, const struct pr_profile *profile, const struct pr_insight *insight)
{
    static const struct pr_frame none;
    const struct pr_frame *frame = insight->frame == PR_NO_NODE ? &none : &profile->frames[insight->frame];
    pr_json_put_key(json, "metric");
    pr_json_put_text(json, insight->metric == PR_NO_METRIC ? NULL : profile->metrics[insight->metric].name);
    pr_document_place(json, profile, frame->function, frame->file, frame->line);
    pr_document_enclosing(json, profile, insight->frame);
    pr_document_stack(json, profile, "stack", insight->node);
    put_maybe(json, "from_ms", insight->from_ms);
    put_maybe(json, "to_ms", insight->to_ms);
}

/* WORDS, which are cleared, or null where there are none. */
static void put_words(struct pr_json_writer *json, const char *key, struct pr_buf *words)
{
    if (words->length || words->failed) {
        pr_json_put_buf(json, key, words);
        return;
    }
    pr_buf_clear(words);
    pr_json_put_key(json, key);
    pr_json_put_null(json);
}

static void put_insight(struct pr_json_writer *json, const struct pr_explain_text *text,
                        const struct pr_insight *insight)
{
    static const char *const severities[] = {"note", "low", "medium", "high"};
    struct pr_buf command = {0};
    pr_json_put_lines(json, '{');
    pr_json_put_key(json, "rule");
    pr_json_put_text(json, insight->rule->name);
    pr_json_put_key(json, "severity");
    pr_json_put_text(json, severities[insight->severity]);
    put_sentences(json, text->profile, insight);
    pr_json_put_key(json, "figures");
    pr_json_put_lines(json, '[');
    put_figures(json, text->profile, &insight->headline);
    put_figures(json, text->profile, &insight->rest);
    pr_json_put_close(json, ']');
    put_place(json, text->profile, insight);
    put_maybe(json, "saving", insight->saving);
    put_maybe(json, "saving_of", (struct pr_maybe){insight->saving.known, insight->whole});
    pr_json_put_key(json, "saving_unit");
    pr_json_put_text(json, insight->saving.known ? pr_units_key(insight->unit) : NULL);
    pr_explain_command(text, insight, &command);
    put_words(json, "command", &command);
    pr_json_put_close(json, '}');
}

static void put_outcome(struct pr_json_writer *json, const struct pr_rule_outcome *outcome)
{
    static const char *const outcomes[] = {"fine", "found", "not judged"};
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "rule");
    pr_json_put_text(json, outcome->rule->name);
    pr_json_put_key(json, "summary");
    pr_json_put_text(json, outcome->rule->summary);
    pr_json_put_key(json, "trigger");
    pr_json_put_text(json, outcome->rule->trigger);
    pr_json_put_key(json, "outcome");
    pr_json_put_text(json, outcomes[outcome->outcome]);
    pr_json_put_key(json, "why");
    pr_json_put_text(json, *outcome->why ? outcome->why : NULL);
    pr_json_put_close(json, '}');
}

static void put_failure(struct pr_json_writer *json, const struct pr_profile *profile)
{
    struct pr_buf failure = {0}, last_line = {0};
    pr_failure_words(profile, &failure);
    put_words(json, "failure", &failure);
    pr_failure_last_line(profile, &last_line);
    put_words(json, "last_line", &last_line);
}

void pr_explain_document_write(struct pr_output *out, const struct pr_explain_text *text)
{
    const struct pr_explanation *explanation = text->explanation;
    struct pr_json_writer json = pr_json_writer_start(out, text->raw_names);
    pr_json_put_lines(&json, '{');
    pr_json_put_key(&json, "schema");
    pr_json_put_text(&json, "profrender/explain/1");
    pr_document_state(&json, text->profile);
    pr_document_metrics(&json, text->profile);
    put_failure(&json, text->profile);
    pr_json_put_key(&json, "findings");
    pr_json_put_lines(&json, '[');
    for (size_t i = 0; i < explanation->count; i++)
        put_insight(&json, text, &explanation->insight[i]);
    pr_json_put_close(&json, ']');
    pr_json_put_key(&json, "rules");
    pr_json_put_lines(&json, '[');
    for (size_t i = 0; i < explanation->outcome_count; i++)
        put_outcome(&json, &explanation->outcome[i]);
    pr_json_put_close(&json, ']');
    pr_json_put_close(&json, '}');
}
