/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native frames on their way through the reader, in every header version; the native code is the program itself, and
 * what it was linked with.
 */
#include "tests/support/unit.h"

#include "profrender/digest.h"
#include "profrender/load.h"
#include "capture/memray/native_frames.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/invariants.h"
#include "tests/support/self_code.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

enum { ADDRESS = 0x10000, THREAD = 1 };

static void image(struct capture *capture, const struct self_code *self)
{
    capture_image(capture, self->path, self->bias, self->segments, self->count);
}

/* What `work` in app.py allocates, in our native code, called by a library that is missing. */
static struct capture make(int version, bool aggregated, const struct self_code *self)
{
    static const struct capture_segment other[] = {{0, 0x1000}};
    struct capture capture;
    struct capture_head head = {.version = version, .aggregated = aggregated, .native_traces = true};
    capture_begin(&capture, &head);
    capture_map_start(&capture);
    image(&capture, self);
    capture_image(&capture, "/nowhere/libold.so.1", 0x1000000, other, 1);
    capture_map_start(&capture); /* lists everything anew */
    capture_image(&capture, "/nowhere/libnew.so.2", 0x1000000, other, 1);
    image(&capture, self);
    capture_native_frame(&capture, 0x1000011, 0);
    capture_native_frame(&capture, self->return_address, 1);
    uint64_t frame = capture_frame(&capture, "work", "app.py", 3);
    if (aggregated) {
        capture_stack(&capture, frame, 0);
        capture_row(&capture, &(struct capture_row){.tid = THREAD, .allocator = PR_ALLOC_MALLOC, .native = 2,
                                                    .generation = 2, .peak_count = 1, .peak_bytes = 100});
    } else {
        capture_thread(&capture, THREAD);
        capture_event(&capture, PR_ALLOC_MALLOC, ADDRESS, 100, 2);
        capture_push(&capture, frame);
        capture_event(&capture, PR_ALLOC_FREE, ADDRESS + 16, 0, 0);
    }
    capture_end(&capture);
    return capture;
}

static struct pr_profile *load(const struct capture *capture, enum pr_native_use native, enum pr_status wanted,
                               struct pr_error *err)
{
    struct pr_profile *profile = NULL;
    struct pr_load_options options = pr_load_options_default();
    options.native = native;
    assert_int_equal(pr_load_memory("made", capture->out.bytes, capture->out.length, &options, &profile, err), wanted);
    if (profile)
        check_invariants(profile);
    return profile;
}

/* The stack that ends with NODE: outermost first, "function line" joined by " < ". */
static const char *text_of(const struct pr_profile *profile, pr_node_id node, char text[256])
{
    text[0] = '\0';
    for (; node != PR_ROOT; node = profile->tree.parent[node]) {
        const struct pr_frame *frame = &profile->frames[profile->tree.frame[node]];
        size_t length = strlen(text);
        assert_int_equal(frame->kind, PR_FRAME_NATIVE);
        snprintf(text + length, 256 - length, "%s%s %d", length ? " < " : "",
                 pr_profile_text(profile, frame->function).bytes, (int)frame->line);
    }
    return text;
}

static void check_names(const struct self_code *self, const struct pr_profile *profile)
{
    char text[256], by_debug[256], by_symbols[256];
    assert_int_equal(profile->fact_count, 1);
    assert_non_null(profile->fact_hybrid);
    assert_int_equal(profile->fact_leaf[0], PR_ROOT);
    text_of(profile, profile->fact_hybrid[0], text);
    snprintf(by_debug, sizeof by_debug, "self_inlined %d < self_outer %d < libnew.so.2+0x10 0", self->inlined_line,
             self->outer_line);
    snprintf(by_symbols, sizeof by_symbols, "self_outer 0 < libnew.so.2+0x10 0"); /* compiled without -g */
    if (strcmp(text, by_symbols) != 0)
        assert_string_equal(text, by_debug);
    assert_int_equal(profile->meta.native_files, 2);
    assert_int_equal(profile->meta.native_files_unnamed, 1);
    assert_string_equal(pr_profile_text(profile, profile->meta.native_unnamed_file).bytes, "/nowhere/libnew.so.2");
}

static void every_version_has_native_frames(void **state)
{
    (void)state;
    const struct self_code self = self_code();
    for (int version = 6; version <= 13; version++) {
        struct capture capture = make(version, false, &self);
        struct pr_profile *profile = load(&capture, PR_NATIVE_AUTO, PR_OK, NULL);
        check_names(&self, profile);
        pr_profile_free(profile);
        capture_clear(&capture);
    }
}

