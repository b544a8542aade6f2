/* SPDX-License-Identifier: Apache-2.0 */
/* What texts are made of: counted 16 bytes at a time, and one by one. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "capture/frame/text_traits.h"

static bool is_blank(unsigned char c)
{
    return c == ' ' || (c >= 9 && c <= 13);
}

/* In memory that ends where the text does. */
static void is_counted(const char *text, size_t length)
{
    char *copy = malloc(length ? length : 1);
    struct pr_text_traits expected = {0};
    uint64_t beyond = 0;
    assert_non_null(copy);
    memcpy(copy, text, length);
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        expected.letters += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        expected.digits += c >= '0' && c <= '9';
        expected.blanks += is_blank(c);
        beyond += c >= 0x80;
    }
    expected.others = length - expected.letters - expected.digits - expected.blanks - beyond;
    const struct pr_text_traits traits = pr_text_traits_of(copy, length);
    assert_int_equal(traits.letters, expected.letters);
    assert_int_equal(traits.digits, expected.digits);
    assert_int_equal(traits.blanks, expected.blanks);
    assert_int_equal(traits.others, expected.others);
    if (!beyond)
        assert_int_equal(traits.characters, length);
    free(copy);
}

static void every_byte_has_its_class_at_every_place(void **state)
{
    (void)state;
    char text[40];
    for (unsigned c = 0; c < 256; c++)
        for (size_t length = 1; length <= sizeof text; length++) {
            memset(text, 'x', sizeof text);
            text[length - 1] = text[length / 2] = (char)c;
            is_counted(text, length);
        }
    is_counted(text, 0);
}

static void characters_are_counted_where_bytes_are_more(void **state)
{
    (void)state;
    const char text[] = "gr\xc3\xbc\xc3\x9f""e aus K\xc3\xb6ln, \xe2\x82\xac 5";
    const struct pr_text_traits traits = pr_text_traits_of(text, sizeof text - 1);
    assert_int_equal(traits.characters, 19);
    assert_int_equal(traits.beyond_ascii, 4);
    assert_int_equal(traits.letters, 9);
    assert_true(traits.is_utf8);
    assert_false(pr_text_traits_of("caf\xe9, a long one of Windows", 27).is_utf8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_has_its_class_at_every_place),
        cmocka_unit_test(characters_are_counted_where_bytes_are_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
