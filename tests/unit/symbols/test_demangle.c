/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit.h"

#include "capture/symbols/demangle.h"
#include "tests/support/alloc_fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(const char *symbol, const char *name)
{
    struct pr_buf buf = {0};
    pr_buf_text(&buf, "> ");
    pr_demangle(symbol, &buf);
    assert_false(buf.failed);
    assert_memory_equal(buf.bytes, "> ", 2);
    assert_string_equal(buf.bytes + 2, name);
    pr_buf_clear(&buf);
}

static void cxx_has_its_parameters(void **state)
{
    (void)state;
    expect("_ZN5boxes5ShelfC2Ei", "boxes::Shelf::Shelf(int)");
    expect("_Znwm", "operator new(unsigned long)");
    expect("_ZNSt6vectorIdSaIdEE9push_backEOd", "std::vector<double, std::allocator<double> >::push_back(double&&)");
    expect("_ZN3foo3barEv.cold", "foo::bar() [clone .cold]");
}

static void rust_has_no_hash(void **state)
{
    (void)state;
    expect("_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str");
    expect("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
    expect("_ZN66_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0123456789abcdefE",
           "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop");
}

static void other_names_stay(void **state)
{
    (void)state;
    const char *const names[] = {"malloc", "_PyEval_EvalFrameDefault", "", "i", "_Z", "_ZN", "_R", "_ZNqqqq", "_Rust",
                                 "\xff\xfe", "_Z\x80", "std::vector"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect(names[i], names[i]);
}

/* f(a<int, int>, a<a<int, int>, a<int, int> >, ...): each parameter is twice as long as the one before. */
static void names_that_explode_stay_mangled(void **state)
{
    enum { PARAMETERS = 18 };
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    (void)state;
    char symbol[8 + 16 * PARAMETERS] = "_Z1f1aIiiE";
    for (int i = 1; i < PARAMETERS; i++)
        snprintf(symbol + strlen(symbol), 16, "1%cIS%c_S%c_E", 'a' + i, digits[2 * i - 2], digits[2 * i - 2]);
    expect(symbol, symbol);
}

static void a_name_of_any_length_is_taken(void **state)
{
    enum { LENGTH = 1 << 20 };
    (void)state;
    char *symbol = malloc(LENGTH + 1);
    memset(symbol, 'P', LENGTH);
    symbol[LENGTH] = '\0';
    memcpy(symbol, "_Z1f", 4);
    struct pr_buf buf = {0};
    pr_demangle(symbol, &buf);
    assert_int_equal(buf.length, LENGTH);
    pr_buf_clear(&buf);
    free(symbol);
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    alloc_fail_at(1);
    pr_demangle("_ZN5boxes5ShelfC2Ei", &buf);
    assert_true(alloc_fail_stop());
    assert_true(buf.failed);
    pr_buf_clear(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cxx_has_its_parameters),
        cmocka_unit_test(rust_has_no_hash),
        cmocka_unit_test(other_names_stay),
        cmocka_unit_test(names_that_explode_stay_mangled),
        cmocka_unit_test(a_name_of_any_length_is_taken),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
