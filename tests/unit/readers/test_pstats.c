/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of cProfile: marshal in its versions, figures that stay exact, a tree that never walks paths. */
#include "tests/support/unit.h"

#include "profrender/buf.h"
#include "profrender/tree_sums.h"
#include "profrender/table.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/load_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a writer of marshal ---------------------------------------------------------------------------------------- */

static void put_u32(struct pr_buf *buf, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        pr_buf_byte(buf, value >> 8 * i & 0xFF);
}

static void put_int(struct pr_buf *buf, int32_t value)
{
    pr_buf_byte(buf, 'i');
    put_u32(buf, (uint32_t)value);
}

static void put_float(struct pr_buf *buf, double value)
{
    pr_buf_byte(buf, 'g');
    pr_buf_add(buf, &value, sizeof value); /* on little-endian machines */
}

static void put_string(struct pr_buf *buf, const char *text)
{
    pr_buf_byte(buf, 'z');
    pr_buf_byte(buf, (unsigned)strlen(text));
    pr_buf_text(buf, text);
}

static void put_tuple(struct pr_buf *buf, unsigned count)
{
    pr_buf_byte(buf, ')');
    pr_buf_byte(buf, count);
}

static void put_key(struct pr_buf *buf, const char *file, int32_t line, const char *name)
{
    put_tuple(buf, 3);
    put_string(buf, file);
    put_int(buf, line);
    put_string(buf, name);
}

/* Key and figures of a function, PRIMITIVE of whose CALLS did not recur; its callers and their end follow. */
static void put_recurring(struct pr_buf *buf, const char *name, int32_t primitive, int32_t calls, double self,
                          double total)
{
    put_key(buf, "a.py", 1, name);
    put_tuple(buf, 5);
    put_int(buf, primitive);
    put_int(buf, calls);
    put_float(buf, self);
    put_float(buf, total);
    pr_buf_byte(buf, '{');
}

static void put_entry(struct pr_buf *buf, const char *name, int32_t calls, double self, double total)
{
    put_recurring(buf, name, calls, calls, self, total);
}

static void put_caller(struct pr_buf *buf, const char *name, int32_t calls, double self, double total)
{
    put_key(buf, "a.py", 1, name);
    put_tuple(buf, 4);
    put_int(buf, calls);
    put_int(buf, calls);
    put_float(buf, self);
    put_float(buf, total);
}

/* A function that all its calls have from one caller. */
static void put_called(struct pr_buf *buf, const char *name, const char *caller, int32_t calls, double self,
                       double total)
{
    put_entry(buf, name, calls, self, total);
    put_caller(buf, caller, calls, self, total);
    pr_buf_byte(buf, '0');
}

static struct pr_profile *read_buf(struct pr_buf *buf, enum pr_status status)
{
    assert_false(buf->failed);
    struct pr_profile *profile = reading("pstats", buf->bytes, buf->length, status);
    pr_buf_clear(buf);
    return profile;
}

/* main, 1 s itself, calls f for 2 s and g for 1 s; f calls g for 1 s of its 2. */
static struct pr_buf small_graph(void)
{
    struct pr_buf buf = {0};
    pr_buf_byte(&buf, '{');
    put_entry(&buf, "main", 1, 1, 4);
    pr_buf_byte(&buf, '0');
    put_called(&buf, "f", "main", 10, 1, 2);
    put_entry(&buf, "g", 30, 2, 2);
    put_caller(&buf, "main", 10, 1, 1);
    put_caller(&buf, "f", 20, 1, 1);
    pr_buf_byte(&buf, '0');
    pr_buf_byte(&buf, '0');
    return buf;
}

/* ---- the graph -------------------------------------------------------------------------------------------------- */

static void assert_row(const struct pr_profile *profile, const char *name, int64_t self, int64_t total, int64_t calls)
{
    struct pr_table table;
    assert_int_equal(pr_table_make(profile, 0, PR_BY_FUNCTION, false, &table, NULL), PR_OK);
    for (size_t i = 0; i < table.count; i++) {
        const struct pr_row *row = &table.row[i];
        if (strcmp(pr_profile_text(profile, row->function).bytes, name))
            continue;
        assert_int_equal(row->self, self);
        assert_int_equal(row->total, total);
        assert_int_equal(row->self_count, calls);
        pr_table_clear(&table);
        return;
    }
    fail_msg("no row for %s", name);
}

