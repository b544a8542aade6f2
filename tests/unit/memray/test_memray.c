/* SPDX-License-Identifier: Apache-2.0 */
/* memray captures of all versions: what their records mean, and what a broken rule costs. */
#include "tests/support/unit.h"

#include "profrender/load.h"
#include "profrender/objects.h"
#include "tests/support/invariants.h"
#include "tests/support/packing.h"
#include "tests/support/profile_text.h"
#include "tests/support/random_capture.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_VERSION = 6, LAST_VERSION = 13 };

static enum pr_status load_with(const struct capture *capture, const struct pr_load_options *options,
                                struct pr_profile **profile, struct pr_error *err)
{
    enum pr_status status =
        pr_load_memory("made", capture->out.bytes, capture->out.length, options, profile, err);
    if (*profile)
        check_invariants(*profile);
    return status;
}

/* The capture as a profile; it must be whole. */
static struct pr_profile *load(const struct capture *capture)
{
    struct pr_profile *profile;
    struct pr_error err = {0};
    if (load_with(capture, NULL, &profile, &err) != PR_OK)
        fail_msg("%s: %s", err.doing, err.text);
    return profile;
}

/* The capture up to where it breaks: ERR says what was wrong with the record DOING. */
static struct pr_profile *load_broken(const struct capture *capture, enum pr_error_code code, const char *doing)
{
    struct pr_profile *profile;
    struct pr_error err = {0};
    assert_int_equal(load_with(capture, NULL, &profile, &err), PR_CUT);
    assert_int_equal(err.code, code);
    assert_string_equal(err.doing, doing);
    assert_false(profile->complete);
    assert_memory_equal(&profile->problem, &err, sizeof err);
    return profile;
}

static struct capture begin(int version)
{
    struct capture capture;
    capture_begin(&capture, &(struct capture_head){.version = version});
    capture_thread(&capture, 1);
    return capture;
}

/* One allocation, so that something precedes what breaks. */
static struct capture begin_with_allocation(int version)
{
    struct capture capture = begin(version);
    capture_push(&capture, capture_frame(&capture, "main", "app.py", 3));
    capture_event(&capture, PR_ALLOC_MALLOC, 0x1000, 100, 0);
    return capture;
}

static void assert_one_allocation(const struct pr_profile *profile)
{
    assert_int_equal(profile->records.allocations, 1);
    assert_int_equal(profile->fact_count, 1);
    assert_true(profile->metrics[pr_profile_metric(profile, "leaked")].total_value == 100);
    assert_string_equal(
        pr_profile_text(profile, profile->frames[profile->tree.frame[profile->fact_leaf[0]]].function).bytes, "main");
}

/* ---- versions ---------------------------------------------------------------------------------------------------- */

static struct pr_buf text_of(const struct capture_head *head, uint64_t seed, unsigned records)
{
    struct pr_load_options options = pr_load_options_default();
    struct capture capture;
    struct pr_profile *profile;
    struct pr_buf text = {0};
    options.native = PR_NATIVE_OFF; /* hybrid stacks are made in another way up to version 8 */
    story_capture(&capture, head, seed, records);
    assert_int_equal(load_with(&capture, &options, &profile, NULL), PR_OK);
    profile_text(profile, &text);
    assert_int_equal(profile->meta.format_version, head->version);
    pr_profile_free(profile);
    capture_clear(&capture);
    return text;
}

/* Fails with the first line that is not the same. */
static void assert_same_text(int version, const struct pr_buf *found, const struct pr_buf *expected)
{
    size_t at = 0, start = 0;
    for (; found->bytes[at] == expected->bytes[at]; at++) {
        if (!found->bytes[at])
            return;
        start = found->bytes[at] == '\n' ? at + 1 : start;
    }
    fail_msg("version %d:\n%.*s\nshould be\n%.*s", version, (int)strcspn(found->bytes + start, "\n"),
             found->bytes + start, (int)strcspn(expected->bytes + start, "\n"), expected->bytes + start);
}

static void every_version_tells_the_same_run(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct capture_head head = {.version = LAST_VERSION, .native_traces = seed % 3 == 0};
        struct pr_buf newest = text_of(&head, seed, 600);
        for (head.version = FIRST_VERSION; head.version < LAST_VERSION; head.version++) {
            struct pr_buf text = text_of(&head, seed, 600);
            assert_same_text(head.version, &text, &newest);
            pr_buf_clear(&text);
        }
        pr_buf_clear(&newest);
    }
}

static void every_aggregated_version_tells_the_same_totals(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct capture_head head = {.version = LAST_VERSION, .aggregated = true, .native_traces = seed % 3 == 0};
        struct pr_buf newest = text_of(&head, seed, 80);
        for (head.version = 10; head.version < LAST_VERSION; head.version++) {
            struct pr_buf text = text_of(&head, seed, 80);
            assert_same_text(head.version, &text, &newest);
            pr_buf_clear(&text);
        }
        pr_buf_clear(&newest);
    }
}

