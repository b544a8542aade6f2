/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The choice among readers: every sample, and every file of the collection next to the project's root, if it exists, is
 * claimed by one reader far ahead of the others, and reads the same in each packing.
 */
#include "profrender/load.h"
#include "tests/support/unit.h"

#include "capture/builder/reader.h"
#include "tests/support/capture_writer.h"
#include "tests/support/invariants.h"
#include "tests/support/packing.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MARGIN_BITS = 8 };

static const char *const folders[] = {"samples", "samples/cpu"};
static const char collection[] = "../shared/captures/cpu";

static bool ends(const char *name, const char *end)
{
    size_t length = strlen(name), size = strlen(end);
    return length >= size && !strcmp(name + length - size, end);
}

/* Expected results, scripts and pages are next to the captures. */
static bool is_capture(const char *path)
{
    static const char *const others[] = {"expected.json", "profrender-check.json", ".md", ".c", ".sh", ".py"};
    struct stat stat_of;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (ends(path, others[i]))
            return false;
    return stat(path, &stat_of) == 0 && S_ISREG(stat_of.st_mode);
}

/* Calls CHECK for every capture in FOLDER; returns how many there are. */
static size_t each_capture(const char *folder, void (*check)(const char *path))
{
    DIR *directory = opendir(folder);
    size_t count = 0;
    if (!directory)
        return 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!is_capture(path))
            continue;
        check(path);
        count++;
    }
    closedir(directory);
    return count;
}

/* The folders of the collection are its formats; one has the programs that were recorded. */
static void each_of_collection(void (*check)(const char *path))
{
    DIR *directory = opendir(collection);
    if (!directory)
        return;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", collection, entry->d_name);
        if (*entry->d_name != '.' && strcmp(entry->d_name, "programs"))
            each_capture(path, check);
    }
    closedir(directory);
}

static void one_reader_claims(const char *path)
{
    struct pr_source *src;
    struct pr_error err = {0};
    const char *best_name = "nobody", *second_name = "nobody";
    unsigned best = 0, second = 0;
    if (pr_source_open(path, NULL, &src, &err) == PR_FAILED)
        fail_msg("%s: %s", path, err.text);
    for (size_t i = 0; pr_format_name(i); i++) {
        const struct pr_reader *reader;
        struct pr_error not_this = {0};
        pr_reader_choose(src, pr_format_name(i), &reader, &not_this);
        assert_non_null(reader);
        unsigned bits = reader->probe(src);
        if (bits > best) {
            second = best;
            second_name = best_name;
            best = bits;
            best_name = reader->name;
        } else if (bits > second) {
            second = bits;
            second_name = reader->name;
        }
    }
    pr_source_close(src);
    if (!best || second + MARGIN_BITS > best)
        fail_msg("%s: %s has %u bits of evidence, %s %u", path, best_name, best, second_name, second);
}

static void every_capture_has_one_reader(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_true(each_capture(folders[i], one_reader_claims) > 0);
    each_of_collection(one_reader_claims);
}

static struct bytes read_file(const char *path)
{
    struct bytes bytes = {0};
    char block[65536];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t got = fread(block, 1, sizeof block, file); got; got = fread(block, 1, sizeof block, file))
        bytes_append(&bytes, block, got);
    fclose(file);
    return bytes;
}

static struct pr_profile *load(const char *path, struct bytes bytes)
{
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    if (pr_load_memory("", bytes.at, bytes.length, NULL, &profile, &err) == PR_FAILED)
        fail_msg("%s: %s", path, err.text);
    check_invariants(profile);
    return profile;
}

static void assert_same(const struct pr_profile *a, const struct pr_profile *b)
{
    assert_string_equal(a->meta.format, b->meta.format);
    assert_int_equal(a->complete, b->complete);
    assert_int_equal(a->fact_count, b->fact_count);
    assert_int_equal(a->tree.count, b->tree.count);
    assert_int_equal(a->slice_count, b->slice_count);
    assert_int_equal(a->metric_count, b->metric_count);
    for (uint32_t i = 0; i < a->metric_count; i++)
        assert_int_equal(a->metrics[i].total_value, b->metrics[i].total_value);
}

/* Without its name, too: all that the reader gets are bytes. */
static void packing_changes_nothing(const char *path)
{
    struct bytes plain = read_file(path);
    struct pr_profile *profile = load(path, plain);
    for (size_t i = 0; i < PACKING_COUNT; i++) {
        struct bytes packed = packings[i].pack(plain);
        struct pr_profile *again = load(path, packed);
        assert_same(profile, again);
        pr_profile_free(again);
        bytes_free(&packed);
    }
    pr_profile_free(profile);
    bytes_free(&plain);
}

static void every_capture_may_be_packed(void **state)
{
    (void)state;
    each_capture("samples/cpu", packing_changes_nothing);
    each_of_collection(packing_changes_nothing);
}

/* A binary file is recognised by its magic, whatever the texts in it look like. */
static void a_line_within_a_capture_does_not_make_it_a_report(void **state)
{
    (void)state;
    struct capture capture;
    struct pr_profile *profile;
    struct pr_error err = {0};
    capture_begin(&capture, &(struct capture_head){.version = 13, .command_line = "a\n\tCommand being timed: \"b\"\n"});
    capture_end(&capture);
    assert_int_equal(pr_load_memory("made", capture.out.bytes, capture.out.length, NULL, &profile, &err), PR_OK);
    assert_string_equal(profile->meta.format, "memray");
    pr_profile_free(profile);
    capture_clear(&capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_capture_has_one_reader),
        cmocka_unit_test(every_capture_may_be_packed),
        cmocka_unit_test(a_line_within_a_capture_does_not_make_it_a_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