static void the_table_is_exact_and_the_tree_shares(void **state)
{
    struct pr_buf buf = small_graph();
    struct pr_profile *profile = read_buf(&buf, PR_OK);
    (void)state;
    assert_true(profile->tree_estimated);
    assert_int_equal(profile->metrics[0].total_value, 4000000000);
    assert_int_equal(profile->metrics[0].total_count, 41);
    assert_row(profile, "main", 1000000000, 4000000000, 1);
    assert_row(profile, "f", 1000000000, 2000000000, 10);
    assert_row(profile, "g", 2000000000, 2000000000, 30);
    char *stacks = reading_stacks(profile, "cpu");
    assert_string_equal(stacks, "0|main a.py:1 1000000000 x1\n"
                                "0|main a.py:1;f a.py:1 1000000000 x10\n"
                                "0|main a.py:1;f a.py:1;g a.py:1 1000000000 x20\n"
                                "0|main a.py:1;g a.py:1 1000000000 x10\n");
    free(stacks);
    pr_profile_free(profile);
}

/* No node is worth more than its parent, and all of them together are the whole. */
static void assert_sound(const struct pr_profile *profile)
{
    struct pr_sums sums;
    struct pr_choice choice = pr_choice_all(0);
    assert_int_equal(pr_tree_sum(profile, &choice, &sums, NULL), PR_OK);
    for (pr_node_id node = 1; node < profile->tree.count; node++)
        if (sums.total[node] > sums.total[profile->tree.parent[node]] || sums.self[node] < 0)
            fail_msg("node %u is worth more than its parent, or less than nothing", node);
    assert_int_equal(sums.total[PR_ROOT], profile->metrics[0].total_value);
    pr_sums_clear(&sums);
}

/* The tree has the same value for each function as the table. */
static void assert_all_have_their_place(const struct pr_profile *profile)
{
    for (uint32_t row = 0; row < profile->exact_count; row++) {
        int64_t self = 0, calls = 0;
        for (size_t i = 0; i < profile->fact_count; i++) {
            const pr_node_id leaf = profile->fact_leaf[i];
            if (leaf == PR_ROOT || profile->tree.frame[leaf] != profile->exact_frame[row])
                continue;
            self += profile->metrics[0].value[i];
            calls += profile->metrics[0].count[i];
        }
        assert_int_equal(self, profile->metrics[0].exact[row].self);
        assert_int_equal(calls, profile->metrics[0].exact[row].self_count);
    }
}

static void a_graph_of_countless_paths_ends_at_once(void **state)
{
    enum { LAYERS = 200 };
    struct pr_buf buf = {0};
    char name[32], above[32];
    (void)state;
    pr_buf_byte(&buf, '{');
    for (int layer = 0; layer < LAYERS; layer++) {
        for (int side = 0; side < 2; side++) { /* each of a layer calls both of the next: 2^200 paths */
            double total = LAYERS - layer;
            snprintf(name, sizeof name, "f%d_%d", layer, side);
            put_entry(&buf, name, 1, 1, total);
            for (int other = 0; layer && other < 2; other++) {
                snprintf(above, sizeof above, "f%d_%d", layer - 1, other);
                put_caller(&buf, above, 1, 0.5, total / 2);
            }
            pr_buf_byte(&buf, '0');
        }
    }
    pr_buf_byte(&buf, '0');
    struct pr_profile *profile = read_buf(&buf, PR_OK);
    assert_sound(profile);
    assert_true(profile->tree.count < 200000);
    assert_all_have_their_place(profile);
    pr_profile_free(profile);
}

static void recursion_ends_where_a_function_comes_again(void **state)
{
    struct pr_buf buf = {0};
    (void)state;
    pr_buf_byte(&buf, '{');
    put_entry(&buf, "main", 1, 0, 10);
    pr_buf_byte(&buf, '0');
    put_entry(&buf, "ping", 50, 5, 10);
    put_caller(&buf, "main", 1, 1, 10);
    put_caller(&buf, "pong", 49, 4, 9);
    put_caller(&buf, "ping", 7, 1, 3);
    pr_buf_byte(&buf, '0');
    put_called(&buf, "pong", "ping", 50, 5, 9.5);
    pr_buf_byte(&buf, '0');
    struct pr_profile *profile = read_buf(&buf, PR_OK);
    assert_sound(profile);
    assert_row(profile, "ping", 5000000000, 10000000000, 50);
    assert_int_equal(profile->tree.count, 4); /* main, ping, pong */
    assert_all_have_their_place(profile);
    pr_profile_free(profile);
}

