/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as Ruby's Marshal: nothing is called, brackets match, and skipping ends where walking does. */
#include "capture/parse/ruby_marshal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Walks all of it, and skips the containers whose number has this bit. Returns how many tokens there were. */
static size_t walk(struct pr_ruby *ruby, size_t skipped)
{
    size_t tokens = 0, depth = 0;
    for (; pr_ruby_next(ruby) > PR_RUBY_END; tokens++) {
        if (ruby->token == PR_RUBY_STRING && pr_strings_get(ruby->strings, ruby->string).length > 1 << 20)
            abort();
        if (ruby->token == PR_RUBY_CLOSE && !depth--)
            abort();
        if (ruby->token >= PR_RUBY_ARRAY && skipped && tokens % skipped == 1)
            pr_ruby_skip(ruby);
        else
            depth += ruby->token >= PR_RUBY_ARRAY;
    }
    if (ruby->token == PR_RUBY_END && depth)
        abort();
    return tokens;
}

static bool read(const uint8_t *bytes, size_t length, size_t skipped)
{
    struct pr_source src = {.at = bytes, .end = bytes + length, .end_offset = length, .at_eof = true};
    struct pr_load_options options = pr_load_options_default();
    struct pr_strings strings = {0};
    struct pr_error err = {0};
    struct pr_ruby *ruby = malloc(sizeof *ruby);
    if (!ruby || pr_strings_init(&strings, &err) == PR_FAILED) {
        free(ruby);
        return false;
    }
    pr_ruby_begin(ruby, &src, &strings, &options.limits, &err);
    walk(ruby, skipped);
    const bool is_whole = !ruby->scan.failed;
    if (is_whole != (err.code == PR_ERR_NONE))
        abort();
    pr_ruby_end(ruby);
    free(ruby);
    pr_strings_clear(&strings);
    return is_whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const bool is_whole = read(bytes, length, 0);
    if (read(bytes, length, 2) != is_whole || read(bytes, length, 3) != is_whole)
        abort();
    return 0;
}
