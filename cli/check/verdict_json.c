/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict as data: profrender/check/1, and the list of GitLab's code quality reports. */
#include "capture/base/text.h"
#include "cli/reports/document_parts.h"
#include "cli/io/terminal_names.h"
#include "cli/check/verdict.h"

static void write_value(struct pr_json_writer *json, const struct pr_finding *finding, const char *key, int64_t value)
{
    pr_json_put_key(json, key);
    if (finding->is_count)
        pr_json_put_int(json, value);
    else
        pr_document_value(json, finding->metric, value);
}

static void write_rule(struct pr_json_writer *json, const char *key, const struct pr_finding *finding)
{
    struct pr_buf text = {0};
    pr_finding_name(&text, finding);
    pr_json_put_key(json, key);
    pr_json_put_name(json, (struct pr_text){text.length ? text.bytes : "", (uint32_t)text.length});
    pr_buf_clear(&text);
}

static void write_place(struct pr_json_writer *json, const struct pr_verdict *verdict, const struct pr_culprit *culprit)
{
    struct pr_text file = culprit ? pr_culprit_file(verdict, culprit) : (struct pr_text){"", 0};
    pr_json_put_key(json, "function");
    if (culprit)
        pr_json_put_name(json, pr_culprit_function(verdict, culprit));
    else
        pr_json_put_null(json);
    pr_json_put_key(json, "file");
    if (file.length)
        pr_json_put_name(json, file);
    else
        pr_json_put_null(json);
    pr_json_put_key(json, "line");
    if (culprit && culprit->line > 0)
        pr_json_put_int(json, culprit->line);
    else
        pr_json_put_null(json);
}

static void write_known(struct pr_json_writer *json, const struct pr_finding *finding, const char *key, bool is_known,
                        int64_t value)
{
    if (is_known) {
        write_value(json, finding, key, value);
        return;
    }
    pr_json_put_key(json, key);
    pr_json_put_null(json);
}

/* In words: the finding, and why it cannot be told. */
static void write_sentences(struct pr_json_writer *json, const struct pr_verdict *verdict,
                            const struct pr_finding *finding)
{
    struct pr_buf text = {0};
    pr_finding_sentence(&text, verdict, finding);
    pr_json_put_buf(json, "sentence", &text);
    if (finding->answer == PR_CANNOT_TELL) {
        pr_finding_doubt(&text, verdict, finding);
        pr_json_put_buf(json, "doubt", &text);
    } else {
        pr_json_put_key(json, "doubt");
        pr_json_put_null(json);
    }
}

static void write_commit(struct pr_json_writer *json, struct pr_text commit)
{
    pr_json_put_key(json, "commit");
    if (commit.length)
        pr_json_put_name(json, commit);
    else
        pr_json_put_null(json);
}

/* Oldest first, the input last; null without a history. */
static void write_history(struct pr_json_writer *json, const struct pr_verdict *verdict,
                          const struct pr_finding *finding)
{
    const struct pr_trend *trend = &finding->trend;
    pr_json_put_key(json, "history");
    if (!trend->count) {
        pr_json_put_null(json);
        return;
    }
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "values");
    pr_json_put_open(json, '[');
    for (size_t i = 0; i <= trend->count; i++)
        pr_document_value(json, finding->metric, trend->value[i]);
    pr_json_put_close(json, ']');
    pr_json_put_key(json, "changes");
    pr_json_put_open(json, '[');
    for (size_t i = 0; i < trend->points.count; i++) {
        const struct pr_change_point *point = &trend->points.at[i];
        pr_json_put_open(json, '{');
        pr_json_put_key(json, "index");
        pr_json_put_int(json, (int64_t)point->index);
        pr_json_put_key(json, "run");
        pr_json_put_text(json, pr_finding_run(verdict, finding, point->index));
        write_commit(json, pr_finding_commit(verdict, finding, point->index));
        write_value(json, finding, "before", (int64_t)point->before);
        write_value(json, finding, "after", (int64_t)point->after);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
    pr_json_put_close(json, '}');
}