static void aggregated_captures_have_native_frames(void **state)
{
    (void)state;
    const struct self_code self = self_code();
    for (int version = 10; version <= 13; version++) {
        struct capture capture = make(version, true, &self);
        struct pr_profile *profile = load(&capture, PR_NATIVE_AUTO, PR_OK, NULL);
        check_names(&self, profile);
        pr_profile_free(profile);
        capture_clear(&capture);
    }
}

static void native_frames_can_be_left_out(void **state)
{
    (void)state;
    const struct self_code self = self_code();
    struct capture capture = make(13, false, &self);
    struct pr_profile *profile = load(&capture, PR_NATIVE_OFF, PR_OK, NULL);
    assert_null(profile->fact_hybrid);
    assert_int_equal(profile->tree.count, 1);
    assert_int_equal(profile->meta.native_files, 0);
    assert_int_equal(profile->records.native_frames, 2);
    pr_profile_free(profile);
    capture_clear(&capture);
}

static void all_files_can_be_required(void **state)
{
    (void)state;
    const struct self_code self = self_code();
    struct capture capture = make(13, false, &self);
    struct pr_error err = {0};
    assert_null(load(&capture, PR_NATIVE_REQUIRE, PR_FAILED, &err));
    assert_int_equal(err.code, PR_ERR_ABSENT);
    assert_non_null(strstr(err.text, "/nowhere/libnew.so.2"));
    capture_clear(&capture);
}

static void a_capture_without_native_frames_is_reported_when_they_are_required(void **state)
{
    (void)state;
    struct capture capture;
    struct pr_error err = {0};
    capture_begin(&capture, &(struct capture_head){.version = 13});
    capture_end(&capture);
    assert_null(load(&capture, PR_NATIVE_REQUIRE, PR_FAILED, &err));
    assert_int_equal(err.code, PR_ERR_ABSENT);
    struct pr_profile *profile = load(&capture, PR_NATIVE_AUTO, PR_OK, NULL);
    assert_null(profile->fact_hybrid);
    pr_profile_free(profile);
    capture_clear(&capture);
}

static void another_build_gives_no_names(void **state)
{
    (void)state;
    struct self_code self = self_code();
    self.segments[self.count - 1].size++;
    struct capture capture = make(13, false, &self);
    struct pr_profile *profile = load(&capture, PR_NATIVE_AUTO, PR_OK, NULL);
    char text[256], wanted[256];
    const char *name = strrchr(self.path, '/') + 1;
    snprintf(wanted, sizeof wanted, "%s+0x%llx 0 < libnew.so.2+0x10 0", name,
             (unsigned long long)(self.return_address - 1 - self.bias));
    assert_string_equal(text_of(profile, profile->fact_hybrid[0], text), wanted);
    assert_int_equal(profile->meta.native_files_unnamed, 2);
    pr_profile_free(profile);
    capture_clear(&capture);
}

static void sizes_that_lie_are_damage(void **state)
{
    (void)state;
    for (int version = 6; version <= 13; version++) {
        struct capture capture;
        struct pr_error err = {0};
        capture_begin(&capture, &(struct capture_head){.version = version, .native_traces = true});
        capture_thread(&capture, THREAD);
        capture_event(&capture, PR_ALLOC_MALLOC, ADDRESS, 100, 0);
        capture_map_start(&capture);
        capture_image(&capture, "/nowhere/lib.so", 0, NULL, 0);
        /* The record's segment count, rewritten: it is before the bias. */
        size_t at = capture.out.length - 8 - (version == 6 ? 8 : 1);
        capture.out.length = at;
        if (version == 6)
            capture_u64(&capture, UINT64_MAX);
        else
            capture_uv(&capture, UINT64_MAX);
        capture_u64(&capture, 0);
        struct pr_profile *profile = load(&capture, PR_NATIVE_AUTO, PR_CUT, &err);
        assert_int_equal(err.code, PR_ERR_LIMIT);
        assert_int_equal(profile->fact_count, 1);
        pr_profile_free(profile);
        capture_clear(&capture);
    }
}

