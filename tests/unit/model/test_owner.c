/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code a frame is, and what it does, by its file. */
#include "tests/support/unit.h"

#include "profrender/owner.h"
#include "tests/support/profile_maker.h"

struct place {
    const char *file;
    int is; /* enum pr_owner, or the bits of a role */
};

static void assert_owners(struct maker *maker, const struct place *places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        maker_frame(maker, "f", places[i].file, 1, PR_FRAME_PYTHON);
    struct pr_profile *profile = maker_finish(maker);
    for (pr_frame_id i = 0; i < count; i++)
        if ((int)pr_owner_of(profile, i) != places[i].is)
            fail_msg("%s: %s, expected %s", places[i].file, pr_owner_name(pr_owner_of(profile, i)),
                     pr_owner_name((enum pr_owner)places[i].is));
    pr_profile_free(profile);
}

static void without_paths_the_look_of_installed_trees_decides(void **state)
{
    static const struct place places[] = {
        {"/home/me/app/main.py", PR_OWNER_MINE},
        {"main.py", PR_OWNER_MINE},
        {"", PR_OWNER_MINE},
        {"/usr/lib/python3.11/json/decoder.py", PR_OWNER_STDLIB},
        {"/usr/lib64/python3.9/os.py", PR_OWNER_STDLIB},
        {"/opt/python/lib/python3.13t/threading.py", PR_OWNER_STDLIB},
        {"/opt/pypy/lib/pypy3.10/os.py", PR_OWNER_STDLIB},
        {"lib/python3.12/os.py", PR_OWNER_STDLIB},
        {"/venv/lib/python3.11/site-packages/pandas/io/sql.py", PR_OWNER_LIBRARY},
        {"/usr/lib/python3/dist-packages/apt/cache.py", PR_OWNER_LIBRARY},
        {"site-packages/six.py", PR_OWNER_LIBRARY},
        {"/home/me/my-site-packages/x.py", PR_OWNER_MINE},
        {"/home/me/site-packages", PR_OWNER_MINE},
        {"/home/me/python3.11/x.py", PR_OWNER_MINE},
        {"/home/me/lib/python3/x.py", PR_OWNER_MINE},
        {"/home/me/lib/python3.x/x.py", PR_OWNER_MINE},
        {"/home/me/lib/python3.11-tools/x.py", PR_OWNER_MINE},
        {"/home/me/lib/python3.11", PR_OWNER_MINE},
    };
    (void)state;
    assert_owners(maker_new(), places, sizeof places / sizeof *places);
}

static void paths_of_the_header_decide(void **state)
{
    static const struct place places[] = {
        {"/srv/py/stdlib/json/decoder.py", PR_OWNER_STDLIB},
        {"/srv/py/stdlib/packages/pandas/io.py", PR_OWNER_LIBRARY}, /* below both: the library wins */
        {"/srv/other/more/numpy/core.py", PR_OWNER_LIBRARY},
        {"/srv/other/moreover/x.py", PR_OWNER_MINE},
        {"/srv/py/stdlib2/x.py", PR_OWNER_MINE},
        {"/srv/py", PR_OWNER_MINE},
        {"/home/me/lib/python3.11/x.py", PR_OWNER_MINE}, /* below sys.path, and the standard library is elsewhere */
        {"/opt/python3.12/lib/python3.12/threading.py", PR_OWNER_STDLIB}, /* of another Python */
        {"/home/me/venv/lib/python3.11/site-packages/x.py", PR_OWNER_LIBRARY},
        {"/home/me/app.py", PR_OWNER_MINE},
    };
    (void)state;
    struct maker *maker = maker_new();
    struct pr_meta *meta = maker_meta(maker);
    meta->stdlib_path = maker_string(maker, "/srv/py/stdlib");
    meta->site_packages = maker_paths(maker, (const char *[]){"/srv/py/stdlib/packages", "/srv/other/more/", NULL},
                                      &meta->site_packages_count);
    meta->sys_path = maker_paths(maker, (const char *[]){"/home/me", "/srv/py/stdlib", NULL}, &meta->sys_path_count);
    assert_owners(maker, places, sizeof places / sizeof *places);
}

