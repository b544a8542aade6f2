/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender check`: budgets and regressions, with an exit status that a pipeline can act on. */
#include "cli/check/check_frame.h"
#include "cli/check/check_inputs.h"
#include "cli/check/check_reports.h"
#include "cli/check/check_rules.h"
#include "cli/check/frame_reports.h"
#include "cli/check/judge.h"
#include "cli/check/new_baseline.h"
#include "cli/check/remote_store.h"
#include "cli/check/site_baselines.h"
#include "cli/args/changes_option.h"
#include "cli/args/input.h"
#include "cli/args/options.h"
#include "cli/io/output.h"
#include "cli/args/redact_option.h"
#include "cli/args/report_options.h"
#include "cli/io/say.h"
#include "cli/io/system.h"
#include "cli/check/verdict.h"
#include "cli/check/verdict_text.h"
#include "cli/io/terminal_names.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum format { FORMAT_TEXT, FORMAT_JSON };
static const char *const formats[] = {"text", "json", NULL};

struct settings {
    struct pr_common common;
    int format;
    const char *max_peak, *max_leaked, *max_allocated, *max_allocations, *max_cpu, *max_rss, *max_duration;
    struct pr_words budgets, findings, baselines, history, metrics, reports, rules;
    const char *schema;
    const char *tolerance, *tolerance_absolute, *config, *root, *changes, *card_url;
    const char *update_baseline, *baseline_from, *branch, *least;
    uint64_t grows_in_every;
    bool frame, functions, phases, allow_incomplete, baseline_optional, require_success, require_match;
};

#define AT(member) offsetof(struct settings, member)

/* What shells offer: a file follows, except for annotations, which GitHub reads from standard output. */
static const char *const report_words[] = {"json=",     "junit=",       "github=-",     "markdown=",
                                           "codequality=", "openmetrics=", "sarif=",   "bencher=",  "benchmark=", NULL};

static const struct pr_option options[] = {
    {.name = "max-peak", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(max_peak), .argument = "SIZE",
     .help = "the peak is at most SIZE, such as 2GiB"},
    {.name = "max-leaked", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(max_leaked), .argument = "SIZE",
     .help = "at most SIZE is not freed at the end"},
    {.name = "max-allocated", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(max_allocated), .argument = "SIZE",
     .help = "at most SIZE is allocated in total"},
    {.name = "max-allocations", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(max_allocations), .argument = "N",
     .help = "at most N allocations"},
    {.name = "max-cpu", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(max_cpu), .argument = "TIME",
     .help = "a time profile has at most TIME, such as 1.5s"},
    {.name = "max-rss", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(max_rss), .argument = "SIZE",
     .help = "the process never has more than SIZE (RSS)"},
    {.name = "max-duration", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(max_duration), .argument = "TIME",
     .help = "the run takes at most TIME, such as 90s or 15min"},
    {.name = "require-success", .kind = PR_OPTION_FLAG, .offset = AT(require_success),
     .help = "the run did not fail: exit status 0, no signal, no\n"
             "exception that ended it"},
    {.name = "budget", .kind = PR_OPTION_LIST, .offset = AT(budgets), .argument = "[METRIC:]PATTERN=LIMIT",
     .help = "stacks with a function or file that matches PATTERN\n"
             "have at most LIMIT, or phase:NAME:FIGURE=LIMIT: that\n"
             "phase; may be given again"},
    {.name = "require-match", .kind = PR_OPTION_FLAG, .offset = AT(require_match),
     .help = "a --budget whose PATTERN matches nothing is broken"},
    {.name = "finding", .kind = PR_OPTION_LIST, .offset = AT(findings), .argument = "NAME",
     .help = "`explain` does not find this in the input, such as\n"
             "steady-growth; may be given again"},
    {.name = "baseline", .kind = PR_OPTION_LIST, .offset = AT(baselines), .argument = "FILE|DIR",
     .help = "compare with a capture, digest or run, or a folder of\n"
             "them; of several, with the median"},
    {.name = "history", .kind = PR_OPTION_LIST, .offset = AT(history), .argument = "FILE|DIR",
     .help = "compare with earlier runs in the order of their\n"
             "starts: with those since the level last changed; finds\n"
             "steps and slow growth too"},
    {.name = "baseline-from", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(baseline_from), .argument = "DIR|URL",
     .help = "compare with the runs of a branch kept there:\n"
             "a site of publish, another folder, s3://BUCKET/PREFIX,\n"
             "gs://BUCKET or az://CONTAINER (by your own tool); as\n"
             "--history"},
    {.name = "branch", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(branch), .argument = "NAME",
     .help = "the branch, in --baseline-from and in a site; default:\n"
             "main"},
    {.name = "update-baseline", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(update_baseline),
     .argument = "FILE|DIR",
     .help = "save a digest of the input for later checks, unless a\n"
             "rule is broken, the run failed or is incomplete, or\n"
             "most baselines ran a different program"},
    {.name = "metric", .kind = PR_OPTION_LIST, .offset = AT(metrics), .argument = "NAME",
     .help = "what to compare; default: peak, leaked and allocated,\n"
             "for other profiles the main one; may be given again"},
    {.name = "tolerance", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(tolerance), .argument = "PERCENT",
     .help = "growth to ignore; default: 3 for sizes, 10 for others"},
    {.name = "tolerance-absolute", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(tolerance_absolute),
     .argument = "AMOUNT",
     .help = "the same as an amount; a regression exceeds both;\n"
             "default: 100KiB, 100ms"},
    {.name = "functions", .kind = PR_OPTION_FLAG, .offset = AT(functions),
     .help = "compare each function of your code too"},
    {.name = "phases", .kind = PR_OPTION_FLAG, .offset = AT(phases),
     .help = "compare each phase of the run too"},
    {.name = "grows-in-every", .kind = PR_OPTION_NUMBER, .offset = AT(grows_in_every), .argument = "N",
     .help = "no function has more in each of the last N runs, this\n"
             "one too, than in the run before; N is 2 or more"},
    {.name = "least", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(least), .argument = "PERCENT",
     .help = "growth that a run has to exceed for --grows-in-every;\n"
             "default: 1 for sizes, 10 for others"},
    {.name = "frame", .kind = PR_OPTION_FLAG, .offset = AT(frame),
     .help = "INPUT is a table of data (CSV, TSV, JSON lines,\n"
             "Arrow), and --baseline an earlier one"},
    {.name = "rule", .kind = PR_OPTION_LIST, .offset = AT(rules), .argument = "RULE",
     .help = "for --frame, such as 'missing below 1 %', 'price: mean\n"
             "within 3 %' or 'no new category'; may be given again"},
    {.name = "schema", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(schema), .argument = "SCHEMA",
     .help = "for --frame: types of columns, as in profrender frame"},
    {.name = "config", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(config), .argument = "FILE",
     .help = "rules from a file in JSON; see the manual page"},
    {.name = "allow-incomplete", .kind = PR_OPTION_FLAG, .offset = AT(allow_incomplete),
     .help = "check what could be read of a cut or damaged input"},
    {.name = "baseline-optional", .kind = PR_OPTION_FLAG, .offset = AT(baseline_optional),
     .help = "go on without a baseline that does not exist"},
    PR_OPTION_JOBS,
    {.name = "report", .kind = PR_OPTION_LIST, .offset = AT(reports), .argument = "FORMAT=FILE",
     .choices = report_words,
     .help = "also write json, junit, github (annotations), markdown\n"
             "(step summary), codequality (GitLab), openmetrics,\n"
             "sarif, bencher (its metric format) or benchmark (for\n"
             "github-action-benchmark); markdown+=FILE appends; may\n"
             "be given again"},
    {.name = "changes", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(changes), .argument = "FILE",
     .help = "what the change under review touches, from git diff or\n"
             "git diff --numstat; - is standard input; functions in\n"
             "it are named first"},
    {.name = "card-url", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(card_url), .argument = "URL",
     .help = "where the card of the run is: the Markdown report\n"
             "links to it"},
    {.name = "root", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(root), .argument = "DIR",
     .help = "reports name files from DIR on; default: the current\n"
             "folder"},
    {.name = "format", .kind = PR_OPTION_CHOICE, .offset = AT(format), .argument = "FORMAT", .choices = formats,
     .help = "text (default) or json"},
    PR_OPTION_JSON(AT(format), FORMAT_JSON),
    {.name = NULL}};

static const struct pr_exit_meaning exits[] = {
    {PR_EXIT_DONE, "no rule is broken; some may be undecided"},
    {PR_EXIT_NO, "a rule is broken"},
    {PR_EXIT_USAGE, "wrong usage, or a rule that cannot be read"},
    {PR_EXIT_INPUT, "no verdict: an input is unusable, incomplete or lacks what is checked"},
    {PR_EXIT_OUTPUT, "an output could not be written"},
    {0, NULL}};

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static int add_limits(const struct pr_command *command, struct settings *settings, struct pr_rules *rules)
{
    const struct {
        const char *metric, *limit;
        bool is_count;
    } limits[] = {{"peak", settings->max_peak, false},
                  {"leaked", settings->max_leaked, false},
                  {"allocated", settings->max_allocated, false},
                  {"allocated", settings->max_allocations, true},
                  {"cpu", settings->max_cpu, false},
                  {"rss", settings->max_rss, false},
                  {"duration", settings->max_duration, false},
                  {"failed", settings->require_success ? "0" : NULL, false}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].limit && !pr_rules_add_max(rules, limits[i].metric, limits[i].is_count, limits[i].limit))
            return pr_wrong_usage(command, "too many limits");
    return PR_EXIT_DONE;
}

/* Whether two budgets are for the same thing, with the same limit or another one. */
static bool is_same_rule(const char *a, const char *b)
{
    const char *limit = strrchr(a, '='), *other = strrchr(b, '=');
    return limit && other && limit - a == other - b && memcmp(a, b, (size_t)(limit - a)) == 0;
}

/* The budgets of the command line are split in COPIES, which lives as long as the rules. */
static int add_budgets(const struct pr_command *command, const struct settings *settings, struct pr_rules *rules,
                       char **copies)
{
    const char *const *word = settings->budgets.word;
    for (size_t i = 0; i < settings->budgets.count; i++) {
        for (size_t k = 0; k < i; k++)
            if (is_same_rule(word[i], word[k]) && strcmp(word[i], word[k]) != 0)
                return pr_wrong_usage(command, "--budget has two limits for the same, '%s' and '%s'; give the one that "
                                      "counts", word[k], word[i]);
        copies[i] = strdup(word[i]);
        if (!copies[i] || !pr_rules_add_budget(rules, copies[i]))
            return pr_wrong_usage(command, "--budget takes a rule such as features.py=200MiB or leaked:load_*=1MiB, "
                                  "not '%s'", word[i]);
    }
    return PR_EXIT_DONE;
}

static int add_findings(const struct settings *settings, struct pr_rules *rules)
{
    for (size_t i = 0; i < settings->findings.count; i++)
        if (!pr_rules_add_insight(rules, settings->findings.word[i]))
            return pr_rules_lack_insight(NULL, settings->findings.word[i]);
    return PR_EXIT_DONE;
}

/* It may be a link: another scheme than the web's, blanks and brackets are refused. */
static bool is_address(const char *text)
{
    const size_t length = strlen(text), plain = strcspn(text, ":/?#");
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c <= ' ' || *c == 0x7F || *c == '<' || *c == '>' || *c == '\\')
            return false;
    return length && (text[plain] != ':' || strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0);
}

/* The command line takes precedence over the file. */
static int make_rules(const struct pr_command *command, struct settings *settings, struct pr_rules *rules,
                      char **copies)
{
    int status = settings->config ? pr_rules_read(rules, settings->config) : PR_EXIT_DONE;
    if (status == PR_EXIT_DONE)
        status = add_limits(command, settings, rules);
    if (status == PR_EXIT_DONE)
        status = add_budgets(command, settings, rules, copies);
    if (status == PR_EXIT_DONE)
        status = add_findings(settings, rules);
    if (status != PR_EXIT_DONE)
        return status;
    if (settings->metrics.count > PR_MOST_METRICS)
        return pr_wrong_usage(command, "--metric can be given %d times", PR_MOST_METRICS);
    for (size_t i = 0; i < settings->metrics.count; i++)
        rules->metric[i] = settings->metrics.word[i];
    rules->metric_count = settings->metrics.count ? settings->metrics.count : rules->metric_count;
    rules->tolerance = settings->tolerance ? settings->tolerance : rules->tolerance;
    if (settings->tolerance_absolute)
        rules->tolerance_absolute = settings->tolerance_absolute;
    rules->least = settings->least ? settings->least : rules->least;
    if (settings->grows_in_every != PR_NOT_GIVEN)
        rules->grows_in_every = settings->grows_in_every;
    if (settings->grows_in_every != PR_NOT_GIVEN &&
        (rules->grows_in_every < PR_LEAST_RUNS || rules->grows_in_every > PR_MOST_RUNS))
        return pr_wrong_usage(command, "--grows-in-every takes %d to %d runs", PR_LEAST_RUNS, PR_MOST_RUNS);
    if (rules->least && !rules->grows_in_every)
        return pr_wrong_usage(command, "--least is for --grows-in-every");
    rules->functions |= settings->functions;
    rules->phases |= settings->phases;
    rules->allow_incomplete |= settings->allow_incomplete;
    rules->baseline_optional |= settings->baseline_optional;
    rules->require_match |= settings->require_match;
    if (settings->card_url && !is_address(settings->card_url))
        return pr_wrong_usage(command, "--card-url takes an address that begins with https:// or http://, or the name "
                              "of a file, not '%s'", settings->card_url);
    if ((settings->baselines.count > 0) + (settings->history.count > 0) + (settings->baseline_from != NULL) > 1)
        return pr_wrong_usage(command, "give one of --baseline, --history and --baseline-from");
    if (!rules->budget_count && !rules->insight_count && !settings->baselines.count && !settings->history.count &&
        !settings->baseline_from && !settings->update_baseline)
        return pr_wrong_usage(command, "nothing to check: give --max-peak, --max-rss, --budget, --finding, "
                              "--baseline, --history or --config");
    return PR_EXIT_DONE;
}

/* ---- the verdict ------------------------------------------------------------------------------------------------ */

static int write_verdict(const struct settings *settings, const struct pr_verdict *verdict)
{
    struct pr_output out;
    int status = pr_output_open(&out, settings->common.output);
    if (status != PR_EXIT_DONE)
        return status;
    if (settings->format == FORMAT_JSON) {
        pr_verdict_write_json(&out, verdict);
    } else {
        struct pr_report report = pr_report_start(&out, &settings->common);
        pr_verdict_text_write(&report, verdict);
    }
    status = pr_output_finish(&out);
    const int reports = pr_check_reports_write(&settings->reports, verdict);
    return status == PR_EXIT_DONE ? reports : status;
}

/* The branch that --update-baseline adds to, NULL: it is a file, or a folder without branches. */
static const char *branch_for(const struct settings *settings)
{
    const char *path = settings->update_baseline;
    const bool is_store = settings->baseline_from && strcmp(path, settings->baseline_from) == 0;
    if (!is_store && !pr_remote_is_address(path) && !pr_site_baselines_is_site(path))
        return NULL;
    return settings->branch ? settings->branch : "main";
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

/* Whether baselines are in a bucket: they are copied first. */
static bool is_copied(const struct settings *settings)
{
    return settings->baseline_from && pr_remote_is_address(settings->baseline_from);
}

/* STORE: what --baseline-from names; NULL: nothing. */
static int judge(const struct settings *settings, const struct pr_rules *rules, const struct pr_words *store)
{
    char folder[PATH_MAX] = "";
    const char *root = settings->root ? settings->root : ".";
    char room[PR_REDACTED_INPUT];
    struct pr_arena names = {0};
    struct pr_verdict verdict = {
        .input = pr_redact_input(&settings->common, pr_input_name(&settings->common), room)};
    struct pr_new_baseline kept = {.why = NULL};
    struct pr_check_inputs inputs = {.branch = settings->branch ? settings->branch : "main",
                                     .is_store = store != NULL,
                                     .address = is_copied(settings) ? settings->baseline_from : NULL,
                                     .kept = settings->update_baseline ? &kept : NULL};
    int status = PR_EXIT_DONE;
    verdict.root = pr_system_real_path(root, folder) ? folder : root;
    struct pr_changes changes = {.count = 0};
    if (settings->changes && (status = pr_changes_read(settings->changes, &changes)) != PR_EXIT_DONE)
        return status;
    verdict.changes = settings->changes ? &changes : NULL;
    verdict.card_url = settings->card_url;
    verdict.is_history = settings->history.count > 0 || store;
    status = pr_check_inputs_load(&inputs, &settings->common,
                                  store                ? store
                                  : verdict.is_history ? &settings->history
                                                       : &settings->baselines,
                                  rules, &verdict);
    if (status == PR_EXIT_DONE && store && !pr_check_inputs_name(&inputs, store))
        status = pr_judge_no_memory();
    verdict.baselines = pr_redact_inputs(&settings->common, verdict.baselines, verdict.baseline_count, &names);
    if (status == PR_EXIT_DONE)
        status = pr_verdict_make(&verdict, rules);
    if (status == PR_EXIT_DONE)
        status = write_verdict(settings, &verdict);
    if (status == PR_EXIT_DONE && settings->update_baseline)
        status = pr_new_baseline_save(&kept, &verdict, settings->update_baseline, branch_for(settings));
    if (status == PR_EXIT_DONE && verdict.broken)
        status = PR_EXIT_NO;
    pr_verdict_clear(&verdict);
    pr_check_inputs_clear(&inputs);
    pr_new_baseline_clear(&kept);
    pr_changes_clear(&changes);
    pr_arena_clear(&names);
    return status;
}

static int judge_stored(const struct settings *settings, const struct pr_rules *rules)
{
    const char *from = settings->baseline_from;
    char fetched[PATH_MAX] = "";
    int status = PR_EXIT_DONE;
    if (is_copied(settings))
        status = pr_remote_fetch(from, settings->branch ? settings->branch : "main", fetched);
    const struct pr_words store = {.word = {*fetched ? fetched : from}, .count = 1};
    if (status == PR_EXIT_DONE)
        status = judge(settings, rules, from ? &store : NULL);
    pr_remote_forget(fetched);
    return status;
}

/* ---- tables of data --------------------------------------------------------------------------------------------- */

/* The first option given that is for captures; NULL: none is. */
static const char *not_for_tables(const struct settings *settings)
{
    const struct {
        const char *name;
        bool is_given;
    } all[] = {{"max-peak", settings->max_peak},
               {"max-leaked", settings->max_leaked},
               {"max-allocated", settings->max_allocated},
               {"max-allocations", settings->max_allocations},
               {"max-cpu", settings->max_cpu},
               {"max-rss", settings->max_rss},
               {"max-duration", settings->max_duration},
               {"require-success", settings->require_success},
               {"budget", settings->budgets.count},
               {"require-match", settings->require_match},
               {"finding", settings->findings.count},
               {"history", settings->history.count},
               {"baseline-from", settings->baseline_from},
               {"branch", settings->branch},
               {"update-baseline", settings->update_baseline},
               {"metric", settings->metrics.count},
               {"tolerance", settings->tolerance},
               {"tolerance-absolute", settings->tolerance_absolute},
               {"functions", settings->functions},
               {"phases", settings->phases},
               {"grows-in-every", settings->grows_in_every != PR_NOT_GIVEN},
               {"least", settings->least},
               {"changes", settings->changes},
               {"card-url", settings->card_url},
               {"root", settings->root},
               {"input-format", settings->common.input_format},
               {"redact names", settings->common.redact == PR_REDACT_NAMES}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_given)
            return all[i].name;
    return NULL;
}

/* Those of the file first, then those of the command line. */
static int read_frame_rules(const struct pr_command *command, const struct settings *settings, struct pr_rules *rules)
{
    const int status = settings->config ? pr_rules_read(rules, settings->config) : PR_EXIT_DONE;
    if (status != PR_EXIT_DONE)
        return status;
    if (rules->frame.count + settings->rules.count > PR_MOST_WORDS)
        return pr_wrong_usage(command, "there can be %d rules for a table", PR_MOST_WORDS);
    for (size_t i = 0; i < settings->rules.count; i++)
        rules->frame.word[rules->frame.count++] = settings->rules.word[i];
    if (!rules->frame.count)
        return pr_wrong_usage(command, settings->config
                                           ? "nothing to check: give --rule, or \"frame\" in the file of --config"
                                           : "nothing to check: give --rule, such as --rule 'missing below 1 %%'");
    return PR_EXIT_DONE;
}

static int run_frame(const struct pr_command *command, const struct settings *settings, struct pr_rules *rules)
{
    const struct pr_frame_check check = {.rules = &rules->frame,
                                         .schema = settings->schema,
                                         .reports = &settings->reports,
                                         .baseline = settings->baselines.count ? settings->baselines.word[0] : NULL,
                                         .baseline_optional = settings->baseline_optional || rules->baseline_optional,
                                         .allow_incomplete = settings->allow_incomplete || rules->allow_incomplete,
                                         .is_json = settings->format == FORMAT_JSON};
    const char *option = not_for_tables(settings);
    if (option)
        return pr_wrong_usage(command, "--%s is for captures, not for --frame", option);
    if (settings->common.input_count > 1 || settings->baselines.count > 1)
        return pr_wrong_usage(command, "--frame takes one table, and one --baseline");
    if ((option = pr_check_reports_lack(&settings->reports, pr_frame_verdict_has_report)))
        return pr_wrong_usage(command, "--report %s is not for --frame, which has json, junit, github and markdown",
                              option);
    return pr_check_frame(command, &settings->common, &check);
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct settings settings = {.format = FORMAT_TEXT, .grows_in_every = PR_NOT_GIVEN};
    struct pr_rules rules = {.config = NULL};
    char *copies[PR_MOST_WORDS] = {NULL};
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    if (settings.rules.count && !settings.frame)
        return pr_wrong_usage(command, "--rule is for --frame");
    if (settings.schema && !settings.frame)
        return pr_wrong_usage(command, "--schema is for --frame");
    if (settings.common.redact == PR_REDACT_VALUES && !settings.frame)
        return pr_wrong_usage(command, "--redact values is for --frame");
    status = settings.frame ? read_frame_rules(command, &settings, &rules)
                            : make_rules(command, &settings, &rules, copies);
    if (status == PR_EXIT_DONE)
        status = pr_input_check_output(&settings.common);
    if (status == PR_EXIT_DONE)
        status = pr_check_reports_check(command, &settings.reports, &settings.common, settings.format == FORMAT_TEXT);
    if (status == PR_EXIT_DONE && settings.frame)
        status = run_frame(command, &settings, &rules);
    if (status == PR_EXIT_DONE && !settings.frame)
        status = pr_new_baseline_check(&settings.common, settings.update_baseline);
    if (status == PR_EXIT_DONE && !settings.frame)
        status = judge_stored(&settings, &rules);
    pr_rules_clear(&rules);
    for (size_t i = 0; i < PR_MOST_WORDS; i++)
        free(copies[i]);
    return status;
}

const struct pr_command pr_command_check = {
    .name = "check",
    .several = true,
    .judges_tables = true,
    .arguments = "INPUT...",
    .summary = "budgets and regressions, for pipelines: exits with 1",
    .about = "Checks an input against limits and against baselines. Exits with 1 when a rule\n"
             "is broken, and says which, worst first, and which functions did it. Several\n"
             "inputs are the files of one run.\n",
    .details = "A regression exceeds the median of its baselines by more than the relative and the absolute tolerance, "
               "and exceeds the highest baseline and its tolerance. With three baselines or more, their spread counts "
               "too: what is within three times their median deviation, scaled to a standard "
               "deviation, is not a regression.\n"
               "\n"
               "For memory, the peak, what was not freed and what was allocated are compared. The last repeats to the "
               "byte if the work does, however threads are scheduled. So if it grew as a whole, each function of your "
               "code is compared by it too, with a tolerance of half a percent; with `--functions`, by the others as "
               "well.\n"
               "\n"
               "\"Cannot tell\" is an answer, with exit status 0. It is given where the baselines vary widely: then a "
               "value among them proves nothing, nor does one above them by no more than they lie apart. It is also "
               "given where chance decides: the peak of several threads or processes, or of tasks that take turns, "
               "depends on which of them overlap; time and the memory of a process differ from run to run. Fewer than "
               "six baselines do not show how far. A `--tolerance` says it, for time and the memory of a process.\n"
               "\n"
               "`--history` takes the same files and folders as `--baseline`, and compares with them in the order in "
               "which the runs started. Runs that failed or are incomplete are left out. Each value is compared with "
               "the runs since its level last changed, so what was accepted is the usual value three runs later. "
               "A level that rose, in one step or in small ones, is a regression from the first run that makes it "
               "certain, even if each run by itself is within what chance allows; a single outlier is not. Levels "
               "change where E-divisive means divide the series and Student's t-test confirms it (p < 0.001, for what "
               "differs from run to run 0.00001). In a time profile, each function is compared as if the machine had "
               "been as fast as usual in each run; how fast it was is seen from most functions of the run.\n"
               "\n"
               "`--update-baseline main/` adds a digest of the run to that folder, under a name that begins with its "
               "start, so that `--history main/` finds it next time; a file is replaced. A run that breaks a rule, "
               "failed, is incomplete, or ran a different program than most baselines never becomes one. With "
               "`--baseline-optional` the first run needs none."
               "\n"
               "\n"
               "`--frame` checks a table of data by rules. For a column: `missing below 1 %`, `no missing`, `unique`, "
               "`type integer`, `distinct at most 50`, and `mean`, `median`, `min`, `max`, `sum` or `std` `at least` "
               "or `at most` a number. Against a `--baseline`: any of these figures or `missing` `within 3 %` (of "
               "missing values, points), `no new category`, `no lost category`, `same type`, `not moved` (as `frame "
               "diff` says). For the table: `rows at least 1000`, `rows within 10 %`, `repeated below 1 %`, `no "
               "repeated rows`, `same columns`. `COLUMN: ` before a rule names the column; without it, the rule is "
               "about every column that it fits. Where estimates cannot decide, or a baseline is missing, the answer "
               "is \"cannot tell\". With `--redact values` rules are judged the same, and no sentence has a value of "
               "the table: `max 12` becomes `max left out`, and new categories are only counted.\n"
               "\n"
               "A site of `publish` keeps baselines by branch, in `baselines/main/`: `--update-baseline SITE` adds to "
               "them, `--history SITE` and `--baseline-from SITE` compare with them, and `--branch` names another "
               "branch. `--baseline-from` takes any folder, and s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or "
               "az://CONTAINER/PREFIX, from which aws or s5cmd, gcloud or gsutil, or az copies them as you have "
               "configured it; so does `--update-baseline`. The contents of a site or a bucket are not trusted: "
               "links, and files with names that `--update-baseline` never gives, are not opened.\n"
               "\n"
               "`--phases` compares each phase that a run named (`profrender mark`): its highest heap and what it "
               "allocated and did not free, or without a heap its RSS. A phase that occurs several times counts with "
               "its highest value; one that only some of the runs have is left out, with a note. `phase:NAME:FIGURE` "
               "is a metric for `--budget`, `--metric` and `max`: rss, growth, heap, retained, cpu, read, written, "
               "received and sent, as in `--budget phase:fit:heap=2GiB`.\n"
               "\n"
               "`--grows-in-every 3` fails for each function of your code that grew from run to run in the last "
               "three, this one included. It finds a leak that stays within the tolerance every time. Runs of "
               "`--history` are in the order of their "
               "starts, those of `--baseline` in the order in which they are named, those of a folder in the order "
               "of their names. Growth of at most 1 % does not count, nor of at most 10 % for what is not a size; "
               "`--least` sets another limit. What grew by no more than `--tolerance-absolute` in total is left out.\n"
               "\n"
               "What moved has not grown: if a function has more because another one below the same caller has that "
               "much less, as after a rename or a split, a note says where it came from.\n"
               "\n"
               "Several rules that are broken for one reason are one alarm: one function broke them, or a common "
               "ancestor explains them, because everything it calls grew by the same share or is new. That one is "
               "named, and the others follow as \"also\".\n"
               "\n"
               "Arenas of pymalloc are compared separately, as `arenas`. Python takes memory for small objects "
               "by the mebibyte, and a capture without `--trace-python-allocators` puts these arenas down to "
               "whichever function needed the next one. Who filled them is not recorded. So they are not part of "
               "`leaked`, of a `--budget` or of what is compared; a limit for the whole peak counts them.\n"
               "\n"
               "The pattern of a `--budget` is a shell pattern. It names a function, or a file by the end of its path: "
               "`features.py`, `numpy/*`. What counts is everything that such a function, or a function of such a "
               "file, allocated or made others allocate, each stack once. A pattern that "
               "matches nothing is reported; with `--require-match` it breaks the rule.\n"
               "\n"
               "`--finding` takes the name of a rule of `profrender explain`, which lists them: the check fails with "
               "the sentences of what it finds. `No single function` of peak-holder and time is not a finding. Where a "
               "rule cannot judge, the check cannot tell either, and gives the reason."
               "\n"
               "\n"
               "`--config` reads the same rules from JSON: `max` (an object of limits by metric, or "
               "`allocations`), `budgets` (a list of objects with `pattern`, `max` and perhaps `metric`), "
               "`findings` (a list of names), `metrics`, `grows_in_every`, `least`, `tolerance`, `tolerance_absolute`, "
               "`functions`, `phases`, `allow_incomplete`, `baseline_optional`, `require_match` and `frame` (a list of "
               "rules for `--frame`, which `--rule` adds to; of the other keys only `allow_incomplete` and "
               "`baseline_optional` count there):\n"
               "\n"
               "{\"max\": {\"peak\": \"2GiB\", \"allocations\": 100000}, \"budgets\": [{\"pattern\": "
               "\"features.py\", \"max\": \"200MiB\"}], \"tolerance\": 5}\n"
               "\n"
               "The schema is schemas/check-config.schema.json of the source, an example "
               "samples/profrender-check.json. The command line takes precedence over the file. Two limits for the "
               "same thing are refused there: one would be lost.\n"
               "\n"
               "A whole run has three more metrics: `rss`, the highest memory of the process at any time, "
               "`duration`, and `failed`, which is 0 or 1. They work in `max` and `--metric` like the others. Runs"
               " without stacks are compared by `rss`, unless `--metric` names another.\n"
               "\n"
               "A baseline that is a folder with run.json or timeline.jsonl in it is one run; in any other folder "
               "each file is one. Anything else, such as a README, is left out with a note.\n"
               "\n"
               "A report replaces its file. The file that GITHUB_STEP_SUMMARY names is appended to, because all steps "
               "of a job write to it; `markdown+=FILE` and `github+=FILE` append to any file.\n",
    .examples = "  profrender check new.bin --max-peak 2GiB --max-leaked 10MiB\n"
                "  profrender check run/ --require-success --max-rss 4GiB --max-duration 15min\n"
                "  profrender check new.bin --baseline base.prz --tolerance 5\n"
                "  profrender check new.bin --baseline nightly/ --functions \\\n"
                "      --report junit=check.xml --report markdown=\"$GITHUB_STEP_SUMMARY\"\n"
                "  git diff -U0 main... | profrender check new.bin --history main/ --changes -\n"
                "  profrender check new.bin --history main/ --baseline-optional \\\n"
                "      --update-baseline main/\n"
                "  profrender check new.bin --budget 'features.py=200MiB' --report github=-\n",
    .options = options,
    .exits = exits,
    .run = run,
};
