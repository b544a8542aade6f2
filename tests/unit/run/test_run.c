/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a run as one profile: archives, clocks, which source wins. */
#include "tests/support/unit.h"

#include "profrender/buf.h"
#include "profrender/load.h"
#include "profrender/assemble.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/invariants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMELINE                                                                                                       \
    "{\"type\":\"start\",\"t\":1000,\"argv\":[\"./job\"],\"pid\":7}\n{\"ts\":1,\"rss_mb\":4}\n"                        \
    "{\"type\":\"end\",\"t\":1002,\"exit\":1,\"signal\":null}\n"
#define PSRECORD "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n 0.5 10 1 2\n"
#define TRACEBACK "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nValueError: no rows\n"
#define STACKS "main (a.py:1);f (a.py:3) 4\n"
#define MPROF "MEM 1 1000.5\nMEM 3 1001.5\nFUNC a.f 1 1000.5 2 1001\n"

static struct pr_profile *load(const char *name, const char *text)
{
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    assert_int_not_equal(pr_load_memory(name, text, strlen(text), NULL, &profile, &err), PR_FAILED);
    return profile;
}

/* The files of FILES, pairs of a name and a content, as one profile. */
static struct pr_profile *join(const char *const (*files)[2], size_t count)
{
    struct pr_assemble *j;
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    assert_int_equal(pr_assemble_new(&j, &err), PR_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pr_assemble_add(j, load(files[i][0], files[i][1]), files[i][0], &err), PR_OK);
    assert_int_equal(pr_assemble_finish(j, &profile, &err), PR_OK);
    pr_assemble_free(j);
    check_invariants(profile);
    return profile;
}

static const char *text_of(const struct pr_profile *profile, pr_str string)
{
    return pr_profile_text(profile, string).bytes;
}

static void files_complete_one_another(void **state)
{
    static const char *const files[][2] = {{"cpu.folded", STACKS},
                                           {"notes.md", "# Why\n"},
                                           {"run.json", "{\"schema\":\"profrender/run/1\",\"name\":\"Night\","
                                                        "\"task\":7}"},
                                           {"stderr.log", TRACEBACK},
                                           {"timeline.jsonl", TIMELINE}};
    (void)state;
    struct pr_profile *profile = join(files, 5);
    assert_string_equal(profile->meta.format, "collapsed");
    assert_int_equal(profile->metric_count, 1);
    assert_int_equal(profile->meta.start_ms.value, 1000000);
    assert_string_equal(text_of(profile, profile->meta.command_line), "./job");
    assert_string_equal(text_of(profile, profile->run.name), "Night");
    assert_string_equal(text_of(profile, profile->run.task), "7");
    assert_string_equal(text_of(profile, profile->run.notes), "# Why\n");
    const struct pr_failure *failure = &profile->run.failure;
    assert_int_equal(failure->exit.value, 1);
    assert_int_equal(failure->exception_count, 1);
    assert_string_equal(text_of(profile, failure->exceptions[0].type), "ValueError");
    assert_int_equal(failure->exceptions[0].frames[0].line, 3);
    assert_int_equal(pr_profile_series(profile, "rss"), 0);
    pr_profile_free(profile);
}

static void what_has_no_date_has_no_place(void **state)
{
    static const char *const files[][2] = {{"a.txt", PSRECORD}, {"timeline.jsonl", TIMELINE}};
    (void)state;
    struct pr_profile *profile = join(files, 2);
    assert_int_equal(profile->series_count, 1);
    assert_false(profile->meta.no_date);
    assert_string_equal(profile->notes[0],
                        "the file a.txt is left out: it has no date that aligns it with the others");
    pr_profile_free(profile);
    profile = join(files, 1);
    assert_true(profile->meta.no_date);
    assert_int_equal(profile->series_count, 3);
    pr_profile_free(profile);
}

static void a_process_is_shown_next_to_the_tree(void **state)
{
    static const char *const files[][2] = {{"a.dat", MPROF}, {"timeline.jsonl", TIMELINE}};
    (void)state;
    struct pr_profile *profile = join(files, 2);
    const int tree = pr_profile_series(profile, "rss"), captured = pr_profile_series(profile, "rss_captured");
    assert_int_equal(profile->series[tree].value[0], 4 << 20);
    assert_int_equal(profile->series[captured].value[1], 3 << 20);
    assert_int_equal(profile->meta.start_ms.value, 1000000);
    assert_int_equal(profile->meta.end_ms.value, 1002000);
    pr_profile_free(profile);
}

