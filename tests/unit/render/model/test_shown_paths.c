/* SPDX-License-Identifier: Apache-2.0 */
/* Paths as a page shows them: mapped, and without folders that reveal who ran it. */
#include "render/card.h"
#include "tests/support/unit.h"

#include "capture/run/traceback.h"
#include "render/page/page.h"
#include "render/sections/raise_site.h"
#include "render/page/source_links.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/profile_maker.h"

#include <string.h>

#define TEXT(words)                                                                                                    \
    {                                                                                                                  \
        words, sizeof(words) - 1                                                                                       \
    }

static void set_map(struct pr_card_options *options, const struct pr_path_map *maps, uint32_t count)
{
    options->path_maps = maps;
    options->path_map_count = count;
}

static struct pr_profile *one_frame(const char *file)
{
    struct maker *maker = maker_new();
    maker_meta(maker)->command_line =
        maker_string(maker, "/home/me/bin/run --out=/home/me/x https://h/a/b /srv/job.py");
    unsigned peak = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    pr_node_id node = maker_node(maker, PR_ROOT, maker_frame(maker, "main", file, 7, PR_FRAME_PYTHON));
    maker_value(maker, maker_fact(maker, node, 0, PR_ALLOC_MALLOC), peak, 10, 1);
    return maker_finish(maker);
}

/* The only file of a page, as it is shown with OPTIONS; LINK is its address with a line. */
static void assert_shown(const char *file, const struct pr_card_options *options, const char *shown, const char *link)
{
    struct pr_profile *profile = one_frame(file);
    struct pr_page page;
    struct pr_buf url = {0};
    assert_int_equal(pr_page_make(&page, profile, options, NULL), PR_OK);
    assert_string_equal(pr_profile_text(page.profile, page.profile->frames[page.profile->tree.frame[1]].file).bytes,
                        shown);
    pr_code_link(&page, 1, 7, &url);
    if (link)
        assert_non_null(strstr(url.bytes, link));
    else
        assert_int_equal(url.length, 0);
    pr_buf_clear(&url);
    pr_page_clear(&page);
    pr_profile_free(profile);
}

static void folders_are_mapped_whole(void **state)
{
    (void)state;
    struct pr_card_options options = pr_card_options_default();
    set_map(&options, &(struct pr_path_map){TEXT("/app"), TEXT("/home/me/work")}, 1);
    assert_shown("/app/jobs/etl.py", &options, "/home/me/work/jobs/etl.py", NULL);
    assert_shown("/application/etl.py", &options, "/application/etl.py", NULL);
    assert_shown("app/etl.py", &options, "app/etl.py", NULL);
}

static void slashes_at_the_end_of_folders_are_nothing(void **state)
{
    (void)state;
    struct pr_card_options options = pr_card_options_default();
    set_map(&options, &(struct pr_path_map){TEXT("/app/"), TEXT("/src")}, 1);
    assert_shown("/app/jobs/etl.py", &options, "/src/jobs/etl.py", NULL);
    set_map(&options, &(struct pr_path_map){TEXT("/app"), TEXT("/src//")}, 1);
    assert_shown("/app/jobs/etl.py", &options, "/src/jobs/etl.py", NULL);
    set_map(&options, &(struct pr_path_map){TEXT("/"), TEXT("/image")}, 1);
    assert_shown("/app/etl.py", &options, "/image/app/etl.py", NULL);
    assert_shown("<string>", &options, "<string>", NULL);
    set_map(&options, &(struct pr_path_map){TEXT("/app"), TEXT("/")}, 1);
    assert_shown("/app/etl.py", &options, "/etl.py", NULL);
}

static void of_several_maps_the_longest_that_fits_counts(void **state)
{
    const struct pr_path_map maps[] = {{TEXT("/app/libs/"), TEXT("/src/libs")},
                                       {TEXT("/app"), TEXT("/src/app")},
                                       {TEXT("/src"), TEXT("/never/twice")},
                                       {TEXT("/opt"), TEXT("/first")},
                                       {TEXT("/opt/"), TEXT("/last")}};
    (void)state;
    struct pr_card_options options = pr_card_options_default();
    set_map(&options, maps, sizeof maps / sizeof *maps);
    assert_shown("/app/etl.py", &options, "/src/app/etl.py", NULL);
    assert_shown("/app/libs/io.py", &options, "/src/libs/io.py", NULL);
    assert_shown("/app/libs2/io.py", &options, "/src/app/libs2/io.py", NULL);
    assert_shown("/opt/x.py", &options, "/last/x.py", NULL);
}