static void a_packed_capture_is_the_same_capture(void **state)
{
    (void)state;
    const struct capture_head head = {.version = 13};
    struct capture capture;
    story_capture(&capture, &head, 5, 3000);
    struct pr_buf raw = text_of(&head, 5, 3000);
    struct bytes bytes = {(uint8_t *)capture.out.bytes, capture.out.length};
    for (unsigned i = 0; i < PACKING_COUNT; i++) {
        struct bytes packed = packings[i].pack(bytes);
        struct pr_profile *profile;
        struct pr_buf text = {0};
        assert_int_equal(pr_load_memory("packed", packed.at, packed.length, NULL, &profile, NULL), PR_OK);
        profile_text(profile, &text);
        assert_same_text(13, &text, &raw);
        assert_string_equal(profile->meta.compression, packings[i].name);
        pr_buf_clear(&text);
        pr_profile_free(profile);
        bytes_free(&packed);
    }
    pr_buf_clear(&raw);
    capture_clear(&capture);
}

static void assert_refused(int version, const char *text)
{
    struct capture capture = begin(version);
    struct pr_profile *profile;
    struct pr_error err = {0};
    assert_int_equal(load_with(&capture, NULL, &profile, &err), PR_FAILED);
    assert_null(profile);
    assert_int_equal(err.code, PR_ERR_UNSUPPORTED);
    assert_string_equal(err.text, text);
    capture_clear(&capture);
}

static void other_versions_are_named(void **state)
{
    (void)state;
    assert_refused(14, "header version 14; this build reads 6 to 13");
    assert_refused(5, "header version 5; this build reads 6 to 13");
    assert_refused(-1, "header version -1; this build reads 6 to 13");
}

/* Its header as memray 1.20 for i686 wrote it: counts, the thread and the frames above have 4 bytes each. */
static void a_capture_of_a_32_bit_process_is_refused(void **state)
{
    static const uint8_t counts[8] = {0x19, 0x08}, start[8] = {0x1e, 0x78, 0x31, 0x1f, 0xa2, 1},
                         end[8] = {0x52, 0x78, 0x31, 0x1f, 0xa2, 1};
    static const char head[] = "memray\0\r\0\0\0\xf0\x0f\x0b\x03\0",
                      rest[] = "mk.py m32.bin\0ZT\0\0\1\0\0\0\0\0\0\0\1\0\0/usr/lib/python3.11\0\0\0\1";
    (void)state;
    for (int is_finished = 0; is_finished < 2; is_finished++) {
        struct pr_buf file = {0};
        struct pr_profile *profile;
        struct pr_error err = {0};
        pr_buf_add(&file, head, sizeof head);
        pr_buf_add(&file, is_finished ? counts : (const uint8_t[8]){0}, 8);
        pr_buf_add(&file, start, 8);
        pr_buf_add(&file, is_finished ? end : start, 8);
        pr_buf_add(&file, rest, sizeof rest);
        assert_int_equal(pr_load_memory("m32.bin", (const uint8_t *)file.bytes, file.length, NULL, &profile, &err),
                         PR_FAILED);
        assert_int_equal(err.code, PR_ERR_UNSUPPORTED);
        assert_string_equal(err.text,
                            "a 32-bit process wrote this capture; only those of 64-bit processes are read");
        pr_buf_clear(&file);
    }
}

