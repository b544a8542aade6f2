/* SPDX-License-Identifier: Apache-2.0 */
/* The file is read strictly: what is unknown is refused, since a mistyped rule would never fail. */
#include "cli/check/check_rules.h"
#include "cli/check/check_phases.h"

#include "cli/args/options.h"
#include "cli/check/frame_rules.h"
#include "cli/io/say.h"
#include "profrender/buf.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool add(struct pr_rules *rules, struct pr_budget budget)
{
    for (size_t i = 0; i < rules->budget_count; i++) {
        struct pr_budget *other = &rules->budget[i];
        if (is_same(other->metric, budget.metric) && other->is_count == budget.is_count &&
            is_same(other->pattern, budget.pattern)) {
            other->limit = budget.limit;
            return true;
        }
    }
    if (rules->budget_count == PR_MOST_BUDGETS)
        return false;
    rules->budget[rules->budget_count++] = budget;
    return true;
}

bool pr_rules_add_max(struct pr_rules *rules, const char *metric, bool is_count, const char *limit)
{
    return add(rules, (struct pr_budget){metric, is_count, NULL, limit});
}

bool pr_rules_add_budget(struct pr_rules *rules, char *text)
{
    char *limit = strrchr(text, '='), *pattern = strchr(text, ':');
    if (!limit || !limit[1] || limit == text)
        return false;
    *limit++ = '\0';
    if (strncmp(text, PR_PHASE_METRIC, strlen(PR_PHASE_METRIC)) == 0)
        return pr_check_phase_figure(text) >= 0 && pr_rules_add_max(rules, text, false, limit);
    if (pattern)
        *pattern++ = '\0';
    else
        pattern = text;
    const char *metric = pattern == text || !*text ? NULL : text;
    return *pattern && add(rules, (struct pr_budget){metric, false, pattern, limit});
}

/* ---- rules of `explain` ----------------------------------------------------------------------------------------- */

bool pr_rules_add_insight(struct pr_rules *rules, const char *name)
{
    const struct pr_rule *rule = pr_rule_find(name);
    for (size_t i = 0; rule && i < rules->insight_count; i++)
        if (rules->insight[i] == rule)
            return true;
    if (!rule || rules->insight_count == PR_MOST_INSIGHTS)
        return false;
    rules->insight[rules->insight_count++] = rule;
    return true;
}

