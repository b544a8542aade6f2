/* SPDX-License-Identifier: Apache-2.0 */
/* The live set against a plain array, and against addresses that were made to collide. */
#include "tests/support/unit.h"

#include "capture/heap/live_set.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/random_capture.h"

#include <stdlib.h>

static struct pr_live entry_of(uint64_t address, uint32_t fact)
{
    return (struct pr_live){.address = address, .size = address ^ 0x5a, .fact = fact, .born = fact * 3};
}

static void assert_same(const struct pr_live *a, const struct pr_live *b)
{
    assert_true(a->address == b->address && a->size == b->size);
    assert_true(a->fact == b->fact && a->born == b->born);
}

/* A random walk over PLACES addresses, each made by ADDRESS_OF; an array holds the expected contents. */
static void walk(uint64_t (*address_of)(uint32_t place), uint32_t places, unsigned steps, uint64_t seed)
{
    struct pr_liveset set;
    struct pr_live *model = calloc(places, sizeof *model), old;
    size_t count = 0;
    assert_non_null(model);
    assert_true(pr_liveset_init(&set));
    for (unsigned step = 0; step < steps; step++) {
        uint32_t place = random_below(&seed, places);
        uint64_t address = address_of(place);
        /* Long phases of growing and of shrinking. */
        if (random_below(&seed, 8) < (step / (steps / 4 + 1) % 2 ? 2 : 6)) {
            const struct pr_live entry = entry_of(address, step + 1);
            assert_true(pr_liveset_put(&set, &entry, &old));
            assert_int_equal(old.fact != 0, model[place].fact != 0);
            if (old.fact)
                assert_same(&old, &model[place]);
            count += !old.fact;
            model[place] = entry;
        } else {
            assert_int_equal(pr_liveset_take(&set, address, &old), model[place].fact != 0);
            if (model[place].fact) {
                assert_same(&old, &model[place]);
                count--;
            }
            model[place].fact = 0;
        }
        assert_int_equal(set.count, count);
    }
    for (uint32_t place = 0; place < places; place++) {
        assert_int_equal(pr_liveset_take(&set, address_of(place), &old), model[place].fact != 0);
        if (model[place].fact)
            assert_same(&old, &model[place]);
    }
    assert_int_equal(set.count, 0);
    pr_liveset_clear(&set);
    free(model);
}

static uint64_t heap_address(uint32_t place)
{
    return UINT64_C(0x7f0000000000) + 16 * (uint64_t)place;
}

static uint64_t low_address(uint32_t place)
{
    return place; /* 0 is an address like any other: what malloc(0) or a failed pymalloc call gave */
}

static uint64_t high_address(uint32_t place)
{
    return UINT64_MAX - place * UINT64_C(0x10000000000);
}

static void random_walks_agree_with_a_plain_array(void **state)
{
    (void)state;
    walk(heap_address, 3, 2000, 1);
    walk(heap_address, 3000, 200000, 2);
    walk(heap_address, 50000, 400000, 3);
    walk(low_address, 5000, 200000, 4);
    walk(high_address, 5000, 200000, 5);
}

/* An address whose home in a new set is the slot of all others made here: undoes the hash, which is invertible. */
static uint64_t colliding_address(uint32_t place)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t inverse = factor; /* of an odd number modulo 2^64: each round doubles the bits that are right */
    for (int round = 0; round < 6; round++)
        inverse *= 2 - factor * inverse;
    return (uint64_t)place * inverse;
}

/* Some have the first slot or the last one as their home, in each table that a set has on its way. */
static uint64_t address_at_an_end(uint32_t place)
{
    enum { FIRST = 300, LAST = 150 };
    if (place < FIRST)
        return colliding_address(place);
    return place < FIRST + LAST ? -colliding_address(place) : heap_address(place);
}

/* More of them than can wait for a place. */
static uint64_t address_at_the_start(uint32_t place)
{
    return place < 800 ? colliding_address(place) : heap_address(place);
}

static void large_sets_grow_in_their_place(void **state)
{
    (void)state;
    walk(heap_address, 300000, 1200000, 7);
    walk(address_at_an_end, 300000, 1200000, 8);
    walk(address_at_the_start, 300000, 1200000, 9);
}

static void addresses_chosen_to_collide_are_found_fast(void **state)
{
    (void)state;
    struct pr_liveset set;
    assert_true(pr_liveset_init(&set));
    size_t home = pr_liveset_home(&set, colliding_address(1));
    for (uint32_t place = 2; place < 100; place++)
        assert_int_equal(pr_liveset_home(&set, colliding_address(place)), home);
    pr_liveset_clear(&set);
    walk(colliding_address, 50000, 400000, 6); /* by probing alone, ten thousand times as long */
}

static void no_memory_is_said_and_nothing_changes(void **state)
{
    (void)state;
    struct pr_liveset set;
    struct pr_live old;
    alloc_fail_at(1);
    assert_false(pr_liveset_init(&set));
    alloc_fail_stop();
    assert_true(pr_liveset_init(&set));
    unsigned refused = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        const struct pr_live entry = entry_of(heap_address(i), i + 1);
        alloc_fail_at(1);
        bool added = pr_liveset_put(&set, &entry, &old);
        alloc_fail_stop();
        refused += !added;
        if (!added)
            assert_true(pr_liveset_put(&set, &entry, &old));
    }
    assert_true(refused > 0);
    assert_int_equal(set.count, 20000);
    for (uint32_t i = 0; i < 20000; i++)
        assert_true(pr_liveset_take(&set, heap_address(i), &old) && old.fact == i + 1);
    pr_liveset_clear(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_walks_agree_with_a_plain_array),
        cmocka_unit_test(large_sets_grow_in_their_place),
        cmocka_unit_test(addresses_chosen_to_collide_are_found_fast),
        cmocka_unit_test(no_memory_is_said_and_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
