/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict for tools that gather findings and figures: SARIF (code scanning of GitHub, Azure DevOps and editors),
 * Bencher, and github-action-benchmark.
 *
 * Source: OASIS, SARIF 2.1.0 (3.27 result, 3.28 location, 3.4.3 artifact locations are URI references); Bencher Metric
 * Format (an object of benchmarks, each an object of measures with `value`); benchmark-action/github-action-benchmark,
 * "customSmallerIsBetter" (a list of objects with `name`, `unit`, `value`).
 */
#include "capture/base/ascii.h"
#include "capture/base/text.h"
#include "cli/check/verdict.h"
#include "cli/reports/document_parts.h"
#include "profrender/load.h"

#include <string.h>

static void put_text(struct pr_json_writer *json, const char *key, const char *text)
{
    pr_json_put_key(json, key);
    pr_json_put_text(json, text);
}

static void open_member(struct pr_json_writer *json, const char *key, char bracket)
{
    pr_json_put_key(json, key);
    pr_json_put_open(json, bracket);
}

/* ---- SARIF ------------------------------------------------------------------------------------------------------ */

/* A path as a URI reference; what is no letter, digit or "-._~/" is escaped. */
static void add_uri(struct pr_buf *buf, struct pr_text path)
{
    if (path.length && path.bytes[0] == '/')
        pr_buf_text(buf, "file://");
    for (uint32_t i = 0; i < path.length; i++) {
        const unsigned char c = (unsigned char)path.bytes[i];
        if (pr_is_letter(c) || pr_is_digit(c) || (c && strchr("-._~/", c)))
            pr_buf_byte(buf, c);
        else
            pr_buf_printf(buf, "%%%02X", c);
    }
}

static void write_location(struct pr_json_writer *json, const struct pr_verdict *verdict,
                           const struct pr_culprit *culprit)
{
    struct pr_text file = culprit ? pr_culprit_file(verdict, culprit) : pr_text_of(verdict->input);
    struct pr_buf uri = {0};
    add_uri(&uri, file.length ? file : pr_text_of(verdict->input));
    pr_json_put_open(json, '{');
    open_member(json, "physicalLocation", '{');
    open_member(json, "artifactLocation", '{');
    pr_json_put_buf(json, "uri", &uri);
    pr_json_put_close(json, '}');
    open_member(json, "region", '{');
    pr_json_put_key(json, "startLine");
    pr_json_put_int(json, culprit && file.length && culprit->line > 0 ? culprit->line : 1);
    pr_json_put_close(json, '}');
    pr_json_put_close(json, '}');
    pr_json_put_close(json, '}');
}

static void write_result(struct pr_json_writer *json, const struct pr_verdict *verdict,
                         const struct pr_finding *finding)
{
    const struct pr_culprit *culprit = pr_finding_place(finding);
    struct pr_buf text = {0};
    pr_json_put_open(json, '{');
    pr_finding_name(&text, finding);
    pr_json_put_buf(json, "ruleId", &text);
    put_text(json, "level", finding->answer == PR_BROKEN ? "error" : "note");
    pr_finding_message(&text, verdict, finding);
    if (finding->answer == PR_BROKEN) {
        pr_buf_byte(&text, '\n');
        pr_finding_also(&text, verdict, finding);
        text.length -= text.length > 0; /* the end of the last line */
    }
    open_member(json, "message", '{');
    pr_json_put_buf(json, "text", &text);
    pr_json_put_close(json, '}');
    open_member(json, "locations", '[');
    write_location(json, verdict, culprit);
    pr_json_put_close(json, ']');
    open_member(json, "partialFingerprints", '{');
    pr_finding_fingerprint(&text, verdict, finding);
    pr_json_put_buf(json, "profrender/v1", &text);
    pr_json_put_close(json, '}');
    pr_json_put_close(json, '}');
}

void pr_verdict_write_sarif(struct pr_output *out, const struct pr_verdict *verdict)
{
    struct pr_json_writer json = pr_json_writer_start(out, false);
    pr_json_put_lines(&json, '{');
    put_text(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    put_text(&json, "version", "2.1.0");
    open_member(&json, "runs", '[');
    pr_json_put_open(&json, '{');
    open_member(&json, "tool", '{');
    open_member(&json, "driver", '{');
    put_text(&json, "name", "profrender");
    put_text(&json, "version", pr_version());
    pr_json_put_close(&json, '}');
    pr_json_put_close(&json, '}');
    pr_json_put_key(&json, "results");
    pr_json_put_lines(&json, '[');
    for (size_t i = 0; i < verdict->broken + verdict->untold; i++)
        if (!verdict->finding[i].has_cause)
            write_result(&json, verdict, &verdict->finding[i]);
    pr_json_put_close(&json, ']');
    pr_json_put_close(&json, '}');
    pr_json_put_close(&json, ']');
    pr_json_put_close(&json, '}');
}

/* ---- benchmarks ------------------------------------------------------------------------------------------------- */

/* The next metric of the input after number *AT, its figures as a whole last; NULL: all were returned. */
static const struct pr_metric *next_metric(const struct pr_verdict *verdict, uint32_t *at)
{
    const struct pr_diff *diff = verdict->diff;
    if (*at < diff->metric_count)
        return &diff->profile->metrics[(*at)++ * diff->count];
    while (*at < diff->metric_count + PR_FIGURES) {
        const uint32_t figure = (*at)++ - diff->metric_count;
        if (figure != PR_FIGURE_FAILED && verdict->figures[0].metric[figure].name)
            return &verdict->figures[0].metric[figure];
    }
    return NULL;
}

void pr_verdict_write_bencher(struct pr_output *out, const struct pr_verdict *verdict)
{
    struct pr_json_writer json = pr_json_writer_start(out, false);
    const struct pr_metric *metric;
    uint32_t at = 0;
    pr_json_put_open(&json, '{');
    pr_json_put_key(&json, verdict->input);
    pr_json_put_lines(&json, '{');
    while ((metric = next_metric(verdict, &at))) {
        open_member(&json, metric->name, '{');
        pr_json_put_key(&json, "value");
        pr_document_value(&json, metric, metric->total_value);
        pr_json_put_close(&json, '}');
    }
    pr_json_put_close(&json, '}');
    pr_json_put_close(&json, '}');
}

void pr_verdict_write_benchmark(struct pr_output *out, const struct pr_verdict *verdict)
{
    struct pr_json_writer json = pr_json_writer_start(out, false);
    const struct pr_metric *metric;
    uint32_t at = 0;
    pr_json_put_lines(&json, '[');
    while ((metric = next_metric(verdict, &at))) {
        pr_json_put_open(&json, '{');
        put_text(&json, "name", metric->name);
        put_text(&json, "unit", pr_document_unit(metric));
        pr_json_put_key(&json, "value");
        pr_document_value(&json, metric, metric->total_value);
        pr_json_put_close(&json, '}');
    }
    pr_json_put_close(&json, ']');
}
