/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender explain`: what the rules of the library found, ranked, and why others could not judge. */
#include "capture/model/own_root.h"
#include "cli/args/code_options.h"
#include "cli/args/input.h"
#include "cli/args/options.h"
#include "cli/args/report_options.h"
#include "cli/io/output.h"
#include "cli/io/say.h"
#include "cli/reports/explain_text.h"

#include <stdlib.h>

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };
static const char *const formats[] = {"text", "json", "markdown", NULL};

enum { USUAL_TOKENS = 2000 };

struct settings {
    struct pr_common common;
    struct pr_code_options code;
    int format;
    uint64_t budget, width;
    bool rules;
};

#define AT(member) offsetof(struct settings, member)

static const struct pr_option options[] = {{.name = "root",
                                            .kind = PR_OPTION_TEXT,
                                            .offset = AT(code.root),
                                            .argument = "DIR",
                                            .help = "code below DIR is yours, as on a card made with it;\n"
                                                    "default: from the capture's search paths"},
                                           {.name = "budget",
                                            .kind = PR_OPTION_NUMBER,
                                            .offset = AT(budget),
                                            .argument = "TOKENS",
                                            .help = "at most this much text, a token being four bytes;\n"
                                                    "default: 2000; 0: all"},
                                           {.name = "rules",
                                            .kind = PR_OPTION_FLAG,
                                            .offset = AT(rules),
                                            .help = "also the rules that found nothing, and why others\n"
                                                    "could not judge; where nothing was found, and in\n"
                                                    "json, they are always listed"},
                                           PR_OPTION_WIDTH(AT(width)),
                                           {.name = "format",
                                            .kind = PR_OPTION_CHOICE,
                                            .offset = AT(format),
                                            .argument = "FORMAT",
                                            .choices = formats,
                                            .help = "text (default), markdown, or json, which has all"},
                                           PR_OPTION_JSON(AT(format), FORMAT_JSON),
                                           PR_OPTION_RAW_NAMES,
                                           PR_OPTION_JOBS,
    {.name = NULL}};

static void write(struct pr_output *out, const struct settings *settings, const struct pr_explain_text *text)
{
    if (settings->format == FORMAT_JSON) {
        pr_explain_document_write(out, text);
        return;
    }
    enum { ONE_LINE = 10000 };
    struct pr_report report = pr_report_start(out, &settings->common);
    pr_report_set_width(&report, text->markdown ? ONE_LINE : settings->width);
    if (text->markdown)
        report.style = pr_style_of(false);
    pr_explain_text_write(&report, text);
}

/* Judges the profile, with the user's own code below ROOT. */
static enum pr_status judge(const struct pr_profile *profile, const char *root, struct pr_explanation *explanation,
                            struct pr_error *err)
{
    bool *is_own = calloc(profile->frame_count + (size_t)1, sizeof *is_own);
    *explanation = (struct pr_explanation){0};
    if (!is_own)
        return pr_fail_memory(err);
    pr_own_mark(profile, root, is_own);
    const struct pr_explain_options how = {.is_own = is_own};
    const enum pr_status status = pr_explain(profile, &how, explanation, err);
    free(is_own);
    return status;
}

static int write_explanation(const struct settings *settings, const char *root, const struct pr_profile *profile)
{
    struct pr_explanation explanation;
    struct pr_error err = {0};
    struct pr_output out;
    int status = PR_EXIT_DONE;
    const struct pr_explain_text text = {.profile = profile,
                                         .explanation = &explanation,
                                         .inputs = settings->common.inputs,
                                         .input_count = settings->common.input_count,
                                         .max_tokens = settings->budget,
                                         .rules = settings->rules,
                                         .markdown = settings->format == FORMAT_MARKDOWN,
                                         .raw_names = settings->common.raw_names};
    if (judge(profile, root, &explanation, &err) == PR_FAILED)
        status = pr_input_no_report(&settings->common, profile, NULL, &err);
    if (status == PR_EXIT_DONE)
        status = pr_output_open(&out, settings->common.output);
    if (status == PR_EXIT_DONE) {
        write(&out, settings, &text);
        status = pr_output_finish(&out);
    }
    pr_explanation_clear(&explanation);
    return status;
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct settings settings = {.budget = USUAL_TOKENS};
    struct pr_profile *profile = NULL;
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    struct pr_card_options shown = {0};
    struct pr_code_places places;
    status = pr_code_options_apply(command, &settings.code, &settings.common, &places, &shown);
    if (status == PR_EXIT_DONE)
        status = pr_input_check_output(&settings.common);
    if (status == PR_EXIT_DONE)
        status = pr_input_load(&settings.common, NULL, &profile);
    if (status == PR_EXIT_DONE)
        status = pr_input_status(&settings.common, profile, write_explanation(&settings, shown.root, profile));
    pr_profile_free(profile);
    pr_code_places_clear(&places);
    return status;
}

const struct pr_command pr_command_explain = {
    .name = "explain",
    .several = true,
    .arguments = "INPUT...",
    .summary = "what stands out, what it could save, what is unknown",
    .about = "Prints the findings of the card: what stands out, the most important first, with\n"
             "the command that prints the figures.\n",
    .details = "The rules are part of the library, so that card, terminal, JSON and Markdown print the same "
               "sentences and figures. Each has a name, and states what it looks for and when it reports: "
               "`profrender explain --json` lists them all. A rule that lacks the data it needs is \"not judged\", "
               "with the reason, which --rules prints. The same input gives the same bytes.\n",
    .examples = "  profrender explain capture.bin\n"
                "  profrender explain run/ --budget 500       as much as fits into a prompt\n"
                "  profrender explain capture.bin --json | jq -r '.findings[].text'\n",
    .options = options,
    .run = run,
};
