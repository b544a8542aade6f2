/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of stacks, by the names that memray 1.20.0 gives them. */
#include "tests/support/unit.h"

#include "capture/model/charged_modules.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/profile_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct place {
    const char *file, *module;
};

static enum pr_status modules_of(struct pr_profile *profile, pr_str *module, struct pr_error *err)
{
    return pr_modules_of_nodes(&profile->meta, &profile->strings, profile->frames, profile->frame_count, &profile->tree,
                               module, err);
}

/* Each file as the only frame of a stack. */
static void assert_modules(struct maker *maker, const struct place *places, size_t count)
{
    pr_str *module = calloc(count + 1, sizeof *module);
    assert_non_null(module);
    for (size_t i = 0; i < count; i++)
        maker_node(maker, PR_ROOT, maker_frame(maker, "f", places[i].file, 1, PR_FRAME_PYTHON));
    struct pr_profile *profile = maker_finish(maker);
    assert_int_equal(modules_of(profile, module, NULL), PR_OK);
    for (size_t i = 0; i < count; i++) {
        const char *got = pr_profile_text(profile, module[i + 1]).bytes;
        if (strcmp(got, places[i].module))
            fail_msg("%s: \"%s\", expected \"%s\"", places[i].file, got, places[i].module);
    }
    assert_string_equal(pr_profile_text(profile, module[PR_ROOT]).bytes, "<root>");
    pr_profile_free(profile);
    free(module);
}

static struct maker *maker_with_paths(void)
{
    struct maker *maker = maker_new();
    struct pr_meta *meta = maker_meta(maker);
    meta->stdlib_path = maker_string(maker, "/usr/lib/python3.12");
    meta->site_packages = maker_paths(
        maker, (const char *[]){"/usr/lib/python3.12/site-packages", "/home/me/.local/site", NULL},
        &meta->site_packages_count);
    meta->sys_path = maker_paths(maker,
                                 (const char *[]){"/srv/app/vendor", "/srv/app", "/usr/lib/python3.12",
                                                  "/srv/app/src", "/usr/lib/python3.12/lib-dynload", NULL},
                                 &meta->sys_path_count);
    return maker;
}

static void a_file_below_a_known_path_has_its_package(void **state)
{
    static const struct place places[] = {
        {"/usr/lib/python3.12/site-packages/pandas/io/sql.py", "pandas"},
        {"/usr/lib/python3.12/site-packages/pandas/__init__.py", "pandas"},
        {"/usr/lib/python3.12/site-packages/six.py", "six"},
        {"/usr/lib/python3.12/site-packages/namespace.pkg/x.py", "namespace"},
        {"/usr/lib/python3.12/site-packages/__init__.py", ""},
        {"/usr/lib/python3.12/site-packages", ""},
        {"/home/me/.local/site//./tool/x.py", "tool"},
        {"/home/me/.local/sitemap/x.py", "x"},
        {"/srv/app/vendor/requests/api.py", "requests"}, /* the first path in the list that fits, not the longest */
        {"/srv/app/src/pkg/x.py", "src"},
        {"/srv/app/main.py", "main"},
        {"/usr/lib/python3.12/json/decoder.py", "<root>"},
        {"/usr/lib/python3.12/lib-dynload/_json.so", "<root>"},
    };
    (void)state;
    assert_modules(maker_with_paths(), places, sizeof places / sizeof *places);
}

static void a_file_elsewhere_has_its_own_name(void **state)
{
    static const struct place places[] = {
        {"/home/me/script.py", "script"},       {"script.py", "script"},
        {"/home/me/script.v2.py", "script"},    {"/home/me/pkg/__init__.py", ""},
        {"/home/me/run", "run"},                {"<string>", "<string>"},
        {"<ipython-input-1>", "<ipython-input-1>"}, {"", "unknown"},
        {"<frozen importlib._bootstrap>", "<root>"},
        {"/home/me/lib/python3.12/site-packages/numpy/core.py", "core"}, /* known paths are not guessed */
    };
    (void)state;
    assert_modules(maker_with_paths(), places, sizeof places / sizeof *places);
}

static void memray_itself_is_the_root(void **state)
{
    static const struct place places[] = {
        {"/usr/lib/python3.12/site-packages/memray/commands/run.py", "<root>"},
        {"/home/me/memray.py", "<root>"},
        {"/usr/lib/python3.12/site-packages/memrays/x.py", "memrays"},
    };
    (void)state;
    assert_modules(maker_with_paths(), places, sizeof places / sizeof *places);
}