static void scripts_that_came_with_a_library_are_its_own(void **state)
{
    static const struct place places[] = {
        {"/home/me/app/venv/bin/pytest", PR_OWNER_LIBRARY},
        {"/home/me/app/.venv/bin/django-admin.py", PR_OWNER_LIBRARY},
        {"/home/me/.cache/pypoetry/virtualenvs/app-x1-py3.12/bin/celery", PR_OWNER_LIBRARY},
        {"/home/me/.local/pipx/venvs/tool/bin/tool", PR_OWNER_LIBRARY},
        {"venv/bin/pytest", PR_OWNER_LIBRARY},
        {"/opt/conda/bin/jupyter", PR_OWNER_LIBRARY},
        {"/opt/conda/bin/etl.py", PR_OWNER_MINE}, /* put there by hand */
        {"/opt/condas/bin/etl", PR_OWNER_MINE},
        {"/opt/bin/etl", PR_OWNER_MINE},
        {"/home/me/app/bin/etl", PR_OWNER_MINE},
        {"/home/me/app/venv/bin/tools/etl", PR_OWNER_MINE},
        {"/home/me/app/myvenv/bin/etl", PR_OWNER_MINE},
        {"/bin/etl", PR_OWNER_MINE},
        {"bin/etl", PR_OWNER_MINE},
    };
    (void)state;
    struct maker *maker = maker_new();
    struct pr_meta *meta = maker_meta(maker);
    meta->site_packages =
        maker_paths(maker, (const char *[]){"/opt/conda/lib/python3.12/site-packages", NULL},
                    &meta->site_packages_count);
    assert_owners(maker, places, sizeof places / sizeof *places);
}

static void names_in_angles_are_of_the_interpreter_the_user_or_a_library(void **state)
{
    static const struct place places[] = {
        {"<frozen importlib._bootstrap>", PR_OWNER_STDLIB}, {"<frozen runpy>", PR_OWNER_STDLIB},
        {"<string>", PR_OWNER_MINE},                        {"<stdin>", PR_OWNER_MINE},
        {"<ipython-input-3-0123abcd>", PR_OWNER_MINE},      {"<python-input-0>", PR_OWNER_MINE},
        {"<doctest app.f[0]>", PR_OWNER_MINE},              {"<__array_function__ internals>", PR_OWNER_LIBRARY},
        {"<attrs generated init app.Point>", PR_OWNER_LIBRARY},
    };
    (void)state;
    assert_owners(maker_new(), places, sizeof places / sizeof *places);
}

static void native_and_kernel_frames_are_known_by_their_kind(void **state)
{
    (void)state;
    struct maker *maker = maker_new();
    pr_frame_id native = maker_frame(maker, "malloc", "/home/me/app.py", 1, PR_FRAME_NATIVE);
    pr_frame_id kernel = maker_frame(maker, "do_page_fault", "", 0, PR_FRAME_KERNEL);
    pr_frame_id made_up = maker_frame(maker, "[idle]", "", 0, PR_FRAME_OTHER);
    struct pr_profile *profile = maker_finish(maker);
    assert_int_equal(pr_owner_of(profile, native), PR_OWNER_NATIVE);
    assert_int_equal(pr_owner_of(profile, kernel), PR_OWNER_KERNEL);
    assert_int_equal(pr_owner_of(profile, made_up), PR_OWNER_NATIVE); /* at least not the user's */
    pr_profile_free(profile);
}

