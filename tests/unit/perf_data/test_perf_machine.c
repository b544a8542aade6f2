/* SPDX-License-Identifier: Apache-2.0 */
/* The list of the kernel's functions: which of several names counts, where functions end, and what has moved. */
#include "tests/support/unit.h"

#include "capture/perf_data/perf_machine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIST                                                                                                           \
    "ffffffff81000000 T _stext\n"                                                                                      \
    "ffffffff81000000 T _text\n"                                                                                       \
    "ffffffff81000100 t helper\n"                                                                                      \
    "ffffffff81000140 T __pi___x86_indirect_thunk_rax\n"                                                               \
    "ffffffff81000140 T __x86_indirect_thunk_array\n"                                                                  \
    "ffffffff81000140 T __x86_indirect_thunk_rax\n"                                                                    \
    "ffffffff81000200 T sys_read\n"                                                                                    \
    "ffffffff81000200 W __weak_read\n"                                                                                 \
    "ffffffff81000300 r a_constant\n"                                                                                  \
    "ffffffff81000340 T last_of_kernel\n"                                                                              \
    "ffffffffc0001000 t of_module\t[ext4]\n"                                                                           \
    "ffffffffc0001800 t last_of_module\t[ext4]\n"

/* Whether LIST is one of a kernel that was recorded with its first function at TEXT. */
static bool is_list(struct pr_perf_symbols *symbols, const char *list, uint64_t text)
{
    char path[] = "/tmp/kernel-list-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, list, strlen(list)), (int)strlen(list));
    close(fd);
    const struct pr_perf_kernel kernel = {.build_id = "", .release = "", .text = text};
    const bool is_one = pr_perf_machine_list(symbols, &kernel, path);
    unlink(path);
    return is_one;
}

static struct pr_perf_symbols symbols_of(const char *list, uint64_t text)
{
    struct pr_perf_symbols symbols = {.moved = 0};
    assert_true(is_list(&symbols, list, text));
    return symbols;
}

static void assert_named(const struct pr_perf_symbols *symbols, uint64_t address, const char *name)
{
    uint64_t start;
    const char *found = pr_perf_symbols_find(symbols, address, &start);
    if (!name)
        assert_null(found);
    else
        assert_string_equal(found, name);
}

/* As perf script has them: it was given samples at each address of a kernel that has several names. */
static void the_last_of_several_names_counts(void **state)
{
    (void)state;
    struct pr_perf_symbols symbols = symbols_of(LIST, 0xffffffff81000000);
    assert_named(&symbols, 0xffffffff81000000, "_text");
    assert_named(&symbols, 0xffffffff8100013f, "helper");
    assert_named(&symbols, 0xffffffff81000140, "__x86_indirect_thunk_rax");
    assert_named(&symbols, 0xffffffff810001ff, "__x86_indirect_thunk_rax");
    assert_named(&symbols, 0xffffffff81000200, "__weak_read");
    assert_named(&symbols, 0xffffffff81000300, "__weak_read");
    pr_perf_symbols_clear(&symbols);
}

static void the_last_function_of_the_kernel_does_not_reach_to_the_modules(void **state)
{
    (void)state;
    struct pr_perf_symbols symbols = symbols_of(LIST, 0xffffffff81000000);
    assert_named(&symbols, 0xffffffff80ffffff, NULL);
    assert_named(&symbols, 0xffffffff81001fff, "last_of_kernel");
    assert_named(&symbols, 0xffffffff81002000, NULL);
    assert_named(&symbols, 0xffffffffc00017ff, "of_module");
    assert_named(&symbols, 0xffffffffc0002fff, "last_of_module");
    assert_named(&symbols, 0xffffffffc0003000, NULL);
    pr_perf_symbols_clear(&symbols);
}

static void a_kernel_that_moved_says_by_how_much(void **state)
{
    (void)state;
    struct pr_perf_symbols symbols = symbols_of(LIST, 0xffffffff80000000);
    assert_true(symbols.moved == 0x1000000);
    pr_perf_symbols_clear(&symbols);
}

/* As it is for users who may not know: every address is 0. */
static void a_list_that_hides_its_addresses_is_none(void **state)
{
    (void)state;
    struct pr_perf_symbols symbols = {.moved = 0};
    assert_false(is_list(&symbols, "0000000000000000 T _text\n0000000000000000 t helper\n", 0xffffffff81000000));
    pr_perf_symbols_clear(&symbols);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_of_several_names_counts),
        cmocka_unit_test(the_last_function_of_the_kernel_does_not_reach_to_the_modules),
        cmocka_unit_test(a_kernel_that_moved_says_by_how_much),
        cmocka_unit_test(a_list_that_hides_its_addresses_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
