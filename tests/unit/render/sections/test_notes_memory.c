/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit.h"

#include "render/sections/notes_memory.h"
#include "tests/support/alloc_fail.h"

#include <string.h>

/* Something of each kind, long enough that cmark's buffers grow. */
static const char text[] = "# A [heading](https://example.org \"title\")\n\n"
                           "> quoted *text*, `code` and ![an image][one]\n\n1. first\n2. second\n\n   - inner\n\n"
                           "```\nline\n```\n\n<b>html</b>\n\n[one]: data:image/png;base64,AAAA 'of one'\n\n"
                           "a paragraph of words that is longer than the first size of a buffer, so that it has to "
                           "grow once or twice while it is read, **with** _emphasis_ and &amp; an entity\n";

static void count_nodes(cmark_mem *memory, void *context)
{
    unsigned *count = context;
    cmark_parser *parser = cmark_parser_new_with_mem(CMARK_OPT_DEFAULT, memory);
    cmark_parser_feed(parser, text, sizeof text - 1);
    cmark_iter *iter = cmark_iter_new(cmark_parser_finish(parser));
    for (*count = 0; cmark_iter_next(iter) != CMARK_EVENT_DONE;)
        ++*count;
}

static void each_allocation_of_cmark_may_fail(void **state)
{
    (void)state;
    unsigned all = 0, failures = 0;
    assert_true(pr_notes_try(count_nodes, &all));
    assert_true(all > 20);
    for (unsigned long n = 1;; n++) {
        unsigned count = 0;
        alloc_fail_at(n);
        const bool done = pr_notes_try(count_nodes, &count);
        const bool failed = alloc_fail_stop();
        assert_true(done == !failed);
        if (!failed) {
            assert_int_equal(count, all);
            break;
        }
        failures++;
    }
    assert_true(failures > 20);
}

static void ask_for(cmark_mem *memory, void *context)
{
    const size_t *sizes = context;
    char *bytes = memory->realloc(NULL, 8);
    memcpy(bytes, "eight..", 8);
    bytes = memory->realloc(bytes, 4000);
    assert_string_equal(bytes, "eight..");
    memory->free(memory->calloc(3, 5));
    memory->free(NULL);
    memory->calloc(sizes[0], sizes[1]);
    memory->free(bytes);
}

static void sizes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    size_t small[] = {2, 3}, too_large[] = {SIZE_MAX / 2, 3}, just_too_large[] = {1, SIZE_MAX - 1};
    assert_true(pr_notes_try(ask_for, small));
    assert_false(pr_notes_try(ask_for, too_large));
    assert_false(pr_notes_try(ask_for, just_too_large));
    assert_true(pr_notes_try(ask_for, small)); /* nothing is left of those before */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_of_cmark_may_fail),
        cmocka_unit_test(sizes_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
