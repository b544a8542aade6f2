/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args/table_input.h"

#include "cli/io/progress.h"
#include "cli/io/say.h"
#include "render/words/data_words.h"

#include <limits.h>
#include <string.h>

const char *pr_table_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

void pr_table_input_set(const struct pr_common *common, struct pr_data_options *how)
{
    how->threads = common->jobs < UINT_MAX ? (unsigned)common->jobs : UINT_MAX;
    pr_input_set_limits(common, &how->limits);
}

void pr_table_input_say(const struct pr_common *common, const char *name, struct pr_data_frame *frame)
{
    for (uint32_t c = 0; pr_hides_values(common) && c < frame->column_count; c++)
        frame->columns[c].refused_text = (struct pr_text){"", 0};
    for (enum pr_data_damage damage = 0; damage < PR_DATA_DAMAGES; damage++) {
        struct pr_buf words = {0};
        if (pr_data_damage_words(&words, frame, damage) && !words.failed)
            pr_say("%s: %s", name, words.bytes);
        pr_buf_clear(&words);
    }
}

int pr_table_input_read(const struct pr_common *common, const char *path, struct pr_data_options how,
                        struct pr_data_frame **frame)
{
    const char *name = pr_table_input_name(path);
    struct pr_progress progress = pr_progress_start(name, common->quiet);
    struct pr_error err = {0};
    how.progress = pr_progress_step;
    how.progress_context = &progress;
    pr_table_input_set(common, &how);
    const enum pr_status status = pr_data_frame_read(path, &how, frame, &err);
    pr_progress_end(&progress);
    if (status == PR_FAILED) {
        pr_say("%s: %s", name, err.text);
        return PR_EXIT_INPUT;
    }
    pr_table_input_say(common, name, *frame);
    return PR_EXIT_DONE;
}

int pr_table_schema_read(const char *word, struct pr_data_schema **schema)
{
    struct pr_error err = {0};
    *schema = NULL;
    if (!word || pr_data_schema_read(word, schema, &err) == PR_OK)
        return PR_EXIT_DONE;
    if (word[strspn(word, " \t\r\n")] == '{')
        pr_say("--schema: %s", err.text);
    else
        pr_say("--schema %s: %s", word, err.text);
    return PR_EXIT_INPUT;
}

bool pr_table_schema_is_used(const struct pr_data_schema *schema)
{
    const struct pr_data_asked *lacking = schema ? pr_data_schema_lacking(schema) : NULL;
    if (!lacking)
        return true;
    pr_say("--schema: no table has a column '%.*s'", (int)(lacking->name.length < 60 ? lacking->name.length : 60),
           lacking->name.bytes);
    return false;
}
