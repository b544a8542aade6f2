/* SPDX-License-Identifier: Apache-2.0 */
/* Which files are libraries that are mapped into programs. */
#include "tests/support/unit.h"

#include "capture/base/text.h"

static void libraries_are_known_by_their_file_name(void **state)
{
    static const struct {
        const char *file;
        bool is_library;
    } cases[] = {
        {"/usr/lib/libz.so", true},
        {"libz.so.1.2.13", true},
        {"/usr/lib/libcrypto.so.3 (deleted)", true},
        {"/opt/app/_core.cpython-312-x86_64-linux-gnu.so", true},
        {"/usr/lib/libSystem.B.dylib", true},
        {"C:\\Windows\\System32\\ntdll.dll", true},
        {"/srv/app.solver/bin/run", false},
        {"/srv/lib.so.old/run", false},
        {"main.sol", false},
        {"run (deleted)", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (pr_text_is_shared_object(pr_text_of(cases[i].file)) != cases[i].is_library)
            fail_msg("%s is%s a library", cases[i].file, cases[i].is_library ? "" : " not");
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_are_known_by_their_file_name),
    };
    return cmocka_run_group_tests_name("shared object", tests, NULL, NULL);
}
