/* SPDX-License-Identifier: Apache-2.0 */
/* Names that belong to a runtime: which functions only hand out memory. */
#include "tests/support/unit.h"

#include "capture/model/runtime_names.h"

#include <string.h>

static bool is_allocator(const char *name)
{
    return pr_runtime_allocator((struct pr_text){name, (uint32_t)strlen(name)});
}

static void functions_that_only_hand_out_memory_are_known(void **state)
{
    static const char *const known[] = {
        "malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "malloc@@GLIBC_2.2.5", "__libc_malloc",
        "__GI___libc_malloc", "__interceptor_malloc", "je_malloc", "tc_new", "__builtin_new", "__builtin_vec_new",
        "operator new(unsigned long)", "operator new[](unsigned long, std::nothrow_t const&)", "operator new",
        "tcmalloc::allocate_full_malloc_oom(unsigned long)", "__rust_alloc", "alloc::alloc::exchange_malloc"};
    static const char *const others[] = {
        "", "new", "newarray", "strdup", "my_malloc", "mallocate", "xmalloc", "free", "operator newer",
        "operator delete(void*)", "Pool::operator new(unsigned long)", "PyObject_Malloc", "allocate", "@",
        "__libc_start_main", "__GI_"};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!is_allocator(known[i]))
            fail_msg("%s", known[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_allocator(others[i]))
            fail_msg("%s", others[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions_that_only_hand_out_memory_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
