/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a rule for a table, applied to one that has a baseline: it ends in an answer with a sentence. */
#include "cli/check/frame_rules.h"
#include "cli/io/say.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static struct pr_data_frame *table(const char *text)
{
    struct pr_data_options how = pr_data_options_default();
    struct pr_data_frame *frame = NULL;
    struct pr_error err = {0};
    how.keep_distributions = true;
    must(pr_data_frame_read_memory("table", text, strlen(text), &how, &frame, &err) == PR_OK);
    return frame;
}

static void check_verdict(struct pr_frame_verdict *verdict, const char *rule)
{
    if (pr_frame_rule_apply(verdict, rule)) {
        must(pr_frame_verdict_finish(verdict));
        must(verdict->broken + verdict->untold <= verdict->count);
        for (size_t i = 0; i < verdict->count; i++)
            must(verdict->findings[i].answer == PR_FRAME_KEPT || verdict->findings[i].sentence.length > 0);
    }
    pr_frame_verdict_clear(verdict);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct pr_data_frame *frame, *before;
    static struct pr_data_diff *diff;
    struct pr_error err = {0};
    if (!frame) {
        frame = table("a,b:c,kind,day\n1,,x,2026-01-01\n2,5,y,2026-01-02\n2,5,y,2026-01-02\n");
        before = table("a,b:c,kind\n1,4,x\nz,5,x\n");
        must(pr_data_frame_diff(before, frame, &diff, &err) == PR_OK);
    }
    char *rule = malloc(length + 1);
    must(rule != NULL);
    if (length)
        memcpy(rule, bytes, length);
    rule[length] = '\0';
    struct pr_frame_verdict alone = {.frame = frame, .input = "table"},
                            compared = {.frame = frame, .diff = diff, .input = "table", .baseline = "before"};
    if (pr_frame_rule_is_one(rule)) {
        check_verdict(&alone, rule);
        check_verdict(&compared, rule);
    }
    free(rule);
    return 0;
}
