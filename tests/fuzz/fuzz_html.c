/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a name: in text, in an attribute and in JSON, nothing of them is markup.
 */
#include <stdlib.h>
#include <string.h>

#include "render/html/html.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must_hold_none_of(const struct pr_buf *out, const char *forbidden)
{
    for (size_t i = 0; i < out->length; i++)
        if (out->bytes[i] == '\0' || strchr(forbidden, out->bytes[i]))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *name = malloc(length + 1); /* texts end with a NUL */
    if (!name)
        return 0;
    for (size_t i = 0; i <= length; i++)
        name[i] = i < length ? (char)bytes[i] : '\0';
    struct pr_text text = {.bytes = name, .length = (uint32_t)length};
    struct pr_buf out = {0};
    pr_html(&out, "%.*s", PR_TEXT(text));
    must_hold_none_of(&out, "<>\"'");
    pr_buf_clear(&out);
    pr_html_name(&out, text); /* contains its own <wbr> */
    pr_buf_clear(&out);
    pr_html_cut(&out, text, 12);
    must_hold_none_of(&out, "<>\"'");
    pr_buf_clear(&out);
    free(name);
    return 0;
}
