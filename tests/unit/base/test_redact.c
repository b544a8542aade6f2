/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines lose their secrets and nothing else. */
#include "tests/support/unit.h"

#include "capture/base/redact.h"

#include <string.h>

static void assert_redacted(const char *line, const char *expected)
{
    struct pr_buf out = {0};
    pr_redact(&out, (struct pr_text){line, (uint32_t)strlen(line)});
    assert_false(out.failed);
    assert_string_equal(out.bytes ? out.bytes : "", expected);
    pr_buf_clear(&out);
}

static void what_is_no_secret_stays(void **state)
{
    static const char *const lines[] = {
        "",
        "  jobs/etl.py  --day 2026-01-01\t-v ",
        "train.py --max-tokens=512 --tokenizer bert --monkey=1 --keyboard us --author me --passes 3",
        "x.py https://example.com/a@b:c user@host:path file://x/y@z",
        "x.py --token",
        "x.py --flag --token= -v",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_redacted(lines[i], lines[i]);
}

static void values_of_secret_names_are_hidden(void **state)
{
    (void)state;
    assert_redacted("x.py --password hunter2 -v", "x.py --password [redacted] -v");
    assert_redacted("x.py --api-key=abc --apikey abc", "x.py --api-key=[redacted] --apikey [redacted]");
    assert_redacted("env GITHUB_TOKEN=abc DB_PASSWORD=a=b x.py",
                    "env GITHUB_TOKEN=[redacted] DB_PASSWORD=[redacted] x.py");
    assert_redacted("x.py --auth-token -v on", "x.py --auth-token -v on");
    assert_redacted("curl -H Authorization: Bearer abc.def next", "curl -H Authorization: Bearer [redacted] next");
    assert_redacted("curl -H X-Api-Key: abc", "curl -H X-Api-Key: [redacted]");
}

static void passwords_in_urls_are_hidden(void **state)
{
    (void)state;
    assert_redacted("x.py postgres://me:p@w@db/x", "x.py postgres://me:[redacted]@db/x");
    assert_redacted("x.py --url=https://abc@example.com/x", "x.py --url=https://[redacted]@example.com/x");
}

static void known_tokens_are_hidden_wherever_they_stand(void **state)
{
    (void)state;
    assert_redacted("x.py ghp_abcdefghijklmnopqrstuvwxyz0123456789", "x.py [redacted]");
    assert_redacted("x.py --from=AKIAIOSFODNN7EXAMPLE", "x.py --from=[redacted]");
    assert_redacted("x.py ghp_short sk-learn", "x.py ghp_short sk-learn");
}

static void bytes_that_are_no_text_do_no_harm(void **state)
{
    (void)state;
    struct pr_buf out = {0};
    pr_redact(&out, (struct pr_text){"a\0--key\0b\xff= \xff", 13});
    assert_int_equal(out.length, 20);
    assert_memory_equal(out.bytes, "a\0--key\0" PR_REDACTED " \xff", 20);
    pr_buf_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_secret_stays),
        cmocka_unit_test(values_of_secret_names_are_hidden),
        cmocka_unit_test(passwords_in_urls_are_hidden),
        cmocka_unit_test(known_tokens_are_hidden_wherever_they_stand),
        cmocka_unit_test(bytes_that_are_no_text_do_no_harm),
    };
    return cmocka_run_group_tests_name("redact", tests, NULL, NULL);
}
