/* SPDX-License-Identifier: Apache-2.0 */
/* Line tables compared with CPython's own answers, and damaged ones. */
#include "tests/support/unit.h"

#include "capture/memray/memray.h"
#include "tests/support/random_capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PYTHON_3_8 = 0x030812F0, PYTHON_3_10 = 0x030A0DF0, PYTHON_3_12 = 0x030C01F0 };

static size_t from_hex(const char *hex, uint8_t *bytes)
{
    size_t length = 0;
    unsigned byte;
    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        bytes[length++] = (uint8_t)byte;
    return length;
}

struct answer {
    int version;
    int32_t first_line;
    uint8_t *table;
    size_t length;
    struct pr_line_marks *marks;
};

/* Checks the instructions in the bytes of code from START to END, which are of LINE. Returns how many. */
static unsigned check_range(const struct answer *answer, long start, long end, int32_t line)
{
    const bool counts_instructions = answer->version >> 16 == PYTHON_3_10 >> 16;
    unsigned checked = 0;
    for (long byte = start; byte < end; byte += 2, checked++) {
        int64_t offset = counts_instructions ? byte / 2 : byte;
        int32_t found =
            pr_memray_line(answer->version, answer->table, answer->length, answer->first_line, offset, answer->marks);
        if (found != line)
            fail_msg("%x, first line %d, byte %ld: line %d, but it is %d", (unsigned)answer->version,
                     answer->first_line, byte, found, line);
    }
    return checked;
}

/* One line of tests/support/line_tables.py. Returns how many instructions it was about. */
static unsigned check_answer(char *text)
{
    struct pr_line_marks marks = {0};
    struct answer answer = {.marks = &marks};
    char *word = strtok(text, " \n");
    answer.version = (int)strtol(word, NULL, 16);
    answer.first_line = (int32_t)strtol(strtok(NULL, " \n"), NULL, 10);
    word = strtok(NULL, " \n");
    answer.table = malloc(strlen(word) + 1);
    assert_non_null(answer.table);
    answer.length = word[0] == '-' ? 0 : from_hex(word, answer.table);
    long start = 0;
    int32_t line = 0;
    bool has_line = false;
    unsigned checked = 0;
    while ((word = strtok(NULL, " \n"))) {
        char *rest;
        long next = strtol(word, &rest, 10);
        if (has_line && answer.length) /* without a table memray gives 0, and so do we */
            checked += check_range(&answer, start, next, line);
        start = next;
        has_line = rest[1] != '-';
        line = has_line ? (int32_t)strtol(rest + 1, NULL, 10) : 0;
    }
    free(answer.table);
    free(marks.mark);
    return checked;
}

static unsigned check_answers(FILE *file)
{
    char *text = NULL;
    size_t room = 0;
    unsigned checked = 0;
    while (getline(&text, &room, file) > 0)
        checked += check_answer(text);
    free(text);
    return checked;
}

static void recorded_answers_of_every_cpython_agree(void **state)
{
    (void)state;
    FILE *file = fopen("tests/support/line_tables.txt", "r");
    assert_non_null(file);
    assert_true(check_answers(file) > 3000);
    fclose(file);
}

static void the_interpreter_at_hand_agrees_about_its_library(void **state)
{
    (void)state;
    FILE *answers = popen("python3 tests/support/line_tables.py argparse typing decimal subprocess 2>/dev/null", "r");
    assert_non_null(answers);
    unsigned checked = check_answers(answers);
    if (pclose(answers) != 0)
        skip(); /* not Python 3.8 to 3.13 */
    assert_true(checked > 5000);
}

/* As the first look-up in a table. */
static int32_t first_line_of(int version, const uint8_t *table, size_t length, int32_t first_line, int64_t offset)
{
    struct pr_line_marks marks = {0};
    const int32_t line = pr_memray_line(version, table, length, first_line, offset, &marks);
    free(marks.mark);
    return line;
}

static int32_t line_of(int version, const char *hex, int64_t offset)
{
    uint8_t table[64];
    return first_line_of(version, table, from_hex(hex, table), 100, offset);
}

/* A byte count is unsigned: what memray takes for -56 bytes is 200. The lines after such a statement are right here. */
static void statements_of_more_than_127_bytes_do_not_go_back(void **state)
{
    (void)state;
    assert_int_equal(line_of(PYTHON_3_8, "c8010401", 0), 100);
    assert_int_equal(line_of(PYTHON_3_8, "c8010401", 199), 100);
    assert_int_equal(line_of(PYTHON_3_8, "c8010401", 200), 101);
    assert_int_equal(line_of(PYTHON_3_8, "c8010401", 204), 102);
    assert_int_equal(line_of(PYTHON_3_8, "ff00ff000a01", 519), 100);
    assert_int_equal(line_of(PYTHON_3_8, "ff00ff000a01", 520), 101);
    assert_int_equal(line_of(PYTHON_3_10, "c8010401", 99), 101);
    assert_int_equal(line_of(PYTHON_3_10, "c8010401", 100), 102);
}