/* Module `a` imports `b`, but the record only shows that `load` runs both: the longest one is above. */
static void what_a_module_imported_stands_below_it(void **state)
{
    struct pr_buf buf = {0};
    (void)state;
    pr_buf_byte(&buf, '{');
    put_recurring(&buf, "load", 1, 3, 1, 10);
    put_caller(&buf, "main", 1, 0.5, 9);
    put_caller(&buf, "a", 1, 0.5, 5);
    pr_buf_byte(&buf, '0');
    put_called(&buf, "main", "load", 1, 0, 9.5);
    put_called(&buf, "b", "load", 1, 1, 4.5);
    put_called(&buf, "a", "load", 1, 4.5, 9);
    put_called(&buf, "compile", "b", 1, 3.5, 3.5);
    pr_buf_byte(&buf, '0');
    struct pr_profile *profile = read_buf(&buf, PR_OK);
    assert_sound(profile);
    assert_all_have_their_place(profile);
    char *stacks = reading_stacks(profile, "cpu");
    assert_non_null(strstr(stacks, "|load a.py:1;main a.py:1;load a.py:1;a a.py:1;load a.py:1;b a.py:1;"
                                   "compile a.py:1 3500000000 x1\n"));
    free(stacks);
    pr_profile_free(profile);
}

static void noise_of_the_clock_makes_no_child_of_more_than_all(void **state)
{
    struct pr_buf buf = {0};
    (void)state;
    pr_buf_byte(&buf, '{');
    put_entry(&buf, "main", 1, 0.1, 1);
    pr_buf_byte(&buf, '0');
    put_called(&buf, "a", "main", 1, 0.8, 0.8);
    put_called(&buf, "b", "main", 1, 0.7, 0.7);
    pr_buf_byte(&buf, '0');
    struct pr_profile *profile = read_buf(&buf, PR_OK);
    assert_sound(profile);
    assert_int_equal(profile->metrics[0].total_value, 1600000000);
    pr_profile_free(profile);
}

static void callers_of_old_files_are_counts(void **state)
{
    struct pr_buf buf = {0};
    (void)state;
    pr_buf_byte(&buf, '{');
    put_entry(&buf, "main", 1, 1, 4);
    pr_buf_byte(&buf, '0');
    put_entry(&buf, "f", 4, 3, 3);
    put_key(&buf, "a.py", 1, "main");
    put_int(&buf, 4);
    pr_buf_byte(&buf, '0');
    pr_buf_byte(&buf, '0');
    struct pr_profile *profile = read_buf(&buf, PR_OK);
    char *stacks = reading_stacks(profile, "cpu");
    assert_string_equal(stacks, "0|main a.py:1 1000000000 x1\n0|main a.py:1;f a.py:1 3000000000 x4\n");
    free(stacks);
    pr_profile_free(profile);
}

/* ---- marshal ---------------------------------------------------------------------------------------------------- */

/* The profile of one function, written as BYTES. */
static void assert_one_function(const char *bytes, size_t length, const char *stacks)
{
    struct pr_profile *profile = reading(NULL, bytes, length, PR_OK);
    assert_string_equal(profile->meta.format, "pstats");
    char *got = reading_stacks(profile, "cpu");
    assert_string_equal(got, stacks);
    free(got);
    pr_profile_free(profile);
}

#define ONE_SECOND "g\0\0\0\0\0\0\xf0\x3f"

static void python_2_is_read(void **state)
{
    /* Interned strings have a list of their own, `R` refers to it; `I` is a number of 64 bits. */
    static const char bytes[] = "{(\3\0\0\0t\4\0\0\0a.pyi\7\0\0\0t\1\0\0\0f"
                                "(\5\0\0\0I\2\0\0\0\0\0\0\0i\2\0\0\0" ONE_SECOND ONE_SECOND
                                "{(\3\0\0\0R\0\0\0\0i\7\0\0\0R\1\0\0\0i\1\0\0\0" "0" "0";
    (void)state;
    assert_one_function(bytes, sizeof bytes - 1, "0|f a.py:7 1000000000 x2\n");
}

static void references_of_python_3_are_read(void **state)
{
    /* The key is object 0, its name 1: the caller is the key again. The dictionary is no. 2. */
    static const char bytes[] = "{\xa9\3z\4a.py\xe9\7\0\0\0\xda\1f"
                                ")\5i\2\0\0\0i\2\0\0\0" ONE_SECOND ONE_SECOND
                                "{r\0\0\0\0i\1\0\0\0" "0" "0";
    (void)state;
    assert_one_function(bytes, sizeof bytes - 1, "0|f a.py:7 1000000000 x2\n");
}

