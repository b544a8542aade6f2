/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit.h"

#include "capture/base/pair.h"
#include "capture/base/varint.h"

/* How many bytes VALUE has; it is the same when read back. */
static size_t round_trip(uint64_t value)
{
    uint8_t room[PR_VARINT_BYTES];
    const uint8_t *end = pr_varint_put(room, value);
    uint64_t read = ~value;
    assert_int_equal(pr_varint_get(room, end, &read), end - room);
    assert_true(read == value);
    assert_int_equal(pr_varint_get(room, end - 1, &read), 0); /* cut in its last byte */
    return (size_t)(end - room);
}

static void seven_bits_are_a_byte(void **state)
{
    (void)state;
    assert_int_equal(round_trip(0), 1);
    assert_int_equal(round_trip(127), 1);
    assert_int_equal(round_trip(128), 2);
    assert_int_equal(round_trip(16383), 2);
    assert_int_equal(round_trip(16384), 3);
    assert_int_equal(round_trip(UINT64_MAX >> 1), 9);
    assert_int_equal(round_trip(UINT64_MAX), PR_VARINT_BYTES);
}

static void the_lowest_bits_come_first(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0xe5, 0x8e, 0x26}; /* the example of DWARF's and protobuf's pages */
    uint64_t value;
    assert_int_equal(pr_varint_get(bytes, bytes + sizeof bytes, &value), 3);
    assert_true(value == 624485);
}

static void a_number_may_be_padded_but_not_beyond_ten_bytes(void **state)
{
    (void)state;
    uint8_t bytes[12] = {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x00, 0x00};
    uint64_t value;
    assert_int_equal(pr_varint_get(bytes, bytes + sizeof bytes, &value), 10);
    assert_true(value == 1);
    bytes[9] = 0x80;
    assert_int_equal(pr_varint_get(bytes, bytes + sizeof bytes, &value), 0);
    assert_int_equal(pr_varint_get(bytes, bytes, &value), 0);
}

static void zigzag_keeps_small_numbers_of_either_sign_small(void **state)
{
    (void)state;
    const int64_t values[] = {0, -1, 1, -2, 2, -64, INT64_MAX, INT64_MIN};
    const uint64_t zigzags[] = {0, 1, 2, 3, 4, 127, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        assert_true(pr_zigzag(values[i]) == zigzags[i]);
        assert_true(pr_unzigzag(zigzags[i]) == values[i]);
    }
}

static void a_pair_keeps_both_and_sorts_by_the_first(void **state)
{
    (void)state;
    const uint64_t pair = pr_pair(UINT32_MAX, 7);
    assert_true(pr_high(pair) == UINT32_MAX && pr_low(pair) == 7);
    assert_true(pr_pair(1, UINT32_MAX) < pr_pair(2, 0));
    assert_true(pr_low(pr_pair(0, UINT32_MAX)) == UINT32_MAX && pr_high(pr_pair(0, UINT32_MAX)) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seven_bits_are_a_byte),
        cmocka_unit_test(the_lowest_bits_come_first),
        cmocka_unit_test(a_number_may_be_padded_but_not_beyond_ten_bytes),
        cmocka_unit_test(zigzag_keeps_small_numbers_of_either_sign_small),
        cmocka_unit_test(a_pair_keeps_both_and_sorts_by_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