static void lines_go_back_where_the_table_says_so(void **state)
{
    (void)state;
    assert_int_equal(line_of(PYTHON_3_8, "02ff", 1), 100);
    assert_int_equal(line_of(PYTHON_3_8, "02ff", 2), 99);
    assert_int_equal(line_of(PYTHON_3_8, "027f007f", 2), 354);
    assert_int_equal(line_of(PYTHON_3_10, "02ff02fe", 0), 99);
    assert_int_equal(line_of(PYTHON_3_10, "02ff02fe", 1), 97);
}

static void code_without_a_line_in_3_10_keeps_the_running_one(void **state)
{
    (void)state;
    assert_int_equal(line_of(PYTHON_3_10, "02050280020a", 0), 105);
    assert_int_equal(line_of(PYTHON_3_10, "02050280020a", 1), 105);
    assert_int_equal(line_of(PYTHON_3_10, "02050280020a", 2), 115);
}

static void an_instruction_before_or_without_a_table_has_no_line(void **state)
{
    (void)state;
    const int versions[] = {PYTHON_3_8, PYTHON_3_10, PYTHON_3_12};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(line_of(versions[i], "", 0), 0);
        assert_int_equal(line_of(versions[i], "0203", -2), 0);
        assert_int_equal(line_of(versions[i], "0203", INT64_MIN), 0);
    }
    assert_int_equal(line_of(PYTHON_3_12, "d00000", 0), 100); /* 1 unit, same line, two columns */
    assert_int_equal(line_of(PYTHON_3_12, "d00000", 2), 0);   /* after the last entry */
    assert_int_equal(line_of(PYTHON_3_12, "d00000", INT64_MAX), 0);
}

static void lines_that_do_not_fit_stop_at_the_end_of_the_range(void **state)
{
    (void)state;
    /* Code 13, a change of +2^31 - 1 lines, twice. */
    assert_int_equal(line_of(PYTHON_3_12, "e87e7f7f7f7f03e87e7f7f7f7f03", 2), INT32_MAX);
    assert_int_equal(line_of(PYTHON_3_12, "e87f7f7f7f7f03e87f7f7f7f7f03e87f7f7f7f7f03", 4), INT32_MIN);
}

/* Exact copies, so that the sanitizers see a byte too far. */
static void no_table_is_read_beyond_its_end(void **state)
{
    (void)state;
    const int versions[] = {PYTHON_3_8, PYTHON_3_10, PYTHON_3_12};
    uint64_t random = 1;
    for (unsigned round = 0; round < 60000; round++) {
        size_t length = random_below(&random, 20);
        uint8_t *table = malloc(length + !length);
        assert_non_null(table);
        for (size_t i = 0; i < length; i++)
            table[i] = (uint8_t)random_next(&random);
        int64_t offset = (int64_t)(random_next(&random) >> random_next(&random) % 64);
        first_line_of(versions[round % 3], table, length, (int32_t)random_next(&random), offset);
        free(table);
    }
}

/* Whatever was looked up before, the answer is the same. */
static void look_ups_in_any_order_agree(void **state)
{
    (void)state;
    const int versions[] = {PYTHON_3_8, PYTHON_3_10, PYTHON_3_12};
    uint64_t random = 7;
    for (unsigned round = 0; round < 300; round++) {
        const int version = versions[round % 3];
        struct pr_line_marks marks = {0};
        uint8_t table[1000];
        const size_t length = random_below(&random, sizeof table + 1);
        for (size_t i = 0; i < length; i++)
            table[i] = (uint8_t)(random_next(&random) & (random_below(&random, 4) ? 0x8f : 0xff));
        for (unsigned i = 0; i < 100; i++) {
            const int64_t offset = (int64_t)random_below(&random, (uint32_t)length * 8 + 10);
            assert_int_equal(pr_memray_line(version, table, length, 5, offset, &marks),
                             first_line_of(version, table, length, 5, offset));
        }
        free(marks.mark);
    }
}