static void long_numbers_and_texts_of_floats_are_read(void **state)
{
    /* 2^62 calls as a long of five digits, of which the last is 4; 1e30 seconds are held at the end of the range. */
    static const char bytes[] = "{)\3z\4a.pyi\7\0\0\0z\1f"
                                ")\5l\5\0\0\0\0\0\0\0\0\0\0\0\4\0i\2\0\0\0f\0041e30f\0041e30" "{" "0" "0";
    (void)state;
    struct pr_profile *profile = reading("pstats", bytes, sizeof bytes - 1, PR_CUT);
    char *got = reading_stacks(profile, "cpu");
    assert_string_equal(got, "0|f a.py:7 9223372036854775807 x2\n");
    assert_true(profile->damage.kind[PR_DAMAGE_BOUNDED].count);
    free(got);
    pr_profile_free(profile);
}

/* A time that is not finite is not known: it is 0 and counted, and changes no other one. */
static void a_time_that_is_not_finite_changes_no_other(void **state)
{
    static const char good[] = "{)\3z\4a.pyi\7\0\0\0z\1f" ")\5i\1\0\0\0i\1\0\0\0f\0030.5f\0030.5" "{0" "0";
    static const char *const bad[] = {"inf", "nan", "-inf", "1,5", "x"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pr_buf text = {0};
        pr_buf_add(&text, good, sizeof good - 2);
        pr_buf_add(&text, ")\3z\4a.pyi\11\0\0\0z\1g" ")\5i\1\0\0\0i\1\0\0\0f", 29);
        pr_buf_byte(&text, (unsigned)strlen(bad[i]));
        pr_buf_text(&text, bad[i]);
        pr_buf_add(&text, "f\0030.5{00", 8);
        struct pr_profile *profile = reading("pstats", text.bytes, text.length, PR_CUT);
        char *got = reading_stacks(profile, "cpu");
        assert_string_equal(got, "0|f a.py:7 500000000 x1\n0|g a.py:9 0 x1\n");
        assert_damage(profile, PR_DAMAGE_NOT_NUMBERS, 1);
        free(got);
        pr_profile_free(profile);
        pr_buf_clear(&text);
    }
}

/* Two times past the range take nothing from the others. */
static void a_time_past_the_range_takes_nothing_from_others(void **state)
{
    struct pr_buf text = {0};
    (void)state;
    pr_buf_byte(&text, '{');
    for (char name = 'f'; name < 'i'; name++) {
        pr_buf_add(&text, ")\3z\4a.pyi\7\0\0\0z\1", 15);
        pr_buf_byte(&text, (unsigned char)name);
        pr_buf_add(&text, ")\5i\1\0\0\0i\1\0\0\0", 12);
        for (int i = 0; i < 2; i++) {
            pr_buf_byte(&text, 'f');
            pr_buf_byte(&text, name == 'f' ? 3 : 4);
            pr_buf_text(&text, name == 'f' ? "0.5" : "9e99");
        }
        pr_buf_add(&text, "{0", 2);
    }
    pr_buf_byte(&text, '0');
    struct pr_profile *profile = reading("pstats", text.bytes, text.length, PR_CUT);
    char *got = reading_stacks(profile, "cpu");
    assert_non_null(strstr(got, "f a.py:7 500000000 x1\n"));
    assert_true(profile->damage.kind[PR_DAMAGE_BOUNDED].count);
    free(got);
    pr_profile_free(profile);
    pr_buf_clear(&text);
}

/* Tachyon writes samples where the others write calls, and marks it by an entry that is no function. */
static void samples_are_not_called_calls(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    pr_buf_byte(&buf, '{');
    put_recurring(&buf, "f", 3, 5, 0.5, 0.5);
    pr_buf_byte(&buf, '0');
    put_tuple(&buf, 1);
    put_string(&buf, "__sampled__");
    pr_buf_text(&buf, "T0");
    struct pr_profile *profile = reading(NULL, buf.bytes, buf.length, PR_OK);
    assert_true(profile->complete);
    assert_null(profile->metrics[0].count_name);
    pr_profile_free(profile);
    pr_buf_clear(&buf);
}

static void an_empty_profile_is_one(void **state)
{
    (void)state;
    assert_one_function("{0", 2, "");
    assert_one_function("\xfb" "0", 2, "");
}

