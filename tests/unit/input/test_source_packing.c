/* SPDX-License-Identifier: Apache-2.0 */
/* What every packing must do: unpack completely, nest, continue with the next frame, and give all that a cut leaves. */
#include <stdio.h>
#include <string.h>

#include "capture/input/source.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/packing.h"
#include "tests/support/unit.h"

enum { MIB = 1024 * 1024 };

static const uint8_t skippable[] = {0x53, 0x2A, 0x4D, 0x18, 5, 0, 0, 0, 'n', 'o', 'i', 's', 'e'};

static struct pr_source *open_bytes(struct bytes packed, enum pr_status *status, struct pr_error *err)
{
    struct pr_source *src;
    *err = (struct pr_error){0};
    *status = pr_source_open_memory("test", packed.at, packed.length, NULL, &src, err);
    assert_true((src != NULL) == (*status == PR_OK));
    return src;
}

static void assert_fails(struct bytes packed, enum pr_error_code code, const char *text)
{
    enum pr_status status;
    struct pr_error err;
    assert_null(open_bytes(packed, &status, &err));
    assert_int_equal(status, PR_FAILED);
    assert_int_equal(err.code, code);
    assert_string_equal(err.text, text);
    assert_string_equal(err.source, "test");
}

/* All of CONTENT comes, then this end. */
static void assert_unpacks(struct bytes packed, struct bytes content, enum pr_error_code code, const char *text)
{
    struct pr_source *src = open_by(VIA_MEMORY, packed);
    assert_int_equal(drain(src, content), content.length);
    assert_int_equal(src->error.code, code);
    assert_string_equal(src->error.text, text);
    if (code != PR_ERR_NONE)
        assert_int_equal(src->error.offset, content.length);
    close_by(VIA_MEMORY, src);
}

static void every_packing_unpacks_from_memory_file_and_pipe(void **state)
{
    (void)state;
    struct bytes content = make_content(5 * MIB + 3);
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        struct bytes packed = packings[p].pack(content);
        for (enum via via = 0; via < VIA_COUNT; via++) {
            struct pr_source *src = open_by(via, packed);
            assert_string_equal(src->packing, packings[p].name);
            assert_int_equal(drain(src, content), content.length);
            assert_int_equal(src->error.code, PR_ERR_NONE);
            close_by(via, src);
        }
        bytes_free(&packed);
    }
    bytes_free(&content);
}

static void a_packed_need_may_be_larger_than_the_window(void **state)
{
    (void)state;
    struct bytes content = make_content(9 * MIB);
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        struct bytes packed = packings[p].pack(content);
        struct pr_source *src = open_by(VIA_MEMORY, packed);
        assert_true(pr_source_need(src, 100000));
        pr_source_skip(src, 100000);
        assert_true(pr_source_need(src, 6 * MIB));
        assert_memory_equal(src->at, content.at + 100000, 6 * MIB);
        pr_source_skip(src, 6 * MIB);
        assert_true(pr_source_need(src, content.length - 6 * MIB - 100000));
        assert_memory_equal(src->at, content.at + 6 * MIB + 100000, content.length - 6 * MIB - 100000);
        assert_false(pr_source_need(src, content.length - 6 * MIB - 100000 + 1));
        close_by(VIA_MEMORY, src);
        bytes_free(&packed);
    }
    bytes_free(&content);
}

static void any_mix_of_needs_and_skips_unpacks_the_same(void **state)
{
    (void)state;
    struct bytes content = make_content(4 * MIB);
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        struct bytes packed = packings[p].pack(content);
        struct pr_source *src = open_by(VIA_MEMORY, packed);
        uint32_t random = (uint32_t)p;
        for (size_t at = 0;;) {
            random = random * 1664525 + 1013904223;
            const size_t want = random >> (random & 7 ? 22 : 12); /* up to 1 KiB, sometimes up to 1 MiB */
            if (!pr_source_need(src, want)) {
                assert_true(want > content.length - at);
                break;
            }
            assert_memory_equal(src->at, content.at + at, want);
            pr_source_skip(src, want / 2);
            at += want / 2;
        }
        close_by(VIA_MEMORY, src);
        bytes_free(&packed);
    }
    bytes_free(&content);
}

static void frames_in_a_row_are_one_content(void **state)
{
    (void)state;
    struct bytes content = make_content(300000);
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        struct bytes packed = {0};
        for (size_t done = 0; done < content.length; done += 75000) {
            struct bytes part = packings[p].pack((struct bytes){content.at + done, 75000});
            bytes_append(&packed, part.at, part.length);
            bytes_free(&part);
        }
        struct bytes nothing = packings[p].pack((struct bytes){content.at, 0});
        bytes_append(&packed, nothing.at, nothing.length);
        assert_unpacks(packed, content, PR_ERR_NONE, "");
        bytes_free(&nothing);
        bytes_free(&packed);
    }
    bytes_free(&content);
}