/* Where it was raised is shown as the code in the graph is. */
static void the_frames_of_a_failure_are_mapped_too(void **state)
{
    (void)state;
    struct pr_card_options options = pr_card_options_default();
    struct pr_profile *profile = one_frame("/app/etl.py");
    const struct pr_text traceback = TEXT("Traceback (most recent call last):\n  File \"/app/other.py\", line 3, in f\n"
                                          "ValueError: bad\n");
    struct pr_page page;
    assert_int_equal(pr_traceback_read(profile, traceback, &profile->run.failure, NULL), PR_OK);
    set_map(&options, &(struct pr_path_map){TEXT("/app"), TEXT("/src")}, 1);
    assert_int_equal(pr_page_make(&page, profile, &options, NULL), PR_OK);
    assert_string_equal(pr_profile_text(page.profile, page.profile->run.failure.exceptions[0].frames[0].file).bytes,
                        "/src/other.py");
    pr_page_clear(&page);
    pr_profile_free(profile);
}

/* A path without its folders does not show whose it is. */
static void whose_code_raised_is_known_without_folders_too(void **state)
{
    (void)state;
    struct pr_card_options options = pr_card_options_default();
    struct pr_profile *profile = one_frame("/usr/lib/python3.12/site-packages/np/x.py");
    const struct pr_text traceback = TEXT("Traceback (most recent call last):\n"
                                          "  File \"/home/me/etl.py\", line 3, in f\n"
                                          "  File \"/usr/lib/python3.12/site-packages/np/x.py\", line 9, in g\n"
                                          "ValueError: bad\n");
    struct pr_page page;
    assert_int_equal(pr_traceback_read(profile, traceback, &profile->run.failure, NULL), PR_OK);
    options.redact_paths = true;
    assert_int_equal(pr_page_make(&page, profile, &options, NULL), PR_OK);
    const struct pr_raise_site raised = pr_raise_site_find(&page, 0);
    assert_int_equal(raised.innermost->line, 9);
    assert_non_null(raised.own);
    assert_int_equal(raised.own->line, 3);
    pr_page_clear(&page);
    pr_profile_free(profile);
}

static void a_comprehension_that_raised_counts_for_the_function_around_it(void **state)
{
    (void)state;
    struct pr_profile *profile = one_frame("/app/etl.py");
    const struct pr_text traceback = TEXT("Traceback (most recent call last):\n"
                                          "  File \"/app/etl.py\", line 3, in f\n"
                                          "  File \"/app/other.py\", line 5, in <dictcomp>\n"
                                          "  File \"/app/etl.py\", line 8, in g\n"
                                          "  File \"/app/etl.py\", line 9, in <dictcomp>\n"
                                          "  File \"/app/etl.py\", line 9, in <listcomp>\n"
                                          "IndexError: bad\n");
    static const char *const functions[] = {"f", "<dictcomp>", "g", "g", "g"};
    assert_int_equal(pr_traceback_read(profile, traceback, &profile->run.failure, NULL), PR_OK);
    const struct pr_exception *exception = &profile->run.failure.exceptions[0];
    assert_int_equal(exception->frame_count, 5);
    for (uint32_t i = 0; i < exception->frame_count; i++) {
        const struct pr_text name = pr_raise_site_function(profile, exception, &exception->frames[i]);
        assert_string_equal(name.bytes, functions[i]);
    }
    pr_profile_free(profile);
}