static void what_is_not_data_is_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        enum pr_error_code code;
    } cases[] = {
        {"{c\0\0\0\0", 6, PR_ERR_UNSUPPORTED},                   /* code */
        {"{)\3r\5\0\0\0", 8, PR_ERR_DAMAGED},                    /* a reference to nothing */
        {"{)\3R\5\0\0\0", 8, PR_ERR_DAMAGED},
        {"{)\1)\1)\1)\1)\1)\1)\1)\1)\1)\1)\1N", 25, PR_ERR_LIMIT}, /* too deep */
        {"{(\xff\xff\xff\xff", 6, PR_ERR_TRUNCATED},             /* a tuple of four billion parts */
        {"{z\xff" "a", 4, PR_ERR_TRUNCATED},
        {"{s\xff\xff\xff\x7f", 6, PR_ERR_LIMIT},                 /* a string of two gigabytes */
        {"{)\3" "0", 4, PR_ERR_DAMAGED},                         /* an end within a tuple */
        {"{N\xfb" "0r\0\0\0\0" "0", 9, PR_ERR_UNSUPPORTED},      /* a dictionary in two places */
        {"{?", 2, PR_ERR_DAMAGED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pr_load_options options = pr_load_options_default();
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        options.format = "pstats";
        assert_int_not_equal(pr_load_memory("test", cases[i].bytes, cases[i].length, &options, &profile, &err), PR_OK);
        if (err.code != cases[i].code)
            fail_msg("case %zu: error %d (%s)", i, err.code, err.text);
        pr_profile_free(profile);
    }
}

static void a_tuple_in_itself_is_not_a_function(void **state)
{
    static const char bytes[] = "{\xa9\1r\0\0\0\0" "r\0\0\0\0" "0";
    (void)state;
    struct pr_profile *profile = reading("pstats", bytes, sizeof bytes - 1, PR_CUT);
    assert_int_equal(profile->exact_count, 0);
    assert_damage(profile, PR_DAMAGE_RECORDS, 1);
    pr_profile_free(profile);
}

static void cut_files_keep_whole_entries(void **state)
{
    struct pr_buf buf = small_graph();
    (void)state;
    struct pr_profile *profile = reading("pstats", buf.bytes, buf.length - 2, PR_CUT);
    assert_int_equal(profile->exact_count, 2);
    assert_int_equal(profile->metrics[0].total_value, 2000000000);
    pr_profile_free(profile);
    pr_buf_clear(&buf);
}

static void damage_is_survived(void **state)
{
    struct pr_buf buf = small_graph();
    (void)state;
    assert_survives_damage("pstats", buf.bytes, buf.length);
    pr_buf_clear(&buf);
}

static void out_of_memory_is_an_error(void **state)
{
    struct pr_buf buf = small_graph();
    (void)state;
    for (unsigned long n = 1;; n++) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        enum pr_status status = pr_load_memory("test", buf.bytes, buf.length, NULL, &profile, &err);
        bool failed = alloc_fail_stop();
        pr_profile_free(profile);
        if (!failed) {
            assert_int_equal(status, PR_OK);
            break;
        }
        assert_int_equal(status, PR_FAILED);
        assert_int_equal(err.code, PR_ERR_MEMORY);
    }
    pr_buf_clear(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_exact_and_the_tree_shares),
        cmocka_unit_test(a_graph_of_countless_paths_ends_at_once),
        cmocka_unit_test(recursion_ends_where_a_function_comes_again),
        cmocka_unit_test(what_a_module_imported_stands_below_it),
        cmocka_unit_test(noise_of_the_clock_makes_no_child_of_more_than_all),
        cmocka_unit_test(callers_of_old_files_are_counts),
        cmocka_unit_test(python_2_is_read),
        cmocka_unit_test(references_of_python_3_are_read),
        cmocka_unit_test(long_numbers_and_texts_of_floats_are_read),
        cmocka_unit_test(a_time_that_is_not_finite_changes_no_other),
        cmocka_unit_test(a_time_past_the_range_takes_nothing_from_others),
        cmocka_unit_test(samples_are_not_called_calls),
        cmocka_unit_test(an_empty_profile_is_one),
        cmocka_unit_test(what_is_not_data_is_refused),
        cmocka_unit_test(a_tuple_in_itself_is_not_a_function),
        cmocka_unit_test(cut_files_keep_whole_entries),
        cmocka_unit_test(damage_is_survived),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests_name("pstats", tests, NULL, NULL);
}