static void skippable_frames_are_skipped_wherever_they_are(void **state)
{
    (void)state;
    struct bytes content = make_content(1000);
    for (size_t p = 0; p < PACKING_COUNT - 1; p++) { /* gzip has none */
        struct bytes packed = bytes_of(skippable, sizeof skippable);
        bytes_append(&packed, skippable, sizeof skippable);
        for (size_t i = 0; i < 2; i++) {
            struct bytes part = packings[p].pack((struct bytes){content.at + i * 500, 500});
            bytes_append(&packed, part.at, part.length);
            bytes_append(&packed, skippable, sizeof skippable);
            bytes_free(&part);
        }
        assert_unpacks(packed, content, PR_ERR_NONE, "");
        packed.length--;
        struct pr_source *src = open_by(VIA_MEMORY, packed);
        assert_int_equal(drain(src, content), content.length);
        assert_int_equal(src->error.code, PR_ERR_TRUNCATED);
        assert_non_null(strstr(src->error.text, "the skippable frame at byte "));
        close_by(VIA_MEMORY, src);
        bytes_free(&packed);
    }
    bytes_free(&content);
}

static void skippable_frames_alone_are_not_content(void **state)
{
    (void)state;
    const char *text = "it ends with a skippable frame, before any content";
    struct bytes packed = bytes_of(skippable, sizeof skippable);
    assert_fails(packed, PR_ERR_TRUNCATED, text);
    while (--packed.length >= 4)
        assert_fails(packed, PR_ERR_TRUNCATED, text);
    assert_unpacks(packed, packed, PR_ERR_NONE, ""); /* too short to be distinguished from any other bytes */
    bytes_free(&packed);
}

/* CONTENT packed by packings[order % 3], then order / 3, and so on, LAYERS times. */
static struct bytes pack_layers(struct bytes content, size_t order, size_t layers)
{
    struct bytes packed = bytes_of(content.at, content.length);
    for (; layers > 0; layers--, order /= PACKING_COUNT) {
        struct bytes more = packings[order % PACKING_COUNT].pack(packed);
        bytes_free(&packed);
        packed = more;
    }
    return packed;
}

static void packings_nest_in_any_order(void **state)
{
    (void)state;
    struct bytes content = make_content(400000);
    for (size_t order = 0; order < PACKING_COUNT * PACKING_COUNT; order++) {
        struct bytes packed = pack_layers(content, order, 2);
        for (enum via via = 0; via < VIA_COUNT; via++) {
            struct pr_source *src = open_by(via, packed);
            assert_string_equal(src->packing, packings[order % PACKING_COUNT].name);
            assert_string_equal(src->below->packing, packings[order / PACKING_COUNT].name);
            assert_int_equal(drain(src, content), content.length);
            assert_int_equal(src->error.code, PR_ERR_NONE);
            close_by(via, src);
        }
        bytes_free(&packed);
    }
    bytes_free(&content);
}

static void four_layers_are_peeled_and_five_are_refused(void **state)
{
    (void)state;
    struct bytes content = make_content(5000);
    struct bytes four = pack_layers(content, 21, 4), five = pack_layers(content, 21, 5);
    assert_unpacks(four, content, PR_ERR_NONE, "");
    assert_fails(five, PR_ERR_LIMIT, "it is packed more than 4 times over");
    bytes_free(&four);
    bytes_free(&five);
    bytes_free(&content);
}

static void packed_nothing_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"it is empty once its lz4 is unpacked",
                                        "it is empty once its zstd is unpacked",
                                        "it is empty once its gzip is unpacked"};
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        struct bytes packed = packings[p].pack((struct bytes){(uint8_t[]){0}, 0});
        assert_fails(packed, PR_ERR_EMPTY, texts[p]);
        bytes_free(&packed);
    }
}

static size_t layer_count(const struct pr_source *src)
{
    size_t count = 0;
    for (; src->below; src = src->below)
        count++;
    return count;
}

/*
 * Cuts PACKED, which is packed LAYERS times, at every STEP-th byte: a prefix of CONTENT must come, no shorter for a
 * later cut, and then an error.
 */