static void without_paths_installed_trees_are_recognised(void **state)
{
    static const struct place places[] = {
        {"/venv/lib/python3.8/site-packages/pandas/io/sql.py", "pandas"},
        {"/usr/lib/python3/dist-packages/yaml/loader.py", "yaml"},
        {"/usr/lib/python3.8/threading.py", "<root>"},
        {"<frozen importlib._bootstrap>", "<root>"},
        {"/home/me/app/main.py", "main"},
        {"", "unknown"},
    };
    (void)state;
    assert_modules(maker_new(), places, sizeof places / sizeof *places);
}

static void a_stack_has_the_module_nearest_to_its_leaf_that_is_not_of_the_standard_library(void **state)
{
    (void)state;
    struct maker *maker = maker_with_paths();
    pr_node_id app = maker_stack(maker, "main@/srv/app/main.py:1");
    pr_node_id json = maker_stack(maker, "main@/srv/app/main.py:1 loads@/usr/lib/python3.12/json/decoder.py:2");
    pr_node_id native = maker_node(maker, json, maker_frame(maker, "malloc", "libc.so.6", 0, PR_FRAME_NATIVE));
    pr_node_id six = maker_stack(maker, "run@/usr/lib/python3.12/runpy.py:1 "
                                        "f@/usr/lib/python3.12/site-packages/six.py:1");
    pr_node_id run = maker_stack(maker, "run@/usr/lib/python3.12/runpy.py:1");
    struct pr_profile *profile = maker_finish(maker);
    pr_str module[16];
    assert_int_equal(modules_of(profile, module, NULL), PR_OK);
    assert_string_equal(pr_profile_text(profile, module[app]).bytes, "main");
    assert_int_equal(module[json], module[app]);
    assert_int_equal(module[native], module[app]);
    assert_string_equal(pr_profile_text(profile, module[six]).bytes, "six");
    assert_int_equal(module[run], module[PR_ROOT]);
    pr_profile_free(profile);
}

static void thousands_of_paths_and_files_end_in_time(void **state)
{
    (void)state;
    enum { PATHS = 20000, FILES = 20000 };
    char text[128];
    struct maker *maker = maker_new();
    struct pr_meta *meta = maker_meta(maker);
    pr_str *path = calloc(PATHS, sizeof *path);
    assert_non_null(path);
    for (int i = 0; i < PATHS; i++) {
        snprintf(text, sizeof text, "/bazel/external/pip_%d/site", i);
        path[i] = maker_string(maker, text);
    }
    meta->sys_path = path;
    meta->sys_path_count = PATHS;
    for (int i = 0; i < FILES; i++) {
        snprintf(text, sizeof text, "/bazel/external/pip_%d/site/pkg%d/x.py", i, i);
        maker_node(maker, PR_ROOT, maker_frame(maker, "f", text, 1, PR_FRAME_PYTHON));
    }
    struct pr_profile *profile = maker_finish(maker);
    pr_str *module = calloc(FILES + 1, sizeof *module);
    assert_non_null(module);
    assert_int_equal(modules_of(profile, module, NULL), PR_OK);
    assert_string_equal(pr_profile_text(profile, module[1]).bytes, "pkg0");
    assert_string_equal(pr_profile_text(profile, module[FILES]).bytes, "pkg19999");
    pr_profile_free(profile);
    free(module);
    free(path);
}

static void out_of_memory_is_an_error(void **state)
{
    (void)state;
    for (unsigned long n = 1;; n++) {
        struct maker *maker = maker_with_paths();
        maker_stack(maker, "main@/srv/app/main.py:1 f@/usr/lib/python3.12/site-packages/six.py:1 g@/else/x.py:1");
        struct pr_profile *profile = maker_finish(maker);
        struct pr_error err = {0};
        pr_str module[8];
        alloc_fail_at(n);
        enum pr_status status = modules_of(profile, module, &err);
        bool failed = alloc_fail_stop();
        assert_int_equal(status, failed ? PR_FAILED : PR_OK);
        assert_int_equal(err.code, failed ? PR_ERR_MEMORY : PR_ERR_NONE);
        pr_profile_free(profile);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_below_a_known_path_has_its_package),
        cmocka_unit_test(a_file_elsewhere_has_its_own_name),
        cmocka_unit_test(memray_itself_is_the_root),
        cmocka_unit_test(without_paths_installed_trees_are_recognised),
        cmocka_unit_test(a_stack_has_the_module_nearest_to_its_leaf_that_is_not_of_the_standard_library),
        cmocka_unit_test(thousands_of_paths_and_files_end_in_time),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
