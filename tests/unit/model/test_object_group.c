/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of objects, by the names that dumps have for classes, fields and roots. */
#include "tests/support/unit.h"

#include "capture/base/text.h"
#include "capture/model/object_group.h"

struct group {
    const char *name, *group;
};

static void assert_groups(struct pr_text (*group_of)(struct pr_text), const struct group *groups, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!pr_text_is(group_of(pr_text_of(groups[i].name)), groups[i].group))
            fail_msg("%s is not of %s", groups[i].name, groups[i].group);
}

static void a_class_of_java_has_its_package(void **state)
{
    static const struct group groups[] = {
        {"java.util.HashMap", "java.util"},
        {"java.util.HashMap$Node[]", "java.util"},
        {"java.util.HashMap.table", "java.util"},
        {"java.util.concurrent.ConcurrentHashMap$Node.next", "java.util.concurrent"},
        {"Shelf$Book", "(default package)"},
        {"Shelf$Book.pages", "(default package)"},
        {"a.b.c", "a.b"}, /* after a shrinker */
        {"", "(default package)"},
        {".", "(default package)"},
        {"byte[]", "arrays of primitives"},
        {"int[][]", "arrays of primitives"},
        {"[]", "(default package)"},
        {"GC root: JNI global", "GC roots"},
        {"(unknown)[]", "GC roots"},
    };
    (void)state;
    assert_groups(pr_java_object_group, groups, sizeof groups / sizeof *groups);
}

static void a_node_of_v8_has_a_kind(void **state)
{
    static const struct group groups[] = {
        {"(string)", "strings"},         {"(concatenated string)", "strings"}, {"(array)", "arrays"},
        {"Float64Array", "arrays"},      {"ArrayBuffer", "arrays"},            {"Function.prototype", "closures"},
        {"Object.shelf", "built-in objects"}, {"global", "built-in objects"},  {"Map", "built-in objects"},
        {"Shelf.books", "constructors"}, {"Book", "constructors"},             {"system / Context", "system"},
        {"(compiled code)", "system"},   {"(GC roots)", "system"},             {"", "system"},
        {".hidden", "constructors"},
    };
    (void)state;
    assert_groups(pr_v8_object_group, groups, sizeof groups / sizeof *groups);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_of_java_has_its_package),
        cmocka_unit_test(a_node_of_v8_has_a_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
