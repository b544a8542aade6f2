/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/check_insights.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "cli/check/judge.h"
#include "cli/io/terminal_names.h"
#include "cli/reports/explain_text.h"

#include <stdlib.h>
#include <string.h>

/* What a rule without a metric counts. */
static const struct pr_metric insights_metric = {.name = "findings", .title = "Findings", .unit = PR_UNIT_COUNT};

/* ---- asking ----------------------------------------------------------------------------------------------------- */

static struct pr_check_insight *add(struct pr_check_insights *insights, const struct pr_rule_outcome *outcome)
{
    if (!pr_grow(&insights->one, &insights->capacity, insights->count + 1, sizeof *insights->one))
        return NULL;
    struct pr_check_insight *insight = &insights->one[insights->count++];
    *insight = (struct pr_check_insight){.rule = outcome->rule, .outcome = outcome->outcome, .why = outcome->why};
    return insight;
}

/* Owned; NULL: no memory. */
static char *copy_of(const struct pr_profile *profile, pr_str string)
{
    const struct pr_text text = pr_profile_text(profile, string);
    return strndup(text.bytes, text.length);
}

static bool describe(const struct pr_profile *profile, const struct pr_insight *found, struct pr_check_insight *insight)
{
    struct pr_buf plain = {0}, visible = {0};
    pr_explain_sentence(profile, found, &plain);
    pr_text_add(&visible, (struct pr_text){plain.length ? plain.bytes : "", (uint32_t)plain.length});
    pr_buf_byte(&visible, '\0');
    insight->sentence = plain.failed || visible.failed ? NULL : strdup(visible.bytes);
    pr_buf_clear(&plain);
    pr_buf_clear(&visible);
    if (found->is_of_none)
        insight->outcome = PR_OUTCOME_FINE;
    if (found->frame == PR_NO_NODE || found->is_of_none)
        return insight->sentence != NULL;
    const struct pr_frame *frame = &profile->frames[found->frame];
    insight->function = copy_of(profile, frame->function);
    insight->file = copy_of(profile, frame->file);
    insight->line = frame->line;
    return insight->sentence && insight->function && insight->file;
}

static bool add_all_of(const struct pr_profile *profile, const struct pr_explanation *explanation,
                       const struct pr_rule_outcome *outcome, struct pr_check_insights *insights)
{
    bool done = true;
    if (outcome->outcome != PR_OUTCOME_FOUND)
        return add(insights, outcome) != NULL;
    for (size_t i = 0; done && i < explanation->count; i++) {
        if (explanation->insight[i].rule != outcome->rule)
            continue;
        struct pr_check_insight *insight = add(insights, outcome);
        done = insight && describe(profile, &explanation->insight[i], insight);
    }
    return done;
}

bool pr_check_insights_find(const struct pr_profile *profile, const struct pr_rules *rules,
                            struct pr_check_insights *insights)
{
    const struct pr_explain_options options = {.keep_repeated = true};
    struct pr_explanation explanation;
    struct pr_error err = {0};
    if (!rules->insight_count)
        return true;
    bool done = pr_explain(profile, &options, &explanation, &err) != PR_FAILED;
    for (size_t i = 0; done && i < rules->insight_count; i++) {
        for (size_t k = 0; done && k < explanation.outcome_count; k++) {
            if (explanation.outcome[k].rule == rules->insight[i])
                done = add_all_of(profile, &explanation, &explanation.outcome[k], insights);
        }
    }
    pr_explanation_clear(&explanation);
    return done;
}

void pr_check_insights_clear(struct pr_check_insights *insights)
{
    for (size_t i = 0; i < insights->count; i++) {
        free(insights->one[i].sentence);
        free(insights->one[i].function);
        free(insights->one[i].file);
    }
    free(insights->one);
    *insights = (struct pr_check_insights){0};
}

/* ---- judging ---------------------------------------------------------------------------------------------------- */

/* The function in the difference, which holds the input's under numbers of its own. */
static void blame(const struct pr_profile *profile, const struct pr_check_insight *insight, struct pr_finding *finding)
{
    for (pr_frame_id i = 0; insight->function && i < profile->frame_count; i++) {
        const struct pr_frame *frame = &profile->frames[i];
        if (!pr_text_is(pr_profile_text(profile, frame->function), insight->function) ||
            !pr_text_is(pr_profile_text(profile, frame->file), insight->file))
            continue;
        finding->culprit[0] =
            (struct pr_culprit){.function = frame->function, .file = frame->file, .code = i + 1, .line = insight->line};
        finding->culprit_count = 1;
        return;
    }
}

int pr_judge_insights(struct pr_judge *j)
{
    static const enum pr_answer answers[] = {
        [PR_OUTCOME_FINE] = PR_KEPT, [PR_OUTCOME_FOUND] = PR_BROKEN, [PR_OUTCOME_NOT_JUDGED] = PR_CANNOT_TELL};
    const struct pr_check_insights *insights = &j->verdict->insights;
    int status = PR_EXIT_DONE;
    for (size_t i = 0; status == PR_EXIT_DONE && i < insights->count; i++) {
        const struct pr_check_insight *insight = &insights->one[i];
        struct pr_finding finding = {.kind = PR_RULE_INSIGHT,
                                     .metric = &insights_metric,
                                     .insight = insight,
                                     .after = insight->outcome == PR_OUTCOME_FOUND,
                                     .answer = answers[insight->outcome]};
        blame(j->verdict->diff->profile, insight, &finding);
        status = pr_judge_add(j, &finding);
    }
    return status;
}