static void too_many_native_frames_are_cut(void **state)
{
    (void)state;
    struct capture capture;
    struct pr_error err = {0};
    struct pr_profile *profile = NULL;
    struct pr_load_options options = pr_load_options_default();
    options.limits.max_nodes = 100;
    capture_begin(&capture, &(struct capture_head){.version = 13, .native_traces = true});
    for (uint64_t i = 0; i < 101; i++)
        capture_native_frame(&capture, 1000 + i, i);
    capture_end(&capture);
    assert_int_equal(pr_load_memory("made", capture.out.bytes, capture.out.length, &options, &profile, &err), PR_CUT);
    assert_int_equal(err.code, PR_ERR_LIMIT);
    pr_profile_free(profile);
    capture_clear(&capture);
}

static void images_are_kept_once(void **state)
{
    (void)state;
    struct pr_native native = {0};
    size_t end;
    for (int generation = 0; generation < 3; generation++) {
        assert_true(pr_native_add_generation(&native));
        for (uint32_t i = 0; i < 40; i++) {
            assert_true(pr_native_add_segment(&native, 0, 4096 + i) && pr_native_add_segment(&native, 8192, 100));
            assert_true(pr_native_add_image(&native, 1 + i / 2, i * UINT64_C(0x100000)));
        }
    }
    assert_true(pr_native_add_image(&native, 1, 0)); /* another file: no segments */
    assert_int_equal(native.files.count, 41);
    assert_int_equal(native.images.count, 41);
    assert_int_equal(pr_native_generation(&native, 2, &end), 40);
    assert_int_equal(end, 80);
    assert_int_equal(pr_native_generation(&native, 3, &end), 80);
    assert_int_equal(end, 121);
    const uint32_t none[] = {0, 4};
    for (int i = 0; i < 2; i++) {
        size_t first = pr_native_generation(&native, none[i], &end);
        assert_int_equal(first, end);
    }
    uint32_t image_id = native.listed[81];
    struct pr_elf_loaded file = pr_native_file_get(&native, pr_native_image_file(&native, image_id));
    assert_int_equal(pr_native_image_bias(&native, image_id), 0x100000);
    assert_int_equal(file.path, 1);
    assert_int_equal(file.segment_count, 2);
    assert_int_equal(pr_elf_segment_at(&file, 0).size_bytes, 4097);
    assert_int_equal(pr_elf_segment_at(&file, 1).address, 8192);
    pr_native_clear(&native);
}

/* ---- many files -------------------------------------------------------------------------------------------------- */

struct loaded {
    struct capture capture;
    uint64_t frames;  /* native ones so far */
    const char *self; /* the path of the program */
    const char *only[2]; /* in the paths of the files; NULL = all files */
};

/* A generation that has one file more, with frames all over its code: a stack each, next to one that all have. */
static int add_file(struct dl_phdr_info *info, size_t size, void *context)
{
    struct loaded *loaded = context;
    const uint64_t each = loaded->only[0] ? 2 : 16;
    struct capture_segment segments[SELF_SEGMENTS];
    size_t count = 0;
    uint64_t start = 0, length = 0;
    const char *path = *info->dlpi_name ? info->dlpi_name : loaded->self;
    (void)size;
    if (loaded->only[0] && !strstr(path, loaded->only[0]) && !strstr(path, loaded->only[1]))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || count == SELF_SEGMENTS)
            continue;
        segments[count++] = (struct capture_segment){header->p_vaddr, header->p_memsz};
        if (header->p_flags & PF_X) {
            start = info->dlpi_addr + header->p_vaddr;
            length = header->p_memsz;
        }
    }
    capture_image(&loaded->capture, path, info->dlpi_addr, segments, count);
    for (uint64_t i = 0; i < each; i++) {
        capture_native_frame(&loaded->capture, start + 1 + length / each * i, loaded->frames ? 1 : 0);
        loaded->frames++;
        capture_event(&loaded->capture, PR_ALLOC_MALLOC, ADDRESS + 16 * loaded->frames, 100, loaded->frames);
    }
    return 0;
}

static int list_file(struct dl_phdr_info *info, size_t size, void *context)
{
    struct loaded *loaded = context;
    capture_map_start(&loaded->capture);
    return add_file(info, size, loaded);
}

static struct pr_buf digest_by(const struct capture *capture, unsigned threads, uint64_t *named)
{
    struct pr_profile *profile = NULL;
    struct pr_load_options options = pr_load_options_default();
    struct pr_buf digest = {0};
    options.threads = threads;
    assert_int_equal(pr_load_memory("made", capture->out.bytes, capture->out.length, &options, &profile, NULL), PR_OK);
    assert_int_equal(pr_digest_write(profile, &digest, NULL), PR_OK);
    *named = profile->meta.native_files - profile->meta.native_files_unnamed;
    pr_profile_free(profile);
    return digest;
}

