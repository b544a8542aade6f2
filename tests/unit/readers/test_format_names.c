/* SPDX-License-Identifier: Apache-2.0 */
/* What a format is called by whoever chooses one. */
#include "tests/support/unit.h"

#include "profrender/load.h"

#include <stdio.h>
#include <string.h>

/* However many there are: the list ends with how many it leaves out, not in the middle of a name. */
static void a_wrong_format_gets_a_list_that_ends_whole(void **state)
{
    struct pr_load_options options = pr_load_options_default();
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    char wanted[40];
    size_t named = 0, count = 0;
    (void)state;
    options.format = "nope";
    assert_int_equal(pr_load("README.md", &options, &profile, &err), PR_FAILED);
    for (; pr_format_name(count); count++) {
        char name[40];
        snprintf(name, sizeof name, " %s", pr_format_name(count));
        const char *found = strstr(err.text, name);
        named += found && (found[strlen(name)] == ',' || found[strlen(name)] == ' ');
    }
    assert_non_null(strstr(err.text, "there is no format 'nope'; there are memray, "));
    snprintf(wanted, sizeof wanted, " and %zu more", count - named);
    assert_true(named > 10 && named < count);
    assert_string_equal(err.text + strlen(err.text) - strlen(wanted), wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_format_gets_a_list_that_ends_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
