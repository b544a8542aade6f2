/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the AWS command line: sections, keys, and lines of other kinds. */
#include "tests/support/unit.h"

#include "cli/publish/aws_credentials.h"

#include <stdlib.h>
#include <string.h>

static const char file[] = "; of a team\n"
                           "[default]\n"
                           "aws_access_key_id = AKIA1\r\n"
                           "  aws_secret_access_key = of the line before\n"
                           "\n"
                           "[ team ]\n"
                           "# region = of-nobody\n"
                           "AWS_ACCESS_KEY_ID=AKIA2==\n"
                           "region =\n"
                           "s3 =\n"
                           "    region = of-s3\n"
                           "[team-two]\n"
                           "region = eu-west-1\n"
                           "[default]\n"
                           "region= us-west-2 ";

static const char *value_of(const char *section, const char *key, bool *found)
{
    static char value[16];
    const struct pr_text text = {file, sizeof file - 1};
    *found = false;
    return pr_aws_find(text, section, key, value, sizeof value, found) ? value : NULL;
}

static void a_value_is_that_of_its_section(void **state)
{
    bool found;
    (void)state;
    assert_string_equal(value_of("default", "aws_access_key_id", &found), "AKIA1");
    assert_string_equal(value_of("team", "aws_access_key_id", &found), "AKIA2==");
    assert_string_equal(value_of("team-two", "region", &found), "eu-west-1");
    assert_string_equal(value_of("default", "region", &found), "us-west-2"); /* a section may go on further below */
}

static void other_lines_are_no_values(void **state)
{
    bool found;
    (void)state;
    assert_null(value_of("default", "aws_secret_access_key", &found));
    assert_null(value_of("team", "region", &found));
    assert_true(found);
    assert_null(value_of("Team", "region", &found)); /* names have a case, keys have none */
    assert_false(found);
    assert_null(value_of("", "region", &found));
    assert_false(found);
}

static void a_value_that_does_not_fit_is_none(void **state)
{
    static const char large[] = "[a]\nregion = 0123456789abcdef\n";
    char value[16] = "before";
    bool found = false;
    (void)state;
    assert_false(pr_aws_find((struct pr_text){large, sizeof large - 1}, "a", "region", value, sizeof value, &found));
    assert_string_equal(value, "before");
}

/* Cut anywhere, it is read without looking behind its end (ASan looks on). */
static void a_file_may_end_anywhere(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof file; length++) {
        char *part = malloc(length + !length), value[16];
        bool found = false;
        assert_non_null(part);
        memcpy(part, file, length);
        pr_aws_find((struct pr_text){part, (uint32_t)length}, "team", "region", value, sizeof value, &found);
        free(part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_that_of_its_section),
        cmocka_unit_test(other_lines_are_no_values),
        cmocka_unit_test(a_value_that_does_not_fit_is_none),
        cmocka_unit_test(a_file_may_end_anywhere),
    };
    return cmocka_run_group_tests_name("aws_file", tests, NULL, NULL);
}