int pr_rules_lack_insight(const char *where, const char *name)
{
    struct pr_buf list = {0};
    const struct pr_rule *rule;
    for (size_t i = 0; (rule = pr_rule_at(i)); i++)
        pr_buf_printf(&list, "%s%s", i ? ", " : "", rule->name);
    pr_say("%s%sthere is no finding '%s'; there is %s", where ? where : "", where ? ": " : "", name,
           list.failed ? "..." : list.bytes);
    pr_buf_clear(&list);
    return PR_EXIT_USAGE;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

struct reading {
    struct pr_rules *rules;
    const char *path;
    json_t *made; /* strings that were made from numbers: they live as long as the rules */
};

static int refuse(const struct reading *in, const char *what, const char *key)
{
    pr_say("%s: %s '%s'", in->path, what, key);
    return PR_EXIT_USAGE;
}

/* A text, or a number as text; NULL: neither. */
static const char *text_of(struct reading *in, json_t *value)
{
    char text[40];
    if (json_is_string(value))
        return json_string_value(value);
    if (!json_is_number(value))
        return NULL;
    if (json_is_integer(value))
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    else
        snprintf(text, sizeof text, "%.9f", json_real_value(value));
    json_t *made = json_string(text);
    return json_array_append_new(in->made, made) == 0 ? json_string_value(made) : NULL;
}

static int read_max(struct reading *in, json_t *max)
{
    const char *key;
    json_t *value;
    json_object_foreach (max, key, value) {
        const bool is_count = strcmp(key, "allocations") == 0;
        const char *limit = text_of(in, value);
        if (!limit || !pr_rules_add_max(in->rules, is_count ? "allocated" : key, is_count, limit))
            return refuse(in, "a limit is a text or a number, not that of", key);
    }
    return json_is_object(max) ? PR_EXIT_DONE : refuse(in, "an object with limits by metric is expected for", "max");
}

static int read_budgets(struct reading *in, json_t *budgets)
{
    size_t i;
    json_t *value;
    json_array_foreach (budgets, i, value) {
        const char *pattern = json_string_value(json_object_get(value, "pattern"));
        const char *limit = text_of(in, json_object_get(value, "max"));
        json_t *metric = json_object_get(value, "metric");
        if (!pattern || !*pattern || !limit || (metric && !json_is_string(metric)) ||
            json_object_size(value) != 2 + (size_t)(metric != NULL) ||
            !add(in->rules, (struct pr_budget){json_string_value(metric), false, pattern, limit}))
            return refuse(in, "a budget has \"pattern\", \"max\" and perhaps \"metric\"; not so one of", "budgets");
    }
    return json_is_array(budgets) ? PR_EXIT_DONE : refuse(in, "a list is expected for", "budgets");
}

static int read_metrics(struct reading *in, json_t *metrics)
{
    size_t i;
    json_t *value;
    json_array_foreach (metrics, i, value) {
        if (!json_is_string(value) || in->rules->metric_count == PR_MOST_METRICS)
            return refuse(in, "names of metrics are expected for", "metrics");
        in->rules->metric[in->rules->metric_count++] = json_string_value(value);
    }
    return json_is_array(metrics) ? PR_EXIT_DONE : refuse(in, "a list is expected for", "metrics");
}

static int read_findings(struct reading *in, json_t *findings)
{
    size_t i;
    json_t *value;
    json_array_foreach (findings, i, value) {
        if (!json_is_string(value))
            return refuse(in, "names of findings are expected for", "findings");
        if (!pr_rules_add_insight(in->rules, json_string_value(value)))
            return pr_rules_lack_insight(in->path, json_string_value(value));
    }
    return json_is_array(findings) ? PR_EXIT_DONE : refuse(in, "a list is expected for", "findings");
}

/* For tables; they are looked at even where the input is none, so that one file serves both. */
static int read_frame(struct reading *in, json_t *frame)
{
    size_t i;
    json_t *value;
    struct pr_words *words = &in->rules->frame;
    json_array_foreach (frame, i, value) {
        if (!json_is_string(value))
            return refuse(in, "rules as texts are expected for", "frame");
        if (!pr_frame_rule_is_one(json_string_value(value))) {
            pr_say("%s: '%s' is not a rule of a table; the manual page lists them", in->path, json_string_value(value));
            return PR_EXIT_USAGE;
        }
        if (words->count == PR_MOST_WORDS)
            return refuse(in, "there are too many rules in", "frame");
        words->word[words->count++] = json_string_value(value);
    }
    return json_is_array(frame) ? PR_EXIT_DONE : refuse(in, "a list is expected for", "frame");
}

static int read_flag(struct reading *in, const char *key, json_t *value, bool *flag)
{
    *flag = json_is_true(value);
    return json_is_boolean(value) ? PR_EXIT_DONE : refuse(in, "true or false is expected for", key);
}

static int read_text(struct reading *in, const char *key, json_t *value, const char **text)
{
    *text = text_of(in, value);
    return *text ? PR_EXIT_DONE : refuse(in, "a text is expected for", key);
}

static int read_runs(struct reading *in, const char *key, json_t *value)
{
    const json_int_t runs = json_integer_value(value);
    if (!json_is_integer(value) || runs < PR_LEAST_RUNS || runs > PR_MOST_RUNS)
        return refuse(in, "a number of runs, 2 to 1000, is expected for", key);
    in->rules->grows_in_every = (uint64_t)runs;
    return PR_EXIT_DONE;
}

static int read_key(struct reading *in, const char *key, json_t *value)
{
    static const char *const keys[] = {"max", "budgets", "metrics", "tolerance", "tolerance_absolute", "functions",
                                       "allow_incomplete", "baseline_optional", "require_match", "findings",
                                       "grows_in_every", "least", "phases", "frame", "$schema", NULL};
    struct pr_rules *rules = in->rules;
    if (strcmp(key, "max") == 0)
        return read_max(in, value);
    if (strcmp(key, "budgets") == 0)
        return read_budgets(in, value);
    if (strcmp(key, "findings") == 0)
        return read_findings(in, value);
    if (strcmp(key, "frame") == 0)
        return read_frame(in, value);
    if (strcmp(key, "metrics") == 0)
        return read_metrics(in, value);
    if (strcmp(key, "grows_in_every") == 0)
        return read_runs(in, key, value);
    if (strcmp(key, "least") == 0)
        return read_text(in, key, value, &rules->least);
    if (strcmp(key, "tolerance") == 0)
        return read_text(in, key, value, &rules->tolerance);
    if (strcmp(key, "tolerance_absolute") == 0)
        return read_text(in, key, value, &rules->tolerance_absolute);
    if (strcmp(key, "functions") == 0)
        return read_flag(in, key, value, &rules->functions);
    if (strcmp(key, "phases") == 0)
        return read_flag(in, key, value, &rules->phases);
    if (strcmp(key, "allow_incomplete") == 0)
        return read_flag(in, key, value, &rules->allow_incomplete);
    if (strcmp(key, "baseline_optional") == 0)
        return read_flag(in, key, value, &rules->baseline_optional);
    if (strcmp(key, "require_match") == 0)
        return read_flag(in, key, value, &rules->require_match);
    if (strcmp(key, "$schema") == 0)
        return json_is_string(value) ? PR_EXIT_DONE : refuse(in, "a text is expected for", key);
    const char *near = pr_nearest(key, keys, sizeof *keys);
    if (near)
        pr_say("%s: there is no rule '%s'; did you mean '%s'?", in->path, key, near);
    else
        pr_say("%s: there is no rule '%s'", in->path, key);
    return PR_EXIT_USAGE;
}

/* A file that cannot be opened is not a JSON problem. */
static const char *why_unreadable(const char *path, const json_error_t *error)
{
    errno = 0;
    return access(path, R_OK) != 0 && errno ? strerror(errno) : error->text;
}

int pr_rules_read(struct pr_rules *rules, const char *path)
{
    json_error_t error;
    json_t *config = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    struct reading in = {.rules = rules, .path = path, .made = json_array()};
    const char *key;
    json_t *value;
    rules->config = json_pack("[o?, o?]", config, in.made);
    if (!config || !json_is_object(config)) {
        if (!config && error.line > 0)
            pr_say("%s: line %d: %s", path, error.line, error.text);
        else
            pr_say("%s: %s", path, config ? "an object is expected, in braces" : why_unreadable(path, &error));
        return PR_EXIT_USAGE;
    }
    if (!rules->config || !in.made) {
        pr_say("%s: no memory", path);
        return PR_EXIT_INPUT;
    }
    json_object_foreach (config, key, value) {
        int status = read_key(&in, key, value);
        if (status != PR_EXIT_DONE)
            return status;
    }
    return PR_EXIT_DONE;
}

void pr_rules_clear(struct pr_rules *rules)
{
    json_decref(rules->config);
    *rules = (struct pr_rules){.config = NULL};
}