static void assert_cuts(struct bytes packed, size_t layers, struct bytes content, size_t step)
{
    size_t before = 0;
    for (size_t cut = 4; cut < packed.length; cut += step) {
        /* A copy of its own length, so that a sanitizer sees a read past the cut. */
        struct bytes part = bytes_of(packed.at, cut);
        enum pr_status status;
        struct pr_error err;
        struct pr_source *src = open_bytes(part, &status, &err);
        if (src && layer_count(src) < layers) {
            err = src->error; /* a cut in the magic of the upper packing: what is left of it is taken for content */
        } else if (src) {
            const size_t came = drain(src, content);
            assert_true(came >= before);
            before = came;
            err = src->error;
            assert_int_equal(err.offset, came);
        }
        assert_int_equal(err.code, PR_ERR_TRUNCATED);
        assert_string_equal(err.source, "test");
        assert_non_null(strstr(err.text, "is cut short"));
        pr_source_close(src);
        bytes_free(&part);
    }
    assert_true(before > 0);
}

static void a_cut_anywhere_gives_what_came_before_it(void **state)
{
    (void)state;
    struct bytes content = make_content(1200);
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        struct bytes packed = packings[p].pack(content);
        assert_cuts(packed, 1, content, 1);
        bytes_free(&packed);
    }
    for (size_t order = 0; order < PACKING_COUNT * PACKING_COUNT; order++) {
        struct bytes packed = pack_layers(content, order, 2);
        assert_cuts(packed, 2, content, 1);
        bytes_free(&packed);
    }
    bytes_free(&content);
}

static void a_cut_in_a_later_block_gives_what_came_before_it(void **state)
{
    (void)state;
    struct bytes content = make_content(400000);
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        struct bytes packed = packings[p].pack(content);
        assert_cuts(packed, 1, content, 997);
        bytes_free(&packed);
    }
    bytes_free(&content);
}

/* In zstd, whose blocks hold 128 KiB, a damaged block does not lose a good one before it. */
static void blocks_before_a_damaged_one_are_delivered(void **state)
{
    (void)state;
    struct bytes content = make_content(5 * 128 * 1024), packed = pack_zstd(content);
    assert_int_equal(packed.at[4], 0xA4); /* RFC 8878, 3.1.1.1.1: 4 bytes of content size, no window, a checksum */
    size_t at = 4 + 1 + 4;
    for (size_t block = 0; block < 5; block++) {
        const size_t size = packed.at[at] >> 3 | (size_t)packed.at[at + 1] << 5 | (size_t)packed.at[at + 2] << 13;
        if (block > 0) {
            packed.at[at] |= 6; /* a reserved kind of block */
            struct pr_source *src = open_by(VIA_MEMORY, packed);
            assert_int_equal(drain(src, content), block * 128 * 1024);
            assert_int_equal(src->error.code, PR_ERR_DAMAGED);
            close_by(VIA_MEMORY, src);
            packed.at[at] &= (uint8_t)~2u;
        }
        at += 3 + size;
    }
    bytes_free(&packed);
    bytes_free(&content);
}