/* In how many runs it grew each time, and by how much at least. */
static void write_grew(struct pr_json_writer *json, const struct pr_finding *finding)
{
    const struct pr_every_run *grew = &finding->grew;
    pr_json_put_key(json, "grew");
    if (!grew->runs) {
        pr_json_put_null(json);
        return;
    }
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "runs");
    pr_json_put_int(json, (int64_t)grew->runs);
    write_known(json, finding, "least", grew->least > 0, grew->least);
    pr_json_put_close(json, '}');
}

/* The common ancestor, null without one; and whether an alarm before has the same cause. */
static void write_cause(struct pr_json_writer *json, const struct pr_verdict *verdict,
                        const struct pr_finding *finding)
{
    const struct pr_culprit *place = pr_finding_place(finding);
    pr_json_put_key(json, "also");
    pr_json_put_bool(json, finding->has_cause);
    pr_json_put_key(json, "cause");
    if (place != &finding->ancestor) {
        pr_json_put_null(json);
        return;
    }
    pr_json_put_open(json, '{');
    write_place(json, verdict, place);
    write_value(json, finding, "before", place->before);
    write_value(json, finding, "after", place->after);
    pr_document_touch(json, verdict->changes != NULL, place->touch);
    pr_json_put_close(json, '}');
}

/* How it was called, the outermost function first, itself last; null: unknown. */
static void write_path(struct pr_json_writer *json, const struct pr_verdict *verdict, const struct pr_diff_path *path)
{
    pr_json_put_key(json, "path");
    if (!path->count) {
        pr_json_put_null(json);
        return;
    }
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "steps");
    pr_json_put_open(json, '[');
    for (uint32_t i = path->count; i-- > 0;) {
        const struct pr_culprit step = {.function = path->step[i].function, .file = path->step[i].file,
                                        .code = path->step[i].code};
        const struct pr_text file = pr_culprit_file(verdict, &step);
        pr_json_put_open(json, '{');
        pr_json_put_key(json, "function");
        pr_json_put_name(json, pr_culprit_function(verdict, &step));
        pr_json_put_key(json, "file");
        if (file.length)
            pr_json_put_name(json, file);
        else
            pr_json_put_null(json);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
    pr_json_put_key(json, "left_out");
    pr_json_put_int(json, path->left_out);
    pr_json_put_key(json, "whole");
    pr_json_put_bool(json, path->is_whole);
    pr_json_put_close(json, '}');
}