static void a_good_end_makes_words_no_failure(void **state)
{
    static const char good[] = "{\"type\":\"start\",\"t\":1}\n{\"type\":\"end\",\"t\":2,\"exit\":0}\n";
    static const char *const files[][2] = {{"stderr.log", TRACEBACK}, {"timeline.jsonl", good}};
    (void)state;
    struct pr_profile *profile = join(files, 2);
    assert_false(pr_failure_is_one(&profile->run.failure));
    assert_int_equal(profile->run.failure.oom, PR_OOM_NO);
    pr_profile_free(profile);
}

static void nothing_is_not_a_run(void **state)
{
    struct pr_assemble *j;
    struct pr_profile *profile;
    struct pr_error err = {0};
    (void)state;
    assert_int_equal(pr_assemble_new(&j, &err), PR_OK);
    assert_int_equal(pr_assemble_finish(j, &profile, &err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_EMPTY);
    pr_assemble_free(j);
}

/* ---- archives --------------------------------------------------------------------------------------------------- */

enum { BLOCK = 512 };

static void add_member(struct pr_buf *tar, const char *name, char type, const char *content)
{
    char header[BLOCK] = "";
    unsigned sum = 0;
    const size_t length = strlen(content), rest = (BLOCK - length % BLOCK) % BLOCK;
    snprintf(header, 100, "%s", name);
    snprintf(header + 124, 12, "%011o", (unsigned)length & 0xFFFFu);
    memset(header + 148, ' ', 8);
    header[156] = type;
    memcpy(header + 257, "ustar", 6);
    memcpy(header + 263, "00", 2);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)header[i];
    snprintf(header + 148, 8, "%06o", sum & 0x3FFFFu);
    pr_buf_add(tar, header, BLOCK);
    pr_buf_add(tar, content, length);
    for (size_t i = 0; i < rest; i++)
        pr_buf_byte(tar, 0);
}

static struct pr_buf make_archive(void)
{
    struct pr_buf tar = {0};
    add_member(&tar, "run/", '5', "");
    add_member(&tar, "run/stderr.log", '0', TRACEBACK);
    add_member(&tar, "run/empty.log", '0', "");
    add_member(&tar, "pax", 'x', "19 path=run/a.jsonl\n");
    add_member(&tar, "short", '0', TIMELINE);
    add_member(&tar, "././@LongLink", 'L', "run/other.md");
    add_member(&tar, "cut", '0', "# Why\n");
    for (size_t i = 0; i < 2 * BLOCK; i++)
        pr_buf_byte(&tar, 0);
    assert_false(tar.failed);
    return tar;
}

static void archives_are_runs(void **state)
{
    struct pr_buf tar = make_archive();
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    (void)state;
    assert_int_equal(pr_load_memory("run.tar", tar.bytes, tar.length, NULL, &profile, &err), PR_OK);
    assert_string_equal(profile->meta.format, "timeline");
    assert_string_equal(text_of(profile, profile->run.notes), "# Why\n");
    assert_int_equal(profile->run.failure.exception_count, 1);
    pr_profile_free(profile);
    pr_buf_clear(&tar);
}

/* Cut anywhere: refused, or read up to there, with the reason. */
static void cut_archives_keep_what_came_before(void **state)
{
    struct pr_buf tar = make_archive();
    (void)state;
    for (size_t length = 1; length < tar.length - 2 * BLOCK; length += 97) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        const enum pr_status status = pr_load_memory("run.tar", tar.bytes, length, NULL, &profile, &err);
        assert_int_equal(status == PR_FAILED, profile == NULL);
        assert_int_equal(status == PR_OK, err.code == PR_ERR_NONE);
        if (profile)
            check_invariants(profile);
        pr_profile_free(profile);
    }
    pr_buf_clear(&tar);
}

static void without_memory_it_fails(void **state)
{
    struct pr_buf tar = make_archive();
    (void)state;
    for (unsigned long n = 1;; n++) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        const enum pr_status status = pr_load_memory("run.tar", tar.bytes, tar.length, NULL, &profile, &err);
        const bool failed = alloc_fail_stop();
        pr_profile_free(profile);
        if (!failed)
            break;
        assert_int_equal(status, PR_FAILED);
        assert_int_equal(err.code, PR_ERR_MEMORY);
        assert_null(profile);
    }
    pr_buf_clear(&tar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_complete_one_another),       cmocka_unit_test(what_has_no_date_has_no_place),
        cmocka_unit_test(a_process_is_shown_next_to_the_tree), cmocka_unit_test(a_good_end_makes_words_no_failure),
        cmocka_unit_test(nothing_is_not_a_run),                cmocka_unit_test(archives_are_runs),
        cmocka_unit_test(cut_archives_keep_what_came_before), cmocka_unit_test(without_memory_it_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
