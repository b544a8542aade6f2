/* SPDX-License-Identifier: Apache-2.0 */
/* Marshal as Ruby 3.1 writes it: data of every kind is read, what it refers to is found, and nothing is ever loaded. */
#include "tests/support/unit.h"

#include "capture/parse/ruby_marshal.h"
#include "profrender/buf.h"
#include "tests/support/alloc_fail.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
/*
 * Numbers of every length; a symbol; one string twice and again at the end; floats; nil, true, false; a struct; an
 * object; two of a class with _dump; one with marshal_dump; a string of a class of its own; a hash with a default; a
 * string with an instance variable that holds a list and a hash; a regular expression; a class; a string of another
 * encoding; the first string again; a big number, and a list with an equal one.
 */
static const char document[] =
    "\004\010{\032:\011ints[\032i\000i\006i\372i\177i\001{i\200i\377\204i\001\377i\002\000\001i\377\000i"
    "\376\377\376i\003\000\000\001i\375\377\377\376i\004\377\377\377\077l+\007\000\000\000"
    "@i\374\000\000\000\300l+\010\000\000\000\000\000\001l-\010\000\000\000\000\000\001l+\011\000\000\000"
    "\000\000\000\000@l+\011\000\000\000\000\000\000\000\200l-\012\000\000\000\000\000\000\000\000@\000:"
    "\010sy"
    "m;\006I\042\006s\006:\006ETI\042\013shared\006;\007T:\012again@\016:\006f[\011f\0101.5f\012-0.25f"
    "\010inf@\020:\010nil0"
    ":\006tT:\007faF:\007stS:\006S\007:\006ai\006:\006bI\042\010two\006;\007T:\006oo:\012Thing\007:\007@x"
    "i\006:\007@yI\042\006q\006;"
    "\007T:\010own[\007Iu:\010Own\010own\006;\007TIu;\026\010own\006;\007T:\011wrapU:\011Wrap[\007i\014I"
    "\042\006w\006;\007T:\010s"
    "trIC:\010Str\042\010sub\006;\007T:\006h}\006:\006ki\012I\042\011none\006;\007T:\007ivI\042\011with"
    "\007;\007T:\007@z[\007i\006{\006"
    ";\017i\007:\007reI/\007a+\001\006;\007F:\010clsc\013String:\011sjisI\042\006x\006:\015encoding\042\016Shift_JIS:"
    "\011last@\016:\010bigl+\010\030\013x\354\021\177:\011big2[\006l+\010\030\013x\354\021\177";
/* clang-format on */

static const char wanted[] =
    "{ints [0 1 -1 122 123 -123 -124 255 256 -256 -257 65536 -65537 1073741823 1073741824 -1073741824 1099511627776 "
    "-1099511627776 4611686018427387904 9223372036854775807 -9223372036854775808] sym sym s shared again shared "
    "f [1.500 -0.250 - 1.500] nil ? t ? fa ? st {a 1 b two} o {@x 1 @y q} own [? ?] wrap ? str sub h {k 5} iv with "
    "re ? cls String sjis x last shared big 139714958461720 big2 [139714958461720]}";

static void show(const struct pr_ruby *ruby, struct pr_buf *text)
{
    const struct pr_text string = pr_strings_get(ruby->strings, ruby->string);
    switch (ruby->token) {
    case PR_RUBY_INTEGER: pr_buf_printf(text, "%" PRId64, ruby->integer); break;
    case PR_RUBY_FLOAT:
        if (ruby->real < 1e9 && ruby->real > -1e9)
            pr_buf_printf(text, "%.3f", ruby->real);
        else
            pr_buf_text(text, "-");
        break;
    case PR_RUBY_STRING: pr_buf_add(text, string.bytes, string.length); break;
    case PR_RUBY_HASH: pr_buf_text(text, "{"); break;
    case PR_RUBY_ARRAY: pr_buf_text(text, "["); break;
    default: pr_buf_text(text, "?");
    }
}

/* The tokens as text; the kind of each bracket that closes is that of the one that it closes. */
static void walk(struct pr_ruby *ruby, struct pr_buf *text)
{
    char closing[64];
    size_t depth = 0;
    bool after_value = false;
    while (pr_ruby_next(ruby) > PR_RUBY_END) {
        const bool closes = ruby->token == PR_RUBY_CLOSE;
        if (closes) {
            assert_true(depth);
            pr_buf_add(text, &closing[--depth], 1);
        } else {
            if (after_value)
                pr_buf_text(text, " ");
            show(ruby, text);
        }
        after_value = ruby->token < PR_RUBY_ARRAY;
        if (!after_value) {
            assert_true(depth < sizeof closing);
            closing[depth++] = ruby->token == PR_RUBY_HASH ? '}' : ']';
        }
    }
}

/* Reads all of BYTES; returns what the error is, PR_ERR_NONE = none. */
static enum pr_error_code read_all(const void *bytes, size_t length, struct pr_buf *text)
{
    struct pr_source src = {.at = bytes, .end = (const uint8_t *)bytes + length, .end_offset = length, .at_eof = true};
    struct pr_load_options options = pr_load_options_default();
    struct pr_strings strings = {0};
    struct pr_error err = {0};
    struct pr_ruby *ruby = malloc(sizeof *ruby);
    assert_non_null(ruby);
    assert_int_equal(pr_strings_init(&strings, &err), PR_OK);
    pr_ruby_begin(ruby, &src, &strings, &options.limits, &err);
    walk(ruby, text);
    assert_int_equal(ruby->scan.failed, err.code != PR_ERR_NONE);
    pr_ruby_end(ruby);
    free(ruby);
    pr_strings_clear(&strings);
    return err.code;
}