static void write_finding(struct pr_json_writer *json, const struct pr_verdict *verdict,
                          const struct pr_finding *finding)
{
    pr_json_put_open(json, '{');
    write_rule(json, "rule", finding);
    pr_json_put_key(json, "metric");
    pr_json_put_text(json, finding->metric->name);
    pr_json_put_key(json, "unit");
    pr_json_put_text(json, finding->is_count ? "count" : pr_document_unit(finding->metric));
    write_place(json, verdict, finding->culprit_count ? &finding->culprit[0] : NULL);
    write_known(json, finding, "before", finding->has_before, finding->history.median);
    write_value(json, finding, "after", finding->after);
    write_known(json, finding, "limit", pr_finding_has_limit(finding), finding->bounds.usual);
    write_known(json, finding, "alarm_above", pr_finding_has_limit(finding), finding->bounds.alarm);
    write_value(json, finding, "spread", finding->history.spread);
    write_known(json, finding, "lowest", finding->has_before, finding->history.lowest);
    write_known(json, finding, "highest", finding->has_before, finding->history.highest);
    write_known(json, finding, "arenas", finding->arenas > 0, finding->arenas);
    pr_json_put_key(json, "answer");
    pr_json_put_text(json, pr_answer_word(finding->answer));
    pr_json_put_key(json, "ok");
    pr_json_put_bool(json, finding->answer != PR_BROKEN);
    write_sentences(json, verdict, finding);
    write_history(json, verdict, finding);
    write_cause(json, verdict, finding);
    write_grew(json, finding);
    pr_json_put_key(json, "because");
    pr_json_put_open(json, '[');
    for (size_t i = 0; !finding->insight && i < finding->culprit_count; i++) {
        const struct pr_culprit *culprit = &finding->culprit[i];
        pr_json_put_open(json, '{');
        write_place(json, verdict, culprit);
        write_value(json, finding, "before", culprit->before);
        write_value(json, finding, "after", culprit->after);
        write_value(json, finding, "change", pr_culprit_change(culprit));
        pr_document_touch(json, verdict->changes != NULL, culprit->touch);
        write_path(json, verdict, &culprit->path);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
    pr_json_put_close(json, '}');
}

static void write_findings(struct pr_json_writer *json, const struct pr_verdict *verdict, const char *key, size_t first,
                           size_t end)
{
    pr_json_put_key(json, key);
    pr_json_put_lines(json, '[');
    for (size_t i = first; i < end; i++)
        write_finding(json, verdict, &verdict->finding[i]);
    pr_json_put_close(json, ']');
}

void pr_verdict_write_json(struct pr_output *out, const struct pr_verdict *verdict)
{
    struct pr_json_writer json = pr_json_writer_start(out, false);
    pr_json_put_lines(&json, '{');
    pr_json_put_key(&json, "schema");
    pr_json_put_text(&json, "profrender/check/1");
    pr_json_put_key(&json, "ok");
    pr_json_put_bool(&json, !verdict->broken);
    pr_json_put_key(&json, "input");
    pr_json_put_text(&json, verdict->input);
    pr_json_put_key(&json, "baselines");
    pr_json_put_open(&json, '[');
    for (size_t i = 0; i < verdict->baseline_count; i++)
        pr_json_put_text(&json, verdict->baselines[i]);
    pr_json_put_close(&json, ']');
    pr_document_state(&json, verdict->diff->profile);
    pr_json_put_key(&json, "notes");
    pr_json_put_open(&json, '[');
    for (size_t i = 0; i < verdict->note_count; i++)
        pr_json_put_text(&json, verdict->notes[i]);
    pr_json_put_close(&json, ']');
    write_findings(&json, verdict, "reasons", 0, verdict->broken);
    write_findings(&json, verdict, "cannot_tell", verdict->broken, verdict->broken + verdict->untold);
    write_findings(&json, verdict, "kept", verdict->broken + verdict->untold, verdict->count);
    pr_json_put_close(&json, '}');
}

/* ---- GitLab ----------------------------------------------------------------------------------------------------- */

static void write_fingerprint(struct pr_json_writer *json, const struct pr_verdict *verdict,
                              const struct pr_finding *finding)
{
    struct pr_buf text = {0};
    pr_finding_fingerprint(&text, verdict, finding);
    pr_json_put_buf(json, "fingerprint", &text);
}

static void write_issue(struct pr_json_writer *json, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const struct pr_culprit *culprit = pr_finding_place(finding);
    struct pr_text file = culprit ? pr_culprit_file(verdict, culprit) : (struct pr_text){"", 0};
    struct pr_buf text = {0};
    pr_finding_message(&text, verdict, finding);
    pr_json_put_open(json, '{');
    pr_json_put_buf(json, "description", &text);
    write_rule(json, "check_name", finding);
    write_fingerprint(json, verdict, finding);
    pr_json_put_key(json, "severity");
    pr_json_put_text(json, finding->kind == PR_RULE_FUNCTION ? "minor" : "major");
    pr_json_put_key(json, "location");
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "path");
    pr_json_put_name(json, file.length ? file : pr_text_of(verdict->input));
    pr_json_put_key(json, "lines");
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "begin");
    pr_json_put_int(json, file.length && culprit->line > 0 ? culprit->line : 1);
    pr_json_put_close(json, '}');
    pr_json_put_close(json, '}');
    pr_json_put_close(json, '}');
}

void pr_verdict_write_codequality(struct pr_output *out, const struct pr_verdict *verdict)
{
    struct pr_json_writer json = pr_json_writer_start(out, false);
    pr_json_put_lines(&json, '[');
    for (size_t i = 0; i < verdict->broken; i++)
        if (!verdict->finding[i].has_cause)
            write_issue(&json, verdict, &verdict->finding[i]);
    pr_json_put_close(&json, ']');
}
