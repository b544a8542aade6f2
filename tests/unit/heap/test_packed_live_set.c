/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit.h"

#include "capture/heap/packed_live_set.h"
#include "tests/support/random_capture.h"

static struct pr_live random_entry(uint64_t *seed, uint64_t addresses)
{
    const uint64_t address = random_below(seed, (uint32_t)addresses);
    const bool far = address % 97 == 0;
    return (struct pr_live){.address = far ? UINT64_MAX - address : 0x7f0000000000 + 16 * address,
                            .size = random_below(seed, 50) ? random_below(seed, 5000) : UINT64_C(5) << 32,
                            .fact = 1 + random_below(seed, random_below(seed, 40) ? 1000 : 1 << 30),
                            .born = random_below(seed, random_below(seed, 40) ? 1 << 20 : 1 << 30)};
}

static void assert_same(const struct pr_live *a, const struct pr_live *b)
{
    assert_int_equal(a->fact, b->fact);
    if (!a->fact)
        return;
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->born, b->born);
}

/* Both sets with the same calls: ALLOCATE of 100 put a block, the others take one. */
static void play(struct pr_packed_set *packed, struct pr_liveset *plain, uint64_t *seed, unsigned calls,
                 uint64_t addresses, uint32_t allocate)
{
    for (unsigned i = 0; i < calls; i++) {
        struct pr_live entry = random_entry(seed, addresses), one = {0}, other = {0};
        if (random_below(seed, 100) < allocate) {
            assert_true(pr_packed_put(packed, &entry, &one));
            assert_true(pr_liveset_put(plain, &entry, &other));
        } else {
            const bool found = pr_packed_take(packed, entry.address, &one);
            assert_int_equal(found, pr_liveset_take(plain, entry.address, &other));
        }
        assert_same(&one, &other);
        assert_int_equal(packed->count + packed->others.count, plain->count);
    }
}

static void it_answers_as_the_other_set_does(void **state)
{
    (void)state;
    struct pr_packed_set packed;
    struct pr_liveset plain;
    uint64_t seed = 7;
    assert_true(pr_packed_init(&packed));
    assert_true(pr_liveset_init(&plain));
    play(&packed, &plain, &seed, 200000, 100000, 70); /* grows from 4,096 slots */
    play(&packed, &plain, &seed, 200000, 100000, 20);
    play(&packed, &plain, &seed, 200000, 300, 50);
    size_t found = 0;
    for (size_t i = 0; i < packed.slot_count; i++) {
        struct pr_live entry;
        found += pr_packed_get(&packed, i, &entry);
    }
    assert_int_equal(found, packed.count);
    pr_packed_clear(&packed);
    pr_liveset_clear(&plain);
}

static void it_takes_a_third_of_the_memory(void **state)
{
    (void)state;
    struct pr_packed_set packed;
    struct pr_live old;
    assert_true(pr_packed_init(&packed));
    for (uint32_t i = 0; i < 1000000; i++)
        assert_true(pr_packed_put(&packed, &(struct pr_live){0x10000 + 32 * (uint64_t)i, 24, 1, 0}, &old));
    assert_true(packed.slot_count * sizeof *packed.slots < 23 * packed.count);
    pr_packed_clear(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_answers_as_the_other_set_does),
        cmocka_unit_test(it_takes_a_third_of_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