/* A look-up that began at the start of the table each time read 4 * 10^10 entries for these. */
static void many_instructions_of_a_long_table_do_not_each_read_it(void **state)
{
    (void)state;
    enum { LENGTH = 1 << 20, LOOK_UPS = 50000 };
    const int versions[] = {PYTHON_3_8, PYTHON_3_10, PYTHON_3_12};
    const uint32_t covered[] = {LENGTH / 2, LENGTH / 4, LENGTH}; /* offsets; an entry is two bytes long */
    uint8_t *table = malloc(LENGTH);
    assert_non_null(table);
    for (unsigned i = 0; i < 3; i++) {
        struct pr_line_marks marks = {0};
        uint64_t random = 3;
        for (size_t at = 0; at < LENGTH; at += 2) { /* a unit of code each, one line further each; 3.12: on one line */
            table[at] = versions[i] == PYTHON_3_12 ? 0xe8 : 1;
            table[at + 1] = versions[i] == PYTHON_3_12 ? 2 : 1;
        }
        for (int look_up = 0; look_up < LOOK_UPS; look_up++) {
            const int64_t offset = (int64_t)random_below(&random, covered[i]);
            const int64_t entries = versions[i] == PYTHON_3_8    ? offset
                                    : versions[i] == PYTHON_3_10 ? offset * 2 + 1
                                                                 : offset / 2 + 1;
            assert_int_equal(pr_memray_line(versions[i], table, LENGTH, 0, offset, &marks), entries);
        }
        assert_in_range(marks.count, 1, LENGTH / PR_LINE_MARKS_APART);
        free(marks.mark);
    }
    free(table);
}

/* Of 3.12, one number of a megabyte; else what is past the end of the table. Each time anew, that is 10^12 bytes. */
static void look_ups_past_the_end_or_in_a_long_entry_do_not_each_read_the_table(void **state)
{
    (void)state;
    enum { LENGTH = 1 << 20, LOOK_UPS = 1000000, LONG_FORM = 0x80 | 14 << 3 };
    const int versions[] = {PYTHON_3_8, PYTHON_3_10, PYTHON_3_12};
    uint8_t *table = malloc(LENGTH);
    assert_non_null(table);
    for (unsigned i = 0; i < 3; i++) {
        const bool has_locations = versions[i] == PYTHON_3_12;
        struct pr_line_marks marks = {0};
        memset(table, has_locations ? 0x40 : 1, LENGTH);
        table[0] = has_locations ? LONG_FORM : 1;
        for (int look_up = 0; look_up < LOOK_UPS; look_up++) {
            const bool is_at_start = look_up % 2;
            const int32_t line = is_at_start ? versions[i] == PYTHON_3_10 : has_locations ? 0 : LENGTH / 2;
            assert_int_equal(pr_memray_line(versions[i], table, LENGTH, 0, is_at_start ? 0 : LENGTH + look_up, &marks),
                             line);
        }
        assert_in_range(marks.count, 1, LENGTH / PR_LINE_MARKS_APART);
        free(marks.mark);
    }
    free(table);
}

/* They take memory, which many tables of one look-up each would have more of than is read again. */
static void marks_are_bounded_by_look_ups(void **state)
{
    (void)state;
    enum { LENGTH = 1 << 16, LOOK_UPS = 1000 };
    struct pr_line_marks marks = {0};
    uint8_t *table = malloc(LENGTH);
    assert_non_null(table);
    memset(table, 1, LENGTH);
    pr_memray_line(PYTHON_3_10, table, LENGTH, 0, LENGTH, &marks);
    assert_null(marks.mark);
    for (unsigned look_up = 2; look_up <= LOOK_UPS; look_up++) {
        pr_memray_line(PYTHON_3_10, table, LENGTH, 0, LENGTH, &marks);
        assert_in_range(marks.count, 2, look_up < PR_LINE_MARKS_AT_FIRST ? PR_LINE_MARKS_AT_FIRST : look_up);
    }
    free(marks.mark);
    free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_answers_of_every_cpython_agree),
        cmocka_unit_test(the_interpreter_at_hand_agrees_about_its_library),
        cmocka_unit_test(statements_of_more_than_127_bytes_do_not_go_back),
        cmocka_unit_test(lines_go_back_where_the_table_says_so),
        cmocka_unit_test(code_without_a_line_in_3_10_keeps_the_running_one),
        cmocka_unit_test(an_instruction_before_or_without_a_table_has_no_line),
        cmocka_unit_test(lines_that_do_not_fit_stop_at_the_end_of_the_range),
        cmocka_unit_test(no_table_is_read_beyond_its_end),
        cmocka_unit_test(look_ups_in_any_order_agree),
        cmocka_unit_test(many_instructions_of_a_long_table_do_not_each_read_it),
        cmocka_unit_test(look_ups_past_the_end_or_in_a_long_entry_do_not_each_read_the_table),
        cmocka_unit_test(marks_are_bounded_by_look_ups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