/* Files that this process has loaded, in several generations. */
static void make_loaded(struct loaded *loaded)
{
    capture_begin(&loaded->capture, &(struct capture_head){.version = 13, .native_traces = true});
    const uint64_t frame = capture_frame(&loaded->capture, "work", "app.py", 3);
    capture_thread(&loaded->capture, THREAD);
    capture_push(&loaded->capture, frame);
    dl_iterate_phdr(list_file, loaded);
    dl_iterate_phdr(add_file, loaded); /* all of them in one generation, known and new addresses */
    capture_end(&loaded->capture);
}

static void names_are_the_same_by_any_number_of_threads(void **state)
{
    (void)state;
    const struct self_code self = self_code();
    struct loaded loaded = {.self = self.path};
    uint64_t named;
    make_loaded(&loaded);
    struct pr_buf alone = digest_by(&loaded.capture, 1, &named);
    assert_in_range(named, 2, UINT32_MAX); /* the program and the C library */
    for (unsigned threads = 2; threads <= 4; threads += 2) {
        struct pr_buf digest = digest_by(&loaded.capture, threads, &named);
        assert_int_equal(digest.length, alone.length);
        assert_memory_equal(digest.bytes, alone.bytes, alone.length);
        pr_buf_clear(&digest);
    }
    pr_buf_clear(&alone);
    capture_clear(&loaded.capture);
}

/*
 * What is not found ahead, as memory ran out, is found later: the same, or an error. Libraries without debug
 * information: the program has hundreds of units, and each is an allocation more to fail.
 */
static void a_failed_allocation_changes_no_name(void **state)
{
    (void)state;
    struct loaded loaded = {.self = "", .only = {"libcmocka", "libjansson"}};
    uint64_t named;
    bool failed = true;
    make_loaded(&loaded);
    struct pr_buf right = digest_by(&loaded.capture, 1, &named);
    assert_int_equal(named, 2);
    for (unsigned long n = 1; failed; n++) {
        struct pr_profile *profile = NULL;
        struct pr_load_options options = pr_load_options_default();
        options.threads = 2;
        alloc_fail_at(n);
        const enum pr_status status = pr_load_memory("made", loaded.capture.out.bytes, loaded.capture.out.length,
                                                     &options, &profile, NULL);
        failed = alloc_fail_stop();
        if (status == PR_OK) {
            struct pr_buf digest = {0};
            assert_int_equal(pr_digest_write(profile, &digest, NULL), PR_OK);
            assert_int_equal(digest.length, right.length);
            assert_memory_equal(digest.bytes, right.bytes, right.length);
            pr_buf_clear(&digest);
        }
        pr_profile_free(profile);
    }
    pr_buf_clear(&right);
    capture_clear(&loaded.capture);
}

static void each_failed_allocation_is_an_error(void **state)
{
    (void)state;
    const struct self_code self = self_code();
    struct capture capture = make(13, false, &self);
    for (unsigned long n = 1;; n++) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        enum pr_status status = pr_load_memory("made", capture.out.bytes, capture.out.length, NULL, &profile, &err);
        bool failed = alloc_fail_stop();
        if (profile)
            check_invariants(profile);
        pr_profile_free(profile);
        if (!failed) {
            assert_int_equal(status, PR_OK);
            break;
        }
        if (status != PR_OK) /* some have another way, such as to go on without a second thread */
            assert_true(err.code == PR_ERR_MEMORY || err.code == PR_ERR_LIMIT);
    }
    capture_clear(&capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_has_native_frames),
        cmocka_unit_test(aggregated_captures_have_native_frames),
        cmocka_unit_test(native_frames_can_be_left_out),
        cmocka_unit_test(all_files_can_be_required),
        cmocka_unit_test(a_capture_without_native_frames_is_reported_when_they_are_required),
        cmocka_unit_test(another_build_gives_no_names),
        cmocka_unit_test(sizes_that_lie_are_damage),
        cmocka_unit_test(too_many_native_frames_are_cut),
        cmocka_unit_test(images_are_kept_once),
        cmocka_unit_test(names_are_the_same_by_any_number_of_threads),
        cmocka_unit_test(a_failed_allocation_changes_no_name),
        cmocka_unit_test(each_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