static void a_third_file_format_is_refused(void **state)
{
    (void)state;
    struct capture capture = begin(13);
    capture.out.bytes[capture.counts_at - 1] = 2;
    struct pr_profile *profile;
    struct pr_error err = {0};
    assert_int_equal(load_with(&capture, NULL, &profile, &err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_DAMAGED);
    capture_clear(&capture);
}

static void the_header_becomes_metadata(void **state)
{
    (void)state;
    const char *const site[] = {"/venv/lib/site-packages", NULL}, *const path[] = {"/srv", "/srv/lib", NULL};
    const struct capture_head head = {.version = 13, .native_traces = true, .python_version = 0x030E00F0,
                                      .command_line = "serve.py --fast", .main_tid = 7, .skipped_frames = 2,
                                      .stdlib_path = "/usr/lib/python3.14", .site_packages = site, .sys_path = path};
    struct capture capture;
    capture_begin(&capture, &head);
    capture_sample(&capture, 250, 4096);
    capture_end(&capture);
    struct pr_profile *profile = load(&capture);
    const struct pr_meta *meta = &profile->meta;
    assert_string_equal(pr_profile_text(profile, meta->command_line).bytes, "serve.py --fast");
    assert_string_equal(pr_profile_text(profile, meta->stdlib_path).bytes, "/usr/lib/python3.14");
    assert_int_equal(meta->site_packages_count, 1);
    assert_int_equal(meta->sys_path_count, 2);
    assert_string_equal(pr_profile_text(profile, meta->sys_path[1]).bytes, "/srv/lib");
    assert_true(meta->pid.known && meta->pid.value == 4321);
    assert_true(meta->start_ms.value == CAPTURE_START_MS && meta->end_ms.value == CAPTURE_START_MS + 250);
    assert_false(meta->end_is_last_sample);
    assert_true(meta->has_native_traces && !meta->aggregated && meta->python_unverified);
    assert_int_equal(meta->main_tid, 7);
    assert_int_equal(meta->skipped_frames, 2);
    assert_string_equal(meta->python_allocator, "pymalloc");
    pr_profile_free(profile);
    capture_clear(&capture);
}

/* ---- threads and stacks ------------------------------------------------------------------------------------------ */

static unsigned depth_of_fact(const struct pr_profile *profile, size_t fact)
{
    unsigned depth = 0;
    for (pr_node_id node = profile->fact_leaf[fact]; node != PR_ROOT; node = profile->tree.parent[node])
        depth++;
    return depth;
}

static void frames_above_the_tracker_are_left_out_on_the_main_thread(void **state)
{
    (void)state;
    struct capture capture;
    capture_begin(&capture, &(struct capture_head){.version = 13, .main_tid = 1, .skipped_frames = 2});
    uint64_t frame = capture_frame(&capture, "f", "app.py", 3);
    for (uint64_t tid = 1; tid <= 2; tid++) {
        capture_thread(&capture, tid);
        for (unsigned depth = 0; depth < 5; depth++) {
            capture_event(&capture, PR_ALLOC_MALLOC, 0x1000 * tid + 0x100 * depth, 1, 0);
            capture_push(&capture, frame);
        }
    }
    capture_end(&capture);
    struct pr_profile *profile = load(&capture);
    /* Depths 0 to 4 on either thread; the first three are all at the root on the main one. */
    assert_int_equal(profile->fact_count, 3 + 5);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(depth_of_fact(profile, i), i);
    assert_true(profile->metrics[pr_profile_metric(profile, "leaked")].count[0] == 3);
    for (size_t i = 3; i < 8; i++)
        assert_int_equal(depth_of_fact(profile, i), i - 3);
    pr_profile_free(profile);
    capture_clear(&capture);
}

static void how_a_frame_was_entered_does_not_part_it(void **state)
{
    (void)state;
    struct capture capture = begin(13);
    uint64_t frame = capture_frame(&capture, "f", "app.py", 3);
    for (unsigned entry = 0; entry < 2; entry++) {
        capture_push_at(&capture, frame, 0, entry);
        capture_event(&capture, PR_ALLOC_MALLOC, 0x1000 + 16 * entry, 10, 0);
        capture_pop(&capture, 1);
    }
    capture_end(&capture);
    struct pr_profile *profile = load(&capture);
    assert_int_equal(profile->fact_count, 1);
    assert_int_equal(profile->tree.count, 2);
    assert_true(profile->metrics[pr_profile_metric(profile, "leaked")].count[0] == 2);
    pr_profile_free(profile);
    capture_clear(&capture);
}

static void the_last_name_of_a_thread_counts(void **state)
{
    (void)state;
    for (int version = FIRST_VERSION; version <= LAST_VERSION; version++) {
        struct capture capture = begin(version);
        capture_thread_name(&capture, "Thread-1");
        capture_thread_name(&capture, "worker");
        capture_end(&capture);
        struct pr_profile *profile;
        load_with(&capture, NULL, &profile, NULL);
        assert_int_equal(profile->thread_count, 1);
        assert_string_equal(pr_profile_text(profile, profile->threads[0].name).bytes, "worker");
        pr_profile_free(profile);
        capture_clear(&capture);
    }
}

static void a_frame_that_was_never_defined_has_no_name(void **state)
{
    (void)state;
    for (int version = FIRST_VERSION; version <= LAST_VERSION; version++) {
        struct capture capture = begin(version);
        capture_push(&capture, 77);
        capture_event(&capture, PR_ALLOC_MALLOC, 0x1000, 100, 0);
        capture_end(&capture);
        struct pr_profile *profile = load(&capture);
        assert_int_equal(depth_of_fact(profile, 0), 1);
        const struct pr_frame *frame = &profile->frames[profile->tree.frame[profile->fact_leaf[0]]];
        assert_true(frame->function == 0 && frame->file == 0 && frame->line == 0);
        pr_profile_free(profile);
        capture_clear(&capture);
    }
}

static void of_two_definitions_of_a_code_object_the_first_counts(void **state)
{
    (void)state;
    static const uint8_t table[] = {0xd7, 0, 0};
    struct capture capture = begin(13);
    capture_code(&capture, 4, "first", "app.py", 1, table, sizeof table);
    capture_code(&capture, 4, "second", "app.py", 2, table, sizeof table);
    capture_push(&capture, 4);
    capture_event(&capture, PR_ALLOC_MALLOC, 0x1000, 100, 0);
    capture_end(&capture);
    struct pr_profile *profile = load(&capture);
    const struct pr_frame *frame = &profile->frames[profile->tree.frame[profile->fact_leaf[0]]];
    assert_string_equal(pr_profile_text(profile, frame->function).bytes, "first");
    pr_profile_free(profile);
    capture_clear(&capture);
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static struct capture begin_with_objects(int version, bool native)
{
    struct capture capture;
    capture_begin(&capture, &(struct capture_head){.version = version, .object_lifetimes = true,
                                                   .native_traces = native});
    capture_thread(&capture, 1);
    capture_push(&capture, capture_frame(&capture, "main", "app.py", 3));
    return capture;
}

/* Of the whole profile; the metrics must say the same. */
static void assert_objects(const struct pr_profile *profile, uint64_t created, uint64_t destroyed, uint64_t alive)
{
    const struct pr_objects *objects = &profile->objects;
    assert_true(objects->known);
    assert_true(objects->created == created && objects->destroyed == destroyed && objects->alive == alive);
    assert_true(profile->metrics[pr_profile_metric(profile, "objects")].total_value == (int64_t)created);
    assert_true(profile->metrics[pr_profile_metric(profile, "objects_alive")].total_value == (int64_t)alive);
}

static void objects_live_from_one_sample_to_another(void **state)
{
    (void)state;
    static const struct {
        uint64_t born_ms, lived_ms;
    } objects[] = {{0, 0}, {0, 10}, {10, 5000}, {20, 10}, {7000, 0}};
    enum { COUNT = sizeof objects / sizeof *objects, STEP = 10, LAST = 8000 };
    for (int version = 12; version <= LAST_VERSION; version++) {
        struct capture capture = begin_with_objects(version, version == LAST_VERSION);
        for (uint64_t ms = 0; ms <= LAST; ms += STEP) {
            for (unsigned i = 0; i < COUNT; i++) {
                if (objects[i].born_ms == ms)
                    capture_object(&capture, 0x1000 + 16 * i, true, 1);
            }
            for (unsigned i = 0; i < COUNT; i++) {
                if (objects[i].born_ms + objects[i].lived_ms == ms)
                    capture_object(&capture, 0x1000 + 16 * i, false, 0);
            }
            capture_sample(&capture, ms + STEP, 4096);
        }
        capture_object(&capture, 0x9000, true, 2);
        capture_end(&capture);
        struct pr_profile *profile = load(&capture);
        struct pr_object_table table;
        assert_objects(profile, COUNT + 1, COUNT, 1);
        assert_int_equal(profile->objects.step_ms, STEP);
        assert_int_equal(pr_object_table_make(profile, &table, NULL), PR_OK);
        assert_int_equal(table.count, 1);
        assert_true(table.row[0].created == COUNT + 1 && table.row[0].destroyed == COUNT && table.row[0].alive == 1);
        assert_true(table.row[0].median_ms.known && table.row[0].median_ms.value == 10);
        assert_true(table.row[0].longest_ms.known && table.row[0].longest_ms.value == 5000);
        pr_object_table_clear(&table);
        pr_profile_free(profile);
        capture_clear(&capture);
    }
}

static void rows_of_objects_add_up_threads_but_not_call_paths(void **state)
{
    (void)state;
    struct capture capture = begin_with_objects(13, false);
    const uint64_t keep = capture_frame(&capture, "keep", "app.py", 9);
    for (uint64_t thread = 1; thread <= 2; thread++) {
        capture_thread(&capture, thread);
        if (thread == 2)
            capture_push(&capture, capture_frame(&capture, "main", "app.py", 3));
        capture_object(&capture, 0x100 * thread, true, 0);
        capture_push(&capture, keep);
        capture_object(&capture, 0x100 * thread + 16, true, 0);
        capture_object(&capture, 0x100 * thread + 32, true, 0);
        capture_object(&capture, 0x100 * thread + 32, false, 0);
    }
    capture_end(&capture);
    struct pr_profile *profile = load(&capture);
    struct pr_object_table table;
    assert_objects(profile, 6, 2, 4);
    assert_int_equal(pr_object_table_make(profile, &table, NULL), PR_OK);
    assert_int_equal(table.count, 2);
    assert_true(table.row[0].created == 4 && table.row[0].alive == 2 && table.row[0].destroyed == 2);
    assert_true(table.row[1].created == 2 && table.row[1].alive == 2 && !table.row[1].median_ms.known);
    pr_object_table_clear(&table);
    pr_profile_free(profile);
    capture_clear(&capture);
}

static void what_objects_lack_is_counted(void **state)
{
    (void)state;
    struct capture capture = begin_with_objects(13, false);
    capture_object(&capture, 0x5000, false, 0); /* made before the recording */
    capture_object(&capture, 0x1000, true, 0);
    capture_object(&capture, 0x1000, true, 0); /* the end of the first was not recorded */
    capture_end(&capture);
    struct pr_profile *profile = load(&capture);
    assert_objects(profile, 2, 0, 1);
    assert_true(profile->objects.older == 1 && profile->objects.replaced == 1);
    pr_profile_free(profile);
    capture_clear(&capture);
}

static void objects_before_damage_are_kept(void **state)
{
    (void)state;
    struct capture capture = begin_with_objects(13, false);
    capture_object(&capture, 0x1000, true, 0);
    capture_u8(&capture, 0x3f); /* a created object, whose address is missing */
    struct pr_profile *profile = load_broken(&capture, PR_ERR_TRUNCATED, "record");
    assert_objects(profile, 1, 0, 1);
    pr_profile_free(profile);
    capture_clear(&capture);
}

static void an_object_without_a_thread_ends_the_reading(void **state)
{
    (void)state;
    struct capture capture;
    capture_begin(&capture, &(struct capture_head){.version = 13, .object_lifetimes = true});
    capture_object(&capture, 0x1000, false, 0);
    capture_object(&capture, 0x1000, true, 0);
    struct pr_profile *profile = load_broken(&capture, PR_ERR_DAMAGED, "object record");
    assert_true(profile->objects.older == 1);
    pr_profile_free(profile);
    capture_clear(&capture);
}

static void objects_count_only_where_the_header_has_them(void **state)
{
    (void)state;
    struct capture capture = begin_with_allocation(13);
    capture_object(&capture, 0x2000, true, 0);
    capture_end(&capture);
    struct pr_profile *profile = load(&capture);
    assert_one_allocation(profile);
    assert_false(profile->objects.known || pr_profile_has_objects(profile));
    assert_int_equal(profile->records.objects, 1);
    pr_profile_free(profile);
    capture_clear(&capture);
}

/* ---- broken rules ------------------------------------------------------------------------------------------------ */

static void an_allocator_that_does_not_exist_ends_the_reading(void **state)
{
    (void)state;
    for (int version = FIRST_VERSION; version <= LAST_VERSION; version++) {
        for (unsigned number = 0; number < 256; number += version >= 12 ? 16 : 256) {
            struct capture capture = begin_with_allocation(version);
            const size_t at = capture.out.length;
            capture_event(&capture, PR_ALLOC_MEMALIGN, 0x2000, 100, 0);
            if (version >= 12)
                capture.out.bytes[capture.out.length - 2] = (char)number; /* 0, or beyond the table */
            else if (version >= 7)
                capture.out.bytes[at] = (char)(number << 4 | 1);
            else
                capture.out.bytes[at + 28] = (char)(number ? number : 11);
            struct pr_profile *profile = load_broken(&capture, PR_ERR_DAMAGED, "allocation record");
            assert_int_equal(profile->problem.offset, at);
            assert_one_allocation(profile);
            pr_profile_free(profile);
            capture_clear(&capture);
        }
    }
}

static void more_pops_than_pushes_end_the_reading(void **state)
{
    (void)state;
    for (int version = FIRST_VERSION; version <= LAST_VERSION; version++) {
        struct capture capture = begin_with_allocation(version);
        const size_t at = capture.out.length;
        capture_pop(&capture, 2);
        capture_end(&capture);
        struct pr_profile *profile = load_broken(&capture, PR_ERR_DAMAGED, "frame pop record");
        assert_int_equal(profile->problem.offset, at);
        assert_one_allocation(profile);
        pr_profile_free(profile);
        capture_clear(&capture);
    }
}

static void a_record_of_an_unknown_thread_ends_the_reading(void **state)
{
    (void)state;
    for (int version = 7; version <= LAST_VERSION; version++) {
        for (unsigned kind = 0; kind < 3; kind++) {
            struct capture capture;
            capture_begin(&capture, &(struct capture_head){.version = version});
            capture_sample(&capture, 5, 4096); /* needs no thread */
            if (kind == 0)
                capture_event(&capture, PR_ALLOC_MALLOC, 0x1000, 100, 0);
            else if (kind == 1)
                capture_push(&capture, 0);
            else
                capture_pop(&capture, 1);
            struct pr_profile *profile;
            assert_int_equal(load_with(&capture, NULL, &profile, NULL), PR_CUT);
            assert_int_equal(profile->problem.code, PR_ERR_DAMAGED);
            assert_int_equal(profile->records.samples, 1);
            pr_profile_free(profile);
            capture_clear(&capture);
        }
    }
}

static void a_record_type_that_does_not_exist_ends_the_reading(void **state)
{
    (void)state;
    for (int version = FIRST_VERSION; version <= LAST_VERSION; version++) {
        struct capture capture = begin_with_allocation(version);
        const size_t at = capture.out.length;
        if (version == 6)
            capture_u32(&capture, 99);
        else
            capture_u8(&capture, 15);
        struct pr_profile *profile = load_broken(&capture, PR_ERR_DAMAGED, "record");
        assert_int_equal(profile->problem.offset, at);
        assert_one_allocation(profile);
        pr_profile_free(profile);
        capture_clear(&capture);
    }
}

static void a_number_of_more_than_ten_bytes_is_damage(void **state)
{
    (void)state;
    static const uint8_t long_number[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
    for (int version = 7; version <= LAST_VERSION; version++) {
        struct capture capture = begin_with_allocation(version);
        capture_u8(&capture, version >= 12 ? 0x40 : 4); /* a push */
        pr_buf_add(&capture.out, long_number, sizeof long_number);
        for (unsigned i = 0; i < 100; i++)
            capture_sample(&capture, i, 4096);
        struct pr_profile *profile = load_broken(&capture, PR_ERR_DAMAGED, "frame push record");
        assert_one_allocation(profile);
        pr_profile_free(profile);
        capture_clear(&capture);
    }
}

static void what_follows_the_end_mark_is_ignored(void **state)
{
    (void)state;
    for (int version = 8; version <= LAST_VERSION; version++) {
        struct capture capture = begin_with_allocation(version);
        capture_end(&capture);
        pr_buf_text(&capture.out, "nothing that means anything");
        struct pr_profile *profile = load(&capture);
        assert_one_allocation(profile);
        pr_profile_free(profile);
        capture_clear(&capture);
    }
}

/* ---- zeros ------------------------------------------------------------------------------------------------------- */

static void zeros(struct capture *capture, unsigned count)
{
    while (count--)
        capture_u8(capture, 0);
}

static void zeros_after_an_unfinished_capture_are_padding(void **state)
{
    (void)state;
    static const unsigned lengths[] = {1, 2, 3, 4, 63, 64, 65, 127, 128, 129, 4096, 200000};
    for (int version = FIRST_VERSION; version <= LAST_VERSION; version++) {
        for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            struct capture capture = begin_with_allocation(version);
            zeros(&capture, lengths[i]);
            struct pr_profile *profile = load_broken(&capture, PR_ERR_TRUNCATED, "record");
            assert_one_allocation(profile);
            assert_true(profile->meta.end_is_last_sample && !profile->meta.end_ms.known);
            pr_profile_free(profile);
            capture_clear(&capture);
        }
    }
}

static void zeros_after_a_whole_capture_are_padding(void **state)
{
    (void)state;
    for (int version = FIRST_VERSION; version <= LAST_VERSION; version++) {
        struct capture capture = begin_with_allocation(version);
        capture_end(&capture);
        zeros(&capture, 5000);
        struct pr_profile *profile = load(&capture);
        assert_one_allocation(profile);
        pr_profile_free(profile);
        capture_clear(&capture);
    }
}

/* A record that ends in a zero, followed by padding: it cannot be known whether it was written to its end. */
static void a_last_record_that_ends_like_padding_is_dropped(void **state)
{
    (void)state;
    for (int version = 8; version <= LAST_VERSION; version++) {
        struct capture capture = begin_with_allocation(version);
        capture_event(&capture, PR_ALLOC_MALLOC, 0x2000, 0, 0); /* its last byte is the size */
        zeros(&capture, 5000);
        struct pr_profile *profile = load_broken(&capture, PR_ERR_TRUNCATED, "record");
        assert_one_allocation(profile);
        pr_profile_free(profile);
        capture_clear(&capture);
    }
}

/* In the first two versions a zero is a record without meaning, and only the header's count shows what is complete. */
static void zeros_between_records_mean_nothing_or_damage(void **state)
{
    (void)state;
    for (int version = FIRST_VERSION; version <= LAST_VERSION; version++) {
        struct capture capture = begin_with_allocation(version);
        const size_t at = capture.out.length;
        zeros(&capture, 400);
        capture_event(&capture, PR_ALLOC_FREE, 0x1000, 0, 0);
        capture_end(&capture);
        struct pr_profile *profile;
        struct pr_error err = {0};
        assert_int_equal(load_with(&capture, NULL, &profile, &err), version < 8 ? PR_OK : PR_CUT);
        assert_int_equal(profile->records.frees, version < 8);
        if (version >= 8) {
            assert_int_equal(err.code, PR_ERR_DAMAGED);
            assert_int_equal(err.offset, at);
            assert_one_allocation(profile);
        }
        pr_profile_free(profile);
        capture_clear(&capture);
    }
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static struct pr_limits limits(void)
{
    return pr_load_options_default().limits;
}

/* LIMITS stop the reading of what TELL adds to one allocation; everything before it is kept. */
static void assert_limit(struct pr_limits limits_to_set, void (*tell)(struct capture *capture))
{
    struct pr_load_options options = pr_load_options_default();
    struct capture capture = begin_with_allocation(13);
    struct pr_profile *profile;
    struct pr_error err = {0};
    tell(&capture);
    capture_end(&capture);
    assert_int_equal(load_with(&capture, NULL, &profile, NULL), PR_OK);
    pr_profile_free(profile);
    options.limits = limits_to_set;
    assert_int_equal(load_with(&capture, &options, &profile, &err), PR_CUT);
    assert_int_equal(err.code, PR_ERR_LIMIT);
    assert_true(profile->records.allocations >= 1);
    pr_profile_free(profile);
    capture_clear(&capture);
}

static void tell_long_name(struct capture *capture)
{
    char name[5000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    capture_frame(capture, name, "app.py", 1);
}

static void tell_large_table(struct capture *capture)
{
    uint8_t table[5000] = {0};
    capture_code(capture, 9, "f", "app.py", 1, table, sizeof table);
}

static void tell_recursion(struct capture *capture)
{
    for (unsigned i = 0; i < 200; i++)
        capture_push(capture, 0);
}

static void tell_frames(struct capture *capture)
{
    char name[] = "f0";
    for (unsigned i = 0; i < 50; i++) {
        name[1] = (char)('0' + i);
        capture_push(capture, capture_frame(capture, name, "app.py", 1));
        capture_pop(capture, 1);
    }
}

static void tell_threads(struct capture *capture)
{
    for (uint64_t tid = 2; tid < 50; tid++)
        capture_thread(capture, tid);
}

static void limits_are_checked_and_keep_what_came_before(void **state)
{
    (void)state;
    struct pr_limits strings = limits(), tables = limits(), depth = limits(), nodes = limits(), frames = limits(),
                     threads = limits();
    strings.max_string_bytes = 4998;
    assert_limit(strings, tell_long_name);
    tables.max_table_bytes = 4999;
    assert_limit(tables, tell_large_table);
    depth.max_depth = 200;
    assert_limit(depth, tell_recursion);
    nodes.max_nodes = 100;
    assert_limit(nodes, tell_recursion);
    frames.max_frames = 40;
    assert_limit(frames, tell_frames);
    threads.max_threads = 40;
    assert_limit(threads, tell_threads);
}

static void sizes_from_the_file_take_no_memory_of_their_own(void **state)
{
    (void)state;
    struct capture capture = begin_with_allocation(13);
    capture_u8(&capture, 14); /* a code object with a line table of 2^60 bytes */
    capture_uv(&capture, 1);
    capture_text(&capture, "f");
    capture_text(&capture, "app.py");
    capture_sv(&capture, 1);
    capture_uv(&capture, UINT64_C(1) << 60);
    struct pr_profile *profile = load_broken(&capture, PR_ERR_LIMIT, "code object record");
    assert_one_allocation(profile);
    pr_profile_free(profile);
    capture_clear(&capture);

    capture = begin_with_allocation(13);
    capture_u8(&capture, 7); /* an image with 2^60 segments */
    capture_text(&capture, "libc.so");
    capture_uv(&capture, UINT64_C(1) << 60);
    capture_u64(&capture, 0);
    profile = load_broken(&capture, PR_ERR_LIMIT, "image record");
    assert_one_allocation(profile);
    pr_profile_free(profile);
    capture_clear(&capture);
}

/* ---- aggregated -------------------------------------------------------------------------------------------------- */

static struct capture begin_aggregated(int version)
{
    struct capture capture;
    capture_begin(&capture, &(struct capture_head){.version = version, .aggregated = true});
    uint64_t frame = capture_frame(&capture, "main", "app.py", 3);
    capture_stack(&capture, frame, 0);
    return capture;
}

static void rows_of_one_stack_are_summed(void **state)
{
    (void)state;
    for (int version = 10; version <= LAST_VERSION; version++) {
        struct capture capture = begin_aggregated(version);
        struct capture_row row = {.tid = 1, .allocator = PR_ALLOC_MALLOC, .stack = 1, .peak_count = 3,
                                  .peak_bytes = 300, .leaked_count = 2, .leaked_bytes = 200};
        capture_row(&capture, &row);
        row.generation = 1;
        capture_row(&capture, &row);
        capture_end(&capture);
        struct pr_profile *profile = load(&capture);
        assert_int_equal(profile->fact_count, 1);
        assert_true(profile->peak_bytes == 600);
        assert_true(profile->metrics[pr_profile_metric(profile, "peak")].total_count == 6);
        assert_true(profile->metrics[pr_profile_metric(profile, "leaked")].total_value == 400);
        assert_true(profile->metrics[pr_profile_metric(profile, "leaked")].total_count == 4);
        assert_int_equal(pr_profile_metric(profile, "temporary"), -1);
        assert_false(profile->stats.known);
        pr_profile_free(profile);
        capture_clear(&capture);
    }
}

static void rows_of_what_does_not_exist_end_the_reading(void **state)
{
    (void)state;
    const struct capture_row good = {.tid = 1, .allocator = PR_ALLOC_MALLOC, .stack = 1, .peak_count = 1,
                                     .peak_bytes = 100, .leaked_count = 1, .leaked_bytes = 100};
    struct capture_row bad = good;
    bad.stack = 2;
    for (int version = 10; version <= LAST_VERSION; version++) {
        for (unsigned kind = 0; kind < 4; kind++) {
            static const char *const doing[] = {"allocation record", "allocation record", "stack record",
                                                "stack record"};
            struct capture capture = begin_aggregated(version);
            capture_row(&capture, &good);
            if (kind == 0) {
                capture_row(&capture, &bad);
            } else if (kind == 1) {
                capture_row(&capture, &good);
                capture.out.bytes[capture.out.length - 64] = 0; /* the allocator */
            } else {
                capture_stack(&capture, kind == 2 ? 7 : 0, kind == 2 ? 0 : 2);
            }
            struct pr_profile *profile = load_broken(&capture, PR_ERR_DAMAGED, doing[kind]);
            assert_one_allocation(profile);
            pr_profile_free(profile);
            capture_clear(&capture);
        }
    }
}

/* ---- stopping ---------------------------------------------------------------------------------------------------- */

static bool stop_at_once(void *context, uint64_t done_bytes, uint64_t size_bytes)
{
    unsigned *calls = context;
    assert_true(done_bytes <= size_bytes);
    ++*calls;
    return false;
}

static void progress_can_stop_the_reading(void **state)
{
    (void)state;
    for (unsigned aggregated = 0; aggregated < 2; aggregated++) {
        struct pr_load_options options = pr_load_options_default();
        struct capture capture;
        struct pr_profile *profile;
        struct pr_error err = {0};
        unsigned calls = 0;
        options.progress = stop_at_once;
        options.progress_context = &calls;
        story_capture(&capture, &(struct capture_head){.version = 13, .aggregated = aggregated}, 1, 20000);
        assert_int_equal(load_with(&capture, &options, &profile, &err), PR_FAILED);
        assert_int_equal(err.code, PR_ERR_IO);
        assert_string_equal(err.text, "interrupted");
        assert_int_equal(calls, 1);
        capture_clear(&capture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_tells_the_same_run),
        cmocka_unit_test(every_aggregated_version_tells_the_same_totals),
        cmocka_unit_test(a_packed_capture_is_the_same_capture),
        cmocka_unit_test(other_versions_are_named),
        cmocka_unit_test(a_capture_of_a_32_bit_process_is_refused),
        cmocka_unit_test(a_third_file_format_is_refused),
        cmocka_unit_test(the_header_becomes_metadata),
        cmocka_unit_test(frames_above_the_tracker_are_left_out_on_the_main_thread),
        cmocka_unit_test(how_a_frame_was_entered_does_not_part_it),
        cmocka_unit_test(the_last_name_of_a_thread_counts),
        cmocka_unit_test(a_frame_that_was_never_defined_has_no_name),
        cmocka_unit_test(of_two_definitions_of_a_code_object_the_first_counts),
        cmocka_unit_test(objects_live_from_one_sample_to_another),
        cmocka_unit_test(rows_of_objects_add_up_threads_but_not_call_paths),
        cmocka_unit_test(what_objects_lack_is_counted),
        cmocka_unit_test(objects_before_damage_are_kept),
        cmocka_unit_test(an_object_without_a_thread_ends_the_reading),
        cmocka_unit_test(objects_count_only_where_the_header_has_them),
        cmocka_unit_test(an_allocator_that_does_not_exist_ends_the_reading),
        cmocka_unit_test(more_pops_than_pushes_end_the_reading),
        cmocka_unit_test(a_record_of_an_unknown_thread_ends_the_reading),
        cmocka_unit_test(a_record_type_that_does_not_exist_ends_the_reading),
        cmocka_unit_test(a_number_of_more_than_ten_bytes_is_damage),
        cmocka_unit_test(what_follows_the_end_mark_is_ignored),
        cmocka_unit_test(zeros_after_an_unfinished_capture_are_padding),
        cmocka_unit_test(zeros_after_a_whole_capture_are_padding),
        cmocka_unit_test(a_last_record_that_ends_like_padding_is_dropped),
        cmocka_unit_test(zeros_between_records_mean_nothing_or_damage),
        cmocka_unit_test(limits_are_checked_and_keep_what_came_before),
        cmocka_unit_test(sizes_from_the_file_take_no_memory_of_their_own),
        cmocka_unit_test(rows_of_one_stack_are_summed),
        cmocka_unit_test(rows_of_what_does_not_exist_end_the_reading),
        cmocka_unit_test(progress_can_stop_the_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