static void flipped_bits_never_break_it(void **state)
{
    (void)state;
    struct bytes content = make_content(600);
    for (size_t order = 0; order < PACKING_COUNT * PACKING_COUNT + PACKING_COUNT; order++) {
        const size_t layers = order < PACKING_COUNT ? 1 : 2;
        struct bytes packed = pack_layers(content, layers == 1 ? order : order - PACKING_COUNT, layers);
        for (size_t bit = 0; bit < packed.length * 8; bit++) {
            packed.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
            enum pr_status status;
            struct pr_error err;
            struct pr_source *src = open_bytes(packed, &status, &err);
            size_t came = 0;
            while (src && pr_source_need(src, 1)) {
                came += (size_t)(src->end - src->at);
                src->at = src->end;
            }
            assert_true(came < 10 * MIB);
            assert_true(src || err.code != PR_ERR_NONE);
            pr_source_close(src);
            packed.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        bytes_free(&packed);
    }
    bytes_free(&content);
}

static void a_wrong_checksum_is_reported_after_all_content(void **state)
{
    (void)state;
    struct bytes content = make_content(200000), zstd = pack_zstd(content), gzip = pack_gzip(content);
    zstd.at[zstd.length - 1] ^= 1;
    assert_unpacks(zstd, content, PR_ERR_DAMAGED,
                   "the zstd frame at byte 0 of the input cannot be unpacked further: Restored data doesn't match "
                   "checksum");
    gzip.at[gzip.length - 8] ^= 1;
    assert_unpacks(gzip, content, PR_ERR_DAMAGED,
                   "the gzip data at byte 0 of the input cannot be unpacked further: incorrect data check");

    struct bytes inner = pack_lz4(content), outer = pack_gzip(inner);
    outer.at[outer.length - 8] ^= 1;
    assert_unpacks(outer, content, PR_ERR_DAMAGED, /* the deepest cause, at the offset of the topmost stream */
                   "the gzip data at byte 0 of the input cannot be unpacked further: incorrect data check");
    bytes_free(&inner);
    bytes_free(&outer);
    bytes_free(&zstd);
    bytes_free(&gzip);
    bytes_free(&content);
}

static void bytes_after_the_last_frame(void **state)
{
    (void)state;
    struct bytes content = make_content(1000);
    for (size_t p = 0; p < PACKING_COUNT; p++) {
        struct bytes packed = packings[p].pack(content);
        const size_t length = packed.length;
        char text[100];
        snprintf(text, sizeof text, "the zstd data at byte %zu of the input goes on with something else", length);
        const bool is_zstd = packings[p].pack == pack_zstd;
        bytes_append(&packed, "\0\0\0\0\0padding", 12);
        for (; packed.length > length; packed.length--)
            assert_unpacks(packed, content, is_zstd ? PR_ERR_DAMAGED : PR_ERR_NONE, is_zstd ? text : "");
        bytes_free(&packed);
    }
    bytes_free(&content);
}

static void a_zstd_window_that_costs_too_much_is_refused(void **state)
{
    (void)state;
    /* RFC 8878, 3.1.1.1.2: a window of 2^(10 + exponent) bytes, exponent 18; then an empty last block. */
    struct bytes packed = bytes_of("\x28\xB5\x2F\xFD\x00\x90\x01\x00\x00", 9);
    assert_fails(packed, PR_ERR_LIMIT,
                 "the zstd frame at byte 0 of the input cannot be unpacked further: Frame requires too much memory for "
                 "decoding");
    bytes_free(&packed);
}

static void a_zstd_dictionary_is_not_had(void **state)
{
    (void)state;
    /* A descriptor that has a dictionary id of one byte, 7. */
    struct bytes packed = bytes_of("\x28\xB5\x2F\xFD\x01\x00\x07\x01\x00\x00", 10);
    assert_fails(packed, PR_ERR_UNSUPPORTED,
                 "the zstd frame at byte 0 of the input cannot be unpacked further: Dictionary mismatch");
    bytes_free(&packed);
}

static void running_out_of_memory_keeps_what_came_before(void **state)
{
    (void)state;
    struct bytes content = make_content(2 * MIB);
    for (size_t order = 0; order < PACKING_COUNT * PACKING_COUNT; order++) {
        struct bytes packed = pack_layers(content, order, 2);
        const char *path = file_with(packed);
        for (unsigned long n = 1;; n++) {
            struct pr_source *src = NULL;
            struct pr_error err = {0};
            alloc_fail_at(n);
            if (pr_source_open(path, NULL, &src, &err) == PR_OK) {
                while (pr_source_need(src, MIB + 10))
                    pr_source_skip(src, 10000);
                err = src->error;
                const size_t here = (size_t)(src->end - src->at);
                assert_memory_equal(src->at, content.at + pr_source_offset(src), here);
            }
            const bool failed = alloc_fail_stop();
            pr_source_close(src);
            assert_int_equal(err.code, failed ? PR_ERR_MEMORY : PR_ERR_NONE);
            if (!failed)
                break;
            assert_string_equal(err.source, path);
        }
        bytes_free(&packed);
    }
    bytes_free(&content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_packing_unpacks_from_memory_file_and_pipe),
        cmocka_unit_test(a_packed_need_may_be_larger_than_the_window),
        cmocka_unit_test(any_mix_of_needs_and_skips_unpacks_the_same),
        cmocka_unit_test(frames_in_a_row_are_one_content),
        cmocka_unit_test(skippable_frames_are_skipped_wherever_they_are),
        cmocka_unit_test(skippable_frames_alone_are_not_content),
        cmocka_unit_test(packings_nest_in_any_order),
        cmocka_unit_test(four_layers_are_peeled_and_five_are_refused),
        cmocka_unit_test(packed_nothing_is_refused),
        cmocka_unit_test(a_cut_anywhere_gives_what_came_before_it),
        cmocka_unit_test(a_cut_in_a_later_block_gives_what_came_before_it),
        cmocka_unit_test(blocks_before_a_damaged_one_are_delivered),
        cmocka_unit_test(flipped_bits_never_break_it),
        cmocka_unit_test(a_wrong_checksum_is_reported_after_all_content),
        cmocka_unit_test(bytes_after_the_last_frame),
        cmocka_unit_test(a_zstd_window_that_costs_too_much_is_refused),
        cmocka_unit_test(a_zstd_dictionary_is_not_had),
        cmocka_unit_test(running_out_of_memory_keeps_what_came_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
