/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict as data: profrender/check/1, and the list of GitLab's code quality reports. */
#include "capture/base/hash.h"
#include "cli/reports/document_parts.h"
#include "cli/io/terminal_names.h"
#include "cli/check/verdict.h"

#include <inttypes.h>
#include <stdio.h>

static void write_value(struct pr_json_writer *json, const struct pr_finding *finding, const char *key, int64_t value)
{
    pr_json_put_key(json, key);
    if (finding->is_count)
        pr_json_put_int(json, value);
    else
        pr_document_value(json, finding->metric, value);
}

static void write_name(struct pr_json_writer *json, const char *key, const struct pr_finding *finding,
                       void (*add)(struct pr_buf *buf, const struct pr_finding *finding))
{
    struct pr_buf text = {0};
    add(&text, finding);
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

static void write_finding(struct pr_json_writer *json, const struct pr_verdict *verdict,
                          const struct pr_finding *finding)
{
    pr_json_put_open(json, '{');
    write_name(json, "rule", finding, pr_finding_name);
    pr_json_put_key(json, "metric");
    pr_json_put_text(json, finding->metric->name);
    pr_json_put_key(json, "unit");
    pr_json_put_text(json, finding->is_count ? "count" : pr_document_unit(finding->metric));
    write_place(json, verdict, finding->culprit_count ? &finding->culprit[0] : NULL);
    if (finding->has_before) {
        write_value(json, finding, "before", finding->before);
    } else {
        pr_json_put_key(json, "before");
        pr_json_put_null(json);
    }
    write_value(json, finding, "after", finding->after);
    write_value(json, finding, "limit", finding->limit);
    write_value(json, finding, "spread", finding->spread);
    pr_json_put_key(json, "ok");
    pr_json_put_bool(json, !finding->broken);
    pr_json_put_key(json, "because");
    pr_json_put_open(json, '[');
    for (size_t i = 0; i < finding->culprit_count; i++) {
        const struct pr_culprit *culprit = &finding->culprit[i];
        pr_json_put_open(json, '{');
        write_place(json, verdict, culprit);
        pr_json_put_key(json, "before");
        pr_document_value(json, finding->metric, culprit->before);
        pr_json_put_key(json, "after");
        pr_document_value(json, finding->metric, culprit->after);
        pr_json_put_key(json, "change");
        pr_document_value(json, finding->metric, pr_culprit_change(culprit));
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
    write_findings(&json, verdict, "kept", verdict->broken, verdict->count);
    pr_json_put_close(&json, '}');
}

/* ---- GitLab ----------------------------------------------------------------------------------------------------- */

/* The same for the same rule and place, whatever the figures: GitLab tells by it what is new. */
static void write_fingerprint(struct pr_json_writer *json, const struct pr_verdict *verdict,
                              const struct pr_finding *finding)
{
    struct pr_buf text = {0};
    char hex[33];
    pr_finding_name(&text, finding);
    if (finding->culprit_count) {
        struct pr_text function = pr_culprit_function(verdict, &finding->culprit[0]);
        struct pr_text file = pr_culprit_file(verdict, &finding->culprit[0]);
        pr_buf_byte(&text, '\n');
        pr_buf_add(&text, function.bytes, function.length);
        pr_buf_byte(&text, '\n');
        pr_buf_add(&text, file.bytes, file.length);
    }
    const uint64_t half = text.failed ? 0 : pr_hash_bytes(text.bytes, text.length);
    snprintf(hex, sizeof hex, "%016" PRIx64 "%016" PRIx64, half, pr_hash_u64(half));
    pr_json_put_key(json, "fingerprint");
    pr_json_put_text(json, hex);
    pr_buf_clear(&text);
}

static void write_issue(struct pr_json_writer *json, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const struct pr_culprit *culprit = finding->culprit_count ? &finding->culprit[0] : NULL;
    struct pr_text file = culprit ? pr_culprit_file(verdict, culprit) : (struct pr_text){"", 0};
    struct pr_buf text = {0};
    if (culprit) {
        pr_text_cut_end(&text, pr_culprit_function(verdict, culprit), 80);
        pr_buf_text(&text, ": ");
    }
    pr_finding_sentence(&text, finding);
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "description");
    pr_json_put_name(json, (struct pr_text){text.length ? text.bytes : "", (uint32_t)text.length});
    pr_buf_clear(&text);
    write_name(json, "check_name", finding, pr_finding_name);
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
        write_issue(&json, verdict, &verdict->finding[i]);
    pr_json_put_close(&json, ']');
}
