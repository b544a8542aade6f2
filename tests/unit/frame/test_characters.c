/* SPDX-License-Identifier: Apache-2.0 */
/* Which characters a column of texts has, and how long its texts are: of all values, or of a sample of very many. */
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profrender/buf.h"
#include "profrender/data_frame.h"

static struct pr_data_frame *frame_of(const char *text, size_t length)
{
    struct pr_data_frame *frame = NULL;
    struct pr_error err = {0};
    assert_int_equal(pr_data_frame_read_memory("t.csv", text, length, NULL, &frame, &err), PR_OK);
    return frame;
}

static uint64_t count_of(const struct pr_data_column *column, uint32_t character)
{
    for (uint32_t i = 0; i < column->top_character_count; i++)
        if (column->top_characters[i].character == character)
            return column->top_characters[i].count;
    return 0;
}

static void each_character_counts_as_often_as_it_is_there(void **state)
{
    (void)state;
    const char text[] = "name,n\nM\xC3\xBCller,1\n\xD0\x98\xD0\xB2\xD0\xB0\xD0\xBD,2\n"
                        "M\xC3\xBCller,3\n\xE5\x8C\x97,4\n";
    struct pr_data_frame *frame = frame_of(text, sizeof text - 1);
    const struct pr_data_column *column = &frame->columns[0];
    assert_int_equal(column->different_characters, 10);
    assert_int_equal(count_of(column, 'l'), 4);
    assert_int_equal(count_of(column, 0xFC), 2);
    assert_int_equal(column->scripts[PR_SCRIPT_LATIN], 2);
    assert_int_equal(column->scripts[PR_SCRIPT_CYRILLIC], 4);
    assert_int_equal(column->scripts[PR_SCRIPT_HAN], 1);
    assert_true(column->median_length == 5); /* of 1, 4, 6 and 6 */
    assert_false(column->more_characters || column->characters_sampled);
    pr_data_frame_hide_values(frame);
    assert_int_equal(column->top_character_count, 0);
    pr_data_frame_free(frame);
}

static void bytes_are_those_of_the_encoding_of_the_file(void **state)
{
    (void)state;
    const char western[] = "name,n\nM\xFCller,1\nna\xEFve,2\n", mixed[] = "name,n\nM\xFC\xFEller,1\nna\xC3\xAFve,2\n";
    struct pr_data_frame *frame = frame_of(western, sizeof western - 1);
    assert_int_equal(count_of(&frame->columns[0], 0xFC), 1);
    assert_int_equal(frame->columns[0].scripts[PR_SCRIPT_LATIN], 2);
    pr_data_frame_free(frame);
    frame = frame_of(mixed, sizeof mixed - 1);
    assert_int_equal(frame->columns[0].scripts[PR_SCRIPT_UNKNOWN], 2);
    assert_int_equal(frame->columns[0].scripts[PR_SCRIPT_LATIN], 1);
    pr_data_frame_free(frame);
}

/* Values that are longer than what is kept of them, and more different ones than are kept. */
static void of_many_values_the_median_is_exact_and_characters_are_close(void **state)
{
    (void)state;
    enum { ROWS = 40000 };
    struct pr_buf text = {0};
    pr_buf_text(&text, "name,n\n");
    for (int i = 0; i < ROWS; i++)
        pr_buf_printf(&text, "v%06d%.*s,%d\n", i, i % 3 == 2 ? 4 : 0, "\xD0\x98\xD0\x98", i);
    assert_false(text.failed);
    struct pr_data_frame *frame = frame_of(text.bytes, text.length);
    const struct pr_data_column *column = &frame->columns[0];
    assert_true(column->characters_sampled && column->more_characters);
    assert_true(column->median_length == 7 && column->median_length_error == 0);
    assert_in_range(count_of(column, 'v'), ROWS - ROWS / 20, ROWS + ROWS / 20);
    assert_in_range(column->scripts[PR_SCRIPT_CYRILLIC], ROWS * 2 / 3 - ROWS / 20, ROWS * 2 / 3 + ROWS / 20);
    pr_data_frame_free(frame);
    pr_buf_clear(&text);
}

static void a_long_median_is_within_what_it_may_be_off(void **state)
{
    (void)state;
    struct pr_buf text = {0};
    pr_buf_text(&text, "name,n\n");
    for (int i = 0; i < 31; i++)
        pr_buf_printf(&text, "%0*dx,%d\n", 100000 + i * 5000, 0, i);
    struct pr_data_frame *frame = frame_of(text.bytes, text.length);
    const struct pr_data_column *column = &frame->columns[0];
    assert_true(column->median_length_error > 0 && column->median_length_error < 175001 / 64.0);
    assert_true(fabs(column->median_length - 175001) <= column->median_length_error);
    pr_data_frame_free(frame);
    pr_buf_clear(&text);
}

static void each_character_has_the_writing_system_of_its_block(void **state)
{
    (void)state;
    const struct {
        uint32_t character;
        enum pr_data_script script;
    } some[] = {{'a', PR_SCRIPT_COUNT},     {0xE9, PR_SCRIPT_LATIN},       {0xD7, PR_SCRIPT_SIGNS},
                {0x20AC, PR_SCRIPT_SIGNS},  {0x3B1, PR_SCRIPT_GREEK},      {0x5D0, PR_SCRIPT_HEBREW},
                {0x627, PR_SCRIPT_ARABIC},  {0x905, PR_SCRIPT_DEVANAGARI}, {0xE01, PR_SCRIPT_THAI},
                {0x10D0, PR_SCRIPT_GEORGIAN}, {0x3042, PR_SCRIPT_KANA},    {0x30A2, PR_SCRIPT_KANA},
                {0x4E00, PR_SCRIPT_HAN},    {0x20000, PR_SCRIPT_HAN},      {0xAC00, PR_SCRIPT_HANGUL},
                {0x1F600, PR_SCRIPT_SIGNS}, {0x301, PR_SCRIPT_MARKS},      {0x85, PR_SCRIPT_CONTROLS},
                {0xFF21, PR_SCRIPT_LATIN},  {0x10FFFF, PR_SCRIPT_UNKNOWN}, {0x1234, PR_SCRIPT_OTHER}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        assert_int_equal(pr_data_script_of(some[i].character), some[i].script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_character_counts_as_often_as_it_is_there),
        cmocka_unit_test(bytes_are_those_of_the_encoding_of_the_file),
        cmocka_unit_test(of_many_values_the_median_is_exact_and_characters_are_close),
        cmocka_unit_test(a_long_median_is_within_what_it_may_be_off),
        cmocka_unit_test(each_character_has_the_writing_system_of_its_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