static void data_of_every_kind_is_read(void **state)
{
    struct pr_buf text = {0};
    (void)state;
    assert_int_equal(read_all(document, sizeof document - 1, &text), PR_ERR_NONE);
    pr_buf_add(&text, "", 1);
    assert_string_equal(text.bytes, wanted);
    pr_buf_clear(&text);
}

static void each_cut_is_reported_and_keeps_what_came_before(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof document - 1; length++) {
        struct pr_buf text = {0};
        assert_int_not_equal(read_all(document, length, &text), PR_ERR_NONE);
        assert_true(text.length < sizeof wanted);
        assert_true(!text.length || !memcmp(text.bytes, wanted, text.length > 4 ? text.length - 4 : 0));
        pr_buf_clear(&text);
    }
}

static enum pr_error_code error_of(const char *bytes, size_t length)
{
    struct pr_buf text = {0};
    const enum pr_error_code code = read_all(bytes, length, &text);
    pr_buf_clear(&text);
    return code;
}

#define ERROR_OF(bytes) error_of(bytes, sizeof bytes - 1)

static void what_is_no_data_of_marshal_is_refused(void **state)
{
    (void)state;
    assert_int_equal(ERROR_OF("\4\11i\0"), PR_ERR_UNSUPPORTED); /* 4.9 */
    assert_int_equal(ERROR_OF("\4\10X"), PR_ERR_DAMAGED);
    assert_int_equal(ERROR_OF("\4\10@\6"), PR_ERR_DAMAGED); /* no such object */
    assert_int_equal(ERROR_OF("\4\10;\6"), PR_ERR_DAMAGED); /* no such symbol */
    assert_int_equal(ERROR_OF("\4\10[\372"), PR_ERR_DAMAGED); /* -1 parts */
    assert_int_equal(ERROR_OF("\4\10oi\0"), PR_ERR_DAMAGED); /* no class */
    assert_int_equal(ERROR_OF("\4\10\"\4\377\377\377\77"), PR_ERR_LIMIT); /* 1 GiB of bytes */
    assert_int_equal(ERROR_OF("\4\10[\6@\0"), PR_ERR_NONE); /* a list in itself is not followed */
    assert_int_equal(ERROR_OF("\4\10i\0 what follows"), PR_ERR_NONE);
}

static void deep_lists_end_the_reading(void **state)
{
    char bytes[2 + 2 * 2000] = "\4\10";
    (void)state;
    for (size_t i = 2; i < sizeof bytes; i += 2) {
        bytes[i] = '[';
        bytes[i + 1] = '\6';
    }
    struct pr_strings strings = {0};
    struct pr_error err = {0};
    struct pr_load_options options = pr_load_options_default();
    struct pr_source src = {.at = (uint8_t *)bytes, .end = (uint8_t *)bytes + sizeof bytes, .at_eof = true};
    struct pr_ruby *ruby = malloc(sizeof *ruby);
    assert_non_null(ruby);
    assert_int_equal(pr_strings_init(&strings, &err), PR_OK);
    pr_ruby_begin(ruby, &src, &strings, &options.limits, &err);
    assert_int_equal(pr_ruby_next(ruby), PR_RUBY_ARRAY);
    pr_ruby_skip(ruby);
    assert_int_equal(err.code, PR_ERR_LIMIT);
    pr_ruby_end(ruby);
    free(ruby);
    pr_strings_clear(&strings);
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    unsigned long n = 1;
    for (;; n++) {
        struct pr_source src = {.at = (const uint8_t *)document, .at_eof = true,
                                .end = (const uint8_t *)document + sizeof document - 1};
        struct pr_load_options options = pr_load_options_default();
        struct pr_strings strings = {0};
        struct pr_error err = {0};
        struct pr_ruby *ruby = malloc(sizeof *ruby);
        assert_non_null(ruby);
        assert_int_equal(pr_strings_init(&strings, &err), PR_OK);
        pr_ruby_begin(ruby, &src, &strings, &options.limits, &err);
        alloc_fail_at(n);
        while (pr_ruby_next(ruby) > PR_RUBY_END)
            continue;
        const bool failed = alloc_fail_stop();
        assert_int_equal(err.code, failed ? PR_ERR_MEMORY : PR_ERR_NONE);
        assert_int_equal(pr_scan_status(&ruby->scan), failed ? PR_FAILED : PR_OK);
        pr_ruby_end(ruby);
        free(ruby);
        pr_strings_clear(&strings);
        if (!failed)
            break;
    }
    assert_true(n > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_of_every_kind_is_read),
        cmocka_unit_test(each_cut_is_reported_and_keeps_what_came_before),
        cmocka_unit_test(what_is_no_data_of_marshal_is_refused),
        cmocka_unit_test(deep_lists_end_the_reading),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
