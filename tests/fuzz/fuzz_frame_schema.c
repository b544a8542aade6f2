/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a schema: it is refused with a reason, or its columns are in order and each has a type of its own. */
#include <stdlib.h>
#include <string.h>

#include "profrender/data_schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check(const struct pr_data_schema *schema)
{
    for (size_t i = 0; i < schema->count; i++) {
        const struct pr_data_asked *asked = &schema->columns[i];
        must(asked->is_ignored || (asked->type > PR_TYPE_EMPTY && asked->type < PR_TYPE_COUNT));
        must(!asked->is_found && asked->us >= 0);
        must(!i || pr_text_compare(asked[-1].name, asked->name) < 0);
    }
    must(pr_data_schema_lacking(schema) == (schema->count ? schema->columns : NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct pr_data_schema *schema = NULL;
    struct pr_error err = {0};
    char *text = malloc(length + 2);
    if (!text)
        return 0;
    text[0] = '{'; /* else it is the name of a file */
    memcpy(text + 1, bytes, length);
    text[length + 1] = '\0';
    if (pr_data_schema_read(text, &schema, &err) == PR_OK)
        check(schema);
    else
        must(err.code != PR_ERR_NONE && !schema);
    pr_data_schema_free(schema);
    free(text);
    return 0;
}