static void what_is_installed_below_the_root_is_not_ones_own(void **state)
{
    static const struct {
        const char *root, *file;
        bool is_own;
    } places[] = {
        {"/app", "/app/jobs/etl.py", true},
        {"/app", "/app/venv/bin/celery", false},
        {"/app", "/app/venv/lib/python3.12/site-packages/np/x.py", false},
        {"/app/venv/bin", "/app/venv/bin/celery", true},
        {"/usr/lib/python3.12/site-packages/jobs", "/usr/lib/python3.12/site-packages/jobs/etl.py", true},
        {"/usr/lib/python3.12/site-packages/jobs", "/usr/lib/python3.12/site-packages/np/x.py", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct pr_profile *profile = one_frame(places[i].file);
        struct pr_traits traits;
        assert_int_equal(pr_traits_make(profile, places[i].root, &traits, NULL), PR_OK);
        if (pr_traits_is_own(&traits, 0) != places[i].is_own)
            fail_msg("%s with the root %s", places[i].file, places[i].root);
        pr_traits_clear(&traits);
        pr_profile_free(profile);
    }
}

static void links_name_files_from_the_root(void **state)
{
    (void)state;
    struct pr_card_options options = pr_card_options_default();
    options.source_url = "https://h/{file}#L{line}";
    options.root = "/app";
    assert_shown("/app/a b.py", &options, "/app/a b.py", "'https://h/a%20b.py#L7'");
    assert_shown("/app/venv/lib/python3.12/site-packages/np/x.py", &options,
                 "/app/venv/lib/python3.12/site-packages/np/x.py", NULL);
    assert_shown("/srv/etl.py", &options, "/srv/etl.py", NULL);
    assert_shown("jobs/etl.py", &options, "jobs/etl.py", "'https://h/jobs/etl.py#L7'");
    options.root = NULL;
    assert_shown("/app/etl.py", &options, "/app/etl.py", "'https://h/app/etl.py#L7'");
    set_map(&options, &(struct pr_path_map){TEXT("/app"), TEXT("/jobs")}, 1);
    options.root = "/jobs";
    assert_shown("/app/etl.py", &options, "/jobs/etl.py", "'https://h/etl.py#L7'");
}

static void a_shown_path_says_nothing_of_a_person(void **state)
{
    (void)state;
    struct pr_card_options options = pr_card_options_default();
    options.redact_paths = true;
    options.source_url = "https://h/{file}#L{line}";
    assert_shown("/home/me/etl.py", &options, "etl.py", NULL);
    assert_shown("~/etl.py", &options, "etl.py", NULL);
    assert_shown("../../me/etl.py", &options, "etl.py", NULL);
    assert_shown("jobs/etl.py", &options, "jobs/etl.py", NULL);
    assert_shown("C:\\Users\\me\\etl.py", &options, "etl.py", NULL);
    assert_shown("<string>", &options, "<string>", NULL);
    assert_shown("/home/me/venv/lib/python3.12/site-packages/np/core/x.py", &options, "np/core/x.py", NULL);
    assert_shown("/usr/lib/python3.12/json/decoder.py", &options, "json/decoder.py", NULL);
    options.root = "/home/me/work";
    assert_shown("/home/me/work/jobs/etl.py", &options, "jobs/etl.py", "'https://h/jobs/etl.py#L7'");
    assert_shown("/home/me/work/venv/lib/python3.12/site-packages/np/x.py", &options, "np/x.py", NULL);
}

static void words_of_the_command_line_lose_their_folders(void **state)
{
    (void)state;
    struct pr_card_options options = pr_card_options_default();
    options.redact_paths = true;
    struct pr_profile *profile = one_frame("x.py");
    struct pr_page page;
    assert_int_equal(pr_page_make(&page, profile, &options, NULL), PR_OK);
    assert_string_equal(pr_profile_text(page.profile, page.profile->meta.command_line).bytes,
                        "run --out=x https://h/a/b job.py");
    pr_page_clear(&page);
    pr_profile_free(profile);
}

static bool read_hostile(void *context, const char *path, size_t most_bytes, struct pr_buf *text)
{
    assert_true(most_bytes >= 64);
    assert_string_equal(path, context);
    pr_buf_text(text, "a\tb\r\n</script>\n\x01\xff");
    return true;
}

static void out_of_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    struct pr_card_options options = pr_card_options_default();
    char path[] = "etl.py";
    options.redact_paths = true;
    set_map(&options, &(struct pr_path_map){TEXT("/app"), TEXT("/jobs")}, 1);
    options.root = "/jobs";
    options.source_url = "https://h/{file}#L{line}";
    options.read_source = read_hostile;
    options.read_context = path;
    struct pr_profile *profile = one_frame("/app/etl.py");
    enum pr_status status = PR_FAILED;
    for (unsigned n = 1; status == PR_FAILED; n++) {
        struct pr_buf page = {0};
        struct pr_error err = {0};
        alloc_fail_at(n);
        status = pr_render_card(profile, &options, &page, &err);
        alloc_fail_stop();
        if (status == PR_FAILED)
            assert_int_equal(err.code, PR_ERR_MEMORY);
        else
            assert_non_null(strstr(page.bytes, "id=\"pr-sources\""));
        pr_buf_clear(&page);
    }
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_are_mapped_whole),
        cmocka_unit_test(slashes_at_the_end_of_folders_are_nothing),
        cmocka_unit_test(of_several_maps_the_longest_that_fits_counts),
        cmocka_unit_test(the_frames_of_a_failure_are_mapped_too),
        cmocka_unit_test(whose_code_raised_is_known_without_folders_too),
        cmocka_unit_test(a_comprehension_that_raised_counts_for_the_function_around_it),
        cmocka_unit_test(what_is_installed_below_the_root_is_not_ones_own),
        cmocka_unit_test(links_name_files_from_the_root),
        cmocka_unit_test(a_shown_path_says_nothing_of_a_person),
        cmocka_unit_test(words_of_the_command_line_lose_their_folders),
        cmocka_unit_test(out_of_memory_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests_name("shown_paths", tests, NULL, NULL);
}
