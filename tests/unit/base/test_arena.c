/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: pieces do not overlap, and all of them are freed at once (the sanitizers see leaks). */
#include "tests/support/unit.h"

#include "profrender/arena.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/random_capture.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

static bool is_zero(const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i])
            return false;
    return true;
}

static void pieces_are_zero_aligned_and_apart(void **state)
{
    (void)state;
    enum { PIECES = 2000 };
    struct pr_arena arena = {0};
    unsigned char *piece[PIECES];
    size_t length[PIECES];
    uint64_t random = 1;
    for (unsigned i = 0; i < PIECES; i++) {
        length[i] = random_below(&random, i % 100 ? 200 : 300000); /* some larger than a block */
        piece[i] = pr_arena_alloc(&arena, length[i]);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % alignof(max_align_t), 0);
        assert_true(is_zero(piece[i], length[i]));
        memset(piece[i], (int)(i & 0xff), length[i]);
    }
    for (unsigned i = 0; i < PIECES; i++)
        for (size_t at = 0; at < length[i]; at += 7)
            assert_int_equal(piece[i][at], i & 0xff);
    assert_true(arena.total_bytes > 0);
    pr_arena_clear(&arena);
    assert_null(arena.blocks);
    assert_int_equal(arena.total_bytes, 0);
}

static void sizes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct pr_arena arena = {0};
    assert_null(pr_arena_alloc(&arena, SIZE_MAX));
    assert_null(pr_arena_alloc(&arena, SIZE_MAX - 64));
    assert_null(pr_arena_array(&arena, SIZE_MAX / 4, 8));
    assert_null(pr_arena_array(&arena, 8, SIZE_MAX / 4));
    assert_null(pr_arena_copy(&arena, "", SIZE_MAX));
    assert_non_null(pr_arena_array(&arena, 0, 8));
    assert_non_null(pr_arena_array(&arena, 8, 0));
    pr_arena_clear(&arena);
}

static void copies_end_with_a_nul(void **state)
{
    (void)state;
    struct pr_arena arena = {0};
    assert_memory_equal(pr_arena_copy(&arena, "a\0b", 3), "a\0b", 4);
    assert_string_equal(pr_arena_copy(&arena, NULL, 0), "");
    pr_arena_clear(&arena);
}

static void taken_memory_goes_with_the_arena(void **state)
{
    (void)state;
    struct pr_arena arena = {0};
    assert_true(pr_arena_take(&arena, malloc(10)));
    assert_true(pr_arena_take(&arena, NULL));
    char *first = pr_arena_alloc(&arena, 100);
    assert_true(pr_arena_take(&arena, malloc(10)));
    char *second = pr_arena_alloc(&arena, 100); /* the block being filled is still the same */
    assert_ptr_equal(second, first + 112);
    pr_arena_clear(&arena);
}

static void no_memory_is_said_and_what_was_taken_is_freed(void **state)
{
    (void)state;
    struct pr_arena arena = {0};
    void *memory = malloc(10);
    alloc_fail_at(1);
    assert_false(pr_arena_take(&arena, memory));
    alloc_fail_stop();
    alloc_fail_at(1);
    assert_null(pr_arena_alloc(&arena, 10));
    alloc_fail_stop();
    assert_non_null(pr_arena_alloc(&arena, 10));
    alloc_fail_at(1);
    assert_null(pr_arena_alloc(&arena, 1 << 20));
    alloc_fail_stop();
    assert_non_null(pr_arena_alloc(&arena, 1 << 20));
    pr_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zero_aligned_and_apart),
        cmocka_unit_test(sizes_that_do_not_fit_are_refused),
        cmocka_unit_test(copies_end_with_a_nul),
        cmocka_unit_test(taken_memory_goes_with_the_arena),
        cmocka_unit_test(no_memory_is_said_and_what_was_taken_is_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
