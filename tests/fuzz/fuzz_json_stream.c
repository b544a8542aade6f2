/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as JSON: tokens, skipped values and peeks agree on what is a document, and none reads past the input. */
#include "capture/parse/json_peek.h"
#include "capture/parse/json_stream.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const struct pr_limits limits = {.max_string_bytes = 1 << 16};

/* Ends with the token END or BAD; brackets that were opened are as many as the depth says. */
static bool walk(struct pr_source *src)
{
    struct pr_json_stream json;
    struct pr_error err = {0};
    uint32_t depth = 0;
    pr_json_begin(&json, src, &limits, &err);
    while (pr_json_next(&json) > PR_JSON_END) {
        depth += json.token == PR_JSON_OBJECT || json.token == PR_JSON_ARRAY;
        depth -= json.token == PR_JSON_CLOSE;
        if (depth != json.depth)
            abort();
        struct pr_decimal number;
        pr_json_number(&json, &number);
    }
    bool good = json.token == PR_JSON_END;
    if (good != (err.code == PR_ERR_NONE) || good != (pr_json_status(&json) == PR_OK) || (good && depth))
        abort();
    pr_json_end(&json);
    return good;
}

/* Skipping checks less: it takes every document that tokens take. */
static bool skip(struct pr_source *src)
{
    struct pr_json_stream json;
    struct pr_error err = {0};
    pr_json_begin(&json, src, &limits, &err);
    pr_json_next(&json);
    pr_json_skip(&json);
    bool good = json.token != PR_JSON_BAD && pr_json_next(&json) == PR_JSON_END;
    pr_json_end(&json);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct pr_source src = {.at = bytes, .end = bytes + length, .end_offset = length, .at_eof = true};
    struct pr_json_peek peek;
    pr_json_peek(&src, &peek);
    struct pr_source again = src, whole = src;
    bool walked = walk(&src), skipped = skip(&again);
    if (walked && (!skipped || (peek.first == 0 && (*bytes == '{' || *bytes == '['))))
        abort();
    struct pr_source view = pr_source_view(&whole, length / 2);
    walk(&view);
    return 0;
}