static void runners_and_the_import_system_are_known(void **state)
{
    static const struct place places[] = {
        {"<frozen runpy>", PR_ROLE_RUNNER},
        {"/usr/lib/python3.8/runpy.py", PR_ROLE_RUNNER},
        {"/venv/lib/python3.11/site-packages/memray/commands/run.py", PR_ROLE_RUNNER},
        {"/venv/lib/python3.11/site-packages/memray/__main__.py", PR_ROLE_RUNNER},
        {"/venv/lib/python3.11/site-packages/pyinstrument/__main__.py", PR_ROLE_RUNNER},
        {"/venv/bin/pyinstrument", PR_ROLE_RUNNER},
        {"/venv/lib/python3.11/site-packages/viztracer/main.py", PR_ROLE_RUNNER},
        {"/venv/lib/python3.11/site-packages/viztracer/tracer.py", 0},
        {"/venv/bin/pytest", 0},
        {"<frozen importlib._bootstrap>", PR_ROLE_IMPORT},
        {"<frozen importlib._bootstrap_external>", PR_ROLE_IMPORT},
        {"/usr/lib/python3.8/importlib/_bootstrap.py", PR_ROLE_IMPORT},
        {"/usr/lib/python3.8/importlib/metadata.py", 0},
        {"/home/me/myrunpy.py", 0},
        {"/home/me/memray/app.py", 0},
        {"/home/me/app/__main__.py", 0},
        {"", 0},
    };
    (void)state;
    const size_t count = sizeof places / sizeof *places;
    struct maker *maker = maker_new();
    for (size_t i = 0; i < count; i++)
        maker_frame(maker, "f", places[i].file, 1, PR_FRAME_PYTHON);
    pr_frame_id opcode = maker_frame(maker, "import_name", "/src/Python/ceval.c", 9, PR_FRAME_NATIVE);
    pr_frame_id other = maker_frame(maker, "import_name", "/src/mine.c", 9, PR_FRAME_NATIVE);
    const pr_frame_id builtins[] = {
        maker_frame(maker, "<built-in method builtins.exec>", "", 0, PR_FRAME_NATIVE), /* cProfile */
        maker_frame(maker, "builtins.__import__", "", 0, PR_FRAME_NATIVE),             /* viztracer */
        maker_frame(maker, "builtins.exec", "/src/mine.c", 4, PR_FRAME_NATIVE),
        maker_frame(maker, "<built-in method builtins.compile>", "", 0, PR_FRAME_NATIVE)};
    const pr_frame_id seen[] = {
        maker_frame(maker, "process 2370:\"python x.py\"", "", 0, PR_FRAME_NATIVE),
        maker_frame(maker, "thread (2418): worker", "", 0, PR_FRAME_NATIVE),
        maker_frame(maker, "process 12", "", 0, PR_FRAME_NATIVE),
        maker_frame(maker, "process orders:", "", 0, PR_FRAME_NATIVE),
        maker_frame(maker, "thread (2418): worker", "app.py", 3, PR_FRAME_PYTHON)};
    struct pr_profile *profile = maker_finish(maker);
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        assert_int_equal(pr_role_of(profile, seen[i]), i < 2 ? PR_ROLE_RUNNER | PR_ROLE_PROFILER : 0);
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        assert_int_equal(pr_role_of(profile, builtins[i]), i < 2 ? PR_ROLE_IMPORT : 0);
    for (pr_frame_id i = 0; i < count; i++)
        if ((int)pr_role_of(profile, i) != places[i].is)
            fail_msg("%s: role %u, expected %d", places[i].file, pr_role_of(profile, i), places[i].is);
    assert_int_equal(pr_role_of(profile, opcode), PR_ROLE_IMPORT);
    assert_int_equal(pr_role_of(profile, other), 0);
    pr_profile_free(profile);
}

static void the_statement_of_a_profiler_is_a_runner(void **state)
{
    static const struct {
        const char *format, *function;
        unsigned role;
    } cases[] = {{"pstats", "f", PR_ROLE_RUNNER},
                 {"pyinstrument", "run_path", PR_ROLE_RUNNER},
                 {"trace-event", "run_module", PR_ROLE_RUNNER},
                 {"trace-event", "_run_module_as_main", 0}, /* python -c, seen by py-spy */
                 {"memray", "run_module", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct maker *maker = maker_new();
        const pr_frame_id statement = maker_frame(maker, "<module>", "<string>", 1, PR_FRAME_PYTHON);
        const pr_frame_id made = maker_frame(maker, "__init__", "<string>", 2, PR_FRAME_PYTHON);
        maker_frame(maker, cases[i].function, "<frozen runpy>", 1, PR_FRAME_PYTHON);
        maker_meta(maker)->format = cases[i].format;
        struct pr_profile *profile = maker_finish(maker);
        assert_int_equal(pr_role_of(profile, statement), cases[i].role);
        assert_int_equal(pr_role_of(profile, made), 0);
        pr_profile_free(profile);
    }
}

static void owners_have_names_for_people(void **state)
{
    (void)state;
    assert_string_equal(pr_owner_name(PR_OWNER_MINE), "my code");
    assert_string_equal(pr_owner_name(PR_OWNER_KERNEL), "kernel");
    assert_string_equal(pr_owner_name(PR_OWNER_COUNT), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_paths_the_look_of_installed_trees_decides),
        cmocka_unit_test(paths_of_the_header_decide),
        cmocka_unit_test(scripts_that_came_with_a_library_are_its_own),
        cmocka_unit_test(names_in_angles_are_of_the_interpreter_the_user_or_a_library),
        cmocka_unit_test(native_and_kernel_frames_are_known_by_their_kind),
        cmocka_unit_test(runners_and_the_import_system_are_known),
        cmocka_unit_test(the_statement_of_a_profiler_is_a_runner),
        cmocka_unit_test(owners_have_names_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
