/* SPDX-License-Identifier: Apache-2.0 */
/* Plain allocation records: with an instruction that extracts bits and without it, they are read the same way. */
#include "tests/support/unit.h"

#include "capture/memray/memray_plain.h"
#include "tests/support/random_capture.h"

static void bits_that_the_mask_has_are_moved_together(void **state)
{
    (void)state;
    if (!pr_can_extract())
        skip();
    assert_true(pr_extract_bits(0xabcd, 0xf0f0) == 0xac);
    assert_true(pr_extract_bits(UINT64_C(0x26) << 16 | 0x8e << 8 | 0xe5, 0x7f7f7f) == 624485);
    assert_true(pr_extract_bits(UINT64_MAX, 0) == 0);
    assert_true(pr_extract_bits(UINT64_MAX, UINT64_MAX) == UINT64_MAX);
}

/* What a record is read as; the list of recent addresses is part of it. */
struct reading {
    bool good;
    struct pr_plain plain;
    uint64_t recent[PR_MEMRAY_RING];
};

static struct reading read_as(bool extracts, const uint8_t *bytes, uint64_t *random)
{
    struct reading reading = {.plain = {.at = bytes, .last_pointer = random[0], .newest = (unsigned)random[1] % 16}};
    for (unsigned i = 0; i < PR_MEMRAY_RING; i++)
        reading.recent[i] = random[2] + i;
#define READ(is_new, is_free) pr_read_plain(extracts, is_new, is_free, reading.recent, &reading.plain)
    reading.good = pr_plain_is(*bytes) && PR_FOR_PLAIN(*bytes, READ);
#undef READ
    return reading;
}

/* A number of at most BYTES bytes; the high bit of a byte is often set, as it is in a file. */
static uint8_t *put_bytes(uint8_t *at, uint64_t *seed, unsigned bytes)
{
    for (unsigned i = 0; i + 1 < bytes; i++)
        *at++ = (uint8_t)(0x80 | random_next(seed));
    *at++ = random_next(seed) & 0x7f;
    return at;
}

static void both_ways_read_the_same(void **state)
{
    (void)state;
    if (!pr_can_extract())
        skip();
    uint64_t seed = 1;
    unsigned good = 0;
    for (unsigned round = 0; round < 200000; round++) {
        uint8_t bytes[PR_SHORT_RECORD] = {0x80 | (uint8_t)random_next(&seed)};
        uint64_t random[3] = {random_next(&seed), random_next(&seed), random_next(&seed)};
        put_bytes(put_bytes(bytes + 1, &seed, 1 + random_below(&seed, 5)), &seed, 1 + random_below(&seed, 3));
        const struct reading with = read_as(true, bytes, random), without = read_as(false, bytes, random);
        if (!with.good) /* what is too long for one word is left to the other way */
            continue;
        good++;
        assert_true(without.good);
        assert_ptr_equal(with.plain.at, without.plain.at);
        assert_true(with.plain.address == without.plain.address && with.plain.size == without.plain.size &&
                    with.plain.last_pointer == without.plain.last_pointer &&
                    with.plain.newest == without.plain.newest);
        assert_memory_equal(with.recent, without.recent, sizeof with.recent);
    }
    assert_true(good > 50000);
}

static void what_may_be_padding_is_left_alone(void **state)
{
    (void)state;
    uint64_t random[3] = {0};
    const unsigned malloc_of_a_new_address = 0x80 | PR_MEMRAY_RECENT << 3 | PR_ALLOC_MALLOC;
    uint8_t bytes[PR_SHORT_RECORD] = {(uint8_t)malloc_of_a_new_address, 2};
    for (int extracts = 0; extracts <= pr_can_extract(); extracts++) {
        assert_false(read_as(extracts, bytes, random).good); /* a size of 0, and a zero after it */
        bytes[3] = 1;
        assert_true(read_as(extracts, bytes, random).good);
        bytes[3] = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_that_the_mask_has_are_moved_together),
        cmocka_unit_test(both_ways_read_the_same),
        cmocka_unit_test(what_may_be_padding_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
