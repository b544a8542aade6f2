/* SPDX-License-Identifier: Apache-2.0 */
/* Which files are libraries that are mapped into programs, and which are the programs. */
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

static void a_program_is_called_after_its_file(void **state)
{
    static const struct {
        const char *file, *name;
    } cases[] = {
        {"/srv/app.solver/bin/run", "run"}, {"/srv/my run (deleted)", "my run"}, {"C:\\bin\\run.exe", "run.exe"},
        {"/usr/lib/libz.so.1", ""},         {"[vdso]", ""},                      {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (pr_text_compare(pr_text_mapped_program(pr_text_of(cases[i].file)), pr_text_of(cases[i].name)) != 0)
            fail_msg("%s is not called '%s'", cases[i].file, cases[i].name);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_are_known_by_their_file_name),
        cmocka_unit_test(a_program_is_called_after_its_file),
    };
    return cmocka_run_group_tests_name("shared object", tests, NULL, NULL);
}
